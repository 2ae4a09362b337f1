#include "fleet/propagator_sets.hpp"

#include <algorithm>
#include <fmt/format.h>

#include "base/text.hpp"

namespace fairway::fleet {
namespace {

constexpr std::string_view kGroup = "policy.open-cluster-management.io";

// One way from a binding to the policy: directly, or through a set.
struct Route {
  std::string binding;
  std::string placement;   // its name
  std::string kind;        // Placement or PlacementRule
  std::string policy_set;  // empty: directly
  bool is_restricted = false;
  std::string override_text;  // enforce, as written; empty: none
  std::vector<std::string> clusters;
  std::vector<std::string> excluded = {};  // by the set

  std::string sort_key() const {
    return fmt::format("{} {} {} {}", binding, kind == "Placement" ? placement : "",
                       kind == "PlacementRule" ? placement : "", policy_set);
  }
};

bool is_placement_reference(std::string_view group, std::string_view kind) {
  return (kind == "Placement" && group == "cluster.open-cluster-management.io") ||
         (kind == "PlacementRule" && group == "apps.open-cluster-management.io");
}

// Each subject that leads to the policy: "" for itself, else the name of the set.
std::vector<std::string> subjects_for(const json::Object& binding, std::string_view policy,
                                      const PolicyBindings& seen) {
  std::vector<std::string> found;
  const json::Array* subjects = json::get_array(binding, {"subjects"});
  for (const json::Value& each : subjects == nullptr ? json::Array() : *subjects) {
    if (!each.is_object() || json::text_at(each.get_object(), {"apiGroup"}) != kGroup) continue;
    const std::string kind = json::text_at(each.get_object(), {"kind"});
    const std::string name = json::text_at(each.get_object(), {"name"});
    std::optional<std::string> way;
    if (kind == "Policy" && name == policy) way = "";
    if (kind == "PolicySet") {
      const auto policies = policies_of_set(seen, name);
      if (std::ranges::find(policies, policy) != policies.end()) way = name;
    }
    if (way && std::ranges::find(found, *way) == found.end()) found.push_back(*std::move(way));
  }
  return found;
}

// Clusters that the set leaves out of this policy.
std::set<std::string_view> exclusions_of(const PolicyBindings& seen, std::string_view set,
                                         std::string_view policy) {
  std::set<std::string_view> names;
  for (const auto& each : seen.policy_sets) {
    if (kube::name_of(*each) != set) continue;
    const json::Array* exclusions = json::get_array(*each, {"spec", "exclusions"});
    if (exclusions == nullptr) continue;
    for (const json::Value& entry : *exclusions) {
      if (!entry.is_object() || json::get_string(entry.get_object(), {"policyName"}) != policy) continue;
      const json::Array* clusters = json::get_array(entry.get_object(), {"clusterNames"});
      if (clusters == nullptr) continue;
      for (const json::Value& cluster : *clusters) {
        if (cluster.is_string()) names.insert(json::view(cluster.get_string()));
      }
    }
  }
  return names;
}

// By this way alone: others may bind the same clusters.
void leave_out(Route& route, const std::set<std::string_view>& excluded) {
  const auto rest = std::ranges::stable_partition(
      route.clusters, [&](const std::string& each) { return !excluded.contains(each); });
  route.excluded.assign(rest.begin(), rest.end());
  route.clusters.erase(rest.begin(), rest.end());
}

std::vector<Route> routes_to(const PolicyBindings& seen) {
  std::vector<Route> routes;
  for (const auto& each : seen.bindings) {
    const json::Object& binding = *each;
    Route route{.binding = std::string(kube::name_of(binding)),
                .placement = json::text_at(binding, {"placementRef", "name"}),
                .kind = json::text_at(binding, {"placementRef", "kind"})};
    if (!is_placement_reference(json::text_at(binding, {"placementRef", "apiGroup"}), route.kind)) continue;
    route.is_restricted = json::text_at(binding, {"subFilter"}) == "restricted";
    const std::string override_text = json::text_at(binding, {"bindingOverrides", "remediationAction"});
    if (equals_ignoring_case(override_text, "enforce")) route.override_text = override_text;
    const auto chosen = seen.decisions.find(route.kind + " " + route.placement);
    if (chosen != seen.decisions.end()) route.clusters = chosen->second;
    for (const std::string& way : subjects_for(binding, kube::name_of(*seen.root), seen)) {
      routes.push_back(route);
      routes.back().policy_set = way;
      if (!way.empty()) leave_out(routes.back(), exclusions_of(seen, way, kube::name_of(*seen.root)));
    }
  }
  std::ranges::stable_sort(routes, {}, &Route::sort_key);
  return routes;
}

json::Object placement_row(const Route& route) {
  json::Object row{{"placementBinding", route.binding}};
  row[route.kind == "Placement" ? "placement" : "placementRule"] = route.placement;
  if (!route.policy_set.empty()) row["policySet"] = route.policy_set;
  json::Array decisions;
  if (route.clusters.size() <= kMostDecisions) {
    for (const std::string& each : route.clusters)
      decisions.push_back(json::Object{{"clusterName", each}, {"clusterNamespace", each}});
  }
  if (!decisions.empty()) row["decisions"] = std::move(decisions);
  json::Array exclusions;
  for (const std::string& each : route.excluded) exclusions.push_back(json::Object{{"clusterName", each}});
  if (!exclusions.empty()) row["exclusions"] = std::move(exclusions);
  return row;
}

}  // namespace

std::vector<std::string> policies_of_set(const PolicyBindings& seen, std::string_view name) {
  std::vector<std::string> names;
  for (const auto& each : seen.policy_sets) {
    if (kube::name_of(*each) != name) continue;
    const json::Array* policies = json::get_array(*each, {"spec", "policies"});
    for (const json::Value& policy : policies == nullptr ? json::Array() : *policies) {
      if (policy.is_string()) names.emplace_back(json::view(policy.get_string()));
    }
  }
  return names;
}

Enforcement enforcement_of(const PolicyBindings& seen) {
  Enforcement made;
  if (json::get_bool(*seen.root, {"spec", "disabled"}).value_or(false)) return made;
  const std::vector<Route> routes = routes_to(seen);
  for (const Route& each : routes) {
    if (!each.is_restricted) made.bound.insert(each.clusters.begin(), each.clusters.end());
  }
  for (const Route& each : routes) {
    const auto is_bound = [&](const std::string& cluster) { return made.bound.contains(cluster); };
    if (!each.is_restricted || std::ranges::any_of(each.clusters, is_bound))
      made.placement.push_back(placement_row(each));
    if (each.override_text.empty()) continue;
    for (const std::string& cluster : each.clusters) {
      if (is_bound(cluster)) made.enforced.try_emplace(cluster, each.override_text);
    }
  }
  return made;
}

}  // namespace fairway::fleet
