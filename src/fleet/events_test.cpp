#include "fleet/events.hpp"

#include <gtest/gtest.h>

#include "fleet/testing/fleet.hpp"

namespace fairway::fleet {
namespace {

using testing::SimulatedFleet;

TEST(Events, OfAWholeRolloutInTheirOrder) {
  SimulatedFleet fleet;
  for (const char* each : {"s1", "s2"}) fleet.add_cluster(each);
  fleet.add_policy("p0");
  fleet.create(
      "c",
      {.clusters = {"s1", "s2"}, .remediation_strategy = {.max_concurrency = 1}, .managed_policies = {"p0"}});
  fleet.settle("c");
  fleet.set("p0", "s1", Compliance::Compliant);
  fleet.settle("c");
  fleet.set("p0", "s2", Compliance::Compliant);
  fleet.settle("c");
  std::string notes;
  for (const RolloutEvent& each : fleet.events) notes += each.note + "\n";
  EXPECT_EQ(notes,
            "New ClusterGroupUpgrade found: c\n"
            "ClusterGroupUpgrade c started remediating policies\n"
            "ClusterGroupUpgrade c: batch index 1 upgrade started\n"
            "ClusterGroupUpgrade c: cluster s1 upgrade started\n"
            "ClusterGroupUpgrade c: cluster s1 upgrade finished successfully\n"
            "ClusterGroupUpgrade c: all clusters in the batch index 1 are compliant with managed policies\n"
            "ClusterGroupUpgrade c: batch index 2 upgrade started\n"
            "ClusterGroupUpgrade c: cluster s2 upgrade started\n"
            "ClusterGroupUpgrade c: cluster s2 upgrade finished successfully\n"
            "ClusterGroupUpgrade c: all clusters in the batch index 2 are compliant with managed policies\n"
            "ClusterGroupUpgrade c succeeded remediating policies\n");
  EXPECT_EQ(fleet.events[1].annotations.at("cgu.openshift.io/total-batches-count"), "2");
  EXPECT_EQ(fleet.events[1].annotations.at("cgu.openshift.io/total-clusters-count"), "2");
  EXPECT_EQ(fleet.events[2].annotations.at("cgu.openshift.io/batch-clusters"), "s1");
  EXPECT_EQ(fleet.events[3].cluster, "s1");
}

TEST(Events, ListsAreCutToWhatAnAnnotationHolds) {
  const std::vector<std::string> names(2000, std::string(60, 'n'));
  const RolloutEvent event = validation_event("c", "missing clusters", names);
  EXPECT_LE(event.annotations.at("cgu.openshift.io/missing-clusters").size(), kLongestList);
  EXPECT_EQ(event.annotations.at("cgu.openshift.io/truncated"), "missing-clusters");
  EXPECT_EQ(event.annotations.at("cgu.openshift.io/missing-clusters-count"), "2000");
}

}  // namespace
}  // namespace fairway::fleet
