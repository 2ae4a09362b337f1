#include "apiserver/clusters.hpp"

#include "kube/core/names.hpp"

namespace fairway::apiserver {

LogicalCluster* Clusters::find(std::string_view name) {
  const auto found = clusters_.find(name);
  return found == clusters_.end() ? nullptr : &found->second;
}

LogicalCluster& Clusters::add(std::string_view name) {
  const auto [place, is_new] = clusters_.try_emplace(std::string(name));
  if (is_new) place->second.name = std::string(name);
  return place->second;
}

std::vector<std::string> Clusters::names() const {
  std::vector<std::string> names;
  names.reserve(clusters_.size());
  for (const auto& [name, cluster] : clusters_) names.push_back(name);
  return names;
}

bool is_cluster_name(std::string_view name) {
  return kube::is_dns1123_label(name);
}

}  // namespace fairway::apiserver
