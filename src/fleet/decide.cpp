#include "fleet/decide.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <set>

#include "fleet/aftermath.hpp"
#include "fleet/draft.hpp"

namespace fairway::fleet {
namespace {

const json::Object* find_object(const std::vector<Observed::Object>& objects, const json::Object& like) {
  for (const auto& each : objects) {
    if (kube::kind_of(*each) == kube::kind_of(like) && kube::key_of(*each) == kube::key_of(like))
      return each.get();
  }
  return nullptr;
}

// Whether anything was left to delete.
bool delete_all_owned(Draft& draft) {
  for (const auto& each : draft.seen.bindings) delete_owned(draft, *each);
  for (const auto& each : draft.seen.placements) delete_owned(draft, *each);
  for (const auto& each : draft.seen.works) delete_owned(draft, *each);
  return !draft.seen.bindings.empty() || !draft.seen.placements.empty() || !draft.seen.works.empty();
}

void repair(Draft& draft, const json::Object& have, const json::Object& want) {
  if (kube::is_being_deleted(have)) return;
  json::Object patch = repair_patch(have, want);
  if (patch.empty()) return;
  draft.act(RepairOwned{std::string(kube::kind_of(have)), kube::key_of(have),
                        std::string(kube::resource_version_of(have)), std::move(patch)});
}

// A policy that its root already enforces is waited for; there is nothing to turn.
bool has_placement(const Draft& draft, const PolicyReference& policy) {
  const PolicyView* view = find_policy(draft.seen.policies, policy.namespace_, policy.name);
  return view == nullptr || !view->root || view->root->remediation_action != "enforce";
}

kube::Plan<Action> decide_deleting(const Observed& seen) {
  Draft draft(seen);
  if (!delete_all_owned(draft)) draft.act(RemoveFinalizer{seen.rollout});
  return std::move(draft.plan);
}

kube::Plan<Action> decide_unclaimed(const Observed& seen) {
  Draft draft(seen);
  draft.act(AddFinalizer{
      seen.rollout, seen.rollout->spec.remediation_strategy.timeout == 0, {created_event(draft.name())}});
  return std::move(draft.plan);
}

// Whether a rollout that takes this one back is called for.
bool take_back(Draft& draft) {
  auto rollback = rollback_of(draft.rollout);
  if (!rollback) return false;
  draft.status.rollout.rollback = rollback->metadata.name;
  draft.act(CreateRollback{*std::move(rollback)});
  draft.write();
  return true;
}

void run_again(Draft& draft) {
  auto next = next_run(draft.rollout);
  if (!next) return;
  draft.status = *std::move(next);
  draft.write();
}

RolloutEvent end_event(const Draft& draft, const phase::Finished& at) {
  if (at.has_succeeded) return succeeded_event(draft.name(), draft.status);
  const auto* ended = kube::find_condition(draft.status.conditions, kSucceeded);
  if (ended->reason == kFailureThresholdExceeded) return failed_event(draft.name(), draft.status);
  return timed_out_event(draft.name(), draft.status);
}

kube::Plan<Action> decide_finished(const Observed& seen, const phase::Finished& at) {
  Draft draft(seen);
  draft.plan.conditions = draft.status.conditions;
  // When it is closed, too: one who was stopped in the middle may have gone on after the end.
  if (deletes_objects(*seen.rollout) && delete_all_owned(draft)) return std::move(draft.plan);
  if (at.is_closed) {
    if (!take_back(draft)) run_again(draft);
    return std::move(draft.plan);
  }
  if (deletes_objects(*seen.rollout)) {
    draft.status.placements.clear();
    draft.status.placement_rules.clear();
    draft.status.placement_bindings.clear();
    draft.status.safe_resource_names.clear();
  }
  RolloutProgress& progress = draft.status.status;
  progress.completed_at = whole_seconds(seen.now);
  progress.current_batch = 0;
  progress.current_batch_started_at.reset();
  progress.current_batch_remediation_progress.clear();
  draft.tell(end_event(draft, at));
  draft.write();
  return std::move(draft.plan);
}

struct Decide {
  const Observed& seen;

