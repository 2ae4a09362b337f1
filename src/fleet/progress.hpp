// One cluster on its way along the policies of a rollout. Pure.
//
// The index never goes back. A cluster that a policy is not about passes it; one whose compliance cannot be
// told stays. A soak is never shorter than asked for: its start is rounded up to what the API can keep.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "fleet/policies.hpp"
#include "fleet/types.hpp"

namespace fairway::fleet {

// The policies for the upgrade, in order; null where one is gone, and nobody complies with that.
using PolicyPath = std::vector<const PolicyView*>;
PolicyPath path_of(const ClusterGroupUpgradeStatus& status, const Policies& policies);

bool needs_work(std::span<const PolicyView* const> path, std::string_view cluster);

struct Step {
  std::int64_t index = 0;  // as many as there are policies: it is through
  std::optional<WallTime> first_compliant_at = {};
  std::optional<WallTime> soaked_at = {};  // the first moment after the soak it is in
  bool has_lost_binding = false;           // it waited for a policy that is no longer about it
};
// Without `soak`, compliance is enough.
Step advance(std::span<const PolicyView* const> path, std::string_view cluster, std::int64_t from,
             std::optional<WallTime> first_compliant_at, WallTime now, bool soak = true);

}  // namespace fairway::fleet
