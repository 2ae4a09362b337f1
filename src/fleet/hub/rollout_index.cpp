#include "fleet/hub/rollout_index.hpp"

#include <algorithm>

#include "fleet/phase.hpp"
#include "fleet/selection.hpp"

namespace fairway::fleet {
namespace {

constexpr std::string_view kAnyCluster = "*";

std::vector<std::string> planned(const ClusterGroupUpgradeStatus& status) {
  std::vector<std::string> all;
  for (const Batch& each : status.remediation_plan) all.insert(all.end(), each.begin(), each.end());
  return all;
}

std::vector<std::string> named_policies(const ClusterGroupUpgrade& rollout) {
  std::set<std::string> names;
  for (const std::string& each : rollout.spec.managed_policies) names.insert(bare_name(each));
  for (const PolicyReference& each : rollout.status.managed_policies_for_upgrade) names.insert(each.name);
  return {names.begin(), names.end()};
}

}  // namespace

std::string bare_name(std::string_view policy) {
  const std::size_t slash = policy.find('/');
  return std::string(slash == std::string_view::npos ? policy : policy.substr(slash + 1));
}

void RolloutIndex::put(const kube::ObjectKey& key, const ClusterGroupUpgrade& rollout) {
  const Phase phase = phase_of(&rollout);
  const bool is_rolling = std::holds_alternative<phase::Rolling>(phase);
  const bool is_preparing =
      std::holds_alternative<phase::Preparing>(phase) || std::holds_alternative<phase::Unclaimed>(phase);
  if (!is_rolling && !is_preparing) return remove(key);
  Entry entry{.is_preparing = is_preparing};
  std::vector<std::string> labels;
  if (is_preparing) {
    // What cannot be understood selects nobody, and its condition says so.
    entry.selectors = selectors_of(rollout.spec).value_or(std::vector<kube::Selector>{});
    for (const kube::Selector& each : entry.selectors) {
      const auto values = required_labels(each).value_or(std::vector{std::string(kAnyCluster)});
      labels.insert(labels.end(), values.begin(), values.end());
    }
  }
  std::vector<std::string> blockers;
  for (const RolloutReference& each : rollout.spec.blocking_crs)
    blockers.push_back(kube::ObjectKey{each.namespace_, each.name}.to_string());
  by_policy_.put(key, named_policies(rollout));
  by_cluster_.put(key, is_rolling ? planned(rollout.status) : rollout.spec.clusters);
  by_label_.put(key, std::move(labels));
  by_blocker_.put(key, is_preparing ? std::move(blockers) : std::vector<std::string>{});
  entries_[key] = std::move(entry);
}

void RolloutIndex::remove(const kube::ObjectKey& key) {
  if (entries_.erase(key) == 0) return;
  for (kube::KeyIndex* each : {&by_policy_, &by_cluster_, &by_label_, &by_blocker_}) each->remove(key);
}

void RolloutIndex::add_selecting(const ClusterFacts& cluster,
                                 const std::function<void(const kube::ObjectKey&)>& add) const {
  std::vector<std::string> values = cluster.label_values();
  values.emplace_back(kAnyCluster);
  for (const std::string& value : values) {
    for (const kube::ObjectKey& key : by_label_.find(value)) {
      const auto selects = [&](const kube::Selector& each) { return each.matches(cluster.labels); };
      if (std::ranges::any_of(entries_.at(key).selectors, selects)) add(key);
    }
  }
}

RolloutIndex::Keys RolloutIndex::concerned(std::string_view policy, std::span<const std::string> clusters,
                                           const FindCluster& find) const {
  Keys found;
  const Keys& naming = by_policy_.find(policy);
  if (naming.empty()) return found;
  const auto add = [&](const kube::ObjectKey& key) {
    if (naming.contains(key)) found.insert(key);
  };
  for (const std::string& each : clusters) {
    for (const kube::ObjectKey& key : by_cluster_.find(each)) add(key);
    if (const Cluster cluster = find(each)) add_selecting(*cluster, add);
  }
  return found;
}

RolloutIndex::Keys RolloutIndex::preparing(std::string_view policy, std::span<const std::string> clusters,
                                           const FindCluster& find) const {
  Keys found = concerned(policy, clusters, find);
  std::erase_if(found, [&](const kube::ObjectKey& key) { return !is_preparing(key); });
  return found;
}

RolloutIndex::Keys RolloutIndex::preparing_with_policy(std::string_view policy) const {
  Keys found = by_policy_.find(policy);
  std::erase_if(found, [&](const kube::ObjectKey& key) { return !is_preparing(key); });
  return found;
}

RolloutIndex::Keys RolloutIndex::preparing_with_cluster(const Cluster& before, const Cluster& after) const {
  Keys found;
  const auto add = [&](const kube::ObjectKey& key) {
    if (is_preparing(key)) found.insert(key);
  };
  // Labels do not matter to whoever names the cluster; that it comes or goes does.
  if (!before || !after) {
    for (const kube::ObjectKey& key : by_cluster_.find((before ? before : after)->name)) add(key);
  }
  for (const Cluster& each : {before, after}) {
    if (each) add_selecting(*each, add);
  }
  return found;
}

RolloutIndex::Keys RolloutIndex::rolling_with_cluster(std::string_view cluster) const {
  Keys found = by_cluster_.find(cluster);
  std::erase_if(found, [&](const kube::ObjectKey& key) { return is_preparing(key); });
  return found;
}

}  // namespace fairway::fleet
