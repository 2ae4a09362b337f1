// Finer control over rollouts: cases 105 to 114, and what they leave open.
#include "fleet/controls.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/text.hpp"
#include "fleet/testing/fleet.hpp"

namespace fairway::fleet {
namespace {

using std::chrono::hours;
using std::chrono::minutes;
using std::chrono::seconds;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::SimulatedFleet;

// Clusters s1, s2, … with policies p0, p1, … that nobody complies with, and rollout "c" over all of them.
struct Controlled : SimulatedFleet {
  explicit Controlled(const RolloutControls& controls, int count = 4, std::int64_t at_once = 2,
                      std::vector<std::string> policy_names = {"p0"}) {
    ClusterGroupUpgradeSpec spec{.remediation_strategy = {.max_concurrency = at_once, .timeout = 60},
                                 .managed_policies = std::move(policy_names),
                                 .rollout_controls = controls};
    for (int i = 1; i <= count; ++i) spec.clusters.push_back(fmt::format("s{}", i));
    for (const std::string& each : spec.clusters) add_cluster(each);
    for (const std::string& each : spec.managed_policies) add_policy(each);
    create("c", std::move(spec));
  }

  void edit(const std::function<void(RolloutControls&)>& how) {
    change("c", [&](ClusterGroupUpgrade& edited) { how(*edited.spec.rollout_controls); });
  }
  void annotate(std::string_view key, const std::string& value) {
    change("c", [&](ClusterGroupUpgrade& edited) { edited.metadata.annotations[std::string(key)] = value; });
  }
  std::string plan() const {
    std::vector<std::string> batches;
    for (const Batch& each : status("c").remediation_plan) batches.push_back(join(each, " "));
    return join(batches, " | ");
  }
  std::string enforced() const {
    const auto named = enforced_by("c");
    return join(std::vector<std::string>(named.begin(), named.end()), " ");
  }
  std::string state() const { return condition("c", kProgressing); }
  std::optional<WallTime> wakes() const { return decide(observe("c")).wake_at; }
  // Agents work and the rollout looks, once.
  void turn() {
    tick();
    settle("c");
  }
};

json::Value text(const char* value) {
  return json::Value(value);
}

TEST(Controls, AmountsAreNumbersOrShares) {
  EXPECT_EQ(amount_of(text("10%"), 25), 3);  // case 109
  EXPECT_EQ(amount_of(text("1%"), 5), 1);
  EXPECT_EQ(amount_of(text("100%"), 7), 7);
  EXPECT_EQ(amount_of(text("4"), 7), 4);
  EXPECT_EQ(amount_of(json::Value(4), 7), 4);
  for (const json::Value& wrong : {text("0%"), text("101%"), text("%"), text("-1"), text("many"),
                                   json::Value(0), json::Value(true), json::Value(nullptr)})
    EXPECT_EQ(amount_of(wrong, 7), std::nullopt) << json::serialize(wrong);
}

TEST(Controls, Case105WithoutThemTheStatusHasNothingOfTheirs) {
  SimulatedFleet fleet;
  for (const char* each : {"s1", "s2"}) fleet.add_cluster(each);
  fleet.add_policy("p0");
  fleet.create(
      "c",
      {.clusters = {"s1", "s2"}, .remediation_strategy = {.max_concurrency = 1}, .managed_policies = {"p0"}});
  for (int i = 0; i < 4; ++i) {
    fleet.settle("c");
    const json::Object status = json::to_object(fleet.status("c"));
    EXPECT_FALSE(status.contains("rollout")) << json::serialize(status);
    fleet.tick();
  }
  EXPECT_EQ(fleet.condition("c", kSucceeded), "True Completed");
}

TEST(Controls, WhatCannotBeUnderstoodHoldsTheRollout) {
  struct Wrong {
    RolloutControls controls;
    const char* message;
  };
  const Wrong all[] = {
      {{.max_concurrency = text("lots")}, "maxConcurrency: expected a number"},
      {{.batch_sizes = {json::Value(1), json::Value(0)}}, "batchSizes[1]: expected a number"},
      {{.windows = {{.start = "01:00", .duration = hours(1), .time_zone = "Mars"}}},
       "windows[0]: a time zone"},
      {{.failure_threshold = FailureThreshold{}}, "failureThreshold: expected count or percent"},
      {{.retry = {.per_cluster = 1}}, "retry: a cluster is tried again after clusterTimeout"},
      {{.rollback = RollbackControl{}}, "rollback: expected managedPolicies"},
      {{.topology = TopologyControl{}}, "topology: expected a label"},
  };
  for (const Wrong& each : all) {
    Controlled fleet(each.controls);
    fleet.settle("c");
    EXPECT_EQ(fleet.condition("c", kValidated), "False InvalidRolloutControls");
    EXPECT_THAT(fleet.message("c", kValidated), HasSubstr(each.message));
    EXPECT_EQ(fleet.enforced(), "");
  }
  // The same while it is under way: nobody new is enforced.
  Controlled fleet({});
  fleet.settle("c");
  fleet.edit([](RolloutControls& controls) { controls.max_unavailable = text("lots"); });
  fleet.turn();
  EXPECT_EQ(fleet.state(), "True Paused");
  EXPECT_THAT(fleet.message("c", kProgressing),
              HasSubstr("Rollout paused by invalid rolloutControls: maxUnavailable"));
  EXPECT_EQ(fleet.progress("c"), "1: s1 done, s2 done");
}

TEST(Controls, Case109ConcurrencyMayBeAShare) {
  Controlled fleet({.max_concurrency = text("10%")}, 25, 7);
  fleet.settle("c");
  EXPECT_EQ(fleet.status("c").computed_max_concurrency, 3);
  EXPECT_EQ(fleet.status("c").remediation_plan.front().size(), 3u);
}

TEST(Controls, Case106AFreezeEnforcesNobodyAndGoesOnExactlyThere) {
  Controlled fleet({.pause_mode = HoldMode::Freeze}, 4, 2, {"p0", "p1"});
  fleet.settle("c");
  fleet.agents["s2"].is_dead = true;
  fleet.turn();
  EXPECT_EQ(fleet.progress("c"), "1: s1 1, s2 0");
  fleet.edit([](RolloutControls& controls) { controls.paused = true; });
  fleet.settle("c");
  EXPECT_EQ(fleet.state(), "True Paused");
  EXPECT_EQ(fleet.message("c", kProgressing), "Rollout paused by spec.rolloutControls.paused");
  EXPECT_EQ(fleet.status("c").rollout.phase, "Paused");
  EXPECT_EQ(fleet.enforced(), "");
  fleet.set("p1", "s1", Compliance::Compliant);  // meanwhile nothing moves
  fleet.turn();
  EXPECT_EQ(fleet.progress("c"), "1: s1 1, s2 0");
  fleet.set("p1", "s1", Compliance::NonCompliant);
  fleet.edit([](RolloutControls& controls) { controls.paused = false; });
  fleet.settle("c");
  EXPECT_EQ(fleet.state(), "True InProgress");
  EXPECT_EQ(fleet.progress("c"), "1: s1 1, s2 0");
  EXPECT_EQ(fleet.enforced(), "s1 s2");
  EXPECT_TRUE(fleet.is_enforced("p1", "s1"));
  EXPECT_FALSE(fleet.is_enforced("p1", "s2"));
}

TEST(Controls, AFreezeTakesLateClustersOutAndPutsThemBack) {
  Controlled fleet({.pause_mode = HoldMode::Freeze}, 2, 1);
  fleet.agents["s1"].is_dead = true;
  fleet.settle("c");
  fleet.pass(minutes(31));
  fleet.settle("c");
  EXPECT_EQ(fleet.rows("c"), "s1 timedout p0");
  EXPECT_EQ(fleet.enforced(), "s1 s2");
  fleet.annotate(kPausedAnnotation, "");
  fleet.settle("c");
  EXPECT_EQ(fleet.message("c", kProgressing), "Rollout paused by annotation rollout/paused");
  EXPECT_EQ(fleet.enforced(), "");
  fleet.annotate(kPausedAnnotation, "false");
  fleet.settle("c");
  EXPECT_EQ(fleet.enforced(), "s1 s2");
}

TEST(Controls, ADrainFinishesTheBatchAndOpensNone) {
  Controlled fleet({.paused = false});
  fleet.settle("c");
  fleet.edit([](RolloutControls& controls) { controls.paused = true; });
  fleet.settle("c");
  EXPECT_EQ(fleet.enforced(), "s1 s2");
  fleet.turn();
  EXPECT_EQ(fleet.progress("c"), "1: s1 done, s2 done");
  EXPECT_EQ(fleet.enforced(), "");  // between two batches nobody is
  EXPECT_EQ(fleet.state(), "True Paused");
  fleet.edit([](RolloutControls& controls) { controls.paused = false; });
  fleet.settle("c");
  EXPECT_EQ(fleet.progress("c"), "2: s3 0, s4 0");
}

TEST(Controls, Case107TimeSpentPausedDoesNotCount) {
  Controlled fleet({.pause_mode = HoldMode::Freeze});
  fleet.settle("c");
  fleet.pass(minutes(20));
  fleet.edit([](RolloutControls& controls) { controls.paused = true; });
  fleet.settle("c");
  fleet.pass(hours(2));
  fleet.settle("c");
  EXPECT_EQ(fleet.state(), "True Paused");
  EXPECT_EQ(fleet.status("c").rollout.active_seconds, 20 * 60);
  fleet.edit([](RolloutControls& controls) { controls.paused = false; });
  fleet.settle("c");
  // Of its 30 minutes the first batch has used 20.
  fleet.pass(minutes(10));
  fleet.settle("c");
  EXPECT_EQ(fleet.rows("c"), "");
  fleet.pass(seconds(1));
  fleet.settle("c");
  EXPECT_EQ(fleet.rows("c"), "s1 timedout p0, s2 timedout p0");
  // The rollout has 30 of its 60 minutes left.
  EXPECT_EQ(fleet.progress("c"), "2: s3 0, s4 0");
  fleet.pass(minutes(29) + seconds(58));
  fleet.settle("c");
  EXPECT_EQ(fleet.condition("c", kSucceeded), "absent");
  fleet.pass(seconds(2));
  fleet.settle("c");
  EXPECT_EQ(fleet.condition("c", kSucceeded), "False TimedOut");
}

TEST(Controls, Case108AWindowThatClosesLetsTheBatchFinish) {
  Controlled fleet({.windows = {{.start = "01:00", .duration = minutes(20)}}});
  const WallTime midnight = std::chrono::floor<std::chrono::days>(fleet.now);
  fleet.now = midnight;
  fleet.settle("c");
  EXPECT_EQ(fleet.state(), "False Paused");
  EXPECT_THAT(fleet.message("c", kProgressing),
              HasSubstr("Rollout paused by maintenance windows, the next opens"));
  EXPECT_EQ(fleet.status("c").rollout.window, (WindowState{false, midnight + hours(1)}));
  fleet.pass(minutes(56));
  EXPECT_EQ(fleet.wakes(), midnight + hours(1));
  fleet.pass(minutes(4));
  fleet.settle("c");
  EXPECT_EQ(fleet.progress("c"), "1: s1 0, s2 0");
  EXPECT_EQ(fleet.status("c").rollout.window, (WindowState{true, std::nullopt}));
  fleet.pass(minutes(16));
  EXPECT_EQ(fleet.wakes(), fleet.now + minutes(4));
  fleet.pass(minutes(4));
  fleet.settle("c");
  EXPECT_EQ(fleet.state(), "True Paused");
  EXPECT_EQ(fleet.enforced(), "s1 s2");
  fleet.turn();
  EXPECT_EQ(fleet.progress("c"), "1: s1 done, s2 done");
  fleet.pass(hours(10));
  fleet.settle("c");
  EXPECT_EQ(fleet.progress("c"), "1: s1 done, s2 done");
  fleet.now = midnight + hours(25);
  fleet.settle("c");
  EXPECT_EQ(fleet.progress("c"), "2: s3 0, s4 0");
}

TEST(Controls, NothingStartsBeforeItsTime) {
  Controlled fleet({});
  const WallTime later = fleet.now + hours(3);
  fleet.edit([&](RolloutControls& controls) { controls.start_after = later; });
  fleet.settle("c");
  EXPECT_EQ(fleet.state(), "False Paused");
  EXPECT_EQ(fleet.plan(), "s1 s2 | s3 s4");
  EXPECT_EQ(fleet.status("c").status.started_at, std::nullopt);
  fleet.now = later;
  fleet.settle("c");
  EXPECT_EQ(fleet.status("c").status.started_at, later);
}

TEST(Controls, Case110TooManyFailuresPauseUntilSomebodyHasLooked) {
  Controlled fleet({.failure_threshold = FailureThreshold{.count = 2}}, 4, 1);
  for (const char* each : {"s1", "s2", "s3"}) fleet.agents[each].is_dead = true;
  fleet.settle("c");
  fleet.pass(minutes(15) + seconds(1));
  fleet.settle("c");
  EXPECT_EQ(fleet.progress("c"), "2: s2 0");
  fleet.pass(minutes(16));
  fleet.settle("c");
  EXPECT_EQ(fleet.rows("c"), "s1 timedout p0, s2 timedout p0");
  EXPECT_EQ(fleet.message("c", kProgressing), "Rollout paused by failureThreshold, 2 of 4 clusters failed");
  EXPECT_EQ(fleet.progress("c"), "2: s2 0");
  fleet.annotate(kAcknowledgedAnnotation, "2");
  fleet.settle("c");
  EXPECT_EQ(fleet.progress("c"), "3: s3 0");
}

TEST(Controls, TooManyFailuresMayEndIt) {
  Controlled fleet({.failure_threshold = FailureThreshold{.percent = 25, .action = ThresholdAction::Abort}},
                   4, 1);
  fleet.agents["s1"].is_dead = true;
  fleet.settle("c");
  fleet.pass(minutes(16));
  fleet.settle("c");
  EXPECT_EQ(fleet.condition("c", kSucceeded), "False FailureThresholdExceeded");
  EXPECT_EQ(fleet.message("c", kSucceeded), "1 of 4 clusters failed");
  EXPECT_EQ(fleet.events.back().reason, "CguFailed");
  EXPECT_EQ(fleet.enforced(), "");
}

TEST(Controls, Case111AClusterThatIsOfflineForLongIsSkipped) {
  Controlled fleet({.offline = {.policy = OfflinePolicy::Skip}}, 3, 2);
  fleet.unavailable["s2"] = fleet.now - minutes(3);
  fleet.settle("c");
  EXPECT_EQ(fleet.enforced(), "s1 s2");
  EXPECT_EQ(fleet.wakes(), fleet.now + minutes(2));
  fleet.pass(minutes(2));
  fleet.settle("c");
  EXPECT_EQ(fleet.enforced(), "s1");
  EXPECT_EQ(fleet.rows("c"), "s2 skipped");
  EXPECT_THAT(fleet.status("c").clusters.front().reason, HasSubstr("it has been unavailable since"));
  fleet.turn();
  EXPECT_EQ(fleet.progress("c"), "2: s3 0");
  fleet.turn();
  EXPECT_EQ(fleet.condition("c", kSucceeded), "True Completed");
  EXPECT_EQ(fleet.status("c").rollout.counts,
            (std::map<std::string, std::int64_t>{{"complete", 2}, {"planned", 3}, {"skipped", 1}}));
}

// D20: one that is deleted would hold the batch to its end.
TEST(Controls, AClusterThatIsGoneIsSkippedWhereThatIsAskedFor) {
  Controlled fleet({.offline = {.policy = OfflinePolicy::Skip}}, 2, 2);
  fleet.settle("c");
  auto left = std::make_shared<ClusterTable>(*fleet.clusters);
  left->erase("s2");
  fleet.clusters = left;
  fleet.turn();
  EXPECT_EQ(fleet.rows("c"), "s1 complete, s2 skipped");
  EXPECT_EQ(fleet.condition("c", kSucceeded), "True Completed");
}

TEST(Controls, ClustersThatAreOfflineMayGoLast) {
  Controlled fleet({.offline = {.policy = OfflinePolicy::Defer}}, 4, 2);
  fleet.unavailable["s1"] = fleet.now - hours(1);
  fleet.unavailable["s3"] = fleet.now - hours(1);
  fleet.settle("c");
  EXPECT_EQ(fleet.progress("c"), "1: s2 0");
  fleet.turn();
  EXPECT_EQ(fleet.progress("c"), "2: s4 0");
  EXPECT_EQ(fleet.plan(), "s2 | s4 | s1 s3");
  fleet.turn();
  EXPECT_EQ(fleet.progress("c"), "3: s1 0, s3 0");  // still offline: now they are waited for
  fleet.turn();
  EXPECT_EQ(fleet.condition("c", kSucceeded), "True Completed");
}

TEST(Controls, Case112EachBatchWaitsForApproval) {
  Controlled fleet({.approvals = {ApprovalMode::PerBatch}});
  fleet.settle("c");
  EXPECT_EQ(fleet.message("c", kProgressing), "Rollout paused by approvals, batch 1 waits for one");
  EXPECT_EQ(fleet.enforced(), "");
  fleet.annotate(kApprovedAnnotation, "1");
  fleet.settle("c");
  EXPECT_EQ(fleet.progress("c"), "1: s1 0, s2 0");
  EXPECT_EQ(fleet.status("c").rollout.approvals.front().approved_by, "annotation rollout/approved-batches");
  fleet.turn();
  EXPECT_EQ(fleet.message("c", kProgressing), "Rollout paused by approvals, batch 2 waits for one");
  fleet.pass(hours(5));  // nobody is in a hurry
  fleet.settle("c");
  fleet.change("c", [](ClusterGroupUpgrade& edited) {
    edited.status.rollout.approvals.push_back({.batch = 2, .approved_by = "alice"});
  });
  fleet.settle("c");
  EXPECT_EQ(fleet.progress("c"), "2: s3 0, s4 0");
  EXPECT_EQ(fleet.status("c").rollout.approvals.back().approved_by, "alice");
}

TEST(Controls, WhoIsLateStaysEnforcedWhileTheNextBatchWaits) {
  Controlled fleet({.approvals = {ApprovalMode::PerBatch}}, 2, 1);
  fleet.annotate(kApprovedAnnotation, "1");
  fleet.agents["s1"].is_dead = true;
  fleet.settle("c");
  fleet.pass(minutes(31));
  fleet.settle("c");
  EXPECT_EQ(fleet.message("c", kProgressing), "Rollout paused by approvals, batch 2 waits for one");
  EXPECT_EQ(fleet.enforced(), "s1");
  fleet.objects.erase("Placement default/c-p0-placement-kuttl");  // somebody deletes what is ours
  fleet.settle("c");
  EXPECT_EQ(fleet.enforced(), "s1");
  fleet.agents["s1"].is_dead = false;
  fleet.turn();
  EXPECT_EQ(fleet.rows("c"), "s1 complete");
  EXPECT_EQ(fleet.enforced(), "");
}

TEST(Controls, ApprovalMayBeNeededAfterTheCanariesOnly) {
  Controlled fleet({.approvals = {ApprovalMode::AfterCanary}}, 4, 2);
  fleet.change("c", [](ClusterGroupUpgrade& edited) { edited.spec.remediation_strategy.canaries = {"s4"}; });
  fleet.settle("c");
  EXPECT_EQ(fleet.progress("c"), "1: s4 0");
  fleet.turn();
  EXPECT_EQ(fleet.message("c", kProgressing), "Rollout paused by approvals, batch 2 waits for one");
  fleet.annotate(kApprovedAnnotation, "2");
  fleet.settle("c");
  fleet.turn();
  EXPECT_EQ(fleet.progress("c"), "3: s3 0");
}

TEST(Controls, Case113AnotherRunIsAboutThoseThatFailed) {
  Controlled fleet({}, 3, 1);
  fleet.agents["s2"].is_dead = true;
  fleet.settle("c");
  fleet.turn();
  fleet.pass(minutes(31));
  fleet.settle("c");
  fleet.turn();
  fleet.pass(hours(1));
  fleet.settle("c");
  EXPECT_EQ(fleet.condition("c", kSucceeded), "False TimedOut");
  EXPECT_EQ(fleet.rows("c"), "s1 complete, s2 timedout p0, s3 complete");
  fleet.agents["s2"].is_dead = false;
  fleet.edit([](RolloutControls& controls) { controls.rerun = 1; });
  fleet.settle("c");
  EXPECT_EQ(fleet.plan(), "s2");
  EXPECT_EQ(fleet.rows("c"), "s1 complete, s3 complete");
  ASSERT_EQ(fleet.status("c").rollout.history.size(), 1u);
  EXPECT_EQ(fleet.status("c").rollout.history.front().at("reason"), "TimedOut");
  fleet.turn();
  EXPECT_EQ(fleet.condition("c", kSucceeded), "True Completed");
  EXPECT_EQ(fleet.rows("c"), "s1 complete, s3 complete, s2 complete");
  EXPECT_EQ(fleet.settle("c"), "");
}

TEST(Controls, AnotherRunMayBeAboutAllAndKeepsPlacementsUsable) {
  Controlled fleet({.rerun_scope = RerunScope::All}, 2, 1);
  fleet.change("c", [](ClusterGroupUpgrade& edited) {
    edited.spec.actions = Actions{.after_completion = ClusterActions{.delete_objects = false}};
  });
  fleet.settle("c");
  fleet.turn();
  fleet.turn();
  EXPECT_EQ(fleet.condition("c", kSucceeded), "True Completed");
  for (const char* each : {"s1", "s2"}) fleet.set("p0", each, Compliance::NonCompliant);
  fleet.edit([](RolloutControls& controls) { controls.rerun = 1; });
  fleet.settle("c");
  EXPECT_EQ(fleet.plan(), "s1 | s2");
  fleet.turn();
  fleet.turn();
  EXPECT_EQ(fleet.condition("c", kSucceeded), "True Completed");
  EXPECT_EQ(fleet.status("c").rollout.history.size(), 1u);
}

TEST(Controls, Case114RollingKeepsSoManyActive) {
  Controlled fleet({.rolling = true}, 5, 2, {"p0", "p1"});
  fleet.agents["s1"].ticks_to_comply = 3;
  fleet.settle("c");
  EXPECT_EQ(fleet.plan(), "s1 s2 s3 s4 s5");
  std::vector<std::string> seen;
  for (int i = 0; i < 20 && fleet.condition("c", kSucceeded) == "absent"; ++i) {
    seen.push_back(fleet.enforced());
    fleet.turn();
  }
  EXPECT_EQ(fleet.condition("c", kSucceeded), "True Completed");
  EXPECT_THAT(seen, ElementsAre("s1 s2", "s1 s2", "s1 s3", "s1 s3", "s1 s4", "s1 s4", "s5", "s5"));
}

// The batch was planned for that; it cannot become one that starts everybody.
TEST(Controls, ARollingBatchStaysMeteredWhenTheControlsChange) {
  Controlled fleet({.rolling = true}, 5, 2);
  fleet.settle("c");
  fleet.change("c", [](ClusterGroupUpgrade& edited) { edited.spec.rollout_controls.reset(); });
  fleet.settle("c");
  EXPECT_EQ(fleet.enforced(), "s1 s2");
  fleet.turn();
  EXPECT_EQ(fleet.enforced(), "s3 s4");
}

TEST(Controls, NoMoreThanSoManyMayBeUnavailable) {
  Controlled fleet({.max_unavailable = json::Value(1)}, 3, 3);
  fleet.unavailable["s1"] = fleet.now;
  fleet.settle("c");
  EXPECT_EQ(fleet.enforced(), "s1");
  fleet.unavailable.clear();
  fleet.settle("c");
  EXPECT_EQ(fleet.enforced(), "s1 s2 s3");
}

TEST(Controls, AClusterHasItsOwnTimeAndIsTriedAgain) {
  Controlled fleet({.cluster_timeout = 10, .retry = {.per_cluster = 1, .backoff = minutes(5)}}, 2, 2);
  fleet.agents["s1"].is_dead = true;
  fleet.settle("c");
  fleet.turn();
  EXPECT_EQ(fleet.enforced(), "s1");
  fleet.pass(minutes(10) + seconds(1));
  fleet.settle("c");
  EXPECT_EQ(fleet.enforced(), "");
  EXPECT_EQ(fleet.rows("c"), "s2 complete");
  EXPECT_EQ(fleet.wakes(), fleet.now + minutes(5));
  fleet.pass(minutes(5));
  fleet.settle("c");
  EXPECT_EQ(fleet.enforced(), "s1");
  fleet.pass(minutes(10) + seconds(1));
  fleet.settle("c");
  EXPECT_EQ(fleet.rows("c"), "s2 complete, s1 timedout p0");
  fleet.agents["s1"].is_dead = false;  // better late
  fleet.turn();
  EXPECT_EQ(fleet.rows("c"), "s2 complete, s1 complete");
  EXPECT_EQ(fleet.condition("c", kSucceeded), "True Completed");
  EXPECT_EQ(
      std::ranges::count(fleet.events, "ClusterGroupUpgrade c: cluster s1 upgrade finished successfully",
                         &RolloutEvent::note),
      1);
}

TEST(Controls, AClustersOwnTimeStandsStillToo) {
  Controlled fleet({.pause_mode = HoldMode::Freeze, .cluster_timeout = 10}, 2, 2);
  for (const char* each : {"s1", "s2"}) fleet.agents[each].is_dead = true;
  fleet.settle("c");
  fleet.pass(minutes(6));
  fleet.edit([](RolloutControls& controls) { controls.paused = true; });
  fleet.settle("c");
  fleet.pass(hours(1));
  fleet.edit([](RolloutControls& controls) { controls.paused = false; });
  fleet.settle("c");
  fleet.pass(minutes(4));
  fleet.settle("c");
  EXPECT_EQ(fleet.rows("c"), "");
  fleet.pass(seconds(1));
  fleet.settle("c");
  EXPECT_EQ(fleet.rows("c"), "s1 timedout p0, s2 timedout p0");
}

TEST(Controls, ACanaryThatRunsOutOfItsOwnTimeEndsIt) {
  Controlled fleet({.cluster_timeout = 5}, 3, 2);
  fleet.change("c", [](ClusterGroupUpgrade& edited) { edited.spec.remediation_strategy.canaries = {"s1"}; });
  fleet.agents["s1"].is_dead = true;
  fleet.settle("c");
  fleet.pass(minutes(5) + seconds(1));
  fleet.settle("c");
  EXPECT_EQ(fleet.message("c", kSucceeded), "Policy remediation took too long on canary clusters");
}

TEST(Controls, BatchesSoakBeforeTheNext) {
  Controlled fleet({.soak = {.between_batches = minutes(30)}});
  fleet.settle("c");
  fleet.turn();
  EXPECT_EQ(fleet.progress("c"), "1: s1 done, s2 done");
  EXPECT_EQ(fleet.state(), "True InProgress");
  EXPECT_EQ(fleet.enforced(), "");
  fleet.pass(minutes(29));
  fleet.settle("c");
  EXPECT_EQ(fleet.progress("c"), "1: s1 done, s2 done");
  EXPECT_EQ(fleet.wakes(), fleet.now + minutes(1));
  fleet.pass(minutes(1));
  fleet.settle("c");
  EXPECT_EQ(fleet.progress("c"), "2: s3 0, s4 0");
}

TEST(Controls, BatchesMayGrow) {
  Controlled fleet({.batch_sizes = {json::Value(1), text("20%"), text("50%")}}, 10, 0);
  fleet.settle("c");
  EXPECT_EQ(fleet.plan(), "s1 | s2 s3 | s4 s5 s6 s7 s8 | s9 s10");
  Controlled capped({.batch_sizes = {json::Value(1), text("100%")}}, 5, 3);
  capped.settle("c");
  EXPECT_EQ(capped.plan(), "s1 | s2 s3 s4 | s5");
}

TEST(Controls, BatchesSpreadOverPlaces) {
  Controlled fleet({.topology = TopologyControl{"region", 1}}, 5, 2);
  for (const char* each : {"s1", "s2", "s3"}) fleet.add_cluster(each, {{"region", "north"}});
  fleet.add_cluster("s4", {{"region", "south"}});
  fleet.settle("c");
  EXPECT_EQ(fleet.plan(), "s1 s4 | s2 s5 | s3");
}

TEST(Controls, AFailedRolloutIsTakenBackInReverse) {
  Controlled fleet({.rollback = RollbackControl{{"back"}, RollbackOn::Abort}}, 4, 1);
  fleet.add_policy("back");
  fleet.change("c", [](ClusterGroupUpgrade& edited) { edited.spec.batch_timeout_action = "Abort"; });
  fleet.agents["s3"].is_dead = true;
  fleet.settle("c");
  fleet.turn();
  fleet.turn();
  EXPECT_EQ(fleet.progress("c"), "3: s3 0");
  fleet.pass(hours(1));
  fleet.settle("c");
  EXPECT_EQ(fleet.condition("c", kSucceeded), "False TimedOut");
  ASSERT_TRUE(fleet.rollouts.contains("c-rollback"));
  const ClusterGroupUpgradeSpec& back = fleet.rollout("c-rollback").spec;
  EXPECT_THAT(back.clusters, ElementsAre("s3", "s2", "s1"));
  EXPECT_THAT(back.managed_policies, ElementsAre("back"));
  EXPECT_EQ(back.remediation_strategy.max_concurrency, 1);
  EXPECT_EQ(fleet.status("c").rollout.rollback, "c-rollback");
  EXPECT_EQ(fleet.settle("c"), "");
}

TEST(Controls, ARolloutIsTakenBackByHand) {
  Controlled fleet({.rollback = RollbackControl{{"back"}}}, 2, 2);
  fleet.add_policy("back");
  fleet.settle("c");
  fleet.turn();
  EXPECT_EQ(fleet.condition("c", kSucceeded), "True Completed");
  EXPECT_FALSE(fleet.rollouts.contains("c-rollback"));
  fleet.annotate(kRollbackAnnotation, "true");
  fleet.settle("c");
  EXPECT_THAT(fleet.rollout("c-rollback").spec.clusters, ElementsAre("s1", "s2"));
}

}  // namespace
}  // namespace fairway::fleet
