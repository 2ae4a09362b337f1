// Defaults, admission and status: cases 21 to 40 and 53 of the specification.
#include <gtest/gtest.h>

#include "ingress/decide_testing.hpp"
#include "ingress/operands.hpp"

namespace fairway::ingress {
namespace {

using testing::kName;
using testing::load_balancer;
using testing::published;
using testing::SimulatedCluster;
using testing::uid_of;

const PublishingStrategy& strategy_of(const SimulatedCluster& cluster) {
  return *cluster.controller().status.endpoint_publishing_strategy;
}
TEST(Status, Cases21And22TheDefaultStrategyIsThePlatforms) {
  for (const Platform& platform : platforms()) {
    SimulatedCluster cluster(platform.name);
    cluster.create();
    cluster.settle();
    const PublishingStrategy& strategy = strategy_of(cluster);
    if (platform.is_default_load_balancer) {
      EXPECT_EQ(strategy.type, kLoadBalancerService) << platform.name;
      ASSERT_TRUE(strategy.load_balancer);
      EXPECT_EQ(strategy.load_balancer->scope, "External");
      EXPECT_EQ(strategy.load_balancer->dns_management_policy, "Managed");
      EXPECT_NE(cluster.service(), nullptr);
    } else {
      EXPECT_EQ(strategy.type, kHostNetwork) << platform.name;
      ASSERT_TRUE(strategy.host_network);
      EXPECT_EQ(json::serialize(json::to_object(*strategy.host_network)),
                R"({"protocol":"TCP","httpPort":80,"httpsPort":443,"statsPort":1936})");
      EXPECT_EQ(cluster.service(), nullptr);
    }
  }
  EXPECT_EQ(std::ranges::count(platforms(), true, &Platform::is_default_load_balancer), 6);
}

TEST(Status, Cases23And24NilAndEmptyMeanExternal) {
  for (const auto& load_balancer_asked :
       {std::optional<LoadBalancerStrategy>(), std::optional(LoadBalancerStrategy{})}) {
    SimulatedCluster cluster("AWS");
    cluster.create(kName, PublishingStrategy{.type = std::string(kLoadBalancerService),
                                             .load_balancer = load_balancer_asked});
    cluster.settle();
    EXPECT_EQ(strategy_of(cluster).load_balancer->scope, "External");
    EXPECT_EQ(cluster.condition("Progressing"), "False");
  }
}

TEST(Status, Case25ANulledLoadBalancerIsRepaired) {
  SimulatedCluster cluster = published("AWS", "Internal");
  const IngressControllerStatus before = cluster.controller().status;
  const std::string uid = uid_of(cluster);
  cluster.change(
      [](IngressController& edited) { edited.status.endpoint_publishing_strategy->load_balancer.reset(); });
  cluster.settle();
  EXPECT_EQ(strategy_of(cluster), *before.endpoint_publishing_strategy);
  EXPECT_EQ(uid_of(cluster), uid);
}

TEST(Status, Cases26And35ATamperedScopeIsCorrected) {
  SimulatedCluster cluster = published("AWS");
  const json::Object before = *cluster.service();
  cluster.change([](IngressController& edited) {
    edited.status.endpoint_publishing_strategy->load_balancer->scope = "Internal";
  });
  const std::string story = cluster.settle();
  EXPECT_EQ(story, "write the status: scope External\n");
  EXPECT_EQ(*cluster.service(), before);
}

TEST(Status, Cases27And28ASpecThatFallsSilentIsAWishForExternal) {
  for (const bool is_all_removed : {false, true}) {
    SimulatedCluster cluster = published("AWS", "Internal");
    cluster.change([&](IngressController& edited) {
      if (is_all_removed) {
        edited.spec.endpoint_publishing_strategy.reset();
      } else {
        edited.spec.endpoint_publishing_strategy->load_balancer.reset();
      }
    });
    cluster.settle();
    EXPECT_EQ(strategy_of(cluster).load_balancer->scope, "External");
    EXPECT_TRUE(
        cluster.message("Progressing")
            .starts_with("The IngressController scope was changed from \"Internal\" to \"External\"."));
    EXPECT_NE(cluster.message("Progressing")
                  .find(R"({"type":"LoadBalancerService","loadBalancer":{"scope":"Internal"}})"),
              std::string::npos);
  }
}

TEST(Status, Case29TheTypeOfAStrategyNeverChanges) {
  SimulatedCluster cluster = published("AWS", "Internal");
  const json::Object before = *cluster.service();
  cluster.change([](IngressController& edited) {
    edited.spec.endpoint_publishing_strategy = PublishingStrategy{.type = std::string(kHostNetwork)};
  });
  cluster.annotate();
  cluster.settle();
  EXPECT_EQ(strategy_of(cluster).type, kLoadBalancerService);
  EXPECT_EQ(*cluster.service(), before);
  EXPECT_TRUE(cluster.deletions.empty());
}

TEST(Status, Case32ADomainThatIsTakenIsRejected) {
  SimulatedCluster cluster = published("AWS");
  cluster.create("second", load_balancer("External"));
  cluster.change([](IngressController& edited) { edited.spec.domain = "custom.harbour.example"; }, "second");
  const std::string story = cluster.settle("second");
  EXPECT_EQ(story, "write the status: not published by a load balancer\n");
  EXPECT_EQ(cluster.condition("Admitted", "second"), "False Invalid");
  EXPECT_EQ(cluster.message("Admitted", "second"), "conflicts with: custom");
  EXPECT_EQ(cluster.service("second"), nullptr);
  EXPECT_TRUE(cluster.has_event("Rejected"));
  EXPECT_EQ(cluster.controller("second").status.observed_generation,
            cluster.controller("second").metadata.generation)
      << "case 36";
  cluster.remove();
  cluster.settle();
  cluster.settle("second");
  EXPECT_EQ(cluster.condition("Admitted", "second"), "True Valid") << "the domain is free again";
}

TEST(Status, OtherObjectionsAreAllTold) {
  SimulatedCluster cluster("AWS");
  cluster.config.ingress_domain = "";
  cluster.create();
  cluster.change([](IngressController& edited) {
    edited.spec.domain = "";
    edited.spec.unknown = *json::parse_object(
        R"({"tuningOptions":{"headerBufferBytes":16384,"headerBufferMaxRewriteBytes":16384},
            "tlsSecurityProfile":{"type":"Custom"}})");
  });
  cluster.settle();
  EXPECT_EQ(
      cluster.message("Admitted"),
      "domain is required; invalid spec.tlsSecurityProfile: a custom profile names at least one cipher; "
      "invalid spec.tuningOptions: headerBufferMaxRewriteBytes (16384) must be smaller than "
      "headerBufferBytes (16384)");
}

TEST(Status, Case33StatusThenFinalizerThenTheRest) {
  SimulatedCluster cluster("AWS");
  cluster.create();
  EXPECT_EQ(cluster.settle_alone().substr(0, 250),
            std::string("write the status: scope External\n"
                        "add the finalizer of custom\n"
                        "write the status: scope External, progressing: IngressControllerProgressing\n"
                        "create Namespace openshift-ingress\n"
                        "create ConfigMap openshift-ingress/router-custom\n"
                        "create Deployment openshift-ingress/router-custom\n")
                .substr(0, 250));
  EXPECT_TRUE(cluster.has_event("Admitted"));
}

TEST(Status, Case34WithoutAChangeNothingIsWritten) {
  for (const char* platform : {"AWS", "Azure", "IBMCloud", "BareMetal"}) {
    SimulatedCluster cluster = published(platform);
    const int writes = cluster.writes;
    for (int i = 0; i < 10; ++i) {
      cluster.pass(std::chrono::minutes(10));
      EXPECT_EQ(cluster.settle(), "") << platform;
    }
    EXPECT_EQ(cluster.writes, writes);
  }
}

TEST(Status, Case36TheGenerationIsFollowed) {
  SimulatedCluster cluster = published("AWS");
  cluster.set_scope("Internal");
  cluster.settle();
  EXPECT_EQ(cluster.controller().metadata.generation, 2);
  EXPECT_EQ(cluster.controller().status.observed_generation, 2);
}

// BZ1904582: controllers of the first release have a type and nothing else, and were made internal.
TEST(Bz1904582, Cases37To40ALoadBalancerWithoutParticularsStaysExternal) {
  for (const std::string_view platform : {kAws, kAzure, kGcp, kIbmCloud}) {
    for (const bool has_consent : {false, true}) {
      SimulatedCluster cluster(platform);
      cluster.create();
      cluster.settle();
      if (has_consent) cluster.annotate();
      cluster.change([](IngressController& edited) {
        edited.spec.endpoint_publishing_strategy.reset();
        edited.status.endpoint_publishing_strategy =
            PublishingStrategy{.type = std::string(kLoadBalancerService)};
      });
      cluster.edit_service([&](json::Object& service) {
        kube::remove_annotation(service, cluster.config.platform->scope->key);
        kube::remove_annotation(service, kCreatedScope);
      });
      const std::string uid = uid_of(cluster);
      cluster.settle();
      EXPECT_EQ(uid_of(cluster), uid) << platform;
      EXPECT_EQ(observed_scope(*cluster.service(), *cluster.config.platform), Scope::External);
      EXPECT_EQ(cluster.annotation(cluster.config.platform->scope->key), "absent");
      EXPECT_EQ(strategy_of(cluster).load_balancer->scope, "External");
      EXPECT_EQ(cluster.condition("Progressing"), "False");
      EXPECT_TRUE(cluster.deletions.empty());
    }
  }
}

TEST(Status, Case53NothingIsAssumedOfAStatusWithoutALoadBalancer) {
  SimulatedCluster cluster = published("AWS");
  cluster.change(
      [](IngressController& edited) { edited.status.endpoint_publishing_strategy->load_balancer.reset(); });
  const kube::Plan<Action> plan = decide(cluster.observe());
  ASSERT_EQ(plan.actions.size(), 1U);
  EXPECT_EQ(describe(plan.actions[0]), "write the status: scope External");
}

TEST(Status, AWithoutAPlatformNothingIsTouched) {
  SimulatedCluster cluster("AWS");
  cluster.config.platform = nullptr;
  cluster.config.platform_name = "Moon";
  cluster.create();
  const auto plan = decide(cluster.observe());
  EXPECT_TRUE(plan.actions.empty());
  ASSERT_EQ(plan.notes.size(), 1U);
  EXPECT_NE(plan.notes[0].find("\"Moon\""), std::string::npos);
}

TEST(Status, TheDefaultControllerIsMadeWithReplicas) {
  SimulatedCluster cluster("AWS");
  const auto plan = decide(cluster.observe("default"));
  ASSERT_EQ(plan.actions.size(), 1U);
  EXPECT_EQ(json::get_int(std::get<CreateOperand>(plan.actions[0]).object, {"spec", "replicas"}), 2);
  cluster.config.infrastructure_topology = "SingleReplica";
  EXPECT_EQ(json::get_int(default_controller(cluster.config), {"spec", "replicas"}), 1);
  cluster.config.control_plane_topology = "External";
  EXPECT_TRUE(decide(cluster.observe("default")).actions.empty());
  EXPECT_TRUE(decide(cluster.observe("another")).actions.empty());
}

TEST(Status, ControllersOfOtherNamespacesAreLeftAlone) {
  SimulatedCluster cluster("AWS");
  cluster.create();
  cluster.change([](IngressController& edited) { edited.metadata.namespace_ = "elsewhere"; });
  EXPECT_TRUE(decide(cluster.observe()).actions.empty());
}

TEST(Status, DnsIsManagedOnlyBelowTheBaseDomain) {
  struct Case {
    std::string_view platform;
    std::string domain;
    std::string base;
    std::string_view policy;
  };
  for (const Case& each : {Case{"AWS", "apps.harbour.example", "harbour.example", "Managed"},
                           Case{"AWS", "apps.harbour.example.", "harbour.example.", "Managed"},
                           Case{"AWS", "appsharbour.example", "harbour.example", "Unmanaged"},
                           Case{"GCP", "apps.elsewhere.example", "harbour.example", "Unmanaged"},
                           Case{"Azure", "apps.elsewhere.example", "harbour.example", "Managed"},
                           Case{"Azure", "apps.harbour.example", "", "Unmanaged"},
                           Case{"OpenStack", "apps.harbour.example", "harbour.example", "Unmanaged"}}) {
    SimulatedCluster cluster(each.platform);
    cluster.config.base_domain = each.base;
    cluster.create(kName, load_balancer("External"));
    cluster.change([&](IngressController& edited) { edited.spec.domain = each.domain; });
    cluster.settle();
    EXPECT_EQ(strategy_of(cluster).load_balancer->dns_management_policy, each.policy)
        << each.platform << " " << each.domain;
    EXPECT_EQ(cluster.has_event("DomainNotMatching"),
              each.policy == "Unmanaged" && each.platform != "OpenStack");
  }
}

TEST(Status, TheKindOfAnAwsLoadBalancerIsInferredOnce) {
  SimulatedCluster cluster("AWS");
  cluster.config.aws_type = "NLB";
  cluster.create();
  cluster.settle();
  EXPECT_EQ(strategy_of(cluster).load_balancer->provider_parameters->aws->type, "NLB");
  cluster.config.aws_type = "Classic";
  EXPECT_EQ(cluster.settle(), "") << "admitted: no longer inferred";
}

TEST(Status, WhatIsNotKnownIsKept) {
  const char* text =
      R"({"metadata":{"name":"x"},"spec":{"endpointPublishingStrategy":{"type":"LoadBalancerService","loadBalancer":)"
      R"({"scope":"Internal","dnsManagementPolicy":"Managed","providerParameters":{"type":"AWS","aws":{"type":)"
      R"("Classic","classicLoadBalancer":{"connectionIdleTimeout":"2m0s","later":1},"later":2},"later":3},"later":4})"
      R"(,"later":5},"later":6},"status":{"availableReplicas":0,"selector":"","domain":"","observedGeneration":0,)"
      R"("later":7}})";
  const auto read = json::from_json<IngressController>(*json::parse(text));
  ASSERT_TRUE(read) << read.error().describe();
  EXPECT_TRUE(json::same_value(json::to_object(*read), *json::parse_object(text)))
      << json::serialize(json::to_object(*read));
}

}  // namespace
}  // namespace fairway::ingress
