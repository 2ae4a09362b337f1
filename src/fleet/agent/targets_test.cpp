// Templates in ConfigurationPolicies (spec 5.8), on a cluster as a value.
#include "fleet/agent/targets.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "base/text.hpp"
#include "fleet/agent/difference.hpp"
#include "fleet/agent/testing/cluster.hpp"

namespace fairway::fleet::agent {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using testing::SimulatedCluster;

std::string text_of(const SimulatedCluster& cluster, const char* object, const char* key) {
  const json::Object* found = cluster.find(object);
  return found == nullptr ? "absent" : std::string(json::get_string(*found, {"data", key}).value_or("none"));
}

constexpr const char* kSource =
    "{apiVersion: v1, kind: ConfigMap, metadata: {name: source, namespace: default}, data: {color: red}}";

TEST(PolicyTemplates, LookUpAndFollow) {
  SimulatedCluster cluster;
  cluster.put(kSource);
  cluster.set_policy(R"(
remediationAction: enforce
object-templates:
- complianceType: musthave
  objectDefinition:
    apiVersion: v1
    kind: ConfigMap
    metadata: {name: made, namespace: default}
    data: {color: '{{ fromConfigMap "default" "source" "color" | upper }}'}
)");
  cluster.settle();
  EXPECT_EQ(text_of(cluster, "ConfigMap default/made", "color"), "RED");
  cluster.change("ConfigMap default/source",
                 [](json::Object& source) { json::ensure_object(source, {"data"})["color"] = "blue"; });
  cluster.settle();
  EXPECT_EQ(text_of(cluster, "ConfigMap default/made", "color"), "BLUE");
}

TEST(PolicyTemplates, NamespaceOfEachTarget) {
  SimulatedCluster cluster;
  cluster.put("{apiVersion: v1, kind: Namespace, metadata: {name: n1}}");
  cluster.put("{apiVersion: v1, kind: Namespace, metadata: {name: n2}}");
  cluster.set_policy(R"(
remediationAction: enforce
namespaceSelector: {include: ['n*']}
object-templates:
- complianceType: musthave
  objectDefinition:
    apiVersion: v1
    kind: ConfigMap
    metadata: {name: 'of-{{ .ObjectNamespace }}'}
    data: {where: '{{ .ObjectNamespace }}', skipped: '{{ skipObject (eq .ObjectNamespace "n2") }}'}
)");
  cluster.settle();
  EXPECT_EQ(text_of(cluster, "ConfigMap n1/of-n1", "where"), "n1");
  EXPECT_EQ(cluster.find("ConfigMap n2/of-n2"), nullptr);
}

TEST(PolicyTemplates, TheObjectItself) {
  SimulatedCluster cluster;
  cluster.put(
      "{apiVersion: v1, kind: ConfigMap, metadata: {name: q, namespace: default, labels: {app: w}}, data: "
      "{v: '1'}}");
  cluster.put(
      "{apiVersion: v1, kind: ConfigMap, metadata: {name: r, namespace: default, labels: {app: w}}, data: "
      "{v: '2'}}");
  cluster.put("{apiVersion: v1, kind: ConfigMap, metadata: {name: s, namespace: default}, data: {v: '3'}}");
  cluster.set_policy(R"(
remediationAction: enforce
object-templates:
- complianceType: musthave
  objectSelector: {matchLabels: {app: w}}
  objectDefinition:
    apiVersion: v1
    kind: ConfigMap
    metadata: {namespace: default}
    data: {copy: '{{ .ObjectName }}{{ .Object.data.v }}'}
)");
  cluster.settle();
  EXPECT_EQ(text_of(cluster, "ConfigMap default/q", "copy"), "q1");
  EXPECT_EQ(text_of(cluster, "ConfigMap default/r", "copy"), "r2");
  EXPECT_EQ(text_of(cluster, "ConfigMap default/s", "copy"), "none");
}

TEST(PolicyTemplates, SkippedAltogether) {
  SimulatedCluster cluster;
  cluster.set_policy(R"(
remediationAction: enforce
object-templates:
- complianceType: musthave
  objectDefinition: {apiVersion: v1, kind: ConfigMap, metadata: {name: x, namespace: default}, data: {a: '{{ skipObject }}'}}
)");
  cluster.settle();
  EXPECT_EQ(cluster.compliant(), "Compliant");
  EXPECT_EQ(cluster.message(),
            "All objects of kind ConfigMap were skipped by the `skipObject` template function");
  EXPECT_EQ(cluster.find("ConfigMap default/x"), nullptr);
}

TEST(PolicyTemplates, RawGivesTheList) {
  SimulatedCluster cluster;
  cluster.put(kSource);
  cluster.set_policy(R"(
remediationAction: enforce
object-templates-raw: |
  {{- range $name := list "one" "two" }}
  - complianceType: musthave
    objectDefinition:
      apiVersion: v1
      kind: ConfigMap
      metadata: {name: {{ $name }}, namespace: default}
      data: {color: {{ (lookup "v1" "ConfigMap" "default" "source").data.color | quote }}}
  {{- end }}
)");
  cluster.settle();
  EXPECT_EQ(text_of(cluster, "ConfigMap default/one", "color"), "red");
  EXPECT_EQ(text_of(cluster, "ConfigMap default/two", "color"), "red");
  EXPECT_EQ(cluster.compliant(), "Compliant");
  cluster.set_policy("object-templates-raw: '{a: 1}'");
  cluster.settle();
  EXPECT_EQ(cluster.reason(), "Error processing template");
  cluster.set_policy("object-templates-raw: ''");
  cluster.settle();
  EXPECT_EQ(cluster.compliant(), "Compliant");
}

TEST(PolicyTemplates, ErrorsAreTold) {
  SimulatedCluster cluster;
  const char* text = R"(
object-templates:
- complianceType: musthave
  objectDefinition: {apiVersion: v1, kind: ConfigMap, metadata: {name: x, namespace: default}, data: {a: '{{ nonsense }}'}}
)";
  cluster.set_policy(text);
  cluster.settle();
  EXPECT_EQ(cluster.compliant(), "NonCompliant");
  EXPECT_EQ(cluster.reason(), "Error processing template");
  EXPECT_THAT(cluster.message(),
              HasSubstr("objectDefinition.data.a: line 1, column 4: there is no function \"nonsense\""));
  // Where templates are switched off, braces are braces.
  auto next = std::make_shared<json::Object>(cluster.policy());
  json::ensure_object(
      *next, {"metadata", "annotations"})["policy.open-cluster-management.io/disable-templates"] = "true";
  cluster.policy_object = next;
  cluster.settle();
  EXPECT_EQ(cluster.message(), "configmaps [x] not found in namespace default");
}

