// A rollout with controls on a simulated fleet, for their tests.
#pragma once

#include <fmt/format.h>
#include <functional>
#include <string>
#include <vector>

#include "base/text.hpp"
#include "fleet/testing/fleet.hpp"

namespace fairway::fleet::testing {

// Clusters s1, s2, … with policies p0, p1, … that nobody complies with, and rollout "c" over all of them.
struct Controlled : SimulatedFleet {
  explicit Controlled(const RolloutControls& controls, int count = 4, std::int64_t at_once = 2,
                      std::vector<std::string> policy_names = {"p0"}) {
    ClusterGroupUpgradeSpec spec{.remediation_strategy = {.max_concurrency = at_once, .timeout = 60},
                                 .managed_policies = std::move(policy_names),
                                 .rollout_controls = controls};
    for (int i = 1; i <= count; ++i) spec.clusters.push_back(fmt::format("s{}", i));
    for (const std::string& each : spec.clusters) add_cluster(each);
    for (const std::string& each : spec.managed_policies) add_policy(each);
    create("c", std::move(spec));
  }

  void edit(const std::function<void(RolloutControls&)>& how) {
    change("c", [&](ClusterGroupUpgrade& edited) { how(*edited.spec.rollout_controls); });
  }
  void annotate(std::string_view key, const std::string& value) {
    change("c", [&](ClusterGroupUpgrade& edited) { edited.metadata.annotations[std::string(key)] = value; });
  }
  std::string plan() const {
    std::vector<std::string> batches;
    for (const Batch& each : status("c").remediation_plan) batches.push_back(join(each, " "));
    return join(batches, " | ");
  }
  std::string enforced() const {
    const auto named = enforced_by("c");
    return join(std::vector<std::string>(named.begin(), named.end()), " ");
  }
  std::string state() const { return condition("c", kProgressing); }
  std::optional<WallTime> wakes() const { return decide(observe("c")).wake_at; }
  // Agents work and the rollout looks, once.
  void turn() {
    tick();
    settle("c");
  }
};

// "10%", as the API has it.
inline json::Value text(const char* value) {
  return json::Value(value);
}

}  // namespace fairway::fleet::testing
