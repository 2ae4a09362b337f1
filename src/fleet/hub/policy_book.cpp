#include "fleet/hub/policy_book.hpp"

#include <algorithm>

#include "fleet/hub/policy_indexes.hpp"
#include "fleet/placements.hpp"
#include "fleet/propagator_child.hpp"

namespace fairway::fleet {
namespace {

// The root that a child comes from, by its name; nothing for what is no child. Copies that older controllers
// made for a rollout are none.
std::optional<kube::ObjectKey> root_of_child(const json::Object& policy) {
  if (!kube::label(policy, kRootLabel) || kube::label(policy, kRolloutLabel)) return std::nullopt;
  const std::string_view name = kube::name_of(policy);
  const std::size_t dot = name.find('.');
  if (dot == std::string_view::npos) return std::nullopt;
  return kube::ObjectKey{std::string(name.substr(0, dot)), std::string(name.substr(dot + 1))};
}

bool is_copy(const json::Object& policy) {
  return kube::label(policy, kRootLabel) || kube::label(policy, kRolloutLabel);
}

bool has_same_annotations(const json::Object& left, const json::Object& right) {
  static const json::Object kNone;
  const json::Object* before = json::get_object(left, {"metadata", "annotations"});
  const json::Object* after = json::get_object(right, {"metadata", "annotations"});
  return json::same_value(before == nullptr ? kNone : *before, after == nullptr ? kNone : *after);
}

bool has_same_generation(const json::Object& left, const json::Object& right) {
  return kube::generation_of(left) == kube::generation_of(right) && kube::generation_of(left) > 0;
}

// Whether the sorted names changed.
bool put(std::vector<std::string>& names, const std::string& name, bool is_in) {
  const auto found = std::ranges::lower_bound(names, name);
  const bool was_in = found != names.end() && *found == name;
  if (was_in == is_in) return false;
  if (is_in) {
    names.insert(found, name);
  } else {
    names.erase(found);
  }
  return true;
}

}  // namespace

PolicyView& PolicyBook::view(const kube::ObjectKey& key) {
  auto& shared = by_name_[key.name][key.namespace_];
  if (!shared) {
    shared = std::make_shared<PolicyView>(PolicyView{.namespace_ = key.namespace_, .name = key.name});
  } else if (shared.use_count() > 1) {
    shared = std::make_shared<PolicyView>(*shared);
  }
  return *shared;
}

void PolicyBook::drop_if_empty(const kube::ObjectKey& key) {
  const auto found = by_name_.find(key.name);
  const auto known = found->second.find(key.namespace_);
  if (known->second->root || !known->second->children.empty()) return;
  found->second.erase(known);
  if (found->second.empty()) by_name_.erase(found);
}

PolicyBook::Change PolicyBook::take(const kube::Change<json::Object>& change) {
  Change told;
  const json::Object& any = change.after ? *change.after : *change.before;
  if (const auto root = root_of_child(any)) {
    take_child(change, *root, told);
  } else if (!is_copy(any)) {
    take_root(change, told);
  }
  return told;
}

void PolicyBook::take_root(const kube::Change<json::Object>& change, Change& told) {
  told.policy = change.key.name;
  PolicyView& policy = view(change.key);
  if (!change.after) {
    told.clusters = changed_clusters(policy.compliance.get(), nullptr);
    told.is_other_root = policy.root != nullptr;
    policy.root.reset();
    policy.compliance.reset();
    return drop_if_empty(change.key);
  }
  const bool is_same = policy.root && change.before && has_same_generation(*change.before, *change.after) &&
                       has_same_annotations(*change.before, *change.after);
  if (!is_same) {
    auto root = RootPolicy::from(*change.after);
    told.is_other_root = !policy.root || *policy.root != *root;
    if (told.is_other_root) policy.root = std::move(root);
  }
  auto compliance = ComplianceTable::from(*change.after);
  // A status that says nothing of anybody is more than none: without any, nobody complies.
  const bool is_first = (policy.compliance == nullptr) != (compliance == nullptr);
  told.clusters = changed_clusters(policy.compliance.get(), compliance.get());
  told.is_other_root |= is_first;
  if (is_first || !told.clusters.empty()) policy.compliance = std::move(compliance);
}

void PolicyBook::take_child(const kube::Change<json::Object>& change, const kube::ObjectKey& root,
                            Change& told) {
  told.policy = root.name;
  const std::string& cluster = change.key.namespace_;
  if (change.before && change.after && has_same_generation(*change.before, *change.after)) return;
  PolicyView& policy = view(root);
  const bool is_there = change.after != nullptr;
  const bool is_unresolved = is_there && has_hub_templates(*change.after);
  const bool has_come_or_gone = put(policy.children, cluster, is_there);
  if (put(policy.unresolved, cluster, is_unresolved) || has_come_or_gone) told.child = cluster;
  drop_if_empty(root);
}

std::vector<std::shared_ptr<const PolicyView>> PolicyBook::find(std::string_view policy) const {
  const auto found = by_name_.find(policy);
  if (found == by_name_.end()) return {};
  std::vector<std::shared_ptr<const PolicyView>> views;
  for (const auto& [ns, view] : found->second) views.push_back(view);
  return views;
}

}  // namespace fairway::fleet
