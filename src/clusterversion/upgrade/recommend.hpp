// Recommend: which updates are fit for this cluster, minor version by minor version, and what stands against
// one of them. Reads only. Pure.
//
// The whole judgement comes from the ClusterVersion. A cluster that says Upgradeable=False has that as an
// issue of every later minor version. Issues can be accepted by name: an issue's own name, or the name of the
// single risk that an update is exposed to.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "clusterversion/types.hpp"
#include "clusterversion/upgrade/outcome.hpp"

namespace fairway::clusterversion::upgrade {

struct RecommendFlags {
  std::string version = {};  // empty: an overview
  std::vector<std::string> accept = {};
  bool show_outdated_releases = false;
  bool quiet = false;  // only the names of issues that are not accepted
};

std::optional<std::string> fault_of(const RecommendFlags& flags);
// For flags without a fault.
Outcome recommend(const ClusterVersion& cluster, const RecommendFlags& flags);
json::Object recommend_document(const ClusterVersion& cluster, const RecommendFlags& flags);

}  // namespace fairway::clusterversion::upgrade
