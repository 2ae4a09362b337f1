// Draft: a plan in the making, for the files of decide.hpp alone. It holds the status as it will be, what is
// to be told with it, and what has to happen before and after it is written.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "fleet/decide.hpp"
#include "fleet/holds.hpp"
#include "fleet/phase.hpp"

namespace fairway::fleet {

inline constexpr Duration kFallback = std::chrono::minutes(5);  // in case an event was lost

struct Draft {
  explicit Draft(const Observed& observed)
      : seen(observed), rollout(*observed.rollout), status(observed.rollout->status) {}

  const Observed& seen;
  const ClusterGroupUpgrade& rollout;
  ClusterGroupUpgradeStatus status;
  std::vector<RolloutEvent> events = {};
  kube::Plan<Action> plan = {};

  std::string_view name() const { return rollout.metadata.name; }
  void act(Action action) { plan.actions.push_back(std::move(action)); }
  void note(std::string text) { plan.notes.push_back(std::move(text)); }
  void tell(RolloutEvent event) { events.push_back(std::move(event)); }
  void condition(std::string_view type, bool is_true, std::string_view reason, std::string message) {
    put_condition(status.conditions, type, is_true, reason, std::move(message), seen.now);
  }
  // Both say how the rollout ended.
  void end(bool is_true, std::string_view progressing, std::string_view succeeded, const std::string& text) {
    condition(kProgressing, false, progressing, text);
    condition(kSucceeded, is_true, succeeded, text);
    if (!rollout.spec.rollout_controls) return;
    status.rollout.active_seconds = active_seconds(status, seen.now);
    status.rollout.paused_since.reset();
  }
  // The status is written if it differs; what is acted after this follows from it.
  void write() {
    sum_up(rollout, status, seen.now);
    plan.conditions = status.conditions;
    if (status != rollout.status) act(WriteStatus{seen.rollout, status, std::move(events)});
    events.clear();
  }
};

// Cluster `name` is complete: its row says so, and what comes after completion is done to it.
void complete_cluster(Draft& draft, const std::string& name);
// Batch `batch` starts now, with every cluster of it at its first policy.
void open_batch(Draft& draft, std::size_t batch);

// Number that placements carry for the batch and what it has taken in.
std::int64_t fence_of(const ClusterGroupUpgradeStatus& status);

// Nothing while it is already going.
void delete_owned(Draft& draft, const json::Object& object);

// Placements and bindings of the policies for the upgrade are as they should be, and nothing else of ours is
// there; the names are in the status. What is missing is left to be made.
struct MissingPlacements {
  std::vector<std::pair<PolicyReference, json::Object>> placements = {};
  std::vector<json::Object> bindings = {};
};
MissingPlacements tend_placements(Draft& draft);
void make_placements(Draft& draft, MissingPlacements missing);
// Both: with placements that name nobody yet.
void ensure_placements(Draft& draft);

kube::Plan<Action> decide_preparing(const Observed& seen);
kube::Plan<Action> decide_rolling(const Observed& seen, const phase::Rolling& at);

}  // namespace fairway::fleet
