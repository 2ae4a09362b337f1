#include "fleet/aftermath.hpp"

#include <algorithm>
#include <ranges>
#include <set>

#include "base/text.hpp"
#include "fleet/holds.hpp"

namespace fairway::fleet {
namespace {

constexpr std::size_t kLongestHistory = 5;

json::Object result_of(const ClusterGroupUpgradeStatus& status) {
  json::Object result;
  result["run"] = status.rollout.run;
  if (const auto* ended = kube::find_condition(status.conditions, kSucceeded)) {
    result["succeeded"] = ended->status == kube::kConditionTrue;
    result["reason"] = ended->reason;
    result["message"] = ended->message;
  }
  if (status.status.started_at) result["startedAt"] = format_rfc3339(*status.status.started_at);
  if (status.status.completed_at) result["completedAt"] = format_rfc3339(*status.status.completed_at);
  result["counts"] = json::to_json(status.rollout.counts);
  return result;
}

// Planned, and not on record as complete.
std::vector<std::string> unfinished_clusters(const ClusterGroupUpgradeStatus& status) {
  std::set<std::string_view> complete;
  for (const ClusterRow& each : status.clusters) {
    if (each.state == kComplete) complete.insert(each.name);
  }
  std::vector<std::string> left;
  for (const Batch& batch : status.remediation_plan) {
    std::ranges::copy_if(batch, std::back_inserter(left),
                         [&](const std::string& each) { return !complete.contains(each); });
  }
  return left;
}

bool asks_for_rollback(const ClusterGroupUpgrade& rollout) {
  const auto& rollback = controls_of(rollout.spec).rollback;
  if (!rollback || rollback->managed_policies.empty()) return false;
  if (has_annotation(rollout, kRollbackAnnotation)) return true;
  return rollback->on == RollbackOn::Abort && kube::is_condition_false(rollout.status.conditions, kSucceeded);
}

}  // namespace

std::optional<ClusterGroupUpgradeStatus> next_run(const ClusterGroupUpgrade& rollout) {
  const RolloutControls& controls = controls_of(rollout.spec);
  const ClusterGroupUpgradeStatus& before = rollout.status;
  if (controls.rerun <= before.rollout.run) return std::nullopt;
  ClusterGroupUpgradeStatus next{.unknown = before.unknown};
  next.rollout.run = controls.rerun;
  next.rollout.history = before.rollout.history;
  next.rollout.history.insert(next.rollout.history.begin(), result_of(before));
  if (next.rollout.history.size() > kLongestHistory) next.rollout.history.resize(kLongestHistory);
  // Placements that were kept carry the numbers of the run before.
  next.rollout.refills =
      before.rollout.refills + static_cast<std::int64_t>(before.remediation_plan.size()) + 1;
  if (controls.rerun_scope == RerunScope::All) return next;
  next.rollout.rerun_clusters = unfinished_clusters(before);
  std::ranges::copy_if(before.clusters, std::back_inserter(next.clusters),
                       [](const ClusterRow& each) { return each.state == kComplete; });
  return next;
}

std::vector<std::string> touched_clusters(const ClusterGroupUpgradeStatus& status) {
  std::set<std::string_view> touched;
  for (const ClusterRow& each : status.clusters) {
    if (each.state != kSkipped) touched.insert(each.name);
  }
  std::vector<std::string> all;
  for (const Batch& batch : status.remediation_plan | std::views::reverse) {
    std::ranges::copy_if(batch, std::back_inserter(all),
                         [&](const std::string& each) { return touched.contains(each); });
  }
  return all;
}

std::optional<ClusterGroupUpgrade> rollback_of(const ClusterGroupUpgrade& rollout) {
  if (!asks_for_rollback(rollout) || !rollout.status.rollout.rollback.empty()) return std::nullopt;
  std::vector<std::string> touched = touched_clusters(rollout.status);
  if (touched.empty()) return std::nullopt;
  ClusterGroupUpgrade made;
  made.metadata.name = rollout.metadata.name + "-rollback";
  made.metadata.namespace_ = rollout.metadata.namespace_;
  made.metadata.owner_references.push_back({.api_version = "ran.openshift.io/v1alpha1",
                                            .kind = "ClusterGroupUpgrade",
                                            .name = rollout.metadata.name,
                                            .uid = rollout.metadata.uid});
  made.spec.clusters = std::move(touched);
  made.spec.managed_policies = controls_of(rollout.spec).rollback->managed_policies;
  made.spec.remediation_strategy = {.max_concurrency = rollout.status.computed_max_concurrency,
                                    .timeout = rollout.spec.remediation_strategy.timeout};
  return made;
}

}  // namespace fairway::fleet
