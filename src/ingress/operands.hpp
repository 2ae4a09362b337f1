// What a controller runs besides its published Service: namespace, router, internal Services, DNS record.
// Pure.
//
// Each is made as a whole when it is missing; of what exists only the fields that follow the controller are
// changed, and only where the object carries the controller's label.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "ingress/observed.hpp"
#include "json/value.hpp"
#include "kube/core/resource_type.hpp"

namespace fairway::ingress {

// The types of what is written, by kind; "" has none.
const kube::ResourceType& operand_type(std::string_view kind);

bool is_owned(const json::Object& object, std::string_view controller);

json::Object default_controller(const ClusterConfig& config);
json::Object operand_namespace();
json::Object router_config(const IngressController& controller, const PublishingStrategy& strategy,
                           const Platform& platform);
json::Object router_deployment(const IngressController& controller, const PublishingStrategy& strategy,
                               const ClusterConfig& config, const Settings& settings);
json::Object internal_service(const IngressController& controller, const kube::OwnerReference& owner);
json::Object node_port_service(const IngressController& controller, const kube::OwnerReference& owner);
// Nothing without an address or a zone.
std::optional<json::Object> wildcard_record(const Observed& seen, const PublishingStrategy& strategy,
                                            const std::string& address);

// The merge patch that makes `have` follow `want` in what follows the controller; empty when it does.
json::Object operand_patch(const json::Object& have, const json::Object& want);

// The selector of a controller's router pods.
std::string router_selector(std::string_view controller);

}  // namespace fairway::ingress
