#include <fmt/format.h>

#include "apiserver/kinds_test_support.hpp"

namespace fairway::apiserver::kinds {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

const Resource& service() {
  return builtin("", "Service");
}

json::Object made(std::string_view text, const Taken& taken = {}) {
  Outcome outcome = create(service(), text, taken);
  EXPECT_THAT(outcome.errors, IsEmpty());
  return outcome.object;
}

Outcome changed(const json::Object& before, std::string_view text, const Taken& taken = {}) {
  return update(service(), before, yaml(text), taken);
}

std::int64_t node_port(const Outcome& outcome, std::size_t index = 0) {
  const std::string text = outcome.get(fmt::format("spec/ports/{}/nodePort", index));
  return text == "-" ? 0 : std::stoll(text);
}

TEST(KindsService, DefaultsOfAPlainService) {
  const Outcome plain = create(service(), "spec: {ports: [{port: 80}]}");
  EXPECT_THAT(plain.errors, IsEmpty());
  EXPECT_EQ(plain.get("spec/type"), R"("ClusterIP")");
  EXPECT_EQ(plain.get("spec/sessionAffinity"), R"("None")");
  EXPECT_EQ(plain.get("spec/internalTrafficPolicy"), R"("Cluster")");
  EXPECT_EQ(plain.get("spec/externalTrafficPolicy"), "-");
  EXPECT_EQ(plain.get("spec/ipFamilies"), R"(["IPv4"])");
  EXPECT_EQ(plain.get("spec/ipFamilyPolicy"), R"("SingleStack")");
  EXPECT_EQ(plain.get("spec/ports/0"), R"({"port":80,"protocol":"TCP","targetPort":80})");
  EXPECT_EQ(plain.get("spec/clusterIPs"), fmt::format("[{}]", plain.get("spec/clusterIP")));
}

TEST(KindsService, AffinityHasATimeout) {
  EXPECT_EQ(create(service(), "spec: {ports: [{port: 80}], sessionAffinity: ClientIP}")
                .get("spec/sessionAffinityConfig"),
            R"({"clientIP":{"timeoutSeconds":10800}})");
  EXPECT_EQ(
      create(service(), "spec: {ports: [{port: 80}], sessionAffinityConfig: {clientIP: {timeoutSeconds: 5}}}")
          .get("spec/sessionAffinityConfig"),
      "-");
  EXPECT_THAT(
      create(service(),
             "spec: {ports: [{port: 80}], sessionAffinity: ClientIP, sessionAffinityConfig: "
             "{clientIP: {timeoutSeconds: 86401}}}")
          .errors,
      ElementsAre(
          "spec.sessionAffinityConfig.clientIP.timeoutSeconds: Invalid value: 86401: must be greater than "
          "0 and less than 86400"));
}

TEST(KindsService, AddressesAreSpreadBySeedAndStayInTheirRange) {
  std::set<std::string> seen;
  for (int i = 0; i < 200; ++i) {
    Taken taken{.addresses = seen, .seed = fmt::format("uid-{}", i)};
    const json::Object object = made("spec: {ports: [{port: 80}]}", taken);
    const std::string address(json::get_string(object, {"spec", "clusterIP"}).value_or(""));
    EXPECT_TRUE(seen.insert(address).second) << address;
    const auto second = std::stoi(address.substr(3));
    EXPECT_TRUE(address.starts_with("10.") && second >= 96 && second <= 111) << address;
    // The first 256 addresses are for those who ask for one.
    EXPECT_FALSE(address.starts_with("10.96.0.")) << address;
  }
  EXPECT_EQ(create(service(), "spec: {ports: [{port: 80}]}", {}).get("spec/clusterIP"),
            create(service(), "spec: {ports: [{port: 80}]}", {}).get("spec/clusterIP"));
}

TEST(KindsService, AnAddressMayBeAskedFor) {
  EXPECT_THAT(create(service(), "spec: {ports: [{port: 80}], clusterIP: 10.96.0.10}").errors, IsEmpty());
  EXPECT_EQ(create(service(), "spec: {ports: [{port: 80}], clusterIP: 10.96.0.10}").get("spec/clusterIPs"),
            R"(["10.96.0.10"])");
  EXPECT_THAT(
      create(service(), "spec: {ports: [{port: 80}], clusterIP: 10.96.0.10}", {.addresses = {"10.96.0.10"}})
          .errors,
      ElementsAre(HasSubstr("failed to allocate IP 10.96.0.10: provided IP is already allocated")));
  EXPECT_THAT(create(service(), "spec: {ports: [{port: 80}], clusterIP: 192.168.0.1}").errors,
              ElementsAre(HasSubstr(
                  "failed to allocate IP 192.168.0.1: the provided IP (192.168.0.1) is not in the valid "
                  "range. The range of valid IPs is 10.96.0.0/12")));
  EXPECT_THAT(create(service(), "spec: {ports: [{port: 80}], clusterIP: 10.96.0.0}").errors,
              testing::SizeIs(1));
  EXPECT_THAT(create(service(), "spec: {ports: [{port: 80}], clusterIP: 10.111.255.255}").errors,
              testing::SizeIs(1));
  EXPECT_THAT(
      create(service(), "spec: {ports: [{port: 80}], clusterIP: ten}").errors,
      ElementsAre(HasSubstr("spec.clusterIPs[0]: Invalid value: \"ten\": must be a valid IP address")));
}

TEST(KindsService, HeadlessOnesHaveNoAddress) {
  const Outcome chosen = create(service(), "spec: {clusterIP: None, selector: {a: b}}");
  EXPECT_THAT(chosen.errors, IsEmpty());
  EXPECT_EQ(chosen.get("spec/clusterIPs"), R"(["None"])");
  EXPECT_EQ(chosen.get("spec/ipFamilyPolicy"), R"("SingleStack")");
  const Outcome free = create(service(), "spec: {clusterIP: None}");
  EXPECT_EQ(free.get("spec/ipFamilyPolicy"), R"("RequireDualStack")");
  EXPECT_EQ(free.get("spec/ipFamilies"), R"(["IPv4","IPv6"])");
  EXPECT_THAT(
      create(service(), "spec: {type: NodePort, clusterIP: None, ports: [{port: 80}]}").errors,
      ElementsAre(
          "spec.clusterIPs[0]: Invalid value: \"None\": may not be set to 'None' for NodePort services"));
}

TEST(KindsService, ExternalNamesHaveNeitherAddressNorFamilies) {
  const Outcome named = create(service(), "spec: {type: ExternalName, externalName: db.example.com.}");
  EXPECT_THAT(named.errors, IsEmpty());
  EXPECT_EQ(named.get("spec/clusterIP"), "-");
  EXPECT_EQ(named.get("spec/ipFamilies"), "-");
  EXPECT_EQ(named.get("spec/internalTrafficPolicy"), "-");
  EXPECT_THAT(create(service(), "spec: {type: ExternalName}").errors,
              ElementsAre("spec.externalName: Required value"));
  EXPECT_THAT(create(service(), "spec: {type: ExternalName, externalName: a.b, clusterIP: 10.96.0.9}").errors,
              ElementsAre("spec.clusterIPs: Forbidden: may not be set for ExternalName services"));
}

TEST(KindsService, ThereIsOneIpFamily) {
  EXPECT_THAT(
      create(service(), "spec: {ports: [{port: 80}], ipFamilies: [IPv6]}").errors,
      testing::Contains("spec.ipFamilies[0]: Invalid value: \"IPv6\": not configured on this cluster"));
  EXPECT_THAT(
      create(service(), "spec: {ports: [{port: 80}], ipFamilyPolicy: RequireDualStack}").errors,
      ElementsAre(
          "spec.ipFamilyPolicy: Invalid value: \"RequireDualStack\": this cluster is not configured for "
          "dual-stack services"));
  const Outcome prefers = create(service(), "spec: {ports: [{port: 80}], ipFamilyPolicy: PreferDualStack}");
  EXPECT_THAT(prefers.errors, IsEmpty());
  EXPECT_EQ(prefers.get("spec/ipFamilies"), R"(["IPv4"])");
}

TEST(KindsService, NodePortsAreAllocatedAndShared) {
  const Outcome exposed =
      create(service(),
             "spec: {type: NodePort, ports: [{name: a, port: 53, protocol: TCP}, {name: b, "
             "port: 53, protocol: UDP}, {name: c, port: 80}]}");
  EXPECT_THAT(exposed.errors, IsEmpty());
  EXPECT_EQ(exposed.get("spec/externalTrafficPolicy"), R"("Cluster")");
  EXPECT_EQ(node_port(exposed, 0), node_port(exposed, 1));
  EXPECT_NE(node_port(exposed, 0), node_port(exposed, 2));
  for (const std::size_t i : {0U, 2U}) {
    EXPECT_GE(node_port(exposed, i), 30086);
    EXPECT_LE(node_port(exposed, i), 32767);
  }
}

TEST(KindsService, ANodePortMayBeAskedFor) {
  EXPECT_EQ(node_port(create(service(), "spec: {type: NodePort, ports: [{port: 80, nodePort: 30000}]}")),
            30000);
  EXPECT_THAT(
      create(service(), "spec: {type: NodePort, ports: [{port: 80, nodePort: 80}]}").errors,
      ElementsAre(
          "spec.ports[0].nodePort: Invalid value: 80: provided port is not in the valid range. The range of "
          "valid ports is 30000-32767"));
  EXPECT_THAT(
      create(service(), "spec: {type: NodePort, ports: [{port: 80, nodePort: 30001}]}", {.ports = {30001}})
          .errors,
      ElementsAre("spec.ports[0].nodePort: Invalid value: 30001: provided port is already allocated"));
  EXPECT_THAT(create(service(), "spec: {ports: [{port: 80, nodePort: 30001}]}").errors,
              ElementsAre("spec.ports[0].nodePort: Forbidden: may not be used when `type` is 'ClusterIP'"));
}

TEST(KindsService, WhenTheUpperPortsAreGoneTheLowerOnesServe) {
  Taken taken;
  for (std::int64_t port = 30086; port <= 32767; ++port) taken.ports.insert(port);
  const std::int64_t given =
      node_port(create(service(), "spec: {type: NodePort, ports: [{port: 80}]}", taken));
  EXPECT_GE(given, 30000);
  EXPECT_LT(given, 30086);
  for (std::int64_t port = 30000; port < 30086; ++port) taken.ports.insert(port);
  EXPECT_THAT(
      create(service(), "spec: {type: NodePort, ports: [{port: 80}]}", taken).errors,
      ElementsAre("spec.ports[0].nodePort: Internal error: failed to allocate a nodePort: range is full"));
}

TEST(KindsService, LoadBalancersGetPortsUnlessTheyDecline) {
  const Outcome balanced = create(service(), "spec: {type: LoadBalancer, ports: [{port: 80}]}");
  EXPECT_THAT(balanced.errors, IsEmpty());
  EXPECT_EQ(balanced.get("spec/allocateLoadBalancerNodePorts"), "true");
  EXPECT_NE(node_port(balanced), 0);
  const Outcome bare = create(
      service(), "spec: {type: LoadBalancer, allocateLoadBalancerNodePorts: false, ports: [{port: 80}]}");
  EXPECT_THAT(bare.errors, IsEmpty());
  EXPECT_EQ(node_port(bare), 0);
  const Outcome local =
      create(service(), "spec: {type: LoadBalancer, externalTrafficPolicy: Local, ports: [{port: 80}]}");
  EXPECT_THAT(local.errors, IsEmpty());
  EXPECT_NE(local.get("spec/healthCheckNodePort"), "-");
  EXPECT_NE(local.get("spec/healthCheckNodePort"), local.get("spec/ports/0/nodePort"));
  EXPECT_THAT(
      create(service(), "spec: {ports: [{port: 80}], healthCheckNodePort: 30500}").errors,
      ElementsAre(
          "spec.healthCheckNodePort: Invalid value: 30500: may only be set when `type` is 'LoadBalancer' and "
          "`externalTrafficPolicy` is 'Local'"));
}

TEST(KindsService, AnUpdateKeepsWhatWasAllocated) {
  const json::Object before = made("spec: {type: NodePort, ports: [{name: web, port: 80}]}");
  const Outcome after =
      changed(before, "spec: {type: NodePort, ports: [{name: web, port: 8080}, {name: new, port: 9090}]}");
  EXPECT_THAT(after.errors, IsEmpty());
  const Outcome old{before, {}};
  EXPECT_EQ(after.get("spec/clusterIP"), old.get("spec/clusterIP"));
  EXPECT_EQ(after.get("spec/clusterIPs"), old.get("spec/clusterIPs"));
  EXPECT_EQ(node_port(after, 0), node_port(old, 0));
  EXPECT_NE(node_port(after, 1), 0);
  EXPECT_NE(node_port(after, 1), node_port(after, 0));
}

TEST(KindsService, OwnValuesAreNotAskedFor) {
  const json::Object before =
      made("spec: {type: NodePort, clusterIP: 10.96.0.77, ports: [{port: 80, nodePort: 30005}]}");
  // The store says that they are in use: by this very service.
  const Outcome after = update(service(), before, before, {.addresses = {"10.96.0.77"}, .ports = {30005}});
  EXPECT_THAT(after.errors, IsEmpty());
  EXPECT_EQ(after.object, before);
}

TEST(KindsService, ATypeThatNeedsLessGivesUpTheRest) {
  const json::Object before = made(
      "spec: {type: LoadBalancer, loadBalancerClass: example.com/lb, externalTrafficPolicy: Local, ports: "
      "[{port: 80}]}");
  json::Object wanted = before;
  wanted["spec"].get_object()["type"] = "ClusterIP";
  const Outcome plain = update(service(), before, wanted);
  EXPECT_THAT(plain.errors, IsEmpty());
  for (const auto* field : {"allocateLoadBalancerNodePorts", "loadBalancerClass", "externalTrafficPolicy",
                            "healthCheckNodePort", "ports/0/nodePort"}) {
    EXPECT_EQ(plain.get(fmt::format("spec/{}", field)), "-") << field;
  }
  EXPECT_EQ(plain.get("spec/clusterIP"), Outcome({before, {}}).get("spec/clusterIP"));
  wanted = plain.object;
  wanted["spec"].get_object()["type"] = "ExternalName";
  wanted["spec"].get_object()["externalName"] = "a.b";
  const Outcome named = update(service(), plain.object, wanted);
  EXPECT_THAT(named.errors, IsEmpty());
  for (const auto* field : {"clusterIP", "clusterIPs", "ipFamilies", "ipFamilyPolicy"}) {
    EXPECT_EQ(named.get(fmt::format("spec/{}", field)), "-") << field;
  }
  wanted = named.object;
  wanted["spec"].get_object()["type"] = "ClusterIP";
  const Outcome again = update(service(), named.object, wanted);
  EXPECT_THAT(again.errors, IsEmpty());
  EXPECT_NE(again.get("spec/clusterIP"), "-");
}

TEST(KindsService, AnAddressDoesNotChange) {
  const json::Object before = made("spec: {clusterIP: 10.96.0.50, ports: [{port: 80}]}");
  EXPECT_THAT(changed(before, "spec: {clusterIP: 10.96.0.51, ports: [{port: 80}]}").errors,
              ElementsAre(HasSubstr("spec.clusterIPs[0]: Invalid value")));
  EXPECT_THAT(changed(before, "spec: {clusterIP: None, ports: [{port: 80}]}").errors,
              ElementsAre(HasSubstr("may not change once set")));
  EXPECT_THAT(changed(before, "spec: {clusterIP: '', ports: [{port: 80}]}").errors, IsEmpty());
}

TEST(KindsService, PortsAreChecked) {
  const auto errors = [](std::string_view ports) {
    return create(service(), fmt::format("spec: {{ports: {}}}", ports)).errors;
  };
  EXPECT_THAT(errors("[]"), ElementsAre("spec.ports: Required value"));
  EXPECT_THAT(errors("[{port: 1}, {port: 2}]"),
              ElementsAre("spec.ports[0].name: Required value", "spec.ports[1].name: Required value"));
  EXPECT_THAT(errors("[{name: a, port: 1}, {name: a, port: 2}]"),
              ElementsAre("spec.ports[1].name: Duplicate value: \"a\""));
  EXPECT_THAT(
      errors("[{port: 70000, targetPort: 1}]"),
      testing::Contains("spec.ports[0].port: Invalid value: 70000: must be between 1 and 65535, inclusive"));
  EXPECT_THAT(errors("[{port: 1, targetPort: http-alt}]"), IsEmpty());
  EXPECT_THAT(
      errors("[{port: 1, targetPort: 70000}]"),
      ElementsAre("spec.ports[0].targetPort: Invalid value: 70000: must be between 1 and 65535, inclusive"));
  EXPECT_THAT(errors("[{port: 1, targetPort: HTTP}]"),
              ElementsAre(HasSubstr("must contain only alpha-numeric characters"),
                          HasSubstr("must contain at least one letter")));
  EXPECT_THAT(errors("[{port: 1, appProtocol: a b}]"),
              ElementsAre(HasSubstr("spec.ports[0].appProtocol: Invalid value")));
}

TEST(KindsService, SourceRangesAndExternalAddressesAreChecked) {
  EXPECT_THAT(
      create(service(),
             "spec: {type: LoadBalancer, ports: [{port: 80}], loadBalancerSourceRanges: [' 10.0.0.0/8']}")
          .errors,
      IsEmpty());
  EXPECT_THAT(
      create(service(), "spec: {ports: [{port: 80}], loadBalancerSourceRanges: [10.0.0.0]}").errors,
      ElementsAre(
          "spec.LoadBalancerSourceRanges: Forbidden: may only be used when `type` is 'LoadBalancer'",
          HasSubstr("spec.LoadBalancerSourceRanges[0]: Invalid value: \"10.0.0.0\": must be a valid CIDR")));
  EXPECT_THAT(create(service(), "spec: {ports: [{port: 80}], externalIPs: [127.0.0.1]}").errors,
              ElementsAre(HasSubstr("may not be in the loopback range")));
  EXPECT_EQ(create(service(), "spec: {ports: [{port: 80}], externalIPs: [203.0.113.7]}")
                .get("spec/externalTrafficPolicy"),
            R"("Cluster")");
}

TEST(KindsService, StatusBelongsToLoadBalancers) {
  const json::Object plain = made("spec: {ports: [{port: 80}]}");
  json::Object wanted = plain;
  wanted["status"] = yaml("loadBalancer: {ingress: [{ip: 203.0.113.7}]}");
  EXPECT_THAT(
      update(service(), plain, wanted).errors,
      ElementsAre(
          "status.loadBalancer.ingress: Forbidden: may only be used when `spec.type` is 'LoadBalancer'"));
  const json::Object balanced = made("spec: {type: LoadBalancer, ports: [{port: 80}]}");
  wanted = balanced;
  wanted["status"] = yaml("loadBalancer: {ingress: [{ip: 203.0.113.7}]}");
  const Outcome served = update(service(), balanced, wanted);
  EXPECT_THAT(served.errors, IsEmpty());
  EXPECT_EQ(served.get("status/loadBalancer/ingress/0/ipMode"), R"("VIP")");
  wanted["status"] = yaml("loadBalancer: {ingress: [{hostname: 203.0.113.7}]}");
  EXPECT_THAT(update(service(), balanced, wanted).errors,
              ElementsAre(HasSubstr("must be a DNS name, not an IP address")));
}

}  // namespace
}  // namespace fairway::apiserver::kinds
