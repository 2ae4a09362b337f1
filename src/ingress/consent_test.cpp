// Deletion with consent, and never without: cases 72 to 92 of the specification.
#include "ingress/consent.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "base/text.hpp"
#include "ingress/decide_testing.hpp"
#include "ingress/service_keys.hpp"

namespace fairway::ingress {
namespace {

using testing::kName;
using testing::published;
using testing::SimulatedCluster;
using testing::uid_of;

Scope scope_now(const SimulatedCluster& cluster) {
  return observed_scope(*cluster.service(), *cluster.config.platform);
}

void expect_replaced_once(SimulatedCluster& cluster, const std::string& old_uid) {
  cluster.settle();
  ASSERT_EQ(cluster.deletions.size(), 1U);
  EXPECT_EQ(cluster.deletions[0].uid, old_uid);
  EXPECT_EQ(cluster.creations, 2);
  EXPECT_EQ(scope_now(cluster), Scope::Internal);
  EXPECT_EQ(cluster.condition("Progressing"), "False");
  EXPECT_EQ(cluster.condition("Available"), "True");
  EXPECT_TRUE(cluster.has_event("LoadBalancerServiceDeleted"));
  EXPECT_TRUE(cluster.has_event("LoadBalancerServiceCreated"));
  EXPECT_TRUE(cluster.has_event("ScopeChangeCompleted"));
  EXPECT_TRUE(cluster.violations.empty());
  EXPECT_TRUE(has_auto_delete(cluster.controller())) << "a standing permission";
}

class WithConsent : public ::testing::TestWithParam<std::string_view> {};
INSTANTIATE_TEST_SUITE_P(Consent, WithConsent,
                         ::testing::Values("AWS", "IBMCloud", "PowerVS", "AlibabaCloud", "OpenStack"));

TEST_P(WithConsent, Cases72And75PatchThenAnnotate) {
  SimulatedCluster cluster = published(GetParam());
  const std::string uid = uid_of(cluster);
  cluster.set_scope("Internal");
  cluster.settle();
  EXPECT_EQ(uid_of(cluster), uid);
  cluster.annotate();
  expect_replaced_once(cluster, uid);
}

TEST_P(WithConsent, Case73AnnotateThenPatch) {
  SimulatedCluster cluster = published(GetParam());
  const std::string uid = uid_of(cluster);
  cluster.annotate("true");
  cluster.settle();
  cluster.set_scope("Internal");
  expect_replaced_once(cluster, uid);
}

TEST_P(WithConsent, Case74BothInOneUpdate) {
  SimulatedCluster cluster = published(GetParam());
  const std::string uid = uid_of(cluster);
  cluster.change([](IngressController& edited) {
    edited.metadata.annotations[std::string(kAutoDelete)] = "";
    edited.spec.endpoint_publishing_strategy->load_balancer->scope = "Internal";
  });
  expect_replaced_once(cluster, uid);
}

TEST(Consent, TheDecisionIsOnRecordBeforeTheDeed) {
  SimulatedCluster cluster = published("AWS");
  cluster.annotate();
  cluster.set_scope("Internal");
  const std::string story = cluster.settle_alone();
  EXPECT_LT(story.find("progressing: ScopeChanged"), story.find("delete Service")) << story;
  EXPECT_LT(story.find("delete Service"), story.size());
  EXPECT_EQ(story.find("create Service"), std::string::npos) << "not while it is terminating:\n" << story;
}

TEST(Consent, PresenceCountsAndFalseIsWarnedOf) {
  SimulatedCluster cluster = published("AWS");
  const std::string uid = uid_of(cluster);
  cluster.annotate("false");
  const auto warnings = standing_warnings(cluster.observe());
  ASSERT_EQ(warnings.size(), 1U);
  EXPECT_TRUE(warnings[0].is_warning);
  EXPECT_EQ(warnings[0].reason, "AutoDeleteEnabled");
  cluster.set_scope("Internal");
  expect_replaced_once(cluster, uid);
}

TEST(Consent, Case76OnMutablePlatformsItHasNoEffect) {
  for (const char* platform : {"Azure", "GCP"}) {
    SimulatedCluster cluster = published(platform);
    const std::string uid = uid_of(cluster);
    cluster.annotate();
    cluster.set_scope("Internal");
    cluster.settle();
    EXPECT_EQ(uid_of(cluster), uid);
    EXPECT_EQ(scope_now(cluster), Scope::Internal);
    EXPECT_TRUE(cluster.deletions.empty());
  }
}

TEST(Consent, Case77WithoutAChangeNothingIsDeleted) {
  SimulatedCluster cluster = published("AWS");
  cluster.annotate();
  for (int i = 0; i < 10; ++i) {
    cluster.pass(std::chrono::minutes(30));
    cluster.settle();
  }
  EXPECT_TRUE(cluster.deletions.empty());
  EXPECT_EQ(cluster.creations, 1);
}

TEST(Consent, Case78WithdrawnBeforeTheChange) {
  SimulatedCluster cluster = published("AWS");
  cluster.annotate();
  cluster.settle();
  cluster.withdraw();
  cluster.set_scope("Internal");
  cluster.settle();
  EXPECT_EQ(cluster.condition("Progressing"), "True ScopeChanged");
  EXPECT_TRUE(cluster.deletions.empty());
}

// The plan that deletes, as it is ready to be carried out.
kube::Plan<Action> ready_to_delete(SimulatedCluster& cluster) {
  cluster.annotate();
  cluster.set_scope("Internal");
  for (int round = 0; round < 10; ++round) {
    kube::Plan<Action> plan = decide(cluster.observe());
    if (plan.actions.empty() || std::holds_alternative<DeleteService>(plan.actions.front())) return plan;
    for (const Action& action : plan.actions) EXPECT_TRUE(cluster.act(action));
  }
  return {};
}

TEST(Consent, Case78WithdrawnBetweenJudgementAndDeed) {
  SimulatedCluster cluster = published("AWS");
  const kube::Plan<Action> plan = ready_to_delete(cluster);
  ASSERT_EQ(plan.actions.size(), 1U);
  cluster.withdraw();
  EXPECT_EQ(cluster.act(plan.actions[0]).error().code, ErrorCode::Conflict);
  EXPECT_TRUE(cluster.deletions.empty());
}

TEST(Consent, Case79AServiceReplacedBetweenJudgementAndDeedSurvives) {
  SimulatedCluster cluster = published("AWS");
  const kube::Plan<Action> plan = ready_to_delete(cluster);
  ASSERT_EQ(plan.actions.size(), 1U);
  json::Object again = *cluster.service();
  cluster.objects.erase(testing::service_key(kName));
  cluster.put(again);
  const std::string uid = uid_of(cluster);
  EXPECT_EQ(cluster.act(plan.actions[0]).error().code, ErrorCode::Conflict);
  EXPECT_EQ(uid_of(cluster), uid);
}

TEST(Consent, Case80ALongDeletionIsAskedForOnce) {
  SimulatedCluster cluster = published("AWS");
  cluster.is_deletion_stuck = true;
  cluster.annotate();
  cluster.set_scope("Internal");
  for (int i = 0; i < 6; ++i) {
    cluster.settle();
    cluster.pass(std::chrono::seconds(10));
  }
  EXPECT_EQ(cluster.deletions.size(), 1U);
  EXPECT_EQ(cluster.creations, 1);
  cluster.is_deletion_stuck = false;
  cluster.settle();
  EXPECT_EQ(cluster.creations, 2);
}

TEST(Consent, Case81AFailingCloudIsQuoted) {
  SimulatedCluster cluster = published("AWS");
  cluster.is_deletion_stuck = true;
  cluster.annotate();
  cluster.set_scope("Internal");
  cluster.cloud.delete_failure = "Error deleting load balancer: throttled";
  cluster.settle();
  EXPECT_NE(cluster.message("Progressing").find("Error deleting load balancer: throttled"),
            std::string::npos);
  cluster.is_deletion_stuck = false;
  cluster.cloud = {};
  cluster.settle();
  EXPECT_EQ(scope_now(cluster), Scope::Internal);
}

TEST(Consent, Cases82And83WhatCountsIsTheScopeAtTheTimeOfCreation) {
  for (const bool is_flipped : {false, true}) {
    SimulatedCluster cluster = published("AWS");
    cluster.annotate();
    cluster.set_scope("Internal");
    cluster.settle_alone();
    ASSERT_EQ(cluster.deletions.size(), 1U);
    if (is_flipped) cluster.set_scope("External");
    // The operator restarts: it has no memory to lose.
    cluster.settle();
    EXPECT_EQ(cluster.creations, 2);
    EXPECT_EQ(scope_now(cluster), is_flipped ? Scope::External : Scope::Internal);
    EXPECT_EQ(cluster.deletions.size(), 1U);
  }
}

TEST(Consent, Case85SubnetsSetByHandAreNotTheControllersWish) {
  SimulatedCluster cluster = published("AWS");
  cluster.annotate();
  cluster.edit_service(
      [](json::Object& service) { kube::set_annotation(service, keys::kAwsSubnets, "subnet-1"); });
  cluster.settle();
  EXPECT_TRUE(cluster.deletions.empty());
  EXPECT_EQ(cluster.condition("LoadBalancerProgressing"), "True OperandsProgressing") << "told, not done";
  // The spec asks for others: that is a wish.
  cluster.change([](IngressController& edited) {
    edited.spec.endpoint_publishing_strategy->load_balancer->provider_parameters = ProviderParameters{
        .type = "AWS",
        .aws = AwsParameters{
            .type = "Classic",
            .classic_load_balancer = ClassicLoadBalancer{.subnets = Subnets{{"subnet-2"}, {}}}}};
  });
  cluster.settle();
  EXPECT_EQ(cluster.deletions.size(), 1U);
  EXPECT_EQ(cluster.annotation(keys::kAwsSubnets), "subnet-2");
}

TEST(Consent, ASilentSpecIsNotAWishToPublishWhatIsInternal) {
  SimulatedCluster cluster = published("AWS", "Internal");
  cluster.annotate();
  cluster.change(
      [](IngressController& edited) { edited.spec.endpoint_publishing_strategy->load_balancer.reset(); });
  cluster.settle();
  EXPECT_TRUE(cluster.deletions.empty());
  EXPECT_EQ(cluster.condition("Progressing"), "True ScopeChanged");
}

TEST(Consent, WhereTheCloudCanChangeInPlaceARefusedWriteIsNoReasonToDelete) {
  SimulatedCluster cluster = published("Azure");
  const std::string uid = uid_of(cluster);
  cluster.service_refusal = "not allowed";
  cluster.annotate();
  cluster.set_scope("Internal");
  cluster.settle();
  EXPECT_TRUE(cluster.deletions.empty());
  EXPECT_EQ(uid_of(cluster), uid);
}

// Gap 13 of the reference: consent within hours, and a rehearsal.
void hold(SimulatedCluster& cluster, std::string_view annotation, const char* value) {
  cluster.change(
      [&](IngressController& edited) { edited.metadata.annotations[std::string(annotation)] = value; });
}

TEST(Consent, Gap13IsUsedWithinItsWindowOnly) {
  SimulatedCluster cluster = published("AWS");
  cluster.now = parse_rfc3339("2026-11-16T12:00:00Z").value();
  const std::string uid = uid_of(cluster);
  hold(cluster, kAutoDeleteWindow, "Wed 02:00-04:00");
  cluster.annotate();
  cluster.set_scope("Internal");
  cluster.settle();
  EXPECT_TRUE(cluster.deletions.empty());
  EXPECT_EQ(cluster.condition("Progressing"), "True ScopeChanged");
  EXPECT_TRUE(cluster.message("Progressing").contains("`oc -n openshift-ingress delete svc/router-custom`"));
  EXPECT_TRUE(cluster.message("Progressing")
                  .ends_with("within the window \"Wed 02:00-04:00\", which opens at 2026-11-18T02:00:00Z."))
      << cluster.message("Progressing");
  const WallTime opens = parse_rfc3339("2026-11-18T02:00:00Z").value();
  EXPECT_EQ(decide(cluster.observe()).wake_at, opens);
  cluster.now = opens;
  expect_replaced_once(cluster, uid);
}

TEST(Consent, Gap13AWindowThatClosesBeforeTheDeedForbidsIt) {
  SimulatedCluster cluster = published("AWS");
  cluster.now = parse_rfc3339("2026-11-18T03:59:59Z").value();
  hold(cluster, kAutoDeleteWindow, "Wed 02:00-04:00");
  cluster.annotate();
  cluster.set_scope("Internal");
  std::vector<Action> actions;
  do {
    actions = decide(cluster.observe()).actions;
    ASSERT_FALSE(actions.empty());
    if (!std::holds_alternative<DeleteService>(actions.front())) ASSERT_TRUE(cluster.act(actions.front()));
  } while (!std::holds_alternative<DeleteService>(actions.front()));
  cluster.pass(std::chrono::seconds(1));
  EXPECT_FALSE(cluster.act(actions.front()));
  EXPECT_TRUE(cluster.deletions.empty());
}

TEST(Consent, Gap13AWindowThatCannotBeReadIsNotOpen) {
  SimulatedCluster cluster = published("AWS");
  hold(cluster, kAutoDeleteWindow, "at night");
  cluster.annotate();
  cluster.set_scope("Internal");
  cluster.settle();
  EXPECT_TRUE(cluster.deletions.empty());
  EXPECT_TRUE(cluster.message("Progressing").contains("cannot be read: a time window: expected a day"))
      << cluster.message("Progressing");
  const auto warnings = standing_warnings(cluster.observe());
  ASSERT_EQ(warnings.size(), 1U);
  EXPECT_EQ(warnings[0].reason, "AutoDeleteWindowUnreadable");
}

TEST(Consent, Gap13ADryRunTellsWhatWouldBeDeletedAndDeletesNothing) {
  SimulatedCluster cluster = published("AWS");
  const std::string uid = uid_of(cluster);
  hold(cluster, kAutoDeleteDryRun, "");
  cluster.annotate();
  cluster.set_scope("Internal");
  cluster.settle();
  EXPECT_TRUE(cluster.deletions.empty());
  EXPECT_TRUE(cluster.message("Progressing")
                  .ends_with(fmt::format("Otherwise openshift-ingress/router-custom (uid {}, address "
                                         "\"203.0.113.1\") would be deleted now.",
                                         uid)))
      << cluster.message("Progressing");
  cluster.change(
      [](IngressController& edited) { edited.metadata.annotations.erase(std::string(kAutoDeleteDryRun)); });
  expect_replaced_once(cluster, uid);
}

TEST(Consent, Case87AControllerThatGoesOnlyGoes) {
  SimulatedCluster cluster = published("AWS");
  cluster.annotate();
  cluster.set_scope("Internal");
  cluster.router_pods = 2;
  cluster.remove();
  std::string story = cluster.settle();
  EXPECT_EQ(story,
            "delete DNSRecord openshift-ingress-operator/custom-wildcard\n"
            "delete Deployment openshift-ingress/router-custom\n"
            "delete ConfigMap openshift-ingress/router-custom\n");
  EXPECT_EQ(cluster.service(), nullptr) << "with its Deployment";
  EXPECT_EQ(decide(cluster.observe()).wake_at, cluster.now + std::chrono::seconds(15)) << "pods are left";
  cluster.router_pods = 0;
  EXPECT_EQ(cluster.settle(), "remove the finalizer of custom\n");
  EXPECT_TRUE(cluster.controllers.empty());
}

TEST(Consent, AServiceThatWasCutLooseGoesWithItsController) {
  SimulatedCluster cluster = published("AWS");
  cluster.edit_service(
      [](json::Object& service) { json::remove(service["metadata"].get_object(), "ownerReferences"); });
  cluster.remove();
  cluster.settle();
  EXPECT_EQ(cluster.service(), nullptr);
  ASSERT_EQ(cluster.deletions.size(), 1U);
  EXPECT_EQ(cluster.deletions[0].consent, Consent::ControllerDeleted);
}

// Cases 88 to 90: an edit that an older operator has seen and not acted upon.
TEST(Upgrade, Cases88To90ALatentChangeTakesEffect) {
  for (const auto& [platform, has_consent] :
       {std::pair("AWS", false), std::pair("Azure", false), std::pair("AWS", true)}) {
    SimulatedCluster cluster = published(platform);
    const std::string uid = uid_of(cluster);
    cluster.change([&](IngressController& edited) {
      edited.spec.endpoint_publishing_strategy->load_balancer->scope = "Internal";
      edited.status.observed_generation = edited.metadata.generation + 1;
      if (has_consent) edited.metadata.annotations[std::string(kAutoDelete)] = "";
    });
    ASSERT_EQ(cluster.controller().metadata.generation, cluster.controller().status.observed_generation);
    cluster.settle();
    EXPECT_EQ(cluster.controller().status.endpoint_publishing_strategy->load_balancer->scope, "Internal");
    const bool is_mutable = cluster.config.platform->is_mutable;
    EXPECT_EQ(uid_of(cluster) == uid, !has_consent);
    EXPECT_EQ(scope_now(cluster), is_mutable || has_consent ? Scope::Internal : Scope::External);
    EXPECT_EQ(cluster.condition("Progressing"), is_mutable || has_consent ? "False" : "True ScopeChanged");
  }
}

TEST(Upgrade, Cases91And92WhatAnOlderOperatorClearedIsSaidAgain) {
  SimulatedCluster cluster = published("AWS");
  cluster.set_scope("Internal");
  cluster.settle();
  const kube::Condition before = *kube::find_condition(cluster.controller().status.conditions, "Progressing");
  cluster.pass(std::chrono::hours(1));
  EXPECT_EQ(cluster.settle(), "") << "a restart changes nothing: case 92";
  cluster.change([](IngressController& edited) {
    for (kube::Condition& each : edited.status.conditions)
      if (each.type == "Progressing") each = {.type = "Progressing", .status = "False"};
  });
  cluster.settle();
  const kube::Condition after = *kube::find_condition(cluster.controller().status.conditions, "Progressing");
  EXPECT_EQ(after.message, before.message);
  EXPECT_EQ(after.reason, before.reason);
}

}  // namespace
}  // namespace fairway::ingress
