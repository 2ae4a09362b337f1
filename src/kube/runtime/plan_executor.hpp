// PlanExecutor: carries out the actions of a plan.
//
// Steps run in their order, up to `concurrency` side by side, and those of a later stage begin when all of
// the earlier ones have succeeded. The first failure stops the rest: nothing new is begun, what runs is
// awaited. An action that failed for a passing reason is tried again (actions are idempotent); one that met a
// changed world is not: the controller looks and decides anew. In a dry-run nothing is carried out and
// everything is reported. A step's one description is what every report shows.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "async/task.hpp"
#include "base/clock.hpp"
#include "kube/client/backoff.hpp"
#include "kube/core/plan.hpp"

namespace fairway::kube {

struct PlannedStep {
  std::string description;
  std::string reason = {};  // of the Event that tells of it, in CamelCase
  std::size_t stage = 0;
  std::function<Task<void>()> act;
};

struct StepReport {
  enum class Outcome { Done, Planned, Failed, Skipped };

  std::string description;
  std::string reason = {};
  Outcome outcome = Outcome::Skipped;
  int attempts = 0;
  std::optional<Error> error = {};
};
std::string_view to_string(StepReport::Outcome outcome);

struct ExecutionReport {
  std::vector<StepReport> steps;    // in the order of the plan
  std::optional<Error> error = {};  // of the first step, in that order, that failed

  std::size_t done() const;
};

struct ExecutorOptions {
  std::size_t concurrency = 1;
  int max_retries = 3;
  BackoffPolicy backoff = {.first = std::chrono::milliseconds(200), .cap = std::chrono::seconds(5)};
  std::uint64_t seed = 1;
  bool is_dry_run = false;
  // Called when a step is done, failed or, in a dry-run, would be carried out. Without it, steps are logged.
  std::function<void(const StepReport&)> on_step = {};
};

// Whether it failed because the world is not as it was seen: nothing is wrong, and the controller looks
// again.
bool has_met_a_change(const StepReport& step);
// Writes a step to the log.
void log_step(const StepReport& step);

class PlanExecutor {
 public:
  PlanExecutor(TimerClock& clock, ExecutorOptions options);

  // Fails only when it is cancelled itself; what became of the steps is in the report.
  Task<ExecutionReport> execute(std::vector<PlannedStep> steps);

  // The actions of a plan; `act` gives the task of one of them. An action's stage and reason, where it has
  // them, are what stage_of(action) and event_reason(action) say.
  template <Describable Action>
  Task<ExecutionReport> execute(const Plan<Action>& plan, std::function<Task<void>(Action)> act) {
    std::vector<PlannedStep> steps;
    for (const Action& action : plan.actions) {
      PlannedStep step{.description = describe(action), .act = [act, action] { return act(action); }};
      if constexpr (requires { stage_of(action); }) step.stage = stage_of(action);
      if constexpr (requires { event_reason(action); }) step.reason = event_reason(action);
      steps.push_back(std::move(step));
    }
    return execute(std::move(steps));
  }

 private:
  struct Run;

  Task<void> work(Run& run);
  Task<void> carry_out(const PlannedStep& step, StepReport& report);
  Task<void> run_stage(Run& run);
  void report(const StepReport& step) const;

  TimerClock& clock_;
  ExecutorOptions options_;
  Random random_;
};

}  // namespace fairway::kube
