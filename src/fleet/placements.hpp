// The two objects that make a policy enforce on a batch: a placement that names its clusters and a restricted
// binding, in the policy's namespace. Pure.
//
// Names are the same at every look: the suffix is the rollout's annotation or comes of its UID. A placement
// also says which batch it is for, so that opening a batch changes its version and no stale write gets in.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "fleet/types.hpp"
#include "json/value.hpp"

namespace fairway::fleet {

inline constexpr std::string_view kAppLabel = "app";
inline constexpr std::string_view kAppName = "openshift-cluster-group-upgrades";
inline constexpr std::string_view kRolloutLabel = "openshift-cluster-group-upgrades/clusterGroupUpgrade";
inline constexpr std::string_view kRolloutNamespaceLabel =
    "openshift-cluster-group-upgrades/clusterGroupUpgradeNamespace";
inline constexpr std::string_view kPolicyLabel = "openshift-cluster-group-upgrades/forPolicy";
inline constexpr std::string_view kNotBackedUpLabel = "velero.io/exclude-from-backup";
inline constexpr std::string_view kDesiredName = "cluster-group-upgrades-operator/rname";
inline constexpr std::string_view kBatchAnnotation = "rollout.fairway.dev/batch";

enum class PlacementKind { Placement, PlacementRule };
std::string_view to_string(PlacementKind kind);
std::string_view api_group(PlacementKind kind);

// The rollout's annotation, or five characters that come of its UID and the key.
std::string name_suffix(const ClusterGroupUpgrade& rollout, std::string_view key);
// "cgu-policy-placement" in lower case, before it is cut and given its suffix.
std::string desired_name(std::string_view rollout, std::string_view policy);
// At most 253 characters together with the namespace.
std::string safe_name(std::string_view desired, std::string_view suffix, std::string_view ns);

// What belongs to one policy of a rollout.
struct PlacementName {
  std::string key;   // namespace/desired name, as in status.safeResourceNames
  std::string name;  // of both objects
};
PlacementName placement_name(const ClusterGroupUpgrade& rollout, const PolicyReference& policy);

json::Object desired_placement(const ClusterGroupUpgrade& rollout, const PolicyReference& policy,
                               PlacementKind kind);
json::Object desired_binding(const ClusterGroupUpgrade& rollout, const PolicyReference& policy,
                             PlacementKind kind);

// Of either kind.
std::vector<std::string> clusters_in(const json::Object& placement);
std::int64_t batch_of(const json::Object& placement);  // 0: not yet for any
// A merge patch after which the placement names exactly these clusters, for this batch.
json::Object clusters_patch(const json::Object& placement, const std::vector<std::string>& clusters,
                            std::int64_t batch);
// The same, done to one that is still to be made.
void name_clusters(json::Object& placement, const std::vector<std::string>& clusters, std::int64_t batch);
// A merge patch that puts right what is ours of labels, annotations and spec; empty when all is. The clusters
// that a placement names are never part of it.
json::Object repair_patch(const json::Object& have, const json::Object& want);

// Why a placement that names clusters selects none; nothing when it does, or when nobody has looked yet.
std::optional<std::string> waiting_message(const json::Object& placement);

}  // namespace fairway::fleet
