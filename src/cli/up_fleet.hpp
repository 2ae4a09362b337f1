// UpFleet: what looks after the clusters of `fairway up`: the hub's controllers, and in each member what a
// cluster has (up_member.hpp).
//
// Everything talks to the API server as it would to any other, over HTTPS with a kubeconfig: nothing is
// shared but the event loop and the connections. Members are made known on the hub when they are not. Belongs
// to the event loop and is stopped before the server.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "async/event_loop.hpp"
#include "async/task_group.hpp"
#include "http/message.hpp"

namespace fairway::cli {

struct UpFleetSettings {
  std::string kubeconfig;                  // with the contexts member1, member2, …
  std::string hub = "hub";                 // the hub's context; empty: the current one
  std::size_t members = 0;                 // how many of them
  std::string data;                        // where members' metrics and releases are written
  std::string update_service;              // http://127.0.0.1:6444/graph
  std::vector<http::Url> prometheus = {};  // answers all members' queries, instead of their metrics
};

class UpMember;

class UpFleet {
 public:
  // Returns when the hub's controllers and all members are at work. Only while the loop does not run.
  static Result<std::unique_ptr<UpFleet>> start(async::EventLoop& loop, const UpFleetSettings& settings);
  ~UpFleet();
  UpFleet(const UpFleet&) = delete;
  UpFleet& operator=(const UpFleet&) = delete;

  boost::asio::awaitable<void> stop();

 private:
  struct Hub;

  explicit UpFleet(async::EventLoop& loop);
  Result<void> add_hub(const UpFleetSettings& settings);
  Result<void> add_members(const UpFleetSettings& settings);
  Result<void> prepare_members();
  bool is_ready() const;

  async::EventLoop& loop_;
  std::unique_ptr<Hub> hub_;
  std::vector<std::unique_ptr<UpMember>> members_;
  async::TaskGroup tasks_;
};

}  // namespace fairway::cli
