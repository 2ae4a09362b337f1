#include "clusterversion/upgrade/request.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "clusterversion/upgrade/testing.hpp"
#include "clusterversion/upgrade/view.hpp"

namespace fairway::clusterversion::upgrade {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::patched;
using testing::set_condition;
using ::testing::StartsWith;
using testing::story_cluster;

const std::string kDigest43 = "sha256:2b8efb25c1c9d7a713ae74b8918457280f9cc0c66d475e78d3676810d568b534";
const std::string kImage43 = "quay.io/openshift-release-dev/ocp-release@" + kDigest43;
const std::string kDigest474 = "sha256:999a6a4bd731075e389ae601b373194c6cb2c7b4dadd1ad06ef607e86476b129";
const std::string kImage474 = "quay.io/openshift-release-dev/ocp-release@" + kDigest474;
const std::string kStrange = "example.com/r@sha256:" + std::string(64, 'a');

const json::Object* desired_of(const Outcome& outcome) {
  return outcome.change ? json::get_object(outcome.change->patch, {"spec", "desiredUpdate"}) : nullptr;
}

void expect_update(const Outcome& outcome, std::string_view version, std::string_view image,
                   bool force = false) {
  const json::Object* desired = desired_of(outcome);
  ASSERT_NE(desired, nullptr) << outcome.err();
  EXPECT_EQ(json::get_string(*desired, {"version"}), version);
  EXPECT_EQ(json::get_string(*desired, {"image"}), image);
  EXPECT_EQ(json::get_bool(*desired, {"force"}), force);
  EXPECT_EQ(json::get_string(*desired, {"architecture"}), "");
  EXPECT_EQ(outcome.exit_code, kDone);
}

struct FlagFault {
  const char* name;
  RequestFlags flags;
  const char* text;  // null: none
};

class FlagFaults : public ::testing::TestWithParam<FlagFault> {};

TEST_P(FlagFaults, AreFoundBeforeTheClusterIsAsked) {
  const auto fault = fault_of(GetParam().flags);
  EXPECT_EQ(fault, GetParam().text == nullptr ? std::nullopt : std::optional<std::string>(GetParam().text));
}

INSTANTIATE_TEST_SUITE_P(
    Table, FlagFaults,
    ::testing::Values(
        FlagFault{"None", {}, nullptr},
        FlagFault{"ClearWithTarget",
                  {.to = "4.6.43", .clear = true},
                  "--clear may not be specified with any other flags"},
        FlagFault{"ClearWithForceClears", {.clear = true, .force = true}, nullptr},
        FlagFault{"MultiWithTarget",
                  {.to_latest = true, .to_multi_arch = true},
                  "--to-multi-arch may not be used with --to, --to-image, or --to-latest"},
        FlagFault{"TwoTargets",
                  {.to = "4.6.43", .to_image = "a/b:c"},
                  "only one of --to or --to-image may be provided"},
        FlagFault{"LatestAndTo",
                  {.to = "4.6.43", .to_latest = true},
                  "--to-latest may not be used with --to or --to-image"},
        FlagFault{"TwoNumbers",
                  {.to = "4.7"},
                  "--to must be a semantic version (e.g. 4.0.1 or 4.1.0-nightly-20181104): No "
                  "Major.Minor.Patch elements found"},
        FlagFault{"WithV",
                  {.to = "v4.7.4"},
                  "--to must be a semantic version (e.g. 4.0.1 or 4.1.0-nightly-20181104): Invalid "
                  "character(s) found in major number \"v4\""},
        FlagFault{"LeadingZero",
                  {.to = "4.06.1"},
                  "--to must be a semantic version (e.g. 4.0.1 or 4.1.0-nightly-20181104): Minor number must "
                  "not contain leading zeroes \"06\""},
        FlagFault{"ImageIsAVersion",
                  {.to_image = "4.6.43"},
                  "--to-image must be a valid image pull spec: no tag or digest specified"},
        FlagFault{"ImageWithoutTag",
                  {.to_image = "host/repo"},
                  "--to-image must be a valid image pull spec: no tag or digest specified"},
        FlagFault{"ShortDigest",
                  {.to_image = "host/repo@sha256:abc"},
                  "--to-image must be a valid image pull spec: invalid reference format"},
        FlagFault{"Blank",
                  {.to_image = "a b"},
                  "--to-image must be a valid image pull spec: invalid reference format"},
        FlagFault{"Case75ByTag",
                  {.to_image = "repo:tag"},
                  "--to-image must be a by-digest pull spec, unless --force is also set, because release "
                  "images that are not accessed via digest cannot be verified by the cluster.  Even when "
                  "--force is set, using tags is not recommended, although we continue to allow it for "
                  "backwards compatibility"},
        FlagFault{"ByTagWithForce", {.to_image = "localhost:5000/repo:tag", .force = true}, nullptr}),
    [](const auto& tested) { return std::string(tested.param.name); });

TEST(Request, ToARecommendedVersion) {
  const Outcome outcome = request_update(story_cluster(), {.to = "4.6.43"});
  expect_update(outcome, "4.6.43", kImage43);
  EXPECT_EQ(outcome.change->done, "Requested update to 4.6.43\n");
  EXPECT_THAT(outcome.err(), IsEmpty());
}

TEST(Request, Case70NotRecommendedIsRefusedWithACodeOfItsOwn) {
  const Outcome outcome = request_update(story_cluster(), {.to = "4.7.4"});
  EXPECT_FALSE(outcome.change);
  EXPECT_EQ(outcome.exit_code, kNotRecommended);
  EXPECT_THAT(outcome.err(),
              StartsWith("error: the update 4.7.4 is not one of the recommended updates, but is available as "
                         "a conditional update. To accept the Recommended=False risk and to proceed with "
                         "update use --allow-not-recommended.\n  Reason: MultipleReasons\n  Message: "
                         "Clusters on vSphere"));
  EXPECT_THAT(outcome.err(), HasSubstr("\n\n  vSphere clusters leveraging"));
}

TEST(Request, Case70AllowedItIsAskedForWithVersionAndImage) {
  const Outcome outcome = request_update(story_cluster(), {.to = "4.7.4", .allow_not_recommended = true});
  expect_update(outcome, "4.7.4", kImage474);
  EXPECT_THAT(outcome.err(),
              StartsWith("warning: with --allow-not-recommended you have accepted the risks with 4.7.4 and "
                         "bypassed Recommended=False MultipleReasons: Clusters on vSphere"));
}

TEST(Request, UnknownIsRefusedLikeFalse) {
  EXPECT_EQ(request_update(story_cluster(), {.to = "4.6.99-example"}).exit_code, kNotRecommended);
  ClusterVersion cluster = story_cluster();
  for (ConditionalUpdate& update : cluster.status.conditional_updates) update.conditions.clear();
  const Outcome outcome = request_update(cluster, {.to = "4.7.4"});
  EXPECT_EQ(outcome.exit_code, kNotRecommended);
  EXPECT_THAT(outcome.err(), HasSubstr("Recommended=Unknown"));
}

TEST(Request, Case71AnUnknownVersionNamesThePossibleOnes) {
  Outcome outcome = request_update(story_cluster(), {.to = "9.9.9"});
  EXPECT_EQ(outcome.err(),
            "error: the update is not one of the possible targets: 4.6.43, 4.6.42. specify --to-image to "
            "continue with the update.\n");
  EXPECT_EQ(outcome.exit_code, kRefused);
  outcome = request_update(story_cluster(), {.to = "9.9.9", .allow_not_recommended = true});
  EXPECT_THAT(outcome.err(), HasSubstr("targets: 4.7.4, 4.6.99-example, 4.6.43, 4.6.42, 4.6.30. specify"));
  outcome = request_update(story_cluster(), {.to_image = kStrange});
  EXPECT_THAT(outcome.err(), HasSubstr("specify --allow-explicit-upgrade to continue with the update."));
}

TEST(Request, NoTargetsAtAll) {
  ClusterVersion cluster = story_cluster();
  cluster.status.available_updates.clear();
  EXPECT_EQ(request_update(cluster, {.to = "9.9.9"}).err(),
            "error: no recommended updates, specify --to-image to continue with the update or wait for new "
            "updates to be available.\n");
  cluster.status.conditional_updates.clear();
  EXPECT_THAT(request_update(cluster, {.to = "9.9.9", .allow_not_recommended = true}).err(),
              StartsWith("error: no recommended or conditional updates, specify "));
  set_condition(cluster, kRetrievedUpdates, "False", "NoChannel", "unset");
  EXPECT_EQ(request_update(cluster, {.to = "9.9.9"}).err(),
            "error: cannot refresh available updates:\n  Reason: NoChannel\n  Message: unset\n\nspecify "
            "--to-image to continue with the update.\n");
}

TEST(Request, Case72LatestWithNoneIsNoError) {
  ClusterVersion cluster = story_cluster();
  cluster.status.available_updates.clear();
  const Outcome outcome = request_update(cluster, {.to_latest = true});
  EXPECT_EQ(outcome.out(), "info: Cluster is already at the latest available version 4.6.23\n");
  EXPECT_EQ(outcome.exit_code, kDone);
  cluster.status.conditional_updates.clear();
  EXPECT_EQ(request_update(cluster, {.to_latest = true, .allow_not_recommended = true}).err(),
            "error: no recommended or conditional updates, specify an update or wait for new updates to be "
            "available.\n");
  set_condition(cluster, kRetrievedUpdates, "False");
  EXPECT_EQ(request_update(cluster, {.to_latest = true}).exit_code, kRefused);
}

TEST(Request, LatestIsTheNewestThatIsAllowed) {
  expect_update(request_update(story_cluster(), {.to_latest = true}), "4.6.43", kImage43);
  const Outcome outcome = request_update(story_cluster(), {.to_latest = true, .allow_not_recommended = true});
  expect_update(outcome, "4.7.4", kImage474);
  EXPECT_THAT(outcome.err(), HasSubstr("you have accepted the risks with 4.7.4"));
  // Allowing what is not recommended does not prefer it.
  ClusterVersion cluster = story_cluster();
  cluster.status.available_updates.push_back({.version = "4.7.9", .image = "i"});
  const Outcome newest = request_update(cluster, {.to_latest = true, .allow_not_recommended = true});
  expect_update(newest, "4.7.9", "i");
  EXPECT_THAT(newest.err(), IsEmpty());
}

TEST(Request, Case73GuardsRefuseUntilTheyAreBypassed) {
  ClusterVersion cluster = story_cluster();
  set_condition(cluster, kProgressing, "True", "Working", "Working towards 4.6.42");
  Outcome outcome = request_update(cluster, {.to = "4.6.43"});
  EXPECT_EQ(outcome.err(),
            "error: the cluster is already upgrading:\n\n  Reason: Working\n  Message: Working towards "
            "4.6.42\n\nIf you want to upgrade anyway, use --allow-upgrade-with-warnings.\n");
  EXPECT_EQ(outcome.exit_code, kRefused);
  EXPECT_FALSE(outcome.change);
  outcome = request_update(cluster, {.to = "4.6.43", .allow_upgrade_with_warnings = true});
  expect_update(outcome, "4.6.43", kImage43);
  EXPECT_THAT(outcome.err(),
              StartsWith("warning: --allow-upgrade-with-warnings is bypassing: the cluster is already "));
}

TEST(Request, AllGuardsAreToldAtOnce) {
  ClusterVersion cluster = story_cluster();
  set_condition(cluster, kInvalid, "True", "A", "a");
  set_condition(cluster, kFailing, "True", "B", "b");
  set_condition(cluster, kProgressing, "True", "C", "c");
  EXPECT_EQ(request_update(cluster, {.to = "4.6.43"}).err(),
            "error: the cluster version object is invalid, you must correct the invalid state first:\n\n  "
            "Reason: A\n  Message: a\n\nthe cluster is experiencing an error reconciling \"4.6.23\":\n\n  "
            "Reason: B\n  Message: b\n\nthe cluster is already upgrading:\n\n  Reason: C\n  Message: c\n\nIf "
            "you want to upgrade anyway, use --allow-upgrade-with-warnings.\n");
}

TEST(Request, Case74ClearTwice) {
  ClusterVersion cluster = story_cluster();
  cluster.spec.desired_update = DesiredUpdate{.version = "4.6.43", .image = kImage43};
  Outcome outcome = request_update(cluster, {.clear = true});
  ASSERT_TRUE(outcome.change);
  EXPECT_EQ(outcome.change->done, "Cancelled requested upgrade to 4.6.43\n");
  cluster = patched(cluster, outcome.change->patch);
  EXPECT_FALSE(cluster.spec.desired_update);
  outcome = request_update(cluster, {.clear = true});
  EXPECT_FALSE(outcome.change);
  EXPECT_EQ(outcome.out(), "info: No update in progress\n");
  EXPECT_EQ(outcome.exit_code, kDone);
}

TEST(Request, ClearingWhatIsReachedSaysSo) {
  ClusterVersion cluster = story_cluster();
  cluster.spec.desired_update = DesiredUpdate{.version = "4.6.23"};
  EXPECT_EQ(request_update(cluster, {.clear = true}).change->done,
            "Cleared the update field, still at 4.6.23\n");
  cluster.spec.desired_update->image = kImage43;
  EXPECT_EQ(request_update(cluster, {.clear = true}).change->done, "Cancelled requested upgrade to 4.6.23\n");
}

TEST(Request, ClearingKeepsAcceptedRisksAndWhatWeDoNotKnow) {
  ClusterVersion cluster = story_cluster();
  cluster.spec.desired_update =
      DesiredUpdate{.version = "4.6.43", .accept_risks = {{"R"}}, .unknown = {{"later", 1}}};
  cluster = patched(cluster, request_update(cluster, {.clear = true}).change->patch);
  ASSERT_TRUE(cluster.spec.desired_update);
  EXPECT_EQ(cluster.spec.desired_update->version, "");
  EXPECT_EQ(cluster.spec.desired_update->accept_risks.size(), 1U);
  EXPECT_TRUE(cluster.spec.desired_update->unknown.contains("later"));
  EXPECT_EQ(request_update(cluster, {.clear = true}).out(), "info: No update in progress\n");
}

TEST(Request, Case76AMirrorsNameIsKept) {
  const std::string mirror = "mirror.example.com/releases@" + kDigest43;
  expect_update(request_update(story_cluster(), {.to_image = mirror}), "4.6.43", mirror);
  // Of what is not recommended, the listed image is asked for.
  const Outcome outcome = request_update(
      story_cluster(), {.to_image = "mirror.example.com/r@" + kDigest474, .allow_not_recommended = true});
  expect_update(outcome, "4.7.4", kImage474);
  EXPECT_EQ(request_update(story_cluster(), {.to_image = "mirror.example.com/r@" + kDigest474}).exit_code,
            kNotRecommended);
}

TEST(Request, Case78ForceIsWrittenAndWarnedOf) {
  const Outcome outcome = request_update(story_cluster(), {.to = "4.6.43", .force = true});
  expect_update(outcome, "4.6.43", kImage43, true);
  EXPECT_THAT(outcome.err(),
              StartsWith("warning: --force overrides cluster verification of your supplied release image and "
                         "waives any update precondition failures. Only use this if "));
  ClusterVersion cluster = story_cluster();
  set_condition(cluster, kFailing, "True");
  const Outcome refused = request_update(cluster, {.to = "4.6.43", .force = true});
  EXPECT_FALSE(refused.change);
  EXPECT_THAT(refused.err(), StartsWith("warning: --force overrides"));
}

TEST(Request, ForceDoesNotOverrideRecommendations) {
  EXPECT_EQ(request_update(story_cluster(), {.to = "4.7.4", .force = true}).exit_code, kNotRecommended);
  EXPECT_EQ(request_update(story_cluster(), {.to = "9.9.9", .force = true}).exit_code, kRefused);
}

TEST(Request, AnExplicitImage) {
  const Outcome outcome =
      request_update(story_cluster(), {.to_image = kStrange, .allow_explicit_upgrade = true});
  expect_update(outcome, "", kStrange);
  EXPECT_EQ(outcome.change->done, "Requested update to release image " + kStrange + "\n");
  EXPECT_THAT(outcome.err(), StartsWith("warning: The requested upgrade image is not one of the available "));
  const Outcome tagged =
      request_update(story_cluster(), {.to_image = "a/b:c", .force = true, .allow_explicit_upgrade = true});
  expect_update(tagged, "", "a/b:c", true);
  EXPECT_THAT(tagged.err(), StartsWith("warning: Using by-tag pull specs is dangerous"));
}

TEST(Request, AlreadyThere) {
  EXPECT_EQ(request_update(story_cluster(), {.to = "4.6.23"}).out(),
            "info: Cluster is already at version 4.6.23\n");
  const std::string image = story_cluster().status.desired.image;
  const Outcome outcome = request_update(story_cluster(), {.to_image = image});
  EXPECT_EQ(outcome.out(), "info: Cluster is already at " + image + "\n");
  EXPECT_FALSE(outcome.change);
}

TEST(Request, ToSeveralArchitectures) {
  Outcome outcome = request_update(story_cluster(), {.to_multi_arch = true});
  const json::Object* desired = desired_of(outcome);
  ASSERT_NE(desired, nullptr);
  EXPECT_EQ(json::get_string(*desired, {"architecture"}), "Multi");
  EXPECT_EQ(json::get_string(*desired, {"version"}), "4.6.23");
  EXPECT_EQ(json::get_string(*desired, {"image"}), "");
  EXPECT_EQ(outcome.change->done, "Requested update to multi cluster architecture\n");
  const ClusterVersion cluster = patched(story_cluster(), outcome.change->patch);
  outcome = request_update(cluster, {.to_multi_arch = true});
  EXPECT_EQ(outcome.err(), "error: info: Update to multi cluster architecture has already been requested\n");
  EXPECT_EQ(outcome.exit_code, kRefused);
  EXPECT_EQ(request_update(cluster, {.clear = true}).change->done,
            "Cleared the update field, still at 4.6.23\n");
}

TEST(Request, AcceptedRisksStayInTheRequest) {
  ClusterVersion cluster = story_cluster();
  cluster.spec.desired_update = DesiredUpdate{.accept_risks = {{"R"}}};
  cluster = patched(cluster, request_update(cluster, {.to = "4.6.43"}).change->patch);
  EXPECT_EQ(cluster.spec.desired_update->accept_risks.size(), 1U);
  EXPECT_EQ(cluster.spec.desired_update->version, "4.6.43");
}

TEST(Rollback, ToTheReleaseBeforeWithinTheMinor) {
  ClusterVersion cluster = story_cluster();
  const Outcome outcome = request_rollback(cluster);
  expect_update(outcome, "4.6.22", cluster.status.history[1].image);
  EXPECT_EQ(outcome.change->done, "Requested rollback from 4.6.23 to 4.6.22\n");
  set_condition(cluster, kProgressing, "True", "R", "m");
  EXPECT_EQ(request_rollback(cluster).err(),
            "error: unable to rollback while an update is Progressing=True: R: m.\n");
}

TEST(Rollback, IsRefusedWhereItWouldNotBeOne) {
  ClusterVersion cluster = story_cluster();
  cluster.status.history[1].version = "4.5.40";
  EXPECT_EQ(
      request_rollback(cluster).err(),
      "error: 4.5.40 is less than the current target 4.6.23 and matches the cluster's previous version, "
      "but rollbacks that change major or minor versions are not recommended.\n");
  cluster.status.history[1].version = "4.6.40";
  EXPECT_THAT(request_rollback(cluster).err(), HasSubstr("4.6.40 is not less than"));
  cluster.status.history.resize(1);
  EXPECT_THAT(request_rollback(cluster).err(),
              StartsWith("error: no previous version found in ClusterVersion's status.history besides the "
                         "current 4.6.23 (quay.io/"));
  EXPECT_EQ(request_rollback(cluster).exit_code, kRefused);
}

}  // namespace
}  // namespace fairway::clusterversion::upgrade
