// RolloutController: carries out ClusterGroupUpgrades. Observe → decide (fleet/decide.hpp) → act.
//
// It reads caches only; nothing is asked of the server while a rollout goes on. A change of a root policy's
// status wakes the rollouts that the changed rows concern, and no others (rollout_index.hpp); times are kept
// exactly. Nothing is remembered that the caches do not say, so that a restart goes on where the status is.
// Works by the API's objects alone: who resolves placements, carries policies to clusters and reports their
// compliance may be this program or Open Cluster Management. Belongs to the runtime's event loop and outlives
// it.
//
//   RolloutController fleet(runtime, {}, registry);
//   co_await fleet.prepare();
//   … runtime.run() beside fleet.run() …
#pragma once

#include <memory>
#include <vector>

#include "async/task.hpp"
#include "base/metrics.hpp"
#include "fleet/decide.hpp"
#include "fleet/hub/clusters.hpp"
#include "fleet/hub/policy_book.hpp"
#include "fleet/hub/rollout_events.hpp"
#include "fleet/hub/rollout_index.hpp"
#include "fleet/hub/rollout_jobs.hpp"
#include "fleet/hub/update_graph.hpp"
#include "kube/runtime/control_loop.hpp"
#include "kube/runtime/own_writes.hpp"

namespace fairway::fleet {

struct RolloutSettings {
  Settings decisions = {};
  std::shared_ptr<UpdateGraph> update_graph = {};  // null: releases are not looked up
  std::size_t workers = 64;  // a request takes as long as a durable write; the server gathers them
};

class RolloutController {
 public:
  // Adds its caches and its controller to the runtime. Both references outlive it.
  RolloutController(kube::Runtime& runtime, RolloutSettings settings, metrics::Registry& registry);
  ~RolloutController();
  RolloutController(const RolloutController&) = delete;
  RolloutController& operator=(const RolloutController&) = delete;

  // Learns which kinds the server has. Before the runtime runs.
  Task<void> prepare();
  // Sends events until cancelled.
  Task<void> run() { return events_.run(); }
  // That are still to be sent.
  std::size_t queued_events() const { return events_.queued(); }

 private:
  void follow_owned(kube::ObjectCache& cache);
  void follow_placements(kube::ObjectCache& cache);
  void index_owned(kube::ObjectCache& cache);
  void follow_templates(kube::ObjectCache& cache);
  void follow_precaching_configs(kube::ObjectCache& cache);
  void take_rollout(const kube::Change<ClusterGroupUpgrade>& change);
  void take_policy(const kube::Change<json::Object>& change);
  void take_cluster(const ManagedClusters::Change& change);
  template <class Keys>
  void enqueue(const Keys& keys) {
    for (const kube::ObjectKey& key : keys) controller_->enqueue(key);
  }

  Observed observe(const kube::ObjectKey& key, std::optional<bool> is_image_found);
  void observe_blockers(Observed& seen) const;
  void observe_precaching(Observed& seen) const;
  std::vector<Observed::Object> owned(const kube::ObjectCache* cache, const kube::ObjectKey& key) const;
  // The release that a rollout in preparation asks for by its version.
  std::optional<PlatformFields> release_of(const kube::ObjectKey& key) const;
  Task<std::optional<bool>> look_up_release(kube::ObjectKey key);
  Task<kube::ReconcileResult> reconcile(kube::ObjectKey key);

  Task<void> act(kube::ObjectKey key, Action action);
  // Whether the caches show what has been done; empty where no later look depends on it.
  kube::OwnWrites::IsShown shows(const Action& action) const;
  const kube::ObjectCache* owned_cache(std::string_view kind) const;
  Task<void> carry_out(WriteStatus action);
  Task<void> carry_out(AddFinalizer action);
  Task<void> carry_out(RemoveFinalizer action);
  Task<void> carry_out(EnsurePlacement action);
  Task<void> carry_out(EnsureBinding action);
  Task<void> carry_out(CreateWork action);
  Task<void> carry_out(RepairOwned action);
  Task<void> carry_out(SetPlacementClusters action);
  Task<void> carry_out(DeleteOwned action);
  Task<void> carry_out(CreateRollback action);
  Task<void> carry_out(PatchManagedCluster action);
  Task<void> patch_rollout(const ClusterGroupUpgrade& rollout, std::string subresource, json::Object patch);
  void tell(const ClusterGroupUpgrade& about, std::vector<RolloutEvent> events);

  kube::Runtime& runtime_;
  RolloutSettings settings_;
  std::shared_ptr<const Settings> decisions_;
  ManagedClusters clusters_;
  PolicyBook policies_;
  RolloutIndex index_;
  RolloutEvents events_;
  RolloutJobs jobs_;
  kube::LoopReporter reporter_;
  kube::OwnWrites writes_;
  kube::Cache<ClusterGroupUpgrade>& rollouts_;
  kube::ObjectCache& policy_cache_;
  kube::ObjectCache& bindings_;
  kube::ObjectCache* placements_ = nullptr;  // where the server knows the kinds
  kube::ObjectCache* rules_ = nullptr;
  kube::ObjectCache* works_ = nullptr;
  kube::ObjectCache* work_templates_ = nullptr;
  kube::Controller* controller_ = nullptr;
  std::vector<std::shared_ptr<void>> subscriptions_;
};

}  // namespace fairway::fleet
