// What holds a rollout, and what cannot be understood: cases 105 to 108, 110 and 112.
#include "fleet/controls.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "fleet/testing/controlled.hpp"

namespace fairway::fleet {
namespace {

using std::chrono::hours;
using std::chrono::minutes;
using std::chrono::seconds;
using testing::Controlled;
using ::testing::HasSubstr;
using testing::SimulatedFleet;
using testing::text;

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

}  // namespace
}  // namespace fairway::fleet
