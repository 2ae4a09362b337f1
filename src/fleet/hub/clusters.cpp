#include "fleet/hub/clusters.hpp"

namespace fairway::fleet {

ManagedClusters::ManagedClusters(kube::ObjectCache& cache)
    : cache_(cache),
      subscription_(cache.on_change([this](const kube::Change<json::Object>& change) { take(change); })) {}

void ManagedClusters::take(const kube::Change<json::Object>& change) {
  Change told{.name = change.key.name, .before = find(change.key.name), .after = nullptr};
  if (change.after) told.after = std::make_shared<const ClusterFacts>(ClusterFacts::from(*change.after));
  if (told.before && told.after && *told.before == *told.after) return;
  if (told.after) {
    clusters_[told.name] = told.after;
    if (told.has_new_labels()) by_label_.put(change.key, told.after->label_values());
  } else {
    clusters_.erase(told.name);
    by_label_.remove(change.key);
  }
  if (told.has_new_labels()) put_into_table(told.name, told.after.get());
  if (told.has_new_availability()) put_availability(told.name, told.after.get());
  for (const Handler& each : handlers_) each(told);
}

void ManagedClusters::put_into_table(const std::string& name, const ClusterFacts* facts) {
  if (table_.use_count() > 1) table_ = std::make_shared<ClusterTable>(*table_);
  if (facts == nullptr) {
    table_->erase(name);
  } else {
    (*table_)[name] = facts->labels;
  }
}

void ManagedClusters::put_availability(const std::string& name, const ClusterFacts* facts) {
  const bool is_unavailable = facts != nullptr && facts->unavailable_since;
  if (!is_unavailable && !unavailable_->contains(name)) return;
  if (unavailable_.use_count() > 1) unavailable_ = std::make_shared<UnavailableClusters>(*unavailable_);
  if (is_unavailable) {
    (*unavailable_)[name] = *facts->unavailable_since;
  } else {
    unavailable_->erase(name);
  }
}

Cluster ManagedClusters::find(std::string_view name) const {
  const auto found = clusters_.find(name);
  return found == clusters_.end() ? nullptr : found->second;
}

std::vector<Cluster> ManagedClusters::all() const {
  std::vector<Cluster> found;
  found.reserve(clusters_.size());
  for (const auto& [name, cluster] : clusters_) found.push_back(cluster);
  return found;
}

std::vector<Cluster> ManagedClusters::with_any(const std::vector<std::string>& values) const {
  std::map<std::string_view, Cluster> found;
  for (const std::string& value : values) {
    for (const kube::ObjectKey& key : by_label_.find(value)) {
      const Cluster cluster = find(key.name);
      found.emplace(cluster->name, cluster);
    }
  }
  std::vector<Cluster> out;
  out.reserve(found.size());
  for (auto& [name, cluster] : found) out.push_back(std::move(cluster));
  return out;
}

}  // namespace fairway::fleet
