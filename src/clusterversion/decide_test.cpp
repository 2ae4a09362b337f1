#include "clusterversion/decide.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "clusterversion/decide_testing.hpp"
#include "kube/runtime/testing/laws.hpp"

namespace fairway::clusterversion {
namespace {

using std::chrono::hours;
using std::chrono::minutes;
using std::chrono::seconds;
using testing::kNewImage;
using testing::kOldImage;
using testing::release_with;
using testing::SimulatedCluster;

Risk proxy_risk(std::string query = "proxy") {
  return {.url = "https://bugs.example/1",
          .name = "Proxy",
          .message = "Proxies leak.",
          .matching_rules = {{.type = "PromQL", .promql = PromqlRule{std::move(query)}}}};
}

// On 4.6.23, with 4.6.43 for all, and 4.7.4 unless there is a proxy.
SimulatedCluster with_updates(bool has_proxy) {
  SimulatedCluster cluster;
  cluster.graph.updates = {{.version = "4.6.43", .image = "registry.example/release@sha256:0643"}};
  cluster.graph.conditional = {{{.version = "4.7.4", .image = kNewImage}, {proxy_risk()}}};
  cluster.answers["proxy"] = has_proxy;
  cluster.releases[kNewImage] = release_with("4.7.4", kNewImage, {"one", "two", "three"});
  cluster.releases[kOldImage] = release_with("4.6.23", kOldImage, {"one"});
  return cluster;
}

std::string condition(const SimulatedCluster& cluster, std::string_view type) {
  const auto* found = kube::find_condition(cluster.object.status.conditions, type);
  return found == nullptr ? "absent" : found->status + " " + found->reason + ": " + found->message;
}
std::string versions(const SimulatedCluster& cluster) {
  std::string text;
  for (const Release& one : cluster.object.status.available_updates) text += one.version + " ";
  text += "|";
  for (const ConditionalUpdate& one : cluster.object.status.conditional_updates)
    text += " " + one.release.version;
  return text;
}

void request(SimulatedCluster& cluster, DesiredUpdate wanted) {
  cluster.object.spec.desired_update = std::move(wanted);
  ++cluster.object.metadata.generation;
  cluster.object.metadata.resource_version = std::to_string(++cluster.version);
}

TEST(Decide, AFirstLookPublishesWhatIsOnOffer) {
  SimulatedCluster cluster = with_updates(true);
  EXPECT_EQ(
      cluster.settle(),
      "write the status: 0 recommended, 0 conditional updates\n"
      "ask for the graph: https://api.openshift.com/api/upgrades_info/v1/graph?arch=amd64&channel=stable-4.7&"
      "id=5f0b3c2e-7c3b-4f0e-9f54-2d3a1b6e7c11&version=4.6.23 (first look)\n"
      "write the status: 1 recommended, 1 conditional updates\n"
      "ask the query proxy\n"
      "write the status: 1 recommended, 1 conditional updates\n");
  EXPECT_EQ(versions(cluster), "4.6.43 | 4.7.4");
  EXPECT_EQ(condition(cluster, "RetrievedUpdates"), "True : ");
  EXPECT_EQ(condition(cluster, "Progressing"), "False : Cluster version is 4.6.23");
  EXPECT_EQ(condition(cluster, "Available"), "True : Done applying 4.6.23");
  EXPECT_EQ(condition(cluster, "Failing"), "False : ");
  EXPECT_EQ(condition(cluster, "Upgradeable"), "absent");
}

TEST(Decide, Case31NothingIsWrittenWithoutAChange) {
  SimulatedCluster cluster = with_updates(false);
  cluster.settle();
  EXPECT_EQ(versions(cluster), "4.7.4 4.6.43 | 4.7.4");
  const int written = cluster.writes;
  for (int i = 0; i < 30; ++i) {
    cluster.pass(minutes(3));
    cluster.settle();
  }
  EXPECT_EQ(cluster.fetches, 31);
  EXPECT_EQ(cluster.writes, written);
  EXPECT_EQ(cluster.asked.size(), 2U) << "once an hour";
}

TEST(Decide, Case46And56ARestartChangesNothingThatHolds) {
  SimulatedCluster cluster = with_updates(true);
  cluster.answers["proxy"] = std::unexpected(QueryFailure{"no data"});
  cluster.settle();
  const auto since = recommended(cluster.object.status.conditional_updates[0])->last_transition_time;
  cluster.pass(minutes(30));
  cluster.restart();
  const std::size_t asked = cluster.asked.size();
  EXPECT_EQ(cluster.settle().find("0 conditional"), std::string::npos)
      << "the lists stay until there is an answer";
  EXPECT_EQ(recommended(cluster.object.status.conditional_updates[0])->last_transition_time, since);
  EXPECT_EQ(cluster.asked.size(), asked + 1) << "the first query at once";
}

TEST(Decide, Case4AnEmptyChannelClearsWithoutARequest) {
  SimulatedCluster cluster = with_updates(false);
  cluster.settle();
  cluster.object.spec.channel = "";
  const int fetches = cluster.fetches;
  cluster.settle();
  EXPECT_EQ(versions(cluster), "|");
  EXPECT_EQ(condition(cluster, "RetrievedUpdates"),
            "False NoChannel: The update channel has not been configured.");
  EXPECT_EQ(cluster.fetches, fetches);
}

TEST(Decide, Case8FailuresKeepWhatWasThere) {
  SimulatedCluster cluster = with_updates(false);
  cluster.settle();
  cluster.graph_failure =
      cannot_retrieve("ResponseFailed", "unexpected HTTP status: 503 Service Unavailable");
  cluster.pass(minutes(3));
  cluster.settle();
  EXPECT_EQ(versions(cluster), "4.7.4 4.6.43 | 4.7.4");
  EXPECT_EQ(condition(cluster, "RetrievedUpdates").substr(0, 20), "False ResponseFailed");
  cluster.pass(hours(24));
  cluster.settle();
  EXPECT_EQ(versions(cluster), "|");
}

TEST(Decide, Case59AVersionThatIsRecommendedIsAppliedInOrder) {
  SimulatedCluster cluster = with_updates(false);
  cluster.settle();
  request(cluster, {.version = "4.7.4"});
  const std::string story = cluster.settle();
  EXPECT_EQ(cluster.applied, (std::vector<std::string>{kNewImage + " ConfigMap default/one",
                                                       kNewImage + " ConfigMap default/two",
                                                       kNewImage + " ConfigMap default/three"}));
  EXPECT_EQ(condition(cluster, "Progressing"), "False : Cluster version is 4.7.4");
  EXPECT_EQ(condition(cluster, "ReleaseAccepted"),
            "True PayloadLoaded: Payload loaded version=\"4.7.4\" image=\"" + kNewImage +
                "\" architecture=\"amd64\"");
  ASSERT_EQ(cluster.object.status.history.size(), 2U);
  const HistoryEntry& newest = cluster.object.status.history.front();
  EXPECT_EQ(newest.state, kCompleted);
  EXPECT_TRUE(newest.verified);
  EXPECT_EQ(newest.accepted_risks, "");
  EXPECT_EQ(cluster.object.status.version_hash, "hash-of-4.7.4");
  // Acceptance is on record before anything is applied.
  EXPECT_LT(story.find("write the status"), story.find("apply ConfigMap"));
}

TEST(Decide, Case60AVersionThatIsNotRecommendedNeedsItsImage) {
  SimulatedCluster cluster = with_updates(true);
  cluster.settle();
  request(cluster, {.version = "4.7.4"});
  cluster.settle();
  EXPECT_NE(condition(cluster, "Invalid").find("when image is empty the update must be an available update"),
            std::string::npos);
  EXPECT_EQ(condition(cluster, "Progressing"),
            "False InvalidClusterVersion: Stopped at 4.6.23: the cluster version is invalid");
  EXPECT_TRUE(cluster.applied.empty());
}

TEST(Decide, Case61And66AcceptedRisksAreRecordedOnce) {
  SimulatedCluster cluster = with_updates(true);
  cluster.settle();
  request(cluster, {.version = "4.7.4", .image = kNewImage});
  cluster.settle();
  const std::string expected =
      "Updating from 4.6.23 to 4.7.4 is supported, but not recommended for this cluster.\n\nReason: "
      "Proxy\n\nProxies "
      "leak. https://bugs.example/1";
  EXPECT_EQ(cluster.object.status.history.front().accepted_risks, expected);
  cluster.restart();
  cluster.pass(hours(2));
  cluster.settle();
  EXPECT_EQ(cluster.object.status.history.front().accepted_risks, expected);
  EXPECT_EQ(cluster.object.status.history.size(), 2U);
}

TEST(Decide, Case62WithoutASignatureOnlyByForce) {
  SimulatedCluster cluster = with_updates(false);
  cluster.releases[kNewImage].is_verified = false;
  cluster.releases[kNewImage].verification = "verification is not possible";
  cluster.settle();
  request(cluster, {.version = "4.7.4", .image = kNewImage});
  cluster.settle();
  EXPECT_NE(condition(cluster, "ReleaseAccepted").find("False RetrievePayload: "), std::string::npos);
  EXPECT_NE(condition(cluster, "ReleaseAccepted")
                .find("The update cannot be verified: verification is not possible"),
            std::string::npos);
  EXPECT_EQ(cluster.object.status.history.size(), 1U);
  request(cluster, {.version = "4.7.4", .image = kNewImage, .force = true});
  cluster.settle();
  const HistoryEntry& newest = cluster.object.status.history.front();
  EXPECT_EQ(newest.state, kCompleted);
  EXPECT_FALSE(newest.verified);
  EXPECT_EQ(newest.accepted_risks,
            "Target release version=\"4.7.4\" image=\"" + kNewImage +
                "\" cannot be verified, but continuing anyway because the update was forced: "
                "verification is not possible");
}

TEST(Decide, Case63TwoMinorVersionsAtOnceAreBlocked) {
  SimulatedCluster cluster = with_updates(false);
  const std::string image = "registry.example/release@sha256:0800";
  cluster.releases[image] = release_with("4.8.0", image, {"one"});
  cluster.settle();
  request(cluster, {.version = "4.8.0", .image = image});
  cluster.settle();
  EXPECT_NE(condition(cluster, "ReleaseAccepted")
                .find("False PreconditionChecks: Preconditions failed for payload loaded"),
            std::string::npos);
  EXPECT_NE(condition(cluster, "ReleaseAccepted").find("MultipleMinorVersionsUpdate"), std::string::npos);
  EXPECT_EQ(condition(cluster, "Progressing"), "False : Cluster version is 4.6.23");
  request(cluster, {.version = "4.8.0", .image = image, .force = true});
  cluster.settle();
  EXPECT_NE(cluster.object.status.history.front().accepted_risks.find("Forced through blocking failures: "),
            std::string::npos);
}

TEST(Decide, AdminGatesHoldMinorUpdatesBack) {
  SimulatedCluster cluster = with_updates(false);
  cluster.facts.admin_gates = ConfigData{{"ack-4.6-x", "Remove the old API first."}, {"ack-4.7-y", "later"}};
  cluster.settle();
  EXPECT_EQ(condition(cluster, "Upgradeable"), "False AdminAckRequired: Remove the old API first.");
  request(cluster, {.version = "4.7.4"});
  cluster.settle();
  EXPECT_NE(condition(cluster, "ReleaseAccepted").find("AdminAckRequired"), std::string::npos);
  // An acknowledgement lets the request through as it stands.
  cluster.facts.admin_acks = {{"ack-4.6-x", "true"}};
  cluster.settle();
  EXPECT_EQ(cluster.object.status.history.front().version, "4.7.4");
}

TEST(Decide, WhatCannotBeAppliedIsSaidAndTriedAgain) {
  SimulatedCluster cluster = with_updates(false);
  cluster.settle();
  cluster.refused["ConfigMap default/two"] = {ErrorCode::Forbidden, "no"};
  request(cluster, {.version = "4.7.4"});
  cluster.settle();
  EXPECT_EQ(condition(cluster, "Failing"),
            "True UpdatePayloadResourceForbidden: Could not update ConfigMap default/two (2 of 3): no");
  EXPECT_EQ(condition(cluster, "Progressing").substr(0, 44), "True UpdatePayloadResourceForbidden: Unable ");
  cluster.refused.clear();
  cluster.pass(minutes(5));
  cluster.settle();
  EXPECT_EQ(condition(cluster, "Failing"), "False : ");
  EXPECT_EQ(cluster.applied.size(), 3U);
}

TEST(Decide, WhatIsNotReadyIsWaitedFor) {
  SimulatedCluster cluster = with_updates(false);
  cluster.settle();
  cluster.live["ConfigMap default/two"] = {{"apiVersion", "v1"},
                                           {"kind", "Namespace"},
                                           {"metadata", json::Object{{"name", "two"}}},
                                           {"status", json::Object{{"phase", "Terminating"}}}};
  request(cluster, {.version = "4.7.4"});
  cluster.settle();
  EXPECT_EQ(condition(cluster, "Progressing").substr(0, 62),
            "True : Working towards 4.7.4: 1 of 3 done (33% complete), wait");
  EXPECT_EQ(cluster.applied.size(), 2U) << "the third waits for the second";
  cluster.live.clear();
  cluster.pass(seconds(15));
  cluster.settle();
  EXPECT_EQ(cluster.applied.size(), 3U);
  EXPECT_EQ(condition(cluster, "Progressing"), "False : Cluster version is 4.7.4");
}

TEST(Decide, ACrashInTheMiddleGoesOn) {
  SimulatedCluster cluster = with_updates(false);
  cluster.settle();
  cluster.refused["ConfigMap default/three"] = {ErrorCode::Unavailable, "away"};
  request(cluster, {.version = "4.7.4"});
  cluster.settle();
  cluster.refused.clear();
  cluster.restart();
  const std::string story = cluster.settle();
  EXPECT_NE(story.find("retrieve the release 4.7.4"), std::string::npos);
  EXPECT_EQ(cluster.object.status.history.front().state, kCompleted);
  EXPECT_EQ(cluster.object.status.history.size(), 2U);
}

TEST(Decide, OverriddenObjectsAreLeftAlone) {
  SimulatedCluster cluster = with_updates(false);
  cluster.object.spec.overrides = {
      {.kind = "ConfigMap", .group = "", .namespace_ = "default", .name = "two", .unmanaged = true}};
  cluster.settle();
  EXPECT_EQ(condition(cluster, "Upgradeable").substr(0, 32), "False ClusterVersionOverridesSet");
  request(cluster, {.version = "4.7.4", .image = kNewImage, .force = true});
  cluster.settle();
  EXPECT_EQ(cluster.applied.size(), 2U);
  EXPECT_EQ(cluster.object.status.history.front().state, kCompleted);
}

// A proxy that is set up after the update exposes the running release to one of its known risks.
TEST(Decide, AConfigurationChangeThatExposesTheRunningReleaseIsWarnedOf) {
  SimulatedCluster cluster;
  cluster.graph.known_risks = {proxy_risk()};
  cluster.answers["proxy"] = false;
  cluster.settle();
  EXPECT_EQ(condition(cluster, kExposedToKnownRisks), "absent");
  cluster.answers["proxy"] = true;
  cluster.pass(hours(1));
  cluster.settle();
  EXPECT_EQ(condition(cluster, kExposedToKnownRisks),
            "True ExposedToKnownRisk: The running release 4.6.23 has known risks that apply to this cluster "
            "as it is "
            "configured now: Proxy.\n\nProxies leak. https://bugs.example/1");
  cluster.object.status.history.front().accepted_risks = "… https://bugs.example/1";
  cluster.settle();
  EXPECT_EQ(condition(cluster, kExposedToKnownRisks), "absent") << "it was accepted";
}

TEST(Decide, WithoutAnObjectNothingIsDone) {
  SimulatedCluster cluster;
  Observed seen = cluster.observe();
  seen.object.reset();
  const auto plan = decide(seen);
  EXPECT_TRUE(plan.actions.empty());
  EXPECT_EQ(plan.notes.size(), 1U);
}

// The laws, over a cluster whose users, far ends and operator do what they like.
struct OperatorModel {
  using World = SimulatedCluster;
  using Observed = clusterversion::Observed;
  using Action = clusterversion::Action;

