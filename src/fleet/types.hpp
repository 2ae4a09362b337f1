// ClusterGroupUpgrade of ran.openshift.io/v1alpha1, as described structs: which policies to enforce on which
// clusters in which order, and how far that is. Pure.
//
// Fields without a name here are kept in `unknown` and written back. Empty lists and zeros are left out, a
// policyIndex of 0 is not; `status.status` is always there. Times are whole seconds, as metav1.Time has them.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.hpp"
#include "fleet/controls.hpp"
#include "fleet/rollout_notes.hpp"
#include "json/codec.hpp"
#include "kube/core/conditions.hpp"
#include "kube/core/object.hpp"
#include "kube/core/resource_type.hpp"

namespace fairway::fleet {

inline constexpr std::string_view kFinalizer = "ran.openshift.io/cleanup-finalizer";
inline constexpr std::string_view kNameSuffix = "cluster-group-upgrades-operator/name-suffix";
inline constexpr std::string_view kCompletionMode = "ran.openshift.io/blocking-cgu-completion-mode";
inline constexpr std::string_view kClusterFiltering = "ran.openshift.io/blocking-cgu-cluster-filtering";
inline constexpr std::string_view kSoakSeconds = "ran.openshift.io/soak-seconds";
inline constexpr std::int64_t kDefaultTimeout = 240;  // minutes

inline constexpr std::string_view kClustersSelected = "ClustersSelected";
inline constexpr std::string_view kValidated = "Validated";
inline constexpr std::string_view kProgressing = "Progressing";
inline constexpr std::string_view kSucceeded = "Succeeded";

inline constexpr std::string_view kFailureThresholdExceeded = "FailureThresholdExceeded";  // a reason

inline constexpr std::string_view kComplete = "complete";  // rows of status.clusters
inline constexpr std::string_view kTimedOut = "timedout";
inline constexpr std::string_view kSkipped = "skipped";

struct RolloutReference {
  std::string name = {};
  std::string namespace_ = {};
  bool operator==(const RolloutReference&) const = default;
};
BOOST_DESCRIBE_STRUCT(RolloutReference, (), (name, namespace_))
constexpr auto json_fields(const RolloutReference*) {
  return std::array{json::Field{.member = "*", .omit_empty = true}};
}

struct RemediationStrategy {
  std::int64_t max_concurrency = 0;  // less than one: all clusters
  std::int64_t timeout = kDefaultTimeout;
  std::vector<std::string> canaries = {};
  json::Object unknown = {};
  bool operator==(const RemediationStrategy&) const = default;
};
BOOST_DESCRIBE_STRUCT(RemediationStrategy, (), (max_concurrency, timeout, canaries, unknown))

// What is done to a ManagedCluster, in this order: add, delete, remove.
struct ClusterActions {
  kube::Labels add_cluster_labels = {};
  kube::Labels delete_cluster_labels = {};  // only the keys count
  std::vector<std::string> remove_cluster_labels = {};
  kube::Labels add_cluster_annotations = {};
  std::vector<std::string> remove_cluster_annotations = {};
  std::optional<bool> delete_objects = {};  // of afterCompletion; true when absent
  json::Object unknown = {};
  bool operator==(const ClusterActions&) const = default;
};
BOOST_DESCRIBE_STRUCT(ClusterActions, (),
                      (add_cluster_labels, delete_cluster_labels, remove_cluster_labels,
                       add_cluster_annotations, remove_cluster_annotations, delete_objects, unknown))

struct Actions {
  std::optional<ClusterActions> before_enable = {};
  std::optional<ClusterActions> after_completion = {};
  json::Object unknown = {};
  bool operator==(const Actions&) const = default;
};
BOOST_DESCRIBE_STRUCT(Actions, (), (before_enable, after_completion, unknown))

struct ClusterGroupUpgradeSpec {
  std::optional<bool> enable = {};  // true when absent
  std::vector<std::string> clusters = {};
  std::vector<std::string> cluster_selector = {};
  std::vector<kube::LabelSelector> cluster_label_selectors = {};
  RemediationStrategy remediation_strategy = {};
  std::vector<std::string> managed_policies = {};  // "name" or "namespace/name", in the order of enforcement
  std::vector<std::string> manifest_work_templates = {};
  std::vector<RolloutReference> blocking_crs = {};
  std::optional<Actions> actions = {};
  std::string batch_timeout_action = {};
  bool backup = false;
  bool pre_caching = false;
  std::optional<RolloutControls> rollout_controls = {};
  json::Object unknown = {};
  bool operator==(const ClusterGroupUpgradeSpec&) const = default;
};
BOOST_DESCRIBE_STRUCT(ClusterGroupUpgradeSpec, (),
                      (enable, clusters, cluster_selector, cluster_label_selectors, remediation_strategy,
                       managed_policies, manifest_work_templates, blocking_crs, actions, batch_timeout_action,
                       backup, pre_caching, rollout_controls, unknown))
constexpr auto json_fields(const ClusterGroupUpgradeSpec*) {
  return std::array{json::Field{.member = "blocking_crs", .json = "blockingCRs"},
                    json::Field{.member = "batch_timeout_action", .omit_empty = true},
                    json::Field{.member = "backup", .omit_empty = true},
                    json::Field{.member = "pre_caching", .omit_empty = true}};
}

struct PolicyReference {
  std::string name;
  std::string namespace_ = {};
  bool operator==(const PolicyReference&) const = default;
};
BOOST_DESCRIBE_STRUCT(PolicyReference, (), (name, namespace_))

struct CurrentPolicy {
  std::string name;
  std::string status = {};
  bool operator==(const CurrentPolicy&) const = default;
};
BOOST_DESCRIBE_STRUCT(CurrentPolicy, (), (name, status))

struct CurrentManifestWork {
  std::string name;
  json::Object status = {};
  bool operator==(const CurrentManifestWork&) const = default;
};
BOOST_DESCRIBE_STRUCT(CurrentManifestWork, (), (name, status))

struct ClusterRow {
  std::string name;
  std::string state;
  std::optional<CurrentPolicy> current_policy = {};
  std::optional<CurrentManifestWork> current_manifest_work = {};
  std::string reason = {};  // why it was skipped
  json::Object unknown = {};
  bool operator==(const ClusterRow&) const = default;
};
BOOST_DESCRIBE_STRUCT(ClusterRow, (), (name, state, current_policy, current_manifest_work, reason, unknown))
constexpr auto json_fields(const ClusterRow*) {
  return std::array{json::Field{.member = "reason", .omit_empty = true}};
}

enum class ProgressState { NotStarted, InProgress, Completed };
BOOST_DESCRIBE_ENUM(ProgressState, NotStarted, InProgress, Completed)

struct ClusterProgress {
  ProgressState state = ProgressState::NotStarted;
  std::optional<std::int64_t> policy_index = {};
  std::optional<std::int64_t> manifest_work_index = {};
  std::optional<WallTime> first_compliant_at = {};
  json::Object unknown = {};
  bool operator==(const ClusterProgress&) const = default;
};
BOOST_DESCRIBE_STRUCT(ClusterProgress, (),
                      (state, policy_index, manifest_work_index, first_compliant_at, unknown))

struct RolloutProgress {
  std::optional<WallTime> started_at = {};
  std::optional<WallTime> completed_at = {};
  std::int64_t current_batch = 0;  // from 1
  std::optional<WallTime> current_batch_started_at = {};
  std::map<std::string, ClusterProgress> current_batch_remediation_progress = {};
  json::Object unknown = {};
  bool operator==(const RolloutProgress&) const = default;
};
BOOST_DESCRIBE_STRUCT(RolloutProgress, (),
                      (started_at, completed_at, current_batch, current_batch_started_at,
                       current_batch_remediation_progress, unknown))
constexpr auto json_fields(const RolloutProgress*) {
  return std::array{json::Field{.member = "current_batch", .omit_empty = true}};
}

// Of backup and pre-cache jobs: the state of each cluster.
struct JobStatus {
  std::optional<WallTime> started_at = {};
  std::map<std::string, std::string> status = {};
  json::Object unknown = {};
  bool operator==(const JobStatus&) const = default;
};
BOOST_DESCRIBE_STRUCT(JobStatus, (), (started_at, status, unknown))

using Batch = std::vector<std::string>;

struct ClusterGroupUpgradeStatus {
  std::int64_t computed_max_concurrency = 0;
  kube::Conditions conditions = {};  // their order is seen by users: the newest flip is last
  std::vector<Batch> remediation_plan = {};
  std::map<std::string, std::string> managed_policies_ns = {};
  std::vector<PolicyReference> managed_policies_for_upgrade = {};
  std::vector<std::string> managed_policies_compliant_before_upgrade = {};
  std::map<std::string, std::string> managed_policies_content = {};
  std::vector<std::string> placements = {};
  std::vector<std::string> placement_rules = {};
  std::vector<std::string> placement_bindings = {};
  std::map<std::string, std::string> safe_resource_names = {};
  std::vector<ClusterRow> clusters = {};
  std::optional<JobStatus> backup = {};
  std::optional<JobStatus> precaching = {};
  RolloutProgress status = {};
  RolloutNotes rollout = {};
  json::Object unknown = {};
  bool operator==(const ClusterGroupUpgradeStatus&) const = default;
};
BOOST_DESCRIBE_STRUCT(ClusterGroupUpgradeStatus, (),
                      (computed_max_concurrency, conditions, remediation_plan, managed_policies_ns,
                       managed_policies_for_upgrade, managed_policies_compliant_before_upgrade,
                       managed_policies_content, placements, placement_rules, placement_bindings,
                       safe_resource_names, clusters, backup, precaching, status, rollout, unknown))
constexpr auto json_fields(const ClusterGroupUpgradeStatus*) {
  return std::array{json::Field{.member = "computed_max_concurrency", .omit_empty = true},
                    json::Field{.member = "rollout", .omit_empty = true}};
}

struct ClusterGroupUpgrade {
  kube::ObjectMeta metadata = {};
  ClusterGroupUpgradeSpec spec = {};
  ClusterGroupUpgradeStatus status = {};
  json::Object unknown = {};
  bool operator==(const ClusterGroupUpgrade&) const = default;
};
BOOST_DESCRIBE_STRUCT(ClusterGroupUpgrade, (), (metadata, spec, status, unknown))
inline kube::ResourceType resource_type(const ClusterGroupUpgrade*) {
  return {.kind = {"ran.openshift.io", "v1alpha1", "ClusterGroupUpgrade"},
          .resource = "clustergroupupgrades"};
}

bool is_enabled(const ClusterGroupUpgrade& rollout);
// Those that it asks for, or those that change nothing.
const RolloutControls& controls_of(const ClusterGroupUpgradeSpec& spec);
bool deletes_objects(const ClusterGroupUpgrade& rollout);
const ClusterRow* find_row(const ClusterGroupUpgradeStatus& status, std::string_view cluster);
// One row a cluster: the one there is is rewritten in its place.
void put_row(ClusterGroupUpgradeStatus& status, ClusterRow row);

// A condition whose status flips moves to the end, any other is updated where it stands; the transition time
// moves with the status only.
void put_condition(kube::Conditions& conditions, std::string_view type, bool is_true, std::string_view reason,
                   std::string message, WallTime now);

// As the API keeps times.
WallTime whole_seconds(WallTime time);

}  // namespace fairway::fleet
