// QuerySchedule: which PromQL query is asked when, and what the last answers were. Pure: times are given.
//
// Monitoring is not to be burdened: there is a pause between any two queries and a longer one before the same
// query again, and a query that many risks share is asked once. Errors are kept like answers; only a failure
// in which nobody judged the query (the server was not reached, or would not let us in) is repeated after the
// short pause. In the first round after a start the queries that are wanted then follow one another quickly,
// so that nobody waits hours for the first verdict. One query is under way at a time. Nothing outlives the
// process.
#pragma once

#include <expected>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "base/clock.hpp"

namespace fairway::clusterversion {

struct QueryPacing {
  Duration between = std::chrono::minutes(10);  // any two queries
  Duration same_query = std::chrono::hours(1);  // before it is asked again
  Duration expiry = std::chrono::hours(24);     // of an answer that was not refreshed
  bool fast_first_round = true;
  Duration first_round_pause = std::chrono::seconds(1);
  Duration first_round_length = std::chrono::minutes(10);
};

struct QueryFailure {
  std::string why;
  bool was_judged = true;  // the query itself was refused or its result is of no use
  bool operator==(const QueryFailure&) const = default;
};
using QueryOutcome = std::expected<bool, QueryFailure>;  // whether the cluster matches

// Both clocks at one moment: pauses are measured on the steady one, people are told the other.
struct Moment {
  SteadyTime steady = {};
  WallTime wall = {};
};

class QuerySchedule {
 public:
  QuerySchedule() = default;
  explicit QuerySchedule(QueryPacing pacing) : pacing_(pacing) {}

  // The last answer; null before the first.
  const QueryOutcome* find(std::string_view query) const;
  // When it was given.
  std::optional<WallTime> asked_at(std::string_view query) const;

  // The query to ask now, of those that are wanted (most urgent first): the one that has waited longest.
  std::optional<std::string> next(std::span<const std::string> wanted, SteadyTime now) const;
  // When next() may give one, if time alone passes; nothing when none of the wanted will be due.
  std::optional<SteadyTime> next_time(std::span<const std::string> wanted, SteadyTime now) const;
  // Until when a query that has no answer waits; nothing when it may be asked now.
  std::optional<WallTime> paused_until(std::string_view query, SteadyTime now) const;

  // `wanted` as it was given to next(): in the first round, those belong to it.
  void begin(const std::string& query, std::span<const std::string> wanted, Moment now);
  void record(const std::string& query, QueryOutcome outcome, Moment now);
  bool is_busy() const { return under_way_.has_value(); }

  // Forgets what is too old.
  void expire(SteadyTime now);
  // More queries than the pauses allow to refresh before their answers expire.
  bool is_overfull(std::size_t wanted) const;

  const QueryPacing& pacing() const { return pacing_; }

 private:
  struct Entry {
    QueryOutcome outcome;
    Moment ended;
  };

  bool is_first_round(SteadyTime now) const;
  // From when on the query may be asked, looking at the query alone.
  SteadyTime due(std::string_view query) const;
  // Until when no query, or not this one, may be asked; nothing before the first.
  std::optional<SteadyTime> pause_end(std::string_view query, SteadyTime now) const;

  QueryPacing pacing_;
  std::map<std::string, Entry, std::less<>> entries_;
  std::optional<std::string> under_way_;
  std::optional<Moment> last_ended_;
  std::optional<SteadyTime> first_begun_;
  std::set<std::string, std::less<>> first_round_;  // the queries of it
};

// `evaluation is throttled until 15:04:05Z`
std::string throttled_until(WallTime until);

}  // namespace fairway::clusterversion
