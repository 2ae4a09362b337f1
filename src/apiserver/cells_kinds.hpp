// The cells of single kinds. Internal to the cells files; find_cell() has the table of their names.
#pragma once

#include "apiserver/cells.hpp"

namespace fairway::apiserver::cells {

json::Value pod_ready(const CellInput& input);
json::Value pod_status(const CellInput& input);
json::Value pod_restarts(const CellInput& input);
json::Value pod_ip(const CellInput& input);
json::Value pod_readiness_gates(const CellInput& input);

json::Value service_external_ip(const CellInput& input);
json::Value service_ports(const CellInput& input);
json::Value deployment_ready(const CellInput& input);
json::Value container_names(const CellInput& input);
json::Value container_images(const CellInput& input);

json::Value node_status(const CellInput& input);
json::Value node_roles(const CellInput& input);
json::Value node_internal_ip(const CellInput& input);
json::Value node_external_ip(const CellInput& input);

json::Value event_last_seen(const CellInput& input);
json::Value event_first_seen(const CellInput& input);
json::Value event_object(const CellInput& input);
json::Value event_source(const CellInput& input);
json::Value event_message(const CellInput& input);
json::Value event_count(const CellInput& input);

json::Value binding_role(const CellInput& input);
json::Value binding_users(const CellInput& input);
json::Value binding_groups(const CellInput& input);
json::Value binding_accounts(const CellInput& input);

}  // namespace fairway::apiserver::cells
