// The clusters of a batch: how far they are, who is skipped or late, and who may start.
#include <algorithm>
#include <fmt/format.h>

#include "base/text.hpp"
#include "fleet/cluster_actions.hpp"
#include "fleet/rolling.hpp"

namespace fairway::fleet {
namespace {

// Since when it has counted as unreachable for long enough; nothing while it has not. `turns_at` is when it
// will.
struct Offline {
  bool is_long = false;
  std::string reason = {};
  std::optional<WallTime> turns_at = {};
};
Offline judge_offline(const Draft& draft, const std::string& cluster) {
  const Duration limit = controls_of(draft.rollout.spec).offline.unavailable_for;
  if (!draft.seen.clusters->contains(cluster)) return {true, "it is no longer a ManagedCluster"};
  if (!draft.seen.unavailable) return {};
  const auto found = draft.seen.unavailable->find(cluster);
  if (found == draft.seen.unavailable->end()) return {};
  if (draft.seen.now < found->second + limit) return {.turns_at = found->second + limit};
  return {true, fmt::format("it has been unavailable since {}", format_rfc3339(found->second))};
}

bool is_unavailable(const Draft& draft, const std::string& cluster) {
  return draft.seen.unavailable && draft.seen.unavailable->contains(cluster);
}

bool has_row(const ClusterGroupUpgradeStatus& status, const std::string& cluster, std::string_view state) {
  const ClusterRow* row = find_row(status, cluster);
  return row != nullptr && row->state == state;
}

void skip_cluster(Rolling& rolling, const std::string& name, std::string reason) {
  rolling.draft.tell(cluster_skipped_event(rolling.draft.name(), name, reason));
  put_row(rolling.draft.status, {.name = name, .state = std::string(kSkipped), .reason = std::move(reason)});
  rolling.progress().erase(name);
}

bool skip_if_offline(Rolling& rolling, const std::string& name) {
  if (rolling.controls().offline.policy != OfflinePolicy::Skip) return false;
  Offline verdict = judge_offline(rolling.draft, name);
  if (verdict.turns_at) rolling.draft.plan.wake(*verdict.turns_at, "a cluster counts as offline");
  if (verdict.is_long) skip_cluster(rolling, name, std::move(verdict.reason));
  return verdict.is_long;
}

ClusterRow late_row(const Path& path, const std::string& name, const ClusterProgress* progress) {
  ClusterRow row{.name = name, .state = std::string(kTimedOut)};
  if (progress != nullptr) path.put_place(row, path.index(*progress));
  return row;
}

// After its own time it is tried again while it may be, and late from then on.
void check_cluster_timeout(Rolling& rolling, const std::string& name) {
  const auto limit = rolling.controls().cluster_timeout;
  if (!limit || rolling.notes().paused_since || has_row(rolling.draft.status, name, kTimedOut)) return;
  auto& notes = rolling.notes();
  const auto begun = notes.cluster_started_at.find(name);
  const WallTime start = begun != notes.cluster_started_at.end()
                             ? begun->second
                             : rolling.draft.status.status.current_batch_started_at.value_or(rolling.now());
  const WallTime end = just_after(start, std::chrono::minutes(*limit));
  if (rolling.now() < end) return rolling.draft.plan.wake(end, "a cluster takes too long");
  notes.cluster_started_at.erase(name);
  if (notes.retries[name] < rolling.controls().retry.per_cluster) {
    ++notes.retries[name];
    notes.retry_at[name] =
        std::chrono::ceil<std::chrono::seconds>(rolling.now()) + rolling.controls().retry.backoff;
    rolling.progress()[name] = {};
  } else {
    put_row(rolling.draft.status, late_row(rolling.path, name, &rolling.progress()[name]));
  }
}

void move_cluster(Rolling& rolling, const std::string& name) {
  Draft& draft = rolling.draft;
  ClusterProgress& at = rolling.progress()[name];
  if (at.state == ProgressState::NotStarted && !is_metered(rolling.draft)) start_cluster(draft, name);
  if (at.state != ProgressState::InProgress) return;
  std::optional<std::int64_t>& index = rolling.path.index(at);
  const std::int64_t from = index.value_or(0);
  const Step step = advance(rolling.path, name, from, at.first_compliant_at, rolling.now());
  if (step.has_lost_binding && index) draft.tell(cluster_unbound_event(draft.name(), name));
  if (step.soaked_at) draft.plan.wake(*step.soaked_at, "a soak ends");
  at.first_compliant_at = step.first_compliant_at;
  if (step.index < static_cast<std::int64_t>(rolling.path.size())) {
    index = step.index;
    return check_cluster_timeout(rolling, name);
  }
  at.state = ProgressState::Completed;
  index.reset();
  rolling.notes().cluster_started_at.erase(name);
  complete_cluster(draft, name);
  draft.tell(cluster_completed_event(draft.name(), name));
}

void move_late(Rolling& rolling, const std::string& name) {
  ClusterGroupUpgradeStatus& status = rolling.draft.status;
  ClusterRow row = *find_row(status, name);
  const std::int64_t from = *rolling.path.index_of_late(row);
  const Step step = advance(rolling.path, name, from, std::nullopt, rolling.now(), false);
  if (step.index >= static_cast<std::int64_t>(rolling.path.size())) {
    const auto own = rolling.progress().find(name);
    if (own != rolling.progress().end()) own->second = {.state = ProgressState::Completed};
    complete_cluster(rolling.draft, name);
    rolling.draft.tell(cluster_completed_event(rolling.draft.name(), name));
  } else if (step.index != from) {
    rolling.path.put_place(row, step.index);
    put_row(status, std::move(row));
  }
}

// Clusters that cannot be reached now go into batches of their own, at the end.
void defer_offline(Draft& draft, std::size_t batch) {
  ClusterGroupUpgradeStatus& status = draft.status;
  auto& plan = status.remediation_plan;
  const auto deferred = static_cast<std::size_t>(status.rollout.deferred_batches);
  if (controls_of(draft.rollout.spec).offline.policy != OfflinePolicy::Defer ||
      batch + deferred > plan.size())
    return;
  Batch stay;
  for (const std::string& each : Batch(plan[batch - 1])) {
    if (!judge_offline(draft, each).is_long) {
      stay.push_back(each);
      continue;
    }
    const bool has_room = status.rollout.deferred_batches > 0 &&
                          static_cast<std::int64_t>(plan.back().size()) < status.computed_max_concurrency;
    if (!has_room) {
      plan.emplace_back();
      ++status.rollout.deferred_batches;
    }
    plan.back().push_back(each);
  }
  plan[batch - 1] = std::move(stay);
}

}  // namespace

bool is_through(Rolling& rolling, const std::string& cluster) {
  const auto found = rolling.progress().find(cluster);
  if (found != rolling.progress().end() && found->second.state == ProgressState::Completed) return true;
  return has_row(rolling.draft.status, cluster, kSkipped);
}

std::vector<std::string> late_clusters(const Rolling& rolling) {
  std::vector<std::string> late;
  for (const ClusterRow& each : rolling.draft.status.clusters) {
    if (rolling.path.index_of_late(each)) late.push_back(each.name);
  }
  return late;
}

void move_clusters(Rolling& rolling) {
  for (const std::string& each : rolling.batch()) {
    if (is_through(rolling, each) || has_row(rolling.draft.status, each, kTimedOut)) continue;
    if (!skip_if_offline(rolling, each)) move_cluster(rolling, each);
  }
  move_late_clusters(rolling);
}

void move_late_clusters(Rolling& rolling) {
  for (const std::string& each : late_clusters(rolling)) move_late(rolling, each);
}

void record_late(Rolling& rolling) {
  for (const std::string& name : rolling.batch()) {
    const auto found = rolling.progress().find(name);
    const bool is_absent = found == rolling.progress().end();
    if (has_row(rolling.draft.status, name, kSkipped)) continue;
    if (!is_absent && found->second.state != ProgressState::InProgress) continue;
    put_row(rolling.draft.status, late_row(rolling.path, name, is_absent ? nullptr : &found->second));
  }
  rolling.draft.tell(batch_timed_out_event(rolling.draft.name(), rolling.draft.status));
}

bool is_metered(const Draft& draft) {
  const RolloutControls& controls = controls_of(draft.rollout.spec);
  if (controls.rolling || !controls.max_unavailable.is_null() || controls.retry.per_cluster > 0) return true;
  const ClusterGroupUpgradeStatus& status = draft.status;
  const auto batch = static_cast<std::size_t>(std::max<std::int64_t>(status.status.current_batch, 1));
  return batch <= status.remediation_plan.size() &&
         static_cast<std::int64_t>(status.remediation_plan[batch - 1].size()) >
             status.computed_max_concurrency;
}

std::vector<std::string> admissible(const Draft& draft) {
  const RolloutControls& controls = controls_of(draft.rollout.spec);
  const ClusterGroupUpgradeStatus& status = draft.status;
  const auto& batch = status.remediation_plan[static_cast<std::size_t>(status.status.current_batch - 1)];
  const auto cap = amount_of(controls.max_unavailable, batch.size());
  std::int64_t active = 0;
  std::int64_t unavailable = 0;
  for (const auto& [name, at] : status.status.current_batch_remediation_progress) {
    if (at.state != ProgressState::InProgress || has_row(status, name, kTimedOut)) continue;
    ++active;
    if (is_unavailable(draft, name)) ++unavailable;
  }
  std::vector<std::string> room;
  for (const std::string& name : batch) {
    if (active >= status.computed_max_concurrency || (cap && unavailable >= *cap)) break;
    const auto at = status.status.current_batch_remediation_progress.find(name);
    if (at == status.status.current_batch_remediation_progress.end() ||
        at->second.state != ProgressState::NotStarted)
      continue;
    const auto later = status.rollout.retry_at.find(name);
    if (later != status.rollout.retry_at.end() && draft.seen.now < later->second) continue;
    room.push_back(name);
    ++active;
    if (is_unavailable(draft, name)) ++unavailable;
  }
  return room;
}

void start_cluster(Draft& draft, const std::string& cluster) {
  ClusterGroupUpgradeStatus& status = draft.status;
  ClusterProgress& at = status.status.current_batch_remediation_progress[cluster];
  at = {.state = ProgressState::InProgress};
  (rolls_works(draft.rollout.spec) ? at.manifest_work_index : at.policy_index) = 0;
  if (controls_of(draft.rollout.spec).cluster_timeout)
    status.rollout.cluster_started_at[cluster] = whole_seconds(draft.seen.now);
  status.rollout.retry_at.erase(cluster);
  draft.tell(cluster_started_event(draft.name(), cluster));
}

void complete_cluster(Draft& draft, const std::string& name) {
  const auto& actions = draft.rollout.spec.actions;
  json::Object patch = cluster_patch(actions ? actions->after_completion : std::optional<ClusterActions>());
  if (!patch.empty()) draft.act(PatchManagedCluster{name, std::move(patch)});
  put_row(draft.status, {.name = name, .state = std::string(kComplete)});
}

void open_batch(Draft& draft, std::size_t batch) {
  RolloutProgress& progress = draft.status.status;
  RolloutNotes& notes = draft.status.rollout;
  defer_offline(draft, batch);
  record_approval(draft.rollout, draft.status, batch, draft.seen.now);
  progress.current_batch = static_cast<std::int64_t>(batch);
  progress.current_batch_started_at = whole_seconds(draft.seen.now);
  progress.current_batch_remediation_progress.clear();
  notes.batch_held_seconds = 0;
  notes.batch_ended_at.reset();
  notes.cluster_started_at.clear();
  notes.retries.clear();
  notes.retry_at.clear();
  draft.tell(batch_started_event(draft.name(), draft.status));
  const Batch& clusters = draft.status.remediation_plan[batch - 1];
  for (const std::string& each : clusters) progress.current_batch_remediation_progress[each] = {};
  const bool starts_all = !is_metered(draft);
  for (const std::string& each : starts_all ? clusters : admissible(draft)) start_cluster(draft, each);
}

}  // namespace fairway::fleet
