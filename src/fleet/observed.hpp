// Observed: all that the decision about one rollout may look at. Values, and tables that are shared.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.hpp"
#include "fleet/availability.hpp"
#include "fleet/blocking.hpp"
#include "fleet/placements.hpp"
#include "fleet/policies.hpp"
#include "fleet/selection.hpp"
#include "fleet/types.hpp"
#include "fleet/works.hpp"

namespace fairway::fleet {

struct Settings {
  PlacementKind placement_kind = PlacementKind::Placement;
  // As older controllers do: waiting for blockers and backups uses up the rollout's time.
  bool is_budget_from_enable = false;
};

struct Observed {
  using Object = std::shared_ptr<const json::Object>;

  kube::ObjectKey key = {};
  std::shared_ptr<const ClusterGroupUpgrade> rollout = {};  // null: there is none
  std::shared_ptr<const ClusterTable> clusters = {};        // the fleet's; never null
  // Null: nothing is known of any.
  std::shared_ptr<const UnavailableClusters> unavailable = {};
  Policies policies = {};                   // those that the rollout names
  Rollouts others = {};                     // its blockers, and theirs
  std::vector<Object> placements = {};      // of either kind, that carry its labels
  std::vector<Object> bindings = {};        // that carry its labels
  Works works = {};                         // of manifest works, that carry its labels
  WorkTemplates templates = {};             // those that it names, as far as they exist
  std::optional<bool> is_image_found = {};  // in the update graph; nothing: not asked
  std::string precache_problem = {};        // what is missing of the pre-cache spec
  WallTime now = {};
  std::shared_ptr<const Settings> settings = {};  // never null
};

}  // namespace fairway::fleet
