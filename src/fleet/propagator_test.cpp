#include "fleet/propagator.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/text.hpp"
#include "fleet/propagator_child.hpp"
#include "fleet/testing/yaml.hpp"

namespace fairway::fleet {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

using testing::yaml;

// A hub with clusters A to F and the root policy default/p.
struct Hub {
  Hub() {
    ClusterTable table;
    for (const char* each : {"A", "B", "C", "D", "E", "F"}) table[each];
    seen.clusters = std::make_shared<const ClusterTable>(std::move(table));
    seen.key = {"default", "p"};
    set_root("remediationAction: inform");
  }
  void set_root(std::string_view spec, std::string_view metadata = "") {
    seen.bound.root = yaml(
        fmt::format("{{metadata: {{name: p, namespace: default, resourceVersion: '1'{}}}, spec: {{{}}}}}",
                    metadata, spec));
  }
  void bind(
      std::string_view name, std::vector<std::string> clusters, bool is_restricted, bool enforces,
      std::string_view subject = "{apiGroup: policy.open-cluster-management.io, kind: Policy, name: p}") {
    seen.bound.bindings.push_back(yaml(fmt::format(
        "{{metadata: {{name: {0}, namespace: default}}, placementRef: {{apiGroup: "
        "cluster.open-cluster-management.io, kind: Placement, name: {0}}}, subjects: [{1}]{2}{3}}}",
        name, subject, is_restricted ? ", subFilter: restricted" : "",
        enforces ? ", bindingOverrides: {remediationAction: enforce}" : "")));
    seen.bound.decisions[fmt::format("Placement {}", name)] = std::move(clusters);
  }
  // Creates and updates are carried out; the root's status is not.
  void act() {
    for (const PolicyAction& action : decide_policy(seen).actions) {
      if (const auto* create = std::get_if<CreateChild>(&action)) put(create->object);
      if (const auto* update = std::get_if<UpdateChild>(&action)) put(update->object);
      if (const auto* deletion = std::get_if<DeleteChild>(&action))
        seen.children.erase(deletion->key.namespace_);
    }
  }
  void put(json::Object child) {
    const std::string ns(kube::namespace_of(child));
    seen.children[ns] = std::make_shared<const json::Object>(std::move(child));
  }
  void report(const std::string& cluster, std::string_view status) {
    json::Object child = *seen.children.at(cluster);
    child["status"] = *yaml(status);
    put(std::move(child));
  }
  // "A enforce, B inform"
  std::string children() {
    act();
    std::vector<std::string> parts;
    for (const auto& [ns, child] : seen.children)
      parts.push_back(fmt::format("{} {}", ns, *json::get_string(*child, {"spec", "remediationAction"})));
    return join(parts, ", ");
  }
  json::Object status() const {
    return desired_status(seen.bound, enforcement_of(seen.bound),
                          [&](const std::string& cluster) -> std::string_view {
                            const auto child = seen.children.find(cluster);
                            return child == seen.children.end() ? "" : compliance_of_child(*child->second);
                          });
  }
  PolicyObserved seen = {};
};

TEST(Propagator, Case69ARestrictedBindingTurnsWhatIsBound) {
  Hub hub;
  hub.bind("all", {"A", "B", "C", "D"}, false, false);
  hub.bind("batch", {"A", "B"}, true, true);
  EXPECT_EQ(hub.children(), "A enforce, B enforce, C inform, D inform");
}

TEST(Propagator, Case70ARestrictedBindingAddsNobody) {
  Hub hub;
  hub.bind("all", {"A", "B"}, false, false);
  hub.bind("batch", {"E", "F"}, true, true);
  EXPECT_EQ(hub.children(), "A inform, B inform");
  EXPECT_EQ(
      json::serialize(hub.status()),
      R"({"placement":[{"placementBinding":"all","placement":"all","decisions":[)"
      R"({"clusterName":"A","clusterNamespace":"A"},{"clusterName":"B","clusterNamespace":"B"}]}],)"
      R"("status":[{"clustername":"A","clusternamespace":"A"},{"clustername":"B","clusternamespace":"B"}]})");
}

TEST(Propagator, Case71And72OnlyAnUnrestrictedBindingAdds) {
  Hub hub;
  hub.bind("all", {"A", "B", "C", "D"}, false, false);
  hub.bind("more", {"A", "B", "E", "F"}, false, true);
  EXPECT_EQ(hub.children(), "A enforce, B enforce, C inform, D inform, E enforce, F enforce");
  Hub restricted;
  restricted.bind("all", {"A", "B", "C", "D"}, false, false);
  restricted.bind("more", {"A", "B", "E", "F"}, true, true);
  EXPECT_EQ(restricted.children(), "A enforce, B enforce, C inform, D inform");
}

TEST(Propagator, Case73WithoutAnOverrideNothingTurns) {
  Hub hub;
  hub.bind("all", {"A"}, false, false);
  hub.bind("batch", {"A"}, true, false);
  EXPECT_EQ(hub.children(), "A inform");
}

TEST(Propagator, Case74And81EveryBindingCounts) {
  Hub hub;
  hub.bind("all", {"A", "B"}, false, false);
  hub.bind("one", {"A"}, true, true);
  hub.bind("two", {"A", "B"}, true, true);
  EXPECT_EQ(hub.children(), "A enforce, B enforce");
  hub.seen.bound.decisions["Placement two"] = {"B"};
  EXPECT_EQ(hub.children(), "A enforce, B enforce");
  hub.seen.bound.decisions["Placement one"] = {};
  EXPECT_EQ(hub.children(), "A inform, B enforce");
}

TEST(Propagator, Case75And76TheRootComesFirst) {
  Hub hub;
  hub.bind("all", {"A", "B"}, false, false);
  hub.bind("batch", {"A"}, true, true);
  hub.set_root("remediationAction: Enforce");
  EXPECT_EQ(hub.children(), "A Enforce, B Enforce");
  hub.set_root("remediationAction: inform, disabled: true");
  EXPECT_EQ(hub.children(), "");
  EXPECT_TRUE(hub.status().empty());
}

TEST(Propagator, Case77TheWorstCounts) {
  const auto overall = [](std::string_view a, std::string_view b) {
    Hub hub;
    hub.bind("all", {"A", "B"}, false, false);
    hub.act();
    hub.report("A", fmt::format("{{compliant: '{}'}}", a));
    hub.report("B", fmt::format("{{compliant: '{}'}}", b));
    return std::string(json::get_string(hub.status(), {"compliant"}).value_or(""));
  };
  EXPECT_EQ(overall("Compliant", "Compliant"), "Compliant");
  EXPECT_EQ(overall("Compliant", "Pending"), "Pending");
  EXPECT_EQ(overall("Compliant", ""), "");
  EXPECT_EQ(overall("NonCompliant", "Pending"), "NonCompliant");
  EXPECT_EQ(json::get_string(Hub().status(), {"compliant"}), std::nullopt);
}

TEST(Propagator, ComplianceFromBeforeTheLastChangeSaysNothing) {
  const auto child = [](int generation, std::string_view status) {
    return compliance_of_child(
        *yaml(fmt::format("{{metadata: {{generation: {}}}, status: {}}}", generation, status)));
  };
  EXPECT_EQ(child(2, "{compliant: Compliant, observedGeneration: 1}"), "");
  EXPECT_EQ(child(2, "{compliant: Compliant, observedGeneration: 2}"), "Compliant");
  EXPECT_EQ(child(2, "{compliant: Compliant}"), "Compliant") << "an agent that does not say is believed";
  EXPECT_EQ(child(2, "{compliant: NonCompliant, observedGeneration: 1}"), "NonCompliant");
}

TEST(Propagator, Case78MetadataIsCopiedAsAsked) {
  Hub hub;
  const std::string_view metadata =
      ", labels: {team: x, policy.open-cluster-management.io/a: b}, annotations: {note: m, "
      "policy.open-cluster-management.io/trigger-update: '1'}";
  hub.bind("all", {"A"}, false, false);
  hub.set_root("remediationAction: inform", metadata);
  hub.act();
  const json::Object& all = *hub.seen.children.at("A");
  EXPECT_EQ(kube::label(all, "team"), "x");
  EXPECT_EQ(kube::annotation(all, "note"), "m");
  EXPECT_EQ(kube::annotation(all, "policy.open-cluster-management.io/trigger-update"), std::nullopt);
  EXPECT_EQ(kube::annotation(all, "argocd.argoproj.io/compare-options"), "IgnoreExtraneous");
  EXPECT_EQ(kube::name_of(all), "default.p");
  EXPECT_EQ(kube::label(all, kRootLabel), "default.p");
  EXPECT_EQ(kube::label(all, kClusterNameLabel), "A");
  hub.set_root("remediationAction: inform, copyPolicyMetadata: false", metadata);
  hub.act();
  const json::Object& few = *hub.seen.children.at("A");
  EXPECT_EQ(kube::label(few, "team"), std::nullopt);
  EXPECT_EQ(kube::label(few, "policy.open-cluster-management.io/a"), "b");
}

TEST(Propagator, Case79AChildEditedByHandIsRestoredAndItsStatusKept) {
  Hub hub;
  hub.bind("all", {"A"}, false, false);
  hub.act();
  hub.report("A", "{compliant: Compliant}");
  json::Object edited = *hub.seen.children.at("A");
  edited["spec"].get_object()["remediationAction"] = "enforce";
  hub.put(edited);
  hub.act();
  const json::Object& child = *hub.seen.children.at("A");
  EXPECT_EQ(json::get_string(child, {"spec", "remediationAction"}), "inform");
  EXPECT_EQ(json::get_string(child, {"status", "compliant"}), "Compliant");
  json::Object root = *hub.seen.bound.root;
  root["status"] = hub.status();
  hub.seen.bound.root = std::make_shared<const json::Object>(root);
  EXPECT_TRUE(decide_policy(hub.seen).is_empty()) << "nothing is written when nothing is new";
}

TEST(Propagator, Case80OnlyNamespacesOfClustersAreTouched) {
  Hub hub;
  hub.put(*yaml("{metadata: {name: default.p, namespace: elsewhere, uid: u}}"));
  hub.put(*yaml("{metadata: {name: default.p, namespace: B, uid: u}}"));
  hub.seen.bound.root.reset();
  const auto plan = decide_policy(hub.seen);
  ASSERT_EQ(plan.actions.size(), 1u);
  EXPECT_EQ(describe(plan.actions[0]), "delete B/default.p");
  EXPECT_TRUE(is_foreign(*yaml("{metadata: {name: x, namespace: A}}"), *hub.seen.clusters));
  EXPECT_FALSE(is_foreign(*yaml("{metadata: {name: x, namespace: default}}"), *hub.seen.clusters));
  EXPECT_FALSE(is_foreign(*hub.seen.children.begin()->second, {}));
}

TEST(Propagator, SetsBindTheirPoliciesAndDependenciesAreRewritten) {
  Hub hub;
  hub.seen.bound.policy_sets.push_back(yaml("{metadata: {name: s}, spec: {policies: [p, q]}}"));
  hub.bind("set", {"A"}, false, false,
           "{apiGroup: policy.open-cluster-management.io, kind: PolicySet, name: s}");
  hub.bind("wrong", {"B"}, false, false, "{apiGroup: other, kind: Policy, name: p}");
  hub.set_root(
      "remediationAction: inform, dependencies: [{apiVersion: policy.open-cluster-management.io/v1, kind: "
      "Policy, "
      "name: x}, {apiVersion: policy.open-cluster-management.io/v1beta1, kind: PolicySet, name: s}, "
      "{apiVersion: v1, "
      "kind: Policy, name: other}]");
  EXPECT_EQ(hub.children(), "A inform");
  EXPECT_EQ(json::get_string(hub.status().at("placement").get_array().at(0).get_object(), {"policySet"}),
            "s");
  std::vector<std::string> names;
  for (const json::Value& each : *json::get_array(*hub.seen.children.at("A"), {"spec", "dependencies"}))
    names.emplace_back(*json::get_string(each.get_object(), {"name"}));
  EXPECT_THAT(names, ElementsAre("default.x", "default.p", "default.q", "other"));
}

TEST(Propagator, ASetLeavesClustersOutOfAPolicy) {
  Hub hub;
  hub.set_root("remediationAction: inform");
  hub.seen.bound.policy_sets.push_back(yaml(
      "{metadata: {name: s}, spec: {policies: [p, q], exclusions: [{policyName: p, clusterNames: [B, D]}, "
      "{policyName: q, clusterNames: [A]}]}}"));
  const std::string set = "{apiGroup: policy.open-cluster-management.io, kind: PolicySet, name: s}";
  hub.bind("set", {"A", "B", "C"}, false, false, set);
  hub.bind("turned", {"A", "B", "C"}, true, true, set);
  EXPECT_EQ(hub.children(), "A enforce, C enforce");
  EXPECT_EQ(
      json::serialize(hub.status().at("placement").get_array().at(0)),
      R"({"placementBinding":"set","placement":"set","policySet":"s",)"
      R"("decisions":[{"clusterName":"A","clusterNamespace":"A"},{"clusterName":"C","clusterNamespace":"C"}],)"
      R"("exclusions":[{"clusterName":"B"}]})");
  // Only the way through the set is without it.
  hub.bind("direct", {"B"}, false, false);
  EXPECT_EQ(hub.children(), "A enforce, B inform, C enforce");
}

TEST(Propagator, AReferenceOfTheWrongKindBindsNobody) {
  Hub hub;
  hub.seen.bound.bindings.push_back(
      yaml("{metadata: {name: b}, placementRef: {apiGroup: apps.open-cluster-management.io, kind: Placement, "
           "name: b}, "
           "subjects: [{apiGroup: policy.open-cluster-management.io, kind: Policy, name: p}]}"));
  hub.seen.bound.decisions["Placement b"] = {"A"};
  EXPECT_THAT(decide_policy(hub.seen).actions, IsEmpty());
}

}  // namespace
}  // namespace fairway::fleet