TEST(PolicyTemplates, CustomMessages) {
  SimulatedCluster cluster;
  const char* text = R"(
customMessage:
  noncompliant: 'look: {{ .DefaultMessage }} ({{ .Policy.metadata.name }})'
  compliant: '{{ nonsense }}'
object-templates:
- complianceType: musthave
  objectDefinition: {apiVersion: v1, kind: Namespace, metadata: {name: foo}}
)";
  cluster.set_policy(text);
  cluster.settle();
  EXPECT_EQ(cluster.history().front(), "NonCompliant; look: violation - namespaces [foo] not found (p)");
  EXPECT_EQ(cluster.message(), "namespaces [foo] not found") << "details keep the usual text";
  cluster.put("{apiVersion: v1, kind: Namespace, metadata: {name: foo}}");
  cluster.settle();
  EXPECT_THAT(cluster.history().front(),
              HasSubstr("Compliant; notification - namespaces [foo] found as specified (failure processing"));
}

// "!" in front is the encryption of these tests.
Result<std::string> open_sesame(std::string_view bytes) {
  if (!bytes.starts_with("!")) return fail(ErrorCode::Invalid, "it was encrypted with another key");
  return std::string(bytes.substr(1));
}

std::string hidden(std::string_view text) {
  return std::string(templates::kEncryptedPrefix) + encode_base64("!" + std::string(text));
}

