// What rollouts are woken by, and what is looked at then.
#include "fleet/hub/rollout_controller.hpp"

#include <deque>

#include "fleet/hub/kinds.hpp"
#include "fleet/hub/requests.hpp"
#include "fleet/hub/waking.hpp"
#include "fleet/phase.hpp"
#include "fleet/validation.hpp"

namespace fairway::fleet {
namespace {

constexpr const char* kRolloutIndex = "rollout";
constexpr const char* kTemplateIndex = "template";
constexpr const char* kConfigIndex = "pre-caching-config";

// What those who wait for a rollout look at.
bool is_same_blocker(const ClusterGroupUpgrade* before, const ClusterGroupUpgrade* after) {
  if (before == nullptr || after == nullptr) return before == after;
  const auto* ended_before = kube::find_condition(before->status.conditions, kSucceeded);
  const auto* ended_after = kube::find_condition(after->status.conditions, kSucceeded);
  if ((ended_before == nullptr) != (ended_after == nullptr)) return false;
  if (ended_before != nullptr && ended_before->status != ended_after->status) return false;
  return before->status.clusters == after->status.clusters &&
         before->spec.blocking_crs == after->spec.blocking_crs;
}

// Actions of one kind side by side, those of another after them: their order is what keeps a rollout safe.
std::size_t group_of(const Action& action) {
  if (std::holds_alternative<EnsureBinding>(action) || std::holds_alternative<RepairOwned>(action))
    return Action(EnsurePlacement{}).index();
  return action.index();
}

// Whether a rollout would find the same in it: what a placement has come to is told by others, often.
bool is_same_placement(const json::Object& before, const json::Object& after) {
  const auto same = [&](std::string_view part) {
    const json::Value* was = json::find(before, {"metadata", part});
    const json::Value* is = json::find(after, {"metadata", part});
    return was == nullptr || is == nullptr ? was == is : json::same_value(*was, *is);
  };
  return kube::generation_of(after) > 0 && same("generation") && same("labels") && same("annotations") &&
         same("deletionTimestamp") && waiting_message(before) == waiting_message(after);
}

bool is_alone(const Action& action) {
  return std::holds_alternative<WriteStatus>(action) || std::holds_alternative<AddFinalizer>(action) ||
         std::holds_alternative<RemoveFinalizer>(action);
}

}  // namespace

RolloutController::RolloutController(kube::Runtime& runtime, RolloutSettings settings,
                                     metrics::Registry& registry)
    : runtime_(runtime),
      settings_(settings),
      decisions_(std::make_shared<const Settings>(settings.decisions)),
      clusters_(runtime.cache(kManagedClusters)),
      events_(runtime.client(), registry, [this] { return controller_->queue().ready() > 0; }),
      jobs_(runtime, registry),
      reporter_("fleet", runtime.events()),
      writes_(runtime.client().clock()),
      rollouts_(runtime.cache<ClusterGroupUpgrade>()),
      policy_cache_(runtime.cache(kPolicies)),
      bindings_(runtime.cache(kPlacementBindings, {.label_selector = std::string(kRolloutLabel)})) {
  controller_ = &runtime.add_controller({.name = "fleet",
                                         .workers = settings_.workers,
                                         .backoff = {.cap = std::chrono::minutes(2)},
                                         .metrics = &registry},
                                        [this](kube::ObjectKey key) { return reconcile(std::move(key)); });
  clusters_.on_change([this](const ManagedClusters::Change& change) { take_cluster(change); });
  subscriptions_.push_back(
      rollouts_.on_change([this](const kube::Change<ClusterGroupUpgrade>& change) { take_rollout(change); }));
  subscriptions_.push_back(
      policy_cache_.on_change([this](const kube::Change<json::Object>& change) { take_policy(change); }));
  controller_->watch<ClusterGroupUpgrade>(rollouts_);
  controller_->watch<json::Object>(clusters_.cache(), nobody);
  controller_->watch<json::Object>(policy_cache_, nobody);
  follow_owned(bindings_);
}

RolloutController::~RolloutController() = default;

Task<void> RolloutController::prepare() {
  kube::Client& client = runtime_.client();
  for (const kube::ResourceType& type : {kRollouts, kManagedClusters, kPolicies, kPlacementBindings})
    FAIRWAY_CO_CHECKED(co_await require_kind(client, type, "fleet"));
  const kube::Selection ours{.label_selector = std::string(kRolloutLabel)};
  FAIRWAY_CO_TRY(const bool has_placements, co_await has_kind(client, kPlacements));
  if (has_placements) follow_placements(*(placements_ = &runtime_.cache(kPlacements, ours)));
  FAIRWAY_CO_TRY(const bool has_rules, co_await has_kind(client, kPlacementRules));
  if (has_rules) follow_placements(*(rules_ = &runtime_.cache(kPlacementRules, ours)));
  FAIRWAY_CO_TRY(const bool has_works, co_await has_kind(client, kWorks));
  if (has_works) follow_owned(*(works_ = &runtime_.cache(kWorks, ours)));
  FAIRWAY_CO_TRY(const bool has_templates, co_await has_kind(client, kWorkTemplates));
  if (has_works && has_templates) follow_templates(*(work_templates_ = &runtime_.cache(kWorkTemplates)));
  FAIRWAY_CO_CHECKED(co_await jobs_.prepare());
  if (jobs_.configs() != nullptr) follow_precaching_configs(*jobs_.configs());
  const bool is_rule = settings_.decisions.placement_kind == PlacementKind::PlacementRule;
  FAIRWAY_CO_CHECKED(co_await require_kind(client, is_rule ? kPlacementRules : kPlacements, "fleet"));
  co_return Result<void>{};
}

void RolloutController::index_owned(kube::ObjectCache& cache) {
  cache.add_index(kRolloutIndex, [](const json::Object& object) {
    std::vector<std::string> values;
    for (const kube::ObjectKey& key : rollout_of(object)) values.push_back(key.to_string());
    return values;
  });
}

void RolloutController::follow_owned(kube::ObjectCache& cache) {
  index_owned(cache);
  controller_->watch<json::Object>(cache, rollout_of);
}

void RolloutController::follow_placements(kube::ObjectCache& cache) {
  index_owned(cache);
  controller_->watch<json::Object>(cache, nobody);
  subscriptions_.push_back(cache.on_change([this](const kube::Change<json::Object>& change) {
    if (change.before && change.after && is_same_placement(*change.before, *change.after)) return;
    for (const auto& each : {change.before, change.after}) {
      if (each) enqueue(rollout_of(*each));
    }
  }));
}

// Rollouts that name a template are looked at when it comes, changes or goes.
void RolloutController::follow_templates(kube::ObjectCache& cache) {
  rollouts_.add_index(kTemplateIndex, [](const ClusterGroupUpgrade& rollout) {
    std::vector<std::string> values;
    for (const std::string& each : rollout.spec.manifest_work_templates)
      values.push_back(kube::ObjectKey{rollout.metadata.namespace_, each}.to_string());
    return values;
  });
  controller_->watch<json::Object>(cache, [this](const json::Object& object) {
    const auto& keys = rollouts_.keys_by_index(kTemplateIndex, kube::key_of(object).to_string());
    return std::vector<kube::ObjectKey>(keys.begin(), keys.end());
  });
}

void RolloutController::follow_precaching_configs(kube::ObjectCache& cache) {
  rollouts_.add_index(kConfigIndex, [](const ClusterGroupUpgrade& rollout) {
    const auto named = precaching_config_of(rollout);
    if (!named) return std::vector<std::string>{};
    return std::vector{kube::ObjectKey{named->namespace_, named->name}.to_string()};
  });
  controller_->watch<json::Object>(cache, [this](const json::Object& object) {
    const auto& keys = rollouts_.keys_by_index(kConfigIndex, kube::key_of(object).to_string());
    return std::vector<kube::ObjectKey>(keys.begin(), keys.end());
  });
}

void RolloutController::take_rollout(const kube::Change<ClusterGroupUpgrade>& change) {
  if (change.after) {
    index_.put(change.key, *change.after);
  } else {
    index_.remove(change.key);
  }
  if (!is_same_blocker(change.before.get(), change.after.get())) enqueue(index_.blocked_by(change.key));
}

void RolloutController::take_policy(const kube::Change<json::Object>& change) {
  const PolicyBook::Change told = policies_.take(change);
  const auto find = [this](std::string_view name) { return clusters_.find(name); };
  if (!told.clusters.empty()) enqueue(index_.concerned(told.policy, told.clusters, find));
  if (told.child) enqueue(index_.preparing(told.policy, std::span(&*told.child, 1), find));
  if (told.is_other_root) enqueue(index_.preparing_with_policy(told.policy));
}

void RolloutController::take_cluster(const ManagedClusters::Change& change) {
  if (change.has_new_labels()) enqueue(index_.preparing_with_cluster(change.before, change.after));
  if (change.has_new_availability()) enqueue(index_.rolling_with_cluster(change.name));
}

std::vector<Observed::Object> RolloutController::owned(const kube::ObjectCache* cache,
                                                       const kube::ObjectKey& key) const {
  if (cache == nullptr) return {};
  return cache->by_index(kRolloutIndex, key.to_string());
}

// Its blockers, and theirs: who waits for whom may be a circle.
void RolloutController::observe_blockers(Observed& seen) const {
  std::deque<std::shared_ptr<const ClusterGroupUpgrade>> open = {seen.rollout};
  while (!open.empty()) {
    for (const RolloutReference& each : open.front()->spec.blocking_crs) {
      const kube::ObjectKey key{each.namespace_, each.name};
      if (seen.others.contains(key)) continue;
      auto blocker = rollouts_.get(key);
      if (!blocker) continue;
      seen.others.emplace(key, blocker);
      open.push_back(std::move(blocker));
    }
    open.pop_front();
  }
}

void RolloutController::observe_precaching(Observed& seen) const {
  if (!seen.rollout->spec.pre_caching) return;
  std::vector<kube::ObjectKey> roots;
  for (const auto& [name, views] : seen.policies) {
    for (const auto& view : views) {
      if (view->root) roots.push_back({view->namespace_, view->name});
    }
  }
  seen.precache_problem = jobs_.precache_spec_of(*seen.rollout, roots).problem;
}

std::optional<PlatformFields> RolloutController::release_of(const kube::ObjectKey& key) const {
  const auto rollout = rollouts_.get(key);
  if (!rollout || !std::holds_alternative<phase::Preparing>(phase_of(rollout.get()))) return std::nullopt;
  std::vector<PlatformFields> asked;
  for (const std::string& each : rollout->spec.managed_policies) {
    for (const auto& view : policies_.find(bare_name(each))) {
      if (view->root) asked.insert(asked.end(), view->root->platform.begin(), view->root->platform.end());
    }
  }
  PlatformVerdict verdict = judge_platform(asked, rollout->spec.pre_caching);
  if (!verdict.needs_lookup) return std::nullopt;
  return std::move(verdict.fields);
}

Task<std::optional<bool>> RolloutController::look_up_release(kube::ObjectKey key) {
  const auto asked = settings_.update_graph ? release_of(key) : std::nullopt;
  if (!asked) co_return std::nullopt;
  FAIRWAY_CO_TRY(const bool is_found, co_await settings_.update_graph->has_release(*asked));
  co_return is_found;
}

Observed RolloutController::observe(const kube::ObjectKey& key, std::optional<bool> is_image_found) {
  Observed seen{.key = key,
                .rollout = rollouts_.get(key),
                .clusters = clusters_.table(),
                .unavailable = clusters_.unavailable(),
                .is_image_found = is_image_found,
                .now = runtime_.client().clock().now(),
                .settings = decisions_};
  if (!seen.rollout) return seen;
  const auto add = [&](const std::string& policy) {
    auto views = policies_.find(policy);
    if (!views.empty()) seen.policies.emplace(policy, std::move(views));
  };
  for (const std::string& each : seen.rollout->spec.managed_policies) add(bare_name(each));
  for (const PolicyReference& each : seen.rollout->status.managed_policies_for_upgrade) add(each.name);
  observe_blockers(seen);
  observe_precaching(seen);
  seen.bindings = owned(&bindings_, key);
  seen.placements = owned(placements_, key);
  for (Observed::Object& each : owned(rules_, key)) seen.placements.push_back(std::move(each));
  seen.works = owned(works_, key);
  for (const std::string& each : seen.rollout->spec.manifest_work_templates) {
    auto found = work_templates_ == nullptr ? nullptr : work_templates_->get({key.namespace_, each});
    if (found) seen.templates.emplace(each, std::move(found));
  }
  return seen;
}

Task<kube::ReconcileResult> RolloutController::reconcile(kube::ObjectKey key) {
  if (const auto until = writes_.awaited_until(key))
    co_return kube::ReconcileResult{until, "what was written is not in the caches yet"};
  FAIRWAY_CO_TRY(const std::optional<bool> is_image_found, co_await look_up_release(key));
  // What was seen goes before anything is done: the tables in it can then be changed in place.
  const kube::Plan<Action> plan = decide(observe(key, is_image_found));
  reporter_.tell_notes(key, plan.notes);
  std::vector<kube::PlannedStep> steps;
  for (std::size_t i = 0; i < plan.actions.size(); ++i) {
    const Action& action = plan.actions[i];
    std::size_t stage = steps.empty() ? 0 : steps.back().stage;
    if (i > 0 && (is_alone(action) || group_of(action) != group_of(plan.actions[i - 1]))) ++stage;
    steps.push_back({.description = describe(action), .stage = stage, .act = [this, &key, &action] {
                       return act(key, action);
                     }});
  }
  kube::PlanExecutor executor(runtime_.client().clock(),
                              {.concurrency = 8, .max_retries = 0, .on_step = log_quietly});
  FAIRWAY_CO_TRY(const kube::ExecutionReport report, co_await executor.execute(std::move(steps)));
  if (report.error) co_return std::unexpected(*report.error);
  co_return kube::ReconcileResult{plan.wake_at, plan.wake_reason};
}

}  // namespace fairway::fleet
