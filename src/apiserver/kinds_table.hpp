// The rules of each built-in kind, one function a kind. Internal to kinds.
#pragma once

#include "apiserver/kinds.hpp"

namespace fairway::apiserver::kinds {

const KindRules& config_map_rules();
const KindRules& secret_rules();
const KindRules& service_account_rules();
const KindRules& namespace_rules();
const KindRules& node_rules();
const KindRules& event_rules();         // core
const KindRules& strict_event_rules();  // events.k8s.io, which shows the same objects
const KindRules& lease_rules();
const KindRules& service_rules();
const KindRules& pod_rules();
const KindRules& deployment_rules();
const KindRules& role_rules();
const KindRules& cluster_role_rules();
const KindRules& role_binding_rules();
const KindRules& cluster_role_binding_rules();
const KindRules& definition_rules();

}  // namespace fairway::apiserver::kinds
