// The roles and bindings that every logical cluster starts with.
//
// Names, labels and rules are those of Kubernetes for what this server has; to them come those of Fairway's
// own parts. Whoever starts a cluster creates what is missing and, where the annotation
// rbac.authorization.kubernetes.io/autoupdate is "true", adds rules and subjects that have gone missing.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "json/value.hpp"

namespace fairway::apiserver {

inline constexpr std::string_view kAgentsGroup = "fairway:agents";
inline constexpr std::string_view kAgentRole = "fairway:agent";         // in its own cluster
inline constexpr std::string_view kHubAgentRole = "fairway:hub-agent";  // in its namespace on the hub

// An agent's user: fairway:agent:edge-7.
std::string agent_user(std::string_view cluster);

std::vector<json::Object> bootstrap_rbac(bool is_hub);
// Lets the agent of a member into the namespace on the hub that is named like its cluster.
json::Object hub_agent_binding(std::string_view cluster);

}  // namespace fairway::apiserver
