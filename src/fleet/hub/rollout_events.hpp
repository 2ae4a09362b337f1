// RolloutEvents: sends what rollouts tell the world, as events of events.k8s.io/v1 with their annotations.
//
// tell() never waits and never fails; run() sends. Unlike other events, these are read by programs that
// follow a rollout: each is one of its own, none is counted into another or held back for being frequent.
// What does not fit into the queue, and what the server keeps refusing, is dropped and counted. While
// rollouts wait for their turn, telling takes a small share of the time only: it must not hold up the doing.
// Belongs to one event loop.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <string>

#include "async/notify.hpp"
#include "async/task.hpp"
#include "base/metrics.hpp"
#include "fleet/events.hpp"
#include "kube/client/client.hpp"

namespace fairway::fleet {

// An event that is yet to be sent.
struct ToldEvent {
  kube::ObjectKey rollout;
  std::string uid;
  RolloutEvent event;
  WallTime time;
  std::uint64_t unique;  // makes its name
};

json::Object event_object(const ToldEvent& told);

class RolloutEvents {
 public:
  using IsBusy = std::function<bool()>;

  // `is_busy`: whether rollouts wait for their turn.
  RolloutEvents(kube::Client& client, metrics::Registry& registry, IsBusy is_busy);

  void tell(const ClusterGroupUpgrade& about, RolloutEvent event);
  // Sends until cancelled.
  Task<void> run();
  std::size_t queued() const { return queue_.size(); }

 private:
  bool needs(std::size_t sender) const;
  Task<void> work(std::size_t sender);
  Task<void> send(const ToldEvent& told);
  void count(const char* outcome);

  kube::Client& client_;
  metrics::Registry& registry_;
  IsBusy is_busy_;
  std::uint64_t sequence_ = 0;
  std::deque<ToldEvent> queue_;
  async::Notify queued_;
};

}  // namespace fairway::fleet
