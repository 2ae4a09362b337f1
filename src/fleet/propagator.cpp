#include "fleet/propagator.hpp"

#include <fmt/format.h>

#include "fleet/propagator_child.hpp"

namespace fairway::fleet {
namespace {

void delete_child(kube::Plan<PolicyAction>& plan, const json::Object& child) {
  if (!kube::is_being_deleted(child))
    plan.actions.emplace_back(DeleteChild{kube::key_of(child), std::string(kube::uid_of(child))});
}

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
    return fmt::format("write the status of {}: {}", action.key.to_string(), json::serialize(action.status));
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

kube::Plan<PolicyAction> decide_policy(const PolicyObserved& seen) {
  kube::Plan<PolicyAction> plan;
  const bool has_root = seen.bound.root && !kube::is_being_deleted(*seen.bound.root);
  const Enforcement enforcement = has_root ? enforcement_of(seen.bound) : Enforcement{};
  for (const auto& [ns, child] : seen.children) {
    if (!enforcement.bound.contains(ns) && seen.clusters->contains(ns)) delete_child(plan, *child);
  }
  if (!has_root) return plan;
  for (const std::string& cluster : enforcement.bound) {
    if (!seen.clusters->contains(cluster)) {
      plan.notes.push_back(fmt::format("{} is no managed cluster: it gets no child", cluster));
      continue;
    }
    const auto word = enforcement.enforced.find(cluster);
    json::Object want =
        desired_child(seen.bound, cluster, word == enforcement.enforced.end() ? "" : word->second);
    const auto have = seen.children.find(cluster);
    if (have == seen.children.end()) {
      plan.actions.emplace_back(CreateChild{std::move(want)});
    } else if (!kube::is_being_deleted(*have->second)) {
      json::Object corrected = corrected_child(*have->second, want);
      if (!corrected.empty()) plan.actions.emplace_back(UpdateChild{std::move(corrected)});
    }
  }
  json::Object status = desired_status(seen.bound, enforcement, seen.children);
  const json::Object* before = json::get_object(*seen.bound.root, {"status"});
  if (!json::same_value(before == nullptr ? json::Object() : *before, status)) {
    plan.actions.emplace_back(WritePolicyStatus{
        seen.key, std::string(kube::resource_version_of(*seen.bound.root)), std::move(status)});
  }
  return plan;
}

bool is_foreign(const json::Object& policy, const ClusterTable& clusters) {
  return clusters.contains(kube::namespace_of(policy)) && !kube::label(policy, kRootLabel);
}

}  // namespace fairway::fleet
