// What a rollout does to a ManagedCluster itself, before it is enabled and after it is complete. Pure.
#pragma once

#include <optional>

#include "fleet/types.hpp"
#include "json/value.hpp"

namespace fairway::fleet {

// A merge patch: additions first, so that what is both added and removed is gone. Empty: nothing to do.
json::Object cluster_patch(const std::optional<ClusterActions>& actions);

}  // namespace fairway::fleet
