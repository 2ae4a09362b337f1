// Which clusters a placement chooses, and what is written about it.
#include "fleet/hub/placement_decide.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "fleet/hub/kinds.hpp"
#include "fleet/testing/yaml.hpp"
#include "kube/core/conditions.hpp"

namespace fairway::fleet {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

using testing::yaml;

// A placement default/p, clusters, and a server that carries out what is decided.
struct Hub {
  explicit Hub(std::string_view spec, std::string_view kind = "Placement") {
    seen.key = {"default", "p"};
    seen.now = WallTime{std::chrono::hours(480000)};
    const std::string_view version = kind == "Placement" ? "cluster.open-cluster-management.io/v1beta1"
                                                         : "apps.open-cluster-management.io/v1";
    placement =
        *yaml(fmt::format("{{apiVersion: {}, kind: {}, metadata: {{name: p, namespace: default, uid: u, "
                          "resourceVersion: '1'}}, "
                          "spec: {}}}",
                          version, kind, spec));
    look();
  }
  void look() {
    seen.placement = std::make_shared<const json::Object>(placement);
    seen.request = std::make_shared<const PlacementRequest>(PlacementRequest::from(placement));
    seen.decisions.clear();
    for (const auto& [name, object] : decisions)
      seen.decisions.push_back(std::make_shared<const json::Object>(object));
  }
  void cluster(std::string_view name, std::string_view labels = "{}", std::string_view rest = "") {
    seen.candidates.push_back(std::make_shared<const ClusterFacts>(ClusterFacts::from(
        *yaml(fmt::format("{{metadata: {{name: {}, labels: {}}}{}}}", name, labels, rest)))));
  }
  void clusters(int count) {
    seen.candidates.clear();
    for (int i = 0; i < count; ++i) cluster(fmt::format("c{:04}", i));
  }
  // How many actions it took.
  std::size_t act() {
    const auto plan = decide_placement(seen);
    for (const PlacementAction& action : plan.actions) {
      if (const auto* create = std::get_if<CreateDecision>(&action)) {
        json::Object made = create->object;
        set(made, create->clusters);
        decisions[std::string(kube::name_of(made))] = made;
      } else if (const auto* write = std::get_if<WriteDecision>(&action)) {
        set(decisions.at(write->key.name), write->clusters);
      } else if (const auto* gone = std::get_if<DeleteDecision>(&action)) {
        decisions.erase(gone->key.name);
      } else {
        for (const auto& each : std::get<WritePlacementStatus>(action).status)
          json::ensure_object(placement, {"status"})[each.key()] = each.value();
      }
    }
    look();
    return plan.actions.size();
  }
  static void set(json::Object& decision, const std::vector<std::string>& clusters) {
    json::ensure_object(decision, {"status"})["decisions"] = decision_rows(clusters);
  }
  std::vector<std::string> chosen() {
    act();
    EXPECT_EQ(act(), 0u) << "nothing is written when nothing is new";
    std::vector<std::string> all;
    for (const auto& [name, object] : decisions) {
      for (const std::string& each : decided_clusters(object)) all.push_back(each);
    }
    if (seen.request->kind == PlacementKind::PlacementRule) all = decided_clusters(placement);
    std::ranges::sort(all);
    return all;
  }
  std::string satisfied() {
    act();
    const auto conditions = kube::conditions_of(placement);
    const auto* found = kube::find_condition(conditions, "PlacementSatisfied");
    return found == nullptr ? "absent" : found->status + " " + found->reason;
  }

