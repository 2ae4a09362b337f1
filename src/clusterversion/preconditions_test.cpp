#include "clusterversion/preconditions.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace fairway::clusterversion {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

ClusterVersionSpec spec() {
  return {.cluster_id = "", .channel = "stable-4.6"};
}

ClusterVersionStatus running(std::string version) {
  ClusterVersionStatus status;
  status.desired = {.version = version, .image = "i/" + version};
  status.history = {{.state = "Completed", .version = version, .image = "i/" + version}};
  return status;
}

kube::Condition condition(std::string type, std::string is, std::string reason, std::string message = "") {
  return {.type = std::move(type),
          .status = std::move(is),
          .reason = std::move(reason),
          .message = std::move(message)};
}

// Everything may be updated to: only the other preconditions speak.
Objections others(const ClusterVersionStatus& status, const std::string& target,
                  const ClusterVersionSpec& from = spec()) {
  auto seen = status;
  seen.available_updates = {{.version = target, .image = "i/" + target}};
  return check_preconditions(from, seen, {.version = target, .image = "i/" + target});
}

std::vector<std::string> reasons(const Objections& objections) {
  std::vector<std::string> reasons;
  for (const Objection& objection : objections) reasons.push_back(objection.reason);
  return reasons;
}

TEST(Rollback, OnlyToThePreviousReleaseOfTheSameMinor) {  // case 65
  auto status = running("4.6.23");
  status.history.push_back({.state = "Completed", .version = "4.6.20", .image = "i/20"});
  status.history.push_back({.state = "Completed", .version = "4.6.19", .image = "i/19"});
  EXPECT_THAT(others(status, "4.6.20"), IsEmpty());
  EXPECT_THAT(others(status, "4.6.23"), IsEmpty());
  EXPECT_THAT(others(status, "4.6.24"), IsEmpty());
  EXPECT_THAT(others(status, "4.6.19"),
              ElementsAre(Objection{"ClusterVersionRollback", "LowDesiredVersion",
                                    "4.6.19 is less than the current target 4.6.23, and the only supported "
                                    "rollback is to the cluster's previous version 4.6.20 (i/20)",
                                    true}));
}

TEST(Rollback, NotAcrossMinorsNorWithoutAPast) {
  auto status = running("4.7.4");
  EXPECT_EQ(others(status, "4.7.3").at(0).message,
            "4.7.3 is less than the current target 4.7.4, and the cluster has no previous Semantic Version");
  status.history.push_back({.state = "Completed", .version = "4.6.23", .image = "i/23"});
  EXPECT_EQ(others(status, "4.6.23").at(0).message,
            "4.6.23 is less than the current target 4.7.4 and matches the cluster's previous version, but "
            "rollbacks that change major or minor versions are not recommended");
  status.history.back().version = "nightly";
  status.history.push_back({.state = "Completed", .version = "4.7.3", .image = "i/3"});
  EXPECT_EQ(others(status, "4.7.3").at(0).message,
            "4.7.3 is less than the current target 4.7.4, and the cluster has no previous Semantic Version")
      << "the previous release is the one that has no version, not one before it";
}

TEST(Rollback, TheSameVersionFromAnotherImageIsThePreviousRelease) {
  auto status = running("4.6.23");
  status.history.push_back({.state = "Completed", .version = "4.6.23", .image = "mirror/23"});
  EXPECT_EQ(others(status, "4.6.20").at(0).message,
            "4.6.20 is less than the current target 4.6.23, and the only supported rollback is to the "
            "cluster's previous version 4.6.23 (mirror/23)");
}

TEST(GiantHop, OneMinorAtATime) {  // case 63
  const auto status = running("4.6.23");
  EXPECT_THAT(others(status, "4.7.4"), IsEmpty());
  EXPECT_THAT(others(status, "4.8.0"),
              ElementsAre(Objection{"ClusterVersionGiantHop", "MultipleMinorVersionsUpdate",
                                    "4.8.0 is more than one minor version beyond the current target 4.6.23 "
                                    "(4.8 > 4.(6+1)), and only updates within the current minor version or "
                                    "to the next minor version are supported.",
                                    true}));
}

