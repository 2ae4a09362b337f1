// Rolling: clusters along the policies, batches one after the other, and the ends of both.
#include <algorithm>
#include <fmt/format.h>
#include <set>

#include "fleet/cluster_actions.hpp"
#include "fleet/draft.hpp"
#include "fleet/progress.hpp"
#include "fleet/timeouts.hpp"

namespace fairway::fleet {
namespace {

constexpr std::string_view kTooLong = "Policy remediation took too long";

class Rolling {
 public:
  Rolling(const Observed& seen, const phase::Rolling& at)
      : draft_(seen), at_(at), path_(path_of(draft_.status, seen.policies)) {}

  kube::Plan<Action> run() {
    const auto ends = deadlines();
    if (ends.rollout && draft_.seen.now >= *ends.rollout) {
      time_out_rollout();
    } else if (!at_.is_open) {
      open_batch(draft_, at_.batch);
      draft_.write();
    } else if (at_.is_over && !at_.is_last) {
      open_next();
    } else {
      roll();
    }
    return std::move(draft_.plan);
  }

 private:
  using Progress = std::map<std::string, ClusterProgress>;

  const Batch& batch() const { return draft_.status.remediation_plan[at_.batch - 1]; }
  Progress& progress() { return draft_.status.status.current_batch_remediation_progress; }
  Deadlines deadlines() const {
    return deadlines_of(draft_.rollout.spec.remediation_strategy, draft_.status);
  }

  void roll() {
    ensure_placements(draft_);
    for (const std::string& each : batch()) move_cluster(each);
    for (const std::string& each : late_clusters()) move_late(each);
    const bool is_done = std::ranges::all_of(
        batch(), [&](const std::string& each) { return state_of(each) == ProgressState::Completed; });
    if (is_done && !at_.is_over) draft_.tell(batch_completed_event(draft_.name(), draft_.status));
    if (is_done && at_.is_last) {
      if (all_comply()) succeed();
    } else if (!is_done) {
      check_batch_timeout();
    }
    if (kube::find_condition(draft_.status.conditions, kSucceeded) == nullptr) {
      tell_waiting();
      wake();
      draft_.write();
      fill_placements();
    } else {
      draft_.write();
    }
  }

  ProgressState state_of(const std::string& cluster) {
    const auto found = progress().find(cluster);
    return found == progress().end() ? ProgressState::NotStarted : found->second.state;
  }

  void move_cluster(const std::string& name) {
    ClusterProgress& at = progress()[name];
    if (at.state == ProgressState::Completed) return;
    if (at.state == ProgressState::NotStarted) {
      at.state = ProgressState::InProgress;
      draft_.tell(cluster_started_event(draft_.name(), name));
    }
    const std::int64_t from = at.policy_index.value_or(0);
    const Step step = advance(path_, name, from, at.first_compliant_at, draft_.seen.now);
    if (step.has_lost_binding && at.policy_index) draft_.tell(cluster_unbound_event(draft_.name(), name));
    if (step.soaked_at) draft_.plan.wake(*step.soaked_at, "a soak ends");
    at.first_compliant_at = step.first_compliant_at;
    if (step.index < static_cast<std::int64_t>(path_.size())) {
      at.policy_index = step.index;
      return;
    }
    at.state = ProgressState::Completed;
    at.policy_index.reset();
    complete_cluster(draft_, name);
    draft_.tell(cluster_completed_event(draft_.name(), name));
  }

  std::vector<std::string> late_clusters() const {
    std::vector<std::string> late;
    for (const ClusterRow& each : draft_.status.clusters) {
      if (each.state == kTimedOut && each.current_policy) late.push_back(each.name);
    }
    return late;
  }

  std::int64_t index_of(const std::string& policy) const {
    const auto& all = draft_.status.managed_policies_for_upgrade;
    return std::ranges::find(all, policy, &PolicyReference::name) - all.begin();
  }

  // Its time is over and it goes on all the same, to the end of the rollout: better late than half done.
  void move_late(const std::string& name) {
    ClusterRow row = *find_row(draft_.status, name);
    const std::int64_t from = index_of(row.current_policy->name);
    const Step step = advance(path_, name, from, std::nullopt, draft_.seen.now, false);
    if (step.index >= static_cast<std::int64_t>(path_.size())) {
      complete_cluster(draft_, name);
      draft_.tell(cluster_completed_event(draft_.name(), name));
    } else if (step.index != from) {
      row.current_policy->name =
          draft_.status.managed_policies_for_upgrade[static_cast<std::size_t>(step.index)].name;
      put_row(draft_.status, std::move(row));
    }
  }

  // Clusters of earlier batches may have regressed since.
  bool all_comply() const {
    const auto& plan = draft_.status.remediation_plan;
    for (std::size_t i = 0; i + 1 < at_.batch; ++i) {
      for (const std::string& each : plan[i]) {
        if (needs_work(path_, each)) return false;
      }
    }
    return true;
  }

  void succeed() {
    draft_.end(true, "Completed", "Completed", "All clusters are compliant with all the managed policies");
  }

  void record_late() {
    for (const std::string& name : batch()) {
      const auto found = progress().find(name);
      ClusterRow row{.name = name, .state = std::string(kTimedOut)};
      if (found != progress().end()) {
        if (found->second.state != ProgressState::InProgress) continue;
        const auto index = static_cast<std::size_t>(found->second.policy_index.value_or(0));
        const auto& policies = draft_.status.managed_policies_for_upgrade;
        if (index < policies.size()) row.current_policy = CurrentPolicy{policies[index].name, "NonCompliant"};
      }
      put_row(draft_.status, std::move(row));
    }
    draft_.tell(batch_timed_out_event(draft_.name(), draft_.status));
  }

