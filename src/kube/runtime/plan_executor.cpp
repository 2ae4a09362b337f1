#include "kube/runtime/plan_executor.hpp"

#include <algorithm>

#include "async/notify.hpp"
#include "async/task_group.hpp"
#include "base/log.hpp"

namespace fairway::kube {

using Outcome = StepReport::Outcome;

std::string_view to_string(StepReport::Outcome outcome) {
  switch (outcome) {
    case Outcome::Done:
      return "done";
    case Outcome::Planned:
      return "planned";
    case Outcome::Failed:
      return "failed";
    case Outcome::Skipped:
      return "skipped";
  }
  FAIRWAY_CHECK(false, "an outcome outside its enumeration");
}

std::size_t ExecutionReport::done() const {
  return static_cast<std::size_t>(std::ranges::count(steps, Outcome::Done, &StepReport::outcome));
}

// One execution: the steps, their reports, and how far it has come.
struct PlanExecutor::Run {
  std::vector<PlannedStep> steps;
  ExecutionReport report = {};
  std::size_t next = 0;
  std::size_t stage_end = 0;
  bool has_failed = false;
};

PlanExecutor::PlanExecutor(TimerClock& clock, ExecutorOptions options)
    : clock_(clock), options_(std::move(options)), random_(options_.seed) {}

Task<ExecutionReport> PlanExecutor::execute(std::vector<PlannedStep> steps) {
  std::ranges::stable_sort(steps, {}, &PlannedStep::stage);
  Run run{.steps = std::move(steps)};
  run.report.steps.reserve(run.steps.size());
  for (const PlannedStep& step : run.steps)
    run.report.steps.push_back({.description = step.description, .reason = step.reason});
  while (run.next < run.steps.size() && !run.has_failed) {
    const std::size_t stage = run.steps[run.next].stage;
    while (run.stage_end < run.steps.size() && run.steps[run.stage_end].stage == stage) ++run.stage_end;
    FAIRWAY_CO_CHECKED(co_await run_stage(run));
  }
  const auto failed = std::ranges::find(run.report.steps, Outcome::Failed, &StepReport::outcome);
  if (failed != run.report.steps.end()) run.report.error = failed->error;
  co_return std::move(run.report);
}

Task<void> PlanExecutor::run_stage(Run& run) {
  const std::size_t workers = std::min(options_.concurrency, run.stage_end - run.next);
  if (workers <= 1) co_return co_await work(run);
  async::TaskGroup group(co_await boost::asio::this_coro::executor);
  for (std::size_t i = 0; i < workers; ++i) group.spawn("plan", work(run));
  auto ended = co_await group.join();
  // Cancelled or not, the end of the tasks is waited for.
  co_await boost::asio::this_coro::reset_cancellation_state();
  co_await group.stop();
  co_return ended;
}

Task<void> PlanExecutor::work(Run& run) {
  while (run.next < run.stage_end && !run.has_failed) {
    const std::size_t mine = run.next++;
    StepReport& step = run.report.steps[mine];
    if (options_.is_dry_run) {
      step.outcome = Outcome::Planned;
    } else {
      FAIRWAY_CO_CHECKED(co_await carry_out(run.steps[mine], step));
      if (step.outcome == Outcome::Failed) run.has_failed = true;
    }
    report(step);
  }
  co_return Result<void>{};
}

Task<void> PlanExecutor::carry_out(const PlannedStep& step, StepReport& report) {
  for (;;) {
    auto acted = co_await step.act();
    ++report.attempts;
    if (acted) {
      report.outcome = Outcome::Done;
      co_return Result<void>{};
    }
    if (acted.error().code == ErrorCode::Cancelled && co_await async::is_cancelled()) co_return acted;
    // What is to be made and is there was made by somebody since it was looked for.
    if (acted.error().code == ErrorCode::AlreadyExists) acted.error().code = ErrorCode::Conflict;
    const bool may_retry =
        retry_of(acted.error().code) == Retry::Backoff && report.attempts <= options_.max_retries;
    if (!may_retry) {
      report.outcome = Outcome::Failed;
      report.error = std::move(acted.error()).within(step.description);
      co_return Result<void>{};
    }
    Duration pause = options_.backoff.pause(report.attempts, random_);
    if (acted.error().retry_after) pause = std::max(pause, Duration(*acted.error().retry_after));
    FAIRWAY_CO_CHECKED(co_await async::sleep_for(clock_, pause));
  }
}

void PlanExecutor::report(const StepReport& step) const {
  options_.on_step ? options_.on_step(step) : log_step(step);
}

bool has_met_a_change(const StepReport& step) {
  return step.outcome == Outcome::Failed && step.error && retry_of(step.error->code) == Retry::Reread;
}

void log_step(const StepReport& step) {
  log::Fields fields = {{"action", step.description}, {"outcome", std::string(to_string(step.outcome))}};
  if (step.error) fields.emplace_back("error", step.error->describe());
  if (has_met_a_change(step)) {
    log::debug("action met a change: it is decided anew", fields);
  } else {
    log::write(step.outcome == Outcome::Failed ? log::Level::Error : log::Level::Info, "action", fields);
  }
}

}  // namespace fairway::kube
