#include "fleet/selection.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <set>

#include "base/text.hpp"
#include "kube/core/selector.hpp"

namespace fairway::fleet {
namespace {

constexpr std::string_view kDetails =
    "Unable to select clusters: cannot obtain all the details about the clusters in the CR: ";

std::vector<std::string> each_once(const std::vector<std::string>& names) {
  std::set<std::string_view> seen;
  std::vector<std::string> out;
  for (const std::string& each : names) {
    if (seen.insert(each).second) out.push_back(each);
  }
  return out;
}

}  // namespace

Result<std::vector<kube::Selector>> selectors_of(const ClusterGroupUpgradeSpec& spec) {
  std::vector<kube::Selector> made;
  for (const std::string& item : spec.cluster_selector) {
    const auto parts = split(item, '=');
    if (parts.size() > 2) continue;
    made.push_back(kube::Selector::from_labels(
        {{std::string(parts[0]), std::string(parts.size() == 2 ? parts[1] : std::string_view())}}));
  }
  for (const kube::LabelSelector& each : spec.cluster_label_selectors) {
    FAIRWAY_TRY(auto selector, kube::Selector::from(each));
    made.push_back(std::move(selector));
  }
  return made;
}

std::int64_t computed_concurrency(std::int64_t asked, std::size_t clusters) {
  const auto all = static_cast<std::int64_t>(clusters);
  return asked > 0 && asked < all ? asked : all;
}

std::int64_t asked_concurrency(const ClusterGroupUpgradeSpec& spec, std::size_t clusters) {
  const auto asked = amount_of(controls_of(spec).max_concurrency, clusters);
  return computed_concurrency(asked.value_or(spec.remediation_strategy.max_concurrency), clusters);
}

Selection select_clusters(const ClusterGroupUpgradeSpec& spec, const ClusterTable& managed) {
  Selection made;
  if (spec.clusters.empty() && spec.cluster_selector.empty() && spec.cluster_label_selectors.empty()) {
    made.problem = std::string(kDetails) + "no cluster specified for remediation";
    return made;
  }
  const auto selectors = selectors_of(spec);
  if (!selectors) {
    made.problem = std::string(kDetails) + selectors.error().message;
    return made;
  }
  made.clusters = each_once(spec.clusters);
  const std::set<std::string> listed(made.clusters.begin(), made.clusters.end());
  for (const std::string& each : made.clusters) {
    if (!managed.contains(each)) made.missing.push_back(each);
  }
  if (!selectors->empty()) {
    for (const auto& [name, labels] : managed) {
      const auto matches = [&](const kube::Selector& each) { return each.matches(labels); };
      if (!listed.contains(name) && std::ranges::any_of(*selectors, matches)) made.clusters.push_back(name);
    }
  }
  made.max_concurrency = asked_concurrency(spec, made.clusters.size());
  made.canaries = each_once(spec.remediation_strategy.canaries);
  if (!made.missing.empty()) {
    made.problem =
        fmt::format("Unable to select clusters: cluster {} is not a ManagedCluster", made.missing.front());
    return made;
  }
  const std::set<std::string_view> selected(made.clusters.begin(), made.clusters.end());
  for (const std::string& canary : made.canaries) {
    if (selected.contains(canary)) continue;
    made.problem =
        fmt::format("Unable to select clusters: canary cluster {} is not in the list of clusters", canary);
    return made;
  }
  return made;
}

}  // namespace fairway::fleet