TEST(GiantHop, MajorsAreNotCrossedButToFive) {
  EXPECT_THAT(others(running("4.30.1"), "5.0.2"), IsEmpty());
  EXPECT_EQ(
      others(running("4.30.1"), "5.1.0").at(0).message,
      "5.1.0 has a larger major version than the current target 4.30.1 (5 > 4), and only updates within "
      "the current major version or to 5.0 are supported.");
  const auto objections = others(running("5.0.0"), "6.0.0");
  ASSERT_THAT(reasons(objections), ElementsAre("MajorVersionUpdate"));
  EXPECT_EQ(objections[0].message,
            "6.0.0 has a larger major version than the current target 5.0.0 (6 > 5), and only updates within "
            "the current major version are supported.");
  EXPECT_THAT(reasons(others(running("5.0.0"), "4.9.0")), ElementsAre("LowDesiredVersion"))
      << "a lower major is no hop";
}

TEST(Upgradeable, BlocksMinorUpdatesInItsOwnWords) {
  auto status = running("4.6.23");
  status.conditions = {condition("Upgradeable", "False", "AdminAckRequired", "acknowledge it")};
  EXPECT_THAT(others(status, "4.7.4"), ElementsAre(Objection{"ClusterVersionUpgradeable", "AdminAckRequired",
                                                             "acknowledge it", true}));
  EXPECT_THAT(others(status, "4.6.24"), IsEmpty());
  status.conditions[0].status = "Unknown";
  EXPECT_THAT(others(status, "4.7.4"), IsEmpty());
  status.conditions[0].status = "True";
  EXPECT_THAT(others(status, "4.7.4"), IsEmpty());
}

TEST(Upgradeable, NotesOverridesAndRetargetingOfPatchUpdates) {
  auto status = running("4.6.23");
  status.conditions = {condition("Upgradeable", "False", "X", "x")};
  auto overridden = spec();
  overridden.overrides = {{.kind = "Deployment", .unmanaged = false}};
  EXPECT_THAT(others(status, "4.6.24", overridden), IsEmpty());
  overridden.overrides[0].unmanaged = true;
  const auto objections = others(status, "4.6.24", overridden);
  ASSERT_THAT(reasons(objections), ElementsAre("ClusterVersionOverridesSet"));
  EXPECT_FALSE(objections[0].is_blocking);

  status.desired = {.version = "4.7.3", .image = "i/3"};
  status.history.insert(status.history.begin(), {.state = "Partial", .version = "4.7.3", .image = "i/3"});
  EXPECT_THAT(others(status, "4.7.4"), IsEmpty()) << "nothing is in progress";
  status.conditions.push_back(condition("Progressing", "True", ""));
  EXPECT_THAT(
      others(status, "4.7.4"),
      ElementsAre(Objection{
          "ClusterVersionUpgradeable", "MinorVersionClusterUpdateInProgress",
          "Retarget to 4.7.4 while a minor version update from 4.6.23 to 4.7.3 is in progress", false}));
}

TEST(Versions, ThatCannotBeReadWarnOrBlock) {
  auto status = running("foo");
  status.conditions = {condition("Upgradeable", "False", "X", "x")};
  auto objections = others(status, "4.6.24");
  EXPECT_THAT(reasons(objections),
              ElementsAre("InvalidCurrentVersion", "InvalidCurrentVersion", "InvalidCurrentVersion"));
  EXPECT_EQ(objections[0].message, "No Major.Minor.Patch elements found");
  EXPECT_FALSE(is_blocked(objections, false));
  objections = others(running("4.6.23"), "foo");
  EXPECT_THAT(reasons(objections), ElementsAre("InvalidDesiredVersion", "InvalidDesiredVersion"));
  EXPECT_TRUE(is_blocked(objections, false));
}