std::string settings_with(std::string_view data, std::string_view more = "") {
  return fmt::format(
      "object-templates: [{{complianceType: musthave{}, objectDefinition: {{apiVersion: v1, kind: Pod, "
      "metadata: "
      "{{name: made, namespace: default}}, data: {{a: '{}'}}}}}}]",
      more, data);
}

// Everything that the policy says in the cluster.
std::string all_words(const SimulatedCluster& cluster) {
  std::string words = json::serialize(cluster.policy());
  for (const std::string& note : cluster.plan().notes) words += note;
  return words;
}

TEST(PolicyTemplates, EncryptedValuesAreReadAndNeverShown) {
  struct Case {
    std::string given;
    std::string made;
  };
  const Case cases[] = {
      {hidden("opensesame"), "opensesame"},
      {"a " + hidden("opensesame") + "," + hidden("2"), "a opensesame,2"},
      {"{{ \"" + hidden("opensesame") + "\" | upper }}", "OPENSESAME"},
      {"{{ `x` }}" + hidden("{{ opensesame }}"), "x{{ opensesame }}"},
      {hidden("{{ opensesame }}"), "{{ opensesame }}"},
      {hidden("a\"b: c\n") + "{{ .ObjectNamespace }}", "a\"b: c\ndefault"},
      {hidden("opensesame") + "{{ .ObjectName }}", "opensesamemade"},
  };
  for (const Case& each : cases) {
    SimulatedCluster cluster;
    cluster.decrypt = open_sesame;
    for (const char* record : {"", ", recordDiff: InStatus", ", recordDiff: Log"}) {
      cluster.put("{apiVersion: v1, kind: Pod, metadata: {name: made, namespace: default}, data: {a: old}}");
      cluster.set_policy(settings_with(each.given, record));
      cluster.settle();
      EXPECT_EQ(cluster.compliant(), "NonCompliant") << each.given;
      EXPECT_THAT(all_words(cluster), Not(HasSubstr("opensesame"))) << each.given;
      EXPECT_THAT(all_words(cluster), HasSubstr(kEncryptedDiff)) << each.given;
    }
    cluster.set_policy("remediationAction: enforce\n" + settings_with(each.given));
    cluster.settle();
    EXPECT_EQ(text_of(cluster, "Pod default/made", "a"), each.made) << each.given;
    EXPECT_THAT(all_words(cluster), Not(HasSubstr("opensesame"))) << each.given;
  }
}

TEST(PolicyTemplates, RefusalsOfEncryptedValuesQuoteNothing) {
  SimulatedCluster cluster;
  cluster.decrypt = open_sesame;
  cluster.refuses = "create: data.a: invalid value: opensesame";
  cluster.set_policy("remediationAction: enforce\n" + settings_with(hidden("opensesame")));
  cluster.settle();
  EXPECT_EQ(cluster.message(),
            "pods [made] in namespace default is missing, and cannot be created, reason: `the server says "
            "Forbidden; "
            "its words are not told, because the policy has decrypted values`");
}

TEST(PolicyTemplates, WhatCannotBeDecryptedIsAnErrorThatNamesThePlace) {
  SimulatedCluster cluster;
  cluster.decrypt = open_sesame;
  cluster.set_policy(settings_with("$ocm_encrypted:YWJj"));
  cluster.settle();
  EXPECT_EQ(cluster.reason(), "Error processing template");
  EXPECT_EQ(cluster.message(), "objectDefinition.data.a: it was encrypted with another key");
  cluster.set_policy(settings_with("{{ \"" + hidden("opensesame") + "\" | toInt }}"));
  cluster.settle();
  EXPECT_EQ(cluster.message(),
            "objectDefinition.data.a: line 1, column " + fmt::to_string(hidden("opensesame").size() + 9) +
                ": toInt: it failed; why is not told, because the template has decrypted values");
}

