#include "fleet/policies.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "json/testing/objects.hpp"

namespace fairway::fleet {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

// A policy with one template, whose spec is given.
std::shared_ptr<const RootPolicy> with_spec(std::string_view spec) {
  return RootPolicy::from(json::test_object(fmt::format(R"(
metadata: {{name: p, namespace: default}}
spec:
  remediationAction: Inform
  dependencies: [{{kind: Policy, name: q}}, {{kind: PolicySet, name: s}}]
  policy-templates:
  - objectDefinition:
      kind: ConfigurationPolicy
      metadata: {{name: p}}
      spec: {}
)",
                                                        spec)));
}

TEST(Compliance, Case34WordsThatAreNotKnownAreNotDone) {
  EXPECT_EQ(compliance_of("Weird"), Compliance::NonCompliant);
  EXPECT_EQ(compliance_of("compliant"), Compliance::NonCompliant);
  EXPECT_EQ(compliance_of("Compliant"), Compliance::Compliant);
  EXPECT_EQ(compliance_of("Pending"), Compliance::Pending);
  EXPECT_EQ(compliance_of(""), Compliance::Unknown);
  EXPECT_FALSE(is_done(Compliance::Unknown));
  EXPECT_FALSE(is_done(Compliance::Pending));
}

TEST(Compliance, ATableIsOfRowsAndAMissingStatusIsNoTable) {
  EXPECT_EQ(ComplianceTable::from(json::test_object("{metadata: {name: p}}")), nullptr);
  const auto table = ComplianceTable::from(
      json::test_object("{status: {status: [{clustername: b, compliant: Compliant}, {clustername: a}]}}"));
  ASSERT_NE(table, nullptr);
  EXPECT_EQ(table->of("a"), Compliance::Unknown);
  EXPECT_EQ(table->of("b"), Compliance::Compliant);
  EXPECT_EQ(table->of("c"), Compliance::NotMatched);
}

// Cases 82 to 85: which clusters a write of a root's status is about.
TEST(Compliance, ChangesAreRowsThatAreNewGoneOrDifferent) {
  const ComplianceTable before({{"a", Compliance::NonCompliant}, {"b", Compliance::Compliant}, {"c"}});
  const ComplianceTable after({{"a", Compliance::Compliant}, {"b", Compliance::Compliant}, {"d"}});
  EXPECT_THAT(changed_clusters(&before, &before), IsEmpty());
  EXPECT_THAT(changed_clusters(&before, &after), ElementsAre("a", "c", "d"));
  EXPECT_THAT(changed_clusters(nullptr, &after), ElementsAre("a", "b", "d"));
  EXPECT_THAT(changed_clusters(&before, nullptr), ElementsAre("a", "b", "c"));
}

TEST(RootPolicy, SubscriptionsAreItsContent) {
  const auto root = with_spec(R"({object-templates: [
    {complianceType: musthave, objectDefinition: {kind: Subscription, apiVersion: operators.coreos.com/v1alpha1,
       metadata: {name: ptp, namespace: openshift-ptp}}},
    {complianceType: mustnothave, objectDefinition: {kind: Subscription, metadata: {name: x, namespace: y}}},
    {complianceType: musthave, objectDefinition: {kind: Subscription, metadata: {name: nowhere}}}]})");
  EXPECT_EQ(root->problem, "");
  EXPECT_EQ(root->content, R"([{"kind":"Subscription","name":"ptp",)"
                           R"("apiVersion":"operators.coreos.com/v1alpha1","namespace":"openshift-ptp"}])");
  EXPECT_EQ(root->remediation_action, "inform");
  EXPECT_THAT(root->depends_on, ElementsAre("q"));
  EXPECT_FALSE(root->has_status_section);
}

TEST(RootPolicy, AStatusSectionIsSeen) {
  EXPECT_TRUE(
      with_spec("{object-templates: [{objectDefinition: {kind: A, status: {x: 1}}}]}")->has_status_section);
}

struct Fault {
  const char* spec;
  bool is_valid;
};
TEST(RootPolicy, Case18And19StructureIsChecked) {
  const std::vector<Fault> cases = {
      {"{object-templates: [{objectDefinition: {kind: A}}], object-templates-raw: '[]'}", false},
      {"{severity: low}", false},
      {"{object-templates: [{complianceType: musthave}]}", false},
      {"{object-templates-raw: '- complianceType: musthave'}", true},
      {R"({object-templates-raw: "{{ range $x := .l }}\n- objectDefinition:\n    kind: {{ $x }}\n{{- end }}"})",
       true},
      {R"({object-templates-raw: "a: [b"})", false},
  };
  for (const Fault& each : cases)
    EXPECT_EQ(with_spec(each.spec)->problem.empty(), each.is_valid) << each.spec;
  EXPECT_NE(RootPolicy::from(json::test_object("{spec: {policy-templates: [{}]}}"))->problem, "");
  EXPECT_NE(
      RootPolicy::from(json::test_object("{spec: {policy-templates: [{objectDefinition: {spec: {}}}]}}"))
          ->problem,
      "");
}

TEST(RootPolicy, TemplatesAreStripped) {
  EXPECT_EQ(strip_templates("a: {{ $x }} {{ .y }}\n{{- if eq 1 2 }}b{{ end }}"),
            "a: placeholder placeholder\nb");
  EXPECT_EQ(strip_templates("no {{ end"), "no {{ end");
}

TEST(RootPolicy, Case37ASoakThatCannotBeReadIsNone) {
  const auto soak = [](std::string_view text) {
    return RootPolicy::from(json::test_object(
        fmt::format("{{metadata: {{annotations: {{ran.openshift.io/soak-seconds: \"{}\"}}}}}}", text)));
  };
  EXPECT_EQ(soak("5")->soak, std::chrono::seconds(5));
  EXPECT_EQ(soak("0")->soak, std::chrono::seconds(0));
  for (const char* bad : {"-1", "x", "", "99999999999999999999"}) {
    EXPECT_EQ(soak(bad)->soak, std::nullopt) << bad;
    EXPECT_TRUE(soak(bad)->has_unreadable_soak) << bad;
  }
}

}  // namespace
}  // namespace fairway::fleet
