#include "fleet/phase.hpp"

#include <algorithm>

namespace fairway::fleet {
namespace {

bool is_over(const ClusterGroupUpgradeStatus& status, const Batch& batch) {
  return std::ranges::all_of(batch, [&](const std::string& cluster) {
    const auto& progress = status.status.current_batch_remediation_progress;
    const auto found = progress.find(cluster);
    if (found != progress.end() && found->second.state == ProgressState::Completed) return true;
    const ClusterRow* row = find_row(status, cluster);
    return row != nullptr && (row->state == kTimedOut || row->state == kSkipped);
  });
}

phase::Rolling rolling(const ClusterGroupUpgradeStatus& status) {
  const std::size_t count = status.remediation_plan.size();
  const auto asked = static_cast<std::size_t>(std::max<std::int64_t>(status.status.current_batch, 1));
  phase::Rolling made{.batch = std::min(asked, count)};
  made.is_open = status.status.current_batch >= 1 && status.status.current_batch_started_at.has_value();
  made.is_canary = static_cast<std::int64_t>(made.batch) <= status.rollout.canary_batches;
  made.is_last = made.batch == count;
  made.is_over = made.is_open && is_over(status, status.remediation_plan[made.batch - 1]);
  return made;
}

struct Name {
  std::string_view operator()(const phase::Gone&) const { return "gone"; }
  std::string_view operator()(const phase::Deleting&) const { return "deleting"; }
  std::string_view operator()(const phase::Unclaimed&) const { return "unclaimed"; }
  std::string_view operator()(const phase::Preparing&) const { return "preparing"; }
  std::string_view operator()(const phase::Rolling&) const { return "rolling"; }
  std::string_view operator()(const phase::Finished&) const { return "finished"; }
};

}  // namespace

Phase phase_of(const ClusterGroupUpgrade* rollout) {
  if (rollout == nullptr) return phase::Gone{};
  const kube::ObjectMeta& metadata = rollout->metadata;
  const bool is_claimed = std::ranges::find(metadata.finalizers, kFinalizer) != metadata.finalizers.end();
  if (metadata.deletion_timestamp) return is_claimed ? Phase(phase::Deleting{}) : Phase(phase::Gone{});
  if (!is_claimed) return phase::Unclaimed{};
  const ClusterGroupUpgradeStatus& status = rollout->status;
  if (kube::find_condition(status.conditions, kSucceeded) != nullptr)
    return phase::Finished{.has_succeeded = kube::is_condition_true(status.conditions, kSucceeded),
                           .is_closed = status.status.completed_at.has_value()};
  // Without a plan, somebody has emptied the status: it is prepared anew.
  if (kube::is_condition_true(status.conditions, kProgressing) && !status.remediation_plan.empty())
    return rolling(status);
  return phase::Preparing{};
}

std::string_view to_string(const Phase& phase) {
  return std::visit(Name{}, phase);
}

}  // namespace fairway::fleet
