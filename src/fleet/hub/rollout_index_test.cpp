// Which rollouts a change wakes: cases 6, 58 and 82 to 88, without a server.
#include "fleet/hub/rollout_index.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "fleet/hub/policy_book.hpp"
#include "fleet/propagator_child.hpp"
#include "fleet/testing/yaml.hpp"

namespace fairway::fleet {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

using testing::yaml;

Cluster cluster(std::string name, kube::Labels labels = {}) {
  return std::make_shared<const ClusterFacts>(
      ClusterFacts{.name = std::move(name), .labels = std::move(labels)});
}

ClusterGroupUpgrade rollout(std::vector<std::string> clusters, std::vector<std::string> policies) {
  ClusterGroupUpgrade made;
  made.metadata.finalizers = {std::string(kFinalizer)};
  made.spec.clusters = std::move(clusters);
  made.spec.managed_policies = std::move(policies);
  return made;
}

kube::ObjectKey key(std::string name) {
  return {"default", std::move(name)};
}

struct Fleet {
  RolloutIndex index;
  std::map<std::string, Cluster, std::less<>> clusters;

  std::vector<std::string> concerned(std::string_view policy, std::vector<std::string> changed) const {
    const auto find = [this](std::string_view name) -> Cluster {
      const auto found = clusters.find(name);
      return found == clusters.end() ? nullptr : found->second;
    };
    std::vector<std::string> names;
    for (const auto& each : index.concerned(policy, changed, find)) names.push_back(each.name);
    return names;
  }
};

TEST(RolloutIndex, Case83OneOfFourThousandIsWoken) {
  Fleet fleet;
  for (int i = 0; i < 4000; ++i)
    fleet.index.put(key(fmt::format("r{}", i)), rollout({fmt::format("c{}", i)}, {"p"}));
  EXPECT_THAT(fleet.concerned("p", {"c77"}), ElementsAre("r77"));
  EXPECT_THAT(fleet.concerned("q", {"c77"}), IsEmpty());
  EXPECT_THAT(fleet.concerned("p", {"elsewhere"}), IsEmpty());
}

TEST(RolloutIndex, Case84ManyRowsWakeARolloutOnce) {
  Fleet fleet;
  std::vector<std::string> all;
  for (int i = 0; i < 500; ++i) all.push_back(fmt::format("c{}", i));
  fleet.index.put(key("r"), rollout(all, {"ns/p"}));
  EXPECT_THAT(fleet.concerned("p", all), ElementsAre("r"));
}

TEST(RolloutIndex, SelectorsFindRolloutsByLabel) {
  Fleet fleet;
  fleet.clusters["a"] = cluster("a", {{"env", "prod"}, {"region", "eu"}});
  fleet.clusters["b"] = cluster("b", {{"env", "test"}});
  ClusterGroupUpgrade selecting = rollout({}, {"p"});
  selecting.spec.cluster_label_selectors = {{.match_labels = {{"env", "prod"}, {"region", "eu"}}}};
  fleet.index.put(key("both"), selecting);
  selecting.spec.cluster_label_selectors = {{.match_labels = {{"env", "prod"}, {"region", "us"}}}};
  fleet.index.put(key("other-region"), selecting);
  selecting.spec.cluster_label_selectors = {{.match_expressions = {{"env", "NotIn", {"prod"}}}}};
  fleet.index.put(key("not-prod"), selecting);
  selecting.spec.cluster_label_selectors.clear();
  selecting.spec.cluster_selector = {"env=test"};
  fleet.index.put(key("old-form"), selecting);
  EXPECT_THAT(fleet.concerned("p", {"a"}), ElementsAre("both"));
  EXPECT_THAT(fleet.concerned("p", {"b"}), ElementsAre("not-prod", "old-form"));
}

TEST(RolloutIndex, OnceItRollsThePlanCounts) {
  Fleet fleet;
  ClusterGroupUpgrade rolling = rollout({"a", "b"}, {"p", "q"});
  put_condition(rolling.status.conditions, kProgressing, true, "InProgress", "", {});
  rolling.status.remediation_plan = {{"a"}};
  fleet.index.put(key("r"), rolling);
  EXPECT_THAT(fleet.concerned("p", {"a"}), ElementsAre("r"));
  EXPECT_THAT(fleet.concerned("p", {"b"}), IsEmpty());
  EXPECT_THAT(fleet.index.preparing_with_policy("p"), IsEmpty());
}

TEST(RolloutIndex, Case88WhatHasEndedIsNotWoken) {
  Fleet fleet;
  ClusterGroupUpgrade ended = rollout({"a"}, {"p"});
  fleet.index.put(key("r"), ended);
  EXPECT_THAT(fleet.concerned("p", {"a"}), ElementsAre("r"));
  for (const bool has_succeeded : {true, false}) {
    put_condition(ended.status.conditions, kSucceeded, has_succeeded, "Completed", "", {});
    fleet.index.put(key("r"), ended);
    EXPECT_THAT(fleet.concerned("p", {"a"}), IsEmpty());
  }
}

TEST(RolloutIndex, Case6ANewClusterWakesWhoMissedIt) {
  Fleet fleet;
  fleet.index.put(key("r"), rollout({"a", "x"}, {"p"}));
  fleet.index.put(key("s"), rollout({"a"}, {"p"}));
  EXPECT_THAT(fleet.index.preparing_with_cluster(nullptr, cluster("x")), ElementsAre(key("r")));
  EXPECT_THAT(fleet.index.preparing_with_cluster(cluster("x"), cluster("x", {{"a", "b"}})), IsEmpty())
      << "whoever names it does not look at its labels";
}

TEST(RolloutIndex, Case58WaitersAreFoundByTheirBlocker) {
  Fleet fleet;
  ClusterGroupUpgrade waiting = rollout({"a"}, {"p"});
  waiting.spec.blocking_crs = {{.name = "first", .namespace_ = "default"}};
  fleet.index.put(key("r"), waiting);
  EXPECT_THAT(fleet.index.blocked_by(key("first")), ElementsAre(key("r")));
  EXPECT_THAT(fleet.index.blocked_by(key("r")), IsEmpty());
  fleet.index.remove(key("r"));
  EXPECT_THAT(fleet.index.blocked_by(key("first")), IsEmpty());
}

// A root policy default/p with these rows; its children are fed beside it.
struct Policy {
  PolicyBook book;
  std::shared_ptr<const json::Object> last;

