#include "apiserver/rbac.hpp"

#include <algorithm>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <map>
#include <random>

#include "json/yaml.hpp"

namespace fairway::apiserver {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

User user(std::string name, std::vector<std::string> groups = {}) {
  groups.emplace_back(kAuthenticatedGroup);
  return {std::move(name), "", std::move(groups), {}};
}

class RbacTest : public testing::Test {
 protected:
  void put(RbacKind kind, const std::string& ns, const std::string& name, std::string_view text) {
    const json::Object object = json::parse_yaml(text)->get_object();
    state_.apply(kind, {ns, name}, &object);
  }
  void drop(RbacKind kind, const std::string& ns, const std::string& name) {
    state_.apply(kind, {ns, name}, nullptr);
  }
  AccessDecision ask(const User& who, AccessRequest request) { return authorize(state_, who, request); }

  RbacState state_;
};

const AccessRequest kListPods{.verb = "list", .resource = "pods", .ns = "default"};

TEST_F(RbacTest, ABindingGrantsInItsNamespaceOnly) {
  put(RbacKind::Role, "default", "reader", "rules: [{verbs: [list], apiGroups: [''], resources: [pods]}]");
  put(RbacKind::RoleBinding, "default", "readers",
      "{roleRef: {kind: Role, name: reader}, subjects: [{kind: User, name: bob}, {kind: User, name: jane}]}");
  EXPECT_TRUE(ask(user("jane"), kListPods).allowed);
  EXPECT_EQ(ask(user("jane"), kListPods).reason,
            R"(RBAC: allowed by RoleBinding "readers/default" of Role "reader" to User "jane")");
  EXPECT_FALSE(ask(user("jane"), {.verb = "list", .resource = "pods", .ns = "other"}).allowed);
  EXPECT_FALSE(ask(user("jane"), {.verb = "list", .resource = "pods"}).allowed);
  EXPECT_FALSE(ask(user("joe"), kListPods).allowed);
  EXPECT_EQ(ask(user("joe"), kListPods).reason, "");
}

TEST_F(RbacTest, AClusterBindingGrantsEverywhere) {
  put(RbacKind::ClusterRole, "", "role", "rules: [{verbs: ['*'], apiGroups: [''], resources: [pods]}]");
  put(RbacKind::ClusterRoleBinding, "", "x",
      "{roleRef: {kind: ClusterRole, name: role}, subjects: [{kind: Group, name: z}]}");
  EXPECT_EQ(ask(user("jane", {"z"}), kListPods).reason,
            R"(RBAC: allowed by ClusterRoleBinding "x" of ClusterRole "role" to Group "z")");
  EXPECT_TRUE(ask(user("jane", {"z"}), {.verb = "delete", .resource = "pods"}).allowed);
  EXPECT_FALSE(ask(user("z"), kListPods).allowed);  // a user is not a group
}

TEST_F(RbacTest, AClusterRoleCanBeGrantedInOneNamespace) {
  put(RbacKind::ClusterRole, "", "view", "rules: [{verbs: [list], apiGroups: [''], resources: [pods]}]");
  put(RbacKind::RoleBinding, "default", "b",
      "{roleRef: {kind: ClusterRole, name: view}, subjects: [{kind: User, name: jane}]}");
  EXPECT_TRUE(ask(user("jane"), kListPods).allowed);
  EXPECT_FALSE(ask(user("jane"), {.verb = "list", .resource = "pods", .ns = "other"}).allowed);
}

TEST_F(RbacTest, ServiceAccountsAreFoundByTheirUser) {
  put(RbacKind::Role, "ns", "r", "rules: [{verbs: [get], apiGroups: [''], resources: [secrets]}]");
  put(RbacKind::RoleBinding, "ns", "b",
      "{roleRef: {kind: Role, name: r}, subjects: [{kind: ServiceAccount, name: robot}, {kind: "
      "ServiceAccount, name: "
      "far, namespace: away}]}");
  const AccessRequest request{.verb = "get", .resource = "secrets", .ns = "ns"};
  EXPECT_EQ(ask(user("system:serviceaccount:ns:robot"), request).reason,
            R"(RBAC: allowed by RoleBinding "b/ns" of Role "r" to ServiceAccount "robot/ns")");
  EXPECT_TRUE(ask(user("system:serviceaccount:away:far"), request).allowed);
  EXPECT_FALSE(ask(user("system:serviceaccount:away:robot"), request).allowed);
}

TEST_F(RbacTest, TheFirstSubjectThatFitsIsNamed) {
  put(RbacKind::ClusterRole, "", "r", "rules: [{verbs: [list], apiGroups: [''], resources: [pods]}]");
  put(RbacKind::ClusterRoleBinding, "", "b",
      "{roleRef: {kind: ClusterRole, name: r}, subjects: [{kind: Group, name: g}, {kind: User, name: "
      "jane}]}");
  EXPECT_EQ(ask(user("jane", {"g"}), kListPods).reason,
            R"(RBAC: allowed by ClusterRoleBinding "b" of ClusterRole "r" to Group "g")");
}

TEST_F(RbacTest, ChangesTakeEffectAtOnce) {
  put(RbacKind::ClusterRole, "", "r", "rules: [{verbs: [list], apiGroups: [''], resources: [pods]}]");
  put(RbacKind::ClusterRoleBinding, "", "b",
      "{roleRef: {kind: ClusterRole, name: r}, subjects: [{kind: User, name: jane}]}");
  EXPECT_TRUE(ask(user("jane"), kListPods).allowed);
  put(RbacKind::ClusterRoleBinding, "", "b",
      "{roleRef: {kind: ClusterRole, name: r}, subjects: [{kind: User, name: joe}]}");
  EXPECT_FALSE(ask(user("jane"), kListPods).allowed);
  EXPECT_TRUE(ask(user("joe"), kListPods).allowed);
  put(RbacKind::ClusterRole, "", "r", "rules: []");
  EXPECT_FALSE(ask(user("joe"), kListPods).allowed);
  put(RbacKind::ClusterRole, "", "r", "rules: [{verbs: [list], apiGroups: [''], resources: [pods]}]");
  drop(RbacKind::ClusterRoleBinding, "", "b");
  EXPECT_FALSE(ask(user("joe"), kListPods).allowed);
  drop(RbacKind::ClusterRoleBinding, "", "b");  // twice does no harm
}

TEST_F(RbacTest, ARoleThatIsMissingIsTheReason) {
  put(RbacKind::ClusterRoleBinding, "", "b",
      "{roleRef: {kind: ClusterRole, name: gone}, subjects: [{kind: User, name: jane}]}");
  EXPECT_EQ(ask(user("jane"), kListPods).reason,
            R"(RBAC: clusterrole.rbac.authorization.k8s.io "gone" not found)");
  put(RbacKind::RoleBinding, "default", "c",
      "{roleRef: {kind: Role, name: lost}, subjects: [{kind: User, name: jane}]}");
  EXPECT_EQ(
      ask(user("jane"), kListPods).reason,
      R"(RBAC: [clusterrole.rbac.authorization.k8s.io "gone" not found, role.rbac.authorization.k8s.io "lost" not found])");
}

TEST_F(RbacTest, AggregatedRolesGatherTheirParts) {
  put(RbacKind::ClusterRole, "", "view",
      "{aggregationRule: {clusterRoleSelectors: [{matchLabels: {to-view: 'true'}}]}, rules: [{verbs: "
      "[delete], apiGroups: "
      "['*'], resources: ['*']}]}");
  put(RbacKind::ClusterRole, "", "edit",
      "{metadata: {labels: {to-admin: 'true'}}, aggregationRule: {clusterRoleSelectors: [{matchExpressions: "
      "[{key: to-edit, "
      "operator: Exists}]}, {matchLabels: {to-view: 'true'}}]}}");
  put(RbacKind::ClusterRole, "", "admin",
      "{aggregationRule: {clusterRoleSelectors: [{matchLabels: {to-admin: 'true'}}]}}");
  put(RbacKind::ClusterRole, "", "part",
      "{metadata: {labels: {to-view: 'true'}}, rules: [{verbs: [list], apiGroups: [''], resources: "
      "[pods]}]}");
  for (const auto* name : {"view", "edit", "admin"}) {
    const PolicyRules* rules = state_.rules_of({"ClusterRole", name}, "");
    ASSERT_NE(rules, nullptr);
    ASSERT_THAT(*rules, testing::SizeIs(1)) << name;  // what is written in it is not what holds
    EXPECT_THAT(rules->front().verbs, ElementsAre("list"));
  }
  drop(RbacKind::ClusterRole, "", "part");
  EXPECT_THAT(*state_.rules_of({"ClusterRole", "admin"}, ""), IsEmpty());
}

TEST_F(RbacTest, RolesThatGatherOneAnotherComeToAnEnd) {
  put(RbacKind::ClusterRole, "", "a",
      "{metadata: {labels: {x: z}}, aggregationRule: {clusterRoleSelectors: [{matchLabels: {x: z}}]}}");
  put(RbacKind::ClusterRole, "", "b",
      "{metadata: {labels: {x: z}}, aggregationRule: {clusterRoleSelectors: [{matchLabels: {x: z}}]}}");
  put(RbacKind::ClusterRole, "", "c",
      "{metadata: {labels: {x: z}}, rules: [{verbs: [get], apiGroups: [''], resources: [pods]}]}");
  EXPECT_THAT(*state_.rules_of({"ClusterRole", "a"}, ""), testing::SizeIs(1));
  EXPECT_THAT(*state_.rules_of({"ClusterRole", "b"}, ""), testing::SizeIs(1));
}

TEST_F(RbacTest, MastersMayDoEverything) {
  EXPECT_TRUE(ask(user("root", {std::string(kMastersGroup)}), {.verb = "anything", .path = "/x"}).allowed);
}

TEST_F(RbacTest, AnonymousReachesOnlyWhatIsPublic) {
  put(RbacKind::ClusterRole, "", "all",
      "rules: [{verbs: ['*'], apiGroups: ['*'], resources: ['*']}, {verbs: ['*'], nonResourceURLs: ['*']}]");
  put(RbacKind::ClusterRoleBinding, "", "b",
      "{roleRef: {kind: ClusterRole, name: all}, subjects: [{kind: Group, name: 'system:unauthenticated'}]}");
  for (const auto* path : {"/livez", "/readyz", "/healthz", "/version"}) {
    EXPECT_TRUE(ask(User{}, {.verb = "get", .path = path}).allowed) << path;
  }
  EXPECT_FALSE(ask(User{}, {.verb = "get", .path = "/api"}).allowed);
  EXPECT_FALSE(ask(User{}, {.verb = "post", .path = "/livez"}).allowed);
  EXPECT_FALSE(ask(User{}, kListPods).allowed);
}

TEST_F(RbacTest, RulesOfAUserAreThoseOfAllItsBindings) {
  put(RbacKind::ClusterRole, "", "r", "rules: [{verbs: [get], nonResourceURLs: [/x]}]");
  put(RbacKind::Role, "ns", "r", "rules: [{verbs: [get], apiGroups: [''], resources: [pods]}]");
  put(RbacKind::ClusterRoleBinding, "", "b",
      "{roleRef: {kind: ClusterRole, name: r}, subjects: [{kind: User, name: jane}]}");
  put(RbacKind::RoleBinding, "ns", "b",
      "{roleRef: {kind: Role, name: r}, subjects: [{kind: Group, name: g}, {kind: User, name: jane}]}");
  EXPECT_THAT(state_.rules_for(user("jane", {"g"}), "ns").rules, testing::SizeIs(2));
  EXPECT_THAT(state_.rules_for(user("jane", {"g"}), "").rules, testing::SizeIs(1));
  EXPECT_THAT(state_.rules_for(user("jane", {"g"}), "other").rules, testing::SizeIs(1));
}

// The same answers as a walk over all that was ever applied and not taken back, in every order of changes.
class Reference {
 public:
  void apply(RbacKind kind, const kube::ObjectKey& key, const json::Object* object) {
    auto& objects = objects_[kind];
    objects.erase(key);
    if (object != nullptr) objects.emplace(key, *object);
  }
  bool allows(const User& who, const AccessRequest& request) {
    for (const auto& [key, binding] : objects_[RbacKind::ClusterRoleBinding]) {
      if (grants(binding, "", who, request)) return true;
    }
    for (const auto& [key, binding] : objects_[RbacKind::RoleBinding]) {
      if (!request.ns.empty() && key.namespace_ == request.ns &&
          grants(binding, key.namespace_, who, request)) {
        return true;
      }
    }
    return false;
  }

