#include "clusterversion/manifest_state.hpp"

#include <gtest/gtest.h>

#include "json/testing/objects.hpp"

namespace fairway::clusterversion {
namespace {

// "ready", "waiting: …" or "failed: …"
std::string tell(const ManifestState& state) {
  if (const auto* waiting = std::get_if<Waiting>(&state)) return "waiting: " + waiting->why;
  if (const auto* failed = std::get_if<Failed>(&state)) return "failed: " + failed->why;
  return "ready";
}

void check(const std::string& head, std::initializer_list<std::pair<const char*, const char*>> cases,
           ManifestExpectation expected = {}) {
  for (const auto& [rest, state] : cases)
    EXPECT_EQ(tell(state_of(json::test_object("{" + head + ", " + rest + "}"), expected)), state) << rest;
}

TEST(ManifestState, OfKindsThatTakeEffectAtOnceIsReady) {
  check("apiVersion: v1, kind: ConfigMap", {{"metadata: {name: a}", "ready"}});
  check("apiVersion: example.com/v1, kind: Deployment", {{"metadata: {name: a, generation: 4}", "ready"}});
  check("apiVersion: v1, kind: ConfigMap",
        {{"metadata: {name: a, namespace: b, deletionTimestamp: '2024-01-01T00:00:00Z'}",
          "waiting: ConfigMap \"b/a\": the old one is still being deleted"}});
}

TEST(ManifestState, OfADefinitionIsEstablished) {
  check("apiVersion: apiextensions.k8s.io/v1, kind: CustomResourceDefinition, metadata: {name: a}",
        {{"status: {conditions: [{type: Established, status: 'True', reason: r, message: m}]}", "ready"},
         {"status: {}", "waiting: CustomResourceDefinition \"a\": it has no condition Established yet"},
         {"status: {conditions: [{type: Established, status: 'False', reason: Installing, message: soon}]}",
          "waiting: CustomResourceDefinition \"a\": it has Established=False: Installing: soon"},
         {"status: {conditions: [{type: NamesAccepted, status: 'False', reason: Taken, message: by b}]}",
          "failed: CustomResourceDefinition \"a\" has NamesAccepted=False: Taken: by b"}});
}

TEST(ManifestState, OfADeploymentIsRolledOut) {
  check("apiVersion: apps/v1, kind: Deployment, metadata: {name: a, namespace: ns, generation: 2}",
        {{"status: {observedGeneration: 1}",
          "waiting: Deployment \"ns/a\": its controller has not seen the newest spec yet"},
         {"spec: {replicas: 3}, status: {observedGeneration: 2, replicas: 3, updatedReplicas: 1}",
          "waiting: Deployment \"ns/a\": 1 of 3 pods are updated"},
         {"status: {observedGeneration: 2}", "waiting: Deployment \"ns/a\": 0 of 1 pods are updated"},
         {"spec: {replicas: 2}, status: {observedGeneration: 2, replicas: 3, updatedReplicas: 2}",
          "waiting: Deployment \"ns/a\": 1 old pods are still there"},
         {"spec: {replicas: 2}, status: {observedGeneration: 2, replicas: 2, updatedReplicas: 2, "
          "availableReplicas: 1}",
          "waiting: Deployment \"ns/a\": 1 of 2 pods are available"},
         {"spec: {replicas: 2}, status: {observedGeneration: 2, replicas: 2, updatedReplicas: 2, "
          "availableReplicas: 2}",
          "ready"},
         {"spec: {replicas: 0}, status: {observedGeneration: 2}", "ready"},
         {"spec: {replicas: 2}, status: {observedGeneration: 2, conditions: [{type: Progressing, status: "
          "'False', "
          "reason: ProgressDeadlineExceeded, message: too long}]}",
          "failed: Deployment \"ns/a\" has Progressing=False: ProgressDeadlineExceeded: too long"}});
}

TEST(ManifestState, OfAStatefulSetIsRolledOut) {
  check("apiVersion: apps/v1, kind: StatefulSet, metadata: {name: a, generation: 2}",
        {{"status: {observedGeneration: 1}",
          "waiting: StatefulSet \"a\": its controller has not seen the newest spec yet"},
         {"spec: {updateStrategy: {type: OnDelete}}, status: {observedGeneration: 2}", "ready"},
         {"spec: {replicas: 2}, status: {observedGeneration: 2, updatedReplicas: 1, availableReplicas: 2, "
          "currentRevision: x, updateRevision: y}",
          "waiting: StatefulSet \"a\": 1 of 2 pods are updated"},
         {"spec: {replicas: 2, updateStrategy: {rollingUpdate: {partition: 1}}}, status: "
          "{observedGeneration: 2, "
          "updatedReplicas: 1, availableReplicas: 2, currentRevision: x, updateRevision: y}",
          "ready"},
         {"spec: {replicas: 2}, status: {observedGeneration: 2, currentRevision: x, updateRevision: x, "
          "availableReplicas: 1}",
          "waiting: StatefulSet \"a\": 1 of 2 pods are available"},
         {"spec: {replicas: 2}, status: {observedGeneration: 2, currentRevision: x, updateRevision: x, "
          "readyReplicas: 2}",
          "ready"}});
}

TEST(ManifestState, OfADaemonSetIsRolledOut) {
  check("apiVersion: apps/v1, kind: DaemonSet, metadata: {name: a, generation: 2}",
        {{"status: {observedGeneration: 1}",
          "waiting: DaemonSet \"a\": its controller has not seen the newest spec yet"},
         {"status: {observedGeneration: 2, desiredNumberScheduled: 3, updatedNumberScheduled: 2}",
          "waiting: DaemonSet \"a\": 2 of 3 pods are updated"},
         {"status: {observedGeneration: 2, desiredNumberScheduled: 3, updatedNumberScheduled: 3, "
          "numberAvailable: 1}",
          "waiting: DaemonSet \"a\": 1 of 3 pods are available"},
         {"status: {observedGeneration: 2, desiredNumberScheduled: 3, updatedNumberScheduled: 3, "
          "numberAvailable: 3}",
          "ready"},
         {"spec: {updateStrategy: {type: OnDelete}}, status: {observedGeneration: 2, desiredNumberScheduled: "
          "3}",
          "ready"}});
}

TEST(ManifestState, OfAJobIsComplete) {
  check("apiVersion: batch/v1, kind: Job, metadata: {name: a}",
        {{"status: {active: 1}", "waiting: Job \"a\": it is not complete yet"},
         {"status: {conditions: [{type: Complete, status: 'True', reason: '', message: ''}]}", "ready"},
         {"status: {conditions: [{type: Failed, status: 'True', reason: BackoffLimitExceeded, message: six "
          "times}]}",
          "failed: Job \"a\" has Failed=True: BackoffLimitExceeded: six times"}});
}

TEST(ManifestState, OfANamespaceIsActive) {
  check("apiVersion: v1, kind: Namespace, metadata: {name: a}",
        {{"status: {phase: Active}", "ready"},
         {"status: {phase: Terminating}",
          "waiting: Namespace \"a\": expected the phase \"Active\", found \"Terminating\""}});
}

TEST(ManifestState, OfAnApiServiceIsAvailable) {
  check(
      "apiVersion: apiregistration.k8s.io/v1, kind: APIService, metadata: {name: a}",
      {{"status: {conditions: [{type: Available, status: 'True', reason: Passed, message: m}]}", "ready"},
       {"status: {conditions: [{type: Available, status: 'False', reason: MissingEndpoints, message: none}]}",
        "waiting: APIService \"a\": it has Available=False: MissingEndpoints: none"}});
}

TEST(ManifestState, OfAClusterOperatorIsItsVersionAvailableAndNotDegraded) {
  const std::string head = "apiVersion: config.openshift.io/v1, kind: ClusterOperator, metadata: {name: dns}";
  const char* good =
      "status: {versions: [{name: coredns, version: '1'}, {name: operator, version: 4.7.4}], conditions: "
      "[{type: Available, status: 'True', reason: r, message: m}, {type: Degraded, status: 'False', reason: "
      "r, "
      "message: m}]}";
  check(head, {{good, "ready"}}, {.version = "4.7.4"});
  check(head, {{good, "ready"}});
  check(head,
        {{good,
          "waiting: ClusterOperator \"dns\": expected it to report the version \"4.7.5\", found \"4.7.4\""},
         {"status: {}",
          "waiting: ClusterOperator \"dns\": expected it to report the version \"4.7.5\", found \"\""}},
        {.version = "4.7.5"});
  check(head, {{"status: {conditions: [{type: Available, status: 'True', reason: r, message: m}, {type: "
                "Degraded, status: "
                "'True', reason: Broken, message: no pods}]}",
                "failed: ClusterOperator \"dns\" has Degraded=True: Broken: no pods"},
               {"status: {conditions: [{type: Available, status: 'False', reason: Down, message: away}]}",
                "waiting: ClusterOperator \"dns\": it has Available=False: Down: away"},
               {"status: {}", "waiting: ClusterOperator \"dns\": it has no condition Available yet"}});
}

}  // namespace
}  // namespace fairway::clusterversion
