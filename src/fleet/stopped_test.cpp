// A controller that is stopped in the middle of a plan, and what is found by those who go on.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "fleet/testing/controlled.hpp"

namespace fairway::fleet {
namespace {

using testing::Controlled;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

// Claimed, and nothing else.
Controlled claimed(int clusters, std::vector<std::string> policies) {
  Controlled fleet({}, clusters, 2, std::move(policies));
  EXPECT_TRUE(fleet.act(decide(fleet.observe("c")).actions.front()));
  return fleet;
}

std::vector<std::string> named_for(const Controlled& fleet, const std::string& policy) {
  return clusters_in(*fleet.objects.at("Placement default/c-" + policy + "-placement-kuttl"));
}

TEST(Stopped, WhoIsEnforcedIsOnRecordBeforeAPlacementIsMadeThatNamesThem) {
  Controlled fleet = claimed(3, {"p0", "p1"});
  const auto plan = decide(fleet.observe("c"));
  ASSERT_TRUE(std::holds_alternative<WriteStatus>(plan.actions.at(0)));
  // Stopped after any of its actions, the next look goes on to the same end.
  for (std::size_t done = 1; done <= plan.actions.size(); ++done) {
    Controlled stopped = fleet;
    for (std::size_t i = 0; i < done; ++i) ASSERT_TRUE(stopped.act(plan.actions[i])) << i;
    stopped.settle("c");
    EXPECT_THAT(named_for(stopped, "p0"), ElementsAre("s1", "s2")) << done;
    EXPECT_THAT(named_for(stopped, "p1"), IsEmpty()) << done;
    EXPECT_EQ(stopped.enforced(), "s1 s2") << done;
  }
  // Decided from an old look, nothing of it is carried out.
  fleet.change("c", [](ClusterGroupUpgrade& edited) { edited.spec.enable = false; });
  EXPECT_FALSE(fleet.act(plan.actions.front()));
}

TEST(Stopped, WhatIsMadeAfterTheEndGoes) {
  Controlled fleet = claimed(1, {"p0"});
  const auto plan = decide(fleet.observe("c"));  // of one who is stopped after its first action
  fleet.settle("c");
  fleet.set("p0", "s1", Compliance::Compliant);
  fleet.settle("c");
  ASSERT_TRUE(fleet.status("c").status.completed_at.has_value());
  for (std::size_t i = 1; i < plan.actions.size(); ++i) ASSERT_TRUE(fleet.act(plan.actions[i])) << i;
  ASSERT_EQ(fleet.enforced(), "s1");
  EXPECT_EQ(fleet.settle("c"),
            "delete PlacementBinding default/c-p0-placement-kuttl\n"
            "delete Placement default/c-p0-placement-kuttl\n");
  EXPECT_THAT(fleet.objects, IsEmpty());
}

TEST(Stopped, AFenceThatWasRaisedIsRecorded) {
  Controlled fleet({.rolling = true}, 2, 1);
  fleet.settle("c");
  fleet.set("p0", "s1", Compliance::Compliant);
  const auto plan = decide(fleet.observe("c"));
  ASSERT_EQ(describe(plan.actions.at(0)), "Placement default/c-p0-placement-kuttl names [] for batch 2");
  ASSERT_TRUE(fleet.act(plan.actions.at(0)));       // and stops before s2 is on record
  fleet.set("p0", "s1", Compliance::NonCompliant);  // which is not through any more
  fleet.settle("c");
  EXPECT_EQ(fleet.enforced(), "s1");
  fleet.set("p0", "s1", Compliance::Compliant);
  fleet.settle("c");
  EXPECT_EQ(fleet.enforced(), "s2");
}

}  // namespace
}  // namespace fairway::fleet
