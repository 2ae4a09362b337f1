// RolloutEvents: sends what rollouts tell the world, as events of events.k8s.io/v1 with their annotations.
//
// tell() never waits and never fails; run() sends. Unlike other events, these are read by programs that
// follow a rollout: each is one of its own, none is counted into another or held back for being frequent.
// What does not fit into the queue, and what the server keeps refusing, is dropped and counted. Belongs to
// one event loop.
#pragma once

#include <cstdint>
#include <deque>
#include <string>

#include "async/notify.hpp"
#include "async/task.hpp"
#include "base/metrics.hpp"
#include "fleet/events.hpp"
#include "kube/client/client.hpp"

namespace fairway::fleet {

class RolloutEvents {
 public:
  RolloutEvents(kube::Client& client, metrics::Registry& registry);

  void tell(const ClusterGroupUpgrade& about, const RolloutEvent& event);
  // Sends until cancelled.
  Task<void> run();
  std::size_t queued() const { return queue_.size(); }

 private:
  Task<void> work(std::size_t threshold);
  Task<void> send(json::Object event);
  void count(const char* outcome);

  kube::Client& client_;
  metrics::Registry& registry_;
  std::uint64_t sequence_ = 0;
  std::deque<json::Object> queue_;
  async::Notify queued_;
};

// As it is sent; `unique` makes its name.
json::Object event_object(const ClusterGroupUpgrade& about, const RolloutEvent& event, WallTime now,
                          std::uint64_t unique);

}  // namespace fairway::fleet
