// The kinds of the hub's API that its controllers read and write.
#pragma once

#include "kube/core/resource_type.hpp"

namespace fairway::fleet {

inline const kube::ResourceType kManagedClusters{
    .kind = {"cluster.open-cluster-management.io", "v1", "ManagedCluster"},
    .resource = "managedclusters",
    .is_namespaced = false};
inline const kube::ResourceType kClusterSets{
    .kind = {"cluster.open-cluster-management.io", "v1beta2", "ManagedClusterSet"},
    .resource = "managedclustersets",
    .is_namespaced = false};
inline const kube::ResourceType kClusterSetBindings{
    .kind = {"cluster.open-cluster-management.io", "v1beta2", "ManagedClusterSetBinding"},
    .resource = "managedclustersetbindings"};
inline const kube::ResourceType kPlacements{
    .kind = {"cluster.open-cluster-management.io", "v1beta1", "Placement"}, .resource = "placements"};
inline const kube::ResourceType kPlacementDecisions{
    .kind = {"cluster.open-cluster-management.io", "v1beta1", "PlacementDecision"},
    .resource = "placementdecisions"};
inline const kube::ResourceType kPlacementRules{
    .kind = {"apps.open-cluster-management.io", "v1", "PlacementRule"}, .resource = "placementrules"};
inline const kube::ResourceType kPolicies{.kind = {"policy.open-cluster-management.io", "v1", "Policy"},
                                          .resource = "policies"};
inline const kube::ResourceType kPolicySets{
    .kind = {"policy.open-cluster-management.io", "v1beta1", "PolicySet"}, .resource = "policysets"};
inline const kube::ResourceType kPlacementBindings{
    .kind = {"policy.open-cluster-management.io", "v1", "PlacementBinding"}, .resource = "placementbindings"};
inline const kube::ResourceType kClusterViews{
    .kind = {"view.open-cluster-management.io", "v1beta1", "ManagedClusterView"},
    .resource = "managedclusterviews"};
inline const kube::ResourceType kClusterActions{
    .kind = {"action.open-cluster-management.io", "v1beta1", "ManagedClusterAction"},
    .resource = "managedclusteractions"};
inline const kube::ResourceType kPreCachingConfigs{
    .kind = {"ran.openshift.io", "v1alpha1", "PreCachingConfig"}, .resource = "precachingconfigs"};
inline const kube::ResourceType kWorks{.kind = {"work.open-cluster-management.io", "v1", "ManifestWork"},
                                       .resource = "manifestworks"};
inline const kube::ResourceType kWorkTemplates{
    .kind = {"work.open-cluster-management.io", "v1alpha1", "ManifestWorkReplicaSet"},
    .resource = "manifestworkreplicasets"};
inline const kube::ResourceType kRollouts{.kind = {"ran.openshift.io", "v1alpha1", "ClusterGroupUpgrade"},
                                          .resource = "clustergroupupgrades"};

// A placement says so on its decisions, and theirs are found by it.
inline constexpr std::string_view kPlacementLabel = "cluster.open-cluster-management.io/placement";
inline constexpr std::string_view kClusterSetLabel = "cluster.open-cluster-management.io/clusterset";

}  // namespace fairway::fleet
