// The life of load balancers, as the specification's simulated cloud (section 5.3) and Kubernetes' service
// controller have it.
#include "cloud/decide.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "base/text.hpp"
#include "cloud/decide_testing.hpp"

namespace fairway::cloud {
namespace {

using std::chrono::seconds;
using testing::kKey;
using testing::kOther;
using testing::SimulatedCluster;

SimulatedCluster published(std::string_view platform, Scope scope = Scope::External) {
  SimulatedCluster cluster(platform);
  cluster.create(kKey, scope);
  cluster.settle_in_time();
  return cluster;
}

TEST(Provisioning, FinalizerFirstThenTheWorkThenTheAddress) {
  SimulatedCluster cluster("Azure");
  cluster.create();
  const std::string story = cluster.settle_in_time();
  const std::string address = cluster.record()->address;
  EXPECT_EQ(story,
            fmt::format("add the cleanup finalizer of openshift-ingress/router-custom\n"
                        "openshift-ingress/router-custom: begin to create the External load balancer {0}\n"
                        "after 1s: the load balancer is being made\n"
                        "serve openshift-ingress/router-custom at {0}, External\n"
                        "openshift-ingress/router-custom: the External load balancer {0} is there\n"
                        "publish openshift-ingress/router-custom as {0}\n",
                        address));
  EXPECT_EQ(cluster.events, (std::vector<std::string>{"EnsuringLoadBalancer", "EnsuredLoadBalancer"}));
  EXPECT_EQ(cluster.published(), address);
  EXPECT_EQ(cluster.annotated(kScopeAnnotation), "External");
  EXPECT_TRUE(kube::has_finalizer(*cluster.service(), kCleanupFinalizer));
}

TEST(Provisioning, NothingIsServedOrPublishedBeforeItsTime) {
  SimulatedCluster cluster("Azure");
  cluster.settings->profile.delays.provision = seconds(30);
  cluster.create();
  cluster.settle();
  const WallTime begun = cluster.now;
  for (const int second : {0, 29}) {
    cluster.now = begun + seconds(second);
    EXPECT_EQ(cluster.settle(), "") << second;
    EXPECT_EQ(decide(cluster.observe()).wake_at, begun + seconds(30)) << "exactly";
  }
  EXPECT_TRUE(cluster.serving.empty());
  EXPECT_EQ(cluster.published(), "");
  cluster.now = begun + seconds(30);
  cluster.settle();
  EXPECT_EQ(cluster.serving.size(), 1U);
  EXPECT_NE(cluster.published(), "");
}

// Addresses by scope, as IP address or host name by profile.
struct FormCase {
  std::string_view platform;
  bool is_hostname;
  bool is_marked;  // internal-…
};
class EveryPlatform : public ::testing::TestWithParam<FormCase> {};
INSTANTIATE_TEST_SUITE_P(Profiles, EveryPlatform,
                         ::testing::Values(FormCase{"AWS", true, true}, FormCase{"Azure", false, false},
                                           FormCase{"GCP", false, false}, FormCase{"IBMCloud", true, false},
                                           FormCase{"PowerVS", true, false},
                                           FormCase{"AlibabaCloud", false, false},
                                           FormCase{"OpenStack", false, false}),
                         [](const auto& each) { return std::string(each.param.platform); });

TEST_P(EveryPlatform, TheScopeChoosesTheRangeAndTheProfileTheForm) {
  for (const Scope scope : {Scope::External, Scope::Internal}) {
    SimulatedCluster cluster = published(GetParam().platform, scope);
    const LoadBalancer made = *cluster.record();
    EXPECT_EQ(made.scope, scope);
    EXPECT_TRUE(cluster.settings->range(scope).contains(made.address)) << made.address;
    EXPECT_EQ(cluster.annotated(kScopeAnnotation), to_string(scope));
    const json::Value* point = json::find(*cluster.service(), {"status", "loadBalancer", "ingress"});
    ASSERT_NE(point, nullptr);
    EXPECT_EQ(point->get_array()[0].get_object().contains("hostname"), GetParam().is_hostname);
    EXPECT_EQ(point->get_array()[0].get_object().contains("ip"), !GetParam().is_hostname);
    EXPECT_EQ(cluster.published().starts_with("internal-"), GetParam().is_marked && scope == Scope::Internal);
  }
}

// Cases 1 to 8: whether a live load balancer follows its annotation.
TEST_P(EveryPlatform, AnAnnotationThatIsEditedOnALiveOne) {
  SimulatedCluster cluster = published(GetParam().platform);
  const LoadBalancer before = *cluster.record();
  const std::string address = cluster.published();
  cluster.set_scope(Scope::Internal);
  cluster.settle_in_time();
  const LoadBalancer after = *cluster.record();
  if (cluster.settings->profile.is_mutable) {
    EXPECT_EQ(after.scope, Scope::Internal);
    EXPECT_TRUE(cluster.settings->internal.contains(cluster.published()));
    EXPECT_EQ(cluster.serving.at(kKey).address, after.address);
  } else {
    EXPECT_EQ(after.scope, Scope::External) << "as the real ones, it ignores the edit";
    EXPECT_EQ(after.address, before.address);
    EXPECT_EQ(cluster.published(), address);
    EXPECT_EQ(cluster.annotated(kScopeAnnotation), "External") << "which everybody can see";
    EXPECT_EQ(cluster.serving.at(kKey).scope, Scope::External);
    EXPECT_FALSE(decide(cluster.observe()).notes.empty());
  }
  EXPECT_EQ(cluster.events.back(), "EnsuredLoadBalancer");
}

TEST(Platforms, WithoutAScopeThereIsNothingButExternal) {
  for (const char* platform : {"BareMetal", "None", "VSphere", "Nutanix", "External", "Libvirt"}) {
    SimulatedCluster cluster = published(platform);
    cluster.edit([](json::Object& service) {
      kube::set_annotation(service, "service.beta.kubernetes.io/aws-load-balancer-internal", "true");
    });
    cluster.settle_in_time();
    EXPECT_EQ(cluster.record()->scope, Scope::External) << platform;
  }
}

TEST(Platforms, OnlyTheOwnKeyWithItsExactValueMeansInternal) {
  const auto scope = [](std::string_view platform, const char* annotations) {
    const json::Object service =
        *json::parse_object(fmt::format(R"({{"metadata":{{"annotations":{}}}}})", annotations));
    return asked_scope(service, *find_profile(platform));
  };
  EXPECT_EQ(scope("AWS", R"({"service.beta.kubernetes.io/aws-load-balancer-internal":"true"})"),
            Scope::Internal);
  EXPECT_EQ(scope("AWS", R"({"service.beta.kubernetes.io/aws-load-balancer-internal":"0.0.0.0/0"})"),
            Scope::Internal);
  EXPECT_EQ(scope("AWS", R"({"service.beta.kubernetes.io/aws-load-balancer-internal":"yes"})"),
            Scope::External);
  EXPECT_EQ(scope("AWS", R"({"service.beta.kubernetes.io/aws-load-balancer-internal":""})"), Scope::External);
  EXPECT_EQ(scope("Azure", R"({"service.beta.kubernetes.io/azure-load-balancer-internal":""})"),
            Scope::External);
  EXPECT_EQ(scope("Azure", R"({"service.beta.kubernetes.io/aws-load-balancer-internal":"true"})"),
            Scope::External);
  EXPECT_EQ(scope("IBMCloud", "{}"), Scope::External);
}

TEST(Platforms, ProxyHeadersAreAskedForAsEachCloudHasIt) {
  const auto header = [](std::string_view platform, const char* annotations) {
    const json::Object service =
        *json::parse_object(fmt::format(R"({{"metadata":{{"annotations":{}}}}})", annotations));
    return asked_proxy_header(service, *find_profile(platform));
  };
  constexpr const char* kClassic = R"({"service.beta.kubernetes.io/aws-load-balancer-proxy-protocol":"*"})";
  EXPECT_EQ(header("AWS", kClassic), ProxyHeader::V1);
  EXPECT_EQ(header("Azure", kClassic), ProxyHeader::None);
  EXPECT_EQ(header("AWS", R"({"service.beta.kubernetes.io/aws-load-balancer-type":"nlb",
    "service.beta.kubernetes.io/aws-load-balancer-proxy-protocol":"*"})"),
            ProxyHeader::None);
  EXPECT_EQ(header("AWS", R"({"service.beta.kubernetes.io/aws-load-balancer-type":"nlb",
    "service.beta.kubernetes.io/aws-load-balancer-target-group-attributes":"a=b, proxy_protocol_v2.enabled=true"})"),
            ProxyHeader::V2);
  EXPECT_EQ(header("IBMCloud", R"({"service.kubernetes.io/ibm-load-balancer-cloud-provider-enable-features":
    "proxy-protocol"})"),
            ProxyHeader::V1);
}

