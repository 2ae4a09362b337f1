// Blockers, backup and pre-cache: what holds a rollout back before its first batch.
#include "fleet/gates.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "fleet/testing/fleet.hpp"

namespace fairway::fleet {
namespace {

using ::testing::ElementsAre;
using testing::SimulatedFleet;

SimulatedFleet fleet_of_three() {
  SimulatedFleet fleet;
  for (const char* each : {"s1", "s2", "s3"}) fleet.add_cluster(each);
  fleet.add_policy("p0");
  return fleet;
}

ClusterGroupUpgradeSpec spec(std::vector<std::string> clusters, std::vector<RolloutReference> blockers = {}) {
  return {.clusters = std::move(clusters),
          .remediation_strategy = {.max_concurrency = 1},
          .managed_policies = {"p0"},
          .blocking_crs = std::move(blockers)};
}

TEST(Blocking, Case54AMissingBlockerIsSaidFirst) {
  SimulatedFleet fleet = fleet_of_three();
  fleet.create("a", spec({"s1"}));
  fleet.create("c", spec({"s2"}, {{"a", "default"}, {"x", "default"}}));
  fleet.settle("c");
  EXPECT_EQ(fleet.condition("c", kProgressing), "False MissingBlockingCR");
  EXPECT_EQ(fleet.message("c", kProgressing), "Missing blocking CRs: [x]");
  EXPECT_EQ(decide(fleet.observe("c")).wake_at, fleet.now + std::chrono::minutes(1));
}

TEST(Blocking, Case55And56PartialGoesOnWithTheClustersThatAreComplete) {
  SimulatedFleet fleet = fleet_of_three();
  fleet.create("a", spec({"s3", "s2", "s1"}));
  fleet.settle("a");
  fleet.set("p0", "s3", Compliance::Compliant);
  fleet.settle("a");
  fleet.change("a", [](auto& edited) { edited.spec.remediation_strategy.timeout = 0; });
  fleet.pass(std::chrono::seconds(1));
  fleet.settle("a");
  ASSERT_EQ(fleet.condition("a", kSucceeded), "False TimedOut");
  fleet.set("p0", "s3", Compliance::NonCompliant);
  fleet.create("c", spec({"s1", "s2", "s3"}, {{"a", ""}}));
  fleet.settle("c");
  EXPECT_EQ(fleet.condition("c", kProgressing), "False IncompleteBlockingCR");
  EXPECT_EQ(fleet.message("c", kProgressing), "Blocking CRs that are not completed: [a]");
  fleet.change("c", [](auto& edited) {
    edited.metadata.annotations[std::string(kCompletionMode)] = "partial";
    edited.metadata.annotations[std::string(kClusterFiltering)] = "true";
  });
  fleet.settle("c");
  EXPECT_THAT(fleet.status("c").remediation_plan, ElementsAre(Batch{"s3"}));
}

TEST(Blocking, Case56NobodyLeftIsAFailure) {
  SimulatedFleet fleet = fleet_of_three();
  fleet.create("a", spec({"s1"}));
  fleet.settle("a");
  fleet.change("a", [](auto& edited) { edited.spec.remediation_strategy.timeout = 0; });
  fleet.pass(std::chrono::seconds(1));
  fleet.settle("a");
  fleet.create("c", spec({"s2"}, {{"a", "default"}}));
  fleet.change("c", [](auto& edited) {
    edited.metadata.annotations[std::string(kCompletionMode)] = "partial";
    edited.metadata.annotations[std::string(kClusterFiltering)] = "true";
  });
  fleet.settle("c");
  EXPECT_EQ(fleet.condition("c", kSucceeded), "False Failed");
  EXPECT_EQ(fleet.message("c", kSucceeded),
            "No clusters available for remediation after filtering out non-completed clusters from blocking "
            "CGUs");
}

TEST(Blocking, Case57RolloutsThatWaitForEachOtherAreTold) {
  SimulatedFleet fleet = fleet_of_three();
  fleet.create("a", spec({"s1"}, {{"b", "default"}}));
  fleet.create("b", spec({"s2"}, {{"a", "default"}}));
  fleet.create("self", spec({"s2"}, {{"self", "default"}}));
  for (const char* each : {"a", "b", "self"}) fleet.settle(each);
  EXPECT_EQ(fleet.message("a", kProgressing), "Blocking CRs that are not completed: [b] (cycle)");
  EXPECT_EQ(fleet.message("b", kProgressing), "Blocking CRs that are not completed: [a] (cycle)");
  EXPECT_EQ(fleet.message("self", kProgressing), "Blocking CRs that are not completed: [self] (cycle)");
}

// K19: one fails, the others go on.
TEST(Backup, WhoseBackupFailsIsLeftOut) {
  SimulatedFleet fleet = fleet_of_three();
  auto asked = spec({"s1", "s2", "s3"});
  asked.backup = true;
  asked.remediation_strategy.canaries = {"s2"};
  asked.actions = Actions{.after_completion = ClusterActions{.add_cluster_labels = {{"done", ""}}}};
  fleet.create("c", asked);
  fleet.settle("c");
  EXPECT_EQ(fleet.condition("c", "BackupSuceeded"), "False InProgress");
  EXPECT_EQ(fleet.message("c", "BackupSuceeded"), "Backup in progress for 3 clusters");
  EXPECT_EQ(fleet.message("c", kProgressing), "Cluster backup is in progress");
  fleet.change("c", [](auto& edited) {
    edited.status.backup->status = {{"s1", "Succeeded"}, {"s2", "UnrecoverableError"}, {"s3", "Active"}};
  });
  fleet.settle("c");
  EXPECT_EQ(fleet.message("c", "BackupSuceeded"), "Backup in progress for 1 clusters");
  EXPECT_EQ(decide(fleet.observe("c")).wake_at, fleet.now + kJobLimit + Duration(1));
  fleet.change("c", [](auto& edited) { edited.status.backup->status["s3"] = "Succeeded"; });
  fleet.settle("c");
  EXPECT_EQ(fleet.condition("c", "BackupSuceeded"), "True PartiallyDone");
  EXPECT_EQ(fleet.message("c", "BackupSuceeded"), "Backup failed for 1 clusters");
  EXPECT_THAT(fleet.status("c").remediation_plan, ElementsAre(Batch{"s1"}, Batch{"s3"}));
  // Case 68.
  EXPECT_TRUE(fleet.clusters->at("s2").empty());
  EXPECT_EQ(find_row(fleet.status("c"), "s2"), nullptr);
}

TEST(Backup, Case67WhenAllFailItEnds) {
  SimulatedFleet fleet = fleet_of_three();
  auto asked = spec({"s1", "s2"});
  asked.backup = true;
  fleet.create("c", asked);
  fleet.settle("c");
  fleet.pass(kJobLimit + Duration(1));
  fleet.settle("c");
  EXPECT_EQ(fleet.status("c").backup->status.at("s1"), "BackupTimeout");
  EXPECT_EQ(fleet.condition("c", "BackupSuceeded"), "False Failed");
  EXPECT_EQ(fleet.condition("c", kSucceeded), "False Failed");
  EXPECT_EQ(fleet.message("c", kSucceeded), "No clusters available for remediation (Backup failed)");
}

// K20: pre-caching runs before the rollout is enabled.
TEST(Precaching, RunsBeforeTheRolloutIsEnabled) {
  SimulatedFleet fleet = fleet_of_three();
  auto asked = spec({"s1"});
  asked.pre_caching = true;
  asked.enable = false;
  fleet.create("c", asked);
  fleet.settle("c");
  EXPECT_EQ(fleet.condition("c", "PrecacheSpecValid"), "True PrecacheSpecIsWellFormed");
  EXPECT_EQ(fleet.condition("c", "PrecachingSuceeded"), "False InProgress");
  EXPECT_EQ(fleet.condition("c", kProgressing), "absent");
  fleet.change("c", [](auto& edited) { edited.status.precaching->status["s1"] = "Succeeded"; });
  fleet.settle("c");
  EXPECT_EQ(fleet.message("c", "PrecachingSuceeded"), "Precaching is completed for all clusters");
  EXPECT_EQ(fleet.condition("c", kProgressing), "False NotEnabled");
}

}  // namespace
}  // namespace fairway::fleet
