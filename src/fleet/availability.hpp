// Which managed clusters can be reached, and since when they cannot. Pure.
//
// Shared by all observations; remade when it changes. What nobody has said is not held against a cluster: it
// is then waited for, as without this.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "base/clock.hpp"
#include "json/value.hpp"

namespace fairway::fleet {

// Clusters that are known to be unavailable, with the time since when.
using UnavailableClusters = std::map<std::string, WallTime, std::less<>>;

// By the cluster's condition ManagedClusterConditionAvailable; nothing while it is available or unknown to
// have ever been judged.
std::optional<WallTime> unavailable_since(const json::Object& managed_cluster);

}  // namespace fairway::fleet
