// The propagator's decision about one root policy: which clusters have a child of it, on which of them it is
// enforced, and what the root says of them all. Pure, total, deterministic.
//
// A child is written only when its spec, labels or annotations differ, and its status never. The root's
// status is written when it says something new. Only namespaces that belong to a managed cluster are touched.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <variant>

#include "fleet/propagator_child.hpp"
#include "fleet/propagator_sets.hpp"
#include "fleet/roll_up.hpp"
#include "fleet/selection.hpp"
#include "kube/core/plan.hpp"

namespace fairway::fleet {

struct PolicyObserved {
  kube::ObjectKey key = {};
  PolicyBindings bound = {};                                                 // the root, and what binds it
  std::map<std::string, std::shared_ptr<const json::Object>> children = {};  // by namespace
  std::shared_ptr<const ClusterTable> clusters = {};                         // the fleet's; never null
};

struct CreateChild {
  json::Object object;
};
struct UpdateChild {
  json::Object object;  // as it was seen, with what is ours put right; its resourceVersion guards it
};
struct DeleteChild {
  kube::ObjectKey key;
  std::string uid;
};
using PolicyAction = std::variant<CreateChild, UpdateChild, DeleteChild, WritePolicyStatus>;
std::string describe(const PolicyAction& action);

kube::Plan<PolicyAction> decide_policy(const PolicyObserved& seen);

// The same in parts, for a change that concerns few of many clusters.
//
// The child that a cluster should have; nothing: none.
std::optional<json::Object> wanted_child(const PolicyBindings& bound, const Enforcement& enforcement,
                                         const ClusterTable& clusters, const std::string& cluster);
// From the child that there is (null: none) to the one that there should be; nothing when that is the same.
std::optional<PolicyAction> correct_child(const json::Object* have, std::optional<json::Object> want);
// Clusters that come under other rules: bound, no longer bound, enforced by another word.
std::set<std::string> changed_clusters(const Enforcement& before, const Enforcement& after);

// A policy in a cluster's namespace that came from no root: nobody may enforce through the back door.
bool is_foreign(const json::Object& policy, const ClusterTable& clusters);

}  // namespace fairway::fleet
