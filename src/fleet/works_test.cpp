// Rollouts of manifest works: scenarios K24 to K26, as far as they are decisions.
#include "fleet/works.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "fleet/testing/fleet.hpp"

namespace fairway::fleet {
namespace {

using std::chrono::minutes;
using testing::SimulatedFleet;

constexpr const char* kTemplates[] = {"ibu-prep", "ibu-upgrade", "ibu-finalize"};

SimulatedFleet fleet_of_works(std::vector<std::string> names = {"ibu-prep", "ibu-upgrade", "ibu-finalize"}) {
  SimulatedFleet fleet;
  for (const char* each : {"spoke1", "spoke4", "spoke6"}) fleet.add_cluster(each);
  for (const char* each : kTemplates) fleet.add_template(each);
  fleet.create("cgu", {.clusters = {"spoke1", "spoke4", "spoke6"},
                       .remediation_strategy = {.max_concurrency = 2, .timeout = 60},
                       .manifest_work_templates = std::move(names)});
  return fleet;
}

std::string works(const SimulatedFleet& fleet) {
  std::string text;
  for (const auto& [key, object] : fleet.objects) text += key.substr(key.find(' ') + 1) + " ";
  return text;
}

TEST(Works, K24OneWorkAfterTheOtherAndABatchAfterTheOther) {
  SimulatedFleet fleet = fleet_of_works();
  fleet.settle("cgu");
  EXPECT_EQ(fleet.message("cgu", kProgressing), "Rolling out manifestworks");
  EXPECT_EQ(fleet.progress("cgu"), "1: spoke1 0, spoke4 0");
  EXPECT_EQ(works(fleet), "spoke1/default.ibu-prep-kuttl spoke4/default.ibu-prep-kuttl ");
  fleet.agents["spoke4"].ticks_to_comply = 2;
  fleet.tick();
  fleet.settle("cgu");
  EXPECT_EQ(fleet.progress("cgu"), "1: spoke1 1, spoke4 0");
  EXPECT_EQ(works(fleet), "spoke1/default.ibu-upgrade-kuttl spoke4/default.ibu-prep-kuttl ");
  fleet.agents["spoke4"].ticks_to_comply = 1;
  for (int i = 0; i < 2; ++i) {
    fleet.tick();
    fleet.settle("cgu");
  }
  // The first is through, and keeps its last work to the end of the batch.
  EXPECT_EQ(fleet.progress("cgu"), "1: spoke1 done, spoke4 2");
  EXPECT_EQ(works(fleet), "spoke1/default.ibu-finalize-kuttl spoke4/default.ibu-finalize-kuttl ");
  fleet.tick();
  fleet.settle("cgu");
  EXPECT_EQ(fleet.progress("cgu"), "2: spoke6 0");
  EXPECT_EQ(works(fleet), "spoke6/default.ibu-prep-kuttl ");
  for (int i = 0; i < 3; ++i) {
    fleet.tick();
    fleet.settle("cgu");
  }
  EXPECT_EQ(fleet.condition("cgu", kSucceeded), "True Completed");
  EXPECT_EQ(fleet.message("cgu", kSucceeded), "All manifestworks rolled out successfully on all clusters");
  EXPECT_EQ(fleet.rows("cgu"), "spoke1 complete, spoke4 complete, spoke6 complete");
  EXPECT_TRUE(fleet.objects.empty());
}

TEST(Works, TheNextBatchWaitsUntilTheWorksOfTheLastAreGone) {
  SimulatedFleet fleet = fleet_of_works({"ibu-prep"});
  fleet.settle("cgu");
  fleet.tick();
  // The cluster has its own finalizer on it, and takes its time.
  auto& slow = fleet.objects.at("ManifestWork spoke1/default.ibu-prep-kuttl");
  json::Object going = *slow;
  going["metadata"].get_object()["deletionTimestamp"] = "2024-01-01T00:00:00Z";
  slow = std::make_shared<const json::Object>(std::move(going));
  fleet.settle("cgu");
  EXPECT_EQ(works(fleet), "spoke1/default.ibu-prep-kuttl spoke4/default.ibu-prep-kuttl ");
  EXPECT_EQ(fleet.progress("cgu"), "1: spoke1 0, spoke4 done");
  fleet.objects.erase("ManifestWork spoke1/default.ibu-prep-kuttl");
  fleet.settle("cgu");
  fleet.tick();
  auto& last = fleet.objects.at("ManifestWork spoke4/default.ibu-prep-kuttl");
  json::Object held = *last;
  held["metadata"].get_object()["deletionTimestamp"] = "2024-01-01T00:00:00Z";
  last = std::make_shared<const json::Object>(std::move(held));
  fleet.settle("cgu");
  EXPECT_EQ(fleet.progress("cgu"), "1: spoke1 done, spoke4 done");
  EXPECT_EQ(works(fleet), "spoke4/default.ibu-prep-kuttl ");
  fleet.objects.erase("ManifestWork spoke4/default.ibu-prep-kuttl");
  fleet.settle("cgu");
  EXPECT_EQ(fleet.progress("cgu"), "2: spoke6 0");
}

TEST(Works, K25TemplatesThatAreMissingAreNamed) {
  SimulatedFleet fleet = fleet_of_works();
  fleet.templates.erase("ibu-upgrade");
  fleet.templates.erase("ibu-finalize");
  fleet.settle("cgu");
  EXPECT_EQ(fleet.condition("cgu", kValidated), "False NotAllManifestTemplatesExist");
  EXPECT_EQ(fleet.message("cgu", kValidated), "Missing manifest templates: [ibu-upgrade ibu-finalize]");
  EXPECT_TRUE(fleet.objects.empty());
}

TEST(Works, K26WhoIsLateSaysAtWhichWork) {
  SimulatedFleet fleet = fleet_of_works();
  for (const char* each : {"spoke1", "spoke4"}) fleet.agents[each].is_dead = true;
  fleet.settle("cgu");
  fleet.change("cgu", [](ClusterGroupUpgrade& edited) { edited.spec.remediation_strategy.timeout = 0; });
  fleet.pass(minutes(1));
  fleet.settle("cgu");
  EXPECT_EQ(fleet.rows("cgu"), "spoke1 timedout ibu-prep, spoke4 timedout ibu-prep");
  EXPECT_EQ(fleet.message("cgu", kSucceeded), "Manifestwork rollout took too long");
  EXPECT_TRUE(fleet.objects.empty());
}

TEST(Works, OfARolloutThatIsDeletedAreTakenAway) {
  SimulatedFleet fleet = fleet_of_works();
  fleet.settle("cgu");
  EXPECT_FALSE(fleet.objects.empty());
  fleet.remove("cgu");
  fleet.settle("cgu");
  EXPECT_TRUE(fleet.objects.empty());
  EXPECT_FALSE(fleet.rollouts.contains("cgu"));
}

TEST(Works, AreFrozenAndGoOn) {
  SimulatedFleet fleet = fleet_of_works();
  fleet.settle("cgu");
  fleet.tick();
  fleet.settle("cgu");
  fleet.change("cgu", [](ClusterGroupUpgrade& edited) {
    edited.spec.rollout_controls = RolloutControls{.paused = true, .pause_mode = HoldMode::Freeze};
  });
  fleet.settle("cgu");
  EXPECT_TRUE(fleet.objects.empty());
  fleet.change("cgu", [](ClusterGroupUpgrade& edited) { edited.spec.rollout_controls->paused = false; });
  fleet.settle("cgu");
  EXPECT_EQ(works(fleet), "spoke1/default.ibu-upgrade-kuttl spoke4/default.ibu-upgrade-kuttl ");
}

json::Object work(const char* text) {
  return *json::parse_object(text);
}

constexpr const char* kExpecting =
    R"("metadata":{"annotations":{"openshift-cluster-group-upgrades/expectedValues":)"
    R"("[{\"manifestIndex\":1,\"name\":\"isDone\",\"value\":\"True\"}]"}},)";
constexpr const char* kReady =
    R"("conditions":[{"type":"Applied","status":"True"},{"type":"Available","status":"True"}])";

TEST(Works, AreThroughWhenTheClusterSaysSo) {
  const std::string ready = kReady;
  EXPECT_FALSE(is_through(work("{}")));
  EXPECT_FALSE(is_through(work(R"({"status":{"conditions":[{"type":"Applied","status":"True"}]}})")));
  EXPECT_TRUE(is_through(work(("{\"status\":{" + ready + "}}").c_str())));
  const auto with_feedback = [&](const std::string& conditions, const std::string& value) {
    return work(
        (std::string("{") + kExpecting + "\"status\":{" + ready +
         R"(,"resourceStatus":{"manifests":[{"resourceMeta":{"ordinal":0}},{"resourceMeta":{"ordinal":1},)" +
         conditions + R"("statusFeedback":{"values":[{"name":"isDone","fieldValue":)" + value + "}]}}]}}}")
            .c_str());
  };
  const std::string synced =
      R"("conditions":[{"type":"Applied","status":"True"},{"type":"Available","status":"True"},)"
      R"({"type":"StatusFeedbackSynced","status":"True"}],)";
  EXPECT_TRUE(is_through(with_feedback(synced, R"({"type":"String","string":"True"})")));
  EXPECT_FALSE(is_through(with_feedback(synced, R"({"type":"String","string":"False"})")));
  EXPECT_FALSE(is_through(with_feedback("", R"({"type":"String","string":"True"})")));
  // What cannot be read is not through.
  EXPECT_FALSE(is_through(work(
      (R"({"metadata":{"annotations":{"openshift-cluster-group-upgrades/expectedValues":"nonsense"}},"status":{)" +
       ready + "}}")
          .c_str())));
}

}  // namespace
}  // namespace fairway::fleet
