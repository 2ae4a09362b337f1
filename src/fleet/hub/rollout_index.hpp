// RolloutIndex: which rollouts a change concerns, without asking every rollout.
//
// A rollout that has ended is in none of the indexes: nothing wakes it any more. While its plan can still
// change it is found by the clusters that it lists and by the labels that it selects by; once it rolls, by
// the clusters of its plan.
#pragma once

#include <functional>
#include <map>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "fleet/hub/cluster_facts.hpp"
#include "fleet/types.hpp"
#include "kube/runtime/key_index.hpp"

namespace fairway::fleet {

class RolloutIndex {
 public:
  using Keys = std::set<kube::ObjectKey>;
  using FindCluster = std::function<Cluster(std::string_view name)>;

  void put(const kube::ObjectKey& key, const ClusterGroupUpgrade& rollout);
  void remove(const kube::ObjectKey& key);

  // That list the policy and have one of the clusters.
  Keys concerned(std::string_view policy, std::span<const std::string> clusters,
                 const FindCluster& find) const;
  // Those of them whose plan can still change.
  Keys preparing(std::string_view policy, std::span<const std::string> clusters,
                 const FindCluster& find) const;
  Keys preparing_with_policy(std::string_view policy) const;
  // Whose plan may be another one because of this cluster, as it was or as it is.
  Keys preparing_with_cluster(const Cluster& before, const Cluster& after) const;
  // That have the cluster in their plan, and roll.
  Keys rolling_with_cluster(std::string_view cluster) const;
  // That wait for this rollout.
  const Keys& blocked_by(const kube::ObjectKey& key) const { return by_blocker_.find(key.to_string()); }

 private:
  struct Entry {
    std::vector<kube::Selector> selectors = {};
    bool is_preparing = false;
  };

  void add_selecting(const ClusterFacts& cluster,
                     const std::function<void(const kube::ObjectKey&)>& add) const;
  bool is_preparing(const kube::ObjectKey& key) const { return entries_.at(key).is_preparing; }

  std::map<kube::ObjectKey, Entry> entries_;
  kube::KeyIndex by_policy_;
  kube::KeyIndex by_cluster_;
  kube::KeyIndex by_label_;
  kube::KeyIndex by_blocker_;
};

// "name" of "namespace/name".
std::string bare_name(std::string_view policy);

}  // namespace fairway::fleet
