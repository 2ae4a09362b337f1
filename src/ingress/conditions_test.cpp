// What is told: cases 94 to 101 and 104 of the specification.
#include "ingress/conditions.hpp"

#include <gtest/gtest.h>

#include "ingress/decide_testing.hpp"
#include "ingress/service_keys.hpp"
#include "ingress/texts.hpp"

namespace fairway::ingress {
namespace {

using std::chrono::hours;
using std::chrono::seconds;
using testing::kName;
using testing::load_balancer;
using testing::published;
using testing::SimulatedCluster;

void edit_deployment(SimulatedCluster& cluster, const std::function<void(json::Object&)>& edit) {
  json::Object& deployment =
      cluster.objects.at(testing::key_text("Deployment", kOperandNamespace, router_name(kName)));
  edit(deployment["status"].get_object());
}

TEST(Conditions, Case94APendingChangeIsNotAFailure) {
  SimulatedCluster cluster = published("AWS");
  cluster.set_scope("Internal");
  cluster.settle();
  cluster.pass(hours(2));
  cluster.settle();
  EXPECT_EQ(cluster.condition("Available"), "True");
  EXPECT_EQ(cluster.condition("Degraded"), "False");
  EXPECT_EQ(cluster.condition("Progressing"), "True ScopeChanged");
}

TEST(Conditions, Case95APendingChangeAndARollOutAreBothTold) {
  SimulatedCluster cluster = published("AWS");
  cluster.set_scope("Internal");
  cluster.settle();
  const std::string alone = cluster.message("Progressing");
  edit_deployment(cluster, [](json::Object& status) { status["updatedReplicas"] = 1; });
  cluster.settle();
  EXPECT_EQ(cluster.condition("Progressing"), "True ScopeChanged");
  EXPECT_EQ(
      cluster.message("Progressing"),
      alone +
          " One or more status conditions indicate progressing: DeploymentRollingOut=True "
          "(DeploymentRollingOut: Waiting for router deployment rollout to finish: 1 old replica(s) are "
          "pending termination...\n)");
}

TEST(Conditions, Case96StartingPodsAreNoProgress) {
  SimulatedCluster cluster = published("AWS");
  edit_deployment(cluster, [](json::Object& status) { status["availableReplicas"] = 1; });
  cluster.settle();
  EXPECT_EQ(cluster.condition("DeploymentRollingOut"), "True PodsStarting");
  EXPECT_EQ(cluster.condition("Progressing"), "False");
  EXPECT_EQ(cluster.condition("DeploymentReplicasAllAvailable"), "False DeploymentReplicasNotAvailable");
  EXPECT_EQ(cluster.message("DeploymentReplicasMinAvailable"),
            "1/2 of replicas are available, max unavailable is 0");
}

TEST(Conditions, Case97NoService) {
  SimulatedCluster cluster = published("AWS");
  cluster.objects.erase(testing::service_key(kName));
  const kube::Conditions conditions = wanted_status(cluster.observe()).conditions;
  EXPECT_EQ(kube::find_condition(conditions, "LoadBalancerProgressing")->reason, "NoService");
  EXPECT_EQ(kube::find_condition(conditions, "LoadBalancerProgressing")->message,
            "LoadBalancer Service not created.");
  EXPECT_EQ(kube::find_condition(conditions, "LoadBalancerReady")->reason, "ServiceNotFound");
}

TEST(Conditions, Case98AnAddressThatDoesNotComeIsDegradedAfterItsGrace) {
  SimulatedCluster cluster("AWS");
  cluster.is_provisioning = false;
  cluster.create(kName, load_balancer("External"));
  cluster.settle();
  EXPECT_EQ(cluster.condition("LoadBalancerReady"), "False LoadBalancerPending");
  const WallTime since = *kube::find_condition(cluster.controller().status.conditions, "LoadBalancerReady")
                              ->last_transition_time;
  cluster.now = since + seconds(89);
  cluster.settle();
  EXPECT_EQ(cluster.condition("Degraded"), "False");
  const auto plan = decide(cluster.observe());
  EXPECT_EQ(plan.wake_at, since + seconds(91));
  cluster.now = since + seconds(91);
  cluster.settle();
  EXPECT_EQ(cluster.condition("Degraded"), "True DegradedConditions");
  EXPECT_EQ(cluster.message("Degraded"),
            "One or more other status conditions indicate a degraded state: LoadBalancerReady=False "
            "(LoadBalancerPending: The LoadBalancer service is pending)");
}

TEST(Conditions, Case99AFailureOfTheCloudIsQuoted) {
  SimulatedCluster cluster("AWS");
  cluster.is_provisioning = false;
  cluster.cloud.sync_failure = "Error syncing load balancer: no quota";
  cluster.create(kName, load_balancer("External"));
  cluster.settle();
  EXPECT_EQ(cluster.condition("LoadBalancerReady"), "False SyncLoadBalancerFailed");
  EXPECT_NE(cluster.message("LoadBalancerReady").find("no quota"), std::string::npos);
}

TEST(Conditions, Case100OtherStrategiesManageNoLoadBalancer) {
  for (const std::string_view type : {kHostNetwork, kNodePortService, kPrivate}) {
    SimulatedCluster cluster("AWS");
    cluster.create(kName, PublishingStrategy{.type = std::string(type)});
    cluster.settle();
    EXPECT_EQ(cluster.condition("LoadBalancerManaged"),
              "False EndpointPublishingStrategyExcludesManagedLoadBalancer");
    EXPECT_EQ(cluster.condition("LoadBalancerProgressing"), "False LoadBalancerNotProgressing");
    EXPECT_EQ(cluster.condition("DNSManaged"), "False UnsupportedEndpointPublishingStrategy");
    EXPECT_EQ(cluster.condition("Available"), "True");
    EXPECT_EQ(cluster.service(), nullptr);
    EXPECT_EQ(
        cluster.objects.contains(testing::key_text("Service", kOperandNamespace, "router-nodeport-custom")),
        type == kNodePortService);
  }
}

TEST(Conditions, Case101TwoPendingChangesAreAList) {
  SimulatedCluster cluster = published("AWS");
  cluster.change([](IngressController& edited) {
    auto& wanted = *edited.spec.endpoint_publishing_strategy->load_balancer;
    wanted.scope = "Internal";
    wanted.provider_parameters = ProviderParameters{.type = "AWS", .aws = AwsParameters{.type = "NLB"}};
  });
  cluster.settle();
  const std::string message = cluster.message("LoadBalancerProgressing");
  EXPECT_TRUE(
      message.starts_with("One or more managed resources are progressing: [The IngressController scope was "
                          "changed from \"External\" to \"Internal\"."))
      << message;
  EXPECT_NE(message.find(", The IngressController loadBalancer.providerParameters.aws.type was changed from "
                         "\"Classic\" to \"NLB\"."),
            std::string::npos);
  EXPECT_TRUE(message.ends_with("]"));
  EXPECT_EQ(listed({"a", "b", "a"}), "[a, b]");
  EXPECT_EQ(listed({"a", "a"}), "a");
}

TEST(Conditions, Case104ARefusedCorrectionBlocksUpgrades) {
  SimulatedCluster cluster = published("AWS");
  cluster.edit_service(
      [](json::Object& service) { kube::set_annotation(service, keys::kAwsInterval, "77"); });
  cluster.service_refusal = "admission webhook denied the request";
  cluster.settle();
  EXPECT_EQ(cluster.condition("Upgradeable"), "False OperandsNotUpgradeable");
  EXPECT_NE(cluster.message("Upgradeable").find("is \"77\", expected \"5\""), std::string::npos)
      << cluster.message("Upgradeable");
  cluster.service_refusal.clear();
  cluster.settle();
  EXPECT_EQ(cluster.condition("Upgradeable"), "True Upgradeable");
  EXPECT_EQ(cluster.annotation(keys::kAwsInterval), "5");
}

TEST(Conditions, ZonesOfTheRecordCount) {
  SimulatedCluster cluster = published("AWS");
  json::Object& record =
      cluster.objects.at(testing::key_text("DNSRecord", kOperatorNamespace, record_name(kName)));
  const auto dns_ready = [&](const char* zones) {
    record["status"] = *json::parse(zones);
    const kube::Conditions conditions = wanted_status(cluster.observe()).conditions;
    return kube::find_condition(conditions, "DNSReady")->reason;
  };
  EXPECT_EQ(dns_ready(R"({})"), "NoZones");
  EXPECT_EQ(
      dns_ready(R"({"zones":[{"dnsZone":{"id":"Z"},"conditions":[{"type":"Published","status":"False"}]}]})"),
      "FailedZones");
  EXPECT_EQ(
      dns_ready(R"({"zones":[{"dnsZone":{"id":"Z"},"conditions":[{"type":"Failed","status":"False"}]}]})"),
      "NoFailedZones");
  EXPECT_EQ(dns_ready(R"({"zones":[{"dnsZone":{"id":"Z"}}]})"), "UnknownZones");
}

}  // namespace
}  // namespace fairway::ingress
