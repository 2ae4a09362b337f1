#include "clusterversion/upgrade/list.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "clusterversion/upgrade/testing.hpp"
#include "clusterversion/upgrade/view.hpp"

namespace fairway::clusterversion::upgrade {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using testing::set_condition;
using ::testing::StartsWith;
using testing::story_cluster;
using testing::test_file;

constexpr const char* kHint =
    "\nAdditional updates which are not recommended based on your cluster configuration are available, to "
    "view those re-run the command with --include-not-recommended.\n";

TEST(List, Case68TheDesignsConsoleByteForByte) {
  const Outcome outcome = list_updates(story_cluster());
  EXPECT_EQ(outcome.out(), test_file("list.txt"));
  EXPECT_THAT(outcome.err(), IsEmpty());
  EXPECT_EQ(outcome.exit_code, kDone);
  EXPECT_FALSE(outcome.change);
}

TEST(List, Case69WithWhatIsNotRecommendedByteForByte) {
  const Outcome outcome = list_updates(story_cluster(), {.include_not_recommended = true});
  EXPECT_EQ(outcome.out(), test_file("include-not-recommended.txt"));
  EXPECT_EQ(outcome.exit_code, kDone);
}

TEST(List, AClusterOfBeforeConditionalUpdates) {
  ClusterVersion cluster = story_cluster();
  cluster.status.conditional_updates.clear();
  EXPECT_THAT(list_updates(cluster).out(), Not(HasSubstr("Additional updates")));
  EXPECT_THAT(list_updates(cluster, {.include_not_recommended = true}).out(),
              EndsWith("\nNo updates which are not recommended based on your cluster configuration are "
                       "available.\n"));
}

TEST(List, AnUpdateWithoutAVerdictIsShownAsUnknown) {
  ClusterVersion cluster = story_cluster();
  cluster.status.conditional_updates.resize(1);
  cluster.status.conditional_updates.front().conditions.clear();
  EXPECT_THAT(list_updates(cluster, {.include_not_recommended = true}).out(),
              HasSubstr("  Recommended: Unknown\n  Reason: NotEvaluated\n"));
  EXPECT_THAT(list_updates(cluster).out(), EndsWith(kHint));
}

TEST(List, WhatIsRecommendedAfterEvaluationIsNotListedTwice) {
  ClusterVersion cluster = story_cluster();
  for (ConditionalUpdate& update : cluster.status.conditional_updates) {
    kube::find_condition(update.conditions, kRecommended);
    for (kube::Condition& condition : update.conditions) condition.status = "True";
  }
  EXPECT_THAT(list_updates(cluster).out(), Not(HasSubstr("Additional updates")));
}

TEST(List, HealthComesFirst) {
  ClusterVersion cluster = story_cluster();
  set_condition(cluster, kFailing, "True", "Broken", "one\n\ntwo");
  set_condition(cluster, kProgressing, "True", "", "Working towards 4.6.43: 1 of 2 done (50% complete)");
  set_condition(cluster, kUpgradeable, "False", "AdminAck", "not yet");
  set_condition(cluster, kReleaseAccepted, "Unknown", "RetrievePayload", "wait");
  EXPECT_THAT(list_updates(cluster).out(),
              StartsWith("Failing=True:\n\n  Reason: Broken\n  Message: one\n\n  two\n\n"
                         "info: An upgrade is in progress. Working towards 4.6.43: 1 of 2 done (50% "
                         "complete)\n\n"
                         "Upgradeable=False\n\n  Reason: AdminAck\n  Message: not yet\n\n"
                         "ReleaseAccepted=Unknown\n\n  Reason: RetrievePayload\n  Message: wait\n\n"
                         "Upstream: "));
}

TEST(List, MissingConditionsAreWarnedOf) {
  ClusterVersion cluster = story_cluster();
  cluster.status.conditions.clear();
  const Outcome outcome = list_updates(cluster);
  EXPECT_EQ(outcome.err(),
            "warning: No current Failing info, see `oc describe clusterversion` for more details.\n"
            "warning: No current Progressing info, see `oc describe clusterversion` for more details.\n");
  EXPECT_THAT(outcome.out(), StartsWith("\nUpstream: "));
}

TEST(List, SourceLines) {
  ClusterVersion cluster = story_cluster();
  cluster.spec.upstream.clear();
  cluster.status.desired.channels.clear();
  EXPECT_THAT(list_updates(cluster).out(),
              HasSubstr("Upstream is unset, so the cluster will use an appropriate default.\n"
                        "Channel: stable-4.6\n\nRecommended updates:\n"));
  cluster.spec.channel.clear();
  EXPECT_THAT(list_updates(cluster).out(),
              StartsWith("Cluster version is 4.6.23\n\nRecommended updates:\n\n  VERSION\tIMAGE\n"));
}

TEST(List, NothingAvailable) {
  ClusterVersion cluster = story_cluster();
  cluster.status.available_updates.clear();
  cluster.status.conditional_updates.clear();
  EXPECT_THAT(list_updates(cluster).out(),
              EndsWith("stable-4.7)\nNo updates available. You may still upgrade to a specific release image "
                       "with --to-image or wait for new updates to be available.\n"));
  set_condition(cluster, kRetrievedUpdates, "False", "RemoteFailed", "no route");
  const Outcome outcome = list_updates(cluster);
  EXPECT_THAT(outcome.out(), EndsWith("stable-4.7)\n"));
  EXPECT_EQ(outcome.err(),
            "warning: Cannot display available updates:\n  Reason: RemoteFailed\n  Message: no route\n\n");
}

TEST(List, OldUpdatesAreShownWithAWarning) {
  ClusterVersion cluster = story_cluster();
  set_condition(cluster, kRetrievedUpdates, "False", "RemoteFailed", "no route");
  const Outcome outcome = list_updates(cluster);
  EXPECT_THAT(outcome.out(), HasSubstr("  4.6.43\t"));
  EXPECT_EQ(outcome.err(),
            "warning: Cannot refresh available updates:\n  Reason: RemoteFailed\n  Message: no route\n\n");
}

TEST(List, VersionsThatCannotBeReadComeLast) {
  ClusterVersion cluster = story_cluster();
  cluster.status.available_updates.insert(cluster.status.available_updates.begin(),
                                          {.version = "odd", .image = "i"});
  const std::string out = list_updates(cluster).out();
  EXPECT_LT(out.find("  4.6.42\t"), out.find("  odd\ti\n"));
}

TEST(List, WideHasMore) {
  const std::string out =
      list_updates(story_cluster(), {.include_not_recommended = true, .is_wide = true}).out();
  EXPECT_THAT(out, HasSubstr("  VERSION\tIMAGE\tCHANNELS\tURL\n"));
  EXPECT_THAT(out, HasSubstr("\teus-4.6,stable-4.6\thttps://access.redhat.com/errata/RHBA-2021:3197\n"));
  EXPECT_THAT(out, HasSubstr("  Risks: AuthOAuthProxyLeakedConnections, VSphereNodeNameChanges, "
                             "VSphereHW14CrossNodeNetworkingError\n"));
}

TEST(List, ForPrograms) {
  const json::Object document = list_document(story_cluster());
  EXPECT_EQ(json::get_string(document, {"current", "version"}), "4.6.23");
  EXPECT_EQ(json::get_bool(document, {"isUpdating"}), false);
  ASSERT_EQ(json::get_array(document, {"recommended"})->size(), 2U);
  const auto& others = *json::get_array(document, {"notRecommended"});
  ASSERT_EQ(others.size(), 3U);
  EXPECT_EQ(json::get_string(others[0].as_object(), {"version"}), "4.7.4");
  EXPECT_EQ(json::get_string(others[0].as_object(), {"recommended"}), "False");
  EXPECT_EQ(json::get_string(others[1].as_object(), {"recommended"}), "Unknown");
  EXPECT_EQ(json::get_array(others[0].as_object(), {"risks"})->size(), 3U);
}

}  // namespace
}  // namespace fairway::clusterversion::upgrade
