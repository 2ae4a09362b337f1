// Preconditions: what speaks against an update, as far as the object itself tells. Pure.
//
// All are asked, in a fixed order, so that an administrator sees every objection at once. Those that block
// stop the update unless it is forced; the others only go into the record of accepted risks. The running
// release has no preconditions: the caller does not ask for it.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "clusterversion/types.hpp"

namespace fairway::clusterversion {

inline constexpr std::string_view kRollback = "ClusterVersionRollback";
inline constexpr std::string_view kGiantHop = "ClusterVersionGiantHop";
inline constexpr std::string_view kUpgradeable = "ClusterVersionUpgradeable";
inline constexpr std::string_view kRecommendedUpdate = "ClusterVersionRecommendedUpdate";

struct Objection {
  std::string name;  // of the precondition
  std::string reason;
  std::string message;
  bool is_blocking = true;
  bool operator==(const Objection&) const = default;
};
using Objections = std::vector<Objection>;

// `target` is the release as its payload names it.
Objections check_preconditions(const ClusterVersionSpec& spec, const ClusterVersionStatus& status,
                               const Release& target);

bool is_blocked(std::span<const Objection> objections, bool force);
// All of them in one text; empty when there are none. Says so when it was forced through a blocking one.
std::string describe(std::span<const Objection> objections, bool force);

// The conditional update with the target's version; null when there is none.
const ConditionalUpdate* find_conditional(const ClusterVersionStatus& status, const Release& target);

}  // namespace fairway::clusterversion