 private:
  bool grants(const json::Object& binding, const std::string& ns, const User& who,
              const AccessRequest& request) {
    const RoleRef role = RoleRef::from(binding);
    const bool is_local = role.kind == "Role";
    const auto& roles = objects_[is_local ? RbacKind::Role : RbacKind::ClusterRole];
    const auto found = roles.find({is_local ? ns : "", role.name});
    if (found == roles.end()) return false;
    const json::Array& subjects = *json::get_array(binding, {"subjects"});
    const bool applies = std::ranges::any_of(subjects, [&](const json::Value& subject) {
      const auto name = json::get_string(subject.get_object(), {"name"}).value_or("");
      const bool is_user = json::get_string(subject.get_object(), {"kind"}) == "User";
      return is_user ? who.name == name : who.is_in(name);
    });
    return applies && std::ranges::any_of(rules_in(found->second),
                                          [&](const PolicyRule& rule) { return rule.allows(request); });
  }

  std::map<RbacKind, std::map<kube::ObjectKey, json::Object>> objects_;
};

TEST(Rbac, TheIndexAnswersAsAWalkWould) {
  std::mt19937 random(20'261'115);
  const auto any = [&](std::initializer_list<const char*> from) {
    return std::string(*(from.begin() + random() % from.size()));
  };
  RbacState state;
  Reference reference;
  for (int step = 0; step < 3000; ++step) {
    const auto kind = static_cast<RbacKind>(random() % 4);
    const bool is_local = kind == RbacKind::Role || kind == RbacKind::RoleBinding;
    const kube::ObjectKey key{is_local ? any({"n1", "n2"}) : "", any({"a", "b", "c"})};
    json::Object object;
    if (kind == RbacKind::Role || kind == RbacKind::ClusterRole) {
      const PolicyRule rule{.verbs = {any({"get", "list", "*"})},
                            .api_groups = {any({"", "apps"})},
                            .resources = {any({"pods", "*"})}};
      object["rules"] = json::Array{rule.to_json()};
    } else {
      object["roleRef"] = json::Object{{"kind", is_local ? any({"Role", "ClusterRole"}) : "ClusterRole"},
                                       {"name", any({"a", "b", "c"})}};
      json::Array subjects;
      for (std::size_t i = random() % 3; i > 0; --i) {
        subjects.push_back(
            json::Object{{"kind", any({"User", "Group"})}, {"name", any({"jane", "dev", "ops"})}});
      }
      object["subjects"] = std::move(subjects);
    }
    const json::Object* given = random() % 4 == 0 ? nullptr : &object;
    state.apply(kind, key, given);
    reference.apply(kind, key, given);
    const User who = user("jane", {any({"dev", "ops", "none"})});
    const AccessRequest request{.verb = any({"get", "list"}),
                                .group = any({"", "apps"}),
                                .resource = any({"pods", "nodes"}),
                                .ns = any({"", "n1", "n2"})};
    ASSERT_EQ(authorize(state, who, request).allowed, reference.allows(who, request)) << "step " << step;
  }
}

TEST(Rbac, DenialsAreWordedAsKubectlShowsThem) {
  EXPECT_EQ(describe_denial(user("jane"), kListPods),
            R"(User "jane" cannot list resource "pods" in API group "" in the namespace "default")");
  EXPECT_EQ(
      describe_denial(user("jane"),
                      {.verb = "patch", .group = "apps", .resource = "deployments", .subresource = "scale"}),
      R"(User "jane" cannot patch resource "deployments/scale" in API group "apps" at the cluster scope)");
  EXPECT_EQ(describe_denial(user("jane"), {.verb = "get", .path = "/metrics"}),
            R"(User "jane" cannot get path "/metrics")");
}

TEST(Rbac, KindsAreKnownByTheirPlural) {
  EXPECT_EQ(rbac_kind(kRbacGroup, "roles"), RbacKind::Role);
  EXPECT_EQ(rbac_kind(kRbacGroup, "clusterrolebindings"), RbacKind::ClusterRoleBinding);
  EXPECT_EQ(rbac_kind("", "roles"), std::nullopt);
  EXPECT_EQ(rbac_kind(kRbacGroup, "things"), std::nullopt);
}

}  // namespace
}  // namespace fairway::apiserver
