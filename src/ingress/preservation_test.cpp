// What users set on the Service stays theirs, what is managed is put right: cases 41 to 45 and 54 to 71 of
// the specification.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "ingress/decide_testing.hpp"
#include "ingress/service_keys.hpp"

namespace fairway::ingress {
namespace {

using testing::kName;
using testing::load_balancer;
using testing::published;
using testing::SimulatedCluster;

void set_ranges(SimulatedCluster& cluster, const char* range) {
  cluster.edit_service([&](json::Object& service) {
    json::ensure_object(service, {"spec"})["loadBalancerSourceRanges"] = json::Array{range};
  });
}
std::string ranges(const SimulatedCluster& cluster) {
  const json::Value* found = json::find(*cluster.service(), {"spec", "loadBalancerSourceRanges"});
  return found == nullptr ? "absent" : json::serialize(*found);
}

TEST(Bz1906267, Case41SourceRangesSetByHandAreKept) {
  SimulatedCluster cluster = published("AWS");
  set_ranges(cluster, "10.0.0.0/8");
  const json::Object before = *cluster.service();
  for (int i = 0; i < 10; ++i) {
    cluster.pass(std::chrono::minutes(10));
    cluster.settle();
  }
  EXPECT_EQ(*cluster.service(), before);
  EXPECT_EQ(cluster.condition("EvaluationConditionsDetected"), "True OperandsEvaluationConditionsDetected");
  EXPECT_EQ(cluster.controller().status.endpoint_publishing_strategy->load_balancer->allowed_source_ranges,
            std::vector<std::string>{"10.0.0.0/8"});
}

TEST(Bz1906267, Case42TheyAreKeptByAChangeInPlace) {
  SimulatedCluster cluster = published("Azure");
  set_ranges(cluster, "10.0.0.0/8");
  cluster.set_scope("Internal");
  cluster.settle();
  EXPECT_EQ(ranges(cluster), R"(["10.0.0.0/8"])");
  EXPECT_EQ(cluster.annotation("service.beta.kubernetes.io/azure-load-balancer-internal"), "true");
}

TEST(Bz1906267, Case43TheAnnotationCountsAsWell) {
  SimulatedCluster cluster = published("AWS");
  cluster.edit_service([](json::Object& service) {
    kube::set_annotation(service, kSourceRangesAnnotation, "10.0.0.0/8, 192.0.2.0/24");
  });
  cluster.settle();
  EXPECT_EQ(cluster.annotation(kSourceRangesAnnotation), "10.0.0.0/8, 192.0.2.0/24");
  EXPECT_EQ(cluster.controller().status.endpoint_publishing_strategy->load_balancer->allowed_source_ranges,
            (std::vector<std::string>{"10.0.0.0/8", "192.0.2.0/24"}));
  EXPECT_EQ(cluster.condition("EvaluationConditionsDetected"), "True OperandsEvaluationConditionsDetected");
  EXPECT_NE(cluster.message("LoadBalancerProgressing").find("AllowedSourceRanges API field"),
            std::string::npos);
}

TEST(Bz1906267, Cases44And45TheSpecWinsWhileItSpeaks) {
  SimulatedCluster cluster = published("AWS");
  set_ranges(cluster, "10.0.0.0/8");
  cluster.edit_service(
      [](json::Object& service) { kube::set_annotation(service, kSourceRangesAnnotation, "192.0.2.0/24"); });
  const auto ask = [&](std::vector<std::string> list) {
    cluster.change([&](IngressController& edited) {
      edited.spec.endpoint_publishing_strategy->load_balancer->allowed_source_ranges = std::move(list);
    });
    cluster.settle();
  };
  ask({"198.51.100.0/24"});
  EXPECT_EQ(ranges(cluster), R"(["198.51.100.0/24"])");
  EXPECT_EQ(cluster.annotation(kSourceRangesAnnotation), "absent");
  EXPECT_EQ(cluster.condition("EvaluationConditionsDetected"), "False NoEvaluationCondition");
  ask({});
  EXPECT_EQ(ranges(cluster), R"(["198.51.100.0/24"])") << "kept, and reported";
  EXPECT_EQ(cluster.condition("EvaluationConditionsDetected"), "True OperandsEvaluationConditionsDetected");
}

// Cases 54 to 63: each field of the user's survives two changes of scope in place.
TEST(Preservation, Cases54To63WhatUsersSetSurvivesTwoChanges) {
  const char* edits[] = {
      R"({"spec":{"clusterIP":"10.96.0.7"}})",
      R"({"spec":{"ports":[{"name":"http","port":80,"nodePort":30080},{"name":"https","port":443,"nodePort":30443}]}})",
      R"({"spec":{"healthCheckNodePort":31000}})",
      R"({"spec":{"externalIPs":["192.0.2.9"]}})",
      R"({"spec":{"externalTrafficPolicy":"Cluster"}})",
      R"({"spec":{"sessionAffinity":"ClientIP"}})",
      R"({"spec":{"ports":[{"name":"http","port":80},{"name":"https","port":443},{"name":"more","port":8443}]}})",
      R"({"metadata":{"annotations":{"example.test/mine":"yes"}}})",
      R"({"metadata":{"labels":{"example.test/team":"blue"}}})",
      R"({"metadata":{"finalizers":["example.test/hold"]}})"};
  for (const char* platform : {"Azure", "GCP"}) {
    for (const char* edit : edits) {
      SimulatedCluster cluster = published(platform);
      const json::Object patch = *json::parse_object(edit);
      cluster.edit_service([&](json::Object& service) {
        for (const auto& part : patch)
          for (const auto& field : part.value().get_object())
            json::ensure_object(service, {part.key()})[field.key()] =
                field.key() == "annotations" || field.key() == "labels" ? [&] {
                  json::Object merged = *json::get_object(service, {part.key(), field.key()});
                  for (const auto& each : field.value().get_object()) merged[each.key()] = each.value();
                  return json::Value(merged);
                }()
                                                                        : field.value();
      });
      cluster.is_provisioning = false;  // nobody but the operator writes
      const json::Object before = *cluster.service();
      for (const char* scope : {"Internal", "External"}) {
        cluster.set_scope(scope);
        cluster.settle();
      }
      json::Object after = *cluster.service();
      json::Object expected = before;
      for (json::Object* each : {&after, &expected}) {
        json::remove(each->at("metadata").get_object(), "resourceVersion");
        kube::remove_annotation(*each, kScopeChange);
      }
      EXPECT_EQ(json::serialize(after), json::serialize(expected)) << platform << " " << edit;
    }
  }
}

TEST(Preservation, Case64AManagedKeyThatWasDeletedComesBack) {
  SimulatedCluster cluster = published("AWS");
  cluster.edit_service([](json::Object& service) { kube::remove_annotation(service, keys::kAwsInterval); });
  EXPECT_EQ(cluster.settle(),
            "update Service openshift-ingress/router-custom: {\"metadata\":{\"annotations\":{\"" +
                std::string(keys::kAwsInterval) + "\":\"5\"}}}\n");
  EXPECT_EQ(cluster.annotation(keys::kAwsInterval), "5");
}

TEST(Preservation, Case65AManagedKeyIsCorrectedOrRemoved) {
  SimulatedCluster cluster = published("AWS");
  const auto edit = [&] {
    cluster.edit_service(
        [](json::Object& service) { kube::set_annotation(service, keys::kAwsIdleTimeout, "7"); });
    cluster.settle();
  };
  edit();
  EXPECT_EQ(cluster.annotation(keys::kAwsIdleTimeout), "absent");
  cluster.change([](IngressController& edited) {
    edited.spec.endpoint_publishing_strategy->load_balancer->provider_parameters = ProviderParameters{
        .type = "AWS",
        .aws = AwsParameters{.type = "Classic",
                             .classic_load_balancer =
                                 ClassicLoadBalancer{.connection_idle_timeout = std::chrono::seconds(90)}}};
  });
  edit();
  EXPECT_EQ(cluster.annotation(keys::kAwsIdleTimeout), "90");
}

TEST(Preservation, HealthThresholdsAreSetOnceAndThenTheUsers) {
  SimulatedCluster cluster = published("AWS");
  EXPECT_EQ(cluster.annotation(keys::kAwsTimeout), "4");
  EXPECT_EQ(cluster.annotation(keys::kAwsHealthy), "2");
  cluster.edit_service([](json::Object& service) { kube::set_annotation(service, keys::kAwsTimeout, "9"); });
  EXPECT_EQ(cluster.settle(), "");
  EXPECT_EQ(cluster.annotation(keys::kAwsTimeout), "9");
}

TEST(Preservation, ResourceTagsOfTheClusterAreFollowed) {
  SimulatedCluster cluster = published("AWS");
  EXPECT_EQ(cluster.annotation(keys::kAwsTags), "absent");
  cluster.config.aws_tags = {{"department", "pilotage"}, {"berth", "4"}};
  cluster.settle();
  EXPECT_EQ(cluster.annotation(keys::kAwsTags), "department=pilotage,berth=4");
}

TEST(Preservation, Case66GlobalAccessGoesWithTheScope) {
  SimulatedCluster cluster("GCP");
  PublishingStrategy strategy = load_balancer("Internal");
  strategy.load_balancer->provider_parameters =
      ProviderParameters{.type = "GCP", .gcp = GcpParameters{.client_access = "Global"}};
  cluster.create(kName, strategy);
  cluster.settle();
  const auto both = [&] {
    return cluster.annotation("cloud.google.com/load-balancer-type") + " " +
           cluster.annotation(keys::kGcpGlobalAccess);
  };
  EXPECT_EQ(both(), "Internal true");
  cluster.set_scope("External");
  cluster.settle();
  EXPECT_EQ(both(), "absent absent");
  cluster.set_scope("Internal");
  cluster.settle();
  EXPECT_EQ(both(), "Internal true");
}

TEST(Preservation, Case71BothEditsSurviveAConflict) {
  SimulatedCluster cluster = published("Azure");
  cluster.set_scope("Internal");
  while (true) {
    const kube::Plan<Action> plan = decide(cluster.observe());
    ASSERT_FALSE(plan.actions.empty());
    const bool is_update = std::holds_alternative<UpdateService>(plan.actions.back());
    if (is_update)
      cluster.edit_service(
          [](json::Object& service) { kube::set_annotation(service, "example.test/mine", "yes"); });
    const Result<void> done = cluster.act(plan.actions.front());
    if (!std::holds_alternative<UpdateService>(plan.actions.front())) continue;
    EXPECT_EQ(done.error().code, ErrorCode::Conflict);
    break;
  }
  cluster.settle();
  EXPECT_EQ(cluster.annotation("example.test/mine"), "yes");
  EXPECT_EQ(cluster.annotation("service.beta.kubernetes.io/azure-load-balancer-internal"), "true");
}

TEST(Preservation, AnOverrideThatCannotBeReadStopsTheServiceOnly) {
  SimulatedCluster cluster = published("AWS");
  EXPECT_EQ(cluster.annotation(kLocalWithFallback), "");
  const json::Object before = *cluster.service();
  const auto override_with = [&](const char* value) {
    cluster.change([&](IngressController& edited) {
      edited.spec.unsupported_config_overrides = json::Object{{"localWithFallback", value}};
    });
    cluster.settle();
  };
  override_with("perhaps");
  EXPECT_EQ(*cluster.service(), before);
  EXPECT_EQ(cluster.condition("LoadBalancerProgressing"), "Unknown StatusIncomplete");
  override_with("false");
  EXPECT_EQ(cluster.annotation(kLocalWithFallback), "absent");
}

}  // namespace
}  // namespace fairway::ingress
