#include "apiserver/authorization.hpp"

#include <gtest/gtest.h>

#include "apiserver/tokens.hpp"
#include "json/yaml.hpp"

namespace fairway::apiserver {
namespace {

AccessRequest request_of(std::string_view method, std::string_view target) {
  return access_request(*RequestInfo::parse(method, target));
}

TEST(Authorization, ARequestIsPutInTheTermsOfRbac) {
  const AccessRequest status =
      request_of("PATCH", "/clusters/edge/apis/apps/v1/namespaces/prod/deployments/web/status");
  EXPECT_EQ(status.verb, "patch");
  EXPECT_EQ(status.group, "apps");
  EXPECT_EQ(status.resource, "deployments");
  EXPECT_EQ(status.subresource, "status");
  EXPECT_EQ(status.ns, "prod");
  EXPECT_EQ(status.name, "web");
  EXPECT_TRUE(status.is_resource_request());
  const AccessRequest path = request_of("GET", "/clusters/edge/healthz");
  EXPECT_EQ(path.path, "/healthz");
  EXPECT_EQ(path.verb, "get");
  EXPECT_FALSE(path.is_resource_request());
}

TEST(Authorization, AListOfOneNameIsAboutThatObject) {
  const std::string base = "/api/v1/namespaces/prod/secrets?fieldSelector=";
  EXPECT_EQ(request_of("GET", base + "metadata.name%3Dmine").name, "mine");
  EXPECT_EQ(request_of("GET", base + "metadata.name%3Dmine&watch=true").name, "mine");
  EXPECT_EQ(request_of("GET", base + "metadata.name!%3Dmine").name, "");
  EXPECT_EQ(request_of("GET", base + "type%3Dmine").name, "");
  EXPECT_EQ(request_of("POST", base + "metadata.name%3Dmine").name, "");
}

TEST(Authorization, ClustersShareNothing) {
  Authorizer authorizer;
  const json::Object role =
      json::parse_yaml("rules: [{verbs: [get], apiGroups: [''], resources: [pods]}]")->get_object();
  const json::Object binding =
      json::parse_yaml("{roleRef: {kind: ClusterRole, name: r}, subjects: [{kind: User, name: jane}]}")
          ->get_object();
  authorizer.apply("a", RbacKind::ClusterRole, {"", "r"}, &role);
  authorizer.apply("a", RbacKind::ClusterRoleBinding, {"", "b"}, &binding);
  const Caller jane{.user = {"jane", "", {}, {}}};
  const AccessRequest request{.verb = "get", .resource = "pods"};
  EXPECT_TRUE(authorizer.authorize("a", jane, request).allowed);
  EXPECT_FALSE(authorizer.authorize("b", jane, request).allowed);
  authorizer.forget("a");
  EXPECT_FALSE(authorizer.authorize("a", jane, request).allowed);
}

struct ReachCase {
  std::string_view cluster;
  AccessRequest request;
  bool is_in_reach;
};

TEST(Authorization, AnAgentsTokenReachesItsClusterAndItsNamespaceOnTheHub) {
  const Reach reach = agent_grant("edge-7").reach;
  const std::vector<ReachCase> cases{
      {"edge-7", {.verb = "delete", .resource = "nodes"}, true},
      {"edge-8", {.verb = "get", .resource = "pods", .ns = "edge-7"}, false},
      {"edge-8", {.verb = "get", .path = "/api"}, false},
      {"hub", {.verb = "get", .resource = "policies", .ns = "edge-7"}, true},
      {"hub", {.verb = "get", .resource = "policies", .ns = "edge-8"}, false},
      {"hub", {.verb = "list", .resource = "policies"}, false},
      {"hub", {.verb = "get", .path = "/apis"}, true},
      {"hub",
       {.verb = "create", .group = "authorization.k8s.io", .resource = "selfsubjectaccessreviews"},
       true},
      {"hub", {.verb = "create", .group = "authorization.k8s.io", .resource = "subjectaccessreviews"}, false},
      {"hub", {.verb = "create", .group = "example.com", .resource = "selfsubjectthings"}, false},
  };
  for (const ReachCase& each : cases) {
    EXPECT_EQ(reach_problem(reach, each.cluster, each.request).empty(), each.is_in_reach)
        << each.cluster << ' ' << each.request.resource << each.request.path;
  }
  EXPECT_TRUE(reach_problem({}, "anywhere", {.verb = "get", .resource = "pods"}).empty());
}

TEST(Authorization, ReachHoldsForMastersToo) {
  const Caller limited{.user = {"x", "", {std::string(kMastersGroup)}, {}}, .reach = {.clusters = {"a"}}};
  EXPECT_TRUE(Authorizer().authorize("a", limited, {.verb = "get", .resource = "pods"}).allowed);
  const AccessDecision refused = Authorizer().authorize("b", limited, {.verb = "get", .resource = "pods"});
  EXPECT_FALSE(refused.allowed);
  EXPECT_EQ(refused.reason, "the credential is not valid for the cluster \"b\"");
}

TEST(Authorization, RefusalsAreThoseOfKubernetes) {
  const User jane{"jane", "", {}, {}};
  const ApiError list = access_denied(jane, {.verb = "list", .resource = "pods", .ns = "default"}, "");
  EXPECT_EQ(list.code, 403);
  EXPECT_EQ(list.reason, "Forbidden");
  EXPECT_EQ(
      list.message,
      R"(pods is forbidden: User "jane" cannot list resource "pods" in API group "" in the namespace "default")");
  ASSERT_TRUE(list.details);
  EXPECT_EQ(list.details->kind, "pods");
  EXPECT_EQ(
      access_denied(jane,
                    {.verb = "get", .group = "apps", .resource = "deployments", .ns = "a", .name = "web"},
                    "RBAC: x")
          .message,
      R"(deployments.apps "web" is forbidden: User "jane" cannot get resource "deployments" in API group "apps" in the namespace "a": RBAC: x)");
  EXPECT_EQ(access_denied(jane, {.verb = "get", .path = "/metrics"}, "").message,
            R"(forbidden: User "jane" cannot get path "/metrics")");
}

}  // namespace
}  // namespace fairway::apiserver
