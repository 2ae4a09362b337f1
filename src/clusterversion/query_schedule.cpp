#include "clusterversion/query_schedule.hpp"

#include <algorithm>
#include <fmt/format.h>

#include "base/text.hpp"

namespace fairway::clusterversion {
namespace {

// A slot begins just after its pause: at the very end the pause still holds.
constexpr Duration kJustAfter = std::chrono::milliseconds(1);

}  // namespace

const QueryOutcome* QuerySchedule::find(std::string_view query) const {
  const auto found = entries_.find(query);
  return found == entries_.end() ? nullptr : &found->second.outcome;
}

std::optional<WallTime> QuerySchedule::asked_at(std::string_view query) const {
  const auto found = entries_.find(query);
  if (found == entries_.end()) return std::nullopt;
  return found->second.ended.wall;
}

bool QuerySchedule::is_first_round(SteadyTime now) const {
  if (!pacing_.fast_first_round) return false;
  return !first_begun_ || now - *first_begun_ <= pacing_.first_round_length;
}

SteadyTime QuerySchedule::due(std::string_view query) const {
  const auto found = entries_.find(query);
  if (found == entries_.end()) return SteadyTime::min();
  const Entry& entry = found->second;
  const bool was_judged = entry.outcome || entry.outcome.error().was_judged;
  return entry.ended.steady + (was_judged ? pacing_.same_query : pacing_.between);
}

std::optional<SteadyTime> QuerySchedule::pause_end(std::string_view query, SteadyTime now) const {
  if (!last_ended_) return std::nullopt;
  const bool is_fast = is_first_round(now) && first_round_.contains(query) && !entries_.contains(query);
  return last_ended_->steady + (is_fast ? pacing_.first_round_pause : pacing_.between);
}

std::optional<std::string> QuerySchedule::next(std::span<const std::string> wanted, SteadyTime now) const {
  if (under_way_) return std::nullopt;
  const std::string* best = nullptr;
  SteadyTime best_due = SteadyTime::max();
  for (const std::string& query : wanted) {
    const SteadyTime from = due(query);
    if (from > now || from >= best_due) continue;
    const auto pause = pause_end(query, now);
    if (pause && now <= *pause) continue;
    best = &query;
    best_due = from;
  }
  if (best == nullptr) return std::nullopt;
  return *best;
}

std::optional<SteadyTime> QuerySchedule::next_time(std::span<const std::string> wanted,
                                                   SteadyTime now) const {
  if (under_way_) return std::nullopt;
  std::optional<SteadyTime> earliest;
  for (const std::string& query : wanted) {
    SteadyTime when = std::max(due(query), now);
    const auto pause = pause_end(query, now);
    if (pause && when <= *pause) when = *pause + kJustAfter;
    if (!earliest || when < *earliest) earliest = when;
  }
  return earliest;
}

std::optional<WallTime> QuerySchedule::paused_until(std::string_view query, SteadyTime now) const {
  const auto pause = pause_end(query, now);
  if (!pause || now > *pause) return std::nullopt;
  // From the recorded time, so that the text does not change from look to look.
  return last_ended_->wall + (*pause - last_ended_->steady);
}

void QuerySchedule::begin(const std::string& query, std::span<const std::string> wanted, Moment now) {
  if (is_first_round(now.steady)) first_round_.insert(wanted.begin(), wanted.end());
  under_way_ = query;
  if (!first_begun_) first_begun_ = now.steady;
}

void QuerySchedule::record(const std::string& query, QueryOutcome outcome, Moment now) {
  entries_.insert_or_assign(query, Entry{std::move(outcome), now});
  last_ended_ = now;
  under_way_.reset();
}

void QuerySchedule::expire(SteadyTime now) {
  std::erase_if(entries_,
                [&](const auto& entry) { return now - entry.second.ended.steady > pacing_.expiry; });
}

bool QuerySchedule::is_overfull(std::size_t wanted) const {
  return pacing_.between * static_cast<Duration::rep>(wanted) > pacing_.expiry;
}

std::string throttled_until(WallTime until) {
  const std::string text = format_rfc3339(until);  // 2024-02-29T12:00:00Z
  return fmt::format("evaluation is throttled until {}", text.substr(text.find('T') + 1));
}

}  // namespace fairway::clusterversion
