#include "fleet/hub/cluster_facts.hpp"

#include <algorithm>

#include "base/text.hpp"
#include "fleet/availability.hpp"
#include "fleet/hub/reading.hpp"
#include "kube/core/conditions.hpp"
#include "kube/core/object.hpp"

namespace fairway::fleet {
namespace {

constexpr std::string_view kNameKey = "name";

}  // namespace

ClusterFacts ClusterFacts::from(const json::Object& cluster) {
  ClusterFacts made{.name = std::string(kube::name_of(cluster)),
                    .unavailable_since = fleet::unavailable_since(cluster),
                    .is_being_deleted = kube::is_being_deleted(cluster)};
  if (const json::Object* labels = json::get_object(cluster, {"metadata", "labels"})) {
    for (const auto& each : *labels) {
      if (each.value().is_string())
        made.labels.emplace(std::string(each.key()), std::string(json::view(each.value().get_string())));
    }
  }
  each_object(cluster, {"status", "clusterClaims"}, [&](const json::Object& claim) {
    made.claims.insert_or_assign(json::text_at(claim, {"name"}), json::text_at(claim, {"value"}));
  });
  each_object(cluster, {"spec", "taints"}, [&](const json::Object& taint) {
    made.taints.push_back({.key = json::text_at(taint, {"key"}),
                           .value = json::text_at(taint, {"value"}),
                           .effect = json::text_at(taint, {"effect"}),
                           .added = parse_rfc3339(json::text_at(taint, {"timeAdded"}))});
  });
  for (const kube::Condition& each : kube::conditions_of(cluster)) made.conditions[each.type] = each.status;
  return made;
}

bool ClusterFacts::matches_labels(const kube::Selector& selector) const {
  if (selector.is_nothing()) return false;
  return std::ranges::all_of(selector.requirements(), [&](const kube::Requirement& each) {
    const auto found = labels.find(each.key);
    if (found != labels.end()) return each.matches(found->second);
    return each.key == kNameKey ? each.matches(name) : each.matches(std::nullopt);
  });
}

std::vector<std::string> ClusterFacts::label_values() const {
  std::vector<std::string> values = {name_value(name)};
  const auto add = [&](std::string_view key, std::string_view value) {
    values.emplace_back(key);
    values.push_back(std::string(key) + "=" + std::string(value));
  };
  for (const auto& [key, value] : labels) add(key, value);
  if (!labels.contains(std::string(kNameKey))) add(kNameKey, name);
  return values;
}

std::optional<std::vector<std::string>> required_labels(const kube::Selector& selector) {
  using Op = kube::SelectorOperator;
  if (selector.is_nothing()) return std::vector<std::string>{};
  const kube::Requirement* best = nullptr;
  const auto names_values = [](const kube::Requirement& each) {
    return each.op == Op::In || each.op == Op::Equals || each.op == Op::DoubleEquals;
  };
  const auto is_better = [&](const kube::Requirement& each) {
    if (!names_values(each) && each.op != Op::Exists && each.op != Op::GreaterThan && each.op != Op::LessThan)
      return false;
    if (best == nullptr || names_values(each) != names_values(*best))
      return best == nullptr || names_values(each);
    // Clusters are told apart by their names better than by anything else.
    return each.key == kNameKey || (best->key != kNameKey && each.values.size() < best->values.size());
  };
  for (const kube::Requirement& each : selector.requirements()) {
    if (is_better(each)) best = &each;
  }
  if (best == nullptr) return std::nullopt;
  if (!names_values(*best)) return std::vector{best->key};
  std::vector<std::string> values;
  for (const std::string& each : best->values) values.push_back(best->key + "=" + each);
  return values;
}

}  // namespace fairway::fleet
