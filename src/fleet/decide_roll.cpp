// Rolling: batches one after the other, what holds them, and how it all ends.
#include <algorithm>
#include <fmt/format.h>

#include "fleet/rolling.hpp"

namespace fairway::fleet {
namespace {

void tell_hold(Rolling& rolling, const Hold& hold) {
  Draft& draft = rolling.draft;
  const std::string message = fmt::format("Rollout paused by {}", hold.cause);
  const auto* before = kube::find_condition(draft.rollout.status.conditions, kProgressing);
  if (before == nullptr || before->message != message) draft.tell(paused_event(draft.name(), hold.cause));
  draft.condition(kProgressing, true, "Paused", message);
  if (hold.until) draft.plan.wake(*hold.until, "the rollout may go on");
  draft.plan.wake(rolling.now() + kFallback, "an event may have been lost");
}

void time_out(Rolling& rolling, std::string_view where) {
  rolling.draft.end(false, "TimedOut", "TimedOut",
                    fmt::format("{}{}", words_of(rolling.draft.rollout.spec).too_long, where));
}

bool has_ended(const Rolling& rolling) {
  return kube::find_condition(rolling.draft.status.conditions, kSucceeded) != nullptr;
}

// Clusters of earlier batches may have regressed since; those that were skipped were never touched.
bool all_comply(Rolling& rolling) {
  const auto& plan = rolling.draft.status.remediation_plan;
  for (std::size_t i = 0; i + 1 < rolling.at.batch; ++i) {
    for (const std::string& each : plan[i]) {
      if (!is_through(rolling, each) && !rolling.path.is_of_works() && rolling.path.needs_work(each))
        return false;
    }
  }
  return true;
}

bool any_is_late(const Rolling& rolling) {
  return std::ranges::any_of(rolling.batch(), [&](const std::string& each) {
    const ClusterRow* row = find_row(rolling.draft.status, each);
    return row != nullptr && row->state == kTimedOut;
  });
}

// By the batch's time or by a cluster's own.
void check_timeouts(Rolling& rolling) {
  const auto ends = rolling.deadlines();
  const bool is_expired = ends.batch && rolling.now() >= *ends.batch;
  if (is_expired) record_late(rolling);
  if (!any_is_late(rolling)) return;
  if (rolling.at.is_canary) return time_out(rolling, " on canary clusters");
  const bool has_own_time = rolling.controls().cluster_timeout.has_value();
  if ((is_expired || has_own_time) && rolling.draft.rollout.spec.batch_timeout_action == "Abort")
    return time_out(rolling, " on some clusters");
}

void check_threshold(Rolling& rolling) {
  const Failures failures = failures_of(rolling.draft.rollout, rolling.draft.status);
  const auto& threshold = rolling.controls().failure_threshold;
  if (!failures.are_too_many || threshold->action != ThresholdAction::Abort) return;
  rolling.draft.end(false, kFailureThresholdExceeded, kFailureThresholdExceeded,
                    fmt::format("{} of {} clusters failed", failures.failed, failures.of));
}

void tell_progress(Rolling& rolling) {
  std::string reason = "InProgress";
  std::string message(words_of(rolling.draft.rollout.spec).in_progress);
  for (const auto& each : rolling.draft.seen.placements) {
    if (auto waiting = waiting_message(*each)) {
      reason = "WaitingForPlacement";
      message = *std::move(waiting);
      break;
    }
  }
  rolling.draft.condition(kProgressing, true, reason, std::move(message));
}

void wake(Rolling& rolling) {
  kube::Plan<Action>& plan = rolling.draft.plan;
  const auto ends = rolling.deadlines();
  if (ends.rollout) plan.wake(*ends.rollout, "the rollout takes too long");
  if (ends.batch && *ends.batch > rolling.now()) plan.wake(*ends.batch, "the batch takes too long");
  for (const auto& [cluster, when] : rolling.notes().retry_at) {
    if (when > rolling.now()) plan.wake(when, "a cluster is tried again");
  }
  if (const auto windows = windows_of(rolling.controls())) {
    const auto closes = windows->closes(rolling.now());
    if (closes && *closes > rolling.now()) plan.wake(*closes, "a window closes");
  }
  plan.wake(rolling.now() + kFallback, "an event may have been lost");
}

// Takes in clusters for which there is room. Whether it did: then nothing else is done in this look. Those
// who left their place are out of every placement before the new ones are on record.
bool refill(Rolling& rolling) {
  if (!is_metered(rolling.draft) || has_other_works(rolling)) return false;
  const std::vector<std::string> room = admissible(rolling.draft);
  if (room.empty()) return false;
  raise_fence(rolling, true);
  ++rolling.notes().refills;
  for (const std::string& each : room) start_cluster(rolling.draft, each);
  rolling.draft.write();
  return true;
}

// More than any rollout gets to: an annotation that says more is not ours.
constexpr std::int64_t kHighestFence = 1'000'000'000;

// Those who were stopped after raising the fence have left it higher than it is on record. It is recorded
// before anybody is named by it; a look that is out of date does not get that far.
void record_fence(Rolling& rolling) {
  const std::int64_t recorded = fence_of(rolling.draft.status);
  std::int64_t highest = recorded;
  for (const auto& each : rolling.draft.seen.placements) {
    if (batch_of(*each) <= kHighestFence) highest = std::max(highest, batch_of(*each));
  }
  rolling.notes().refills += highest - recorded;
}

void roll(Rolling& rolling, const std::optional<Hold>& hold) {
  Draft& draft = rolling.draft;
  ensure_placements(draft);
  record_fence(rolling);
  move_clusters(rolling);
  const bool is_done = std::ranges::all_of(
      rolling.batch(), [&](const std::string& each) { return is_through(rolling, each); });
  if (is_done && !rolling.at.is_over) draft.tell(batch_completed_event(draft.name(), draft.status));
  if (!is_done) {
    check_timeouts(rolling);
    if (!has_ended(rolling)) check_threshold(rolling);
  } else if (rolling.at.is_last && all_comply(rolling)) {
    draft.end(true, "Completed", "Completed", std::string(words_of(draft.rollout.spec).completed));
  }
  if (has_ended(rolling)) return draft.write();
  wake(rolling);
  if (hold) {
    tell_hold(rolling, *hold);
  } else {
    tell_progress(rolling);
    if (refill(rolling)) return;
  }
  draft.write();
  enforce(rolling);
}

// Nobody is enforced; who is how far stays on record.
void freeze(Rolling& rolling, const Hold& hold) {
  ensure_placements(rolling.draft);
  tell_hold(rolling, hold);
  rolling.draft.write();
  enforce(rolling, Named::Nobody);
}

// Between two batches nobody of the last one is enforced but those who are late.
void wait_between(Rolling& rolling) {
  ensure_placements(rolling.draft);
  move_late_clusters(rolling);
  rolling.draft.write();
  enforce(rolling, Named::LateOnly);
}

// Of somebody who is not late.
bool has_works_left(const Rolling& rolling) {
  return std::ranges::any_of(rolling.draft.seen.works, [&](const auto& each) {
    const ClusterRow* row = find_row(rolling.draft.status, kube::namespace_of(*each));
    return row == nullptr || !rolling.path.index_of_late(*row);
  });
}

// Whether it is still too early for the next batch.
bool soaks(Rolling& rolling) {
  const auto& soak = rolling.controls().soak.between_batches;
  if (!soak) return false;
  auto& ended_at = rolling.notes().batch_ended_at;
  if (!ended_at) ended_at = std::chrono::ceil<std::chrono::seconds>(rolling.now());
  if (rolling.now() >= *ended_at + *soak) return false;
  rolling.draft.plan.wake(*ended_at + *soak, "the next batch starts");
  tell_progress(rolling);
  return true;
}

// Placements first, and only then the status: a batch that is on record finds nobody of the last one
// enforced.
void open_next(Rolling& rolling) {
  // Works go in their own time; whoever has one is still being updated.
  if (rolling.path.is_of_works() && has_works_left(rolling)) {
    tell_progress(rolling);
    wake(rolling);
    return wait_between(rolling);
  }
  raise_fence(rolling, false);
  open_batch(rolling.draft, rolling.at.batch + 1);
  tell_progress(rolling);
  rolling.draft.write();
}

}  // namespace

kube::Plan<Action> decide_rolling(const Observed& seen, const phase::Rolling& at) {
  Rolling rolling(seen, at);
  std::optional<std::size_t> next;
  if (!at.is_open) next = at.batch;
  if (at.is_open && at.is_over && !at.is_last) next = at.batch + 1;
  const std::optional<Hold> hold = hold_of(rolling.draft.rollout, rolling.draft.status, next, seen.now);
  if (hold) {
    stand_still(rolling.draft.status, seen.now);
  } else {
    go_on(rolling.draft.status, seen.now);
  }
  const auto ends = rolling.deadlines();
  if (ends.rollout && seen.now >= *ends.rollout) {
    if (at.is_open) record_late(rolling);
    time_out(rolling, "");
    rolling.draft.write();
  } else if (hold && hold->mode == HoldMode::Freeze) {
    freeze(rolling, *hold);
  } else if (next && hold) {
    tell_hold(rolling, *hold);
    wait_between(rolling);
  } else if (!at.is_open) {
    open_batch(rolling.draft, at.batch);
    rolling.draft.write();
  } else if (next && soaks(rolling)) {
    wake(rolling);
    wait_between(rolling);
  } else if (next) {
    open_next(rolling);
  } else {
    roll(rolling, hold);
  }
  return std::move(rolling.draft.plan);
}

}  // namespace fairway::fleet
