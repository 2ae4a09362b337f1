#include "apiserver/rbac_bootstrap.hpp"

#include <gtest/gtest.h>

#include "apiserver/kinds.hpp"
#include "apiserver/rbac.hpp"
#include "apiserver/tokens.hpp"
#include "json/schema_validate.hpp"
#include "kube/core/object.hpp"

namespace fairway::apiserver {
namespace {

RbacState bootstrapped(bool is_hub) {
  RbacState state;
  for (const json::Object& object : bootstrap_rbac(is_hub)) {
    const bool is_role = kube::kind_of(object) == "ClusterRole";
    state.apply(is_role ? RbacKind::ClusterRole : RbacKind::ClusterRoleBinding, kube::key_of(object),
                &object);
  }
  return state;
}

void grant_in(RbacState& state, const std::string& role, const std::string& user, const std::string& ns) {
  const json::Object binding{{"roleRef", json::Object{{"kind", "ClusterRole"}, {"name", role}}},
                             {"subjects", json::Array{json::Object{{"kind", "User"}, {"name", user}}}}};
  state.apply(RbacKind::RoleBinding, {ns, role + user}, &binding);
}

bool may(const RbacState& state, const std::string& user, AccessRequest request) {
  return authorize(state, {user, "", {std::string(kAuthenticatedGroup)}, {}}, request).allowed;
}

TEST(RbacBootstrap, EveryObjectIsValid) {
  const auto catalog = Catalog::make({});
  for (const bool is_hub : {true, false}) {
    for (const json::Object& object : bootstrap_rbac(is_hub)) {
      const Resource* resource = catalog->find_kind(kRbacGroup, kube::kind_of(object));
      ASSERT_NE(resource, nullptr);
      EXPECT_TRUE(json::validate(*resource->storage_version().schema, json::Value(object)).empty())
          << kube::name_of(object);
      EXPECT_TRUE(rules_of(*resource).validate(object).empty()) << kube::name_of(object);
      EXPECT_EQ(kube::label(object, "kubernetes.io/bootstrapping"), "rbac-defaults");
    }
  }
}

TEST(RbacBootstrap, EverybodyMayLookAroundAndAskAboutThemselves) {
  const RbacState state = bootstrapped(true);
  for (const auto* path : {"/api", "/apis/apps/v1", "/openapi/v3", "/version", "/readyz"}) {
    EXPECT_TRUE(may(state, "jane", {.verb = "get", .path = path})) << path;
  }
  EXPECT_FALSE(may(state, "jane", {.verb = "get", .path = "/metrics"}));
  EXPECT_TRUE(
      may(state, "jane",
          {.verb = "create", .group = "authorization.k8s.io", .resource = "selfsubjectaccessreviews"}));
  EXPECT_FALSE(may(state, "jane", {.verb = "list", .resource = "pods", .ns = "default"}));
}

TEST(RbacBootstrap, ViewReadsEditWritesAdminGrants) {
  RbacState state = bootstrapped(true);
  for (const std::string role : {"view", "edit", "admin"}) grant_in(state, role, role, "ns");
  const AccessRequest read{.verb = "list", .resource = "configmaps", .ns = "ns"};
  const AccessRequest secret{.verb = "get", .resource = "secrets", .ns = "ns"};
  const AccessRequest write{.verb = "update", .group = "apps", .resource = "deployments", .ns = "ns"};
  const AccessRequest grant{
      .verb = "create", .group = std::string(kRbacGroup), .resource = "rolebindings", .ns = "ns"};
  const AccessRequest policy{
      .verb = "list", .group = "policy.open-cluster-management.io", .resource = "policies", .ns = "ns"};
  for (const std::string who : {"view", "edit", "admin"}) {
    EXPECT_TRUE(may(state, who, read)) << who;
    EXPECT_TRUE(may(state, who, policy)) << who;
    EXPECT_EQ(may(state, who, secret), who != "view") << who;
    EXPECT_EQ(may(state, who, write), who != "view") << who;
    EXPECT_EQ(may(state, who, grant), who == "admin") << who;
  }
  AccessRequest enforce = policy;
  enforce.verb = "update";
  EXPECT_FALSE(may(state, "admin", enforce));
}

TEST(RbacBootstrap, AgentsRuleTheirOwnClusterAndAreGuestsOnTheHub) {
  const User agent = agent_grant("edge-7").user;
  const AccessRequest anything{.verb = "delete", .group = "x", .resource = "y"};
  EXPECT_TRUE(authorize(bootstrapped(false), agent, anything).allowed);
  RbacState hub = bootstrapped(true);
  EXPECT_FALSE(authorize(hub, agent, anything).allowed);
  const json::Object binding = hub_agent_binding("edge-7");
  EXPECT_EQ(kube::namespace_of(binding), "edge-7");
  hub.apply(RbacKind::RoleBinding, kube::key_of(binding), &binding);
  const AccessRequest policies{
      .verb = "watch", .group = "policy.open-cluster-management.io", .resource = "policies", .ns = "edge-7"};
  EXPECT_TRUE(authorize(hub, agent, policies).allowed);
  EXPECT_FALSE(authorize(hub, agent_grant("edge-8").user, policies).allowed);
  AccessRequest write = policies;
  write.verb = "update";
  EXPECT_FALSE(authorize(hub, agent, write).allowed);
  write.subresource = "status";
  EXPECT_TRUE(authorize(hub, agent, write).allowed);
}

}  // namespace
}  // namespace fairway::apiserver
