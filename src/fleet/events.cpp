#include "fleet/events.hpp"

#include <algorithm>
#include <fmt/format.h>

#include "base/text.hpp"

namespace fairway::fleet {
namespace {

constexpr std::string_view kPrefix = "cgu.openshift.io/";

void annotate(RolloutEvent& event, std::string_view key, std::string value) {
  event.annotations[fmt::format("{}{}", kPrefix, key)] = std::move(value);
}

void annotate_list(RolloutEvent& event, std::string_view key, const std::vector<std::string>& names) {
  std::string text = join(names, ",");
  if (text.size() > kLongestList) {
    const std::size_t cut = text.rfind(',', kLongestList);
    text.resize(cut == std::string::npos ? 0 : cut);
    annotate(event, "truncated", std::string(key));
  }
  annotate(event, key, std::move(text));
}

void annotate_totals(RolloutEvent& event, const ClusterGroupUpgradeStatus& status) {
  std::size_t clusters = 0;
  for (const Batch& each : status.remediation_plan) clusters += each.size();
  annotate(event, "total-batches-count", std::to_string(status.remediation_plan.size()));
  annotate(event, "total-clusters-count", std::to_string(clusters));
}

const Batch& current_batch(const ClusterGroupUpgradeStatus& status) {
  static const Batch kNone;
  const std::int64_t batch = status.status.current_batch;
  const auto count = static_cast<std::int64_t>(status.remediation_plan.size());
  return batch >= 1 && batch <= count ? status.remediation_plan[static_cast<std::size_t>(batch - 1)] : kNone;
}

RolloutEvent global_event(bool is_warning, std::string_view reason, std::string_view action,
                          std::string note) {
  RolloutEvent event{is_warning, std::string(reason), std::string(action), std::move(note)};
  annotate(event, "event-type", "global");
  return event;
}

RolloutEvent batch_event(bool is_warning, std::string_view reason, std::string_view action, std::string note,
                         const ClusterGroupUpgradeStatus& status) {
  RolloutEvent event{is_warning, std::string(reason), std::string(action), std::move(note)};
  annotate(event, "event-type", "batch");
  annotate_totals(event, status);
  return event;
}

RolloutEvent cluster_event(std::string_view reason, std::string_view action, std::string note,
                           std::string_view cluster) {
  RolloutEvent event{false, std::string(reason), std::string(action), std::move(note), std::string(cluster)};
  annotate(event, "event-type", "cluster");
  annotate(event, "cluster-name", std::string(cluster));
  return event;
}

}  // namespace

RolloutEvent created_event(std::string_view rollout) {
  return global_event(false, "CguCreated", "BuildingRemediationPlan",
                      fmt::format("New ClusterGroupUpgrade found: {}", rollout));
}

RolloutEvent started_event(std::string_view rollout, const ClusterGroupUpgradeStatus& status) {
  auto event = global_event(false, "CguStarted", "RemediationStarted",
                            fmt::format("ClusterGroupUpgrade {} started remediating policies", rollout));
  annotate_totals(event, status);
  return event;
}

RolloutEvent succeeded_event(std::string_view rollout, const ClusterGroupUpgradeStatus& status) {
  auto event = global_event(false, "CguSuccess", "RemediationCompleted",
                            fmt::format("ClusterGroupUpgrade {} succeeded remediating policies", rollout));
  annotate_totals(event, status);
  return event;
}

RolloutEvent timed_out_event(std::string_view rollout, const ClusterGroupUpgradeStatus& status) {
  auto event = global_event(true, "CguTimedout", "RemediationTimeout",
                            fmt::format("ClusterGroupUpgrade {} timed-out remediating policies", rollout));
  annotate_totals(event, status);
  return event;
}

RolloutEvent batch_started_event(std::string_view rollout, const ClusterGroupUpgradeStatus& status) {
  auto event = batch_event(false, "CguStarted", "RemediationInBatchStarted",
                           fmt::format("ClusterGroupUpgrade {}: batch index {} upgrade started", rollout,
                                       status.status.current_batch),
                           status);
  annotate_list(event, "batch-clusters", current_batch(status));
  annotate(event, "batch-clusters-count", std::to_string(current_batch(status).size()));
  return event;
}

RolloutEvent batch_completed_event(std::string_view rollout, const ClusterGroupUpgradeStatus& status) {
  auto event = batch_event(
      false, "CguSuccess", "RemediationInBatchCompleted",
      fmt::format("ClusterGroupUpgrade {}: all clusters in the batch index {} are compliant with managed "
                  "policies",
                  rollout, status.status.current_batch),
      status);
  annotate_list(event, "batch-clusters", current_batch(status));
  annotate(event, "batch-clusters-count", std::to_string(current_batch(status).size()));
  return event;
}

RolloutEvent batch_timed_out_event(std::string_view rollout, const ClusterGroupUpgradeStatus& status) {
  auto event = batch_event(
      true, "CguTimedout", "RemediationInBatchTimeout",
      fmt::format(
          "ClusterGroupUpgrade {}: some clusters in the batch index {} timed out remediating policies",
          rollout, status.status.current_batch),
      status);
  std::vector<std::string> late;
  for (const std::string& each : current_batch(status)) {
    const ClusterRow* row = find_row(status, each);
    if (row != nullptr && row->state == kTimedOut) late.push_back(each);
  }
  annotate_list(event, "timedout-clusters", late);
  annotate(event, "timedout-clusters-count", std::to_string(late.size()));
  return event;
}

RolloutEvent cluster_started_event(std::string_view rollout, std::string_view cluster) {
  return cluster_event("CguStarted", "RemediationInClusterStarted",
                       fmt::format("ClusterGroupUpgrade {}: cluster {} upgrade started", rollout, cluster),
                       cluster);
}

RolloutEvent cluster_completed_event(std::string_view rollout, std::string_view cluster) {
  return cluster_event(
      "CguSuccess", "RemediationInClusterCompleted",
      fmt::format("ClusterGroupUpgrade {}: cluster {} upgrade finished successfully", rollout, cluster),
      cluster);
}

RolloutEvent cluster_unbound_event(std::string_view rollout, std::string_view cluster) {
  auto event = cluster_event(
      "CguPolicyUnbound", "RemediationInClusterSkipped",
      fmt::format("ClusterGroupUpgrade {}: a policy is no longer bound to cluster {}, which counts as done",
                  rollout, cluster),
      cluster);
  event.is_warning = true;
  return event;
}

RolloutEvent cluster_skipped_event(std::string_view rollout, std::string_view cluster,
                                   std::string_view reason) {
  auto event = cluster_event(
      "CguClusterSkipped", "RemediationInClusterSkipped",
      fmt::format("ClusterGroupUpgrade {}: cluster {} is skipped: {}", rollout, cluster, reason), cluster);
  event.is_warning = true;
  return event;
}

RolloutEvent paused_event(std::string_view rollout, std::string_view cause) {
  return global_event(false, "CguPaused", "RemediationPaused",
                      fmt::format("ClusterGroupUpgrade {} is paused by {}", rollout, cause));
}

RolloutEvent failed_event(std::string_view rollout, const ClusterGroupUpgradeStatus& status) {
  auto event =
      global_event(true, "CguFailed", "RemediationStopped",
                   fmt::format("ClusterGroupUpgrade {} is stopped: too many clusters failed", rollout));
  annotate_totals(event, status);
  return event;
}

RolloutEvent validation_event(std::string_view rollout, std::string_view kind,
                              const std::vector<std::string>& culprits) {
  RolloutEvent event{
      true, "CguValidationFailure", "RemediationOnHoldDueToValidationFailure",
      fmt::format("ClusterGroupUpgrade {}: validation failure ({}): {}", rollout, kind, join(culprits, ","))};
  const std::string key = replace_all(kind, " ", "-");
  annotate_list(event, key, culprits);
  if (key == "missing-clusters") annotate(event, key + "-count", std::to_string(culprits.size()));
  return event;
}

}  // namespace fairway::fleet
