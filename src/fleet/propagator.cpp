#include "fleet/propagator.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <iterator>

#include "fleet/propagator_child.hpp"

namespace fairway::fleet {
namespace {

struct Describe {
  std::string operator()(const CreateChild& action) const {
    return fmt::format("create {} ({})", kube::key_of(action.object).to_string(), word(action.object));
  }
  std::string operator()(const UpdateChild& action) const {
    return fmt::format("update {} ({})", kube::key_of(action.object).to_string(), word(action.object));
  }
  std::string operator()(const DeleteChild& action) const {
    return fmt::format("delete {}", action.key.to_string());
  }
  std::string operator()(const WritePolicyStatus& action) const {
    return fmt::format("write the status of {}: {} over {} clusters", action.key.to_string(),
                       action.compliant.empty() ? "undecided" : action.compliant, action.clusters);
  }

 private:
  static std::string_view word(const json::Object& child) {
    return json::get_string(child, {"spec", "remediationAction"}).value_or("");
  }
};

}  // namespace

std::string describe(const PolicyAction& action) {
  return std::visit(Describe{}, action);
}

std::optional<json::Object> wanted_child(const PolicyBindings& bound, const Enforcement& enforcement,
                                         const ClusterTable& clusters, const std::string& cluster) {
  if (!enforcement.bound.contains(cluster) || !clusters.contains(cluster)) return std::nullopt;
  const auto word = enforcement.enforced.find(cluster);
  return desired_child(bound, cluster, word == enforcement.enforced.end() ? "" : word->second);
}

std::optional<PolicyAction> correct_child(const json::Object* have, std::optional<json::Object> want) {
  if (have != nullptr && kube::is_being_deleted(*have)) return std::nullopt;
  if (!want) {
    if (have == nullptr) return std::nullopt;
    return DeleteChild{kube::key_of(*have), std::string(kube::uid_of(*have))};
  }
  if (have == nullptr) return CreateChild{*std::move(want)};
  json::Object corrected = corrected_child(*have, *want);
  if (corrected.empty()) return std::nullopt;
  return UpdateChild{std::move(corrected)};
}

std::set<std::string> changed_clusters(const Enforcement& before, const Enforcement& after) {
  std::set<std::string> changed;
  std::ranges::set_symmetric_difference(before.bound, after.bound, std::inserter(changed, changed.end()));
  std::vector<std::pair<std::string, std::string>> words;
  std::ranges::set_symmetric_difference(before.enforced, after.enforced, std::back_inserter(words));
  for (auto& [cluster, word] : words) changed.insert(std::move(cluster));
  return changed;
}

kube::Plan<PolicyAction> decide_policy(const PolicyObserved& seen) {
  kube::Plan<PolicyAction> plan;
  const bool has_root = seen.bound.root && !kube::is_being_deleted(*seen.bound.root);
  const Enforcement enforcement = has_root ? enforcement_of(seen.bound) : Enforcement{};
  const auto act = [&](std::optional<PolicyAction> action) {
    if (action) plan.actions.push_back(*std::move(action));
  };
  for (const auto& [ns, child] : seen.children) {
    if (!enforcement.bound.contains(ns) && seen.clusters->contains(ns)) act(correct_child(child.get(), {}));
  }
  if (!has_root) return plan;
  for (const std::string& cluster : enforcement.bound) {
    if (!seen.clusters->contains(cluster)) {
      plan.notes.push_back(fmt::format("{} is no managed cluster: it gets no child", cluster));
      continue;
    }
    const auto have = seen.children.find(cluster);
    act(correct_child(have == seen.children.end() ? nullptr : have->second.get(),
                      wanted_child(seen.bound, enforcement, *seen.clusters, cluster)));
  }
  act(correct_status(seen.bound, enforcement, [&](const std::string& cluster) -> std::string_view {
    const auto child = seen.children.find(cluster);
    return child == seen.children.end() ? "" : compliance_of_child(*child->second);
  }));
  return plan;
}

bool is_foreign(const json::Object& policy, const ClusterTable& clusters) {
  return clusters.contains(kube::namespace_of(policy)) && !kube::label(policy, kRootLabel);
}

}  // namespace fairway::fleet
