// The cases of the state machine, on a simulated fleet.
#include "fleet/decide.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/text.hpp"
#include "fleet/testing/fleet.hpp"

namespace fairway::fleet {
namespace {

using std::chrono::minutes;
using std::chrono::seconds;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::SimulatedFleet;

constexpr auto kC = Compliance::Compliant;
constexpr auto kN = Compliance::NonCompliant;

// Clusters s1 to s5, policies p0 to p2 that nobody complies with.
SimulatedFleet fleet_of(int clusters = 5, int policies = 1) {
  SimulatedFleet fleet;
  for (int i = 1; i <= clusters; ++i) fleet.add_cluster(fmt::format("s{}", i));
  for (int i = 0; i < policies; ++i) fleet.add_policy(fmt::format("p{}", i));
  return fleet;
}

ClusterGroupUpgradeSpec spec(std::vector<std::string> clusters, std::int64_t at_once,
                             std::vector<std::string> policies = {"p0"}) {
  return {.clusters = std::move(clusters),
          .remediation_strategy = {.max_concurrency = at_once},
          .managed_policies = std::move(policies)};
}

std::string plan_text(const SimulatedFleet& fleet) {
  std::vector<std::string> batches;
  for (const Batch& each : fleet.status("c").remediation_plan) batches.push_back(join(each, " "));
  return join(batches, " | ");
}

std::string notes_of(const SimulatedFleet& fleet) {
  std::string text;
  for (const RolloutEvent& each : fleet.events) text += each.note + "\n";
  return text;
}

std::vector<std::string> placed(const SimulatedFleet& fleet, const std::string& policy) {
  return clusters_in(*fleet.objects.at("Placement default/c-" + policy + "-placement-kuttl"));
}

TEST(Preparing, Case4ASelectionOfNobodyMissesEveryPolicy) {
  SimulatedFleet fleet = fleet_of();
  fleet.create("c", {.cluster_selector = {"a=b=c"}, .managed_policies = {"p0"}});
  fleet.settle("c");
  EXPECT_EQ(fleet.condition("c", kClustersSelected), "True ClusterSelectionCompleted");
  EXPECT_EQ(fleet.message("c", kValidated), "Missing managed policies: [p0] ");
}

TEST(Preparing, Case5And6WaitsForClustersAndTellsOnce) {
  SimulatedFleet fleet = fleet_of(1);
  fleet.create("c", spec({"s1", "x"}, 1));
  fleet.settle("c");
  EXPECT_EQ(fleet.condition("c", kClustersSelected), "False ClusterNotFound");
  EXPECT_EQ(decide(fleet.observe("c")).wake_at, fleet.now + minutes(5));
  EXPECT_EQ(fleet.events.back().annotations.at("cgu.openshift.io/missing-clusters"), "x");
  EXPECT_EQ(fleet.events.size(), 2u);
  fleet.add_cluster("x");
  fleet.settle("c");
  EXPECT_EQ(fleet.condition("c", kClustersSelected), "True ClusterSelectionCompleted");
}

// K2: what is disabled is planned, and nobody is enforced.
TEST(Preparing, DisabledRolloutsArePlannedOnly) {
  SimulatedFleet fleet = fleet_of(1, 2);
  auto asked = spec({"s1"}, 3, {"p0", "p1"});
  asked.enable = false;
  fleet.create("c", asked);
  fleet.settle("c");
  EXPECT_EQ(fleet.status("c").computed_max_concurrency, 1);
  EXPECT_EQ(plan_text(fleet), "s1");
  EXPECT_EQ(fleet.condition("c", kProgressing), "False NotEnabled");
  EXPECT_THAT(fleet.status("c").placements, ElementsAre("c-p0-placement-kuttl", "c-p1-placement-kuttl"));
  EXPECT_THAT(fleet.status("c").placement_bindings, fleet.status("c").placements);
  EXPECT_THAT(fleet.enforced_by("c"), IsEmpty());
  EXPECT_EQ(json::serialize(json::to_object(fleet.status("c").status)), "{}");
}

TEST(Preparing, Case22To27WhoNeedsNothingIsCompleteAtTheStart) {
  SimulatedFleet fleet = fleet_of(5, 2);
  fleet.set("p0", "s2", kC);
  fleet.set("p1", "s2", kC);
  fleet.set("p0", "s3", Compliance::Pending);
  fleet.set("p1", "s3", kC);
  fleet.set("p0", "s4", Compliance::NotMatched);
  fleet.set("p1", "s4", Compliance::NotMatched);
  fleet.create("c", spec({"s1", "s2", "s3", "s4", "s5"}, 2, {"p0", "p1"}));
  fleet.settle("c");
  EXPECT_EQ(plan_text(fleet), "s1 s3 | s5");
  EXPECT_EQ(fleet.rows("c"), "s2 complete, s4 complete");
}

TEST(Preparing, Case25APolicyWithoutStatusConcernsAll) {
  SimulatedFleet fleet = fleet_of(2);
  fleet.policies.at("p0").has_status = false;
  fleet.create("c", spec({"s1", "s2"}, 1));
  fleet.settle("c");
  EXPECT_EQ(plan_text(fleet), "s1 | s2");
}

TEST(Preparing, Case28And29NothingToDoSucceedsAtOnce) {
  SimulatedFleet fleet = fleet_of(1, 0);
  fleet.add_policy("p0", {.remediation_action = "inform", .has_status_section = true});
  fleet.set("p0", "s1", kC);
  fleet.create("c", spec({"s1"}, 1));
  fleet.create("empty", spec({"s1"}, 1, {}));
  fleet.settle("c");
  fleet.settle("empty");
  EXPECT_EQ(fleet.status("c").managed_policies_for_upgrade.size(), 1u);
  for (const char* name : {"c", "empty"}) {
    EXPECT_EQ(fleet.condition(name, kSucceeded), "True Completed");
    EXPECT_EQ(fleet.message(name, kSucceeded),
              "All clusters already compliant with the specified managed policies");
    EXPECT_EQ(fleet.rows(name), "s1 complete");
  }
}

TEST(Preparing, Case30ACanaryCountsOnce) {
  SimulatedFleet fleet = fleet_of(2);
  auto asked = spec({"s1", "s2"}, 1);
  asked.remediation_strategy.canaries = {"s1", "s1"};
  fleet.create("c", asked);
  fleet.settle("c");
  EXPECT_EQ(plan_text(fleet), "s1 | s2");
  EXPECT_EQ(fleet.status("c").rollout.canary_batches, 1);
}

TEST(Preparing, Case50ATimeoutOfZeroAtCreationIsTheDefault) {
  SimulatedFleet fleet = fleet_of(1);
  auto asked = spec({"s1"}, 1);
  asked.remediation_strategy.timeout = 0;
  fleet.create("c", asked);
  fleet.settle("c");
  EXPECT_EQ(fleet.rollout("c").spec.remediation_strategy.timeout, 240);
  EXPECT_EQ(fleet.condition("c", kProgressing), "True InProgress");
}

TEST(Rolling, Case20And81TwoRolloutsShareAClusterAndBothComplete) {
  SimulatedFleet fleet = fleet_of(2);
  fleet.create("c", spec({"s1"}, 1));
  fleet.create("d", spec({"s1", "s2"}, 1));
  fleet.settle("c");
  EXPECT_TRUE(fleet.is_enforced("p0", "s1"));
  fleet.settle("d");
  EXPECT_EQ(fleet.status("d").managed_policies_for_upgrade.size(), 1u);
  fleet.set("p0", "s1", kC);
  fleet.settle("c");
  EXPECT_EQ(fleet.condition("c", kSucceeded), "True Completed");
  EXPECT_TRUE(fleet.is_enforced("p0", "s1")) << "the other rollout has not ended";
  fleet.settle("d");
  EXPECT_EQ(fleet.progress("d"), "2: s2 0");
  EXPECT_FALSE(fleet.is_enforced("p0", "s1"));
}

TEST(Rolling, Case31And33And40IndexesCountPoliciesAndSkipWhatIsDone) {
  SimulatedFleet fleet = fleet_of(2, 4);
  fleet.set("p1", "s1", kC);
  fleet.set("p3", "s1", Compliance::NotMatched);
  fleet.create("c", spec({"s1", "s2"}, 2, {"p0", "p1", "p2", "p3"}));
  fleet.settle("c");
  EXPECT_EQ(fleet.progress("c"), "1: s1 0, s2 0");
  EXPECT_THAT(placed(fleet, "p0"), ElementsAre("s1", "s2"));
  EXPECT_THAT(placed(fleet, "p1"), IsEmpty());
  fleet.set("p0", "s1", kC);
  fleet.settle("c");
  EXPECT_EQ(fleet.progress("c"), "1: s1 2, s2 0");
  for (const char* policy : {"p0", "p1", "p2"}) EXPECT_THAT(placed(fleet, policy), ::testing::Contains("s1"));
  fleet.set("p2", "s1", kC);
  fleet.settle("c");
  EXPECT_EQ(fleet.progress("c"), "1: s1 done, s2 0");
}

TEST(Rolling, Case32ARegressionIsFoundByTheLastBatch) {
  SimulatedFleet fleet = fleet_of(2, 2);
  fleet.create("c", spec({"s1", "s2"}, 1, {"p0", "p1"}));
  fleet.settle("c");
  fleet.set("p0", "s1", kC);
  fleet.settle("c");
  fleet.set("p0", "s1", kN);
  fleet.settle("c");
  EXPECT_EQ(fleet.progress("c"), "1: s1 1") << "an index never goes back";
  fleet.set("p1", "s1", kC);
  fleet.set("p0", "s2", kC);
  fleet.set("p1", "s2", kC);
  fleet.settle("c");
  EXPECT_EQ(fleet.progress("c"), "2: s2 done");
  EXPECT_EQ(fleet.condition("c", kSucceeded), "absent");
  EXPECT_FALSE(fleet.is_enforced("p0", "s1")) << "it is not put back";
  fleet.set("p0", "s1", kC);
  fleet.settle("c");
  EXPECT_EQ(fleet.condition("c", kSucceeded), "True Completed");
}

TEST(Rolling, Case35And36ASoakIsWholeAndStartsAnew) {
  SimulatedFleet fleet = fleet_of(1, 0);
  fleet.add_policy("p0", {.remediation_action = "inform", .soak = seconds(5)});
  fleet.create("c", spec({"s1"}, 1));
  fleet.settle("c");
  fleet.set("p0", "s1", kC);
  fleet.settle("c");
  EXPECT_EQ(fleet.progress("c"), "1: s1 0");
  EXPECT_EQ(decide(fleet.observe("c")).wake_at, fleet.now + seconds(5) + Duration(1));
  fleet.pass(seconds(3));
  fleet.set("p0", "s1", kN);
  fleet.settle("c");
  fleet.set("p0", "s1", kC);
  fleet.settle("c");
  fleet.pass(seconds(5));
  fleet.settle("c");
  EXPECT_EQ(fleet.progress("c"), "1: s1 0") << "five seconds exactly are not enough";
  fleet.pass(std::chrono::milliseconds(1));
  fleet.settle("c");
  EXPECT_EQ(fleet.condition("c", kSucceeded), "True Completed");
}

TEST(Rolling, Case38ASoakOfZeroIsOneLookLonger) {
  SimulatedFleet fleet = fleet_of(1, 0);
  fleet.add_policy("p0", {.remediation_action = "inform", .soak = seconds(0)});
  fleet.create("c", spec({"s1"}, 1));
  fleet.settle("c");
  fleet.set("p0", "s1", kC);
  fleet.settle("c");
  EXPECT_EQ(fleet.condition("c", kSucceeded), "absent");
  fleet.now = *decide(fleet.observe("c")).wake_at;
  fleet.settle("c");
  EXPECT_EQ(fleet.condition("c", kSucceeded), "True Completed");
}

TEST(Rolling, Case39PlacementsAreEmptiedBeforeTheNextBatchIsOnRecord) {
  SimulatedFleet fleet = fleet_of(2);
  fleet.create("c", spec({"s1", "s2"}, 1));
  fleet.settle("c");
  fleet.set("p0", "s1", kC);
  EXPECT_EQ(fleet.settle("c"),
            "write the status: InProgress, batch 1 of 2: s1 complete\n"
            "Placement default/c-p0-placement-kuttl names [] for batch 2\n"
            "write the status: InProgress, batch 2 of 2: s2 at 0\n"
            "Placement default/c-p0-placement-kuttl names [s2] for batch 2\n");
}

TEST(Rolling, ADecisionOfAnEarlierBatchComesTooLateForEveryPlacement) {
  SimulatedFleet fleet = fleet_of(2, 2);
  fleet.create("c", spec({"s1", "s2"}, 1, {"p0", "p1"}));
  fleet.settle("c");
  fleet.set("p0", "s1", kC);
  SimulatedFleet stale = fleet;  // decides to enforce p1 on s1, and is delayed
  fleet.set("p1", "s1", kC);     // which then complies by itself
  fleet.settle("c");
  ASSERT_EQ(fleet.progress("c"), "2: s2 0");
  int tried = 0;
  for (const Action& each : decide(stale.observe("c")).actions) {
    if (!std::holds_alternative<SetPlacementClusters>(each)) continue;
    ++tried;
    const auto acted = fleet.act(each);
    ASSERT_FALSE(acted);
    EXPECT_EQ(acted.error().code, ErrorCode::Conflict);
  }
  EXPECT_EQ(tried, 1);
  EXPECT_THAT(fleet.enforced_by("c"), ElementsAre("s2"));
}

TEST(Timeout, Case46And47WhoIsLateStaysEnforcedAndMayStillComplete) {
  SimulatedFleet fleet = fleet_of(3);
  fleet.create("c", spec({"s1", "s2", "s3"}, 1));
  fleet.settle("c");
  fleet.pass(minutes(80));
  fleet.settle("c");
  EXPECT_EQ(fleet.progress("c"), "1: s1 0") << "not before its time is over";
  EXPECT_EQ(decide(fleet.observe("c")).wake_at, fleet.now + Duration(1));
  fleet.pass(seconds(1));
  fleet.settle("c");
  EXPECT_EQ(fleet.rows("c"), "s1 timedout p0");
  EXPECT_EQ(fleet.progress("c"), "2: s2 0");
  EXPECT_THAT(placed(fleet, "p0"), ElementsAre("s1", "s2"));
  for (const char* each : {"s2", "s3"}) fleet.set("p0", each, kC);
  fleet.settle("c");
  EXPECT_EQ(fleet.condition("c", kSucceeded), "absent");
  fleet.set("p0", "s1", kC);
  fleet.settle("c");
  EXPECT_EQ(fleet.rows("c"), "s1 complete, s2 complete, s3 complete");
  EXPECT_EQ(fleet.condition("c", kSucceeded), "True Completed");
}

// K6: nobody else is late, and the one that is holds the rollout to its end.
TEST(Timeout, WhoStaysLateEndsTheRolloutAsTimedOutWithoutASecondRow) {
  SimulatedFleet fleet = fleet_of(2);
  fleet.create("c", spec({"s1", "s2"}, 1));
  fleet.settle("c");
  fleet.pass(minutes(121));
  fleet.settle("c");
  fleet.set("p0", "s2", kC);
  fleet.settle("c");
  EXPECT_EQ(fleet.condition("c", kProgressing), "True InProgress");
  fleet.pass(minutes(120));
  fleet.settle("c");
  EXPECT_EQ(fleet.rows("c"), "s1 timedout p0, s2 complete");
  EXPECT_EQ(fleet.condition("c", kSucceeded), "False TimedOut");
  EXPECT_EQ(fleet.message("c", kProgressing), "Policy remediation took too long");
}

TEST(Timeout, Case48AbortEndsIt) {
  SimulatedFleet fleet = fleet_of(3);
  auto asked = spec({"s1", "s2", "s3"}, 1);
  asked.batch_timeout_action = "Abort";
  fleet.create("c", asked);
  fleet.settle("c");
  fleet.pass(minutes(81));
  fleet.settle("c");
  EXPECT_EQ(fleet.message("c", kSucceeded), "Policy remediation took too long on some clusters");
  EXPECT_EQ(fleet.rows("c"), "s1 timedout p0");
  EXPECT_THAT(fleet.objects, IsEmpty());
}

TEST(Timeout, Case49ACanaryThatFailsStopsItWhateverTheActionIs) {
  SimulatedFleet fleet = fleet_of(3);
  auto asked = spec({"s1", "s2", "s3"}, 1);
  asked.remediation_strategy.canaries = {"s2"};
  asked.batch_timeout_action = "Continue";
  fleet.create("c", asked);
  fleet.settle("c");
  EXPECT_EQ(fleet.progress("c"), "1: s2 0");
  fleet.pass(minutes(81));
  fleet.settle("c");
  EXPECT_EQ(fleet.condition("c", kSucceeded), "False TimedOut");
  EXPECT_EQ(fleet.message("c", kSucceeded), "Policy remediation took too long on canary clusters");
  EXPECT_EQ(fleet.rows("c"), "s2 timedout p0");
  EXPECT_THAT(notes_of(fleet), HasSubstr("some clusters in the batch index 1 timed out"));
}

TEST(Timeout, Case24AnOrdinaryBatchIsNoCanaryWhenTheCanaryComplied) {
  SimulatedFleet fleet = fleet_of(3);
  auto asked = spec({"s1", "s2", "s3"}, 1);
  asked.remediation_strategy.canaries = {"s2"};
  fleet.set("p0", "s2", kC);
  fleet.create("c", asked);
  fleet.settle("c");
  fleet.pass(minutes(121));
  fleet.settle("c");
  EXPECT_EQ(fleet.progress("c"), "2: s3 0");
}

TEST(Timeout, Case50And51TheTimeoutOfTheMomentCounts) {
  SimulatedFleet fleet = fleet_of(1);
  fleet.create("c", spec({"s1"}, 1));
  fleet.settle("c");
  fleet.pass(minutes(239));
  fleet.change("c", [](auto& edited) { edited.spec.remediation_strategy.timeout = 480; });
  fleet.pass(minutes(10));
  fleet.settle("c");
  EXPECT_EQ(fleet.condition("c", kProgressing), "True InProgress");
  fleet.change("c", [](auto& edited) { edited.spec.remediation_strategy.timeout = 0; });
  fleet.settle("c");
  EXPECT_EQ(fleet.condition("c", kSucceeded), "False TimedOut");
  EXPECT_EQ(fleet.rows("c"), "s1 timedout p0");
  EXPECT_EQ(fleet.events[fleet.events.size() - 2].action, "RemediationInBatchTimeout");
  EXPECT_EQ(fleet.events.back().action, "RemediationTimeout");
}

TEST(Timeout, Case52WaitingForABlockerTakesNoTimeAndIsToldOnce) {
  SimulatedFleet fleet = fleet_of(2);
  fleet.create("first", spec({"s1"}, 1));
  auto asked = spec({"s2"}, 1);
  asked.blocking_crs = {{"first", "default"}};
  fleet.create("c", asked);
  fleet.settle("first");
  for (int i = 0; i < 3; ++i) {
    fleet.settle("c");
    fleet.pass(minutes(100));
  }
  EXPECT_EQ(fleet.condition("c", kProgressing), "False IncompleteBlockingCR");
  fleet.change("first", [](auto& edited) { edited.spec.remediation_strategy.timeout = 600; });
  fleet.set("p0", "s1", kC);
  fleet.settle("first");
  fleet.settle("c");
  EXPECT_EQ(fleet.status("c").status.started_at, fleet.now);
  const auto told = std::ranges::count(fleet.events, "ClusterGroupUpgrade c started remediating policies",
                                       &RolloutEvent::note);
  EXPECT_EQ(told, 1);
}

TEST(Timeout, Case53BeforeABatchIsOpenThereAreNoRows) {
  SimulatedFleet fleet = fleet_of(1);
  fleet.create("c", spec({"s1"}, 1));
  fleet.settle("c");
  fleet.change("c", [](auto& edited) {
    edited.status.status.current_batch = 0;
    edited.status.status.current_batch_started_at.reset();
    edited.status.status.current_batch_remediation_progress.clear();
  });
  fleet.pass(minutes(300));
  fleet.settle("c");
  EXPECT_EQ(fleet.condition("c", kSucceeded), "False TimedOut");
  EXPECT_EQ(fleet.rows("c"), "");
}

TEST(Actions, Case59LabelsWhileItRunsAndAfter) {
  SimulatedFleet fleet = fleet_of(2);
  auto asked = spec({"s1", "s2"}, 1);
  asked.actions = Actions{.before_enable = ClusterActions{.add_cluster_labels = {{"x", ""}}},
                          .after_completion = ClusterActions{.add_cluster_labels = {{"done", "1"}},
                                                             .remove_cluster_labels = {"x"}}};
  fleet.set("p0", "s2", kC);
  fleet.create("c", asked);
  fleet.settle("c");
  EXPECT_EQ(fleet.clusters->at("s1"), (kube::Labels{{"x", ""}}));
  EXPECT_EQ(fleet.clusters->at("s2"), (kube::Labels{{"done", "1"}}));
  fleet.set("p0", "s1", kC);
  fleet.settle("c");
  EXPECT_EQ(fleet.clusters->at("s1"), (kube::Labels{{"done", "1"}}));
}

TEST(Cleanup, Case60ObjectsThatAreKeptStayFilledUntilTheRolloutIsDeleted) {
  SimulatedFleet fleet = fleet_of(1);
  auto asked = spec({"s1"}, 1);
  asked.actions = Actions{.after_completion = ClusterActions{.delete_objects = false}};
  fleet.create("c", asked);
  fleet.settle("c");
  fleet.set("p0", "s1", kC);
  fleet.settle("c");
  EXPECT_EQ(fleet.condition("c", kSucceeded), "True Completed");
  EXPECT_TRUE(fleet.status("c").status.completed_at.has_value());
  EXPECT_THAT(placed(fleet, "p0"), ElementsAre("s1"));
  fleet.remove("c");
  fleet.settle("c");
  EXPECT_THAT(fleet.objects, IsEmpty());
  EXPECT_THAT(fleet.rollouts, IsEmpty());
}

TEST(Cleanup, Case61And62TheFinalizerGoesWhenNothingIsLeft) {
  SimulatedFleet fleet = fleet_of(1);
  fleet.create("c", spec({"s1"}, 1));
  fleet.settle("c");
  fleet.remove("c");
  const auto plan = decide(fleet.observe("c"));
  for (const Action& each : plan.actions) EXPECT_TRUE(std::holds_alternative<DeleteOwned>(each));
  fleet.settle("c");
  EXPECT_THAT(fleet.rollouts, IsEmpty());
  EXPECT_FALSE(fleet.is_enforced("p0", "s1"));
}

TEST(Cleanup, Case65AStalePlacementOfOursGoes) {
  SimulatedFleet fleet = fleet_of(1);
  fleet.create("c", spec({"s1"}, 1));
  fleet.settle("c");
  json::Object stale = *fleet.objects.at("Placement default/c-p0-placement-kuttl");
  stale["metadata"].get_object()["name"] = "c-p0-placement-older";
  fleet.objects["Placement default/c-p0-placement-older"] = std::make_shared<const json::Object>(stale);
  EXPECT_EQ(fleet.settle("c"), "delete Placement default/c-p0-placement-older\n");
}

TEST(Cleanup, WhatSomebodyElseDeletesComesBackFilled) {
  SimulatedFleet fleet = fleet_of(1);
  fleet.create("c", spec({"s1"}, 1));
  fleet.settle("c");
  fleet.objects.clear();
  fleet.settle("c");
  EXPECT_TRUE(fleet.is_enforced("p0", "s1"));
}

TEST(Cleanup, Case66RulesInsteadOfPlacements) {
  SimulatedFleet fleet = fleet_of(1);
  fleet.settings->placement_kind = PlacementKind::PlacementRule;
  fleet.create("c", spec({"s1"}, 1));
  fleet.settle("c");
  EXPECT_THAT(fleet.status("c").placement_rules, ElementsAre("c-p0-placement-kuttl"));
  EXPECT_THAT(fleet.status("c").placements, IsEmpty());
  EXPECT_THAT(clusters_in(*fleet.objects.at("PlacementRule default/c-p0-placement-kuttl")),
              ElementsAre("s1"));
}

}  // namespace
}  // namespace fairway::fleet
