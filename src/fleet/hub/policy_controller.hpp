// PolicyController: carries root policies to the clusters that they are bound to, enforced where a binding
// says so, and rolls their compliance up into the root. Observe → decide (fleet/propagator.hpp) → act.
//
// What is kept for a root is derived from the caches alone, so that a restart decides the same: who is bound
// and enforced, and how each cluster stands. A change then costs what it changes: a decision of a placement,
// the clusters that come or go; a child, that child; its compliance, one row. Children and roll-up have
// queues of their own, so that writing ten thousand children keeps no compliance waiting. A root's status is
// written at once for a first change; changes that follow are gathered for rest_after_write(), so that
// however fast a fleet changes, its statuses keep the server busy for a part of its time only. Belongs to the
// runtime's event loop and outlives it.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "async/task.hpp"
#include "base/metrics.hpp"
#include "fleet/hub/clusters.hpp"
#include "fleet/hub/hub_templates.hpp"
#include "fleet/policies.hpp"
#include "fleet/propagator.hpp"
#include "kube/runtime/runtime.hpp"

namespace fairway::fleet {

struct PolicySettings {
  std::size_t workers = 4;
  std::size_t children_at_once = 8;  // written side by side for one root
};

class PolicyController {
 public:
  // Adds its caches and its controllers to the runtime. Both references outlive it.
  PolicyController(kube::Runtime& runtime, PolicySettings settings, metrics::Registry& registry);
  ~PolicyController();
  PolicyController(const PolicyController&) = delete;
  PolicyController& operator=(const PolicyController&) = delete;

  // Learns which kinds the server has. Before the runtime runs.
  Task<void> prepare();

 private:
  struct Root {
    PolicyBindings bound = {};  // as it was judged last
    std::shared_ptr<const Enforcement> enforcement = std::make_shared<const Enforcement>();
    bool is_stale = true;      // something that it was judged by has changed
    bool is_whole_due = true;  // every child is to be looked at
    bool has_templates = false;
    std::set<std::string> due = {};                   // clusters whose child is to be looked at
    std::map<std::string, Compliance> children = {};  // by cluster: how its child stands
    SteadyTime rests_until = {};                      // no write of its status before
  };

  void watch_policies();
  void watch_bindings();
  void take_policy(const kube::Change<json::Object>& change);
  void take_child(const kube::Change<json::Object>& change, const kube::ObjectKey& root);
  void take_root(const kube::Change<json::Object>& change);
  void take_binding(const json::Object& binding);
  void take_set(const json::Object& set);
  void take_cluster(const ManagedClusters::Change& change);
  // Who is chosen has changed.
  void take_placement(std::string_view kind, const kube::ObjectKey& placement);
  // Something that hub templates of policies in this namespace look up has changed.
  void take_looked_up(const std::string& ns);
  void make_stale(const kube::ObjectKey& root);
  void enqueue(const kube::ObjectKey& root);

  PolicyBindings bindings_of(const kube::ObjectKey& root) const;
  std::vector<std::string> chosen_by(std::string_view ns, std::string_view kind, std::string_view name) const;
  // Brings what is known of the root up to date.
  void refresh(const kube::ObjectKey& key, Root& root);

  Task<kube::ReconcileResult> reconcile(kube::ObjectKey key);
  Task<kube::ReconcileResult> roll_up(kube::ObjectKey key);
  Task<void> remove_foreign(kube::ObjectKey key);
  templates::HubFacts facts_for(const PolicyBindings& bound, const std::string& cluster) const;
  Task<std::vector<PolicyAction>> decide_children(kube::ObjectKey key, std::set<std::string> clusters);
  Task<void> act(PolicyAction action);
  Task<void> carry_out(CreateChild action);
  Task<void> carry_out(UpdateChild action);
  Task<void> carry_out(DeleteChild action);
  Task<void> carry_out(WritePolicyStatus action);

  kube::Runtime& runtime_;
  PolicySettings settings_;
  ManagedClusters clusters_;
  kube::ObjectCache& policies_;
  kube::ObjectCache& bindings_;
  kube::ObjectCache* policy_sets_ = nullptr;  // where the server knows the kinds
  kube::ObjectCache* decisions_ = nullptr;
  kube::ObjectCache* rules_ = nullptr;
  HubTemplates templates_;
  kube::Controller* children_ = nullptr;
  kube::Controller* statuses_ = nullptr;
  std::map<kube::ObjectKey, Root> roots_;
  std::vector<kube::ObjectCache::Subscription> subscriptions_;
};

// The root of a child, by its label; nothing where it has none.
std::optional<kube::ObjectKey> root_of(const json::Object& policy);

}  // namespace fairway::fleet
