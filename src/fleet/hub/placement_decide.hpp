// The decision about one Placement or PlacementRule: which clusters it chooses, and what is written about it.
// Pure, total, deterministic.
//
// A choice is kept as far as it still fits: a cluster stays in the decision object that names it, so that one
// more cluster costs one write, however many there are. What cannot be understood changes nothing.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "fleet/hub/placement_request.hpp"
#include "kube/core/object.hpp"
#include "kube/core/plan.hpp"

namespace fairway::fleet {

inline constexpr std::size_t kDecisionsEach = 100;  // what the API allows in one object

// A cluster set that is bound to the placement's namespace.
struct BoundSet {
  std::string name = {};
  kube::Selector members = {};
};

struct PlacementObserved {
  using Object = std::shared_ptr<const json::Object>;

  kube::ObjectKey key = {};
  Object placement = {};                                 // null: it is gone
  std::shared_ptr<const PlacementRequest> request = {};  // never null when there is one
  std::vector<Object> decisions = {};                    // that carry its label
  std::vector<Cluster> candidates = {};                  // all that can match, each once, by name
  std::optional<std::vector<BoundSet>> sets = {};        // nothing: every cluster may be chosen
  bool has_members = true;                               // whether those sets have any cluster
  WallTime now = {};
};

struct CreateDecision {
  json::Object object;
  std::vector<std::string> clusters;
};
struct WriteDecision {
  kube::ObjectKey key;
  std::string resource_version;
  std::vector<std::string> clusters;
};
struct DeleteDecision {
  kube::ObjectKey key;
  std::string uid;
};
struct WritePlacementStatus {
  PlacementKind kind = PlacementKind::Placement;
  kube::ObjectKey key;
  std::string resource_version;
  json::Object status;  // the members that differ: a merge patch
};
using PlacementAction = std::variant<CreateDecision, WriteDecision, DeleteDecision, WritePlacementStatus>;
std::string describe(const PlacementAction& action);
// Decisions side by side, then what is said of them.
std::size_t stage_of(const PlacementAction& action);

kube::Plan<PlacementAction> decide_placement(const PlacementObserved& seen);

// status.decisions of a PlacementDecision or a PlacementRule, in their order.
std::vector<std::string> decided_clusters(const json::Object& object);
json::Array decision_rows(const std::vector<std::string>& clusters);
// The placement that a decision belongs to: its owner's name, or its label.
std::string placement_of(const json::Object& decision);

}  // namespace fairway::fleet
