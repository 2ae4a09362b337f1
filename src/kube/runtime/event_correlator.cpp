#include "kube/runtime/event_correlator.hpp"

#include <algorithm>
#include <fmt/format.h>

#include "base/text.hpp"
#include "json/codec.hpp"

namespace fairway::kube {
namespace {

constexpr std::size_t kMaxMessage = 1024;  // the API refuses longer ones
constexpr std::string_view kCombined = "(combined from similar events): ";

std::string shortened(std::string text) {
  if (text.size() <= kMaxMessage) return text;
  std::size_t end = kMaxMessage - 3;
  // Not in the middle of a UTF-8 character.
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0U) == 0x80U) --end;
  text.resize(end);
  return text + "...";
}

std::string object_key(const ObjectReference& about) {
  return fmt::format("{}|{}|{}|{}|{}", about.api_version, about.kind, about.namespace_, about.name,
                     about.uid);
}

std::string namespace_for(const ObjectReference& about) {
  return about.namespace_.empty() ? "default" : about.namespace_;
}

template <class Map>
void keep_newest(Map& map, std::size_t most) {
  if (map.size() <= most) return;
  // Half of them at once, so that this does not happen for every event.
  std::vector<SteadyTime> times;
  times.reserve(map.size());
  for (const auto& [key, each] : map) times.push_back(each.last);
  const auto middle = times.begin() + static_cast<std::ptrdiff_t>(times.size() / 2);
  std::ranges::nth_element(times, middle);
  std::erase_if(map, [limit = *middle](const auto& each) { return each.second.last < limit; });
  // Of equal times any will do.
  while (map.size() > most) map.erase(map.begin());
}

}  // namespace

EventVerdict EventCorrelator::correlate(EventNote note, WallTime now, SteadyTime steady) {
  note.message = shortened(std::move(note.message));
  const std::string key = aggregate(note, steady);
  Seen& seen = seen_[key];
  const bool is_new = seen.count == 0;
  if (is_new) {
    const auto stamp = static_cast<std::uint64_t>(now.time_since_epoch().count()) + sequence_++;
    seen.event = {namespace_for(note.about), fmt::format("{}.{:x}", note.about.name, stamp)};
    seen.first = now;
  }
  ++seen.count;
  seen.last = steady;
  const Seen current = seen;
  bound_memory();
  if (is_noise(note, steady)) return EventDrop{};
  json::Object event = build(note, current, now);
  if (is_new) return EventCreate{std::move(event)};
  return EventUpdate{current.event, build_patch(note, current, now), std::move(event)};
}

std::string EventCorrelator::aggregate(EventNote& note, SteadyTime steady) {
  std::string general = fmt::format("{}|{}|{}", object_key(note.about), note.type, note.reason);
  Similar& similar = similar_[general];
  if (steady - similar.last > options_.similar_within) similar.messages.clear();
  similar.last = steady;
  similar.messages.insert(note.message);
  if (similar.messages.size() < options_.max_similar) return general + "|" + note.message;
  // One is forgotten, so that the set does not grow; it stays as large as it must be to be over the limit.
  similar.messages.erase(similar.messages.begin());
  note.message = shortened(std::string(kCombined) + note.message);
  return general;
}

bool EventCorrelator::is_noise(const EventNote& note, SteadyTime steady) {
  const auto bucket =
      buckets_.try_emplace(object_key(note.about), TokenBucket(options_.per_second, options_.burst)).first;
  return !bucket->second.try_take(steady);
}

void EventCorrelator::bound_memory() {
  keep_newest(seen_, options_.max_remembered);
  keep_newest(similar_, options_.max_remembered);
  if (buckets_.size() > options_.max_remembered) buckets_.erase(buckets_.begin());
}

json::Object EventCorrelator::build(const EventNote& note, const Seen& seen, WallTime now) const {
  const bool is_core = options_.api == EventApi::CoreV1;
  json::Object event;
  event["apiVersion"] = is_core ? "v1" : "events.k8s.io/v1";
  event["kind"] = "Event";
  event["metadata"] = json::Object{{"name", seen.event.name}, {"namespace", seen.event.namespace_}};
  event[is_core ? "involvedObject" : "regarding"] = json::to_json(note.about);
  event["reason"] = note.reason;
  event["type"] = note.type;
  event["action"] = note.action.empty() ? note.reason : note.action;
  event[is_core ? "reportingComponent" : "reportingController"] = options_.component;
  event["reportingInstance"] = options_.instance.empty() ? options_.component : options_.instance;
  if (!is_core) {
    event["note"] = note.message;
    event["eventTime"] = format_rfc3339_micro(seen.first);
    if (seen.count > 1)
      event["series"] = json::Object{{"count", seen.count}, {"lastObservedTime", format_rfc3339_micro(now)}};
    return event;
  }
  event["message"] = note.message;
  event["source"] = json::Object{{"component", options_.component}};
  event["firstTimestamp"] = format_rfc3339(seen.first);
  event["lastTimestamp"] = format_rfc3339(now);
  event["count"] = seen.count;
  return event;
}

json::Object EventCorrelator::build_patch(const EventNote& note, const Seen& seen, WallTime now) const {
  if (options_.api == EventApi::EventsV1) {
    return {{"note", note.message},
            {"series", json::Object{{"count", seen.count}, {"lastObservedTime", format_rfc3339_micro(now)}}}};
  }
  return {{"message", note.message}, {"count", seen.count}, {"lastTimestamp", format_rfc3339(now)}};
}

}  // namespace fairway::kube
