// Templates in ConfigurationPolicies (spec 5.8), on a cluster as a value.
#include "fleet/agent/targets.hpp"

#include <gmock/gmock.h>

#include "fleet/agent/testing/cluster.hpp"

namespace fairway::fleet::agent {
namespace {

using ::testing::HasSubstr;
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

}  // namespace
}  // namespace fairway::fleet::agent
