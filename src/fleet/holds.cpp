#include "fleet/holds.hpp"

#include <algorithm>
#include <fmt/format.h>

#include "base/text.hpp"

namespace fairway::fleet {
namespace {

std::string_view annotation_of(const ClusterGroupUpgrade& rollout, std::string_view annotation) {
  const auto found = rollout.metadata.annotations.find(std::string(annotation));
  return found == rollout.metadata.annotations.end() ? std::string_view() : std::string_view(found->second);
}

bool is_approved_by_annotation(const ClusterGroupUpgrade& rollout, std::size_t batch) {
  return std::ranges::any_of(split(annotation_of(rollout, kApprovedAnnotation), ','),
                             [&](std::string_view each) { return parse_unsigned(trim(each)) == batch; });
}

std::optional<Hold> hold_by_time(const RolloutControls& controls, bool has_started, WallTime now) {
  if (!has_started && controls.start_after && now < *controls.start_after)
    return Hold{fmt::format("startAfter, {}", format_rfc3339(*controls.start_after)), HoldMode::Drain,
                controls.start_after};
  const auto windows = windows_of(controls);
  if (!windows || windows->is_open(now)) return std::nullopt;
  const WallTime opens = windows->opens(now);
  return Hold{fmt::format("maintenance windows, the next opens at {}", format_rfc3339(opens)),
              controls.window_end, opens};
}

std::map<std::string, std::int64_t> counts_of(const ClusterGroupUpgradeStatus& status) {
  std::map<std::string, std::int64_t> counts;
  std::int64_t planned = 0;
  for (const Batch& each : status.remediation_plan) planned += static_cast<std::int64_t>(each.size());
  for (const ClusterRow& each : status.clusters) ++counts[each.state];
  for (const auto& [name, at] : status.status.current_batch_remediation_progress) {
    const ClusterRow* row = find_row(status, name);
    if (at.state == ProgressState::InProgress && (row == nullptr || row->state == kComplete))
      ++counts["inProgress"];
  }
  if (planned > 0) counts["planned"] = planned;
  return counts;
}

}  // namespace

bool has_annotation(const ClusterGroupUpgrade& rollout, std::string_view annotation) {
  const auto found = rollout.metadata.annotations.find(std::string(annotation));
  return found != rollout.metadata.annotations.end() && found->second != "false";
}

bool needs_approval(const ClusterGroupUpgrade& rollout, const ClusterGroupUpgradeStatus& status,
                    std::size_t batch) {
  const auto canaries = static_cast<std::size_t>(std::max<std::int64_t>(status.rollout.canary_batches, 0));
  switch (controls_of(rollout.spec).approvals.mode) {
    case ApprovalMode::None:
      return false;
    case ApprovalMode::PerBatch:
      return true;
    case ApprovalMode::AfterCanary:
      return canaries > 0 && batch == canaries + 1;
  }
  return true;
}

std::string phase_word(const ClusterGroupUpgradeStatus& status) {
  if (const auto* succeeded = kube::find_condition(status.conditions, kSucceeded))
    return succeeded->status == kube::kConditionTrue ? "Succeeded" : "Failed";
  const auto* progressing = kube::find_condition(status.conditions, kProgressing);
  if (progressing != nullptr && progressing->reason == "Paused") return "Paused";
  return kube::is_condition_true(status.conditions, kProgressing) ? "Rolling" : "Preparing";
}

bool is_approved(const ClusterGroupUpgrade& rollout, const ClusterGroupUpgradeStatus& status,
                 std::size_t batch) {
  return is_approved_by_annotation(rollout, batch) ||
         std::ranges::any_of(status.rollout.approvals, [&](const Approval& each) {
           return each.batch == static_cast<std::int64_t>(batch);
         });
}

void record_approval(const ClusterGroupUpgrade& rollout, ClusterGroupUpgradeStatus& status, std::size_t batch,
                     WallTime now) {
  auto& approvals = status.rollout.approvals;
  const auto number = static_cast<std::int64_t>(batch);
  const bool is_on_record = std::ranges::find(approvals, number, &Approval::batch) != approvals.end();
  if (is_on_record || !is_approved_by_annotation(rollout, batch)) return;
  approvals.push_back({number, whole_seconds(now), fmt::format("annotation {}", kApprovedAnnotation)});
}

std::optional<Hold> hold_of(const ClusterGroupUpgrade& rollout, const ClusterGroupUpgradeStatus& status,
                            std::optional<std::size_t> next_batch, WallTime now) {
  const RolloutControls& controls = controls_of(rollout.spec);
  if (controls.paused) return Hold{"spec.rolloutControls.paused", controls.pause_mode};
  if (has_annotation(rollout, kPausedAnnotation))
    return Hold{fmt::format("annotation {}", kPausedAnnotation), controls.pause_mode};
  if (!rollout.spec.rollout_controls) return std::nullopt;
  if (std::string problem = problem_of(controls); !problem.empty())
    return Hold{fmt::format("invalid rolloutControls: {}", problem)};
  const Failures failures = failures_of(rollout, status);
  if (failures.are_too_many && controls.failure_threshold->action == ThresholdAction::Pause)
    return Hold{fmt::format("failureThreshold, {} of {} clusters failed", failures.failed, failures.of),
                controls.pause_mode};
  if (auto hold = hold_by_time(controls, status.status.started_at.has_value(), now)) return hold;
  if (next_batch && needs_approval(rollout, status, *next_batch) &&
      !is_approved(rollout, status, *next_batch))
    return Hold{fmt::format("approvals, batch {} waits for one", *next_batch)};
  return std::nullopt;
}

Failures failures_of(const ClusterGroupUpgrade& rollout, const ClusterGroupUpgradeStatus& status) {
  const auto& threshold = controls_of(rollout.spec).failure_threshold;
  if (!threshold) return {};
  Failures made;
  const std::size_t batch = static_cast<std::size_t>(std::max<std::int64_t>(status.status.current_batch, 1));
  for (std::size_t i = 0; i < status.remediation_plan.size(); ++i) {
    if (threshold->scope == ThresholdScope::Batch && i + 1 != batch) continue;
    for (const std::string& each : status.remediation_plan[i]) {
      ++made.of;
      const ClusterRow* row = find_row(status, each);
      if (row != nullptr && row->state == kTimedOut) ++made.failed;
    }
  }
  const auto acknowledged = parse_unsigned(annotation_of(rollout, kAcknowledgedAnnotation)).value_or(0);
  made.failed -= static_cast<std::int64_t>(
      std::min<std::uint64_t>(acknowledged, static_cast<std::uint64_t>(made.failed)));
  if (made.failed == 0) return made;
  made.are_too_many = (threshold->count && made.failed >= *threshold->count) ||
                      (threshold->percent && made.failed * 100 >= *threshold->percent * made.of);
  return made;
}

std::int64_t active_seconds(const ClusterGroupUpgradeStatus& status, WallTime now) {
  if (!status.status.started_at) return 0;
  const WallTime until = status.rollout.paused_since.value_or(whole_seconds(now));
  const auto passed = std::chrono::duration_cast<std::chrono::seconds>(until - *status.status.started_at);
  return std::max<std::int64_t>(passed.count() - status.rollout.held_seconds, 0);
}

void stand_still(ClusterGroupUpgradeStatus& status, WallTime now) {
  RolloutNotes& notes = status.rollout;
  if (notes.paused_since) return;
  notes.paused_since = whole_seconds(now);
  notes.active_seconds = active_seconds(status, now);
}

void go_on(ClusterGroupUpgradeStatus& status, WallTime now) {
  RolloutNotes& notes = status.rollout;
  if (!notes.paused_since) return;
  const auto stood =
      std::max(std::chrono::duration_cast<std::chrono::seconds>(whole_seconds(now) - *notes.paused_since),
               std::chrono::seconds(0));
  notes.held_seconds += stood.count();
  notes.batch_held_seconds += stood.count();
  for (auto& [cluster, at] : notes.cluster_started_at) at += stood;
  for (auto& [cluster, at] : notes.retry_at) at += stood;
  notes.paused_since.reset();
}

void sum_up(const ClusterGroupUpgrade& rollout, ClusterGroupUpgradeStatus& status, WallTime now) {
  RolloutNotes& notes = status.rollout;
  if (!rollout.spec.rollout_controls) {
    notes.phase.clear();
    notes.counts.clear();
    notes.window.reset();
    return;
  }
  notes.phase = phase_word(status);
  notes.counts = counts_of(status);
  notes.window.reset();
  if (notes.phase == "Succeeded" || notes.phase == "Failed") return;
  if (const auto windows = windows_of(controls_of(rollout.spec))) {
    notes.window = WindowState{.open = windows->is_open(now)};
    if (!notes.window->open) notes.window->next_open = windows->opens(now);
  }
}

}  // namespace fairway::fleet
