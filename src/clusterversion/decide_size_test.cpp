// The largest status that can be stored.
#include <gtest/gtest.h>

#include "clusterversion/decide_testing.hpp"

namespace fairway::clusterversion {
namespace {

using testing::large_cluster;
using testing::SimulatedCluster;

TEST(DecideSize, FiveHundredUpdatesAreWrittenOnce) {
  SimulatedCluster cluster = large_cluster(500, 100);
  const ClusterVersionStatus& status = cluster.object.status;
  ASSERT_EQ(status.conditional_updates.size(), 500U);
  for (const ConditionalUpdate& update : status.conditional_updates)
    EXPECT_NE(recommended(update)->status, kube::kConditionUnknown) << update.release.version;
  EXPECT_EQ(status.available_updates.size(), 250U);
  for (int minute = 0; minute < 2; ++minute) {
    for (const Action& action : decide(cluster.observe()).actions)
      ADD_FAILURE() << "there is nothing to do: " << describe(action);
    cluster.pass(std::chrono::minutes(1));
  }
}

TEST(DecideSize, OneAnswerThatChangesIsWritten) {
  SimulatedCluster cluster = large_cluster(20, 10);
  ASSERT_TRUE(decide(cluster.observe()).actions.empty());
  const std::string query =
      cluster.object.status.conditional_updates.front().risks.front().matching_rules.front().promql->promql;
  const bool was_match = cluster.memory.queries.find(query)->value();
  cluster.memory.queries.record(query, !was_match, cluster.now);
  const auto actions = decide(cluster.observe()).actions;
  ASSERT_EQ(actions.size(), 1U);
  EXPECT_TRUE(std::holds_alternative<WriteStatus>(actions.front()));
}

}  // namespace
}  // namespace fairway::clusterversion