// Case 105: the old address serves until the change is complete.
TEST(Changing, TheOldAddressServesUntilTheNewOneDoes) {
  SimulatedCluster cluster = published("Azure");
  cluster.settings->profile.delays.mutate = seconds(30);
  const std::string old = cluster.published();
  cluster.set_scope(Scope::Internal);
  cluster.settle();
  const WallTime begun = cluster.now;
  cluster.now = begun + seconds(29);
  EXPECT_EQ(cluster.settle(), "");
  EXPECT_EQ(cluster.published(), old);
  EXPECT_EQ(cluster.serving.at(kKey).address, old);
  EXPECT_EQ(cluster.annotated(kScopeAnnotation), "External");
  EXPECT_EQ(decide(cluster.observe()).wake_at, begun + seconds(30));
  cluster.now = begun + seconds(30);
  cluster.settle();
  EXPECT_TRUE(cluster.settings->internal.contains(cluster.published()));
  EXPECT_EQ(cluster.serving.at(kKey).scope, Scope::Internal);
  EXPECT_EQ(cluster.external.holder_of(old), std::nullopt) << "back in the pool";
}

TEST(Changing, OneThatIsTakenBackIsDropped) {
  SimulatedCluster cluster = published("GCP");
  const std::string old = cluster.published();
  cluster.set_scope(Scope::Internal);
  cluster.settle();
  cluster.set_scope(Scope::External);
  cluster.settle();
  EXPECT_EQ(cluster.published(), old);
  EXPECT_EQ(cluster.record()->operation, std::nullopt);
  EXPECT_EQ(cluster.internal.held(), 0U);
  EXPECT_EQ(cluster.events.back(), "EnsuredLoadBalancer");
}

