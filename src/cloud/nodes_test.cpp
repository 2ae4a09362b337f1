#include <fmt/format.h>
#include <gtest/gtest.h>

#include "base/text.hpp"
#include "cloud/nodes_decide.hpp"
#include "json/patch.hpp"
#include "kube/core/conditions.hpp"

namespace fairway::cloud::nodes {
namespace {

using std::chrono::seconds;

// A Deployment, its pods and time, as values.
struct SimulatedNodes {
  SimulatedNodes() {
    deployment = *json::parse_object(
        R"({"metadata":{"name":"router-custom","namespace":"openshift-ingress","uid":"d1","resourceVersion":"1","generation":1},
        "spec":{"replicas":2,"minReadySeconds":30,"strategy":{"rollingUpdate":{"maxSurge":"25%","maxUnavailable":"25%"}},
        "selector":{"matchLabels":{"app":"router"}},"template":{"metadata":{"labels":{"app":"router"}},"spec":{"containers":[
          {"name":"router","image":"haproxy:1","ports":[{"name":"http","containerPort":80},{"name":"metrics","containerPort":1936}],
           "readinessProbe":{"httpGet":{"path":"/healthz/ready","port":"metrics"}},
           "livenessProbe":{"httpGet":{"path":"/healthz","port":1936}}}]}}}})");
  }

  Observed observe() const {
    Observed seen{.key = {"openshift-ingress", "router-custom"},
                  .settings = std::make_shared<const Settings>(settings),
                  .now = now};
    if (deployment) seen.deployment = std::make_shared<const json::Object>(*deployment);
    for (const auto& [name, pod] : pods) {
      const std::string uid(kube::uid_of(pod));
      seen.pods.push_back(
          {std::make_shared<const json::Object>(pod), "127.88.0." + uid, running.contains(name)});
    }
    for (const std::string& name : running)
      if (!pods.contains(name)) seen.ghosts.push_back({"openshift-ingress", name});
    return seen;
  }

  void act(const Action& action) {
    if (const auto* one = std::get_if<CreatePod>(&action)) {
      json::Object made = one->pod;
      made["metadata"].get_object()["uid"] = fmt::to_string(++uids);
      pods.emplace(kube::name_of(one->pod), std::move(made));
    } else if (const auto* deleted = std::get_if<DeletePod>(&action)) {
      pods.erase(deleted->key.name);
    } else if (const auto* run = std::get_if<RunPod>(&action)) {
      running.insert(run->key.name);
      ports = run->ports;
    } else if (const auto* stop = std::get_if<StopPod>(&action)) {
      running.erase(stop->key.name);
    } else if (const auto* status = std::get_if<WritePodStatus>(&action)) {
      pods.at(std::string(kube::name_of(*status->pod)))["status"] = status->status;
    } else if (const auto* written = std::get_if<WriteDeploymentStatus>(&action)) {
      json::Value after = json::find(*deployment, {"status"}) ? *json::find(*deployment, {"status"})
                                                              : json::Value(json::Object{});
      json::apply_merge_patch(after, written->patch);
      (*deployment)["status"] = std::move(after);
    }
    // The bounds of a rolling update hold at every moment.
    fewest_available = std::min(fewest_available, available());
    most_pods = std::max(most_pods, pods.size());
  }

  std::size_t available() const {
    std::size_t count = 0;
    for (const auto& [name, pod] : pods) {
      const auto conditions = kube::conditions_of(pod);
      const auto* ready = kube::find_condition(conditions, "Ready");
      if (ready != nullptr && *ready->last_transition_time + seconds(30) <= now) ++count;
    }
    return count;
  }

  std::string settle() {
    std::string story;
    for (int round = 0; round < 50; ++round) {
      const kube::Plan<Action> plan = decide(observe());
      if (plan.actions.empty()) return story;
      for (const Action& action : plan.actions) {
        story += describe(action) + "\n";
        act(action);
      }
    }
    return story + "and so on\n";
  }
  void settle_in_time() {
    for (int round = 0; round < 50; ++round) {
      settle();
      const auto wake = decide(observe()).wake_at;
      if (!wake) return;
      now = *wake;
    }
    ADD_FAILURE() << "there is always more to wait for";
  }
  std::string condition(std::string_view type) const {
    const auto conditions = kube::conditions_of(*deployment);
    const auto* found = kube::find_condition(conditions, type);
    return found == nullptr ? "absent" : found->status + " " + found->reason;
  }
  std::int64_t status(std::string_view field) const {
    return json::get_int(*deployment, {"status", field}).value_or(0);
  }
  void edit(std::string_view image) {
    (*deployment)["spec"].at("template").at("spec").at("containers").as_array()[0].get_object()["image"] =
        image;
    (*deployment)["metadata"].get_object()["generation"] = kube::generation_of(*deployment) + 1;
  }

