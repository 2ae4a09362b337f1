// status.rollout: what this controller keeps beside the fields that readers of other programs know.
//
// Time that a rollout stands still counts towards no limit: `pausedSince` is set while it does, and what it
// has stood is added up when it goes on.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.hpp"
#include "json/codec.hpp"

namespace fairway::fleet {

struct Approval {
  std::int64_t batch = 0;
  std::optional<WallTime> approved_at = {};
  std::string approved_by = {};
  bool operator==(const Approval&) const = default;
};
BOOST_DESCRIBE_STRUCT(Approval, (), (batch, approved_at, approved_by))

struct WindowState {
  bool open = false;
  std::optional<WallTime> next_open = {};
  bool operator==(const WindowState&) const = default;
};
BOOST_DESCRIBE_STRUCT(WindowState, (), (open, next_open))

struct RolloutNotes {
  std::optional<WallTime> enabled_at = {};  // while something still holds the rollout back
  std::int64_t canary_batches = 0;          // so many at the front of the plan
  // With spec.rolloutControls only:
  std::string phase = {};
  std::optional<WallTime> paused_since = {};
  std::int64_t active_seconds = 0;      // that counted, when it last stood still or ended
  std::int64_t held_seconds = 0;        // that it has stood still, up to now
  std::int64_t batch_held_seconds = 0;  // of these, since the batch was opened
  std::vector<Approval> approvals = {};
  std::optional<WindowState> window = {};
  std::map<std::string, std::int64_t> counts = {};  // clusters by state
  std::optional<WallTime> batch_ended_at = {};      // while it soaks before the next
  std::int64_t deferred_batches = 0;                // so many at the end of the plan
  std::int64_t refills = 0;                         // how often a batch took in further clusters
  std::map<std::string, WallTime> cluster_started_at = {};
  std::map<std::string, std::int64_t> retries = {};
  std::map<std::string, WallTime> retry_at = {};
  std::string rollback = {};                     // the rollout that takes this one back
  std::int64_t run = 0;                          // the last one that was asked for by `rerun`
  std::vector<std::string> rerun_clusters = {};  // that this run is about; empty: all
  std::vector<json::Object> history = {};        // of earlier runs, newest first
  json::Object unknown = {};
  bool operator==(const RolloutNotes&) const = default;
};
BOOST_DESCRIBE_STRUCT(RolloutNotes, (),
                      (enabled_at, canary_batches, phase, paused_since, active_seconds, held_seconds,
                       batch_held_seconds, approvals, window, counts, batch_ended_at, deferred_batches,
                       refills, cluster_started_at, retries, retry_at, rollback, run, rerun_clusters, history,
                       unknown))
constexpr auto json_fields(const RolloutNotes*) {
  return std::array{json::Field{.member = "*", .omit_empty = true}};
}
constexpr auto json_fields(const Approval*) {
  return std::array{json::Field{.member = "approved_by", .omit_empty = true}};
}

}  // namespace fairway::fleet
