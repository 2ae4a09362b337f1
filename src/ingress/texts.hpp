// What administrators read about a change that waits for them: word for word, with the commands to paste.
// Pure.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ingress/service.hpp"

namespace fairway::ingress {

// oc -n openshift-ingress delete svc/router-NAME
std::string delete_command(std::string_view controller);
// The patch always carries the type: the API refuses a strategy without it where the spec had none.
std::string revert_command(std::string_view controller, const json::Object& load_balancer);

// "The IngressController scope was changed from "External" to "Internal"."
std::string scope_changed(std::string_view have, std::string_view want);
// The scope that a message which begins so tells of a change to; nothing for any other message.
std::optional<Scope> told_scope_change(std::string_view message);
// With both commands, what the deletion costs, and what of the user's it would lose.
std::string scope_pending(std::string_view controller, const Difference& scope,
                          const std::vector<std::string>& edits);
// An item of LoadBalancerProgressing.
std::string pending_item(std::string_view controller, const Difference& difference);
// One bare, several as [a, b]; duplicates once.
std::string listed(std::vector<std::string> items);

}  // namespace fairway::ingress
