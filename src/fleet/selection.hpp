// Which clusters a rollout is about, and how many at a time. Pure.
//
// Explicit names come first, as written; those that selectors add follow, sorted. Nothing of what is wrong is
// guessed at: the message is the one of condition ClustersSelected.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "fleet/types.hpp"
#include "kube/core/selector.hpp"

namespace fairway::fleet {

// The managed clusters with their labels. Shared by all observations; remade when clusters or labels change.
using ClusterTable = std::map<std::string, kube::Labels, std::less<>>;

struct Selection {
  std::vector<std::string> clusters = {};
  std::vector<std::string> canaries = {};  // each once, as listed
  std::int64_t max_concurrency = 0;        // as computed
  std::string problem = {};                // the condition's message; empty: the selection is valid
  std::vector<std::string> missing = {};   // names without a ManagedCluster
};

// Each selects on its own; what both fields ask for.
Result<std::vector<kube::Selector>> selectors_of(const ClusterGroupUpgradeSpec& spec);

Selection select_clusters(const ClusterGroupUpgradeSpec& spec, const ClusterTable& managed);

// At least one and less than all, or all.
std::int64_t computed_concurrency(std::int64_t asked, std::size_t clusters);
// By the strategy or, where they say it, the controls.
std::int64_t asked_concurrency(const ClusterGroupUpgradeSpec& spec, std::size_t clusters);

}  // namespace fairway::fleet
