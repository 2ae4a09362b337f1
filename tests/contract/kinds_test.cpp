// Rules of single kinds: config maps, secrets, services, leases, roles.
#include <fmt/format.h>

#include "harness.hpp"

namespace fairway::contract {
namespace {

using ConfigMaps = ContractTest;
using Secrets = ContractTest;
using Services = ContractTest;
using Leases = ContractTest;
using Roles = ContractTest;
using Nodes = ContractTest;

CONTRACT(Nodes, AreBornWithTheirStatus, "a node is created with its status; other kinds lose theirs") {
  const std::string name = "node-" + ns();
  const Answer made = api().post("/api/v1/nodes", object("v1", "Node", name, "{status: {phase: Running}}"));
  ASSERT_TRUE(answered(made, 201));
  EXPECT_EQ(made.text("/status/phase"), "Running");
  EXPECT_TRUE(answered(api().remove("/api/v1/nodes/" + name), 200));
}

CONTRACT(ConfigMaps, CheckTheirKeys, "a config map's keys are file names") {
  const Answer made = api().post(at("configmaps"), config_map("a", "{data: {'b ad': v}}"));
  EXPECT_TRUE(refused(made, 422, "Invalid"));
  EXPECT_TRUE(has_cause(made, "FieldValueInvalid", "data[b ad]",
                        "a valid config key must consist of alphanumeric characters"));
}

CONTRACT(ConfigMaps, CanBeImmutable, "an immutable config map keeps its data") {
  create("configmaps", config_map("a", "{data: {k: v}, immutable: true}"));
  const Answer written = api().merge(at("configmaps", "a"), "{data: {k: w}}");
  EXPECT_TRUE(refused(written, 422, "Invalid", "field is immutable when `immutable` is set"));
  EXPECT_TRUE(has_cause(written, "FieldValueForbidden", "data"));
  EXPECT_TRUE(answered(api().merge(at("configmaps", "a"), "{metadata: {labels: {x: yy}}}"), 200));
}

CONTRACT(ConfigMaps, StayImmutable, "immutable cannot be taken back") {
  create("configmaps", config_map("a", "{immutable: true}"));
  const Answer written = api().merge(at("configmaps", "a"), "{immutable: false}");
  EXPECT_TRUE(refused(written, 422, "Invalid"));
  EXPECT_TRUE(
      has_cause(written, "FieldValueForbidden", "immutable", "field is immutable when `immutable` is set"));
}

CONTRACT(ConfigMaps, HaveBinaryData, "binaryData is base64") {
  EXPECT_EQ(text_at(create("configmaps", config_map("a", "{binaryData: {k: AAEC}}")), "/binaryData/k"),
            "AAEC");
  EXPECT_TRUE(
      refused(api().post(at("configmaps"), config_map("b", "{binaryData: {k: '%%%'}}")), 400, "BadRequest"));
}

CONTRACT(Secrets, TakeText, "stringData is written into data and not shown") {
  const Value made = create("secrets", secret("a", "{data: {k: b2xk, num: bg==}, stringData: {k: new}}"));
  EXPECT_EQ(text_at(made, "/data/k"), "bmV3");
  EXPECT_EQ(text_at(made, "/data/num"), "bg==");
  EXPECT_EQ(text_at(made, "/stringData"), "<absent>");
}

CONTRACT(Secrets, TakeTextInPatches, "stringData in a patch is written into data") {
  create("secrets", secret("a", "{stringData: {k: old, num: m}}"));
  const Answer written = api().merge(at("secrets", "a"), "{stringData: {k: new}}");
  EXPECT_EQ(written.text("/data"), R"({"k":"bmV3","num":"bQ=="})");
  EXPECT_EQ(written.text("/stringData"), "<absent>");
}

CONTRACT(Secrets, AreOpaque, "a secret without a type is Opaque") {
  EXPECT_EQ(text_at(create("secrets", secret("a")), "/type"), "Opaque");
}

CONTRACT(Secrets, KeepTheirType, "a secret's type is immutable") {
  create("secrets", secret("a"));
  const Answer written = api().merge(at("secrets", "a"), "{type: example.com/other}");
  EXPECT_TRUE(refused(written, 422, "Invalid"));
  EXPECT_TRUE(has_cause(written, "FieldValueInvalid", "type", "field is immutable"));
}

CONTRACT(Secrets, HaveTypesWithRules, "a secret of type kubernetes.io/tls has a certificate and a key") {
  const Answer made = api().post(at("secrets"), secret("a", "{type: kubernetes.io/tls}"));
  EXPECT_TRUE(refused(made, 422, "Invalid"));
  EXPECT_TRUE(has_cause(made, "FieldValueRequired", "data[tls.crt]"));
  EXPECT_TRUE(has_cause(made, "FieldValueRequired", "data[tls.key]"));
}

CONTRACT(Secrets, AreBase64, "data of a secret is base64: 400 where it is not") {
  EXPECT_TRUE(refused(api().post(at("secrets"), secret("a", "{data: {k: '%%%'}}")), 400, "BadRequest",
                      "cannot be handled as a Secret"));
}

CONTRACT(Secrets, CanBeImmutable, "an immutable secret keeps its data") {
  create("secrets", secret("a", "{stringData: {k: v}, immutable: true}"));
  EXPECT_TRUE(refused(api().merge(at("secrets", "a"), "{stringData: {k: w}}"), 422, "Invalid",
                      "field is immutable when `immutable` is set"));
}

CONTRACT(Services, HaveDefaults, "a service gets type, address, protocol, target port and policies") {
  const Value made = create("services", service("a"));
  EXPECT_EQ(text_at(made, "/spec/type"), "ClusterIP");
  EXPECT_EQ(text_at(made, "/spec/sessionAffinity"), "None");
  EXPECT_EQ(text_at(made, "/spec/internalTrafficPolicy"), "Cluster");
  EXPECT_EQ(text_at(made, "/spec/ports/0/protocol"), "TCP");
  EXPECT_EQ(text_at(made, "/spec/ports/0/targetPort"), "80");
  EXPECT_NE(text_at(made, "/spec/clusterIP"), "<absent>");
  EXPECT_EQ(text_at(made, "/spec/clusterIPs/0"), text_at(made, "/spec/clusterIP"));
  EXPECT_EQ(text_at(made, "/spec/ipFamilyPolicy"), "SingleStack");
  EXPECT_EQ(text_at(made, "/status/loadBalancer"), "{}");
}

CONTRACT(Services, HaveDistinctAddresses, "two services have two addresses") {
  EXPECT_NE(text_at(create("services", service("a")), "/spec/clusterIP"),
            text_at(create("services", service("b")), "/spec/clusterIP"));
}

CONTRACT(Services, CanBeHeadless, "clusterIP None asks for no address") {
  EXPECT_EQ(text_at(create("services", service("a", "{spec: {clusterIP: None}}")), "/spec/clusterIP"),
            "None");
}

CONTRACT(Services, KeepTheirAddress,
         "a service's address is immutable, and kept by an update that leaves it out") {
  Value made = create("services", service("a"));
  const std::string address = text_at(made, "/spec/clusterIP");
  const Answer other = api().merge(at("services", "a"), "{spec: {clusterIP: None}}");
  EXPECT_TRUE(refused(other, 422, "Invalid", "spec.clusterIP"));
  erase(made, "/spec/clusterIP");
  erase(made, "/spec/clusterIPs");
  EXPECT_EQ(api().put(at("services", "a"), made).text("/spec/clusterIP"), address);
}

CONTRACT(Services, NeedPorts, "a service that is not headless has a port") {
  const Answer made =
      api().post(at("services"), object("v1", "Service", "a", "{spec: {selector: {app: a}}}"));
  EXPECT_TRUE(refused(made, 422, "Invalid"));
  EXPECT_TRUE(has_cause(made, "FieldValueRequired", "spec.ports"));
}

CONTRACT(Services, NamePorts, "several ports have names") {
  const Answer made = api().post(at("services"), service("a", "{spec: {ports: [{port: 80}, {port: 81}]}}"));
  EXPECT_TRUE(refused(made, 422, "Invalid"));
  EXPECT_TRUE(has_cause(made, "FieldValueRequired", "spec.ports[0].name"));
}

CONTRACT(Services, CheckPorts, "a port is between 1 and 65535") {
  const Answer made = api().post(at("services"), service("a", "{spec: {ports: [{port: 70000}]}}"));
  EXPECT_TRUE(refused(made, 422, "Invalid"));
  EXPECT_TRUE(
      has_cause(made, "FieldValueInvalid", "spec.ports[0].port", "must be between 1 and 65535, inclusive"));
}

CONTRACT(Services, GetNodePorts, "a service of type NodePort gets a port of the nodes") {
  const Value made = create("services", service("a", "{spec: {type: NodePort}}"));
  EXPECT_EQ(text_at(made, "/spec/externalTrafficPolicy"), "Cluster");
  const int port = std::stoi("0" + text_at(made, "/spec/ports/0/nodePort"));
  EXPECT_GE(port, 1024);
}

CONTRACT(Services, ShareNoPortOfTheNodes, "a port of the nodes is one service's, for its health checks too") {
  const Value made =
      create("services", service("a", "{spec: {type: LoadBalancer, externalTrafficPolicy: Local}}"));
  for (const char* used : {"/spec/ports/0/nodePort", "/spec/healthCheckNodePort"}) {
    const Answer other = api().post(
        at("services"),
        service("b", "{spec: {type: NodePort, ports: [{port: 80, nodePort: " + text_at(made, used) + "}]}}"));
    EXPECT_TRUE(refused(other, 422, "Invalid")) << used;
    EXPECT_TRUE(
        has_cause(other, "FieldValueInvalid", "spec.ports[0].nodePort", "provided port is already allocated"))
        << used;
  }
  // What is given up can be had again.
  api().remove(at("services", "a"));
  create("services", service("b", "{spec: {type: NodePort, ports: [{port: 80, nodePort: " +
                                      text_at(made, "/spec/healthCheckNodePort") + "}]}}"));
}

CONTRACT(Services, AreAnsweredAtDeletion,
         "the delete of a service is answered with the service or a Status") {
  create("services", service("a"));
  const Answer deleted = api().remove(at("services", "a"));
  ASSERT_TRUE(answered(deleted, 200));
  const std::string kind = deleted.text("/kind");
  EXPECT_TRUE(kind == "Service" || kind == "Status") << kind;
  EXPECT_TRUE(answered(api().get(at("services", "a")), 404));
}

CONTRACT(Leases, CheckTheirDuration, "a lease's duration is positive") {
  const Answer made = api().post(at("leases"), lease("a", "{spec: {leaseDurationSeconds: 0}}"));
  EXPECT_TRUE(refused(made, 422, "Invalid"));
  EXPECT_TRUE(has_cause(made, "FieldValueInvalid", "spec.leaseDurationSeconds", "must be greater than 0"));
}

CONTRACT(Leases, KeepMicroseconds, "a lease's times keep their microseconds") {
  const Value made = create("leases", lease("a", "{spec: {renewTime: '2024-01-02T03:04:05.678901Z'}}"));
  EXPECT_EQ(text_at(made, "/spec/renewTime"), "2024-01-02T03:04:05.678901Z");
}

CONTRACT(Roles, NeedVerbs, "a rule of a role has verbs") {
  const Answer made =
      api().post(at("roles"), object("rbac.authorization.k8s.io/v1", "Role", "a",
                                     "{rules: [{apiGroups: [''], resources: [pods], verbs: []}]}"));
  EXPECT_TRUE(refused(made, 422, "Invalid"));
  EXPECT_TRUE(
      has_cause(made, "FieldValueRequired", "rules[0].verbs", "verbs must contain at least one value"));
}

CONTRACT(Roles, BindingsKeepTheirRole, "a binding's roleRef cannot be changed") {
  Answer made = api().post(at("rolebindings"), object("rbac.authorization.k8s.io/v1", "RoleBinding", "a", R"(
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: view}
subjects: [{kind: User, name: somebody, apiGroup: rbac.authorization.k8s.io}]
)"));
  ASSERT_TRUE(answered(made, 201));
  const Answer written = api().merge(at("rolebindings", "a"), "{roleRef: {name: edit}}");
  EXPECT_TRUE(refused(written, 422, "Invalid"));
  EXPECT_TRUE(has_cause(written, "FieldValueInvalid", "roleRef", "cannot change roleRef"));
}

}  // namespace
}  // namespace fairway::contract