  Settings settings;
  std::optional<json::Object> deployment;
  std::map<std::string, json::Object> pods;
  std::set<std::string> running;
  std::vector<PodPort> ports;
  WallTime now{seconds(1'700'000'000)};
  int uids = 0;
  std::size_t fewest_available = 1000;
  std::size_t most_pods = 0;
};

TEST(Nodes, PodsAreMadeRunAndReadyAndLaterAvailable) {
  SimulatedNodes nodes;
  nodes.settle();
  EXPECT_EQ(nodes.pods.size(), 2U);
  EXPECT_EQ(nodes.running.size(), 2U);
  EXPECT_EQ(nodes.status("readyReplicas"), 2);
  EXPECT_EQ(nodes.status("availableReplicas"), 0);
  EXPECT_EQ(nodes.status("unavailableReplicas"), 2);
  EXPECT_EQ(nodes.condition("Available"), "False MinimumReplicasUnavailable");
  EXPECT_EQ(nodes.condition("Progressing"), "True ReplicaSetUpdated");
  EXPECT_EQ(decide(nodes.observe()).wake_at, nodes.now + seconds(30));
  nodes.settle_in_time();
  EXPECT_EQ(nodes.status("availableReplicas"), 2);
  EXPECT_EQ(nodes.status("observedGeneration"), 1);
  EXPECT_EQ(nodes.condition("Available"), "True MinimumReplicasAvailable");
  EXPECT_EQ(nodes.condition("Progressing"), "True NewReplicaSetAvailable");
  EXPECT_EQ(nodes.settle(), "");
  const json::Object& pod = nodes.pods.begin()->second;
  EXPECT_TRUE(kube::is_owned_by(pod, "d1"));
  EXPECT_EQ(kube::label(pod, "app"), "router");
  EXPECT_EQ(nodes.ports, (std::vector<PodPort>{{80, {}}, {1936, {"/healthz", "/healthz/ready"}}}));
}

TEST(Nodes, AChangedTemplateIsRolledOutWithinItsBounds) {
  SimulatedNodes nodes;
  (*nodes.deployment)["spec"].get_object()["replicas"] = 4;
  nodes.settle_in_time();
  const auto before = nodes.pods;
  nodes.fewest_available = 1000;
  nodes.most_pods = 0;
  nodes.edit("haproxy:2");
  nodes.settle_in_time();
  EXPECT_EQ(nodes.pods.size(), 4U);
  for (const auto& [name, pod] : nodes.pods) EXPECT_FALSE(before.contains(name)) << name;
  EXPECT_EQ(nodes.fewest_available, 3U) << "one of four may be away";
  EXPECT_EQ(nodes.most_pods, 5U) << "and one more may be there";
  EXPECT_EQ(nodes.status("updatedReplicas"), 4);
  EXPECT_EQ(nodes.running.size(), 4U);
}

// Case 108: what does not concern the template leaves the pods alone.
TEST(Nodes, WhatIsNotTheTemplateRestartsNothing) {
  SimulatedNodes nodes;
  nodes.settle_in_time();
  const auto before = nodes.pods;
  kube::set_annotation(*nodes.deployment, "example.test/mine", "1");
  EXPECT_EQ(nodes.settle(), "");
  EXPECT_EQ(nodes.pods, before);
}

TEST(Nodes, ScalesUpAndDown) {
  SimulatedNodes nodes;
  nodes.settle_in_time();
  (*nodes.deployment)["spec"].get_object()["replicas"] = 3;
  nodes.settle_in_time();
  EXPECT_EQ(nodes.status("availableReplicas"), 3);
  (*nodes.deployment)["spec"].get_object()["replicas"] = 0;
  nodes.settle_in_time();
  EXPECT_TRUE(nodes.pods.empty());
  EXPECT_TRUE(nodes.running.empty());
  EXPECT_EQ(json::find(*nodes.deployment, {"status", "replicas"}), nullptr) << "as Kubernetes leaves it out";
}

TEST(Nodes, RunTheSamePodsAfterARestart) {
  SimulatedNodes nodes;
  nodes.settle_in_time();
  const auto before = nodes.pods;
  nodes.running.clear();
  const std::string story = nodes.settle();
  EXPECT_EQ(nodes.running.size(), 2U);
  EXPECT_EQ(nodes.pods, before);
  EXPECT_EQ(story.find("create"), std::string::npos) << story;
}

TEST(Nodes, GoWithTheDeployment) {
  SimulatedNodes nodes;
  nodes.settle_in_time();
  nodes.deployment.reset();
  nodes.settle();
  EXPECT_TRUE(nodes.pods.empty());
  EXPECT_TRUE(nodes.running.empty());
}

TEST(Nodes, PodsOfAnEarlierDeploymentOfTheNameGo) {
  SimulatedNodes nodes;
  nodes.settle_in_time();
  (*nodes.deployment)["metadata"].get_object()["uid"] = "d2";
  nodes.settle_in_time();
  EXPECT_EQ(nodes.pods.size(), 2U);
  for (const auto& [name, pod] : nodes.pods) EXPECT_TRUE(kube::is_owned_by(pod, "d2"));
}

TEST(Nodes, APodThatVanishedIsStoppedAndReplaced) {
  SimulatedNodes nodes;
  nodes.settle_in_time();
  nodes.pods.erase(nodes.pods.begin());
  nodes.settle_in_time();
  EXPECT_EQ(nodes.pods.size(), 2U);
  EXPECT_EQ(nodes.status("availableReplicas"), 2);
}

TEST(Nodes, WhoIsInAHurrySaysSo) {
  SimulatedNodes nodes;
  nodes.settings.min_ready = Duration::zero();
  nodes.settle();
  EXPECT_EQ(nodes.status("availableReplicas"), 2);
}

TEST(Nodes, AnOffsetIsWrittenOnThePods) {
  SimulatedNodes nodes;
  nodes.settings.port_offset = 8000;
  nodes.settle();
  EXPECT_EQ(kube::annotation(nodes.pods.begin()->second, "cloud.fairway.dev/port-offset"), "8000");
  EXPECT_EQ(nodes.ports[0].port, 8080);
}

}  // namespace
}  // namespace fairway::cloud::nodes
