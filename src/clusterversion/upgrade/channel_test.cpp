#include "clusterversion/upgrade/channel.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "clusterversion/upgrade/testing.hpp"

namespace fairway::clusterversion::upgrade {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::patched;
using testing::story_cluster;

constexpr const char* kChannels =
    "candidate-4.6, candidate-4.7, eus-4.6, fast-4.6, fast-4.7, stable-4.6, stable-4.7";

TEST(Channel, AListedOneIsSetSilently) {
  const Outcome outcome = set_channel(story_cluster(), "stable-4.7", false);
  ASSERT_TRUE(outcome.change);
  EXPECT_EQ(patched(story_cluster(), outcome.change->patch).spec.channel, "stable-4.7");
  EXPECT_THAT(outcome.out() + outcome.err() + outcome.change->done, IsEmpty());
}

TEST(Channel, Case77OneThatIsNotListedNeedsTheFlag) {
  Outcome outcome = set_channel(story_cluster(), "stable-4.9", false);
  EXPECT_FALSE(outcome.change);
  EXPECT_EQ(outcome.exit_code, kRefused);
  EXPECT_EQ(outcome.err(), fmt::format("error: the requested channel \"stable-4.9\" is not one of the "
                                       "available channels ({}), you must pass --allow-explicit-channel to "
                                       "continue\n",
                                       kChannels));
  outcome = set_channel(story_cluster(), "stable-4.9", true);
  ASSERT_TRUE(outcome.change);
  EXPECT_EQ(patched(story_cluster(), outcome.change->patch).spec.channel, "stable-4.9");
  EXPECT_EQ(outcome.err(), fmt::format("warning: The requested channel \"stable-4.9\" is not one of the "
                                       "available channels ({}). You have used --allow-explicit-channel to "
                                       "proceed anyway. Setting the update channel to \"stable-4.9\".\n",
                                       kChannels));
}

TEST(Channel, TheSameAgainChangesNothing) {
  ClusterVersion cluster = story_cluster();
  Outcome outcome = set_channel(cluster, "stable-4.6", false);
  EXPECT_FALSE(outcome.change);
  EXPECT_EQ(outcome.out(), "info: Cluster is already in stable-4.6 (no change)\n");
  cluster.spec.channel.clear();
  EXPECT_EQ(set_channel(cluster, "", false).out(), "info: Cluster channel is already clear (no change)\n");
}

TEST(Channel, NothingKnownCannotBeChecked) {
  ClusterVersion cluster = story_cluster();
  cluster.status.desired.channels.clear();
  const Outcome outcome = set_channel(cluster, "x", false);
  EXPECT_TRUE(outcome.change);
  EXPECT_EQ(outcome.err(),
            "warning: No channels known to be compatible with the current version \"4.6.23\"; unable to "
            "validate \"x\". Setting the update channel to \"x\" anyway.\n");
}

TEST(Channel, ClearingAListedOneNeedsTheFlag) {
  ClusterVersion cluster = story_cluster();
  EXPECT_THAT(set_channel(cluster, "", false).err(),
              HasSubstr("You are requesting to clear the update channel. The current channel \"stable-4.6\" "
                        "is one of the available channels, you must pass --allow-explicit-channel to "
                        "continue\n"));
  const Outcome outcome = set_channel(cluster, "", true);
  EXPECT_EQ(patched(cluster, outcome.change->patch).spec.channel, "");
  EXPECT_EQ(outcome.err(),
            "warning: Clearing channel \"stable-4.6\"; cluster will no longer request available update "
            "recommendations.\n");
  cluster.spec.channel = "private";
  EXPECT_TRUE(set_channel(cluster, "", false).change);
}

std::vector<std::string> names_after(const ClusterVersion& cluster, const Outcome& outcome) {
  std::vector<std::string> names;
  const auto after = patched(cluster, outcome.change->patch);
  if (!after.spec.desired_update) return names;
  for (const auto& risk : after.spec.desired_update->accept_risks) names.push_back(risk.name);
  return names;
}

ClusterVersion accepting(std::vector<AcceptedRisk> risks) {
  ClusterVersion cluster = story_cluster();
  cluster.spec.desired_update = DesiredUpdate{.accept_risks = std::move(risks)};
  return cluster;
}

TEST(Accept, NewNamesComeSortedAfterTheOldOnes) {
  const ClusterVersion cluster = accepting({{"Z"}, {"B"}});
  const Outcome outcome = accept_risks(cluster, {.risks = {"Y, A,B", "X"}});
  EXPECT_THAT(names_after(cluster, outcome), ::testing::ElementsAre("Z", "B", "A", "X", "Y"));
  EXPECT_EQ(outcome.change->done, "info: Accept risks are [Z, B, A, X, Y]\n");
}

TEST(Accept, ADashTakesBack) {
  const ClusterVersion cluster = accepting({{"A"}, {"B"}});
  EXPECT_THAT(names_after(cluster, accept_risks(cluster, {.risks = {"A-,C"}})),
              ::testing::ElementsAre("B", "C"));
  EXPECT_EQ(accept_risks(cluster, {.risks = {"C-,A"}}).out(), "info: Accept risks are not changed\n");
}

TEST(Accept, ReplaceAndClear) {
  ClusterVersion cluster = accepting({{"A"}, {"B"}});
  EXPECT_THAT(names_after(cluster, accept_risks(cluster, {.risks = {"C,B"}, .replace = true})),
              ::testing::ElementsAre("B", "C"));
  const Outcome cleared = accept_risks(cluster, {.clear = true});
  EXPECT_FALSE(patched(cluster, cleared.change->patch).spec.desired_update);
  EXPECT_EQ(cleared.change->done, "info: Accept risks are []\n");
  cluster.spec.desired_update->version = "4.6.43";
  const auto after = patched(cluster, accept_risks(cluster, {.clear = true}).change->patch);
  EXPECT_EQ(after.spec.desired_update->version, "4.6.43");
  EXPECT_TRUE(after.spec.desired_update->accept_risks.empty());
}

TEST(Accept, AnUnknownNameIsWarnedOf) {
  const Outcome outcome =
      accept_risks(story_cluster(), {.risks = {"VSphereNodeNameChange,ThanosDNSUnmarshalError"}});
  EXPECT_EQ(outcome.err(),
            "warning: no update has a risk named \"VSphereNodeNameChange\"; did you mean "
            "\"VSphereNodeNameChanges\"?\n");
  EXPECT_TRUE(outcome.change);
}

TEST(Accept, WrongUsage) {
  const std::vector<std::pair<AcceptFlags, std::string>> cases{
      {{.risks = {"A"}, .replace = true, .clear = true}, "--clear and --replace are mutually exclusive"},
      {{}, "no positional arguments given"},
      {{.risks = {"A,,B"}}, "illegal risk \"\""},
      {{.risks = {"-"}}, "illegal risk \"-\""},
      {{.risks = {"A B"}}, "illegal risk \"A B\""},
      {{.risks = {"A,B,A-"}}, "requested risks with both Risk and Risk-: A"},
      {{.risks = {"A-"}, .replace = true},
       "The suffix '-' on risks is not allowed if --replace is specified"},
      {{.risks = {"A"}, .clear = true}, "--clear takes no risks"}};
  for (const auto& [flags, text] : cases) {
    const Outcome outcome = accept_risks(story_cluster(), flags);
    EXPECT_EQ(outcome.err(), "error: " + text + "\n");
    EXPECT_EQ(outcome.exit_code, kRefused);
    EXPECT_FALSE(outcome.change);
  }
}

}  // namespace
}  // namespace fairway::clusterversion::upgrade
