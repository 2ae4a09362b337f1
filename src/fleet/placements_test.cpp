#include "fleet/placements.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "json/patch.hpp"
#include "kube/core/names.hpp"

namespace fairway::fleet {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

ClusterGroupUpgrade rollout(std::string name = "cgu-adjust-max-conc") {
  ClusterGroupUpgrade made;
  made.metadata.name = std::move(name);
  made.metadata.namespace_ = "work";
  made.metadata.uid = "u1";
  made.metadata.annotations[std::string(kNameSuffix)] = "kuttl";
  return made;
}

const PolicyReference kPolicy{"Policy1", "default"};

json::Object patched(json::Object object, const json::Object& patch) {
  json::Value value = std::move(object);
  json::apply_merge_patch(value, patch);
  return value.get_object();
}

TEST(Placements, Case63TheSuffixOfTheAnnotation) {
  const PlacementName name = placement_name(rollout(), kPolicy);
  EXPECT_EQ(name.name, "cgu-adjust-max-conc-policy1-placement-kuttl");
  EXPECT_EQ(name.key, "default/cgu-adjust-max-conc-policy1-placement");
}

TEST(Placements, WithoutASuffixItIsTheSameAtEveryLookAndOfThisRolloutAlone) {
  ClusterGroupUpgrade one = rollout();
  one.metadata.annotations.clear();
  ClusterGroupUpgrade other = one;
  other.metadata.uid = "u2";
  EXPECT_EQ(placement_name(one, kPolicy).name, placement_name(one, kPolicy).name);
  EXPECT_NE(placement_name(one, kPolicy).name, placement_name(other, kPolicy).name);
  EXPECT_EQ(placement_name(one, kPolicy).name.size(),
            std::string("cgu-adjust-max-conc-policy1-placement-").size() + 5);
}

TEST(Placements, ANameOnRecordIsKeptAlsoInTheOldForm) {
  ClusterGroupUpgrade seen = rollout();
  seen.status.safe_resource_names["default/cgu-adjust-max-conc-policy1"] =
      "cgu-adjust-max-conc-policy1-wntb6";
  EXPECT_EQ(placement_name(seen, kPolicy).name, "cgu-adjust-max-conc-policy1-wntb6");
  seen.status.safe_resource_names["default/cgu-adjust-max-conc-policy1-placement"] = "real";
  EXPECT_EQ(placement_name(seen, kPolicy).name, "real");
}

TEST(Placements, Case64LongNamesAreCutAndStayValid) {
  const std::string name =
      safe_name(std::string(230, 'a') + ".bcdefghijk-placement", "kuttl", "default-ns-10");
  EXPECT_LE(name.size() + std::string("default-ns-10").size(), 253u);
  EXPECT_TRUE(kube::is_dns1123_subdomain(name)) << name;
  EXPECT_EQ(safe_name(std::string(240, 'p') + "...", "kuttl", "abcdef"), std::string(240, 'p') + "-kuttl");
}

TEST(Placements, BothCarryTheRolloutAndTheBindingIsRestricted) {
  const json::Object binding = desired_binding(rollout(), kPolicy, PlacementKind::Placement);
  EXPECT_EQ(json::get_string(binding, {"subFilter"}), "restricted");
  EXPECT_EQ(json::get_string(binding, {"bindingOverrides", "remediationAction"}), "enforce");
  EXPECT_EQ(json::get_string(binding, {"placementRef", "apiGroup"}), "cluster.open-cluster-management.io");
  EXPECT_EQ(kube::label(binding, kRolloutLabel), "cgu-adjust-max-conc");
  EXPECT_EQ(kube::label(binding, kRolloutNamespaceLabel), "work");
  EXPECT_EQ(kube::label(binding, kPolicyLabel), std::nullopt);
  const json::Object placement = desired_placement(rollout(), kPolicy, PlacementKind::Placement);
  EXPECT_EQ(kube::name_of(placement), kube::name_of(binding));
  EXPECT_EQ(kube::namespace_of(placement), "default");
  EXPECT_EQ(kube::label(placement, kPolicyLabel), "Policy1");
  EXPECT_EQ(kube::annotation(placement, kDesiredName), "default/cgu-adjust-max-conc-policy1-placement");
}

TEST(Placements, AnEmptyPlacementHasNoValues) {
  const json::Object empty = desired_placement(rollout(), kPolicy, PlacementKind::Placement);
  EXPECT_EQ(
      json::serialize(*json::find(empty, {"spec", "predicates"})),
      R"([{"requiredClusterSelector":{"labelSelector":{"matchExpressions":[{"key":"name","operator":"In"}]}}}])");
  EXPECT_THAT(clusters_in(empty), IsEmpty());
  EXPECT_EQ(batch_of(empty), 0);
  const json::Object filled = patched(empty, clusters_patch(empty, {"b", "a"}, 2));
  EXPECT_THAT(clusters_in(filled), ElementsAre("b", "a"));
  EXPECT_EQ(batch_of(filled), 2);
  EXPECT_THAT(clusters_in(patched(filled, clusters_patch(filled, {}, 3))), IsEmpty());
}

TEST(Placements, Case66ARuleHasNoReplicasWhenIdleAndClustersWhenActive) {
  const json::Object empty = desired_placement(rollout(), kPolicy, PlacementKind::PlacementRule);
  EXPECT_EQ(kube::api_version_of(empty), "apps.open-cluster-management.io/v1");
  EXPECT_EQ(json::serialize(*json::find(empty, {"spec"})), R"({"clusterReplicas":0})");
  const json::Object filled = patched(empty, clusters_patch(empty, {"a"}, 1));
  EXPECT_EQ(json::serialize(*json::find(filled, {"spec"})), R"({"clusters":[{"name":"a"}]})");
  EXPECT_THAT(clusters_in(filled), ElementsAre("a"));
  EXPECT_EQ(json::serialize(*json::find(patched(filled, clusters_patch(filled, {}, 2)), {"spec"})),
            R"({"clusterReplicas":0})");
}

TEST(Placements, RepairNeverTouchesTheClusters) {
  const json::Object want = desired_placement(rollout(), kPolicy, PlacementKind::Placement);
  json::Object have = patched(want, clusters_patch(want, {"a"}, 1));
  EXPECT_TRUE(repair_patch(have, want).empty());
  kube::remove_label(have, kAppLabel);
  json::remove(have["spec"].get_object(), "tolerations");
  const json::Object whole = patched(have, repair_patch(have, want));
  EXPECT_EQ(kube::label(whole, kAppLabel), kAppName);
  EXPECT_NE(json::find(whole, {"spec", "tolerations"}), nullptr);
  EXPECT_THAT(clusters_in(whole), ElementsAre("a"));
}

TEST(Placements, ANamespaceWithoutABoundSetIsTold) {
  const json::Object empty = desired_placement(rollout("c"), kPolicy, PlacementKind::Placement);
  json::Object filled = patched(empty, clusters_patch(empty, {"a"}, 1));
  EXPECT_EQ(waiting_message(filled), std::nullopt);
  filled["status"] = *json::parse(R"({"conditions":[{"type":"PlacementSatisfied","status":"False",
    "reason":"NoManagedClusterSetBindings","message":"No valid bindings"}]})");
  EXPECT_EQ(
      waiting_message(filled),
      "Placement \"c-policy1-placement-kuttl\" in namespace \"default\" cannot select clusters: No valid "
      "bindings. Create a ManagedClusterSetBinding for the \"default\" ManagedClusterSet in the policy "
      "namespace.");
}

}  // namespace
}  // namespace fairway::fleet
