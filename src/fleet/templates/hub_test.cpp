#include "fleet/templates/hub.hpp"

#include <gmock/gmock.h>

#include "json/testing/objects.hpp"
#include "json/yaml.hpp"

namespace fairway::fleet::templates {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

json::Object child(std::string_view value, std::string_view annotations = "{}") {
  json::Object made = json::test_object(R"(
metadata: {name: policies.p, namespace: member1}
spec:
  remediationAction: inform
  policy-templates:
  - objectDefinition: {kind: ConfigurationPolicy, metadata: {name: c}, spec: {value: 0}}
)");
  json::ensure_object(made, {"metadata"})["annotations"] = *json::parse_yaml(annotations);
  json::Object& definition = json::find(made, {"spec", "policy-templates"})
                                 ->as_array()[0]
                                 .as_object()["objectDefinition"]
                                 .as_object();
  json::ensure_object(definition, {"spec"})["value"] = value;
  return made;
}

const json::Object& definition(const HubResolution& found) {
  return json::get_array(found.child, {"spec", "policy-templates"})
      ->at(0)
      .as_object()
      .at("objectDefinition")
      .as_object();
}

HubFacts facts(
    std::string_view root = "{metadata: {name: p, namespace: policies, labels: {team: core}}, spec: {}}") {
  return {.cluster = "member1",
          .cluster_labels = json::test_object("{region: eu}"),
          .root = json::test_object(root)};
}

std::string value_of(const HubResolution& found) {
  return json::serialize(*json::find(definition(found), {"spec", "value"}));
}

TEST(HubTemplates, KnowTheClusterAndThePolicy) {
  const auto found =
      resolve_hub_templates(child("{{hub .ManagedClusterName hub}} {{hub .ManagedClusterLabels.region hub}} "
                                  "{{hub .PolicyMetadata.labels.team hub}} "
                                  "{{hub index .ManagedClusterLabels \"none\" hub}}{{ .Stays }}"),
                            facts(), {});
  EXPECT_EQ(value_of(found), R"("member1 eu core {{ .Stays }}")");
  EXPECT_THAT(found.errors, IsEmpty());
}

TEST(HubTemplates, AskAndAreAnswered) {
  const json::Object given =
      child("{{hub fromConfigMap \"policies\" \"sizes\" .ManagedClusterName | toInt hub}}");
  Answers answers;
  const Lookup lookup{.api_version = "v1", .kind = "ConfigMap", .namespace_ = "policies", .name = "sizes"};
  EXPECT_THAT(resolve_hub_templates(given, facts(), answers).missing, ElementsAre(lookup));
  answers[lookup] = json::Value(json::test_object("{data: {member1: '3'}}"));
  const auto found = resolve_hub_templates(given, facts(), answers);
  EXPECT_EQ(value_of(found), "3");
  EXPECT_THAT(found.asked, ElementsAre(lookup));
}

TEST(HubTemplates, AFailureLeavesTheTextAndSaysWhy) {
  const auto found = resolve_hub_templates(child("{{hub nonsense hub}}"), facts(), {});
  EXPECT_EQ(value_of(found), R"("{{hub nonsense hub}}")");
  const auto why = json::get_string(definition(found), {"metadata", "annotations", kHubTemplatesError});
  ASSERT_TRUE(why);
  EXPECT_THAT(std::string(*why),
              HasSubstr("spec.value: line 1, column 7: there is no function \"nonsense\""));
  EXPECT_EQ(found.errors.size(), 1U);
}

TEST(HubTemplates, OtherNamespacesNeedAServiceAccount) {
  const json::Object given = child("{{hub fromConfigMap \"elsewhere\" \"c\" \"k\" hub}}");
  EXPECT_EQ(resolve_hub_templates(given, facts(), {}).errors.size(), 1U);
  const auto found = resolve_hub_templates(given,
                                           facts("{metadata: {name: p, namespace: policies}, spec: "
                                                 "{hubTemplateOptions: {serviceAccountName: reader}}}"),
                                           {});
  EXPECT_EQ(found.missing.size(), 1U);
}

TEST(HubTemplates, CanBeSwitchedOff) {
  const json::Object given =
      child("{{hub nonsense hub}}", "{policy.open-cluster-management.io/disable-templates: 'true'}");
  EXPECT_FALSE(has_hub_templates(given));
  EXPECT_EQ(resolve_hub_templates(given, facts(), {}).child, given);
  EXPECT_TRUE(has_hub_templates(child("{{hub x hub}}")));
  EXPECT_FALSE(has_hub_templates(child("{{ x }}")));
}

TEST(HubTemplates, ProtectAsksForAKeyAndUsesIt) {
  const json::Object given = child("{{hub .ManagedClusterName | protect hub}}");
  HubResolution found = resolve_hub_templates(given, facts(), {});
  EXPECT_TRUE(found.misses_key);
  EXPECT_THAT(found.errors, IsEmpty());
  HubFacts known = facts();
  known.encrypt = [](std::string_view text) -> Result<std::string> { return std::string(text.size(), '\0'); };
  found = resolve_hub_templates(given, known, {});
  EXPECT_FALSE(found.misses_key);
  EXPECT_TRUE(found.has_encrypted);
  EXPECT_EQ(value_of(found), R"("$ocm_encrypted:AAAAAAAAAA==")");
  EXPECT_FALSE(resolve_hub_templates(child("{{hub 1 hub}}"), known, {}).has_encrypted);
}

}  // namespace
}  // namespace fairway::fleet::templates
