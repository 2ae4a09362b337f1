// Spec 4: the names and labels that dashboards and alerts of others rely on.
#include "clusterversion/operator_metrics.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/text.hpp"

namespace fairway::clusterversion {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::UnorderedElementsAre;

WallTime at(int seconds) {
  return WallTime(std::chrono::seconds(seconds));
}

kube::Condition condition(std::string_view type, std::string_view status, std::string reason, int since = 0) {
  return {.type = std::string(type),
          .status = std::string(status),
          .last_transition_time = at(since),
          .reason = std::move(reason)};
}

ConditionalUpdate conditional(std::string version, kube::Conditions conditions) {
  return {.release = {.version = version, .image = "r@" + version}, .conditions = std::move(conditions)};
}

class OperatorMetricsTest : public ::testing::Test {
 protected:
  OperatorMetricsTest() {
    object.metadata.creation_timestamp = at(100);
    object.status.desired = {.version = "4.6.23", .image = "r@4.6.23"};
    object.status.history = {{.state = std::string(kCompleted),
                              .started_time = at(200),
                              .completion_time = {at(250)},
                              .version = "4.6.23",
                              .image = "r@4.6.23"},
                             {.state = std::string(kCompleted),
                              .started_time = at(110),
                              .completion_time = {at(150)},
                              .version = "4.6.0",
                              .image = "r@4.6.0"}};
  }

  // The series of a family, without its name.
  std::vector<std::string> series(std::string_view family) {
    std::vector<std::string> found;
    const std::string text = registry.expose();
    for (const std::string_view line : split(text, '\n')) {
      const std::size_t end = line.find_first_of("{ ");
      if (end == std::string_view::npos || line.substr(0, end) != family) continue;
      found.emplace_back(line.substr(end));
    }
    return found;
  }

