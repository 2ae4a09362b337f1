// What the Deployment's status says, in the words of Kubernetes' own controller.
#include <fmt/format.h>

#include "base/text.hpp"
#include "cloud/nodes_parts.hpp"
#include "json/patch.hpp"
#include "kube/core/conditions.hpp"

namespace fairway::cloud::nodes {
namespace {

kube::Condition available(const PodCounts& counts) {
  const bool is_available = counts.available >= counts.wanted - counts.max_unavailable;
  return {.type = "Available",
          .status = is_available ? "True" : "False",
          .reason = is_available ? "MinimumReplicasAvailable" : "MinimumReplicasUnavailable",
          .message = is_available ? "Deployment has minimum availability."
                                  : "Deployment does not have minimum availability."};
}

kube::Condition progressing(const json::Object& deployment, const PodCounts& counts) {
  const bool is_complete =
      counts.updated == counts.wanted && counts.all == counts.wanted && counts.available == counts.wanted;
  const std::string set = fmt::format("{}-{}", kube::name_of(deployment), template_hash(deployment));
  return {.type = "Progressing",
          .status = "True",
          .reason = is_complete ? "NewReplicaSetAvailable" : "ReplicaSetUpdated",
          .message = fmt::format("ReplicaSet {} {}", quoted(set),
                                 is_complete ? "has successfully progressed." : "is progressing.")};
}

}  // namespace

json::Object status_patch(const json::Object& deployment, const PodCounts& counts, WallTime now) {
  const auto count = [](std::int64_t number) {
    return number > 0 ? json::Value(number) : json::Value(nullptr);
  };
  kube::Conditions conditions = kube::conditions_of(deployment);
  kube::set_condition(conditions, available(counts), now);
  kube::set_condition(conditions, progressing(deployment, counts), now);
  json::Object wanted;
  wanted["observedGeneration"] = kube::generation_of(deployment);
  wanted["replicas"] = count(counts.all);
  wanted["updatedReplicas"] = count(counts.updated);
  wanted["readyReplicas"] = count(counts.ready);
  wanted["availableReplicas"] = count(counts.available);
  wanted["unavailableReplicas"] = count(std::max(counts.wanted, counts.all) - counts.available);
  wanted["conditions"] = json::to_json(conditions);
  const json::Object* status = json::get_object(deployment, {"status"});
  const json::Value before = status == nullptr ? json::Object{} : *status;
  json::Value after = before;
  json::apply_merge_patch(after, wanted);
  return json::same_value(before, after) ? json::Object{} : wanted;
}

}  // namespace fairway::cloud::nodes
