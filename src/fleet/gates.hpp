// Backup and pre-cache: jobs on every cluster that a rollout waits for before its first batch. Pure.
//
// Who runs the jobs writes their states into the status; here it is judged when the wait is over and which
// clusters are out. A job without an end is ended by the limit. When all have failed nothing is left to roll
// out, and that is an end too, not a wait.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "fleet/types.hpp"

namespace fairway::fleet {

struct GateWords {
  std::string_view condition;  // spelt as the API spells it
  std::string_view completed;  // the reason
  std::string_view subject;    // Backup, Precaching
  std::string_view timed_out;  // the state of a job that took too long
};
inline constexpr GateWords kBackupGate = {"BackupSuceeded", "BackupCompleted", "Backup", "BackupTimeout"};
inline constexpr GateWords kPrecachingGate = {"PrecachingSuceeded", "PrecachingCompleted", "Precaching",
                                              "PrecacheTimeout"};
inline constexpr Duration kJobLimit = std::chrono::seconds(480 + 720);

struct GateVerdict {
  JobStatus jobs = {};  // begun where it was not, ended where it took too long
  bool is_open = false;
  bool is_true = false;  // the condition
  std::string reason = {};
  std::string message = {};
  std::vector<std::string> failed = {};  // in the order of `clusters`
  std::optional<WallTime> ends_at = {};  // of the wait, at the latest
};
GateVerdict judge_gate(const GateWords& words, const std::optional<JobStatus>& jobs,
                       const std::vector<std::string>& clusters, WallTime now);

}  // namespace fairway::fleet
