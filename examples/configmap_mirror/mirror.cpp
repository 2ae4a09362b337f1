#include "mirror.hpp"

#include <algorithm>
#include <fmt/format.h>

namespace fairway::examples {

std::string describe(const Write& action) {
  const kube::ObjectMeta& metadata = action.config_map.metadata;
  const std::string_view verb = metadata.resource_version.empty() ? "create" : "update";
  return fmt::format("{} ConfigMap {}/{}", verb, metadata.namespace_, metadata.name);
}

kube::Plan<Write> decide(const Observed& seen) {
  kube::Plan<Write> plan;
  // Of a mirror that goes, garbage collection does the rest.
  if (!seen.mirror || seen.mirror->metadata.deletion_timestamp) return plan;
  const kube::ObjectMeta& owner = seen.mirror->metadata;
  if (!seen.config_map) {
    ConfigMap made{.metadata = {.name = owner.name, .namespace_ = owner.namespace_},
                   .data = seen.mirror->spec.data};
    made.metadata.owner_references = {kube::controller_reference(*seen.mirror)};
    plan.actions.push_back({std::move(made)});
    return plan;
  }
  ConfigMap wanted = *seen.config_map;
  const auto& owners = wanted.metadata.owner_references;
  if (std::ranges::find(owners, owner.uid, &kube::OwnerReference::uid) == owners.end()) {
    plan.notes.push_back(
        fmt::format("the ConfigMap {} belongs to somebody else and is left alone", owner.name));
    return plan;
  }
  wanted.data = seen.mirror->spec.data;
  if (wanted.data != seen.config_map->data) plan.actions.push_back({std::move(wanted)});
  return plan;
}

}  // namespace fairway::examples
