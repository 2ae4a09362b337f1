// Nobody hands out rights that they do not have themselves.
//
// Whoever writes a role must hold all that its rules allow, or the verb `escalate` on it; whoever writes a
// binding must hold what the role allows, or the verb `bind` on the role. Members of system:masters may do
// both. Pure.
#pragma once

#include <optional>
#include <string>

#include "apiserver/api_error.hpp"
#include "apiserver/rbac.hpp"

namespace fairway::apiserver {

// Why the user cannot grant these rules in the namespace (empty: everywhere); nothing when it can.
std::optional<std::string> escalation_problem(const RbacState& state, const User& user, std::string_view ns,
                                              const PolicyRules& rules);

// For a write of a role or binding that is otherwise valid. `before` is null for a new object.
ApiResult<void> check_escalation(const RbacState& state, const User& user, const Resource& resource,
                                 const json::Object* before, const json::Object& object);

}  // namespace fairway::apiserver
