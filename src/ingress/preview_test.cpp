#include "ingress/preview.hpp"

#include <gtest/gtest.h>

#include "ingress/consent.hpp"
#include "ingress/decide_testing.hpp"

namespace fairway::ingress {
namespace {

using testing::published;
using testing::SimulatedCluster;

TEST(Preview, ARecreationSaysWhatItCosts) {
  SimulatedCluster cluster = published("AWS");
  cluster.edit_service(
      [](json::Object& service) { kube::set_annotation(service, "example.test/mine", "yes"); });
  EXPECT_EQ(
      to_text(preview_scope(cluster.observe(), Scope::Internal)),
      "IngressController custom on AWS: scope External to Internal\n"
      "how:      a new Service and a new load balancer; this platform cannot change an existing one\n"
      "address:  203.0.113.1 is given up; the new one is of another range\n"
      "outage:   from the deletion of the Service until the new load balancer is ready and DNS follows it\n"
      "consent:  yours: nothing happens until you run `oc -n openshift-ingress delete svc/router-custom`\n"
      "lost:     annotation example.test/mine\n"
      "change:   oc -n openshift-ingress-operator patch ingresscontrollers/custom --type=merge "
      "--patch='{\"spec\":{\"endpointPublishingStrategy\":{\"type\":\"LoadBalancerService\",\"loadBalancer\":"
      "{\"scope\":\"Internal\"}}}}'\n"
      "back:     oc -n openshift-ingress-operator patch ingresscontrollers/custom --type=merge "
      "--patch='{\"spec\":{\"endpointPublishingStrategy\":{\"type\":\"LoadBalancerService\",\"loadBalancer\":"
      "{\"scope\":\"External\"}}}}'\n");
  cluster.annotate();
  const std::string consented = to_text(preview_scope(cluster.observe(), Scope::Internal));
  EXPECT_NE(
      consented.find("consent:  given: the IngressController carries "
                     "ingress.operator.openshift.io/auto-delete-load-balancer; the operator deletes the "
                     "Service at once\n"),
      std::string::npos)
      << consented;
  cluster.change(
      [](IngressController& edited) { edited.metadata.annotations[std::string(kAutoDeleteDryRun)] = ""; });
  const std::string held = to_text(preview_scope(cluster.observe(), Scope::Internal));
  EXPECT_TRUE(held.contains("consent:  given, and held back. The annotation ")) << held;
}

TEST(Preview, OnAzureTheWayOutIsWarnedOfWhenItMayBeLost) {
  EXPECT_EQ(preview_scope(published("Azure").observe(), Scope::Internal).warnings.size(), 1U);
  EXPECT_TRUE(preview_scope(published("Azure", "Internal").observe(), Scope::External).warnings.empty());
  EXPECT_TRUE(preview_scope(published("GCP").observe(), Scope::Internal).warnings.empty());
}

TEST(Preview, EveryWayIsTold) {
  struct Case {
    std::string_view platform;
    std::string_view have;
    Scope want;
    ScopePreview::Way way;
  };
  using enum ScopePreview::Way;
  for (const Case& each :
       {Case{"AWS", "External", Scope::External, Nothing}, Case{"AWS", "Internal", Scope::External, Recreate},
        Case{"Azure", "External", Scope::Internal, InPlace},
        Case{"GCP", "Internal", Scope::External, InPlace},
        Case{"IBMCloud", "External", Scope::Internal, Recreate},
        Case{"BareMetal", "External", Scope::Internal, Unsupported},
        Case{"BareMetal", "External", Scope::External, Nothing}}) {
    const ScopePreview preview = preview_scope(published(each.platform, each.have).observe(), each.want);
    EXPECT_EQ(to_string(preview.way), to_string(each.way)) << each.platform;
    EXPECT_EQ(preview.warnings.empty(), each.platform != "Azure");
    EXPECT_EQ(json::get_string(to_json(preview), {"way"}), to_string(each.way));
  }
  SimulatedCluster cluster("BareMetal");
  cluster.create();
  cluster.settle();
  EXPECT_EQ(preview_scope(cluster.observe(), Scope::Internal).way, NotPublished);
}

TEST(Preview, TheOverviewShowsWhatWaitsForSomebody) {
  SimulatedCluster cluster = published("AWS");
  cluster.set_scope("Internal");
  cluster.settle();
  const Standing standing = standing_of(cluster.observe());
  EXPECT_EQ(standing.wanted, "Internal");
  EXPECT_EQ(standing.has, "External");
  const std::string text = to_text(std::vector{standing});
  EXPECT_TRUE(
      text.starts_with("NAME    DOMAIN                  STRATEGY             SCOPE     SERVICE   ADDRESS     "
                       " AVAILABLE  PROGRESSING\n"
                       "custom  custom.harbour.example  LoadBalancerService  Internal  External  203.0.113.1 "
                       " True       ScopeChanged\n"
                       "\ncustom: The IngressController scope was changed"))
      << text;
}

}  // namespace
}  // namespace fairway::ingress
