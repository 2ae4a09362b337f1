// Upgradeable: whether anything speaks against an update to another minor version. Pure.
//
// The condition is there only when something does, or when that cannot be told: overrides, administrators'
// acknowledgements that are still due (openshift-config-managed/admin-gates against
// openshift-config/admin-acks), and operators that say so.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "clusterversion/types.hpp"

namespace fairway::clusterversion {

// What a ClusterOperator says of itself, as far as updates are concerned.
struct OperatorStanding {
  std::string name;
  std::optional<kube::Condition> upgradeable = {};
  bool operator==(const OperatorStanding&) const = default;
};

using ConfigData = std::map<std::string, std::string>;

struct UpgradeFacts {
  std::optional<ConfigData> admin_gates = {};  // nothing: there is no such ConfigMap
  ConfigData admin_acks = {};
  std::vector<OperatorStanding> operators = {};
  bool operator==(const UpgradeFacts&) const = default;
};

std::optional<kube::Condition> upgradeable(const ClusterVersionSpec& spec, const Release& current,
                                           const UpgradeFacts& facts);

}  // namespace fairway::clusterversion
