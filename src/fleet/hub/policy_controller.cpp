// What the propagator watches, and what each change makes due.
#include "fleet/hub/policy_controller.hpp"

#include <algorithm>

#include "fleet/hub/kinds.hpp"
#include "fleet/hub/placement_decide.hpp"
#include "fleet/hub/policy_indexes.hpp"
#include "fleet/hub/requests.hpp"
#include "fleet/hub/waking.hpp"

namespace fairway::fleet {
namespace {

bool has_same(const json::Object& left, const json::Object& right, json::Path path) {
  const json::Value* before = json::find(left, path);
  const json::Value* after = json::find(right, path);
  if (before == nullptr || after == nullptr) return before == after;
  return json::same_value(*before, *after);
}

// Whether what is copied, or compared with a copy, is the same in both.
bool is_same_policy(const json::Object& left, const json::Object& right) {
  return kube::generation_of(left) == kube::generation_of(right) && kube::generation_of(left) > 0 &&
         kube::is_being_deleted(left) == kube::is_being_deleted(right) &&
         has_same(left, right, {"metadata", "labels"}) && has_same(left, right, {"metadata", "annotations"});
}

}  // namespace

std::optional<kube::ObjectKey> root_of(const json::Object& policy) {
  const auto label = kube::label(policy, kRootLabel);
  if (!label) return std::nullopt;
  const std::size_t dot = label->find('.');
  if (dot == std::string_view::npos) return kube::ObjectKey{"", std::string(*label)};
  return kube::ObjectKey{std::string(label->substr(0, dot)), std::string(label->substr(dot + 1))};
}

PolicyController::PolicyController(kube::Runtime& runtime, PolicySettings settings,
                                   metrics::Registry& registry)
    : runtime_(runtime),
      settings_(settings),
      clusters_(runtime.cache(kManagedClusters)),
      policies_(runtime.cache(kPolicies)),
      bindings_(runtime.cache(kPlacementBindings)),
      templates_(runtime, [this](const std::string& ns) { take_looked_up(ns); }) {
  kube::ControllerOptions options{.name = "policy",
                                  .workers = settings_.workers,
                                  .backoff = {.cap = std::chrono::minutes(2)},
                                  .metrics = &registry};
  children_ =
      &runtime.add_controller(options, [this](kube::ObjectKey key) { return reconcile(std::move(key)); });
  options.name = "policy-status";
  statuses_ =
      &runtime.add_controller(options, [this](kube::ObjectKey key) { return roll_up(std::move(key)); });
  bindings_.add_index(kSubjectIndex, subject_values);
  bindings_.add_index(kReferenceIndex, reference_values);
  clusters_.on_change([this](const ManagedClusters::Change& change) { take_cluster(change); });
  watch_policies();
  watch_bindings();
}

PolicyController::~PolicyController() = default;

void PolicyController::watch_policies() {
  subscriptions_.push_back(
      policies_.on_change([this](const kube::Change<json::Object>& change) { take_policy(change); }));
  for (kube::Controller* each : {children_, statuses_}) {
    each->watch<json::Object>(policies_, nobody);
    each->watch<json::Object>(bindings_, nobody);
    each->watch<json::Object>(clusters_.cache(), nobody);
  }
}

void PolicyController::watch_bindings() {
  subscriptions_.push_back(bindings_.on_change([this](const kube::Change<json::Object>& change) {
    for (const auto& each : {change.before, change.after})
      if (each) take_binding(*each);
  }));
}

Task<void> PolicyController::prepare() {
  kube::Client& client = runtime_.client();
  FAIRWAY_CO_CHECKED(co_await require_kind(client, kPolicies, "policy"));
  FAIRWAY_CO_CHECKED(co_await require_kind(client, kPlacementBindings, "policy"));
  FAIRWAY_CO_CHECKED(co_await require_kind(client, kManagedClusters, "policy"));
  const auto follow = [this](kube::ObjectCache& cache, std::function<void(const json::Object&)> take) {
    for (kube::Controller* each : {children_, statuses_}) each->watch<json::Object>(cache, nobody);
    subscriptions_.push_back(
        cache.on_change([take = std::move(take)](const kube::Change<json::Object>& change) {
          for (const auto& each : {change.before, change.after})
            if (each) take(*each);
        }));
  };
  FAIRWAY_CO_TRY(const bool has_sets, co_await has_kind(client, kPolicySets));
  if (has_sets) {
    policy_sets_ = &runtime_.cache(kPolicySets);
    policy_sets_->add_index(kMemberIndex, member_values);
    follow(*policy_sets_, [this](const json::Object& set) { take_set(set); });
  }
  FAIRWAY_CO_TRY(const bool has_decisions, co_await has_kind(client, kPlacementDecisions));
  if (has_decisions) {
    decisions_ = &runtime_.cache(kPlacementDecisions);
    decisions_->add_index(kDecisionIndex, decision_values);
    follow(*decisions_, [this](const json::Object& decision) {
      take_placement("Placement", {std::string(kube::namespace_of(decision)), placement_of(decision)});
    });
  }
  FAIRWAY_CO_TRY(const bool has_rules, co_await has_kind(client, kPlacementRules));
  if (has_rules) {
    rules_ = &runtime_.cache(kPlacementRules);
    follow(*rules_,
           [this](const json::Object& rule) { take_placement("PlacementRule", kube::key_of(rule)); });
  }
  co_return Result<void>{};
}

void PolicyController::enqueue(const kube::ObjectKey& root) {
  children_->enqueue(root);
  statuses_->enqueue(root);
}

void PolicyController::make_stale(const kube::ObjectKey& root) {
  roots_[root].is_stale = true;
  enqueue(root);
}

void PolicyController::take_policy(const kube::Change<json::Object>& change) {
  const auto before = change.before ? root_of(*change.before) : std::nullopt;
  const auto after = change.after ? root_of(*change.after) : std::nullopt;
  if (before) take_child(change, *before);
  if (after && after != before) take_child(change, *after);
  const bool was_root = change.before && !before;
  const bool is_root = change.after && !after;
  if (was_root || is_root) take_root(change);
}

void PolicyController::take_child(const kube::Change<json::Object>& change, const kube::ObjectKey& root) {
  const std::string& cluster = change.key.namespace_;
  // One that only pretends: it goes, as everything foreign does.
  const bool is_real = change.key.name == root.namespace_ + "." + root.name;
  if (!is_real) return children_->enqueue(change.key);
  Root& state = roots_[root];
  if (change.after && root_of(*change.after) == root) {
    const Compliance compliance = compliance_of(compliance_of_child(*change.after));
    const auto [entry, is_new] = state.children.try_emplace(cluster, compliance);
    if (is_new || entry->second != compliance) statuses_->enqueue(root);
    entry->second = compliance;
  } else if (state.children.erase(cluster) > 0) {
    statuses_->enqueue(root);
  }
  if (change.before && change.after && is_same_policy(*change.before, *change.after)) return;
  state.due.insert(cluster);
  children_->enqueue(root);
}

void PolicyController::take_root(const kube::Change<json::Object>& change) {
  if (clusters_.contains(change.key.namespace_)) return children_->enqueue(change.key);
  Root& state = roots_[change.key];
  if (change.before && change.after && is_same_policy(*change.before, *change.after)) {
    state.bound.root = change.after;
    return statuses_->enqueue(change.key);
  }
  state.is_whole_due = true;
  make_stale(change.key);
}

void PolicyController::take_binding(const json::Object& binding) {
  for (const std::string& value : subject_values(binding)) {
    const auto [kind, key] = read_value(value);
    if (kind == "Policy") make_stale(key);
    if (kind != "PolicySet" || policy_sets_ == nullptr) continue;
    if (const auto set = policy_sets_->get(key)) take_set(*set);
  }
}

void PolicyController::take_set(const json::Object& set) {
  for (const std::string& value : member_values(set)) make_stale(read_value(value).second);
  // Policies that depend on the set have its members in their children.
  const auto ns = kube::namespace_of(set);
  for (auto root = roots_.lower_bound({std::string(ns), ""});
       root != roots_.end() && root->first.namespace_ == ns; ++root) {
    root->second.is_whole_due = true;
    make_stale(root->first);
  }
}

void PolicyController::take_placement(std::string_view kind, const kube::ObjectKey& placement) {
  for (const auto& each : bindings_.by_index(kReferenceIndex, index_value(kind, placement)))
    take_binding(*each);
}

void PolicyController::take_looked_up(const std::string& ns) {
  for (auto root = roots_.lower_bound({ns, ""}); root != roots_.end() && root->first.namespace_ == ns;
       ++root) {
    if (!root->second.has_templates) continue;
    root->second.is_whole_due = true;
    children_->enqueue(root->first);
  }
}

void PolicyController::take_cluster(const ManagedClusters::Change& change) {
  const bool has_come_or_gone = !change.before || !change.after;
  for (auto& [key, root] : roots_) {
    const bool is_concerned =
        (has_come_or_gone &&
         (root.enforcement->bound.contains(change.name) || root.children.contains(change.name))) ||
        (root.has_templates && change.has_new_labels() && root.enforcement->bound.contains(change.name));
    if (!is_concerned) continue;
    root.due.insert(change.name);
    children_->enqueue(key);
  }
  if (change.before) return;
  for (const auto& each : policies_.all(change.name)) children_->enqueue(kube::key_of(*each));
}

PolicyBindings PolicyController::bindings_of(const kube::ObjectKey& root) const {
  PolicyBindings bound{.root = policies_.get(root)};
  if (!bound.root || root_of(*bound.root) || kube::is_being_deleted(*bound.root)) {
    bound.root.reset();
    return bound;
  }
  const auto add = [&](const std::string& subject) {
    for (const auto& each : bindings_.by_index(kSubjectIndex, subject)) {
      const kube::ObjectKey key = kube::key_of(*each);
      const auto is_same = [&](const auto& other) { return kube::key_of(*other) == key; };
      if (!subject.starts_with("Policy ") && std::ranges::any_of(bound.bindings, is_same)) continue;
      bound.bindings.push_back(each);
    }
  };
  add(index_value("Policy", root));
  if (policy_sets_ != nullptr) {
    bound.policy_sets = policy_sets_->all(root.namespace_);
    for (const auto& set : policy_sets_->by_index(kMemberIndex, index_value("Policy", root)))
      add(index_value("PolicySet", kube::key_of(*set)));
  }
  for (const auto& each : bound.bindings) {
    const auto kind = json::get_string(*each, {"placementRef", "kind"}).value_or("");
    const auto name = json::get_string(*each, {"placementRef", "name"}).value_or("");
    auto chosen = chosen_by(root.namespace_, kind, name);
    if (!chosen.empty())
      bound.decisions.emplace(std::string(kind) + " " + std::string(name), std::move(chosen));
  }
  return bound;
}

std::vector<std::string> PolicyController::chosen_by(std::string_view ns, std::string_view kind,
                                                     std::string_view name) const {
  const kube::ObjectKey key{std::string(ns), std::string(name)};
  if (kind == "PlacementRule") {
    const auto rule = rules_ == nullptr ? nullptr : rules_->get(key);
    return rule ? decided_clusters(*rule) : std::vector<std::string>{};
  }
  std::vector<std::string> all;
  if (decisions_ == nullptr) return all;
  for (const auto& each : decisions_->by_index(kDecisionIndex, index_value("Placement", key))) {
    const auto clusters = decided_clusters(*each);
    all.insert(all.end(), clusters.begin(), clusters.end());
  }
  std::ranges::sort(all);
  const auto rest = std::ranges::unique(all);
  all.erase(rest.begin(), rest.end());
  return all;
}

void PolicyController::refresh(const kube::ObjectKey& key, Root& root) {
  if (!root.is_stale) return;
  root.is_stale = false;
  root.bound = bindings_of(key);
  auto next =
      std::make_shared<const Enforcement>(root.bound.root ? enforcement_of(root.bound) : Enforcement{});
  if (!root.is_whole_due) root.due.merge(changed_clusters(*root.enforcement, *next));
  root.has_templates = root.bound.root && has_hub_templates(*root.bound.root);
  root.enforcement = std::move(next);
}

}  // namespace fairway::fleet
