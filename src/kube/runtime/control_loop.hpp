// ControlLoop: observe → decide → act, wired into a controller.
//
// observe reads whatever the decision may use, the time included; decide is pure; act carries out one action,
// idempotently and guarded by what was observed. Failures, retries, order and dry-run are PlanExecutor's;
// when to look again is the plan's. Notes of a plan are logged when they change.
//
//   auto& controller = add_control_loop<Observed, Action>(runtime, {.name = "mirror"}, {observe, decide,
//   act}); controller.watch(runtime.cache<Widget>());
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "kube/runtime/plan_executor.hpp"
#include "kube/runtime/runtime.hpp"

namespace fairway::kube {

template <class Observed, Describable Action>
struct ControlLoop {
  std::function<Task<Observed>(ObjectKey)> observe;
  std::function<Plan<Action>(const Observed&)> decide;
  std::function<Task<void>(Action)> act;
  // The object whose Events tell of the actions; without it, or with nothing, there are none.
  std::function<std::optional<ObjectReference>(const Observed&)> about = {};
  ExecutorOptions execution = {};
};

// What a loop tells people. For the code below.
class LoopReporter {
 public:
  LoopReporter(std::string controller, EventRecorder& events)
      : controller_(std::move(controller)), events_(events) {}

  // Notes are told when they differ from the key's last ones.
  void tell_notes(const ObjectKey& key, const std::vector<std::string>& notes);
  void tell_step(const std::optional<ObjectReference>& about, const StepReport& step);

 private:
  std::string controller_;
  EventRecorder& events_;
  std::map<ObjectKey, std::vector<std::string>> last_;
};

namespace detail {

template <class Observed, class Action>
struct LoopState {
  ControlLoop<Observed, Action> loop;
  TimerClock& clock;
  LoopReporter reporter;
};

template <class Observed, class Action>
Task<ReconcileResult> reconcile(std::shared_ptr<LoopState<Observed, Action>> state, ObjectKey key) {
  FAIRWAY_CO_TRY(const Observed seen, co_await state->loop.observe(key));
  const Plan<Action> plan = state->loop.decide(seen);
  state->reporter.tell_notes(key, plan.notes);
  const auto about = state->loop.about ? state->loop.about(seen) : std::nullopt;
  ExecutorOptions execution = state->loop.execution;
  if (!execution.on_step) {
    execution.on_step = [&](const StepReport& step) { state->reporter.tell_step(about, step); };
  }
  PlanExecutor executor(state->clock, std::move(execution));
  FAIRWAY_CO_TRY(const ExecutionReport report,
                 co_await executor.template execute<Action>(plan, state->loop.act));
  if (report.error) co_return std::unexpected(*report.error);
  co_return ReconcileResult{plan.wake_at, plan.wake_reason};
}

}  // namespace detail

template <class Observed, Describable Action>
Controller& add_control_loop(Runtime& runtime, ControllerOptions options,
                             ControlLoop<Observed, Action> loop) {
  using State = detail::LoopState<Observed, Action>;
  auto state = std::make_shared<State>(
      State{std::move(loop), runtime.client().clock(), LoopReporter(options.name, runtime.events())});
  return runtime.add_controller(std::move(options), [state](ObjectKey key) {
    return detail::reconcile<Observed, Action>(state, std::move(key));
  });
}

}  // namespace fairway::kube
