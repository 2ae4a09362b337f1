// UpFleet: what looks after the clusters of `fairway up`: the hub's controllers and an agent in each member.
//
// Everything talks to the API server of this process as it would to any other, over HTTPS with a kubeconfig:
// nothing is shared but the event loop. Members are made known on the hub when they are not. Belongs to the
// event loop and is stopped before the server.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "async/event_loop.hpp"
#include "async/task_group.hpp"

namespace fairway::cli {

class UpFleet {
 public:
  // Returns when the hub's controllers and all agents are at work. Only while the loop does not run.
  static Result<std::unique_ptr<UpFleet>> start(async::EventLoop& loop, const std::string& kubeconfig,
                                                const std::vector<std::string>& members);
  ~UpFleet();
  UpFleet(const UpFleet&) = delete;
  UpFleet& operator=(const UpFleet&) = delete;

  boost::asio::awaitable<void> stop();

 private:
  struct Hub;
  struct Member;

  explicit UpFleet(async::EventLoop& loop);
  Result<void> add_hub(const std::string& kubeconfig);
  Result<void> add_member(const std::string& kubeconfig, const std::string& name);
  bool is_ready() const;

  async::EventLoop& loop_;
  std::unique_ptr<Hub> hub_;
  std::vector<std::unique_ptr<Member>> members_;
  async::TaskGroup tasks_;
};

}  // namespace fairway::cli
