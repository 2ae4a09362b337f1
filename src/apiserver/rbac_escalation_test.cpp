#include "apiserver/rbac_escalation.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "json/testing/objects.hpp"

namespace fairway::apiserver {
namespace {

using testing::HasSubstr;

class EscalationTest : public testing::Test {
 protected:
  EscalationTest() {
    put(RbacKind::ClusterRole, "", "reader",
        "rules: [{verbs: [get, list], apiGroups: [''], resources: [pods]}]");
    put(RbacKind::ClusterRole, "", "root",
        "rules: [{verbs: ['*'], apiGroups: ['*'], resources: ['*']}, {verbs: ['*'], nonResourceURLs: "
        "['*']}]");
    bind("reader");
  }
  void put(RbacKind kind, const std::string& ns, const std::string& name, std::string_view text) {
    const json::Object object = json::test_object(text);
    state_.apply(kind, {ns, name}, &object);
  }
  void bind(const std::string& role) {
    put(RbacKind::ClusterRoleBinding, "", role,
        "{roleRef: {kind: ClusterRole, name: " + role + "}, subjects: [{kind: User, name: jane}]}");
  }
  static Resource resource(std::string plural) {
    Resource made;
    made.group = std::string(kRbacGroup);
    made.plural = std::move(plural);
    return made;
  }
  ApiResult<void> write(const std::string& plural, std::string_view text, std::string_view before = "") {
    const json::Object object = json::test_object(text);
    const json::Object old = before.empty() ? json::Object{} : json::test_object(before);
    return check_escalation(state_, jane_, resource(plural), before.empty() ? nullptr : &old, object);
  }

  RbacState state_;
  User jane_{"jane", "", {"dev", "system:authenticated"}, {}};
};

constexpr std::string_view kWrites =
    "{metadata: {name: w, namespace: ns}, rules: [{verbs: [get, delete], apiGroups: [''], resources: "
    "[pods]}]}";

TEST_F(EscalationTest, ARoleMayHoldWhatItsWriterHolds) {
  EXPECT_TRUE(write(
      "roles",
      "{metadata: {name: r, namespace: ns}, rules: [{verbs: [get], apiGroups: [''], resources: [pods]}]}"));
  const auto refused = write("roles", kWrites);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, 403);
  EXPECT_EQ(
      refused.error().message,
      "roles.rbac.authorization.k8s.io \"w\" is forbidden: user \"jane\" (groups=[\"dev\" "
      "\"system:authenticated\"]) is "
      "attempting to grant RBAC permissions not currently held:\n{APIGroups:[\"\"], Resources:[\"pods\"], "
      "Verbs:[\"delete\"]}");
}

TEST_F(EscalationTest, TheVerbEscalateLiftsIt) {
  put(RbacKind::ClusterRole, "", "escalator",
      "rules: [{verbs: [escalate], apiGroups: [rbac.authorization.k8s.io], resources: [roles], "
      "resourceNames: [w]}]");
  bind("escalator");
  EXPECT_TRUE(write("roles", kWrites));
  EXPECT_FALSE(
      write("clusterroles",
            "{metadata: {name: w}, rules: [{verbs: [delete], apiGroups: [''], resources: [pods]}]}"));
}

TEST_F(EscalationTest, RulesThatStayAreNotLookedAt) {
  EXPECT_TRUE(write("roles",
                    "{metadata: {name: w, namespace: ns, labels: {a: b}}, rules: [{verbs: [delete], "
                    "apiGroups: [''], resources: [pods]}]}",
                    "{metadata: {name: w, namespace: ns}, rules: [{verbs: [delete], apiGroups: [''], "
                    "resources: [pods]}]}"));
}

TEST_F(EscalationTest, AggregationNeedsFullAuthority) {
  constexpr std::string_view kGathers =
      "{metadata: {name: g}, aggregationRule: {clusterRoleSelectors: [{matchLabels: {a: b}}]}}";
  const auto refused = write("clusterroles", kGathers);
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().message, HasSubstr(R"({APIGroups:["*"], Resources:["*"], Verbs:["*"]})"));
  EXPECT_TRUE(write("clusterroles", kGathers, kGathers));
  bind("root");
  EXPECT_TRUE(write("clusterroles", kGathers));
}

TEST_F(EscalationTest, ABindingGivesNoMoreThanItsWriterHas) {
  EXPECT_TRUE(write("rolebindings",
                    "{metadata: {name: b, namespace: ns}, roleRef: {kind: ClusterRole, name: reader}}"));
  const auto refused =
      write("clusterrolebindings", "{metadata: {name: b}, roleRef: {kind: ClusterRole, name: root}}");
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, 403);
  EXPECT_THAT(refused.error().message,
              HasSubstr("clusterrolebindings.rbac.authorization.k8s.io \"b\" is forbidden"));
  put(RbacKind::ClusterRole, "", "binder",
      "rules: [{verbs: [bind], apiGroups: [rbac.authorization.k8s.io], resources: [clusterroles], "
      "resourceNames: [root]}]");
  bind("binder");
  EXPECT_TRUE(
      write("clusterrolebindings", "{metadata: {name: b}, roleRef: {kind: ClusterRole, name: root}}"));
}

TEST_F(EscalationTest, ARoleThatIsMissingCannotBeBound) {
  const auto refused =
      write("rolebindings", "{metadata: {name: b, namespace: ns}, roleRef: {kind: Role, name: gone}}");
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, 404);
  EXPECT_EQ(refused.error().message, "roles.rbac.authorization.k8s.io \"gone\" not found");
}

TEST_F(EscalationTest, MastersAndOtherResourcesPass) {
  const json::Object role = json::test_object(kWrites);
  EXPECT_TRUE(check_escalation(state_, {"root", "", {std::string(kMastersGroup)}, {}}, resource("roles"),
                               nullptr, role));
  Resource pods;
  pods.plural = "pods";
  EXPECT_TRUE(check_escalation(state_, jane_, pods, nullptr, role));
}

TEST_F(EscalationTest, WhatIsAmissIsSaidToo) {
  put(RbacKind::RoleBinding, "ns", "b",
      "{roleRef: {kind: Role, name: gone}, subjects: [{kind: User, name: jane}]}");
  const auto problem =
      escalation_problem(state_, jane_, "ns", {{.verbs = {"x"}, .api_groups = {"y"}, .resources = {"z"}}});
  ASSERT_TRUE(problem);
  EXPECT_THAT(*problem,
              HasSubstr("; resolution errors: [role.rbac.authorization.k8s.io \"gone\" not found]"));
}

}  // namespace
}  // namespace fairway::apiserver
