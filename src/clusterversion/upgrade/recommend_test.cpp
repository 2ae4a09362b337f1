#include "clusterversion/upgrade/recommend.hpp"

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

TEST(Recommend, NewestMinorFirstTwoOfEach) {
  const Outcome outcome = recommend(story_cluster(), {});
  EXPECT_THAT(outcome.out(),
              StartsWith("Upstream update service: https://api.openshift.com/api/upgrades_info/graph\n"
                         "Channel: stable-4.6 (available channels: candidate-4.6, "));
  EXPECT_THAT(outcome.out(), HasSubstr("\n\nUpdates to 4.7:\n\n  Version: 4.7.4\n  Image: quay.io/"));
  EXPECT_THAT(outcome.out(), HasSubstr("\nUpdates to 4.6:\n\n  Version: 4.6.99-example\n"));
  EXPECT_THAT(outcome.out(), HasSubstr("\n  VERSION       ISSUES\n"
                                       "  4.6.43        no known issues relevant to this cluster\n"));
  EXPECT_THAT(outcome.out(), Not(HasSubstr("4.6.42")));
  EXPECT_THAT(outcome.out(), EndsWith("\nAnd 2 older 4.6 updates you can see with '--show-outdated-releases' "
                                      "or '--version VERSION'.\n"));
  EXPECT_EQ(outcome.err(), "info: only the ClusterVersion was looked at, not alerts, nodes or operators\n");
  EXPECT_EQ(outcome.exit_code, kDone);
}

TEST(Recommend, OutdatedOnesAsOneTableAMinor) {
  const std::string out = recommend(story_cluster(), {.show_outdated_releases = true}).out();
  EXPECT_THAT(out, EndsWith("\nUpdates to 4.7:\n\n"
                            "  VERSION       ISSUES\n"
                            "  4.7.4         MultipleReasons\n"
                            "\nUpdates to 4.6:\n\n"
                            "  VERSION        ISSUES\n"
                            "  4.6.99-example PromQLError\n"
                            "  4.6.43         no known issues relevant to this cluster\n"
                            "  4.6.42         no known issues relevant to this cluster\n"
                            "  4.6.30         ThanosDNSUnmarshalError\n"));
}

TEST(Recommend, OneVersionWithoutIssues) {
  const Outcome outcome = recommend(story_cluster(), {.version = "4.6.43"});
  EXPECT_THAT(outcome.out(), HasSubstr("\nUpdate to 4.6.43 has no known issues relevant to this cluster.\n"
                                       "Image: quay.io/openshift-release-dev/ocp-release@sha256:2b8e"));
  EXPECT_THAT(outcome.out(), EndsWith("Release URL: https://access.redhat.com/errata/RHBA-2021:3197\n"));
  EXPECT_EQ(outcome.exit_code, kDone);
}

TEST(Recommend, OneVersionWithIssues) {
  const Outcome outcome = recommend(story_cluster(), {.version = "4.6.30"});
  EXPECT_THAT(outcome.out(), HasSubstr("\nUpdate to 4.6.30 Recommended=False:\nImage: "));
  EXPECT_THAT(outcome.out(), HasSubstr("\nReason: ThanosDNSUnmarshalError\nMessage: The monitoring"));
  EXPECT_THAT(outcome.err(), EndsWith("error: issues that apply to this cluster but which were not included "
                                      "in --accept: ConditionalUpdateRisk\n"));
  EXPECT_EQ(outcome.exit_code, kNotRecommended);
}

TEST(Recommend, IssuesAreAcceptedByTheirNameOrTheRisks) {
  Outcome outcome = recommend(story_cluster(), {.version = "4.6.30", .accept = {"ConditionalUpdateRisk"}});
  EXPECT_THAT(outcome.out(),
              HasSubstr("Reason: accepted ThanosDNSUnmarshalError via ConditionalUpdateRisk\n"));
  EXPECT_EQ(outcome.exit_code, kDone);
  outcome = recommend(story_cluster(), {.version = "4.6.30", .accept = {"ThanosDNSUnmarshalError"}});
  EXPECT_THAT(outcome.out(), HasSubstr("accepted ThanosDNSUnmarshalError via ThanosDNSUnmarshalError\n"));
  EXPECT_EQ(outcome.exit_code, kDone);
  outcome = recommend(story_cluster(), {.version = "4.7.4", .accept = {"ThanosDNSUnmarshalError"}});
  EXPECT_EQ(outcome.exit_code, kNotRecommended);
}

