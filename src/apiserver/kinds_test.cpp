#include "apiserver/kinds.hpp"

#include "apiserver/kinds_test_support.hpp"

namespace fairway::apiserver::kinds {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

struct NameCase {
  std::string_view group;
  std::string_view kind;
  std::string_view name;
  std::string_view problem;  // a part of it; empty: the name is right
  bool is_prefix = false;
};

TEST(Kinds, NamesFollowTheRuleOfTheirKind) {
  const std::vector<NameCase> cases{
      {"", "ConfigMap", "kube-root-ca.crt", ""},
      {"", "ConfigMap", "Upper", "a lowercase RFC 1123 subdomain must consist of"},
      {"", "Secret", "a.b", ""},
      {"", "ServiceAccount", "builder", ""},
      {"", "Pod", "web-7d9.x", ""},
      {"", "Node", "node-1.example.com", ""},
      {"", "Namespace", "team-a", ""},
      {"", "Namespace", "team.a", "must not contain dots"},
      {"", "Service", "web", ""},
      {"", "Service", "1web", "a DNS-1035 label must consist of"},
      {"", "Event", "Any_Thing", ""},
      {"", "Event", "a/b", "may not contain '/'"},
      {"events.k8s.io", "Event", "Any_Thing", "a lowercase RFC 1123 subdomain"},
      {"apps", "Deployment", "web.v2", ""},
      {"coordination.k8s.io", "Lease", "leader", ""},
      {"rbac.authorization.k8s.io", "ClusterRole", "system:node", ""},
      {"rbac.authorization.k8s.io", "Role", "a%b", "may not contain '%'"},
      {"rbac.authorization.k8s.io", "RoleBinding", "..", "may not be '..'"},
      {"rbac.authorization.k8s.io", "ClusterRoleBinding", "x y", ""},
      {"apiextensions.k8s.io", "CustomResourceDefinition", "things.example.com", ""},
      {"", "ConfigMap", "web-", "a lowercase RFC 1123 subdomain", false},
      {"", "ConfigMap", "web-", "", true},
      {"", "Service", "web-", "", true},
  };
  for (const NameCase& each : cases) {
    const auto problems = rules_of(builtin(each.group, each.kind)).name_problems(each.name, each.is_prefix);
    if (each.problem.empty()) {
      EXPECT_THAT(problems, IsEmpty()) << each.kind << ' ' << each.name;
    } else {
      EXPECT_THAT(problems, ElementsAre(HasSubstr(std::string(each.problem))))
          << each.kind << ' ' << each.name;
    }
  }
}

TEST(Kinds, VersionsAndGenerationsAreThoseOfTheRealKinds) {
  struct Case {
    std::string_view group, kind;
    bool needs_version, counts;
  };
  const std::vector<Case> cases{{"", "ConfigMap", false, false},
                                {"", "Pod", false, false},
                                {"", "Service", false, false},
                                {"apps", "Deployment", false, true},
                                {"coordination.k8s.io", "Lease", true, false},
                                {"apiextensions.k8s.io", "CustomResourceDefinition", true, true}};
  for (const Case& each : cases) {
    const KindRules& rules = rules_of(builtin(each.group, each.kind));
    EXPECT_EQ(rules.needs_resource_version, each.needs_version) << each.kind;
    EXPECT_EQ(rules.counts_generations, each.counts) << each.kind;
  }
}

TEST(Kinds, CustomResourcesHavePlainRules) {
  Resource resource;
  resource.group = "example.com";
  resource.kind = "Pod";  // not the built-in one
  resource.is_custom = true;
  const KindRules& rules = rules_of(resource);
  EXPECT_TRUE(rules.needs_resource_version);
  EXPECT_TRUE(rules.counts_generations);
  EXPECT_EQ(rules.default_fields, nullptr);
  EXPECT_THAT(rules.name_problems("ok.name", false), IsEmpty());
  EXPECT_FALSE(rules.name_problems("Not", false).empty());
}

TEST(Kinds, RulesTakeWhateverJsonComes) {
  const std::vector<std::string> shapes{
      "{}",
      "spec: 5",
      "spec: []",
      "spec: {ports: 1, containers: {a: b}}",
      "spec: {ports: [1, null, []], containers: [1], volumes: [x], template: 7}",
      "data: [1]",
      "stringData: {a: 1}",
      "subjects: [1, {}]",
      "rules: [1, {}]",
      "spec: {clusterIP: 7, clusterIPs: [1], type: {}}",
      "status: {phase: 1}",
      "metadata: {}\nspec: {template: {spec: {containers: [{resources: {limits: 3}}]}}}"};
  for (const auto& resource : builtin_resources()) {
    const KindRules& rules = rules_of(*resource);
    for (const std::string& shape : shapes) {
      json::Object object = yaml(shape);
      const json::Object before = object;
      const Taken taken;
      if (rules.default_fields != nullptr) rules.default_fields(object);
      if (rules.prepare_create != nullptr) rules.prepare_create(object, taken.context());
      if (rules.prepare_update != nullptr) rules.prepare_update(before, object, taken.context());
      if (rules.validate != nullptr) rules.validate(object);
      if (rules.validate_update != nullptr) rules.validate_update(before, object);
    }
  }
}

TEST(Kinds, DefinitionsGetTheirNamesAndAreChecked) {
  const Outcome made = create(builtin("apiextensions.k8s.io", "CustomResourceDefinition"), R"(
metadata: {name: things.example.com}
spec:
  group: example.com
  scope: Namespaced
  names: {plural: things, kind: Thing}
  versions: [{name: v1, served: true, storage: true, schema: {openAPIV3Schema: {type: object}}}]
)");
  EXPECT_THAT(made.errors, IsEmpty());
  EXPECT_EQ(made.get("spec/names/singular"), R"("thing")");
  EXPECT_EQ(made.get("spec/names/listKind"), R"("ThingList")");
  const Outcome wrong = create(builtin("apiextensions.k8s.io", "CustomResourceDefinition"), R"(
metadata: {name: other.example.com}
spec:
  group: example.com
  scope: Namespaced
  names: {plural: things, kind: Thing}
  versions: [{name: v1, served: true, storage: true, schema: {openAPIV3Schema: {type: object}}}]
)");
  EXPECT_FALSE(wrong.errors.empty());
}

}  // namespace
}  // namespace fairway::apiserver::kinds
