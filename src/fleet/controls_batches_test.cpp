// Who is updated when, and what follows the end: cases 109, 111, 113 and 114, and what they leave open.
#include <algorithm>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "fleet/testing/controlled.hpp"

namespace fairway::fleet {
namespace {

using std::chrono::hours;
using std::chrono::minutes;
using std::chrono::seconds;
using testing::Controlled;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::text;

TEST(ControlledBatches, Case109ConcurrencyMayBeAShare) {
  Controlled fleet({.max_concurrency = text("10%")}, 25, 7);
  fleet.settle("c");
  EXPECT_EQ(fleet.status("c").computed_max_concurrency, 3);
  EXPECT_EQ(fleet.status("c").remediation_plan.front().size(), 3u);
}

TEST(ControlledBatches, Case111AClusterThatIsOfflineForLongIsSkipped) {
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
TEST(ControlledBatches, AClusterThatIsGoneIsSkippedWhereThatIsAskedFor) {
  Controlled fleet({.offline = {.policy = OfflinePolicy::Skip}}, 2, 2);
  fleet.settle("c");
  auto left = std::make_shared<ClusterTable>(*fleet.clusters);
  left->erase("s2");
  fleet.clusters = left;
  fleet.turn();
  EXPECT_EQ(fleet.rows("c"), "s1 complete, s2 skipped");
  EXPECT_EQ(fleet.condition("c", kSucceeded), "True Completed");
}

TEST(ControlledBatches, ClustersThatAreOfflineMayGoLast) {
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

TEST(ControlledBatches, Case113AnotherRunIsAboutThoseThatFailed) {
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

TEST(ControlledBatches, AnotherRunMayBeAboutAllAndKeepsPlacementsUsable) {
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

TEST(ControlledBatches, Case114RollingKeepsSoManyActive) {
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
TEST(ControlledBatches, ARollingBatchStaysMeteredWhenTheControlsChange) {
  Controlled fleet({.rolling = true}, 5, 2);
  fleet.settle("c");
  fleet.change("c", [](ClusterGroupUpgrade& edited) { edited.spec.rollout_controls.reset(); });
  fleet.settle("c");
  EXPECT_EQ(fleet.enforced(), "s1 s2");
  fleet.turn();
  EXPECT_EQ(fleet.enforced(), "s3 s4");
}

TEST(ControlledBatches, NoMoreThanSoManyMayBeUnavailable) {
  Controlled fleet({.max_unavailable = json::Value(1)}, 3, 3);
  fleet.unavailable["s1"] = fleet.now;
  fleet.settle("c");
  EXPECT_EQ(fleet.enforced(), "s1");
  fleet.unavailable.clear();
  fleet.settle("c");
  EXPECT_EQ(fleet.enforced(), "s1 s2 s3");
}

TEST(ControlledBatches, AClusterHasItsOwnTimeAndIsTriedAgain) {
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

TEST(ControlledBatches, AClustersOwnTimeStandsStillToo) {
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

TEST(ControlledBatches, ACanaryThatRunsOutOfItsOwnTimeEndsIt) {
  Controlled fleet({.cluster_timeout = 5}, 3, 2);
  fleet.change("c", [](ClusterGroupUpgrade& edited) { edited.spec.remediation_strategy.canaries = {"s1"}; });
  fleet.agents["s1"].is_dead = true;
  fleet.settle("c");
  fleet.pass(minutes(5) + seconds(1));
  fleet.settle("c");
  EXPECT_EQ(fleet.message("c", kSucceeded), "Policy remediation took too long on canary clusters");
}

TEST(ControlledBatches, BatchesSoakBeforeTheNext) {
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

TEST(ControlledBatches, BatchesMayGrow) {
  Controlled fleet({.batch_sizes = {json::Value(1), text("20%"), text("50%")}}, 10, 0);
  fleet.settle("c");
  EXPECT_EQ(fleet.plan(), "s1 | s2 s3 | s4 s5 s6 s7 s8 | s9 s10");
  Controlled capped({.batch_sizes = {json::Value(1), text("100%")}}, 5, 3);
  capped.settle("c");
  EXPECT_EQ(capped.plan(), "s1 | s2 s3 s4 | s5");
}

TEST(ControlledBatches, BatchesSpreadOverPlaces) {
  Controlled fleet({.topology = TopologyControl{"region", 1}}, 5, 2);
  for (const char* each : {"s1", "s2", "s3"}) fleet.add_cluster(each, {{"region", "north"}});
  fleet.add_cluster("s4", {{"region", "south"}});
  fleet.settle("c");
  EXPECT_EQ(fleet.plan(), "s1 s4 | s2 s5 | s3");
}

TEST(ControlledBatches, AFailedRolloutIsTakenBackInReverse) {
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

TEST(ControlledBatches, ARolloutIsTakenBackByHand) {
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
