#include "fleet/progress.hpp"

#include <algorithm>

#include "fleet/timeouts.hpp"

namespace fairway::fleet {
namespace {

Compliance compliance_on(const PolicyView* policy, std::string_view cluster) {
  return policy == nullptr ? Compliance::Unknown : policy->compliance_on(cluster);
}

}  // namespace

PolicyPath path_of(const ClusterGroupUpgradeStatus& status, const Policies& policies) {
  PolicyPath path;
  for (const PolicyReference& each : status.managed_policies_for_upgrade)
    path.push_back(find_policy(policies, each.namespace_, each.name));
  return path;
}

bool needs_work(std::span<const PolicyView* const> path, std::string_view cluster) {
  return std::ranges::any_of(path,
                             [&](const PolicyView* each) { return !is_done(compliance_on(each, cluster)); });
}

Step advance(std::span<const PolicyView* const> path, std::string_view cluster, std::int64_t from,
             std::optional<WallTime> first_compliant_at, WallTime now, bool soak) {
  Step step{.index = std::max<std::int64_t>(from, 0)};
  for (; step.index < static_cast<std::int64_t>(path.size()); ++step.index) {
    const PolicyView* policy = path[static_cast<std::size_t>(step.index)];
    const Compliance compliance = compliance_on(policy, cluster);
    if (!is_done(compliance)) return step;
    if (compliance == Compliance::NotMatched) {
      step.has_lost_binding |= step.index == from;
      continue;
    }
    const auto soak_time = soak && policy->root ? policy->root->soak : std::nullopt;
    if (!soak_time) continue;
    // Only the policy that it was at when it was last seen can have begun to soak.
    const auto begun = step.index == from ? first_compliant_at : std::nullopt;
    const WallTime first = begun.value_or(std::chrono::ceil<std::chrono::seconds>(now));
    if (begun && now - first > *soak_time) continue;
    step.first_compliant_at = first;
    step.soaked_at = just_after(first, *soak_time);
    return step;
  }
  return step;
}

}  // namespace fairway::fleet
