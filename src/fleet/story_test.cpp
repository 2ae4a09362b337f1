// The rollout of the proposal that this follows: four clusters, two policies, two clusters at a time.
#include <gtest/gtest.h>

#include "fleet/testing/fleet.hpp"

namespace fairway::fleet {
namespace {

using testing::SimulatedFleet;

TEST(Story, FourClustersTwoPoliciesTwoAtATime) {
  SimulatedFleet fleet;
  for (const char* each : {"spoke1", "spoke2", "spoke5", "spoke6"}) fleet.add_cluster(each);
  fleet.add_policy("ptp");
  fleet.add_policy("sriov");
  fleet.create("cgu-1", {.clusters = {"spoke1", "spoke2", "spoke5", "spoke6"},
                         .remediation_strategy = {.max_concurrency = 2},
                         .managed_policies = {"ptp", "sriov"}});
  EXPECT_EQ(fleet.settle("cgu-1"),
            "add the finalizer of cgu-1\n"
            "write the status: InProgress, batch 1 of 2: spoke1 at 0, spoke2 at 0\n"
            "create Placement default/cgu-1-ptp-placement-kuttl that names [spoke1 spoke2] for batch 1\n"
            "create Placement default/cgu-1-sriov-placement-kuttl\n"
            "create PlacementBinding default/cgu-1-ptp-placement-kuttl\n"
            "create PlacementBinding default/cgu-1-sriov-placement-kuttl\n");

  fleet.tick();
  EXPECT_EQ(fleet.settle("cgu-1"),
            "write the status: InProgress, batch 1 of 2: spoke1 at 1, spoke2 at 1\n"
            "Placement default/cgu-1-sriov-placement-kuttl names [spoke1 spoke2] for batch 1\n");
  // The proposal's fourth step: both policies are enforced on the first batch, and on nobody else.
  EXPECT_EQ(fleet.table(),
            "spoke1 ptp enforce Compliant\n"
            "spoke1 sriov enforce NonCompliant\n"
            "spoke2 ptp enforce Compliant\n"
            "spoke2 sriov enforce NonCompliant\n"
            "spoke5 ptp inform NonCompliant\n"
            "spoke5 sriov inform NonCompliant\n"
            "spoke6 ptp inform NonCompliant\n"
            "spoke6 sriov inform NonCompliant\n");

  fleet.tick();
  EXPECT_EQ(fleet.settle("cgu-1"),
            "write the status: InProgress, batch 1 of 2: spoke1 complete, spoke2 complete\n"
            "Placement default/cgu-1-ptp-placement-kuttl names [] for batch 2\n"
            "Placement default/cgu-1-sriov-placement-kuttl names [] for batch 2\n"
            "write the status: InProgress, batch 2 of 2: spoke5 at 0, spoke6 at 0\n"
            "Placement default/cgu-1-ptp-placement-kuttl names [spoke5 spoke6] for batch 2\n");
  fleet.tick();
  fleet.settle("cgu-1");
  fleet.tick();
  EXPECT_EQ(fleet.settle("cgu-1"),
            "write the status: Completed, batch 2 of 2: spoke5 complete, spoke6 complete\n"
            "delete PlacementBinding default/cgu-1-ptp-placement-kuttl\n"
            "delete PlacementBinding default/cgu-1-sriov-placement-kuttl\n"
            "delete Placement default/cgu-1-ptp-placement-kuttl\n"
            "delete Placement default/cgu-1-sriov-placement-kuttl\n"
            "write the status: Completed, closed\n");
  EXPECT_EQ(fleet.table(),
            "spoke1 ptp inform Compliant\n"
            "spoke1 sriov inform Compliant\n"
            "spoke2 ptp inform Compliant\n"
            "spoke2 sriov inform Compliant\n"
            "spoke5 ptp inform Compliant\n"
            "spoke5 sriov inform Compliant\n"
            "spoke6 ptp inform Compliant\n"
            "spoke6 sriov inform Compliant\n");
  EXPECT_EQ(fleet.rows("cgu-1"), "spoke1 complete, spoke2 complete, spoke5 complete, spoke6 complete");
  EXPECT_EQ(fleet.message("cgu-1", kSucceeded), "All clusters are compliant with all the managed policies");
  EXPECT_TRUE(fleet.status("cgu-1").placements.empty());
}

}  // namespace
}  // namespace fairway::fleet
