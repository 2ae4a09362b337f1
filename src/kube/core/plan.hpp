// Plan: what a decision wants to be done, as a value that can be printed, compared and replayed. Pure.
//
// decide(seen) gives a Plan; PlanExecutor carries its actions out; describe(action), found by
// argument-dependent lookup, is the one text for each that the log, Events, dry-runs and golden files show.
#pragma once

#include <concepts>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/clock.hpp"
#include "json/value.hpp"
#include "kube/core/conditions.hpp"

namespace fairway::kube {

// A plan in words.
struct PlanSummary {
  std::vector<std::string> actions = {};
  Conditions conditions = {};
  std::vector<std::string> notes = {};
  std::optional<WallTime> wake_at = {};
  std::string wake_reason = {};

  bool operator==(const PlanSummary&) const = default;
};
json::Object to_json(const PlanSummary& plan);
// A line for each action, note and the time; for golden files and --dry-run.
std::string to_text(const PlanSummary& plan);

template <class Action>
concept Describable = requires(const Action& action) {
  { describe(action) } -> std::convertible_to<std::string>;
};

template <class Action>
struct Plan {
  std::vector<Action> actions = {};      // in this order
  Conditions conditions = {};            // for the status
  std::vector<std::string> notes = {};   // why, for people
  std::optional<WallTime> wake_at = {};  // when to look again, if nothing happens before
  std::string wake_reason = {};

  bool is_empty() const { return actions.empty(); }
  // The earliest of all times counts, with its reason.
  void wake(WallTime when, std::string reason) {
    if (wake_at && *wake_at <= when) return;
    wake_at = when;
    wake_reason = std::move(reason);
  }
};

template <Describable Action>
PlanSummary summary(const Plan<Action>& plan) {
  PlanSummary words{.conditions = plan.conditions,
                    .notes = plan.notes,
                    .wake_at = plan.wake_at,
                    .wake_reason = plan.wake_reason};
  for (const Action& action : plan.actions) words.actions.push_back(describe(action));
  return words;
}

}  // namespace fairway::kube