  metrics::Registry registry;
  ClusterVersion object;
  bool is_there = true;
  OperatorMetrics shown{
      registry, [this] { return is_there ? std::make_shared<const ClusterVersion>(object) : nullptr; }};
};

TEST_F(OperatorMetricsTest, ReleasesByTheirRole) {
  EXPECT_THAT(
      series("cluster_version"),
      UnorderedElementsAre(R"({type="current",version="4.6.23",image="r@4.6.23",from_version="4.6.23"} 200)",
                           R"({type="initial",version="4.6.0",image="r@4.6.0",from_version=""} 110)",
                           R"({type="completed",version="4.6.23",image="r@4.6.23",from_version=""} 250)",
                           R"({type="cluster",version="4.6.23",image="r@4.6.23",from_version=""} 100)"));
}

TEST_F(OperatorMetricsTest, AnUpdateUnderWayAndAFailure) {
  object.spec.desired_update = DesiredUpdate{.version = "4.7.4", .image = "r@4.7.4"};
  object.status.desired = {.version = "4.7.4", .image = "r@4.7.4"};
  object.status.history.insert(
      object.status.history.begin(),
      {.state = std::string(kPartial), .started_time = at(300), .version = "4.7.4", .image = "r@4.7.4"});
  object.status.conditions = {condition("Failing", "True", "UpdatePayloadFailed", 310)};
  EXPECT_THAT(
      series("cluster_version"),
      UnorderedElementsAre(R"({type="current",version="4.7.4",image="r@4.7.4",from_version="4.6.23"} 300)",
                           R"({type="updating",version="4.7.4",image="r@4.7.4",from_version="4.6.23"} 300)",
                           R"({type="desired",version="4.7.4",image="r@4.7.4",from_version="4.6.23"} 100)",
                           R"({type="failure",version="4.7.4",image="r@4.7.4",from_version="4.6.23"} 310)",
                           R"({type="initial",version="4.6.0",image="r@4.6.0",from_version=""} 110)",
                           R"({type="completed",version="4.6.23",image="r@4.6.23",from_version=""} 250)",
                           R"({type="cluster",version="4.7.4",image="r@4.7.4",from_version=""} 100)"));
}

TEST_F(OperatorMetricsTest, AvailableUpdatesAreShownOnceAnythingIsKnown) {
  object.spec.channel = "stable-4.6";
  EXPECT_THAT(series("cluster_version_available_updates"), IsEmpty());
  object.status.conditions = {condition("RetrievedUpdates", "True", "")};
  EXPECT_THAT(series("cluster_version_available_updates"),
              ElementsAre(R"({upstream="<default>",channel="stable-4.6"} 0)"));
  object.status.conditions.clear();
  object.status.available_updates = {{.version = "4.6.43", .image = "r@4.6.43"}};
  EXPECT_THAT(series("cluster_version_available_updates"),
              ElementsAre(R"({upstream="<default>",channel="stable-4.6"} 1)"));
  object.status.available_updates.clear();
  object.spec.upstream = "https://updates.example/graph";
  EXPECT_THAT(series("cluster_version_available_updates"),
              ElementsAre(R"({upstream="https://updates.example/graph",channel="stable-4.6"} 0)"));
}

TEST_F(OperatorMetricsTest, SinceWhenAnUpdateIsRecommendedOrNot) {
  object.status.conditional_updates = {
      conditional("4.7.5", {condition(kEvaluating, "True", "PeriodicEvaluation", 5),
                            condition(kRecommended, "Unknown", "EvaluationFailed", 400)}),
      conditional("4.7.4", {condition(kRecommended, "False", "Proxy", 500)}), conditional("4.7.3", {})};
  EXPECT_THAT(
      series("cluster_version_conditional_update_condition_seconds"),
      UnorderedElementsAre(
          R"({version="4.7.5",condition="Recommended",status="Unknown",reason="EvaluationFailed"} 400)",
          R"({version="4.7.4",condition="Recommended",status="False",reason="Proxy"} 500)"));
}

TEST_F(OperatorMetricsTest, RisksApplyOrNotOrCannotBeTold) {
  object.status.conditional_update_risks = {
      {.url = "u", .name = "A", .message = "m", .conditions = {condition("Applies", "True", "Match")}},
      {.url = "u", .name = "B", .message = "m", .conditions = {condition("Applies", "False", "NotMatch")}},
      {.url = "u",
       .name = "C",
       .message = "m",
       .conditions = {condition("Applies", "Unknown", "EvaluationFailed")}}};
  EXPECT_THAT(series("cluster_version_risk_conditions"),
              UnorderedElementsAre(R"({condition="Applies",risk="A",reason="Match"} 1)",
                                   R"({condition="Applies",risk="B",reason="NotMatch"} 0)",
                                   R"({condition="Applies",risk="C",reason="EvaluationFailed"} -1)"));
}

TEST_F(OperatorMetricsTest, ConditionsOfTheObjectExceptUnknownOnes) {
  object.status.conditions = {condition("RetrievedUpdates", "False", "NoChannel"),
                              condition("Available", "True", ""),
                              condition("ReleaseAccepted", "Unknown", "RetrievePayload")};
  EXPECT_THAT(series("cluster_operator_conditions"),
              UnorderedElementsAre(R"({name="version",condition="RetrievedUpdates",reason="NoChannel"} 0)",
                                   R"({name="version",condition="Available",reason=""} 1)"));
}

TEST_F(OperatorMetricsTest, WhatIsNoLongerSoVanishes) {
  object.status.conditional_updates = {
      conditional("4.7.4", {condition(kRecommended, "Unknown", "EvaluationFailed", 400)})};
  object.status.conditions = {condition("Failing", "True", "UpdatePayloadFailed", 310)};
  EXPECT_THAT(
      series("cluster_version_conditional_update_condition_seconds"),
      ElementsAre(
          R"({version="4.7.4",condition="Recommended",status="Unknown",reason="EvaluationFailed"} 400)"));
  EXPECT_EQ(series("cluster_version").size(), 5U);
  object.status.conditional_updates = {
      conditional("4.7.4", {condition(kRecommended, "True", "NotExposedToRisks", 450)})};
  object.status.conditions = {condition("Failing", "False", "", 460)};
  EXPECT_THAT(
      series("cluster_version_conditional_update_condition_seconds"),
      ElementsAre(
          R"({version="4.7.4",condition="Recommended",status="True",reason="NotExposedToRisks"} 450)"))
      << "an alert on Unknown would never end otherwise";
  EXPECT_EQ(series("cluster_version").size(), 4U);
  is_there = false;
  for (const std::string_view family :
       {"cluster_version", "cluster_version_conditional_update_condition_seconds",
        "cluster_operator_conditions"})
    EXPECT_THAT(series(family), IsEmpty()) << family << " of an object that was deleted";
}

TEST_F(OperatorMetricsTest, WhatTheOperatorDid) {
  shown.settled(at(777));
  shown.fetched("");
  shown.fetched("RemoteFailed");
  shown.fetched("RemoteFailed");
  shown.asked("match");
  shown.left_out("NoRisks");
  shown.wrote(true);
  shown.wrote(false);
  shown.applied(true);
  EXPECT_THAT(series("cluster_version_operator_update_retrieval_timestamp_seconds"),
              ElementsAre(R"({name=""} 777)"));
  EXPECT_THAT(series("fairway_cluster_version_fetches_total"),
              UnorderedElementsAre(R"({reason=""} 1)", R"({reason="RemoteFailed"} 2)"));
  EXPECT_THAT(series("fairway_cluster_version_queries_total"), ElementsAre(R"({outcome="match"} 1)"));
  EXPECT_THAT(series("fairway_cluster_version_left_out_total"), ElementsAre(R"({cause="NoRisks"} 1)"));
  EXPECT_THAT(series("fairway_cluster_version_status_writes_total"),
              UnorderedElementsAre(R"({outcome="written"} 1)", R"({outcome="refused"} 1)"));
  EXPECT_THAT(series("fairway_cluster_version_manifests_total"), ElementsAre(R"({outcome="applied"} 1)"));
}

}  // namespace
}  // namespace fairway::clusterversion
