#include "clusterversion/upgrade/progress.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/text.hpp"
#include "clusterversion/upgrade/testing.hpp"
#include "clusterversion/upgrade/view.hpp"
#include "json/yaml.hpp"

namespace fairway::clusterversion::upgrade {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;
using ::testing::Not;
using testing::set_condition;
using testing::story_cluster;
using testing::test_file;

const WallTime kNow = *parse_rfc3339("2021-08-28T03:00:00Z");

// An hour into an update to 4.6.43.
ClusterVersion updating_cluster() {
  ClusterVersion cluster = story_cluster();
  cluster.status.desired = {.version = "4.6.43", .image = "i"};
  cluster.status.history.insert(
      cluster.status.history.begin(),
      HistoryEntry{.state = "Partial", .started_time = kNow - 1h, .version = "4.6.43"});
  set_condition(cluster, kProgressing, "True", "",
                "Working towards 4.6.43: 12 of 40 done (30% complete), waiting on etcd, kube-apiserver");
  return cluster;
}

TEST(Progress, IsReadFromTheMessage) {
  const auto progress = read_progress("Working towards 4.7.4: 12 of 40 done (30% complete), waiting on etcd");
  ASSERT_TRUE(progress);
  EXPECT_EQ(progress->done, 12U);
  EXPECT_EQ(progress->total, 40U);
  EXPECT_EQ(progress->percent, 30U);
  EXPECT_EQ(progress->waiting, "waiting on etcd");
  EXPECT_EQ(read_progress("Working towards 4.7.4: 0 of 0 done (0% complete)")->waiting, "");
}

TEST(Progress, OtherTextsAreNoProgress) {
  for (const char* text :
       {"", "Cluster version is 4.7.4", "Working towards 4.7.4", "x of 40 done (30% complete)",
        "12 of y done (30% complete)", "12 of 40 done (z% complete)", " done (30% complete)",
        "41 of 40 done (100% complete)", "12 of 40 done (30% compl",
        "99999999999999999999 of 1 done (1% complete)"}) {
    EXPECT_FALSE(read_progress(text)) << text;
  }
}

TEST(Progress, EstimateIsThePaceSoFar) {
  EXPECT_EQ(estimate_remaining({.done = 12, .total = 40}, 60min), Duration(140min));
  EXPECT_EQ(estimate_remaining({.done = 40, .total = 40}, 60min), Duration(0));
  EXPECT_FALSE(estimate_remaining({.done = 0, .total = 40}, 60min));
  EXPECT_FALSE(estimate_remaining({.done = 1, .total = std::numeric_limits<std::uint64_t>::max()}, 1h));
}

TEST(Status, NotUpdating) {
  EXPECT_EQ(update_status(story_cluster(), kNow).out(), "The cluster is not updating.\n");
}

TEST(Status, TellsProgressEstimateAndWhatIsWaiting) {
  EXPECT_EQ(update_status(updating_cluster(), kNow).out(),
            "= Control Plane =\n"
            "Assessment:      Progressing\n"
            "Target Version:  4.6.43 (from 4.6.23)\n"
            "Completion:      30% (12 of 40 done)\n"
            "Duration:        60m (Est. Time Remaining: 140m)\n"
            "Waiting:         waiting on etcd, kube-apiserver\n"
            "\n"
            "= Update Health =\n"
            "Update is proceeding well\n"
            "\n"
            "Nodes and cluster operators were not looked at: this is what the ClusterVersion says.\n");
}

TEST(Status, HealthNamesWhatNeedsAttention) {
  ClusterVersion cluster = updating_cluster();
  set_condition(cluster, kFailing, "True", "ClusterOperatorDegraded", "etcd is degraded");
  cluster.status.history[1].state = "Partial";
  const std::string out = update_status(cluster, WallTime(1'630'000'060s)).out();
  EXPECT_THAT(out, HasSubstr("Assessment:      Failing\nTarget Version:  4.6.43 (from incomplete 4.6.23)\n"));
  EXPECT_THAT(out, HasSubstr("SINCE     LEVEL    IMPACT           MESSAGE\n"
                             "60s       Error    Update Stalled   Failing=True ClusterOperatorDegraded: etcd "
                             "is degraded\n"));
}

TEST(Status, ARequestThatIsNotTakenYet) {
  ClusterVersion cluster = story_cluster();
  cluster.spec.desired_update = DesiredUpdate{.version = "4.6.43"};
  EXPECT_THAT(update_status(cluster, kNow).out(),
              HasSubstr("Assessment:      Requested\nTarget Version:  4.6.43 (from 4.6.23)\nDuration:        "
                        "unknown\n"));
  set_condition(cluster, kReleaseAccepted, "False", "RetrievePayload", "no such image");
  EXPECT_THAT(update_status(cluster, kNow).out(), HasSubstr("Assessment:      Not accepted\n"));
  EXPECT_THAT(update_status(cluster, kNow).out(),
              HasSubstr("ReleaseAccepted=False RetrievePayload: no such"));
}

TEST(Status, AnUpdateThatStandsStillIsNotAtItsEnd) {
  ClusterVersion cluster = updating_cluster();
  EXPECT_TRUE(is_updating(cluster));
  set_condition(cluster, kProgressing, "False", "", "Stopped at 4.6.43: the cluster version is invalid");
  EXPECT_TRUE(is_updating(cluster));
  cluster.status.history.front().state = "Completed";
  EXPECT_FALSE(is_updating(cluster));
}

TEST(Status, AnInstallationHasNothingBefore) {
  ClusterVersion cluster = updating_cluster();
  cluster.status.history.resize(1);
  cluster.status.history[0].started_time = kNow + 1h;  // another clock than ours
  const std::string out = update_status(cluster, kNow).out();
  EXPECT_THAT(out, HasSubstr("Target Version:  4.6.43 (installation)\n"));
  EXPECT_THAT(out, HasSubstr("Duration:        unknown\n"));
}

TEST(Status, ForPrograms) {
  const json::Object document = status_document(updating_cluster(), kNow);
  EXPECT_EQ(json::get_bool(document, {"isUpdating"}), true);
  EXPECT_EQ(json::get_int(document, {"elapsedSeconds"}), 3600);
  EXPECT_EQ(json::get_int(document, {"estimatedRemainingSeconds"}), 8400);
  EXPECT_EQ(json::get_string(document, {"waiting"}), "waiting on etcd, kube-apiserver");
  EXPECT_FALSE(status_document(story_cluster(), kNow).contains("percent"));
}

ClusterVersion updated_cluster() {
  ClusterVersion cluster = story_cluster();
  const auto entries = json::parse_yaml(test_file("history.yaml"));
  cluster.status.history = *json::from_json<std::vector<HistoryEntry>>(*entries);
  return cluster;
}

TEST(History, AcceptedRisksInTheDesignsWords) {
  EXPECT_EQ(show_history(updated_cluster(), {.is_verbose = true}).out(), test_file("history.txt"));
}

TEST(History, WithoutThemAndWide) {
  const std::string brief = show_history(updated_cluster()).out();
  EXPECT_THAT(brief, Not(HasSubstr("Updating from")));
  EXPECT_THAT(brief, HasSubstr("true       accepted\n4.6.23 "));
  const std::string wide = show_history(updated_cluster(), {.is_wide = true}).out();
  EXPECT_THAT(wide, HasSubstr("RISKS      IMAGE\n"));
  EXPECT_THAT(wide, HasSubstr("accepted   quay.io/openshift-release-dev/ocp-release@sha256:999a"));
  EXPECT_THAT(wide, HasSubstr("\n\n    Reason: MultipleReasons\n\n"));
}

TEST(History, RunningAndNone) {
  EXPECT_THAT(show_history(updating_cluster()).out(),
              HasSubstr("4.6.43    Partial     2021-08-28T02:00:00Z   -                      -      false"));
  ClusterVersion cluster = story_cluster();
  cluster.status.history.clear();
  EXPECT_EQ(show_history(cluster).out(), "The cluster has no history.\n");
}

TEST(History, ForProgramsAsItStands) {
  const json::Value document = history_document(updated_cluster());
  EXPECT_TRUE(json::same_value(document, *json::parse_yaml(test_file("history.yaml"))));
}

}  // namespace
}  // namespace fairway::clusterversion::upgrade
