// Requests that the hub's controllers have in common: guarded writes whose failure says what to do next.
#pragma once

#include <string>

#include "async/task.hpp"
#include "fleet/roll_up.hpp"
#include "json/value.hpp"
#include "kube/client/client.hpp"
#include "kube/core/resource_type.hpp"
#include "kube/runtime/plan_executor.hpp"

namespace fairway::fleet {

// The world is not as it was seen: look again, rather than wait for what will not happen.
Error seen_otherwise(Error error);

// Who writes, for the managers of fields.
inline constexpr std::string_view kFleetManager = "fairway-fleet";

// A merge patch of what was seen in this version.
Task<void> patch_seen(kube::Client& client, kube::Resource place, std::string version, json::Object patch);
Task<json::Object> create_object(kube::Client& client, const kube::ResourceType& type, json::Object object,
                                 kube::Answer answer = kube::Answer::Nothing);
// What a root policy says of its clusters.
Task<void> write_status(kube::Client& client, WritePolicyStatus action);
// Of this UID; one that is gone is as good.
Task<void> remove_seen(kube::Client& client, kube::Resource place, std::string uid);

// Steps of the hub are many: what was done is for those who look closely; failures are told by the
// controller.
void log_quietly(const kube::StepReport& step);

// Whether the server has the kind.
Task<bool> has_kind(kube::Client& client, const kube::ResourceType& type);
// An error that says what is missing for what.
Task<void> require_kind(kube::Client& client, const kube::ResourceType& type, std::string controller);

}  // namespace fairway::fleet