TEST(PolicyTemplates, RawTextsAreDecryptedBeforeTheyAreRead) {
  SimulatedCluster cluster;
  cluster.decrypt = open_sesame;
  cluster.set_policy(fmt::format(R"(
remediationAction: enforce
object-templates-raw: |
  - complianceType: musthave
    objectDefinition: {{apiVersion: v1, kind: ConfigMap, metadata: {{name: made, namespace: default}}, data: {{a: '{}'}}}}
)",
                                 hidden("opensesame")));
  cluster.settle();
  EXPECT_EQ(text_of(cluster, "ConfigMap default/made", "a"), "opensesame");
  cluster.set_policy(fmt::format("object-templates-raw: '{{ {}: ['", hidden("opensesame")));
  cluster.settle();
  EXPECT_THAT(cluster.message(), HasSubstr("object-templates-raw is no YAML"));
  EXPECT_THAT(all_words(cluster), Not(HasSubstr("opensesame")));
}

// Whoever may write what is looked up, and read the policy, would else have it decrypted for them.
TEST(PolicyTemplates, WhatIsLookedUpIsNeverDecrypted) {
  SimulatedCluster cluster;
  cluster.decrypt = open_sesame;
  cluster.put(
      fmt::format("{{apiVersion: v1, kind: ConfigMap, metadata: {{name: source, namespace: default}}, data: "
                  "{{color: '{}'}}}}",
                  hidden("opensesame")));
  cluster.set_policy("remediationAction: enforce\n" +
                     settings_with("{{ fromConfigMap \"default\" \"source\" \"color\" }}"));
  cluster.settle();
  EXPECT_EQ(text_of(cluster, "Pod default/made", "a"), hidden("opensesame"));
}

TEST(PolicyTemplates, EncryptedValuesAreFoundWhereTheyCount) {
  const auto of = [](std::string_view spec) {
    SimulatedCluster cluster;
    cluster.set_policy(spec);
    return Configuration::from(cluster.policy());
  };
  EXPECT_FALSE(has_encrypted(of(settings_with("plain"))));
  EXPECT_TRUE(has_encrypted(of(settings_with(hidden("x")))));
  EXPECT_TRUE(has_encrypted(of("object-templates-raw: '" + hidden("x") + "'")));
  EXPECT_TRUE(check_encrypted(of(settings_with(hidden("x"))), open_sesame));
  EXPECT_FALSE(check_encrypted(of(settings_with("$ocm_encrypted:YWJj")), open_sesame));
  EXPECT_FALSE(check_encrypted(of("object-templates-raw: '$ocm_encrypted:'"), open_sesame));
}

// Each write is another look: what it wants must be what was written, or it would go on for ever.
TEST(PolicyTemplates, TheTimeIsThatOfTheMinute) {
  SimulatedCluster cluster;
  cluster.now = WallTime{std::chrono::seconds{1'709'208'010}};
  cluster.set_policy("remediationAction: enforce\n" + settings_with("{{ now | date \"15:04:05\" }}"));
  cluster.settle();
  EXPECT_EQ(text_of(cluster, "Pod default/made", "a"), "12:00:00");
  cluster.now += std::chrono::seconds(49);
  EXPECT_EQ(cluster.pass(), "");
  cluster.now += std::chrono::seconds(1);
  cluster.settle();
  EXPECT_EQ(text_of(cluster, "Pod default/made", "a"), "12:01:00");
}

TEST(PolicyTemplates, AMissingKeyIsAskedForAgain) {
  SimulatedCluster cluster;
  cluster.decrypt = [](std::string_view) -> Result<std::string> {
    return fail(ErrorCode::Forbidden, "no key");
  };
  cluster.set_policy(settings_with(hidden("x")));
  Observed seen = cluster.observe();
  seen.lacks_key = true;
  EXPECT_EQ(decide(seen).wake_at, cluster.now + kRefusalStands);
}

}  // namespace
}  // namespace fairway::fleet::agent