  kube::Plan<Action> operator()(const phase::Gone&) const { return {}; }
  kube::Plan<Action> operator()(const phase::Deleting&) const { return decide_deleting(seen); }
  kube::Plan<Action> operator()(const phase::Unclaimed&) const { return decide_unclaimed(seen); }
  kube::Plan<Action> operator()(const phase::Preparing&) const { return decide_preparing(seen); }
  kube::Plan<Action> operator()(const phase::Rolling& at) const { return decide_rolling(seen, at); }
  kube::Plan<Action> operator()(const phase::Finished& at) const { return decide_finished(seen, at); }
};

std::string progress_text(const ClusterGroupUpgradeStatus& status) {
  const RolloutProgress& progress = status.status;
  if (progress.completed_at) return ", closed";
  if (progress.current_batch == 0) return "";
  std::string text = fmt::format(", batch {} of {}:", progress.current_batch, status.remediation_plan.size());
  for (const auto& [name, at] : progress.current_batch_remediation_progress) {
    text += " " + name;
    for (const auto& index : {at.policy_index, at.manifest_work_index}) {
      if (index) text += fmt::format(" at {}", *index);
    }
    if (at.first_compliant_at) text += " soaking";
    if (at.state == ProgressState::Completed) text += " complete";
    text += ",";
  }
  text.pop_back();
  return text;
}

struct Describe {
  std::string operator()(const WriteStatus& action) const {
    const auto& conditions = action.status.conditions;
    return fmt::format("write the status: {}{}", conditions.empty() ? "" : conditions.back().reason,
                       progress_text(action.status));
  }
  std::string operator()(const AddFinalizer& action) const {
    return fmt::format("add the finalizer of {}", action.rollout->metadata.name);
  }
  std::string operator()(const RemoveFinalizer& action) const {
    return fmt::format("remove the finalizer of {}", action.rollout->metadata.name);
  }
  std::string operator()(const EnsurePlacement& action) const {
    const std::vector<std::string> clusters = clusters_in(action.object);
    if (clusters.empty()) return create(action.object);
    return fmt::format("{} that names [{}] for batch {}", create(action.object), fmt::join(clusters, " "),
                       batch_of(action.object));
  }
  std::string operator()(const EnsureBinding& action) const { return create(action.object); }
  std::string operator()(const CreateWork& action) const { return create(action.object); }
  std::string operator()(const RepairOwned& action) const {
    return fmt::format("repair {} {}: {}", action.kind, action.key.to_string(),
                       json::serialize(action.patch));
  }
  std::string operator()(const SetPlacementClusters& action) const {
    return fmt::format("{} {} names [{}] for batch {}", action.kind, action.key.to_string(),
                       fmt::join(action.clusters, " "), action.batch);
  }
  std::string operator()(const DeleteOwned& action) const {
    return fmt::format("delete {} {}", action.kind, action.key.to_string());
  }
  std::string operator()(const CreateRollback& action) const {
    return fmt::format("create ClusterGroupUpgrade {}/{}", action.rollout.metadata.namespace_,
                       action.rollout.metadata.name);
  }
  std::string operator()(const PatchManagedCluster& action) const {
    return fmt::format("patch ManagedCluster {}: {}", action.name, json::serialize(action.patch));
  }

 private:
  static std::string create(const json::Object& object) {
    return fmt::format("create {} {}", kube::kind_of(object), kube::key_of(object).to_string());
  }
};

}  // namespace

void delete_owned(Draft& draft, const json::Object& object) {
  if (kube::is_being_deleted(object)) {
    draft.note(
        fmt::format("waits until {} {} is gone", kube::kind_of(object), kube::key_of(object).to_string()));
  } else {
    draft.act(DeleteOwned{std::string(kube::kind_of(object)), kube::key_of(object),
                          std::string(kube::uid_of(object))});
  }
}

MissingPlacements tend_placements(Draft& draft) {
  MissingPlacements missing;
  const PlacementKind kind = draft.seen.settings->placement_kind;
  ClusterGroupUpgradeStatus& status = draft.status;
  auto& names = kind == PlacementKind::Placement ? status.placements : status.placement_rules;
  status.placements.clear();
  status.placement_rules.clear();
  status.placement_bindings.clear();
  status.safe_resource_names.clear();
  std::set<const json::Object*> wanted;
  for (const PolicyReference& policy : status.managed_policies_for_upgrade) {
    if (!has_placement(draft, policy)) continue;
    const PlacementName name = placement_name(draft.rollout, policy);
    names.push_back(name.name);
    status.placement_bindings.push_back(name.name);
    status.safe_resource_names[name.key] = name.name;
    json::Object placement = desired_placement(draft.rollout, policy, kind);
    json::Object binding = desired_binding(draft.rollout, policy, kind);
    const json::Object* have_placement = find_object(draft.seen.placements, placement);
    const json::Object* have_binding = find_object(draft.seen.bindings, binding);
    wanted.insert({have_placement, have_binding});
    if (have_placement != nullptr) {
      repair(draft, *have_placement, placement);
    } else {
      missing.placements.push_back({policy, std::move(placement)});
    }
    if (have_binding != nullptr) {
      repair(draft, *have_binding, binding);
    } else {
      missing.bindings.push_back(std::move(binding));
    }
  }
  if (rolls_works(draft.rollout.spec)) {
    for (const std::string& each : draft.rollout.spec.manifest_work_templates) {
      const std::string key = fmt::format("/{}.{}", draft.rollout.metadata.namespace_, each);
      status.safe_resource_names[key] = work_name(draft.rollout, each);
    }
  }
  for (const auto* objects : {&draft.seen.bindings, &draft.seen.placements}) {
    for (const auto& each : *objects) {
      if (!wanted.contains(each.get())) delete_owned(draft, *each);
    }
  }
  return missing;
}

void make_placements(Draft& draft, MissingPlacements missing) {
  for (auto& [policy, placement] : missing.placements) draft.act(EnsurePlacement{std::move(placement)});
  for (json::Object& each : missing.bindings) draft.act(EnsureBinding{std::move(each)});
}

void ensure_placements(Draft& draft) {
  make_placements(draft, tend_placements(draft));
}

std::string describe(const Action& action) {
  return std::visit(Describe{}, action);
}

kube::Plan<Action> decide(const Observed& seen) {
  return std::visit(Decide{seen}, phase_of(seen.rollout.get()));
}

}  // namespace fairway::fleet
