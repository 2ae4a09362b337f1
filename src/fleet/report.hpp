// RolloutReport: where a rollout stands, for people and for programs; and what it would do, before it does
// anything. Pure.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "fleet/observed.hpp"
#include "fleet/types.hpp"

namespace fairway::fleet {

struct BatchReport {
  std::int64_t number = 0;  // from 1
  bool canary = false;
  std::string state = {};  // Waiting, InProgress, Paused, Complete, TimedOut
  std::int64_t done = 0;   // clusters that need nothing any more
  std::vector<std::string> clusters = {};
  std::optional<WallTime> started_at = {};
  std::optional<WallTime> ends_at = {};  // when it has taken too long
  bool operator==(const BatchReport&) const = default;
};
BOOST_DESCRIBE_STRUCT(BatchReport, (), (number, canary, state, done, clusters, started_at, ends_at))

struct ClusterReport {
  std::string name = {};
  std::int64_t batch = 0;   // 0: it was compliant at the start
  std::string state = {};   // Waiting, InProgress, Soaking, Complete, TimedOut, Skipped
  std::string policy = {};  // or work, that it is at
  std::string reason = {};
  bool operator==(const ClusterReport&) const = default;
};
BOOST_DESCRIBE_STRUCT(ClusterReport, (), (name, batch, state, policy, reason))

struct RolloutReport {
  std::string name = {};
  std::string namespace_ = {};
  std::string phase = {};                  // Preparing, Rolling, Paused, Succeeded, Failed
  std::string reason = {};                 // of the condition that changed last
  std::string message = {};                // likewise
  std::vector<std::string> policies = {};  // or works
  std::optional<WallTime> started_at = {};
  std::optional<WallTime> completed_at = {};
  std::optional<WallTime> ends_at = {};
  std::int64_t next_approval = 0;  // the batch that waits for one; 0: none does
  std::vector<BatchReport> batches = {};
  std::vector<ClusterReport> clusters = {};
  bool operator==(const RolloutReport&) const = default;
};
BOOST_DESCRIBE_STRUCT(RolloutReport, (),
                      (name, namespace_, phase, reason, message, policies, started_at, completed_at, ends_at,
                       next_approval, batches, clusters))

RolloutReport report_of(const ClusterGroupUpgrade& rollout);
bool has_ended(const RolloutReport& report);
// With a bar for each batch; times are told as seen at `now`.
std::string to_text(const RolloutReport& report, WallTime now);

// Results of earlier runs, newest first; the present one before them.
json::Array history_of(const ClusterGroupUpgrade& rollout);
std::string history_text(const ClusterGroupUpgrade& rollout);

// What the rollout would do if it were created now and enabled.
struct RolloutPreview {
  std::string name = {};
  std::string problem = {};  // why it would do nothing; empty: it would
  std::string held = {};     // what it would wait for before its first batch
  std::int64_t max_concurrency = 0;
  std::int64_t canary_batches = 0;
  std::vector<Batch> batches = {};
  std::vector<std::string> compliant = {};  // clusters that need nothing
  std::vector<std::string> policies = {};   // that have to be enforced
  std::vector<std::string> compliant_policies = {};
  std::int64_t timeout_minutes = 0;
  bool operator==(const RolloutPreview&) const = default;
};
BOOST_DESCRIBE_STRUCT(RolloutPreview, (),
                      (name, problem, held, max_concurrency, canary_batches, batches, compliant, policies,
                       compliant_policies, timeout_minutes))
constexpr auto json_fields(const RolloutPreview*) {
  return std::array{json::Field{.member = "problem", .omit_empty = true},
                    json::Field{.member = "held", .omit_empty = true},
                    json::Field{.member = "batches", .keep_empty = true}};
}

// The rollout's own status and finalizers do not count.
RolloutPreview preview_of(Observed seen);
std::string to_text(const RolloutPreview& preview);

}  // namespace fairway::fleet