TEST(Changing, AnAddressThatIsKeptIsKept) {
  SimulatedCluster cluster = published("Azure");
  cluster.settings->profile.keeps_address = true;
  const std::string old = cluster.published();
  cluster.set_scope(Scope::Internal);
  cluster.settle_in_time();
  EXPECT_EQ(cluster.published(), old);
  EXPECT_EQ(cluster.record()->scope, Scope::Internal);
  EXPECT_EQ(cluster.serving.at(kKey).scope, Scope::Internal);
}

// Case 106.
TEST(Changing, AFailureIsToldAndTheOldAddressKeepsServing) {
  SimulatedCluster cluster = published("Azure");
  const std::string old = cluster.published();
  cluster.events.clear();
  cluster.faults.fail_changes = 2;
  cluster.set_scope(Scope::Internal);
  cluster.settle();
  EXPECT_EQ(cluster.events, (std::vector<std::string>{"EnsuringLoadBalancer", "SyncLoadBalancerFailed"}));
  EXPECT_EQ(cluster.serving.at(kKey).address, old);
  EXPECT_EQ(cluster.published(), old);
  cluster.settle_in_time();
  EXPECT_TRUE(cluster.settings->internal.contains(cluster.published())) << "without anybody's help";
}

TEST(Updating, PortsRangesAndForeignAnnotationsAreFollowedAndTold) {
  SimulatedCluster cluster = published("AWS");
  cluster.events.clear();
  cluster.edit([](json::Object& service) {
    service["spec"].get_object()["loadBalancerSourceRanges"] = json::Array{"10.0.0.0/8"};
  });
  cluster.settle();
  EXPECT_EQ(cluster.serving.at(kKey).source_ranges, std::vector<std::string>{"10.0.0.0/8"});
  EXPECT_EQ(cluster.events, (std::vector<std::string>{"EnsuringLoadBalancer", "EnsuredLoadBalancer"}));
  cluster.events.clear();
  EXPECT_EQ(cluster.settle(), "");
  cluster.edit([](json::Object& service) { kube::set_label(service, "example.test/mine", "1"); });
  EXPECT_EQ(cluster.settle(), "") << "a label is nothing to a load balancer";
}

