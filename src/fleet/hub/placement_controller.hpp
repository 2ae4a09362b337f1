// PlacementController: resolves every Placement and PlacementRule of the hub into clusters.
// Observe → decide (placement_decide.hpp) → act.
//
// It reads caches only. A change of a cluster makes those placements due that can match it, by the labels
// that they ask for; one that names clusters looks at those and at no others. Nothing is remembered that the
// caches do not say. Belongs to the runtime's event loop and outlives it.
//
//   PlacementController placement(runtime, {}, registry);
//   co_await placement.prepare();
//   … runtime.run() …
#pragma once

#include <map>
#include <memory>

#include "async/task.hpp"
#include "base/metrics.hpp"
#include "fleet/hub/clusters.hpp"
#include "fleet/hub/placement_decide.hpp"
#include "kube/runtime/runtime.hpp"

namespace fairway::fleet {

struct PlacementSettings {
  // A namespace without any ManagedClusterSetBinding chooses from all clusters; else it chooses from none.
  bool has_implicit_set = true;
  std::size_t workers = 4;
};

class PlacementController {
 public:
  // Adds its caches and its controllers to the runtime. Both references outlive it.
  PlacementController(kube::Runtime& runtime, PlacementSettings settings, metrics::Registry& registry);
  ~PlacementController();
  PlacementController(const PlacementController&) = delete;
  PlacementController& operator=(const PlacementController&) = delete;

  // Learns which kinds the server has. Before the runtime runs.
  Task<void> prepare();

 private:
  // The placements of one kind.
  struct Kind {
    PlacementKind kind;
    kube::ObjectCache* cache = nullptr;
    kube::Controller* controller = nullptr;
    std::map<kube::ObjectKey, std::shared_ptr<const PlacementRequest>> requests = {};
    kube::KeyIndex by_label = {};  // what a cluster must have to be chosen
    kube::ObjectCache::Subscription subscription = {};
  };

  void add_kind(Kind& kind, const kube::ResourceType& type, metrics::Registry& registry);
  void take(Kind& kind, const kube::Change<json::Object>& change);
  void enqueue_matching(const ManagedClusters::Change& change);
  void enqueue_namespace(std::string_view ns);

  Task<PlacementObserved> observe(Kind& kind, kube::ObjectKey key);
  void observe_sets(PlacementObserved& seen) const;
  bool has_members(const BoundSet& set) const;
  Task<void> act(PlacementAction action);
  Task<void> carry_out(CreateDecision action);
  Task<void> carry_out(WriteDecision action);
  Task<void> carry_out(DeleteDecision action);
  Task<void> carry_out(WritePlacementStatus action);
  Task<void> write_decisions(kube::ObjectKey key, std::string version, std::vector<std::string> clusters);

  kube::Runtime& runtime_;
  metrics::Registry& registry_;
  PlacementSettings settings_;
  ManagedClusters clusters_;
  kube::ObjectCache& decisions_;
  kube::ObjectCache* sets_ = nullptr;  // where the server knows the kinds
  kube::ObjectCache* bindings_ = nullptr;
  Kind placements_{PlacementKind::Placement};
  Kind rules_{PlacementKind::PlacementRule};
};

}  // namespace fairway::fleet
