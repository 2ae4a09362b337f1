#include "apiserver/kinds.hpp"

#include <algorithm>
#include <array>

#include "apiserver/crd_resource_rules.hpp"
#include "apiserver/kinds_support.hpp"
#include "apiserver/kinds_table.hpp"

namespace fairway::apiserver {
namespace kinds {
namespace {

FieldErrors prepare_definition_create(Object& object, const KindContext&) {
  prepare_crd_create(object);
  return {};
}

FieldErrors prepare_definition_update(const Object& before, Object& object, const KindContext&) {
  prepare_crd_update(before, object);
  return {};
}

}  // namespace

const KindRules& definition_rules() {
  static const KindRules kRules{.name_problems = subdomain_name,
                                .needs_resource_version = true,
                                .counts_generations = true,
                                .default_fields = default_crd,
                                .prepare_create = prepare_definition_create,
                                .prepare_update = prepare_definition_update,
                                .validate = validate_crd,
                                .validate_update = validate_crd_update,
                                .is_update_validated_whole = true};
  return kRules;
}

}  // namespace kinds

namespace {

struct Entry {
  std::string_view group;
  std::string_view kind;
  const KindRules& (*rules)();
};

constexpr std::array<Entry, 16> kBuiltin{{
    {"", "ConfigMap", kinds::config_map_rules},
    {"", "Event", kinds::event_rules},
    {"", "Namespace", kinds::namespace_rules},
    {"", "Node", kinds::node_rules},
    {"", "Pod", kinds::pod_rules},
    {"", "Secret", kinds::secret_rules},
    {"", "Service", kinds::service_rules},
    {"", "ServiceAccount", kinds::service_account_rules},
    {"apiextensions.k8s.io", "CustomResourceDefinition", kinds::definition_rules},
    {"apps", "Deployment", kinds::deployment_rules},
    {"coordination.k8s.io", "Lease", kinds::lease_rules},
    {"events.k8s.io", "Event", kinds::strict_event_rules},
    {"rbac.authorization.k8s.io", "ClusterRole", kinds::cluster_role_rules},
    {"rbac.authorization.k8s.io", "ClusterRoleBinding", kinds::cluster_role_binding_rules},
    {"rbac.authorization.k8s.io", "Role", kinds::role_rules},
    {"rbac.authorization.k8s.io", "RoleBinding", kinds::role_binding_rules},
}};

}  // namespace

const KindRules& rules_of(const Resource& resource) {
  static const KindRules kCustom{
      .name_problems = kinds::subdomain_name, .needs_resource_version = true, .counts_generations = true};
  static const KindRules kPlain{.name_problems = kinds::subdomain_name};
  if (resource.is_custom) return kCustom;
  const auto found = std::ranges::find_if(kBuiltin, [&](const Entry& entry) {
    return entry.group == resource.group && entry.kind == resource.kind;
  });
  return found == kBuiltin.end() ? kPlain : found->rules();
}

}  // namespace fairway::apiserver