// Cases 16 and 111.
TEST(Deleting, StopsServingTakesItsTimeAndGivesEverythingBack) {
  SimulatedCluster cluster = published("Azure");
  const std::string address = cluster.published();
  cluster.events.clear();
  cluster.remove();
  EXPECT_EQ(cluster.settle_in_time(),
            fmt::format("stop serving openshift-ingress/router-custom\n"
                        "openshift-ingress/router-custom: begin to delete the External load balancer {}\n"
                        "after 1s: the load balancer is being deleted\n"
                        "publish no address of openshift-ingress/router-custom\n"
                        "remove the finalizer of openshift-ingress/router-custom\n",
                        address));
  EXPECT_EQ(cluster.service(), nullptr);
  EXPECT_EQ(cluster.external.held(), 0U);
  EXPECT_TRUE(cluster.serving.empty());
  EXPECT_EQ(cluster.events, (std::vector<std::string>{"DeletingLoadBalancer", "DeletedLoadBalancer"}));
}

TEST(Deleting, FollowsAChangeOfType) {
  SimulatedCluster cluster = published("AWS");
  cluster.edit([](json::Object& service) { service["spec"].get_object()["type"] = "ClusterIP"; });
  cluster.settle_in_time();
  EXPECT_FALSE(kube::has_finalizer(*cluster.service(), kCleanupFinalizer));
  EXPECT_EQ(cluster.annotated(kRecordAnnotation), "");
  EXPECT_EQ(cluster.annotated(kScopeAnnotation), "");
  EXPECT_EQ(cluster.published(), "");
  EXPECT_TRUE(cluster.serving.empty());
  EXPECT_EQ(cluster.settle(), "");
  // And back: a new one.
  cluster.edit([](json::Object& service) { service["spec"].get_object()["type"] = "LoadBalancer"; });
  cluster.settle_in_time();
  EXPECT_TRUE(cluster.record()->is_live());
}

TEST(Deleting, WhatIsWantedAgainWhileItGoesIsMadeAnew) {
  SimulatedCluster cluster = published("AWS");
  cluster.edit([](json::Object& service) { service["spec"].get_object()["type"] = "ClusterIP"; });
  cluster.settle();
  ASSERT_EQ(cluster.record()->operation->kind, Operation::Kind::Delete);
  cluster.edit([](json::Object& service) { service["spec"].get_object()["type"] = "LoadBalancer"; });
  cluster.set_scope(Scope::Internal);
  cluster.settle_in_time();
  EXPECT_EQ(cluster.record()->scope, Scope::Internal);
  EXPECT_TRUE(cluster.published().starts_with("internal-"));
}

