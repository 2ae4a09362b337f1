// The change of scope, from the first Service to the last: cases 1 to 20 of the specification, and 46 to 53.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <ostream>

#include "base/text.hpp"
#include "ingress/decide_testing.hpp"
#include "ingress/service_keys.hpp"
#include "ingress/texts.hpp"

namespace fairway::ingress {
namespace {

using testing::kName;
using testing::load_balancer;
using testing::published;
using testing::SimulatedCluster;
using testing::uid_of;

struct Profile {
  std::string_view platform;
  std::string_view key;
  std::string_view internal;
  std::string_view external;
};
void PrintTo(const Profile& profile, std::ostream* out) {
  *out << profile.platform;
}
std::string name_of(const ::testing::TestParamInfo<Profile>& info) {
  return std::string(info.param.platform);
}

constexpr Profile kAwsProfile{"AWS", "service.beta.kubernetes.io/aws-load-balancer-internal", "true",
                              "absent"};
constexpr Profile kAzureProfile{"Azure", "service.beta.kubernetes.io/azure-load-balancer-internal", "true",
                                "absent"};
constexpr Profile kGcpProfile{"GCP", "cloud.google.com/load-balancer-type", "Internal", "absent"};
constexpr Profile kIbmProfile{"IBMCloud", "service.kubernetes.io/ibm-load-balancer-cloud-provider-ip-type",
                              "private", "public"};
constexpr Profile kPowerProfile{"PowerVS", kIbmProfile.key, "private", "public"};
constexpr Profile kAlibabaProfile{"AlibabaCloud",
                                  "service.beta.kubernetes.io/alibaba-cloud-loadbalancer-address-type",
                                  "intranet", "internet"};
constexpr Profile kOpenStackProfile{
    "OpenStack", "service.beta.kubernetes.io/openstack-internal-load-balancer", "true", "absent"};

// The seed's eight steps where a live load balancer cannot change: cases 1, 5, 6, 7, 8.
class Immutable : public ::testing::TestWithParam<Profile> {};
INSTANTIATE_TEST_SUITE_P(Scope, Immutable,
                         ::testing::Values(kAwsProfile, kIbmProfile, kPowerProfile, kAlibabaProfile,
                                           kOpenStackProfile),
                         name_of);

TEST_P(Immutable, Cases1And5To8TheSeedsEightSteps) {
  const Profile& profile = GetParam();
  SimulatedCluster cluster = published(profile.platform);
  EXPECT_EQ(cluster.annotation(profile.key), profile.external);
  EXPECT_EQ(cluster.condition("Progressing"), "False");
  EXPECT_EQ(cluster.condition("Available"), "True");
  const json::Object before = *cluster.service();

  cluster.set_scope("Internal");
  cluster.settle();
  EXPECT_EQ(cluster.condition("Progressing"), "True ScopeChanged");
  EXPECT_EQ(cluster.condition("Available"), "True");
  EXPECT_EQ(*cluster.service(), before) << "the Service is left alone";
  EXPECT_EQ(cluster.controller().status.endpoint_publishing_strategy->load_balancer->scope, "Internal");

  cluster.set_scope("External");
  cluster.settle();
  EXPECT_EQ(cluster.condition("Progressing"), "False");
  EXPECT_EQ(*cluster.service(), before);
  EXPECT_TRUE(cluster.has_event("ScopeChangeRequested"));
  EXPECT_TRUE(cluster.has_event("ScopeChangePending"));
  EXPECT_TRUE(cluster.has_event("ScopeChangeReverted"));
}

// Cases 11 to 15: deleted by the user, made again with the wanted scope.
TEST_P(Immutable, Cases11To15TheUserCompletesTheChange) {
  const Profile& profile = GetParam();
  SimulatedCluster cluster = published(profile.platform);
  for (const auto& [scope, value, range] : {std::tuple("Internal", profile.internal, "10.77."),
                                            std::tuple("External", profile.external, "203.0.")}) {
    const std::string uid = uid_of(cluster);
    cluster.set_scope(scope);
    cluster.settle();
    cluster.delete_service();
    cluster.settle();
    EXPECT_NE(uid_of(cluster), uid);
    EXPECT_EQ(cluster.annotation(profile.key), value);
    EXPECT_EQ(address_of(*cluster.service()).substr(0, 6), range);
    EXPECT_EQ(cluster.condition("Progressing"), "False");
    EXPECT_EQ(cluster.condition("Available"), "True");
  }
  EXPECT_TRUE(cluster.deletions.empty()) << "the operator itself deleted nothing";
}

// Case 51 (OCPBUGS-39151): both commands on every platform that needs them.
TEST_P(Immutable, Case51TheMessageCarriesBothCommands) {
  SimulatedCluster cluster = published(GetParam().platform);
  cluster.set_scope("Internal");
  cluster.settle();
  for (const char* type : {"Progressing", "LoadBalancerProgressing"}) {
    const std::string message = cluster.message(type);
    EXPECT_NE(message.find("`oc -n openshift-ingress delete svc/router-custom`"), std::string::npos)
        << message;
    EXPECT_NE(message.find(revert_command(kName, {{"scope", "External"}})), std::string::npos) << message;
  }
}

// Cases 3 and 4, and 105: changed in place.
class Mutable : public ::testing::TestWithParam<Profile> {};
INSTANTIATE_TEST_SUITE_P(Scope, Mutable, ::testing::Values(kAzureProfile, kGcpProfile), name_of);

TEST_P(Mutable, Cases3And4TheSeedsEightSteps) {
  const Profile& profile = GetParam();
  SimulatedCluster cluster = published(profile.platform);
  EXPECT_EQ(cluster.annotation(profile.key), "absent");
  const std::string uid = uid_of(cluster);
  cluster.set_scope("Internal");
  cluster.settle();
  EXPECT_EQ(cluster.annotation(profile.key), profile.internal);
  EXPECT_EQ(cluster.condition("Progressing"), "False");
  cluster.set_scope("External");
  cluster.settle();
  EXPECT_EQ(cluster.condition("Progressing"), "False");
  EXPECT_EQ(cluster.annotation(profile.key), "absent");
  EXPECT_EQ(uid_of(cluster), uid);
  EXPECT_TRUE(cluster.has_event("ScopeChangeCompleted"));
}

TEST_P(Mutable, Case105ItIsInProgressUntilTheAddressIsAnother) {
  const Profile& profile = GetParam();
  SimulatedCluster cluster = published(profile.platform);
  cluster.is_changing = false;
  cluster.set_scope("Internal");
  cluster.settle();
  EXPECT_EQ(cluster.annotation(profile.key), profile.internal);
  EXPECT_EQ(cluster.condition("Progressing"), "True ScopeChangeInProgress");
  EXPECT_EQ(cluster.message("Progressing"),
            "The IngressController scope was changed from \"External\" to \"Internal\".");
  EXPECT_EQ(cluster.condition("Available"), "True");
  // Too long: degraded, and still served by the old address.
  cluster.pass(std::chrono::minutes(11));
  cluster.settle();
  EXPECT_EQ(cluster.condition("Degraded"), "True DegradedConditions");
  cluster.is_changing = true;
  cluster.settle();
  EXPECT_EQ(cluster.condition("Progressing"), "False");
  EXPECT_EQ(cluster.condition("Degraded"), "False");
  EXPECT_EQ(cluster.annotation(kScopeChange), "absent");
}

TEST_P(Mutable, Case105AnEnsuredLoadBalancerThatKeepsItsAddressIsDone) {
  SimulatedCluster cluster = published(GetParam().platform);
  cluster.is_changing = false;
  cluster.set_scope("Internal");
  cluster.settle();
  cluster.cloud.ensured_at = cluster.now - std::chrono::minutes(1);
  cluster.settle();
  EXPECT_EQ(cluster.condition("Progressing"), "True ScopeChangeInProgress") << "ensured before the change";
  cluster.cloud.ensured_at = cluster.now + std::chrono::seconds(5);
  cluster.settle();
  EXPECT_EQ(cluster.condition("Progressing"), "False");
}

TEST_P(Mutable, Case106AFailedChangeIsTold) {
  SimulatedCluster cluster = published(GetParam().platform);
  cluster.is_changing = false;
  cluster.cloud.sync_failure = "Error syncing load balancer: quota exhausted";
  cluster.set_scope("Internal");
  cluster.settle();
  EXPECT_NE(cluster.message("Progressing").find("quota exhausted"), std::string::npos);
  EXPECT_EQ(cluster.condition("LoadBalancerReady"), "True LoadBalancerProvisioned");
  EXPECT_EQ(cluster.condition("Available"), "True") << "the old address serves";
}

TEST_P(Mutable, ARevertBeforeTheCloudHasActedIsDoneAtOnce) {
  SimulatedCluster cluster = published(GetParam().platform);
  cluster.is_changing = false;
  cluster.set_scope("Internal");
  cluster.settle();
  cluster.set_scope("External");
  cluster.settle();
  EXPECT_EQ(cluster.condition("Progressing"), "False");
  EXPECT_EQ(cluster.annotation(kScopeChange), "absent");
  EXPECT_EQ(cluster.annotation(GetParam().key), "absent");
}

// Case 67: a hand-made edit is undone.
TEST_P(Mutable, Case67AHandMadeEditOfTheScopeIsUndone) {
  const Profile& profile = GetParam();
  SimulatedCluster cluster = published(profile.platform);
  cluster.edit_service(
      [&](json::Object& service) { kube::set_annotation(service, profile.key, profile.internal); });
  cluster.settle();
  EXPECT_EQ(cluster.annotation(profile.key), "absent");
  cluster.set_scope("Internal");
  cluster.settle();
  cluster.edit_service([&](json::Object& service) { kube::remove_annotation(service, profile.key); });
  cluster.settle();
  EXPECT_EQ(cluster.annotation(profile.key), profile.internal);
}

// Cases 9, 10 and 86: no scope, no advice, no loop.
class WithoutScope : public ::testing::TestWithParam<std::string_view> {};
INSTANTIATE_TEST_SUITE_P(Scope, WithoutScope,
                         ::testing::Values("BareMetal", "None", "VSphere", "Nutanix", "External", "Libvirt"));

TEST_P(WithoutScope, Cases9And10And86InternalIsSaidToBeImpossible) {
  SimulatedCluster cluster = published(GetParam());
  const json::Object before = *cluster.service();
  EXPECT_EQ(cluster.condition("ScopeSupported"), "absent");
  cluster.annotate();
  cluster.set_scope("Internal");
  cluster.settle();
  EXPECT_EQ(cluster.condition("ScopeSupported"), "False PlatformHasNoScope");
  EXPECT_EQ(cluster.condition("Progressing"), "False");
  for (const kube::Condition& each : cluster.controller().status.conditions)
    EXPECT_EQ(each.message.find("delete"), std::string::npos) << each.message;
  EXPECT_EQ(*cluster.service(), before);
  EXPECT_TRUE(cluster.deletions.empty());
  cluster.set_scope("External");
  cluster.settle();
  EXPECT_EQ(cluster.condition("ScopeSupported"), "absent");
}

TEST(Scope, Case2ANetworkLoadBalancerStaysOne) {
  SimulatedCluster cluster("AWS");
  PublishingStrategy strategy = load_balancer("External");
  strategy.load_balancer->provider_parameters =
      ProviderParameters{.type = "AWS", .aws = AwsParameters{.type = "NLB"}};
  cluster.create(kName, strategy);
  cluster.settle();
  EXPECT_EQ(cluster.annotation(keys::kAwsType), "nlb");
  EXPECT_EQ(cluster.annotation(keys::kAwsInterval), "10");
  EXPECT_EQ(cluster.annotation(keys::kAwsProxyProtocol), "absent");
  const json::Object before = *cluster.service();
  cluster.set_scope("Internal");
  cluster.settle();
  EXPECT_EQ(cluster.condition("Progressing"), "True ScopeChanged");
  EXPECT_EQ(*cluster.service(), before);
}

TEST(Scope, Case14AnInternalLoadBalancerHasNoFloatingAddress) {
  SimulatedCluster cluster("OpenStack");
  PublishingStrategy strategy = load_balancer("External");
  strategy.load_balancer->provider_parameters = ProviderParameters{
      .type = "OpenStack", .openstack = OpenStackParameters{.floating_ip = "198.51.100.7"}};
  cluster.create(kName, strategy);
  cluster.settle();
  EXPECT_EQ(json::get_string(*cluster.service(), {"spec", "loadBalancerIP"}), "198.51.100.7");
  cluster.set_scope("Internal");
  cluster.settle();
  EXPECT_FALSE(cluster.message("LoadBalancerProgressing").contains("floatingIP")) << "it goes with the scope";
  cluster.delete_service();
  cluster.settle();
  EXPECT_EQ(json::get_string(*cluster.service(), {"spec", "loadBalancerIP"}), std::nullopt);
  EXPECT_EQ(cluster.annotation(kOpenStackProfile.key), "true");
}

TEST(Scope, Case16AServiceDeletedWithoutAPendingChangeComesBack) {
  SimulatedCluster cluster = published("AWS", "Internal");
  cluster.delete_service();
  cluster.settle_alone();
  EXPECT_EQ(cluster.condition("Progressing"), "True WaitingForServiceDeletion");
  cluster.settle();
  EXPECT_EQ(cluster.annotation(kAwsProfile.key), "true");
  EXPECT_EQ(cluster.condition("Progressing"), "False");
  EXPECT_FALSE(cluster.has_event("ScopeChangeCompleted")) << "nothing was changed";
}

TEST(Scope, AChangeStaysToldWhileTheServiceIsReplaced) {
  SimulatedCluster cluster = published("AWS");
  cluster.set_scope("Internal");
  cluster.settle();
  cluster.is_deletion_stuck = true;
  cluster.delete_service();
  cluster.settle();
  EXPECT_TRUE(
      cluster.message("Progressing")
          .starts_with("The IngressController scope was changed from \"External\" to \"Internal\". The "
                       "service openshift-ingress/router-custom is being deleted: "))
      << cluster.message("Progressing");
  EXPECT_FALSE(cluster.has_event("ScopeChangeCompleted"));
  cluster.is_deletion_stuck = false;
  cluster.settle();
  EXPECT_TRUE(cluster.has_event("ScopeChangeCompleted"));
  EXPECT_FALSE(cluster.has_event("ScopeChangeReverted"));
}

TEST(Scope, Cases17And18And93TheMessageIsTheSeedsWithRealNames) {
  SimulatedCluster cluster = published("AWS");
  cluster.set_scope("Internal");
  cluster.settle();
  EXPECT_EQ(
      cluster.message("Progressing"),
      "The IngressController scope was changed from \"External\" to \"Internal\". To effectuate this change, "
      "you "
      "must delete the service: `oc -n openshift-ingress delete svc/router-custom`; the service "
      "load-balancer will "
      "then be deprovisioned and a new one created. Alternatively, you can revert the change to the "
      "IngressController: `oc -n openshift-ingress-operator patch ingresscontrollers/custom --type=merge "
      "--patch='{\"spec\":{\"endpointPublishingStrategy\":{\"type\":\"LoadBalancerService\",\"loadBalancer\":"
      "{\"scope\":\"External\"}}}}'`. Deleting the service interrupts ingress traffic and may change the "
      "address of "
      "the load balancer.");
  EXPECT_EQ(cluster.condition("LoadBalancerProgressing"), "True OperandsProgressing");
  EXPECT_EQ(
      cluster.message("LoadBalancerProgressing"),
      "One or more managed resources are progressing: The IngressController scope was changed from "
      "\"External\" to "
      "\"Internal\".  To effectuate this change, you must delete the service: `oc -n openshift-ingress "
      "delete "
      "svc/router-custom`; the service load-balancer will then be deprovisioned and a new one created. This "
      "will "
      "most likely cause the new load-balancer to have a different host name and IP address and cause "
      "disruption. To "
      "return to the previous state, you can revert the change to the IngressController: `oc -n "
      "openshift-ingress-operator patch ingresscontrollers/custom --type=merge "
      "--patch='{\"spec\":{\"endpointPublishingStrategy\":{\"type\":\"LoadBalancerService\",\"loadBalancer\":"
      "{\"scope\":\"External\"}}}}'`. Direct updates to the service annotations are not supported.");
}

TEST(Scope, AnotherLayoutOfProgressingIsASetting) {
  SimulatedCluster cluster = published("AWS");
  cluster.settings->layout = ProgressLayout::Aggregated;
  cluster.set_scope("Internal");
  cluster.settle();
  EXPECT_EQ(cluster.condition("Progressing"), "True IngressControllerProgressing");
  EXPECT_TRUE(
      cluster.message("Progressing")
          .starts_with("One or more status conditions indicate progressing: LoadBalancerProgressing=True "
                       "(OperandsProgressing: One or more managed resources are progressing: "));
}

TEST(Scope, Gap5EditsThatANewServiceWouldLoseAreNamed) {
  SimulatedCluster cluster = published("AWS");
  cluster.edit_service([](json::Object& service) {
    kube::set_annotation(service, "example.test/mine", "yes");
    json::ensure_object(service, {"spec"})["loadBalancerSourceRanges"] = json::Array{"10.0.0.0/8"};
  });
  cluster.set_scope("Internal");
  cluster.settle();
  EXPECT_NE(cluster.message("Progressing")
                .find(" The new service will not have what was set on this one by hand: annotation "
                      "example.test/mine, spec.loadBalancerSourceRanges."),
            std::string::npos)
      << cluster.message("Progressing");
}

TEST(Scope, Case19RevertedWhileItIsTerminatingItComesBackAsItWas) {
  SimulatedCluster cluster = published("AWS");
  cluster.set_scope("Internal");
  cluster.settle();
  cluster.is_deletion_stuck = true;
  cluster.delete_service();
  cluster.settle();
  cluster.set_scope("External");
  cluster.settle();
  EXPECT_EQ(cluster.condition("Progressing"), "True WaitingForServiceDeletion");
  EXPECT_TRUE(cluster.has_event("ScopeChangeReverted"));
  cluster.is_deletion_stuck = false;
  cluster.settle();
  EXPECT_EQ(cluster.annotation(kAwsProfile.key), "absent");
  EXPECT_EQ(cluster.condition("Progressing"), "False");
  EXPECT_FALSE(cluster.has_event("ScopeChangeCompleted"));
}

TEST(Scope, Case20AStuckDeletionIsWaitedForAndTold) {
  SimulatedCluster cluster = published("AWS");
  cluster.is_deletion_stuck = true;
  cluster.delete_service();
  const std::string since = format_rfc3339(cluster.now);
  cluster.settle();
  EXPECT_EQ(cluster.settle(), "") << "nothing is tried again and again";
  EXPECT_EQ(cluster.creations, 1);
  EXPECT_NE(cluster.message("Progressing").find("deletion in progress since " + since), std::string::npos);
  EXPECT_EQ(cluster.message("Progressing").find('`'), std::string::npos) << "no commands";
  EXPECT_EQ(cluster.message("Progressing").find("finalizers"), std::string::npos) << "it may take its time";
  EXPECT_EQ(cluster.condition("LoadBalancerReady"), "False WaitingForServiceDeletion");
  cluster.pass(std::chrono::seconds(100));
  cluster.settle();
  const auto plan = decide(cluster.observe());
  ASSERT_TRUE(plan.wake_at);
  // Degraded conditions are looked at every minute; whatever comes first must not be later than the deadline.
  EXPECT_LE(*plan.wake_at, cluster.now + cluster.settings->patience);
  cluster.pass(cluster.settings->patience);
  cluster.settle();
  EXPECT_NE(cluster.message("Progressing").find("service.kubernetes.io/load-balancer-cleanup"),
            std::string::npos)
      << cluster.message("Progressing");
}

TEST(Scope, Cases46To48TheLegacyValueIsNormalisedInPlace) {
  for (const bool has_consent : {false, true}) {
    SimulatedCluster cluster = published("AWS", "Internal");
    if (has_consent) cluster.annotate();
    cluster.edit_service([](json::Object& service) {
      kube::set_annotation(service, kAwsProfile.key, "0.0.0.0/0");
      kube::remove_annotation(service, kCreatedScope);
    });
    const std::string uid = uid_of(cluster);
    cluster.settle();
    EXPECT_EQ(cluster.annotation(kAwsProfile.key), "true");
    EXPECT_EQ(uid_of(cluster), uid);
    EXPECT_EQ(cluster.condition("Progressing"), "False");
    EXPECT_TRUE(cluster.deletions.empty());
  }
  SimulatedCluster cluster = published("AWS", "Internal");
  cluster.edit_service(
      [](json::Object& service) { kube::set_annotation(service, kAwsProfile.key, "0.0.0.0/0"); });
  cluster.set_scope("External");
  cluster.settle();
  EXPECT_EQ(cluster.annotation(kAwsProfile.key), "true");
  EXPECT_TRUE(cluster.message("Progressing")
                  .starts_with("The IngressController scope was changed from \"Internal\" to \"External\"."));
}

TEST(Scope, Case49AServiceOfSomebodyElseIsLeftAlone) {
  SimulatedCluster cluster("AWS");
  cluster.put(*json::parse_object(R"({"kind":"Service","apiVersion":"v1","metadata":{"name":"router-custom",
    "namespace":"openshift-ingress","labels":{"example.test/foreign":""}},"spec":{"type":"LoadBalancer"}})"));
  cluster.is_provisioning = false;
  const json::Object before = *cluster.service();
  cluster.create(kName, load_balancer("External"));
  cluster.annotate();
  cluster.set_scope("Internal");
  cluster.settle();
  EXPECT_EQ(*cluster.service(), before);
  EXPECT_EQ(cluster.condition("LoadBalancerReady"), "False ConflictingService");
  EXPECT_NE(cluster.message("LoadBalancerReady").find("openshift-ingress/router-custom"), std::string::npos);
  EXPECT_TRUE(cluster.has_event("ConflictingService"));
  EXPECT_TRUE(cluster.violations.empty());
  cluster.remove();
  cluster.settle();
  EXPECT_EQ(*cluster.service(), before) << "not even when the controller goes: case 84";
}

TEST(Scope, Case50TheInternalServiceOfAnotherControllerIsNotOurs) {
  SimulatedCluster cluster("AWS");
  cluster.create("default", load_balancer("External"));
  cluster.settle("default");
  const json::Object before =
      cluster.objects.at(testing::key_text("Service", kOperandNamespace, "router-internal-default"));
  cluster.create("internal-default", load_balancer("External"));
  cluster.settle("internal-default");
  EXPECT_EQ(cluster.objects.at(testing::key_text("Service", kOperandNamespace, "router-internal-default")),
            before);
  EXPECT_EQ(cluster.condition("LoadBalancerReady", "internal-default"), "False ConflictingService");
}

TEST(Scope, Case52TheRecordFollowsTheNewAddress) {
  SimulatedCluster cluster = published("AWS");
  const std::string key = testing::key_text("DNSRecord", kOperatorNamespace, "custom-wildcard");
  const std::string first = address_of(*cluster.service());
  EXPECT_EQ(json::serialize(*json::find(cluster.objects.at(key), {"spec", "targets"})),
            fmt::format("[\"{}\"]", first));
  EXPECT_EQ(json::get_string(cluster.objects.at(key), {"spec", "dnsName"}), "*.custom.harbour.example.");
  EXPECT_EQ(json::get_string(cluster.objects.at(key), {"spec", "recordType"}), "A");
  cluster.set_scope("Internal");
  cluster.settle();
  cluster.delete_service();
  cluster.settle();
  const std::string second = address_of(*cluster.service());
  EXPECT_NE(second, first);
  EXPECT_EQ(json::serialize(*json::find(cluster.objects.at(key), {"spec", "targets"})),
            fmt::format("[\"{}\"]", second));
  EXPECT_EQ(cluster.condition("DNSReady"), "True NoFailedZones");
  EXPECT_EQ(cluster.condition("Available"), "True");
}

TEST(Scope, Gap14ARecordThatPointsElsewhereIsNotReady) {
  SimulatedCluster cluster = published("AWS");
  Observed seen = cluster.observe();
  json::Object record = *seen.record;
  record["spec"].get_object()["targets"] = json::Array{"192.0.2.1"};
  seen.record = std::make_shared<const json::Object>(std::move(record));
  const kube::Conditions conditions = wanted_status(seen).conditions;
  EXPECT_EQ(kube::find_condition(conditions, "DNSReady")->reason, "RecordOutdated");
  EXPECT_EQ(kube::find_condition(conditions, "Available")->status, "False");
}

TEST(Scope, Case68AHandMadeEditOnAnImmutablePlatformIsReported) {
  SimulatedCluster cluster = published("AWS");
  cluster.edit_service([](json::Object& service) { kube::set_annotation(service, kAwsProfile.key, "true"); });
  cluster.settle();
  EXPECT_EQ(cluster.annotation(kAwsProfile.key), "true") << "not removed";
  EXPECT_TRUE(cluster.message("Progressing")
                  .starts_with("The IngressController scope was changed from \"Internal\" to \"External\"."));
}

// Gap 7: the annotation is silenced by hand, the load balancer is still public.
TEST(Scope, Gap7AnEditedAnnotationDoesNotPassForAChange) {
  SimulatedCluster cluster = published("AWS");
  cluster.set_scope("Internal");
  cluster.settle();
  cluster.edit_service([](json::Object& service) { kube::set_annotation(service, kAwsProfile.key, "true"); });
  cluster.settle();
  EXPECT_EQ(cluster.condition("Progressing"), "True ScopeUnverified");
  EXPECT_EQ(cluster.condition("ScopeVerified"), "False ScopeUnverified");
  cluster.annotate();
  cluster.settle();
  EXPECT_TRUE(cluster.deletions.empty()) << "what is only doubted is not deleted";
  cluster.delete_service();
  cluster.settle();
  EXPECT_EQ(cluster.condition("Progressing"), "False");
  EXPECT_EQ(cluster.condition("ScopeVerified"), "absent");
}

TEST(Scope, Case69AKeyOfAnotherPlatformMeansNothing) {
  SimulatedCluster cluster = published("Azure");
  cluster.edit_service([](json::Object& service) { kube::set_annotation(service, kAwsProfile.key, "true"); });
  cluster.settle();
  EXPECT_EQ(cluster.annotation(kAwsProfile.key), "true");
  EXPECT_EQ(cluster.condition("Progressing"), "False");
  const auto warnings = standing_warnings(cluster.observe());
  ASSERT_EQ(warnings.size(), 1U);
  EXPECT_EQ(warnings[0].reason, "ForeignScopeAnnotation");
}

TEST(Scope, Case70AValueThatMeansNothingIsExternalAndDoubted) {
  SimulatedCluster cluster = published("AWS");
  cluster.edit_service([](json::Object& service) { kube::set_annotation(service, kAwsProfile.key, "yes"); });
  cluster.settle();
  EXPECT_EQ(cluster.condition("Progressing"), "False");
  EXPECT_EQ(cluster.condition("ScopeVerified"), "False ScopeUnverified");
}

}  // namespace
}  // namespace fairway::ingress
