// EventCorrelator: decides whether an event is new, one more of the same, one of too many similar ones, or
// noise. Pure.
//
// The rules are client-go's: equal events become one with a count; more than ten different messages for the
// same object and reason within ten minutes become one "(combined from similar events)"; one object may cause
// 25 events at once and then one in five minutes. What it remembers is bounded.
#pragma once

#include <cstdint>
#include <list>
#include <map>
#include <set>
#include <string>
#include <variant>

#include "base/clock.hpp"
#include "json/value.hpp"
#include "kube/client/backoff.hpp"
#include "kube/core/object.hpp"

namespace fairway::kube {

// What a controller wants to tell about an object.
struct EventNote {
  ObjectReference about;
  std::string type = "Normal";  // or "Warning"
  std::string reason;           // CamelCase
  std::string message;
  std::string action = {};  // what was done or failed; the reason when empty
};

enum class EventApi {
  CoreV1,    // v1 Event with count and lastTimestamp: what every kubectl shows
  EventsV1,  // events.k8s.io/v1 with series
};

struct EventOptions {
  std::string component;      // who tells
  std::string instance = {};  // which copy of it
  EventApi api = EventApi::CoreV1;
  std::size_t max_similar = 10;
  Duration similar_within = std::chrono::minutes(10);
  double burst = 25;
  double per_second = 1.0 / 300;
  std::size_t max_remembered = 4096;
};

struct EventCreate {
  json::Object event;
};
struct EventUpdate {
  ObjectKey key;
  json::Object patch;  // a merge patch
  json::Object event;  // to be created if the one to patch is gone
};
struct EventDrop {};
using EventVerdict = std::variant<EventCreate, EventUpdate, EventDrop>;

class EventCorrelator {
 public:
  explicit EventCorrelator(EventOptions options) : options_(std::move(options)) {}

  EventVerdict correlate(EventNote note, WallTime now, SteadyTime steady);

 private:
  struct Seen {
    ObjectKey event;
    std::int64_t count = 0;
    WallTime first;
    SteadyTime last;
  };
  struct Similar {
    std::set<std::string> messages;
    SteadyTime last;
  };

  // The key under which it counts; the message is changed when it is one of many.
  std::string aggregate(EventNote& note, SteadyTime steady);
  bool is_noise(const EventNote& note, SteadyTime steady);
  json::Object build(const EventNote& note, const Seen& seen, WallTime now) const;
  json::Object build_patch(const EventNote& note, const Seen& seen, WallTime now) const;
  void bound_memory();

  EventOptions options_;
  std::map<std::string, Seen> seen_;
  std::map<std::string, Similar> similar_;
  std::map<std::string, TokenBucket> buckets_;
  std::uint64_t sequence_ = 0;
};

}  // namespace fairway::kube
