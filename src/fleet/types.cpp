#include "fleet/types.hpp"

#include <algorithm>

namespace fairway::fleet {

bool is_enabled(const ClusterGroupUpgrade& rollout) {
  return rollout.spec.enable.value_or(true);
}

const RolloutControls& controls_of(const ClusterGroupUpgradeSpec& spec) {
  static const RolloutControls kNone;
  return spec.rollout_controls ? *spec.rollout_controls : kNone;
}

bool deletes_objects(const ClusterGroupUpgrade& rollout) {
  const auto& actions = rollout.spec.actions;
  if (!actions || !actions->after_completion) return true;
  return actions->after_completion->delete_objects.value_or(true);
}

const ClusterRow* find_row(const ClusterGroupUpgradeStatus& status, std::string_view cluster) {
  const auto found = std::ranges::find(status.clusters, cluster, &ClusterRow::name);
  return found == status.clusters.end() ? nullptr : &*found;
}

void put_row(ClusterGroupUpgradeStatus& status, ClusterRow row) {
  const auto found = std::ranges::find(status.clusters, row.name, &ClusterRow::name);
  if (found == status.clusters.end()) {
    status.clusters.push_back(std::move(row));
  } else {
    *found = std::move(row);
  }
}

void put_condition(kube::Conditions& conditions, std::string_view type, bool is_true, std::string_view reason,
                   std::string message, WallTime now) {
  kube::Condition made{.type = std::string(type),
                       .status = std::string(is_true ? kube::kConditionTrue : kube::kConditionFalse),
                       .last_transition_time = whole_seconds(now),
                       .reason = std::string(reason),
                       .message = std::move(message)};
  const auto found = std::ranges::find(conditions, type, &kube::Condition::type);
  if (found == conditions.end()) {
    conditions.push_back(std::move(made));
  } else if (found->status == made.status) {
    found->reason = std::move(made.reason);
    found->message = std::move(made.message);
  } else {
    conditions.erase(found);
    conditions.push_back(std::move(made));
  }
}

WallTime whole_seconds(WallTime time) {
  return std::chrono::floor<std::chrono::seconds>(time);
}

}  // namespace fairway::fleet