  PolicyBook::Change root(std::string_view rows, int generation = 1, std::string_view spec = "{}") {
    auto next = yaml(fmt::format("{{metadata: {{name: p, namespace: default, generation: {}}}, spec: {}{}}}",
                                 generation, spec,
                                 rows.empty() ? "" : fmt::format(", status: {{status: [{}]}}", rows)));
    return take({"default", "p"}, std::exchange(last, next), next);
  }
  PolicyBook::Change take(kube::ObjectKey at, std::shared_ptr<const json::Object> before,
                          std::shared_ptr<const json::Object> after) {
    return book.take({std::move(at), std::move(before), std::move(after)});
  }
  const PolicyView& view() const { return *book.find("p").at(0); }
};

constexpr const char* kTwo =
    "{clustername: a, compliant: NonCompliant}, {clustername: b, compliant: Compliant}";

TEST(PolicyBook, Case82TheSameRowsConcernNobody) {
  Policy policy;
  EXPECT_THAT(policy.root(kTwo).clusters, ElementsAre("a", "b"));
  EXPECT_EQ(policy.root(kTwo), (PolicyBook::Change{.policy = "p"}));
}

TEST(PolicyBook, Case83And85ChangedAndRemovedRowsAreTold) {
  Policy policy;
  policy.root(kTwo);
  EXPECT_THAT(
      policy.root("{clustername: a, compliant: Compliant}, {clustername: b, compliant: Compliant}").clusters,
      ElementsAre("a"));
  EXPECT_EQ(policy.view().compliance_on("a"), Compliance::Compliant);
  EXPECT_THAT(policy.root("{clustername: b, compliant: Compliant}").clusters, ElementsAre("a"));
}

TEST(PolicyBook, Case86ChildrenWakeOnlyWhoMissedThem) {
  Policy policy;
  policy.root(kTwo);
  const auto child = [](int generation, std::string_view status, std::string_view text) {
    return yaml(fmt::format(
        "{{metadata: {{name: default.p, namespace: a, generation: {}, labels: {{'{}': default.p}}}}, spec: "
        "{{policy-templates: [{{objectDefinition: '{}'}}]}}, status: {{compliant: {}}}}}",
        generation, kRootLabel, text, status));
  };
  const auto first = child(1, "NonCompliant", "x");
  EXPECT_EQ(policy.take({"a", "default.p"}, nullptr, first).child, "a");
  const auto second = child(1, "Compliant", "x");
  EXPECT_EQ(policy.take({"a", "default.p"}, first, second), (PolicyBook::Change{.policy = "p"}));
  EXPECT_THAT(policy.view().children, ElementsAre("a"));
  const auto third = child(2, "Compliant", "{{hub fail hub}}");
  EXPECT_EQ(policy.take({"a", "default.p"}, second, third).child, "a");
  EXPECT_THAT(policy.view().unresolved, ElementsAre("a"));
  EXPECT_EQ(policy.take({"a", "default.p"}, third, nullptr).child, "a");
  EXPECT_THAT(policy.view().children, IsEmpty());
}

TEST(PolicyBook, Case87AnotherSpecIsNoStatus) {
  Policy policy;
  policy.root(kTwo);
  const auto told = policy.root(kTwo, 2, "{remediationAction: enforce}");
  EXPECT_THAT(told.clusters, IsEmpty());
  EXPECT_TRUE(told.is_other_root);
  EXPECT_EQ(policy.view().root->remediation_action, "enforce");
}

TEST(PolicyBook, AViewThatIsHeldDoesNotChange) {
  Policy policy;
  policy.root(kTwo);
  const auto held = policy.book.find("p").at(0);
  policy.root("{clustername: a, compliant: Compliant}");
  EXPECT_EQ(held->compliance_on("a"), Compliance::NonCompliant);
  EXPECT_EQ(policy.view().compliance_on("a"), Compliance::Compliant);
}

TEST(PolicyBook, AStatusWithoutRowsIsMoreThanNone) {
  Policy policy;
  policy.root("");
  EXPECT_EQ(policy.view().compliance, nullptr);
  policy.take({"default", "p"}, policy.last, nullptr);
  EXPECT_THAT(policy.book.find("p"), IsEmpty());
}

// Copies that older controllers made for a rollout, and policies of other names, are nobody's children.
TEST(PolicyBook, CopiesAreLeftOut) {
  Policy policy;
  policy.take({"a", "default.p"}, nullptr,
              yaml(fmt::format("{{metadata: {{name: default.p, namespace: a, labels: {{'{}': default.p, "
                               "'openshift-cluster-group-upgrades/clusterGroupUpgrade': r}}}}}}",
                               kRootLabel)));
  EXPECT_THAT(policy.book.find("p"), IsEmpty());
}

}  // namespace
}  // namespace fairway::fleet
