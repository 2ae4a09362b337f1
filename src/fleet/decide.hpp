// The decision about one rollout: from what was seen to what is done next. Pure, total, deterministic.
//
// What has been reached is written into the status before anything follows from it. Every write is guarded by
// the version that was seen; objects are deleted by their UID. A plan's actions are carried out in order and
// end at the first that fails; the next look goes on from what is on record.
#pragma once

#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "fleet/events.hpp"
#include "fleet/observed.hpp"
#include "fleet/types.hpp"
#include "kube/core/plan.hpp"

namespace fairway::fleet {

struct WriteStatus {
  std::shared_ptr<const ClusterGroupUpgrade> rollout;  // as it was seen
  ClusterGroupUpgradeStatus status;
  std::vector<RolloutEvent> events = {};  // recorded when it is written
};
struct AddFinalizer {
  std::shared_ptr<const ClusterGroupUpgrade> rollout;
  // A timeout of zero at creation means the default; one that is set later has expired.
  bool sets_default_timeout = false;
  std::vector<RolloutEvent> events = {};
};
struct RemoveFinalizer {
  std::shared_ptr<const ClusterGroupUpgrade> rollout;
};

// Created: the name must be free.
struct EnsurePlacement {
  json::Object object;
};
struct EnsureBinding {
  json::Object object;
};
// In the namespace of the cluster that it is for; one that is there already is left as it is.
struct CreateWork {
  json::Object object;
};
// What is ours of a placement or binding is put right; never which clusters it names.
struct RepairOwned {
  std::string kind;
  kube::ObjectKey key;
  std::string resource_version;
  json::Object patch;  // a merge patch
};
struct SetPlacementClusters {
  std::string kind;
  kube::ObjectKey key;
  std::string resource_version;
  std::vector<std::string> clusters;  // exactly these are named afterwards
  std::int64_t batch = 0;
  json::Object patch;  // a merge patch
};
struct DeleteOwned {
  std::string kind;
  kube::ObjectKey key;
  std::string uid;
};
// A rollout that takes this one back. One of the same name that is not ours is a conflict.
struct CreateRollback {
  ClusterGroupUpgrade rollout;
};
// One that does not exist is left out without a word.
struct PatchManagedCluster {
  std::string name;
  json::Object patch;  // a merge patch
};

using Action =
    std::variant<WriteStatus, AddFinalizer, RemoveFinalizer, EnsurePlacement, EnsureBinding, CreateWork,
                 RepairOwned, SetPlacementClusters, DeleteOwned, CreateRollback, PatchManagedCluster>;
std::string describe(const Action& action);

kube::Plan<Action> decide(const Observed& seen);

}  // namespace fairway::fleet