TEST(Recommend, TheClustersOwnIssuesCount) {
  ClusterVersion cluster = story_cluster();
  set_condition(cluster, kFailing, "True", "Broken", "it is");
  set_condition(cluster, kProgressing, "True", "", "Working towards 4.6.42");
  set_condition(cluster, kRetrievedUpdates, "False", "RemoteFailed", "no route");
  Outcome outcome = recommend(cluster, {.version = "4.6.43", .accept = {"Failing"}});
  EXPECT_THAT(outcome.out(), StartsWith("Failing=True:\n\n  Reason: Broken\n  Message: it is\n\ninfo: An "
                                        "update is in progress.  You may wish to let this update complete "
                                        "before requesting a new update.\n  Working towards 4.6.42\n\n"));
  EXPECT_THAT(outcome.err(), HasSubstr("--accept: CannotRetrieveUpdates,Progressing\n"));
  EXPECT_EQ(outcome.exit_code, kNotRecommended);
  outcome = recommend(cluster, {.version = "4.6.43", .quiet = true});
  EXPECT_EQ(outcome.out(), "CannotRetrieveUpdates\nFailing\nProgressing\n");
  EXPECT_THAT(outcome.err(), IsEmpty());
  EXPECT_EQ(outcome.exit_code, kNotRecommended);
}

TEST(Recommend, QuietIsSilentWhenNothingStandsAgainstIt) {
  const Outcome outcome = recommend(story_cluster(), {.version = "4.6.43", .quiet = true});
  EXPECT_THAT(outcome.out() + outcome.err(), IsEmpty());
  EXPECT_EQ(outcome.exit_code, kDone);
}

TEST(Recommend, UpgradeableFalseStandsAgainstLaterMinors) {
  ClusterVersion cluster = story_cluster();
  set_condition(cluster, kUpgradeable, "False", "AdminAckRequired", "Say yes first.");
  cluster.status.available_updates.push_back({.version = "4.7.9", .image = "i"});
  const Outcome later = recommend(cluster, {.version = "4.7.9"});
  EXPECT_THAT(later.out(), HasSubstr("Recommended=False:\nImage: i\nRelease URL: \nReason: AdminAckRequired\n"
                                     "Message: Say yes first.\n"));
  EXPECT_EQ(later.exit_code, kNotRecommended);
  EXPECT_THAT(recommend(cluster, {.version = "4.7.4"}).out(), HasSubstr("\n\n  Say yes first.\n"));
  EXPECT_EQ(recommend(cluster, {.version = "4.6.43"}).exit_code, kDone);
}

TEST(Recommend, VersionsThatAreNotThere) {
  ClusterVersion cluster = story_cluster();
  const auto error = [&](const char* version) { return recommend(cluster, {.version = version}).err(); };
  EXPECT_THAT(error("9.0.0"), HasSubstr("error: no updates to 9 available, so cannot display context for the "
                                        "requested release 9.0.0\n"));
  EXPECT_THAT(error("4.8.0"), HasSubstr("error: no updates to 4.8 available, so cannot display context for "
                                        "the requested release 4.8.0\n"));
  EXPECT_THAT(error("4.6.1"), HasSubstr("error: no update to 4.6.1 available, so cannot display context for "
                                        "the requested release\n"));
  EXPECT_EQ(recommend(cluster, {.version = "4.6.1"}).exit_code, kRefused);
  cluster.status.available_updates.clear();
  cluster.status.conditional_updates.clear();
  EXPECT_THAT(error("4.6.1"), HasSubstr("error: no updates available, so cannot display"));
  EXPECT_THAT(recommend(cluster, {}).out(), HasSubstr("\nNo updates available. You may still"));
}

TEST(Recommend, FlagsThatDoNotFit) {
  EXPECT_EQ(fault_of(RecommendFlags{.quiet = true}), "--quiet can only be set when --version is set");
  EXPECT_EQ(fault_of(RecommendFlags{.version = "4.6.43", .show_outdated_releases = true}),
            "when --version is set, --show-outdated-releases is unnecessary");
  EXPECT_THAT(*fault_of(RecommendFlags{.version = "4.7"}), EndsWith("No Major.Minor.Patch elements found"));
  EXPECT_EQ(fault_of(RecommendFlags{.version = "4.6.43", .quiet = true}), std::nullopt);
}

TEST(Recommend, ForPrograms) {
  const json::Object document = recommend_document(story_cluster(), {.accept = {"ConditionalUpdateRisk"}});
  const auto& updates = *json::get_array(document, {"updates"});
  ASSERT_EQ(updates.size(), 5U);
  EXPECT_EQ(json::get_string(updates[0].as_object(), {"version"}), "4.7.4");
  EXPECT_TRUE(json::get_array(updates[0].as_object(), {"openIssues"})->empty());
  EXPECT_EQ(json::get_array(recommend_document(story_cluster(), {.version = "4.7.4"}), {"updates"})
                ->at(0)
                .as_object()
                .at("openIssues"),
            json::Value(json::Array{"ConditionalUpdateRisk"}));
}

}  // namespace
}  // namespace fairway::clusterversion::upgrade
