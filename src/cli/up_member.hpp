// UpMember: what runs in and for one member cluster of `fairway up`: its agent, the cluster-version and the
// ingress operator, and the cloud and the nodes that are played for it.
//
// All of it talks to the cluster by one client, as it would to any other; nothing but connections and the
// event loop is shared with other members. Belongs to the event loop and is stopped before the server.
//
//   UpMember member(loop, member_profile(1), settings, client, hub);
//   co_await member.prepare();
//   member.run(tasks);
//   … tasks.stop() …
//   co_await member.stop();
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "async/event_loop.hpp"
#include "async/task_group.hpp"
#include "cli/up_member_profile.hpp"
#include "http/message.hpp"
#include "kube/client/client.hpp"

namespace fairway::cli {

// What members have in common.
struct MemberSettings {
  std::string data;            // of all; a member's own is in members/NAME below it
  std::string update_service;  // its graph
  std::string releases;        // ExampleReleases
  RunningRelease running = {};
  std::vector<http::Url> prometheus = {};  // instead of the members' own metrics
};

class UpMember {
 public:
  // The clients outlive it. The registry is what they count into.
  UpMember(async::EventLoop& loop, MemberProfile profile, MemberSettings settings,
           std::unique_ptr<metrics::Registry> registry, std::unique_ptr<kube::Client> cluster,
           kube::Client& hub);
  ~UpMember();
  UpMember(const UpMember&) = delete;
  UpMember& operator=(const UpMember&) = delete;

  const std::string& name() const { return profile_.name; }

  // Has the member known to the hub, makes its objects where it has none yet, and learns what its API server
  // knows. Before run().
  Task<void> prepare();
  void run(async::TaskGroup& tasks);
  bool is_ready() const;
  // After the tasks have ended.
  boost::asio::awaitable<void> stop();

 private:
  struct Parts;

  Result<void> write_files() const;
  Task<void> create_objects();
  Task<void> introduce();

  async::EventLoop& loop_;
  MemberProfile profile_;
  MemberSettings settings_;
  std::unique_ptr<metrics::Registry> registry_;
  std::unique_ptr<kube::Client> cluster_;
  kube::Client& hub_;
  std::unique_ptr<Parts> parts_;
};

}  // namespace fairway::cli