  std::vector<kube::ObjectKey> keys(const World&) const { return {{"", "version"}}; }
  Observed observe(const World& world, const kube::ObjectKey&) const { return world.observe(); }
  kube::Plan<Action> decide(const Observed& seen) const { return clusterversion::decide(seen); }
  Result<void> act(World& world, const Observed& seen, const Action& action) const {
    return world.act(seen, action);
  }

  void disturb(World& world, kube::Random& random) const {
    switch (random.below(10)) {
      case 0:
        return world.restart();
      case 1:
        world.answers["proxy"] = random.below(2) == 0;
        return;
      case 2:
        world.answers["proxy"] = std::unexpected(QueryFailure{"no data", random.below(2) == 0});
        return;
      case 3:
        world.graph_failure =
            random.below(2) == 0 ? std::optional(cannot_retrieve("RemoteFailed", "down")) : std::nullopt;
        return;
      case 4:
        return request(world, {.version = "4.7.4"});
      case 5:
        return request(world, {.version = "4.7.4", .image = kNewImage, .force = random.below(2) == 0});
      case 6:
        if (random.below(2) == 0) {
          world.refused.clear();
        } else {
          world.refused["ConfigMap default/two"] = {ErrorCode::Unavailable, "away"};
        }
        return;
      case 7:
        world.object.spec.desired_update.reset();
        world.object.metadata.resource_version = std::to_string(++world.version);
        return;
      case 8:
        return world.pass(minutes(random.below(90)));
      default:
        world.object.spec.channel = random.below(2) == 0 ? "stable-4.7" : "";
        world.object.metadata.resource_version = std::to_string(++world.version);
    }
  }

  Result<void> invariant(const World& world) const {
    const ClusterVersionStatus& status = world.object.status;
    for (const Release& one : status.available_updates) {
      const auto conditional =
          std::ranges::find(status.conditional_updates, one.image,
                            [](const ConditionalUpdate& update) { return update.release.image; });
      if (conditional != status.conditional_updates.end() && !is_recommended(*conditional))
        return fail(ErrorCode::Internal, "an update is available that is not recommended");
    }
    for (const std::string& line : world.applied) {
      const std::string image = line.substr(0, line.find(' '));
      if (std::ranges::find(status.history, image, &HistoryEntry::image) == status.history.end())
        return fail(ErrorCode::Internal, "something was applied of a release that is not on record");
    }
    if (status.history.front().image != status.desired.image)
      return fail(ErrorCode::Internal, "the newest entry of the history is not what is desired");
    return {};
  }
};

TEST(DecideLaws, HoldInEveryInterleaving) {
  EXPECT_EQ(kube::testing::check_laws(OperatorModel{}, with_updates(false), {.max_rounds = 60}),
            kube::testing::kLawful);
}

}  // namespace
}  // namespace fairway::clusterversion
