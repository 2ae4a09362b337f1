#include "fleet/agent/decide.hpp"

#include <gmock/gmock.h>

#include "base/text.hpp"
#include "fleet/agent/difference.hpp"
#include "fleet/agent/messages.hpp"
#include "fleet/agent/testing/cluster.hpp"
#include "kube/core/object.hpp"

namespace fairway::fleet::agent {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::SimulatedCluster;
using ::testing::StartsWith;

constexpr const char* kNamespaceFoo =
    "object-templates: [{complianceType: musthave, objectDefinition: {apiVersion: v1, kind: Namespace, "
    "metadata: {name: foo}}}]";

std::string with(std::string_view more, std::string_view spec) {
  return std::string(more) + "\n" + std::string(spec);
}

std::string one_template(std::string_view rule, std::string_view definition, std::string_view more = "") {
  return "object-templates: [{complianceType: " + std::string(rule) +
         ", objectDefinition: " + std::string(definition) + std::string(more) + "}]";
}

constexpr const char* kSettings =
    "{apiVersion: v1, kind: ConfigMap, metadata: {name: s, namespace: default}, data: {a: x}}";

const json::Object& related(const SimulatedCluster& cluster, std::size_t of = 0) {
  return json::get_array(cluster.policy(), {"status", "relatedObjects"})->at(of).get_object();
}

std::string related_text(const SimulatedCluster& cluster, json::Path path, std::size_t of = 0) {
  return std::string(json::get_string(related(cluster, of), path).value_or(""));
}

TEST(Decide, Case90AbsentAndInform) {
  SimulatedCluster cluster;
  cluster.set_policy(kNamespaceFoo);
  EXPECT_EQ(cluster.pass(), "write the status of policies/p: NonCompliant\n");
  EXPECT_EQ(cluster.compliant(), "NonCompliant");
  EXPECT_EQ(cluster.reason(), "K8s does not have a `must have` object");
  EXPECT_EQ(cluster.message(), "namespaces [foo] not found");
  EXPECT_THAT(cluster.history(), ElementsAre("NonCompliant; violation - namespaces [foo] not found"));
  EXPECT_EQ(related_text(cluster, {"reason"}), "Resource not found but should exist");
  EXPECT_EQ(cluster.find("Namespace foo"), nullptr);
  EXPECT_EQ(cluster.pass(), "") << "nothing new, nothing written";
}

TEST(Decide, Case91AbsentAndEnforce) {
  SimulatedCluster cluster;
  cluster.set_policy(with("remediationAction: Enforce", kNamespaceFoo));
  EXPECT_EQ(cluster.pass(), "create Namespace foo\nwrite the status of policies/p: Compliant\n");
  EXPECT_EQ(cluster.message(), "namespaces [foo] was created successfully");
  EXPECT_EQ(cluster.reason(), "K8s creation success");
  EXPECT_EQ(json::get_bool(related(cluster), {"properties", "createdByPolicy"}), true);
  EXPECT_EQ(related_text(cluster, {"properties", "uid"}), kube::uid_of(*cluster.find("Namespace foo")));
  EXPECT_EQ(cluster.pass(), "write the status of policies/p: Compliant\n");
  EXPECT_EQ(cluster.message(), "namespaces [foo] found as specified");
  EXPECT_THAT(cluster.history(),
              ElementsAre("Compliant; notification - namespaces [foo] found as specified",
                          "Compliant; notification - namespaces [foo] was created successfully",
                          "NonCompliant; violation - namespaces [foo] not found"));
  EXPECT_EQ(json::get_bool(related(cluster), {"properties", "createdByPolicy"}), true)
      << "it stays on record";
  EXPECT_EQ(cluster.pass(), "");
}

TEST(Decide, Case92MustOnlyHaveTakesExtrasAway) {
  SimulatedCluster cluster;
  cluster.put(
      "{apiVersion: v1, kind: ConfigMap, metadata: {name: s, namespace: default}, data: {a: x, b: y}}");
  cluster.set_policy(one_template("musthave", kSettings));
  cluster.settle();
  EXPECT_EQ(cluster.message(), "configmaps [s] found as specified in namespace default");
  cluster.set_policy(one_template("mustonlyhave", kSettings));
  cluster.settle();
  EXPECT_EQ(cluster.message(), "configmaps [s] found but not as specified in namespace default");
  EXPECT_EQ(cluster.compliant(), "NonCompliant");
  cluster.set_policy(with("remediationAction: enforce", one_template("mustonlyhave", kSettings)));
  EXPECT_EQ(cluster.pass(),
            "try an update of ConfigMap default/s\nupdate ConfigMap default/s\n"
            "write the status of policies/p: Compliant\n");
  EXPECT_EQ(cluster.message(), "configmaps [s] was updated successfully in namespace default");
  EXPECT_FALSE(json::get_object(*cluster.find("ConfigMap default/s"), {"data"})->contains("b"));
}

TEST(Decide, Case96UnwantedIsDeletedWhenEnforced) {
  SimulatedCluster cluster;
  cluster.put(kSettings);
  cluster.set_policy(one_template("mustnothave", kSettings));
  cluster.settle();
  EXPECT_EQ(cluster.message(), "configmaps [s] found in namespace default");
  EXPECT_EQ(cluster.reason(), "K8s has a `must not have` object");
  cluster.set_policy(with("remediationAction: enforce", one_template("mustnothave", kSettings)));
  EXPECT_EQ(cluster.pass(),
            "delete ConfigMap default/s: it must not be there\nwrite the status of policies/p: Compliant\n");
  EXPECT_EQ(cluster.message(), "configmaps [s] was deleted successfully in namespace default");
  cluster.settle();
  EXPECT_EQ(cluster.message(), "configmaps [s] missing as expected in namespace default");
  EXPECT_EQ(cluster.reason(), "K8s `must not have` object already missing");
}

TEST(Decide, UnwantedThatOnlySharesTheNameIsLeftAlone) {
  SimulatedCluster cluster;
  cluster.put("{apiVersion: v1, kind: ConfigMap, metadata: {name: s, namespace: default}, data: {a: other}}");
  cluster.set_policy(with("remediationAction: enforce", one_template("mustnothave", kSettings)));
  cluster.settle();
  EXPECT_EQ(cluster.compliant(), "Compliant");
  EXPECT_NE(cluster.find("ConfigMap default/s"), nullptr);
}

TEST(Decide, TerminatingStaysNonCompliant) {
  SimulatedCluster cluster;
  cluster.keeps_deleted = true;
  cluster.put(kSettings);
  cluster.set_policy(with("remediationAction: enforce", one_template("mustnothave", kSettings)));
  cluster.settle();
  EXPECT_EQ(cluster.compliant(), "NonCompliant");
  EXPECT_EQ(cluster.message(), "configmaps [s] found in namespace default");
  cluster.erase("ConfigMap default/s");
  cluster.settle();
  EXPECT_EQ(cluster.compliant(), "Compliant");
}

TEST(Decide, Case97NoNamespace) {
  SimulatedCluster cluster;
  cluster.set_policy(one_template("musthave", "{apiVersion: v1, kind: ConfigMap, metadata: {name: s}}"));
  cluster.settle();
  EXPECT_EQ(cluster.compliant(), "NonCompliant");
  EXPECT_EQ(cluster.reason(), "K8s missing namespace");
  EXPECT_THAT(cluster.message(), StartsWith("namespaced object s of kind ConfigMap has no namespace"));
}

TEST(Decide, Case99OneNamespaceLacks) {
  SimulatedCluster cluster;
  for (const char* name : {"a", "b", "c"})
    cluster.put(std::string("{apiVersion: v1, kind: Namespace, metadata: {name: ") + name + "}}");
  cluster.put("{apiVersion: v1, kind: ConfigMap, metadata: {name: s, namespace: a}}");
  const std::string both =
      with("namespaceSelector: {include: [a, b]}",
           one_template("musthave", "{apiVersion: v1, kind: ConfigMap, metadata: {name: s}}"));
  cluster.set_policy(both);
  cluster.settle();
  EXPECT_EQ(cluster.compliant(), "NonCompliant");
  EXPECT_EQ(cluster.message(),
            "configmaps [s] not found in namespace b; configmaps [s] found as specified in namespace a");
  cluster.put("{apiVersion: v1, kind: ConfigMap, metadata: {name: s, namespace: b}}");
  cluster.settle();
  EXPECT_EQ(cluster.message(), "configmaps [s] found as specified in namespaces: a, b");
}

TEST(Decide, Case100NeverUntilTheGenerationChanges) {
  SimulatedCluster cluster;
  cluster.put(kSettings);
  const std::string spec =
      with("evaluationInterval: {compliant: never}", one_template("musthave", kSettings));
  cluster.set_policy(spec);
  cluster.settle();
  EXPECT_EQ(cluster.compliant(), "Compliant");
  cluster.erase("ConfigMap default/s");
  EXPECT_EQ(cluster.pass(), "") << "never";
  EXPECT_FALSE(cluster.plan().wake_at);
  cluster.set_policy(spec);
  cluster.pass();
  EXPECT_EQ(cluster.compliant(), "NonCompliant");
}

TEST(Decide, AnIntervalIsKeptExactly) {
  SimulatedCluster cluster;
  cluster.put(kSettings);
  cluster.set_policy(
      with("evaluationInterval: {compliant: 90s, noncompliant: 10s}", one_template("musthave", kSettings)));
  const auto first = decide(cluster.observe());
  EXPECT_EQ(first.wake_at, cluster.now + std::chrono::seconds(90));
  cluster.pass();
  cluster.erase("ConfigMap default/s");
  cluster.now += std::chrono::seconds(89);
  EXPECT_EQ(cluster.pass(), "");
  EXPECT_EQ(cluster.plan().wake_at, cluster.now + std::chrono::seconds(1));
  cluster.now += std::chrono::seconds(1);
  cluster.pass();
  EXPECT_EQ(cluster.compliant(), "NonCompliant");
  EXPECT_EQ(cluster.plan().wake_at, cluster.now + std::chrono::seconds(10));
  cluster.now += std::chrono::seconds(10);
  EXPECT_EQ(cluster.pass(), "write the status of policies/p: NonCompliant\n")
      << "the time of the look is what the next counts from";
}

TEST(Decide, OtherNamespacesMakeItDue) {
  SimulatedCluster cluster;
  cluster.set_policy(
      with("evaluationInterval: {noncompliant: never}\nnamespaceSelector: {include: ['a*']}",
           one_template("musthave", "{apiVersion: v1, kind: ConfigMap, metadata: {name: s}}")));
  cluster.settle();
  EXPECT_EQ(cluster.reason(), "K8s missing namespace");
  cluster.put("{apiVersion: v1, kind: Namespace, metadata: {name: a1}}");
  cluster.settle();
  EXPECT_EQ(cluster.message(), "configmaps [s] not found in namespace a1");
}

TEST(Decide, Case101TheFlipIsAnotherGeneration) {
  SimulatedCluster cluster;
  const std::string never =
      with("evaluationInterval: {compliant: never, noncompliant: never}", kNamespaceFoo);
  cluster.set_policy(never);
  cluster.settle();
  cluster.set_policy(with("remediationAction: enforce", never));
  EXPECT_THAT(cluster.pass(), StartsWith("create Namespace foo\n"));
  EXPECT_EQ(json::get_int(cluster.policy(), {"status", "lastEvaluatedGeneration"}), 2);
}

TEST(Decide, Case102StatusIsComparedNotWritten) {
  SimulatedCluster cluster;
  cluster.put(
      "{apiVersion: v1, kind: Pod, metadata: {name: w, namespace: default}, spec: {a: 1}, status: {phase: "
      "Pending}}");
  cluster.set_policy(with("remediationAction: enforce",
                          one_template("musthave",
                                       "{apiVersion: v1, kind: Pod, metadata: {name: w, namespace: default}, "
                                       "spec: {a: 2}, status: {phase: Running}}")));
  EXPECT_THAT(cluster.pass(), StartsWith("try an update of Pod default/w\nupdate Pod default/w\n"));
  EXPECT_EQ(cluster.compliant(), "NonCompliant");
  EXPECT_EQ(cluster.message(), "pods [w] found but not as specified in namespace default");
  EXPECT_EQ(json::get_string(*cluster.find("Pod default/w"), {"status", "phase"}), "Pending");
  EXPECT_EQ(cluster.pass(), "") << "there is nothing that a write could do";
  cluster.change("Pod default/w",
                 [](json::Object& pod) { json::ensure_object(pod, {"status"})["phase"] = "Running"; });
  cluster.settle();
  EXPECT_EQ(cluster.compliant(), "Compliant");
}

TEST(Decide, Case103SecretsAreComparedAndNotShown) {
  SimulatedCluster cluster;
  cluster.put("{apiVersion: v1, kind: Secret, metadata: {name: s, namespace: default}, data: {k: dmFsdWU=}}");
  const auto wanted = [](const char* value) {
    return one_template("musthave",
                        std::string("{apiVersion: v1, kind: Secret, metadata: {name: s, namespace: default}, "
                                    "stringData: {k: ") +
                            value + "}}");
  };
  cluster.set_policy(wanted("value"));
  cluster.settle();
  EXPECT_EQ(cluster.compliant(), "Compliant");
  cluster.set_policy(wanted("other"));
  cluster.settle();
  EXPECT_EQ(cluster.compliant(), "NonCompliant");
  EXPECT_EQ(related_text(cluster, {"properties", "diff"}), kCensoredDiff);
}

TEST(Decide, Case104ImmutableFields) {
  SimulatedCluster cluster;
  cluster.immutable.insert("data.a");
  cluster.put("{apiVersion: v1, kind: ConfigMap, metadata: {name: s, namespace: default}, data: {a: old}}");
  cluster.set_policy(with("remediationAction: enforce", one_template("musthave", kSettings)));
  cluster.settle();
  EXPECT_EQ(cluster.reason(), "K8s update template error");
  EXPECT_THAT(cluster.message(), HasSubstr("data.a: field is immutable"));
  EXPECT_EQ(cluster.plan().wake_at, std::nullopt) << "a plan of questions has no time yet";
  const std::string uid(kube::uid_of(*cluster.find("ConfigMap default/s")));
  cluster.set_policy(with("remediationAction: enforce",
                          one_template("musthave", kSettings, ", recreateOption: IfRequired")));
  EXPECT_EQ(cluster.pass(),
            "try an update of ConfigMap default/s\ndelete ConfigMap default/s: to make it anew\ncreate "
            "ConfigMap default/s\n"
            "write the status of policies/p: Compliant\n");
  EXPECT_NE(kube::uid_of(*cluster.find("ConfigMap default/s")), uid);
  EXPECT_EQ(cluster.message(), "configmaps [s] was created successfully in namespace default");
}

TEST(Decide, RecreateAlwaysDeletesThenCreates) {
  SimulatedCluster cluster;
  cluster.put("{apiVersion: v1, kind: ConfigMap, metadata: {name: s, namespace: default}, data: {a: old}}");
  cluster.keeps_deleted = true;
  cluster.set_policy(
      with("remediationAction: enforce", one_template("musthave", kSettings, ", recreateOption: Always")));
  cluster.settle();
  EXPECT_EQ(cluster.compliant(), "NonCompliant") << "the old one is still there";
  cluster.erase("ConfigMap default/s");
  cluster.settle();
  EXPECT_EQ(cluster.compliant(), "Compliant");
}

TEST(Decide, WhatTheServerFillsInIsNoDifference) {
  SimulatedCluster cluster;
  cluster.admit = [](json::Object& object) { json::ensure_object(object, {"data"})["defaulted"] = "yes"; };
  cluster.put(
      "{apiVersion: v1, kind: ConfigMap, metadata: {name: s, namespace: default}, data: {a: x, defaulted: "
      "'yes'}}");
  cluster.set_policy(with("remediationAction: enforce", one_template("mustonlyhave", kSettings)));
  EXPECT_EQ(cluster.pass(),
            "try an update of ConfigMap default/s\nwrite the status of policies/p: Compliant\n");
  EXPECT_EQ(json::get_bool(related(cluster), {"properties", "matchesAfterDryRun"}), true);
}

TEST(Decide, RefusedWritesAreToldAndTriedLater) {
  SimulatedCluster cluster;
  cluster.refuses = "create is not allowed";
  cluster.set_policy(with("remediationAction: enforce", kNamespaceFoo));
  Observed seen = cluster.observe();
  for (const Action& each : decide(seen).actions) ASSERT_TRUE(cluster.act(each, seen.outcomes));
  const auto told = decide(seen);
  EXPECT_EQ(told.wake_at, cluster.now + kRefusalStands);
  cluster.settle();
  EXPECT_EQ(cluster.reason(), "K8s creation error");
  EXPECT_EQ(cluster.message(),
            "namespaces [foo] is missing, and cannot be created, reason: `create is not allowed`");
  cluster.refuses = "";
  cluster.settle();
  EXPECT_EQ(cluster.compliant(), "Compliant");
}

TEST(Decide, WithoutANameAnyFitsAndNoneIsMade) {
  SimulatedCluster cluster;
  const char* any = "{apiVersion: v1, kind: Pod, metadata: {namespace: default}, spec: {a: 1}}";
  cluster.set_policy(with("remediationAction: enforce", one_template("musthave", any)));
  cluster.settle();
  EXPECT_EQ(cluster.message(), "No instances of `pods` found as specified in namespace default");
  EXPECT_EQ(related_text(cluster, {"object", "metadata", "name"}), "-");
  cluster.put("{apiVersion: v1, kind: Pod, metadata: {name: q, namespace: default}, spec: {a: 1, b: 2}}");
  cluster.put("{apiVersion: v1, kind: Pod, metadata: {name: r, namespace: default}, spec: {a: 2}}");
  cluster.settle();
  EXPECT_EQ(cluster.message(), "pods [q] found as specified in namespace default");
  cluster.set_policy(with("remediationAction: enforce", one_template("mustnothave", any)));
  cluster.settle();
  EXPECT_EQ(cluster.find("Pod default/q"), nullptr);
  EXPECT_NE(cluster.find("Pod default/r"), nullptr);
  EXPECT_EQ(cluster.message(), "pods missing as expected in namespace default");
}

TEST(Decide, ObjectSelectorMeansEachOfThem) {
  SimulatedCluster cluster;
  cluster.put(
      "{apiVersion: v1, kind: Pod, metadata: {name: q, namespace: default, labels: {app: w}}, spec: {a: 1}}");
  cluster.put(
      "{apiVersion: v1, kind: Pod, metadata: {name: r, namespace: default, labels: {app: w}}, spec: {a: 2}}");
  cluster.put("{apiVersion: v1, kind: Pod, metadata: {name: s, namespace: default}, spec: {a: 2}}");
  cluster.set_policy(with(
      "remediationAction: enforce",
      one_template("musthave", "{apiVersion: v1, kind: Pod, metadata: {namespace: default}, spec: {a: 1}}",
                   ", objectSelector: {matchLabels: {app: w}}")));
  cluster.settle();
  EXPECT_EQ(json::get_int(*cluster.find("Pod default/r"), {"spec", "a"}), 1);
  EXPECT_EQ(json::get_int(*cluster.find("Pod default/s"), {"spec", "a"}), 2);
  EXPECT_EQ(cluster.message(), "pods [q, r] found as specified in namespace default");
}

TEST(Decide, KindsThatTheServerLacks) {
  SimulatedCluster cluster;
  cluster.set_policy(
      one_template("musthave", "{apiVersion: example.test/v1, kind: Gone, metadata: {name: x}}"));
  cluster.settle();
  EXPECT_THAT(cluster.message(),
              StartsWith("couldn't find mapping resource with kind Gone in API version example.test/v1"));
  cluster.set_policy(
      one_template("mustnothave", "{apiVersion: example.test/v1, kind: Gone, metadata: {name: x}}"));
  cluster.settle();
  EXPECT_EQ(cluster.compliant(), "Compliant");
}

TEST(Decide, SeveralTemplatesInOneMessage) {
  SimulatedCluster cluster;
  cluster.put(kSettings);
  cluster.set_policy(
      "object-templates:\n- {complianceType: musthave, objectDefinition: " + std::string(kSettings) +
      "}\n- {complianceType: musthave, objectDefinition: {apiVersion: v1, kind: Namespace, metadata: {name: "
      "foo}}}");
  cluster.settle();
  EXPECT_THAT(
      cluster.history(),
      ElementsAre(
          "NonCompliant; notification - configmaps [s] found as specified in namespace default; violation - "
          "namespaces [foo] not found"));
}

TEST(Decide, DiffsAreRecordedWhereTheyMay) {
  SimulatedCluster cluster;
  cluster.put("{apiVersion: v1, kind: Pod, metadata: {name: w, namespace: default}, spec: {a: 1}}");
  const char* pod = "{apiVersion: v1, kind: Pod, metadata: {name: w, namespace: default}, spec: {a: 2}}";
  cluster.set_policy(one_template("musthave", pod));
  cluster.settle();
  EXPECT_THAT(related_text(cluster, {"properties", "diff"}), HasSubstr("-  a: 1\n+  a: 2"));
  cluster.set_policy(one_template("musthave", pod, ", recordDiff: Log"));
  cluster.settle();
  EXPECT_EQ(json::get_object(related(cluster), {"properties"}), nullptr);
}

TEST(Decide, LongMessagesAreCut) {
  const std::string text = policy_message(false, std::string(5000, 'x'));
  EXPECT_EQ(text.size(), kMostMessageBytes);
  EXPECT_TRUE(text.ends_with("xxx...[truncated]"));
}

constexpr const char* kPruned = "remediationAction: enforce\npruneObjectBehavior: DeleteIfCreated";

TEST(Prune, TakesBackWhatItMade) {
  SimulatedCluster cluster;
  cluster.set_policy(with(kPruned, one_template("musthave", kSettings)));
  EXPECT_EQ(cluster.pass(), "add the finalizer of policies/p\n");
  cluster.settle();
  cluster.delete_policy();
  EXPECT_EQ(
      cluster.pass(),
      "delete ConfigMap default/s: its policy no longer asks for it\nremove the finalizer of policies/p\n");
  EXPECT_EQ(cluster.find("ConfigMap default/s"), nullptr);
  EXPECT_EQ(cluster.policy_object, nullptr);
}

TEST(Prune, LeavesWhatWasThereBeforeOrIsAnother) {
  SimulatedCluster cluster;
  cluster.put(kSettings);
  cluster.set_policy(with(kPruned, one_template("musthave", kSettings)));
  cluster.settle();
  cluster.delete_policy();
  cluster.settle();
  EXPECT_NE(cluster.find("ConfigMap default/s"), nullptr);

  SimulatedCluster other;
  other.set_policy(with(kPruned, one_template("musthave", kSettings)));
  other.settle();
  other.erase("ConfigMap default/s");
  other.put(kSettings);
  other.delete_policy();
  other.settle();
  EXPECT_NE(other.find("ConfigMap default/s"), nullptr) << "same name, another object";
}

TEST(Prune, WhatIsNoLongerNamedGoes) {
  SimulatedCluster cluster;
  cluster.set_policy(with(kPruned, one_template("musthave", kSettings)));
  cluster.settle();
  cluster.set_policy(with(kPruned, kNamespaceFoo));
  cluster.settle();
  EXPECT_EQ(cluster.find("ConfigMap default/s"), nullptr);
  EXPECT_NE(cluster.find("Namespace foo"), nullptr);
}

// Not being able to tell never deletes.
TEST(Prune, ATemplateThatCannotBeReadGivesNothingUp) {
  SimulatedCluster cluster;
  const std::string good = with(kPruned, one_template("musthave", kSettings));
  const std::string bad = with(kPruned, "object-templates-raw: '{{ nonsense }}'");
  cluster.set_policy(good);
  cluster.settle();
  cluster.set_policy(bad);
  cluster.settle();
  EXPECT_EQ(cluster.reason(), "Error processing template");
  EXPECT_NE(cluster.find("ConfigMap default/s"), nullptr);
  // And it is still known who made it.
  cluster.delete_policy();
  cluster.settle();
  EXPECT_EQ(cluster.find("ConfigMap default/s"), nullptr);
}

TEST(Prune, WaitsForWhatIsHeld) {
  SimulatedCluster cluster;
  cluster.set_policy(with(kPruned, one_template("musthave", kSettings)));
  cluster.settle();
  cluster.keeps_deleted = true;
  cluster.delete_policy();
  cluster.settle();
  ASSERT_NE(cluster.policy_object, nullptr);
  EXPECT_EQ(cluster.compliant(), "Terminating");
  cluster.erase("ConfigMap default/s");
  cluster.settle();
  EXPECT_EQ(cluster.policy_object, nullptr);
}

TEST(Prune, RefusalsKeepThePolicy) {
  SimulatedCluster cluster;
  cluster.set_policy(with(kPruned, one_template("musthave", kSettings)));
  cluster.settle();
  cluster.refuses = "delete is not allowed";
  cluster.delete_policy();
  cluster.pass();
  ASSERT_NE(cluster.policy_object, nullptr);
  EXPECT_EQ(cluster.reason(), "Error cleaning up child objects");
}

}  // namespace
}  // namespace fairway::fleet::agent
