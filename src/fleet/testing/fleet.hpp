// A hub with managed clusters and their agents, as values, for tests of the decision: an API that checks
// versions and UIDs and keeps objects as JSON, policies that are enforced where a restricted binding says so,
// and agents that comply after a while, flap, or die.
//
// What an agent does happens in tick(); until then nothing changes by itself.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "fleet/decide.hpp"

namespace fairway::fleet::testing {

struct SimulatedPolicy {
  std::string namespace_ = "default";
  std::shared_ptr<const RootPolicy> root = {};
  std::map<std::string, Compliance> rows = {};  // of the bound clusters
  bool has_status = true;
};

// How a cluster behaves once a policy is enforced on it.
struct SimulatedAgent {
  int ticks_to_comply = 1;
  bool is_dead = false;
};

struct SimulatedFleet {
  // What users do.
  void add_cluster(const std::string& name, kube::Labels labels = {});
  // A work is through when its agent has worked long enough.
  void add_template(const std::string& name);
  // Bound to all clusters that are there, and nobody complies.
  void add_policy(const std::string& name, const RootPolicy& root = {.remediation_action = "inform"});
  void set(const std::string& policy, const std::string& cluster, Compliance compliance);
  void create(std::string name, ClusterGroupUpgradeSpec spec);
  void change(const std::string& name, const std::function<void(ClusterGroupUpgrade&)>& edit);
  void remove(const std::string& name);

  // Every agent works a tick on what is enforced on it; those that have worked long enough comply.
  void tick();
  bool is_enforced(const std::string& policy, const std::string& cluster) const;
  std::set<std::string> enforced_on(const std::string& policy) const;
  // By this rollout alone, over all policies.
  std::set<std::string> enforced_by(const std::string& rollout) const;

  Observed observe(const std::string& name) const;
  Result<void> act(const Action& action);
  // Looks and acts until there is nothing to do; the actions, a line each.
  std::string settle(const std::string& name);
  void pass(Duration time) { now += time; }

  const ClusterGroupUpgrade& rollout(const std::string& name) const { return *rollouts.at(name); }
  const ClusterGroupUpgradeStatus& status(const std::string& name) const { return rollout(name).status; }
  std::string condition(const std::string& name, std::string_view type) const;  // "True Completed", "absent"
  std::string message(const std::string& name, std::string_view type) const;
  std::string progress(const std::string& name) const;  // "2: c 0, d done"
  std::string rows(const std::string& name) const;      // "a complete, b timedout p1"
  std::string table() const;                            // of children: cluster, policy, action, compliance

  WallTime now{std::chrono::hours(480000)};
  std::shared_ptr<Settings> settings = std::make_shared<Settings>();
  std::shared_ptr<const ClusterTable> clusters = std::make_shared<const ClusterTable>();
  std::map<std::string, SimulatedAgent> agents;
  UnavailableClusters unavailable;
  WorkTemplates templates;
  std::map<std::string, SimulatedPolicy> policies;
  std::map<std::string, std::shared_ptr<const ClusterGroupUpgrade>> rollouts;  // in namespace "default"
  std::map<std::string, std::shared_ptr<const json::Object>> objects;          // "Kind namespace/name"
  std::vector<RolloutEvent> events;
  int writes = 0;

 private:
  friend struct Act;
  void tick_works();
  std::string next_version() { return std::to_string(++version_); }
  Result<void> store(const ClusterGroupUpgrade& seen, ClusterGroupUpgrade next);
  Result<void> create_object(json::Object object);
  Result<void> patch_object(const std::string& kind, const kube::ObjectKey& key, const std::string& version,
                            const json::Object& patch);

  int version_ = 100;
  std::map<std::pair<std::string, std::string>, int> worked_;  // (policy, cluster): ticks since enforced
};

}  // namespace fairway::fleet::testing