  PlacementObserved seen = {};
  json::Object placement = {};
  std::map<std::string, json::Object> decisions = {};
};

TEST(Placement, ChoosesByLabelAndByClaim) {
  Hub hub(
      "{predicates: [{requiredClusterSelector: {labelSelector: {matchLabels: {env: prod}}, claimSelector: "
      "{matchExpressions: [{key: region, operator: In, values: [eu]}]}}}, {requiredClusterSelector: "
      "{labelSelector: {matchExpressions: [{key: edge, operator: Exists}]}}}]}");
  const std::string_view eu = ", status: {clusterClaims: [{name: region, value: eu}]}";
  hub.cluster("a", "{env: prod}", eu);
  hub.cluster("b", "{env: prod}");
  hub.cluster("c", "{env: test}", eu);
  hub.cluster("d", "{edge: ''}");
  EXPECT_THAT(hub.chosen(), ElementsAre("a", "d"));
  EXPECT_EQ(hub.satisfied(), "True AllDecisionsScheduled");
  EXPECT_EQ(json::get_int(hub.placement, {"status", "numberOfSelectedClusters"}), 2);
}

// D14: a cluster without the label answers to its name; one with another answers to that.
TEST(Placement, NamesClustersWithOrWithoutTheLabel) {
  Hub hub(
      "{predicates: [{requiredClusterSelector: {labelSelector: {matchExpressions: [{key: name, operator: In, "
      "values: [a, b, x]}]}}}]}");
  hub.cluster("a");
  hub.cluster("b", "{name: other}");
  hub.cluster("c", "{name: x}");
  EXPECT_THAT(hub.chosen(), ElementsAre("a", "c"));
  EXPECT_THAT(*hub.seen.request->required_labels(), ElementsAre("name=a", "name=b", "name=x"));
}

TEST(Placement, NamingNobodySelectsNobody) {
  for (const char* values : {"", ", values: []"}) {
    Hub hub(
        fmt::format("{{predicates: [{{requiredClusterSelector: {{labelSelector: {{matchExpressions: [{{key: "
                    "name, operator: In{}}}]}}}}}}]}}",
                    values));
    hub.cluster("a");
    EXPECT_THAT(hub.chosen(), IsEmpty());
    EXPECT_EQ(hub.satisfied(), "False NoManagedClusterMatched");
    EXPECT_THAT(*hub.seen.request->required_labels(), IsEmpty()) << "no cluster concerns it";
  }
}

TEST(Placement, ChoosesAsManyAsAskedForAndKeepsThem) {
  Hub hub("{numberOfClusters: 2}");
  hub.cluster("b");
  hub.cluster("c", "{}", ", spec: {taints: [{key: k, effect: PreferNoSelect}]}");
  hub.cluster("d");
  EXPECT_THAT(hub.chosen(), ElementsAre("b", "d"));
  hub.cluster("a");
  EXPECT_THAT(hub.chosen(), ElementsAre("b", "d")) << "what was chosen stays";
  hub.seen.candidates.resize(1);
  EXPECT_EQ(hub.satisfied(), "False NotAllDecisionsScheduled");
  EXPECT_THAT(hub.chosen(), ElementsAre("b"));
}

TEST(Placement, TaintsKeepAwayWhoDoesNotTolerateThem) {
  Hub hub(
      "{tolerations: [{key: cluster.open-cluster-management.io/unavailable, operator: Exists}, {key: k, "
      "value: "
      "v}, {key: slow, operator: Exists, tolerationSeconds: 60}]}");
  const auto tainted = [](std::string_view taint) {
    return fmt::format(", spec: {{taints: [{{{}}}]}}", taint);
  };
  hub.cluster("a", "{}", tainted("key: cluster.open-cluster-management.io/unavailable, effect: NoSelect"));
  hub.cluster("b", "{}", tainted("key: k, value: v, effect: NoSelect"));
  hub.cluster("c", "{}", tainted("key: k, value: w, effect: NoSelect"));
  hub.cluster("d", "{}", tainted("key: new, effect: NoSelectIfNew"));
  hub.cluster("e", "{}", tainted("key: slow, effect: NoSelect, timeAdded: '2024-10-04T00:00:00Z'"));
  hub.seen.now = WallTime{std::chrono::seconds(1'728'000'030)};  // half a minute later
  EXPECT_THAT(hub.chosen(), ElementsAre("a", "b", "e"));
  EXPECT_EQ(decide_placement(hub.seen).wake_at, WallTime{std::chrono::seconds(1'728'000'060)});
  hub.seen.now += std::chrono::seconds(30);
  EXPECT_THAT(hub.chosen(), ElementsAre("a", "b"));
}

TEST(Placement, ATaintForNewOnesLeavesWhoIsThere) {
  Hub hub("{}");
  hub.cluster("a");
  EXPECT_THAT(hub.chosen(), ElementsAre("a"));
  hub.seen.candidates.clear();
  hub.cluster("a", "{}", ", spec: {taints: [{key: k, effect: NoSelectIfNew}]}");
  hub.cluster("b", "{}", ", spec: {taints: [{key: k, effect: NoSelectIfNew}]}");
  EXPECT_THAT(hub.chosen(), ElementsAre("a"));
}

TEST(Placement, ChoosesFromBoundSetsOnly) {
  Hub hub("{clusterSets: [one]}");
  hub.cluster("a", "{cluster.open-cluster-management.io/clusterset: one}");
  hub.cluster("b", "{cluster.open-cluster-management.io/clusterset: two}");
  const auto set = [](const char* name) {
    return BoundSet{name, kube::Selector::from_labels({{std::string(kClusterSetLabel), name}})};
  };
  hub.seen.sets = std::vector<BoundSet>{};
  EXPECT_EQ(hub.satisfied(), "False NoManagedClusterSetBindings");
  hub.seen.sets = std::vector{set("two")};
  EXPECT_EQ(hub.satisfied(), "False NoIntersection");
  hub.seen.sets = std::vector{set("one"), set("two")};
  hub.seen.has_members = false;
  EXPECT_EQ(hub.satisfied(), "False AllManagedClusterSetsEmpty");
  hub.seen.has_members = true;
  EXPECT_THAT(hub.chosen(), ElementsAre("a"));
}

TEST(Placement, WhatCannotBeUnderstoodChangesNothing) {
  Hub hub("{}");
  hub.cluster("a");
  EXPECT_THAT(hub.chosen(), ElementsAre("a"));
  json::ensure_object(hub.placement, {"spec"})["predicates"] =
      *json::parse(R"([{"requiredClusterSelector":{"celSelector":{"celExpressions":["true"]}}}])");
  hub.look();
  EXPECT_THAT(hub.chosen(), ElementsAre("a"));
  const auto conditions = kube::conditions_of(hub.placement);
  EXPECT_TRUE(kube::is_condition_true(conditions, "PlacementMisconfigured"));
}

TEST(Placement, AHundredDecisionsEachAndOneMoreClusterIsOneWrite) {
  Hub hub("{}");
  hub.clusters(250);
  hub.act();
  ASSERT_EQ(hub.decisions.size(), 3u);
  for (const auto& [name, object] : hub.decisions) EXPECT_LE(decided_clusters(object).size(), 100u);
  EXPECT_EQ(hub.decisions.begin()->first, "p-decision-1");
  EXPECT_EQ(kube::label(hub.decisions.begin()->second, kPlacementLabel), "p");
  EXPECT_EQ(kube::controller_of(hub.decisions.begin()->second)->uid, "u");
  hub.cluster("b");  // before all others by name
  EXPECT_EQ(hub.act(), 2u) << "one decision and the number in the status";
  EXPECT_EQ(hub.chosen().size(), 251u);
  hub.clusters(1);
  EXPECT_THAT(hub.chosen(), ElementsAre("c0000"));
  EXPECT_EQ(hub.decisions.size(), 1u);
  hub.clusters(0);
  EXPECT_THAT(hub.chosen(), IsEmpty());
  EXPECT_EQ(hub.decisions.size(), 1u) << "one stays for the next time";
}

TEST(Placement, DecisionsGoWithTheirPlacement) {
  Hub hub("{}");
  hub.clusters(150);
  hub.act();
  hub.seen.placement.reset();
  const auto plan = decide_placement(hub.seen);
  ASSERT_EQ(plan.actions.size(), 2u);
  EXPECT_TRUE(std::holds_alternative<DeleteDecision>(plan.actions[0]));
}

TEST(Placement, ALongNameIsFoundByItsOwner) {
  Hub hub("{}");
  const std::string name(200, 'x');
  json::ensure_object(hub.placement, {"metadata"})["name"] = name;
  hub.look();
  hub.clusters(1);
  hub.act();
  const json::Object& decision = hub.decisions.begin()->second;
  EXPECT_LE(kube::label(decision, kPlacementLabel)->size(), 63u);
  EXPECT_EQ(placement_of(decision), name);
}

TEST(PlacementRule, ChoosesByNameByLabelAndByCondition) {
  Hub named("{clusters: [{name: b}, {name: x}]}", "PlacementRule");
  named.cluster("a", "{name: b}");
  named.cluster("b", "{name: other}");
  EXPECT_THAT(named.chosen(), ElementsAre("b")) << "whatever their labels say";
  Hub labelled(
      "{clusterSelector: {matchLabels: {env: prod}}, clusterConditions: [{type: "
      "ManagedClusterConditionAvailable, status: 'True'}]}",
      "PlacementRule");
  labelled.cluster("a", "{env: prod}",
                   ", status: {conditions: [{type: ManagedClusterConditionAvailable, status: 'True'}]}");
  labelled.cluster("b", "{env: prod}");
  EXPECT_THAT(labelled.chosen(), ElementsAre("a"));
}

// Case 66
TEST(PlacementRule, NoReplicasIsNobody) {
  Hub hub("{clusterReplicas: 0}", "PlacementRule");
  hub.cluster("a");
  EXPECT_THAT(hub.chosen(), IsEmpty());
  EXPECT_THAT(*hub.seen.request->required_labels(), IsEmpty());
}

TEST(RequiredLabels, AreWhatTellsClustersApartBest) {
  const auto required = [](std::string_view text) {
    const auto values = required_labels(*kube::Selector::parse(text));
    return values ? fmt::format("{}", fmt::join(*values, " ")) : "any";
  };
  EXPECT_EQ(required("a in (x,y),b=z"), "b=z");
  EXPECT_EQ(required("a=b,name in (x,y)"), "name=x name=y");
  EXPECT_EQ(required("a,b!=c"), "a");
  EXPECT_EQ(required("!a,b notin (c)"), "any");
  EXPECT_EQ(required(""), "any");
}

}  // namespace
}  // namespace fairway::fleet