struct Recommendation {
  std::optional<kube::Condition> verdict;  // of a conditional update
  bool is_conditional;
  std::string channel;
  std::optional<kube::Condition> retrieved;
  std::string reason;  // empty: silent
  std::string message;
};

TEST(RecommendedUpdate, NeverBlocksAndSaysWhatItKnows) {
  const Recommendation cases[] = {
      {condition("Recommended", "True", "NotExposedToRisks", "m"), true, "c", {}, "", ""},
      {condition("Recommended", "False", "Risky", "a https://x"),
       true,
       "c",
       {},
       "Risky",
       "Update from 4.6.23 to 4.7.4 is not recommended:\n\na https://x"},
      {condition("Recommended", "Unknown", "PromQLError", "no answer"),
       true,
       "c",
       {},
       "PromQLError",
       "Update from 4.6.23 to 4.7.4 is Recommended=Unknown: PromQLError: no answer"},
      {{},
       true,
       "",
       {},
       "UnknownConditionType",
       "Update from 4.6.23 to 4.7.4 has a status.conditionalUpdates entry, but no Recommended condition."},
      {{},
       false,
       "",
       {},
       "NoChannel",
       "Configured channel is unset, so the recommended status of updating from 4.6.23 to 4.7.4 is unknown."},
      {{},
       false,
       "c",
       {},
       "UnknownUpdate",
       "No RetrievedUpdates, so the recommended status of updating from 4.6.23 to 4.7.4 is unknown."},
      {{},
       false,
       "c",
       condition("RetrievedUpdates", "True", ""),
       "UnknownUpdate",
       "RetrievedUpdates=True (), so the update from 4.6.23 to 4.7.4 is probably neither recommended nor "
       "supported."},
      {{},
       false,
       "c",
       condition("RetrievedUpdates", "False", "RemoteFailed"),
       "UnknownUpdate",
       "RetrievedUpdates=False (RemoteFailed), so the recommended status of updating from 4.6.23 to 4.7.4 is "
       "unknown."},
  };
  for (const Recommendation& given : cases) {
    auto status = running("4.6.23");
    if (given.is_conditional) {
      status.conditional_updates = {{.release = {.version = "4.7.4", .image = "i"}}};
      if (given.verdict) status.conditional_updates[0].conditions = {*given.verdict};
    }
    if (given.retrieved) status.conditions.push_back(*given.retrieved);
    const auto objections = check_preconditions({.cluster_id = "", .channel = given.channel}, status,
                                                {.version = "4.7.4", .image = "i"});
    if (given.reason.empty()) {
      EXPECT_THAT(objections, IsEmpty());
      continue;
    }
    EXPECT_THAT(objections, ElementsAre(Objection{"ClusterVersionRecommendedUpdate", given.reason,
                                                  given.message, false}));
  }
}

TEST(Describe, OneSeveralAndForced) {
  const Objection blocks{"A", "LowDesiredVersion", "too low", true};
  const Objection warns{"B", "NoChannel", "no channel.", false};
  EXPECT_EQ(describe({}, true), "");
  const std::vector one{warns};
  EXPECT_EQ(describe(one, false), "Precondition \"B\" failed because of \"NoChannel\": no channel.");
  EXPECT_EQ(describe(one, true), describe(one, false)) << "nothing was forced through";
  const std::vector both{blocks, warns};
  const std::string text =
      "Multiple precondition checks failed:\n"
      "* Precondition \"A\" failed because of \"LowDesiredVersion\": too low\n"
      "* Precondition \"B\" failed because of \"NoChannel\": no channel.";
  EXPECT_EQ(describe(both, false), text);
  EXPECT_EQ(describe(both, true), "Forced through blocking failures: " + text);
  EXPECT_TRUE(is_blocked(both, false));
  EXPECT_FALSE(is_blocked(both, true));
  EXPECT_FALSE(is_blocked(one, false));
}

}  // namespace
}  // namespace fairway::clusterversion
