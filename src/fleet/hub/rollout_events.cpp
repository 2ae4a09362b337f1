#include "fleet/hub/rollout_events.hpp"

#include <algorithm>
#include <fmt/format.h>

#include "async/task_group.hpp"
#include "base/log.hpp"
#include "base/text.hpp"
#include "fleet/hub/kinds.hpp"

namespace fairway::fleet {
namespace {

const kube::ResourceType kEvents{.kind = {"events.k8s.io", "v1", "Event"}, .resource = "events"};
constexpr std::size_t kMostQueued = 100'000;
constexpr std::size_t kSenders = 4;
// One sender tells of what happens; each further one joins when so many more wait.
constexpr std::size_t kQueuedForEach = 100;
// While rollouts wait for their turn, more must wait for that, because what does not fit into the queue is
// lost; and the first sender rests so many times as long as it took to send, within limits.
constexpr std::size_t kQueuedForEachWhenBusy = 25'000;
constexpr int kSenderRest = 3;
constexpr Duration kLongestSenderRest = std::chrono::milliseconds(500);
constexpr int kMostTries = 5;
constexpr std::size_t kLongestNote = 1024;  // the API refuses longer ones
constexpr std::size_t kLongestStem = 220;   // of a name, so that its end fits

}  // namespace

json::Object event_object(const ToldEvent& told) {
  const RolloutEvent& event = told.event;
  json::Object metadata{
      {"name", fmt::format("{}.{:016x}", told.rollout.name.substr(0, kLongestStem), told.unique)},
      {"namespace", told.rollout.namespace_}};
  if (!event.annotations.empty()) metadata["annotations"] = json::to_json(event.annotations);
  json::Object made{{"apiVersion", kEvents.kind.api_version()},
                    {"kind", kEvents.kind.kind},
                    {"metadata", std::move(metadata)},
                    {"eventTime", format_rfc3339_micro(told.time)},
                    {"type", event.is_warning ? "Warning" : "Normal"},
                    {"reason", event.reason},
                    {"action", event.action},
                    {"note", event.note.substr(0, kLongestNote)},
                    {"reportingController", kReportingController},
                    {"reportingInstance", kReportingController}};
  made["regarding"] = json::to_json(kube::ObjectReference{.kind = kRollouts.kind.kind,
                                                          .namespace_ = told.rollout.namespace_,
                                                          .name = told.rollout.name,
                                                          .uid = told.uid,
                                                          .api_version = kRollouts.kind.api_version()});
  if (!event.cluster.empty()) {
    made["related"] =
        json::to_json(kube::ObjectReference{.kind = kManagedClusters.kind.kind,
                                            .name = event.cluster,
                                            .api_version = kManagedClusters.kind.api_version()});
  }
  return made;
}

RolloutEvents::RolloutEvents(kube::Client& client, metrics::Registry& registry, IsBusy is_busy)
    : client_(client), registry_(registry), is_busy_(std::move(is_busy)) {}

void RolloutEvents::count(const char* outcome) {
  registry_
      .counter("fairway_rollout_events_total", "Events about rollouts, by what became of them.", {"outcome"})
      .with({outcome})
      .add();
}

void RolloutEvents::tell(const ClusterGroupUpgrade& about, RolloutEvent event) {
  if (queue_.size() >= kMostQueued) return count("overflow");
  const WallTime now = client_.clock().now();
  queue_.push_back({.rollout = {about.metadata.namespace_, about.metadata.name},
                    .uid = about.metadata.uid,
                    .event = std::move(event),
                    .time = now,
                    .unique = static_cast<std::uint64_t>(now.time_since_epoch().count()) + sequence_++});
  queued_.notify();
}

Task<void> RolloutEvents::run() {
  async::TaskGroup senders(co_await boost::asio::this_coro::executor);
  for (std::size_t i = 0; i < kSenders; ++i) senders.spawn("rollout events", work(i));
  auto ended = co_await senders.join();
  // Cancelled or not, the end of the tasks is waited for.
  co_await boost::asio::this_coro::reset_cancellation_state();
  co_await senders.stop();
  co_return ended;
}

bool RolloutEvents::needs(std::size_t sender) const {
  return queue_.size() > sender * (is_busy_() ? kQueuedForEachWhenBusy : kQueuedForEach);
}

Task<void> RolloutEvents::work(std::size_t sender) {
  TimerClock& clock = client_.clock();
  for (;;) {
    while (!needs(sender)) FAIRWAY_CO_CHECKED(co_await queued_.wait());
    const ToldEvent told = std::move(queue_.front());
    queue_.pop_front();
    const SteadyTime began = clock.steady();
    FAIRWAY_CO_CHECKED(co_await send(told));
    if (sender > 0) continue;
    if (is_busy_()) {
      const Duration rest = std::min<Duration>(kSenderRest * (clock.steady() - began), kLongestSenderRest);
      FAIRWAY_CO_CHECKED(co_await async::sleep_for(clock, rest));
    }
    queued_.notify();  // the others join when rollouts no longer wait
  }
}

Task<void> RolloutEvents::send(const ToldEvent& told) {
  const json::Object event = event_object(told);
  for (int tries = 1;; ++tries) {
    auto sent = co_await client_.create(kEvents.in(told.rollout.namespace_), event,
                                        {.answer = kube::Answer::Nothing});
    // Names are unique: one that exists is ours, from a try whose answer was lost.
    if (sent || sent.error().code == ErrorCode::AlreadyExists) {
      count("sent");
      co_return Result<void>{};
    }
    if (co_await async::is_cancelled()) co_return async::cancelled();
    if (retry_of(sent.error().code) != Retry::Backoff || tries == kMostTries) {
      count("refused");
      log::warning("an event was not accepted", {{"error", sent.error().describe()}});
      co_return Result<void>{};
    }
    FAIRWAY_CO_CHECKED(co_await async::sleep_for(client_.clock(), std::chrono::seconds(tries)));
  }
}

}  // namespace fairway::fleet
