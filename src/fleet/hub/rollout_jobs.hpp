// RolloutJobs: what rollouts do on their clusters by views and actions: backups and pre-caches before they
// start, the approval of operators' upgrades while they are under way. Observe → decide (cluster_jobs.hpp,
// install_plans.hpp) → act.
//
// It writes the states of jobs into the rollout's status, where the rollout's own decision reads them, and
// nothing else of it; both writes are guarded by the version that was seen. What a rollout no longer needs is
// removed, also after the rollout is gone. Belongs to the runtime's event loop and outlives it.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "async/task.hpp"
#include "base/metrics.hpp"
#include "fleet/hub/cluster_jobs.hpp"
#include "fleet/hub/precache_spec.hpp"
#include "kube/runtime/plan_executor.hpp"
#include "kube/runtime/runtime.hpp"

namespace fairway::fleet {

class RolloutJobs {
 public:
  // Adds its caches and its controller to the runtime. Both references outlive it.
  RolloutJobs(kube::Runtime& runtime, metrics::Registry& registry);
  ~RolloutJobs();
  RolloutJobs(const RolloutJobs&) = delete;
  RolloutJobs& operator=(const RolloutJobs&) = delete;

  // Learns which kinds the server has: without views and actions nobody can reach a cluster, and jobs end by
  // their limit. Before the runtime runs.
  Task<void> prepare();

  // Of a rollout that asks for it: by the policies for the upgrade, or as long as those are not known, by
  // `roots`.
  PrecacheSpec precache_spec_of(const ClusterGroupUpgrade& rollout,
                                const std::vector<kube::ObjectKey>& roots = {}) const;
  // Null where the server does not know the kind.
  kube::ObjectCache* configs() { return configs_; }

 private:
  struct Work {
    std::vector<json::Object> create = {};
    std::vector<std::shared_ptr<const json::Object>> remove = {};
    json::Object status = {};  // a merge patch of the rollout in this version
    std::string version = {};
  };

  Task<kube::ReconcileResult> reconcile(kube::ObjectKey key);
  Work decide(const kube::ObjectKey& key) const;
  std::vector<kube::PlannedStep> steps_of(const kube::ObjectKey& key, Work work);
  void follow(const ClusterGroupUpgrade& rollout, const JobKind& kind, const JobStatus& jobs,
              std::string_view member, Work& work) const;
  ClusterObjects objects_of(const kube::ObjectKey& key, std::string_view cluster) const;
  std::vector<std::shared_ptr<const json::Object>> all_of(const kube::ObjectKey& key) const;

  kube::Runtime& runtime_;
  metrics::Registry& registry_;
  kube::Cache<ClusterGroupUpgrade>& rollouts_;
  kube::ObjectCache& policies_;
  kube::ObjectCache* views_ = nullptr;  // where the server knows the kinds
  kube::ObjectCache* actions_ = nullptr;
  kube::ObjectCache* configs_ = nullptr;
  kube::Controller* controller_ = nullptr;
  std::vector<std::shared_ptr<void>> subscriptions_;
};

}  // namespace fairway::fleet