  void time_out(std::string_view where) {
    draft_.end(false, "TimedOut", "TimedOut", fmt::format("{}{}", kTooLong, where));
  }

  void time_out_rollout() {
    if (at_.is_open) record_late();
    time_out("");
    draft_.write();
  }

  void check_batch_timeout() {
    const auto ends = deadlines();
    if (!ends.batch || draft_.seen.now < *ends.batch) return;
    record_late();
    if (at_.is_canary) return time_out(" on canary clusters");
    if (draft_.rollout.spec.batch_timeout_action == "Abort") return time_out(" on some clusters");
  }

  // Placements first, and only then the status: a batch that is on record finds nobody of the last one
  // enforced.
  void open_next() {
    const auto next = static_cast<std::int64_t>(at_.batch) + 1;
    const std::vector<std::string> late = late_clusters();
    const std::set<std::string_view> kept(late.begin(), late.end());
    for (const auto& each : draft_.seen.placements) {
      const std::vector<std::string> present = clusters_in(*each);
      std::vector<std::string> stay;
      std::ranges::copy_if(present, std::back_inserter(stay),
                           [&](const std::string& name) { return kept.contains(name); });
      if (batch_of(*each) < next || (batch_of(*each) == next && stay != present))
        set_clusters(*each, std::move(stay), next);
    }
    open_batch(draft_, at_.batch + 1);
    draft_.write();
  }

  void set_clusters(const json::Object& placement, std::vector<std::string> clusters, std::int64_t number) {
    json::Object patch = clusters_patch(placement, clusters, number);
    draft_.act(SetPlacementClusters{std::string(kube::kind_of(placement)), kube::key_of(placement),
                                    std::string(kube::resource_version_of(placement)), std::move(clusters),
                                    number, std::move(patch)});
  }

  // Each cluster is in the placements of its policy and of those before it.
  void fill_placements() {
    const auto& policies = draft_.status.managed_policies_for_upgrade;
    const auto number = static_cast<std::int64_t>(at_.batch);
    for (std::size_t i = 0; i < policies.size(); ++i) {
      const kube::ObjectKey key{policies[i].namespace_, placement_name(draft_.rollout, policies[i]).name};
      for (const auto& each : draft_.seen.placements) {
        if (kube::key_of(*each) != key || kube::is_being_deleted(*each)) continue;
        std::vector<std::string> named = clusters_in(*each);
        const std::size_t before = named.size();
        for (const std::string& cluster : batch()) {
          const ClusterProgress& at = progress()[cluster];
          const bool is_due = at.state == ProgressState::InProgress &&
                              at.policy_index.value_or(0) >= static_cast<std::int64_t>(i);
          if (is_due && std::ranges::find(named, cluster) == named.end()) named.push_back(cluster);
        }
        if (named.size() == before) continue;
        if (batch_of(*each) > number) {
          draft_.note(fmt::format("{} is for a later batch: this look is out of date", key.to_string()));
        } else {
          set_clusters(*each, std::move(named), number);
        }
      }
    }
  }

  void tell_waiting() {
    std::string reason = "InProgress";
    std::string message = "Remediating non-compliant policies";
    for (const auto& each : draft_.seen.placements) {
      if (auto waiting = waiting_message(*each)) {
        reason = "WaitingForPlacement";
        message = *std::move(waiting);
        break;
      }
    }
    draft_.condition(kProgressing, true, reason, std::move(message));
  }

  void wake() {
    const auto ends = deadlines();
    if (ends.rollout) draft_.plan.wake(*ends.rollout, "the rollout takes too long");
    if (ends.batch && *ends.batch > draft_.seen.now)
      draft_.plan.wake(*ends.batch, "the batch takes too long");
    draft_.plan.wake(draft_.seen.now + kFallback, "an event may have been lost");
  }

  Draft draft_;
  const phase::Rolling& at_;
  PolicyPath path_;
};

}  // namespace

void complete_cluster(Draft& draft, const std::string& name) {
  const auto& actions = draft.rollout.spec.actions;
  json::Object patch = cluster_patch(actions ? actions->after_completion : std::optional<ClusterActions>());
  if (!patch.empty()) draft.act(PatchManagedCluster{name, std::move(patch)});
  put_row(draft.status, {.name = name, .state = std::string(kComplete)});
}

void open_batch(Draft& draft, std::size_t batch) {
  RolloutProgress& progress = draft.status.status;
  progress.current_batch = static_cast<std::int64_t>(batch);
  progress.current_batch_started_at = whole_seconds(draft.seen.now);
  progress.current_batch_remediation_progress.clear();
  draft.tell(batch_started_event(draft.name(), draft.status));
  for (const std::string& each : draft.status.remediation_plan[batch - 1]) {
    progress.current_batch_remediation_progress[each] = {.state = ProgressState::InProgress,
                                                         .policy_index = 0};
    draft.tell(cluster_started_event(draft.name(), each));
  }
}

kube::Plan<Action> decide_rolling(const Observed& seen, const phase::Rolling& at) {
  return Rolling(seen, at).run();
}

}  // namespace fairway::fleet
