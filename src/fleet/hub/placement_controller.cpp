#include "fleet/hub/placement_controller.hpp"

#include <algorithm>

#include "fleet/hub/kinds.hpp"
#include "fleet/hub/requests.hpp"
#include "fleet/hub/waking.hpp"
#include "kube/runtime/control_loop.hpp"

namespace fairway::fleet {
namespace {

constexpr const char* kPlacementIndex = "placement";
constexpr std::string_view kAnyCluster = "*";

std::string index_value(std::string_view ns, std::string_view name) {
  return std::string(ns) + "/" + std::string(name);
}

std::optional<BoundSet> bound_set(const json::Object& set) {
  const std::string name(kube::name_of(set));
  const auto type = json::get_string(set, {"spec", "clusterSelector", "selectorType"});
  if (type == "LabelSelector") {
    auto selector = read_selector(json::get_object(set, {"spec", "clusterSelector", "labelSelector"}));
    if (!selector) return std::nullopt;
    return BoundSet{name, *std::move(selector)};
  }
  return BoundSet{name, kube::Selector::from_labels({{std::string(kClusterSetLabel), name}})};
}

}  // namespace

PlacementController::PlacementController(kube::Runtime& runtime, PlacementSettings settings,
                                         metrics::Registry& registry)
    : runtime_(runtime),
      registry_(registry),
      settings_(settings),
      clusters_(runtime.cache(kManagedClusters)),
      decisions_(runtime.cache(kPlacementDecisions)) {
  decisions_.add_index(kPlacementIndex, [](const json::Object& each) {
    return std::vector{index_value(kube::namespace_of(each), placement_of(each))};
  });
  clusters_.on_change([this](const ManagedClusters::Change& change) { enqueue_matching(change); });
}

PlacementController::~PlacementController() = default;

Task<void> PlacementController::prepare() {
  kube::Client& client = runtime_.client();
  FAIRWAY_CO_CHECKED(co_await require_kind(client, kPlacements, "placement"));
  FAIRWAY_CO_CHECKED(co_await require_kind(client, kManagedClusters, "placement"));
  add_kind(placements_, kPlacements, registry_);
  placements_.controller->watch<json::Object>(decisions_, [](const json::Object& each) {
    return std::vector{kube::ObjectKey{std::string(kube::namespace_of(each)), placement_of(each)}};
  });
  FAIRWAY_CO_TRY(const bool has_rules, co_await has_kind(client, kPlacementRules));
  if (has_rules) add_kind(rules_, kPlacementRules, registry_);
  FAIRWAY_CO_TRY(const bool has_sets, co_await has_kind(client, kClusterSets));
  FAIRWAY_CO_TRY(const bool has_bindings, co_await has_kind(client, kClusterSetBindings));
  if (has_sets && has_bindings) {
    sets_ = &runtime_.cache(kClusterSets);
    bindings_ = &runtime_.cache(kClusterSetBindings);
    const auto in_namespace = [this](const json::Object& binding) {
      enqueue_namespace(kube::namespace_of(binding));
      return std::vector<kube::ObjectKey>{};
    };
    placements_.controller->watch<json::Object>(*bindings_, in_namespace);
    placements_.controller->watch<json::Object>(*sets_, [this](const json::Object&) {
      enqueue_namespace({});
      return std::vector<kube::ObjectKey>{};
    });
  }
  co_return Result<void>{};
}

void PlacementController::add_kind(Kind& kind, const kube::ResourceType& type, metrics::Registry& registry) {
  const bool is_rule = kind.kind == PlacementKind::PlacementRule;
  kube::ControlLoop<PlacementObserved, PlacementAction> loop{
      .observe = [this, &kind](kube::ObjectKey key) { return observe(kind, std::move(key)); },
      .decide = decide_placement,
      .act = [this](PlacementAction action) { return act(std::move(action)); },
      .execution = {.concurrency = 4, .max_retries = 0, .on_step = log_quietly}};
  kind.controller = &kube::add_control_loop<PlacementObserved, PlacementAction>(
      runtime_,
      {.name = is_rule ? "placement-rule" : "placement",
       .workers = settings_.workers,
       .backoff = {.cap = std::chrono::minutes(2)},
       .metrics = &registry},
      std::move(loop));
  kind.cache = &runtime_.cache(type);
  // Before the controller is told, so that a look finds the request.
  kind.subscription =
      kind.cache->on_change([this, &kind](const kube::Change<json::Object>& change) { take(kind, change); });
  kind.controller->watch<json::Object>(*kind.cache);
  kind.controller->watch<json::Object>(clusters_.cache(), nobody);
}

void PlacementController::take(Kind& kind, const kube::Change<json::Object>& change) {
  if (!change.after) {
    kind.requests.erase(change.key);
    kind.by_label.remove(change.key);
    return;
  }
  const bool is_same = change.before && kind.requests.contains(change.key) &&
                       kube::generation_of(*change.before) == kube::generation_of(*change.after) &&
                       kube::generation_of(*change.after) > 0;
  if (is_same) return;
  auto request = std::make_shared<const PlacementRequest>(PlacementRequest::from(*change.after));
  kind.by_label.put(change.key, request->required_labels().value_or(std::vector{std::string(kAnyCluster)}));
  kind.requests[change.key] = std::move(request);
}

void PlacementController::enqueue_matching(const ManagedClusters::Change& change) {
  std::vector<std::string> values = {std::string(kAnyCluster)};
  for (const Cluster& each : {change.before, change.after}) {
    if (!each) continue;
    const auto labels = each->label_values();
    values.insert(values.end(), labels.begin(), labels.end());
  }
  for (Kind* kind : {&placements_, &rules_}) {
    if (kind->controller == nullptr) continue;
    for (const std::string& value : values) {
      for (const kube::ObjectKey& key : kind->by_label.find(value)) kind->controller->enqueue(key);
    }
  }
}

void PlacementController::enqueue_namespace(std::string_view ns) {
  for (const auto& [key, request] : placements_.requests) {
    if (ns.empty() || key.namespace_ == ns) placements_.controller->enqueue(key);
  }
}

bool PlacementController::has_members(const BoundSet& set) const {
  const auto values = required_labels(set.members);
  if (!values) {
    return set.members.is_everything() ? clusters_.size() > 0
                                       : std::ranges::any_of(clusters_.all(), [&](const Cluster& each) {
                                           return each->matches_labels(set.members);
                                         });
  }
  return std::ranges::any_of(clusters_.with_any(*values),
                             [&](const Cluster& each) { return each->matches_labels(set.members); });
}

void PlacementController::observe_sets(PlacementObserved& seen) const {
  std::vector<BoundSet> sets;
  bool is_bound = false;
  if (bindings_ != nullptr) {
    for (const auto& binding : bindings_->all(seen.key.namespace_)) {
      is_bound = true;
      const auto name = json::get_string(*binding, {"spec", "clusterSet"});
      const auto set = name ? sets_->get({"", std::string(*name)}) : nullptr;
      if (auto bound = set ? bound_set(*set) : std::nullopt) sets.push_back(*std::move(bound));
    }
  }
  if (!is_bound && settings_.has_implicit_set) {
    seen.has_members = clusters_.size() > 0;
    return;
  }
  seen.has_members = std::ranges::any_of(sets, [&](const BoundSet& each) { return has_members(each); });
  seen.sets = std::move(sets);
}

Task<PlacementObserved> PlacementController::observe(Kind& kind, kube::ObjectKey key) {
  PlacementObserved seen{
      .key = key, .placement = kind.cache->get(key), .now = runtime_.client().clock().now()};
  const bool is_rule = kind.kind == PlacementKind::PlacementRule;
  if (!is_rule) seen.decisions = decisions_.by_index(kPlacementIndex, index_value(key.namespace_, key.name));
  if (!seen.placement) co_return seen;
  seen.request = kind.requests.at(key);
  const auto values = seen.request->required_labels();
  seen.candidates = values ? clusters_.with_any(*values) : clusters_.all();
  if (!is_rule) observe_sets(seen);
  co_return seen;
}

Task<void> PlacementController::act(PlacementAction action) {
  co_return co_await std::visit([this](auto& one) { return carry_out(std::move(one)); }, action);
}

Task<void> PlacementController::write_decisions(kube::ObjectKey key, std::string version,
                                                std::vector<std::string> clusters) {
  json::Object status;
  status["decisions"] = decision_rows(clusters);
  json::Object patch;
  patch["status"] = std::move(status);
  FAIRWAY_CO_CHECKED(co_await patch_seen(runtime_.client(), kPlacementDecisions.at(key, "status"),
                                         std::move(version), std::move(patch)));
  co_return Result<void>{};
}

Task<void> PlacementController::carry_out(CreateDecision action) {
  FAIRWAY_CO_TRY(const json::Object made,
                 co_await create_object(runtime_.client(), kPlacementDecisions, std::move(action.object),
                                        kube::Answer::Metadata));
  co_return co_await write_decisions(kube::key_of(made), std::string(kube::resource_version_of(made)),
                                     std::move(action.clusters));
}

Task<void> PlacementController::carry_out(WriteDecision action) {
  co_return co_await write_decisions(std::move(action.key), std::move(action.resource_version),
                                     std::move(action.clusters));
}

Task<void> PlacementController::carry_out(DeleteDecision action) {
  co_return co_await remove_seen(runtime_.client(), kPlacementDecisions.at(action.key), action.uid);
}

Task<void> PlacementController::carry_out(WritePlacementStatus action) {
  const kube::ResourceType& type = action.kind == PlacementKind::Placement ? kPlacements : kPlacementRules;
  json::Object patch;
  patch["status"] = std::move(action.status);
  FAIRWAY_CO_CHECKED(co_await patch_seen(runtime_.client(), type.at(action.key, "status"),
                                         std::move(action.resource_version), std::move(patch)));
  co_return Result<void>{};
}

}  // namespace fairway::fleet