// Case 81.
TEST(Deleting, FailuresAreToldAndTriedAgainWithGrowingPauses) {
  SimulatedCluster cluster = published("AWS");
  cluster.faults.fail_deletes = 3;
  cluster.events.clear();
  cluster.remove();
  std::vector<Duration> pauses;
  for (int i = 0; i < 3; ++i) {
    cluster.settle();
    EXPECT_EQ(cluster.events.back(), "DeleteLoadBalancerFailed");
    const auto wake = decide(cluster.observe()).wake_at;
    ASSERT_TRUE(wake);
    pauses.push_back(*wake - cluster.now);
    cluster.now = *wake;
  }
  EXPECT_EQ(pauses, (std::vector<Duration>{seconds(5), seconds(10), seconds(20)}));
  cluster.settle_in_time();
  EXPECT_EQ(cluster.service(), nullptr) << "without anybody's help";
}

// Case 20.
TEST(Deleting, AStuckOneStaysStuckWithoutBusyWork) {
  SimulatedCluster cluster = published("AWS");
  cluster.faults.stuck_deletes = true;
  cluster.remove();
  cluster.settle();
  cluster.pass(std::chrono::hours(10));
  const auto plan = decide(cluster.observe());
  EXPECT_TRUE(plan.actions.empty());
  EXPECT_EQ(plan.wake_at, std::nullopt);
  cluster.faults.stuck_deletes = false;
  cluster.settle();
  EXPECT_EQ(cluster.service(), nullptr);
}

TEST(Failing, PausesGrowFromFiveSecondsToFiveMinutes) {
  std::vector<std::int64_t> pauses;
  for (int failures = 1; failures <= 8; ++failures)
    pauses.push_back(std::chrono::duration_cast<seconds>(retry_pause(failures)).count());
  EXPECT_EQ(pauses, (std::vector<std::int64_t>{5, 10, 20, 40, 80, 160, 300, 300}));
}

TEST(Failing, AChangeOfTheServiceIsTriedAtOnce) {
  SimulatedCluster cluster("AWS");
  cluster.faults.fail_creates = 1;
  cluster.create();
  cluster.settle();
  ASSERT_EQ(cluster.record(), std::nullopt);
  EXPECT_EQ(cluster.settle(), "") << "it waits";
  cluster.set_scope(Scope::Internal);
  cluster.settle();
  EXPECT_NE(cluster.record(), std::nullopt);
}

TEST(Failing, AnExhaustedQuotaIsToldUntilThereIsRoom) {
  SimulatedCluster cluster = published("AWS");
  cluster.faults.quota = 1;
  cluster.create(kOther);
  cluster.settle(kOther);
  EXPECT_EQ(cluster.events.back(), "SyncLoadBalancerFailed");
  EXPECT_EQ(cluster.record(kOther), std::nullopt);
  cluster.remove(kKey);
  cluster.settle_in_time(kKey);
  cluster.settle_in_time(kOther);
  EXPECT_TRUE(cluster.record(kOther)->is_live());
}

TEST(Failing, AnExhaustedRangeIsTold) {
  SimulatedCluster cluster("Azure");
  std::size_t made = 0;
  for (int i = 0; i < 7; ++i) {
    const kube::ObjectKey key{"apps", fmt::format("s{}", i)};
    cluster.create(key);
    cluster.settle(key);
    if (cluster.record(key)) ++made;
  }
  EXPECT_EQ(made, cluster.settings->external.size());
  EXPECT_EQ(cluster.events.back(), "SyncLoadBalancerFailed");
}

TEST(Failing, ALostStatusWriteIsWrittenAgain) {
  SimulatedCluster cluster("Azure");
  cluster.faults.lose_status_writes = 1;
  cluster.create();
  const std::string story = cluster.settle_in_time();
  EXPECT_NE(story.find("failed: the write was lost"), std::string::npos) << story;
  EXPECT_NE(cluster.published(), "");
}

TEST(Restarting, TheSameLoadBalancersComeBackAtTheSameAddresses) {
  SimulatedCluster cluster = published("Azure");
  const json::Object before = *cluster.service();
  const Frontend served = cluster.serving.at(kKey);
  cluster.serving.clear();
  cluster.attempts.clear();
  EXPECT_EQ(cluster.settle(),
            fmt::format("serve openshift-ingress/router-custom at {}, External\n", served.address));
  EXPECT_EQ(*cluster.service(), before) << "nothing is written";
  EXPECT_EQ(cluster.serving.at(kKey), served);
}

