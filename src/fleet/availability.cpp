#include "fleet/availability.hpp"

#include "kube/core/conditions.hpp"

namespace fairway::fleet {

std::optional<WallTime> unavailable_since(const json::Object& managed_cluster) {
  const kube::Conditions conditions = kube::conditions_of(managed_cluster);
  const kube::Condition* available = kube::find_condition(conditions, "ManagedClusterConditionAvailable");
  if (available == nullptr || available->status == kube::kConditionTrue) return std::nullopt;
  return available->last_transition_time;
}

}  // namespace fairway::fleet
