#include "fleet/cluster_actions.hpp"

namespace fairway::fleet {

json::Object cluster_patch(const std::optional<ClusterActions>& actions) {
  if (!actions) return {};
  json::Object labels;
  for (const auto& [key, value] : actions->add_cluster_labels) labels[key] = value;
  for (const auto& each : actions->delete_cluster_labels) labels[each.first] = nullptr;
  for (const std::string& key : actions->remove_cluster_labels) labels[key] = nullptr;
  json::Object annotations;
  for (const auto& [key, value] : actions->add_cluster_annotations) annotations[key] = value;
  for (const std::string& key : actions->remove_cluster_annotations) annotations[key] = nullptr;
  json::Object metadata;
  if (!labels.empty()) metadata["labels"] = std::move(labels);
  if (!annotations.empty()) metadata["annotations"] = std::move(annotations);
  json::Object patch;
  if (!metadata.empty()) patch["metadata"] = std::move(metadata);
  return patch;
}

}  // namespace fairway::fleet
