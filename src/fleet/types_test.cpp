#include "fleet/types.hpp"

#include <gtest/gtest.h>

namespace fairway::fleet {
namespace {

constexpr WallTime kNow{std::chrono::hours(480000)};

std::string order(const kube::Conditions& conditions) {
  std::string text;
  for (const kube::Condition& each : conditions) text += each.type + " " + each.reason + ", ";
  return text;
}

TEST(Conditions, AFlipMovesToTheEndAndAnythingElseStays) {
  kube::Conditions all;
  put_condition(all, kClustersSelected, true, "One", "", kNow);
  put_condition(all, kValidated, false, "Two", "", kNow);
  put_condition(all, kClustersSelected, true, "Three", "new", kNow + std::chrono::hours(1));
  EXPECT_EQ(order(all), "ClustersSelected Three, Validated Two, ");
  EXPECT_EQ(all[0].message, "new");
  EXPECT_EQ(all[0].last_transition_time, kNow);
  put_condition(all, kClustersSelected, false, "Four", "", kNow + std::chrono::hours(2));
  EXPECT_EQ(order(all), "Validated Two, ClustersSelected Four, ");
  EXPECT_EQ(all[1].last_transition_time, kNow + std::chrono::hours(2));
}

TEST(Types, EmptyPartsAreLeftOutAndTheInnerStatusNever) {
  EXPECT_EQ(json::serialize(json::to_object(ClusterGroupUpgradeStatus{})), R"({"status":{}})");
}

// Case 41.
TEST(Types, TheFirstPolicyHasAnIndexAndAFinishedClusterHasNone) {
  EXPECT_EQ(json::serialize(
                json::to_object(ClusterProgress{.state = ProgressState::InProgress, .policy_index = 0})),
            R"({"state":"InProgress","policyIndex":0})");
  EXPECT_EQ(json::serialize(json::to_object(ClusterProgress{.state = ProgressState::Completed})),
            R"({"state":"Completed"})");
}

TEST(Types, WhatIsNotKnownIsWrittenBack) {
  const std::string text =
      R"({"metadata":{"name":"a"},"spec":{"remediationStrategy":{"maxConcurrency":1,"timeout":240,"x":1},)"
      R"("blockingCRs":[{"name":"b","namespace":"c"}],"preCachingConfigRef":{"name":"p"}},)"
      R"("status":{"status":{},"copiedPolicies":["p"]}})";
  const auto read = json::from_json<ClusterGroupUpgrade>(*json::parse_object(text));
  ASSERT_TRUE(read) << read.error().describe();
  EXPECT_TRUE(json::same_value(json::to_object(*read), *json::parse_object(text)))
      << json::serialize(json::to_object(*read));
}

TEST(Types, Case8AnAbsentSwitchIsOn) {
  const auto read = json::from_json<ClusterGroupUpgrade>(*json::parse_object(R"({"metadata":{"name":"a"}})"));
  EXPECT_TRUE(is_enabled(*read));
  EXPECT_TRUE(deletes_objects(*read));
  EXPECT_EQ(read->spec.remediation_strategy.timeout, 240);
}

TEST(Types, AClusterHasOneRow) {
  ClusterGroupUpgradeStatus status;
  put_row(status, {.name = "a", .state = "timedout"});
  put_row(status, {.name = "b", .state = "complete"});
  put_row(status, {.name = "a", .state = "complete"});
  ASSERT_EQ(status.clusters.size(), 2u);
  EXPECT_EQ(status.clusters[0].state, "complete");
}

}  // namespace
}  // namespace fairway::fleet
