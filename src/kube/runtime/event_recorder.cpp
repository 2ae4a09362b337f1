#include "kube/runtime/event_recorder.hpp"

#include "base/log.hpp"

namespace fairway::kube {

EventRecorder::EventRecorder(Client& client, EventRecorderOptions options)
    : client_(client), options_(std::move(options)), correlator_(options_.events) {}

void EventRecorder::count(std::string outcome) {
  if (options_.metrics == nullptr) return;
  options_.metrics
      ->counter("fairway_events_total", "Events for users, by what became of them.", {"component", "outcome"})
      .with({options_.events.component, std::move(outcome)})
      .add();
}

void EventRecorder::record(EventNote note) {
  if (queue_.size() >= options_.max_queued) return count("overflow");
  auto verdict = correlator_.correlate(std::move(note), client_.clock().now(), client_.clock().steady());
  if (std::holds_alternative<EventDrop>(verdict)) return count("rate_limited");
  queue_.push_back(std::move(verdict));
  queued_.notify();
}

void EventRecorder::normal(const json::Object& about, std::string reason, std::string message) {
  record({.about = reference_to(about), .reason = std::move(reason), .message = std::move(message)});
}

void EventRecorder::warning(const json::Object& about, std::string reason, std::string message) {
  record({.about = reference_to(about),
          .type = "Warning",
          .reason = std::move(reason),
          .message = std::move(message)});
}

Task<void> EventRecorder::run() {
  for (;;) {
    while (queue_.empty()) FAIRWAY_CO_CHECKED(co_await queued_.wait());
    EventVerdict verdict = std::move(queue_.front());
    queue_.pop_front();
    FAIRWAY_CO_CHECKED(co_await send(std::move(verdict)));
  }
}

Task<void> EventRecorder::send(EventVerdict verdict) {
  for (int failures = 1;; ++failures) {
    auto sent = co_await try_once(verdict);
    if (sent) {
      count("sent");
      co_return sent;
    }
    if (co_await async::is_cancelled()) co_return async::cancelled();
    if (retry_of(sent.error().code) != Retry::Backoff || failures > options_.max_retries) {
      count("refused");
      log::warning("an event was not accepted", {{"error", sent.error().describe()}});
      co_return Result<void>{};
    }
    FAIRWAY_CO_CHECKED(co_await async::sleep_for(client_.clock(), options_.backoff.pause(failures, random_)));
  }
}

Resource EventRecorder::place_of(const ObjectKey& key) const {
  const bool is_core = options_.events.api == EventApi::CoreV1;
  return {{is_core ? "" : "events.k8s.io", "v1", "events"}, key.namespace_, key.name};
}

Task<void> EventRecorder::try_once(EventVerdict verdict) {
  json::Object event;
  if (auto* update = std::get_if<EventUpdate>(&verdict)) {
    auto patched = co_await client_.patch(place_of(update->key), PatchKind::Merge, update->patch);
    if (patched) co_return Result<void>{};
    // Events live for an hour; one that is gone is told anew.
    if (patched.error().code != ErrorCode::NotFound) co_return std::unexpected(std::move(patched.error()));
    event = std::move(update->event);
  } else {
    event = std::get<EventCreate>(std::move(verdict)).event;
  }
  const std::string ns(namespace_of(event));
  auto created = co_await client_.create(place_of({ns, ""}), std::move(event));
  // Names are unique: one that exists is ours, from a try whose answer was lost.
  if (created || created.error().code == ErrorCode::AlreadyExists) co_return Result<void>{};
  co_return std::unexpected(std::move(created.error()));
}

}  // namespace fairway::kube
