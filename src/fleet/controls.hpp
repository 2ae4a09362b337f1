// spec.rolloutControls: pauses, windows, approvals, thresholds and other finer control over a rollout. All of
// it is optional; without it nothing is different. Pure.
//
// What is asked for in a way that cannot be understood holds the rollout, and never means "go on". Numbers
// may be percentages of the selected clusters: rounded up, and at least one.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.hpp"
#include "base/time_windows.hpp"
#include "json/codec.hpp"

namespace fairway::fleet {

inline constexpr std::string_view kPausedAnnotation = "rollout/paused";  // any value but "false"
// Numbers of batches, separated by commas, that somebody agrees to.
inline constexpr std::string_view kApprovedAnnotation = "rollout/approved-batches";
// So many failures were looked at; only further ones count towards the threshold.
inline constexpr std::string_view kAcknowledgedAnnotation = "rollout/acknowledged-failures";
// Any value but "false": the policies of `rollback` are rolled out over the clusters that were touched.
inline constexpr std::string_view kRollbackAnnotation = "rollout/rollback";

// Drain: the batch that is open is finished. Freeze: nobody is enforced any more, from now on.
enum class HoldMode { Drain, Freeze };
BOOST_DESCRIBE_ENUM(HoldMode, Drain, Freeze)

struct MaintenanceWindow {
  std::vector<std::string> days = {};  // every day when empty
  std::string start = {};
  Duration duration = {};
  std::string time_zone = "UTC";
  bool operator==(const MaintenanceWindow&) const = default;
};
BOOST_DESCRIBE_STRUCT(MaintenanceWindow, (), (days, start, duration, time_zone))

enum class ApprovalMode { None, PerBatch, AfterCanary };
BOOST_DESCRIBE_ENUM(ApprovalMode, None, PerBatch, AfterCanary)
struct ApprovalControl {
  ApprovalMode mode = ApprovalMode::None;
  bool operator==(const ApprovalControl&) const = default;
};
BOOST_DESCRIBE_STRUCT(ApprovalControl, (), (mode))

enum class ThresholdScope { Total, Batch };
BOOST_DESCRIBE_ENUM(ThresholdScope, Total, Batch)
enum class ThresholdAction { Pause, Abort };
BOOST_DESCRIBE_ENUM(ThresholdAction, Pause, Abort)
// Reached by either number.
struct FailureThreshold {
  std::optional<std::int64_t> count = {};
  std::optional<std::int64_t> percent = {};
  ThresholdScope scope = ThresholdScope::Total;
  ThresholdAction action = ThresholdAction::Pause;
  bool operator==(const FailureThreshold&) const = default;
};
BOOST_DESCRIBE_STRUCT(FailureThreshold, (), (count, percent, scope, action))

enum class OfflinePolicy { Wait, Skip, Defer };
BOOST_DESCRIBE_ENUM(OfflinePolicy, Wait, Skip, Defer)
struct OfflineControl {
  OfflinePolicy policy = OfflinePolicy::Wait;
  Duration unavailable_for = std::chrono::minutes(5);
  bool operator==(const OfflineControl&) const = default;
};
BOOST_DESCRIBE_STRUCT(OfflineControl, (), (policy, unavailable_for))

struct SoakControl {
  std::optional<Duration> between_batches = {};
  bool operator==(const SoakControl&) const = default;
};
BOOST_DESCRIBE_STRUCT(SoakControl, (), (between_batches))

// Of clusters that took longer than clusterTimeout.
struct RetryControl {
  std::int64_t per_cluster = 0;
  Duration backoff = std::chrono::minutes(10);
  bool operator==(const RetryControl&) const = default;
};
BOOST_DESCRIBE_STRUCT(RetryControl, (), (per_cluster, backoff))

enum class RollbackOn { Manual, Abort };
BOOST_DESCRIBE_ENUM(RollbackOn, Manual, Abort)
struct RollbackControl {
  std::vector<std::string> managed_policies = {};
  RollbackOn on = RollbackOn::Manual;
  bool operator==(const RollbackControl&) const = default;
};
BOOST_DESCRIBE_STRUCT(RollbackControl, (), (managed_policies, on))

// At most so many clusters of a batch have the same value of the label.
struct TopologyControl {
  std::string spread_by = {};
  std::int64_t max_per_value = 1;
  bool operator==(const TopologyControl&) const = default;
};
BOOST_DESCRIBE_STRUCT(TopologyControl, (), (spread_by, max_per_value))

enum class RerunScope { Failed, All };
BOOST_DESCRIBE_ENUM(RerunScope, Failed, All)

struct RolloutControls {
  bool paused = false;
  HoldMode pause_mode = HoldMode::Drain;
  json::Value max_concurrency = {};  // these three: 5, "5" or "10%"
  json::Value max_unavailable = {};
  std::vector<json::Value> batch_sizes = {};  // the last one repeats
  std::optional<WallTime> start_after = {};
  std::vector<MaintenanceWindow> windows = {};  // none: always open
  HoldMode window_end = HoldMode::Drain;
  ApprovalControl approvals = {};
  std::optional<FailureThreshold> failure_threshold = {};
  OfflineControl offline = {};
  bool rolling = false;
  std::optional<std::int64_t> cluster_timeout = {};  // minutes
  SoakControl soak = {};
  RetryControl retry = {};
  std::int64_t rerun = 0;
  RerunScope rerun_scope = RerunScope::Failed;
  std::optional<RollbackControl> rollback = {};
  std::optional<TopologyControl> topology = {};
  json::Object unknown = {};
  bool operator==(const RolloutControls&) const = default;
};
BOOST_DESCRIBE_STRUCT(RolloutControls, (),
                      (paused, pause_mode, max_concurrency, max_unavailable, batch_sizes, start_after,
                       windows, window_end, approvals, failure_threshold, offline, rolling, cluster_timeout,
                       soak, retry, rerun, rerun_scope, rollback, topology, unknown))

// Of `total` clusters; nothing when the value is neither a number of at least 1 nor a percentage.
std::optional<std::int64_t> amount_of(const json::Value& value, std::size_t total);

// What is wrong with them, with the field's name; empty: nothing.
std::string problem_of(const RolloutControls& controls);
// Of controls without a problem; nothing when there are no windows.
std::optional<TimeWindows> windows_of(const RolloutControls& controls);

}  // namespace fairway::fleet
