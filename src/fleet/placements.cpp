#include "fleet/placements.hpp"

#include <array>
#include <cctype>
#include <fmt/format.h>

#include "base/text.hpp"
#include "json/patch.hpp"

namespace fairway::fleet {
namespace {

constexpr std::size_t kLongestName = 253;
constexpr std::string_view kPolicyGroup = "policy.open-cluster-management.io";

// Five characters that Kubernetes would choose from, by FNV-1a of the text.
std::string suffix_of(std::string_view text) {
  constexpr std::string_view kAlphabet = "bcdfghjklmnpqrstvwxz2456789";
  std::uint64_t hash = 14695981039346656037ull;
  for (const char each : text) hash = (hash ^ static_cast<unsigned char>(each)) * 1099511628211ull;
  std::string out;
  for (int i = 0; i < 5; ++i) {
    out += kAlphabet[hash % kAlphabet.size()];
    hash /= kAlphabet.size();
  }
  return out;
}

json::Object metadata_for(const ClusterGroupUpgrade& rollout, const PolicyReference& policy,
                          const PlacementName& name) {
  json::Object labels{{kAppLabel, kAppName},
                      {kRolloutLabel, rollout.metadata.name},
                      {kRolloutNamespaceLabel, rollout.metadata.namespace_},
                      {kNotBackedUpLabel, "true"}};
  json::Object annotations;
  annotations[kDesiredName] = name.key;
  return json::Object{{"name", name.name},
                      {"namespace", policy.namespace_},
                      {"labels", std::move(labels)},
                      {"annotations", std::move(annotations)}};
}

json::Array predicates(const std::vector<std::string>& clusters) {
  json::Object expression{{"key", "name"}, {"operator", "In"}};
  if (!clusters.empty()) expression["values"] = json::Array(clusters.begin(), clusters.end());
  json::Object label_selector;
  label_selector["matchExpressions"] = json::Array{std::move(expression)};
  json::Object required;
  required["labelSelector"] = std::move(label_selector);
  json::Object predicate;
  predicate["requiredClusterSelector"] = std::move(required);
  return json::Array{std::move(predicate)};
}

json::Array tolerations() {
  json::Array made;
  for (const std::string_view taint : {"unavailable", "unreachable"}) {
    made.push_back(json::Object{{"key", fmt::format("cluster.open-cluster-management.io/{}", taint)},
                                {"operator", "Exists"}});
  }
  return made;
}

const json::Array* named_values(const json::Object& placement) {
  const json::Array* found = json::get_array(placement, {"spec", "predicates"});
  if (found == nullptr || found->empty() || !found->front().is_object()) return nullptr;
  const json::Array* expressions = json::get_array(
      found->front().get_object(), {"requiredClusterSelector", "labelSelector", "matchExpressions"});
  if (expressions == nullptr || expressions->empty() || !expressions->front().is_object()) return nullptr;
  return json::get_array(expressions->front().get_object(), {"values"});
}

bool is_rule(const json::Object& placement) {
  return kube::kind_of(placement) == to_string(PlacementKind::PlacementRule);
}

// Members of `want` that `have` lacks or has otherwise.
json::Object missing_members(const json::Object* have, const json::Object& want) {
  json::Object patch;
  for (const auto& each : want) {
    const json::Value* found = have == nullptr ? nullptr : have->if_contains(each.key());
    if (found == nullptr || !json::same_value(*found, each.value())) patch[each.key()] = each.value();
  }
  return patch;
}

}  // namespace

std::string_view to_string(PlacementKind kind) {
  return kind == PlacementKind::Placement ? "Placement" : "PlacementRule";
}

std::string_view api_group(PlacementKind kind) {
  return kind == PlacementKind::Placement ? "cluster.open-cluster-management.io"
                                          : "apps.open-cluster-management.io";
}

std::string desired_name(std::string_view rollout, std::string_view policy) {
  return to_lower(fmt::format("{}-{}-placement", rollout, policy));
}

std::string safe_name(std::string_view desired, std::string_view suffix, std::string_view ns) {
  const std::size_t taken = suffix.size() + ns.size() + 1;
  std::string_view base = desired.substr(0, taken < kLongestName ? kLongestName - taken : 0);
  const auto is_fit = [](char each) { return std::isalnum(static_cast<unsigned char>(each)) || each == '-'; };
  while (!base.empty() && !is_fit(base.back())) base.remove_suffix(1);
  return fmt::format("{}-{}", base, suffix);
}

std::string name_suffix(const ClusterGroupUpgrade& rollout, std::string_view key) {
  const auto given = rollout.metadata.annotations.find(std::string(kNameSuffix));
  if (given != rollout.metadata.annotations.end() && !given->second.empty()) return given->second;
  return suffix_of(fmt::format("{}/{}", rollout.metadata.uid, key));
}

PlacementName placement_name(const ClusterGroupUpgrade& rollout, const PolicyReference& policy) {
  const std::string desired = desired_name(rollout.metadata.name, policy.name);
  const auto& known = rollout.status.safe_resource_names;
  const std::string key = fmt::format("{}/{}", policy.namespace_, desired);
  if (const auto found = known.find(key); found != known.end()) return {key, found->second};
  // As the first release of selective enforcement named them.
  const std::string old_key =
      to_lower(fmt::format("{}/{}-{}", policy.namespace_, rollout.metadata.name, policy.name));
  if (const auto found = known.find(old_key); found != known.end()) return {old_key, found->second};
  return {key, safe_name(desired, name_suffix(rollout, key), policy.namespace_)};
}

json::Object desired_placement(const ClusterGroupUpgrade& rollout, const PolicyReference& policy,
                               PlacementKind kind) {
  json::Object metadata = metadata_for(rollout, policy, placement_name(rollout, policy));
  metadata["labels"].get_object()[kPolicyLabel] = policy.name;
  json::Object spec;
  if (kind == PlacementKind::Placement) {
    spec["predicates"] = predicates({});
    spec["tolerations"] = tolerations();
  } else {
    spec["clusterReplicas"] = 0;
  }
  const std::string_view version = kind == PlacementKind::Placement ? "v1beta1" : "v1";
  return json::Object{{"apiVersion", fmt::format("{}/{}", api_group(kind), version)},
                      {"kind", to_string(kind)},
                      {"metadata", std::move(metadata)},
                      {"spec", std::move(spec)}};
}

json::Object desired_binding(const ClusterGroupUpgrade& rollout, const PolicyReference& policy,
                             PlacementKind kind) {
  const PlacementName name = placement_name(rollout, policy);
  json::Object made{{"apiVersion", "policy.open-cluster-management.io/v1"},
                    {"kind", "PlacementBinding"},
                    {"metadata", metadata_for(rollout, policy, name)}};
  made["subFilter"] = "restricted";
  made["bindingOverrides"] = json::Object{{"remediationAction", "enforce"}};
  made["placementRef"] =
      json::Object{{"apiGroup", api_group(kind)}, {"kind", to_string(kind)}, {"name", name.name}};
  made["subjects"] =
      json::Array{json::Object{{"apiGroup", kPolicyGroup}, {"kind", "Policy"}, {"name", policy.name}}};
  return made;
}

std::vector<std::string> clusters_in(const json::Object& placement) {
  std::vector<std::string> out;
  if (is_rule(placement)) {
    const json::Array* clusters = json::get_array(placement, {"spec", "clusters"});
    for (const json::Value& each : clusters == nullptr ? json::Array() : *clusters) {
      if (!each.is_object()) continue;
      if (const auto name = json::get_string(each.get_object(), {"name"})) out.emplace_back(*name);
    }
    return out;
  }
  const json::Array* values = named_values(placement);
  for (const json::Value& each : values == nullptr ? json::Array() : *values) {
    if (each.is_string()) out.emplace_back(json::view(each.get_string()));
  }
  return out;
}

std::int64_t batch_of(const json::Object& placement) {
  const auto text = kube::annotation(placement, kBatchAnnotation);
  return text ? parse_signed(*text).value_or(0) : 0;
}

json::Object clusters_patch(const json::Object& placement, const std::vector<std::string>& clusters,
                            std::int64_t batch) {
  json::Object spec;
  if (!is_rule(placement)) {
    spec["predicates"] = predicates(clusters);
  } else if (clusters.empty()) {
    spec["clusters"] = nullptr;
    spec["clusterReplicas"] = 0;
  } else {
    json::Array named;
    for (const std::string& each : clusters) named.push_back(json::Object{{"name", each}});
    spec["clusters"] = std::move(named);
    spec["clusterReplicas"] = nullptr;
  }
  json::Object annotations;
  annotations[kBatchAnnotation] = std::to_string(batch);
  json::Object metadata;
  metadata["annotations"] = std::move(annotations);
  return json::Object{{"metadata", std::move(metadata)}, {"spec", std::move(spec)}};
}

void name_clusters(json::Object& placement, const std::vector<std::string>& clusters, std::int64_t batch) {
  json::Value named(std::move(placement));
  json::apply_merge_patch(named, json::Value(clusters_patch(named.get_object(), clusters, batch)));
  placement = std::move(named.get_object());
}

json::Object repair_patch(const json::Object& have, const json::Object& want) {
  json::Object patch;
  json::Object metadata;
  for (const std::string_view part : {"labels", "annotations"}) {
    json::Object missing = missing_members(json::get_object(have, {"metadata", part}),
                                           *json::get_object(want, {"metadata", part}));
    if (!missing.empty()) metadata[part] = std::move(missing);
  }
  if (!metadata.empty()) patch["metadata"] = std::move(metadata);
  for (const std::string_view part : {"subFilter", "bindingOverrides", "placementRef", "subjects"}) {
    const json::Value* wanted = want.if_contains(part);
    const json::Value* found = have.if_contains(part);
    if (wanted != nullptr && (found == nullptr || !json::same_value(*found, *wanted))) patch[part] = *wanted;
  }
  const json::Value* wanted = json::find(want, {"spec", "tolerations"});
  const json::Value* found = json::find(have, {"spec", "tolerations"});
  if (wanted != nullptr && (found == nullptr || !json::same_value(*found, *wanted)))
    json::ensure_object(patch, {"spec"})["tolerations"] = *wanted;
  return patch;
}

std::optional<std::string> waiting_message(const json::Object& placement) {
  if (is_rule(placement) || clusters_in(placement).empty()) return std::nullopt;
  const kube::Conditions conditions = kube::conditions_of(placement);
  const kube::Condition* satisfied = kube::find_condition(conditions, "PlacementSatisfied");
  if (satisfied == nullptr || satisfied->status != kube::kConditionFalse ||
      satisfied->reason != "NoManagedClusterSetBindings")
    return std::nullopt;
  return fmt::format(
      "Placement \"{}\" in namespace \"{}\" cannot select clusters: {}. Create a ManagedClusterSetBinding "
      "for "
      "the \"default\" ManagedClusterSet in the policy namespace.",
      kube::name_of(placement), kube::namespace_of(placement), satisfied->message);
}

}  // namespace fairway::fleet
