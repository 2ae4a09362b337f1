#include "fleet/hub/rollout_events.hpp"

#include <fmt/format.h>

#include "async/task_group.hpp"
#include "base/log.hpp"
#include "base/text.hpp"
#include "fleet/hub/kinds.hpp"

namespace fairway::fleet {
namespace {

const kube::ResourceType kEvents{.kind = {"events.k8s.io", "v1", "Event"}, .resource = "events"};
constexpr std::size_t kMostQueued = 50'000;
constexpr std::size_t kSenders = 4;
// One sender tells of what happens; each further one joins when so many more wait. Telling must not hold up
// the doing.
constexpr std::size_t kQueuedForEach = 10'000;
constexpr int kMostTries = 5;
constexpr std::size_t kLongestNote = 1024;  // the API refuses longer ones
constexpr std::size_t kLongestStem = 220;   // of a name, so that its end fits

}  // namespace

json::Object event_object(const ClusterGroupUpgrade& about, const RolloutEvent& event, WallTime now,
                          std::uint64_t unique) {
  json::Object metadata{
      {"name", fmt::format("{}.{:016x}", about.metadata.name.substr(0, kLongestStem), unique)},
      {"namespace", about.metadata.namespace_}};
  if (!event.annotations.empty()) metadata["annotations"] = json::to_json(event.annotations);
  json::Object made{{"apiVersion", kEvents.kind.api_version()},
                    {"kind", kEvents.kind.kind},
                    {"metadata", std::move(metadata)},
                    {"eventTime", format_rfc3339_micro(now)},
                    {"type", event.is_warning ? "Warning" : "Normal"},
                    {"reason", event.reason},
                    {"action", event.action},
                    {"note", event.note.substr(0, kLongestNote)},
                    {"reportingController", kReportingController},
                    {"reportingInstance", kReportingController}};
  made["regarding"] = json::to_json(kube::ObjectReference{.kind = kRollouts.kind.kind,
                                                          .namespace_ = about.metadata.namespace_,
                                                          .name = about.metadata.name,
                                                          .uid = about.metadata.uid,
                                                          .api_version = kRollouts.kind.api_version()});
  if (!event.cluster.empty()) {
    made["related"] =
        json::to_json(kube::ObjectReference{.kind = kManagedClusters.kind.kind,
                                            .name = event.cluster,
                                            .api_version = kManagedClusters.kind.api_version()});
  }
  return made;
}

RolloutEvents::RolloutEvents(kube::Client& client, metrics::Registry& registry)
    : client_(client), registry_(registry) {}

void RolloutEvents::count(const char* outcome) {
  registry_
      .counter("fairway_rollout_events_total", "Events about rollouts, by what became of them.", {"outcome"})
      .with({outcome})
      .add();
}

void RolloutEvents::tell(const ClusterGroupUpgrade& about, const RolloutEvent& event) {
  if (queue_.size() >= kMostQueued) return count("overflow");
  const WallTime now = client_.clock().now();
  const auto unique = static_cast<std::uint64_t>(now.time_since_epoch().count()) + sequence_++;
  queue_.push_back(event_object(about, event, now, unique));
  queued_.notify();
}

Task<void> RolloutEvents::run() {
  async::TaskGroup senders(co_await boost::asio::this_coro::executor);
  for (std::size_t i = 0; i < kSenders; ++i) senders.spawn("rollout events", work(i * kQueuedForEach));
  auto ended = co_await senders.join();
  // Cancelled or not, the end of the tasks is waited for.
  co_await boost::asio::this_coro::reset_cancellation_state();
  co_await senders.stop();
  co_return ended;
}

Task<void> RolloutEvents::work(std::size_t threshold) {
  for (;;) {
    while (queue_.size() <= threshold) FAIRWAY_CO_CHECKED(co_await queued_.wait());
    json::Object event = std::move(queue_.front());
    queue_.pop_front();
    FAIRWAY_CO_CHECKED(co_await send(std::move(event)));
  }
}

Task<void> RolloutEvents::send(json::Object event) {
  const std::string ns(kube::namespace_of(event));
  for (int tries = 1;; ++tries) {
    auto sent = co_await client_.create(kEvents.in(ns), event, {.answer = kube::Answer::Nothing});
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
