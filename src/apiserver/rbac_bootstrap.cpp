#include "apiserver/rbac_bootstrap.hpp"

#include <initializer_list>

#include "apiserver/identity.hpp"
#include "apiserver/rbac.hpp"
#include "base/text.hpp"

namespace fairway::apiserver {
namespace {

using json::Array;
using json::Object;

constexpr std::string_view kRead = "get list watch";
constexpr std::string_view kWrite = "create delete deletecollection patch update";
constexpr std::string_view kReadWrite = "create delete deletecollection get list patch update watch";
constexpr std::string_view kAutoUpdate = "rbac.authorization.kubernetes.io/autoupdate";
constexpr std::string_view kAggregatePrefix = "rbac.authorization.k8s.io/aggregate-to-";

// Words are separated by blanks; the core group is written "core".
struct RuleText {
  std::string_view verbs;
  std::string_view groups = {};
  std::string_view resources = {};
  std::string_view urls = {};
};

std::vector<std::string> words(std::string_view text) {
  std::vector<std::string> result;
  for (const std::string_view word : split_words(text)) result.emplace_back(word == "core" ? "" : word);
  return result;
}

Object object_of(std::string_view kind, std::string_view name) {
  return {{"apiVersion", "rbac.authorization.k8s.io/v1"},
          {"kind", kind},
          {"metadata", Object{{"name", name},
                              {"labels", Object{{"kubernetes.io/bootstrapping", "rbac-defaults"}}},
                              {"annotations", Object{{kAutoUpdate, "true"}}}}}};
}

// `part_of`: the aggregated role that gathers this one.
Object cluster_role(std::string_view name, std::initializer_list<RuleText> rules,
                    std::string_view part_of = {}) {
  Object role = object_of("ClusterRole", name);
  if (!part_of.empty()) {
    json::ensure_object(role, {"metadata", "labels"})[std::string(kAggregatePrefix) + std::string(part_of)] =
        "true";
  }
  Array array;
  for (const RuleText& rule : rules) {
    const PolicyRule parsed{.verbs = words(rule.verbs),
                            .api_groups = words(rule.groups),
                            .resources = words(rule.resources),
                            .non_resource_urls = words(rule.urls)};
    array.push_back(parsed.to_json());
  }
  role["rules"] = std::move(array);
  return role;
}

Object aggregated_role(std::string_view name, std::string_view part_of = {}) {
  Object role = cluster_role(name, {}, part_of);
  const std::string label = std::string(kAggregatePrefix) + std::string(name);
  role["aggregationRule"] =
      Object{{"clusterRoleSelectors", Array{Object{{"matchLabels", Object{{label, "true"}}}}}}};
  return role;
}

Object group_binding(std::string_view name, std::string_view role,
                     std::initializer_list<std::string_view> groups) {
  Object binding = object_of("ClusterRoleBinding", name);
  binding["roleRef"] = Object{{"apiGroup", kRbacGroup}, {"kind", "ClusterRole"}, {"name", role}};
  Array subjects;
  for (const std::string_view group : groups) {
    subjects.push_back(Object{{"apiGroup", kRbacGroup}, {"kind", "Group"}, {"name", group}});
  }
  binding["subjects"] = std::move(subjects);
  return binding;
}

std::vector<Object> system_roles() {
  return {
      cluster_role("cluster-admin", {{"*", "*", "*"}, {.verbs = "*", .urls = "*"}}),
      cluster_role("system:discovery",
                   {{.verbs = "get",
                     .urls = "/api /api/* /apis /apis/* /healthz /livez /openapi /openapi/* "
                             "/readyz /version /version/"}}),
      cluster_role("system:public-info-viewer",
                   {{.verbs = "get", .urls = "/healthz /livez /readyz /version /version/"}}),
      cluster_role("system:basic-user",
                   {{"create", "authorization.k8s.io", "selfsubjectaccessreviews selfsubjectrulesreviews"},
                    {"create", "authentication.k8s.io", "selfsubjectreviews"}}),
      cluster_role("system:auth-delegator", {{"create", "authorization.k8s.io", "subjectaccessreviews"}}),
      cluster_role("system:monitoring",
                   {{.verbs = "get",
                     .urls = "/healthz /healthz/* /livez /livez/* /metrics /metrics/* /readyz /readyz/*"}}),
  };
}

std::vector<Object> user_roles() {
  return {
      aggregated_role("admin"),
      aggregated_role("edit", "admin"),
      aggregated_role("view", "edit"),
      cluster_role("system:aggregate-to-admin",
                   {{"create", "authorization.k8s.io", "localsubjectaccessreviews"},
                    {kReadWrite, "rbac.authorization.k8s.io", "rolebindings roles"}},
                   "admin"),
      cluster_role("system:aggregate-to-edit",
                   {{kRead, "core", "secrets"},
                    {"impersonate", "core", "serviceaccounts"},
                    {kWrite, "core", "configmaps events pods secrets serviceaccounts services"},
                    {kWrite, "events.k8s.io", "events"},
                    {"create", "core", "serviceaccounts/token"},
                    {kWrite, "apps", "deployments deployments/scale"},
                    {kReadWrite, "coordination.k8s.io", "leases"}},
                   "edit"),
      cluster_role(
          "system:aggregate-to-view",
          {{kRead, "core",
            "configmaps events namespaces namespaces/status pods pods/status serviceaccounts services "
            "services/status"},
           {kRead, "events.k8s.io", "events"},
           {kRead, "apps", "deployments deployments/scale deployments/status"}},
          "view"),
  };
}

std::vector<Object> fairway_roles() {
  return {
      // Reading alone: whoever writes a policy or an upgrade acts on clusters, and that is an administrator's
      // to give.
      // Works, views and actions are left out because they carry the contents of secrets.
      cluster_role(
          "fairway:aggregate-to-view",
          {{kRead,
            "config.openshift.io operator.openshift.io ingress.operator.openshift.io ran.openshift.io "
            "policy.open-cluster-management.io apps.open-cluster-management.io "
            "cluster.open-cluster-management.io",
            "*"}},
          "view"),
      // An agent carries out whatever policies demand.
      cluster_role(kAgentRole, {{"*", "*", "*"}, {.verbs = "*", .urls = "*"}}),
      cluster_role(kHubAgentRole,
                   {{kRead, "policy.open-cluster-management.io", "policies"},
                    {"get patch update", "policy.open-cluster-management.io", "policies/status"},
                    {"get list patch update watch", "work.open-cluster-management.io",
                     "manifestworks manifestworks/status"},
                    {"get list patch update watch",
                     "view.open-cluster-management.io action.open-cluster-management.io",
                     "managedclusterviews managedclusterviews/status managedclusteractions "
                     "managedclusteractions/status"},
                    {"create get list patch update watch", "core events.k8s.io", "events"},
                    {"create get list patch update watch", "coordination.k8s.io", "leases"},
                    {"get", "core", "namespaces"}}),
  };
}

}  // namespace

std::string agent_user(std::string_view cluster) {
  return "fairway:agent:" + std::string(cluster);
}

std::vector<Object> bootstrap_rbac(bool is_hub) {
  std::vector<Object> objects = system_roles();
  for (auto roles : {user_roles(), fairway_roles()}) {
    for (Object& role : roles) objects.push_back(std::move(role));
  }
  objects.push_back(group_binding("cluster-admin", "cluster-admin", {kMastersGroup}));
  objects.push_back(group_binding("system:discovery", "system:discovery", {kAuthenticatedGroup}));
  objects.push_back(group_binding("system:basic-user", "system:basic-user", {kAuthenticatedGroup}));
  objects.push_back(group_binding("system:public-info-viewer", "system:public-info-viewer",
                                  {kAuthenticatedGroup, kUnauthenticatedGroup}));
  objects.push_back(group_binding("system:monitoring", "system:monitoring", {"system:monitoring"}));
  // The reach of its token keeps an agent out of the clusters of others.
  if (!is_hub) objects.push_back(group_binding(kAgentRole, kAgentRole, {kAgentsGroup}));
  return objects;
}

Object hub_agent_binding(std::string_view cluster) {
  Object binding = object_of("RoleBinding", kHubAgentRole);
  json::ensure_object(binding, {"metadata"})["namespace"] = cluster;
  binding["roleRef"] = Object{{"apiGroup", kRbacGroup}, {"kind", "ClusterRole"}, {"name", kHubAgentRole}};
  binding["subjects"] =
      Array{Object{{"apiGroup", kRbacGroup}, {"kind", "User"}, {"name", agent_user(cluster)}}};
  return binding;
}

}  // namespace fairway::apiserver
