// RuleAnswer: what a targeted rule's query last said, and how long that counts.
//
// A rule is asked for all clusters at once, so its answer has one time. Each kind of verdict has a lifetime
// of its own, counted from there; an id that the answer lacks is unknown as of that time and needs no memory.
// A query that failed blocks everyone until it is asked again. Pure and immutable; published with one
// pointer.
#pragma once

#include <optional>
#include <string>

#include "base/clock.hpp"
#include "updateservice/id_set.hpp"

namespace fairway::updateservice {

struct Lifetimes {
  Duration allowed = std::chrono::hours(1);
  Duration blocked = std::chrono::hours(24);
  Duration unknown = std::chrono::minutes(30);
  Duration failure = std::chrono::seconds(30);      // before a failed query is asked again
  Duration least_pause = std::chrono::seconds(10);  // between two queries of one rule, whatever clients send
};

struct RuleAnswer {
  SteadyTime asked = {};
  std::optional<std::string> failure = {};
  IdSet ids = {};
};

struct Judgement {
  bool allows = false;      // to be used now
  bool is_expired = false;  // worth asking the query again, and waiting for it
};

// `answer` is null before the first query.
Judgement judge(const RuleAnswer* answer, const IdKey& id, const Lifetimes& lifetimes, SteadyTime now);

// Whether the query may be asked now; another client's question may have come first.
bool may_ask(const RuleAnswer* answer, const Lifetimes& lifetimes, SteadyTime now);

}  // namespace fairway::updateservice
