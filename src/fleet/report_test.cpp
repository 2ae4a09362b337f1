#include "fleet/report.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "fleet/holds.hpp"
#include "fleet/learned_block.hpp"
#include "fleet/testing/fleet.hpp"
#include "json/yaml.hpp"

namespace fairway::fleet {
namespace {

using std::chrono::minutes;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::SimulatedFleet;

ClusterGroupUpgradeSpec some_spec() {
  return {.clusters = {"s1", "s2", "s3", "s4"},
          .remediation_strategy = {.max_concurrency = 2, .timeout = 60, .canaries = {"s2"}},
          .managed_policies = {"ptp", "sriov"}};
}

SimulatedFleet some_fleet(ClusterGroupUpgradeSpec spec = some_spec()) {
  SimulatedFleet fleet;
  for (const char* each : {"s1", "s2", "s3", "s4"}) fleet.add_cluster(each);
  for (const char* each : {"ptp", "sriov"}) fleet.add_policy(each);
  for (const char* each : {"ptp", "sriov"}) fleet.set(each, "s4", Compliance::Compliant);
  fleet.create("edge", std::move(spec));
  return fleet;
}

TEST(Report, ShowsBatchesAndClusters) {
  SimulatedFleet fleet = some_fleet();
  fleet.settle("edge");
  fleet.tick();
  fleet.settle("edge");
  fleet.pass(minutes(5));
  EXPECT_EQ(to_text(report_of(fleet.rollout("edge")), fleet.now),
            "default/edge: Rolling, batch 1 of 2\n"
            "  InProgress: Remediating non-compliant policies\n"
            "  policies: ptp, sriov\n"
            "  started 5m ago, 55m left\n"
            "\n"
            "BATCH       STATE       PROGRESS                    TIME      CLUSTERS\n"
            "1 (canary)  InProgress  [....................] 0/1  25m left  s2\n"
            "2           Waiting     [....................] 0/2  -         s1 s3\n"
            "\n"
            "CLUSTER  BATCH  STATE       POLICY  REASON\n"
            "s2       1      InProgress  sriov   -\n"
            "s4       -      Complete    -       -\n");
}

TEST(Report, ShowsHowItEnded) {
  SimulatedFleet fleet = some_fleet();
  fleet.agents["s2"].is_dead = true;
  fleet.settle("edge");
  fleet.pass(minutes(61));
  fleet.settle("edge");
  const RolloutReport report = report_of(fleet.rollout("edge"));
  EXPECT_TRUE(has_ended(report));
  EXPECT_EQ(report.phase, "Failed");
  EXPECT_EQ(report.batches.front().state, "TimedOut");
  EXPECT_EQ(report.batches.back().state, "Waiting");
  EXPECT_THAT(to_text(report, fleet.now),
              HasSubstr("s2       1      TimedOut  ptp     NonCompliant when its time was over"));
  EXPECT_EQ(history_text(fleet.rollout("edge")).substr(0, 17), "RUN  RESULT    ST");
}

TEST(Report, SaysWhyAClusterIsLate) {
  ClusterGroupUpgrade rollout;
  rollout.status.clusters = {
      {.name = "a", .state = "timedout", .current_policy = CurrentPolicy{"p", "NonCompliant"}},
      {.name = "b", .state = "timedout", .current_manifest_work = CurrentManifestWork{"w"}},
      {.name = "c", .state = "timedout"},
      {.name = "d", .state = "skipped", .reason = "offline"},
      {.name = "e", .state = "complete"}};
  std::vector<std::string> reasons;
  for (const ClusterReport& each : report_of(rollout).clusters) reasons.push_back(each.reason);
  EXPECT_THAT(reasons,
              ElementsAre("NonCompliant when its time was over", "not carried out when its time was over",
                          "not begun in its time", "offline", ""));
}

TEST(Report, SaysWhatWaitsForApproval) {
  ClusterGroupUpgradeSpec spec = some_spec();
  spec.rollout_controls = RolloutControls{.approvals = {ApprovalMode::AfterCanary}};
  SimulatedFleet fleet = some_fleet(spec);
  fleet.settle("edge");
  EXPECT_EQ(report_of(fleet.rollout("edge")).next_approval, 0);
  for (int i = 0; i < 2; ++i) {
    fleet.tick();
    fleet.settle("edge");
  }
  const RolloutReport report = report_of(fleet.rollout("edge"));
  EXPECT_EQ(report.next_approval, 2);
  EXPECT_THAT(to_text(report, fleet.now),
              HasSubstr("batch 2 waits: fairway rollout approve edge -n default"));
}

TEST(Preview, TellsTheBatchesAndChangesNothing) {
  SimulatedFleet fleet = some_fleet();
  const auto before = fleet.rollouts.at("edge");
  EXPECT_EQ(to_text(preview_of(fleet.observe("edge"))),
            "edge would update 3 clusters in 2 batches, at most 2 at a time, within 60 minutes\n"
            "  policies: ptp, sriov\n"
            "  clusters that already comply: s4\n"
            "\n"
            "BATCH       CLUSTERS\n"
            "1 (canary)  s2\n"
            "2           s1 s3\n");
  EXPECT_EQ(fleet.rollouts.at("edge"), before);
  EXPECT_TRUE(fleet.objects.empty());
  // It is the same of one that runs.
  fleet.settle("edge");
  EXPECT_THAT(preview_of(fleet.observe("edge")).batches, ElementsAre(Batch{"s2"}, Batch{"s1", "s3"}));
}

TEST(Preview, TellsWhatIsWrongAndWhatIsWaitedFor) {
  ClusterGroupUpgradeSpec spec = some_spec();
  spec.managed_policies.emplace_back("none");
  SimulatedFleet wrong = some_fleet(spec);
  EXPECT_EQ(to_text(preview_of(wrong.observe("edge"))),
            "edge cannot be rolled out: Missing managed policies: [none]\n");
  spec = some_spec();
  spec.enable = false;
  spec.rollout_controls = RolloutControls{.paused = true};
  SimulatedFleet held = some_fleet(spec);
  const RolloutPreview preview = preview_of(held.observe("edge"));
  EXPECT_EQ(preview.held, "Rollout paused by spec.rolloutControls.paused");
  EXPECT_EQ(preview.batches.size(), 2u);
}

TEST(LearnedBlock, IsAboutTheReleaseThatFailed) {
  SimulatedFleet fleet = some_fleet();
  fleet.add_policy("ptp",
                   {.remediation_action = "inform", .platform = {{.version = "4.17.3", .image = "quay"}}});
  fleet.settle("edge");
  const auto policies = fleet.observe("edge").policies;
  EXPECT_FALSE(learn_block(fleet.rollout("edge"), policies, {}));
  fleet.pass(minutes(61));
  fleet.settle("edge");
  const auto block =
      learn_block(fleet.rollout("edge"), policies,
                  {.from = "4[.]16[.].*", .url = "https://example.com/1", .promql = "up == 1"});
  ASSERT_TRUE(block) << block.error().describe();
  EXPECT_EQ(block->file, "4.17.3-FailedInRolloutEdge.yaml");
  const std::string text = json::to_yaml(block->content);
  EXPECT_THAT(text, HasSubstr("to: 4.17.3\n"));
  EXPECT_THAT(text, HasSubstr("The rollout default/edge to 4.17.3 failed: Policy remediation took too long"));
  EXPECT_THAT(text, HasSubstr("did not become compliant: s2."));
  EXPECT_THAT(text, HasSubstr("promql: up == 1"));
}

}  // namespace
}  // namespace fairway::fleet
