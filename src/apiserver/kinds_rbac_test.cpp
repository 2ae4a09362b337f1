#include "apiserver/kinds_test_support.hpp"

namespace fairway::apiserver::kinds {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr std::string_view kGroup = "rbac.authorization.k8s.io";

TEST(KindsRbac, RulesNameWhatTheyAreAbout) {
  const Resource& role = builtin(kGroup, "Role");
  const Resource& cluster_role = builtin(kGroup, "ClusterRole");
  EXPECT_THAT(
      create(role, "rules: [{verbs: [get], apiGroups: [''], resources: [pods], resourceNames: [a]}]").errors,
      IsEmpty());
  EXPECT_THAT(
      create(role, "rules: [{verbs: []}]").errors,
      ElementsAre("rules[0].verbs: Required value: verbs must contain at least one value",
                  "rules[0].apiGroups: Required value: resource rules must supply at least one api group",
                  "rules[0].resources: Required value: resource rules must supply at least one resource"));
  EXPECT_THAT(create(role, "rules: [{verbs: [get], nonResourceURLs: [/metrics]}]").errors,
              ElementsAre(HasSubstr("namespaced rules cannot apply to non-resource URLs")));
  EXPECT_THAT(create(cluster_role, "rules: [{verbs: [get], nonResourceURLs: [/metrics]}]").errors, IsEmpty());
  EXPECT_THAT(
      create(cluster_role, "rules: [{verbs: [get], nonResourceURLs: [/x], resources: [pods]}]").errors,
      ElementsAre(HasSubstr("rules cannot apply to both regular resources and non-resource URLs")));
}

TEST(KindsRbac, AggregationNeedsSelectorsThatAreValid) {
  const Resource& kind = builtin(kGroup, "ClusterRole");
  EXPECT_THAT(create(kind, "aggregationRule: {clusterRoleSelectors: [{matchLabels: {a: b}}]}").errors,
              IsEmpty());
  EXPECT_THAT(
      create(kind, "aggregationRule: {}").errors,
      ElementsAre(
          "aggregationRule.clusterRoleSelectors: Required value: at least one clusterRoleSelector required "
          "if aggregationRule is non-nil"));
  EXPECT_THAT(
      create(kind, "aggregationRule: {clusterRoleSelectors: [{matchExpressions: [{key: a, operator: In}]}]}")
          .errors,
      ElementsAre(
          "aggregationRule.clusterRoleSelectors[0].matchExpressions[0].values: Required value: must be "
          "specified when `operator` is 'In' or 'NotIn'"));
}

TEST(KindsRbac, SubjectsGetTheirGroup) {
  const Outcome made =
      create(builtin(kGroup, "RoleBinding"),
             "roleRef: {kind: Role, name: r}\nsubjects: [{kind: User, name: u}, {kind: Group, name: g}, "
             "{kind: ServiceAccount, name: s}]");
  EXPECT_THAT(made.errors, IsEmpty());
  EXPECT_EQ(made.get("roleRef/apiGroup"), R"("rbac.authorization.k8s.io")");
  EXPECT_EQ(made.get("subjects/0/apiGroup"), R"("rbac.authorization.k8s.io")");
  EXPECT_EQ(made.get("subjects/1/apiGroup"), R"("rbac.authorization.k8s.io")");
  EXPECT_EQ(made.get("subjects/2/apiGroup"), "-");
}

TEST(KindsRbac, BindingsNameARoleAndSubjectsThatCanBe) {
  const Resource& local = builtin(kGroup, "RoleBinding");
  const Resource& wide = builtin(kGroup, "ClusterRoleBinding");
  EXPECT_THAT(create(wide, "roleRef: {kind: Role, name: r}").errors,
              ElementsAre("roleRef.kind: Unsupported value: \"Role\": supported values: \"ClusterRole\""));
  EXPECT_THAT(
      create(local, "roleRef: {kind: Thing, name: ''}").errors,
      ElementsAre("roleRef.kind: Unsupported value: \"Thing\": supported values: \"Role\", \"ClusterRole\"",
                  "roleRef.name: Required value"));
  EXPECT_THAT(
      create(local, "roleRef: {apiGroup: x, kind: Role, name: r}").errors,
      ElementsAre(
          "roleRef.apiGroup: Unsupported value: \"x\": supported values: \"rbac.authorization.k8s.io\""));
  EXPECT_THAT(
      create(wide, "roleRef: {kind: ClusterRole, name: r}\nsubjects: [{kind: ServiceAccount, name: s}]")
          .errors,
      ElementsAre("subjects[0].namespace: Required value"));
  EXPECT_THAT(
      create(local,
             "roleRef: {kind: Role, name: r}\nsubjects: [{kind: Robot, name: s}, {kind: User, name: u, "
             "apiGroup: x}]")
          .errors,
      ElementsAre(
          "subjects[0].kind: Unsupported value: \"Robot\": supported values: \"ServiceAccount\", \"User\", "
          "\"Group\"",
          "subjects[1].apiGroup: Unsupported value: \"x\": supported values: \"rbac.authorization.k8s.io\""));
}

TEST(KindsRbac, TheRoleOfABindingIsFixed) {
  const Resource& kind = builtin(kGroup, "RoleBinding");
  const json::Object before = create(kind, "roleRef: {kind: Role, name: r}").object;
  EXPECT_THAT(
      update(kind, before, yaml("roleRef: {kind: Role, name: r}\nsubjects: [{kind: User, name: u}]")).errors,
      IsEmpty());
  EXPECT_THAT(update(kind, before, yaml("roleRef: {kind: Role, name: other}")).errors,
              ElementsAre(HasSubstr("cannot change roleRef")));
}

}  // namespace
}  // namespace fairway::apiserver::kinds