TEST(Restarting, WorkThatWasUnderWayGoesOnWhereItWas) {
  SimulatedCluster cluster("Azure");
  cluster.settings->profile.delays.provision = seconds(30);
  cluster.create();
  cluster.settle();
  const WallTime begun = cluster.now;
  const std::string address = cluster.record()->address;
  cluster.pass(seconds(20));
  cluster.serving.clear();
  EXPECT_EQ(decide(cluster.observe()).wake_at, begun + seconds(30));
  cluster.settle_in_time();
  EXPECT_EQ(cluster.published(), address);
}

TEST(Leaving, OtherImplementationsAreLeftAlone) {
  SimulatedCluster cluster("AWS");
  cluster.create();
  cluster.edit([](json::Object& service) {
    service["spec"].get_object()["loadBalancerClass"] = "example.com/lb";
    kube::add_finalizer(service, kCleanupFinalizer);
  });
  EXPECT_EQ(cluster.settle(), "");
  cluster.remove();
  EXPECT_EQ(cluster.settle(), "") << "the finalizer is theirs";
}

TEST(Leaving, ACopyDoesNotOwnItsOriginalsLoadBalancer) {
  SimulatedCluster cluster = published("Azure");
  const std::string record = cluster.annotated(kRecordAnnotation);
  const std::string address = cluster.published();
  cluster.create(kOther);
  cluster.edit([&](json::Object& service) { kube::set_annotation(service, kRecordAnnotation, record); },
               kOther);
  cluster.settle_in_time(kOther);
  EXPECT_NE(cluster.published(kOther), address);
  EXPECT_EQ(cluster.published(), address);
}

TEST(Leaving, ARecordThatCannotBeReadOrIsOfOtherRangesIsNone) {
  for (const char* text :
       {"", "{", "[]", R"({"uid":"UID","address":"8.8.8.8","scope":"External"})",
        R"({"uid":"UID","address":"here","scope":"External"})",
        R"({"uid":"UID","address":"127.203.0.1","scope":"Sideways"})",
        R"({"uid":"UID","address":"127.203.0.1","scope":"External","operation":{"kind":"Create"}})"}) {
    SimulatedCluster cluster("Azure");
    cluster.create();
    cluster.edit([&](json::Object& service) {
      kube::set_annotation(service, kRecordAnnotation, replace_all(text, "UID", kube::uid_of(service)));
    });
    cluster.settle_in_time();
    EXPECT_TRUE(cluster.settings->external.contains(cluster.published())) << text;
  }
}

TEST(Leaving, AServiceThatVanishedIsServedNoMore) {
  SimulatedCluster cluster = published("Azure");
  cluster.edit([](json::Object& service) { kube::remove_finalizer(service, kCleanupFinalizer); });
  cluster.remove();
  ASSERT_EQ(cluster.service(), nullptr);
  EXPECT_EQ(cluster.settle(), "stop serving openshift-ingress/router-custom\n");
  EXPECT_EQ(cluster.external.held(), 0U);
}

TEST(Saying, EventsHaveTheServiceControllersWords) {
  SimulatedCluster cluster("AWS");
  cluster.faults.quota = 0;
  cluster.create();
  cluster.settle();
  const auto service = cluster.observe().service;
  EXPECT_EQ(
      events_of(Refuse{service, Operation::Kind::Create, "the quota of 0 load balancers is exhausted"}),
      (std::vector<EventText>{
          {false, "EnsuringLoadBalancer", "Ensuring load balancer"},
          {true, "SyncLoadBalancerFailed",
           "Error syncing load balancer: failed to ensure load balancer: the quota of 0 load balancers is "
           "exhausted"}}));
  EXPECT_EQ(events_of(Refuse{service, Operation::Kind::Delete, "busy"})[1].message,
            "Error deleting load balancer: busy");
}

}  // namespace
}  // namespace fairway::cloud
