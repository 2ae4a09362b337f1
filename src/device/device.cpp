#include "device/device.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include "base/log.hpp"
#include "base/text.hpp"
#include "device/act.hpp"
#include "device/decide.hpp"
#include "device/history.hpp"
#include "device/lock.hpp"
#include "device/migrate.hpp"
#include "device/observe.hpp"

namespace fairway::device {
namespace {

constexpr const char* kPreRun = "pre-run";

std::unexpected<Error> refusal_error(const Plan& plan) {
  return fail(plan.refusal_row == "V" ? ErrorCode::Unsupported : ErrorCode::Invalid, *plan.refusal);
}

json::Array steps_of(const Plan& plan) {
  json::Array steps;
  for (const Step& step : plan.steps)
    steps.emplace_back(fmt::format("{} {}", step.row, describe(step.action)));
  return steps;
}

json::Array notes_of(const Plan& plan) {
  json::Array notes;
  for (const Note& note : plan.notes) notes.emplace_back(fmt::format("{} {}", note.row, note.text));
  return notes;
}

// What the health check shows. Not being able to write it must not hide why it was to be written.
void write_failure_log(const Place& place, const Clock& clock, const std::string& why) {
  const std::string text = fmt::format("{} {}\n", format_rfc3339(clock.now()), why);
  const auto number = static_cast<std::uint64_t>(::getpid());
  if (auto made = make_directory(place.backups(), 0700); !made) return;
  const auto written = replace_file(place.in_backups(kFailureLog),
                                    place.in_backups(temporary_name("write", number)), text, 0600);
  if (!written) log::warning("cannot write the reason", {{"error", written.error().describe()}});
}

}  // namespace

Result<void> Device::carry_out(Plan& plan) {
  Actor actor(place_, clock_, listener_.on_progress, migrate_storage_);
  for (const Step& step : plan.steps) {
    if (listener_.on_step) listener_.on_step(step);
    auto done = actor.act(step.action);
    for (std::string& report : actor.take_reports()) {
      plan.notes.push_back({step.row, std::move(report)});
      if (listener_.on_note) listener_.on_note(plan.notes.back());
    }
    if (!done) return std::unexpected(std::move(done).error().within(fmt::format("step {}", step.row)));
  }
  if (plan.refusal) return refusal_error(plan);
  return {};
}

void Device::record(const std::string& verb, const Observed& seen, const Plan& plan,
                    const Result<void>& outcome) {
  json::Object entry{{"time", format_rfc3339(clock_.now())},
                     {"verb", verb},
                     {"boot_id", seen.boot_id},
                     {"deployment_id", seen.deployments.current.value_or("")},
                     {"notes", notes_of(plan)},
                     {"steps", steps_of(plan)},
                     {"result", outcome ? "done" : "failed"}};
  if (!outcome) entry["error"] = outcome.error().describe();
  if (const auto facts = stat_if_exists(place_.backups()); !facts || !*facts)
    return;  // nothing was done at all
  if (auto written = append_history(place_.backups(), entry); !written)
    log::warning("cannot write the history", {{"error", written.error().describe()}});
}

Result<Plan> Device::run_locked(const std::string& verb, const Decision& decide, bool is_health) {
  FAIRWAY_CHECKED(make_directory(place_.backups(), 0700));
  const Duration wait = is_health || verb == kPreRun ? place_.settings.lock_wait : Duration::zero();
  FAIRWAY_TRY(const OperationLock lock, OperationLock::take(place_.in_backups(kLock), verb, clock_, wait));
  while (true) {
    FAIRWAY_TRY(const Observed seen, observe(place_, is_health ? Interest::Health : Interest::All));
    Plan plan = decide(seen);
    for (const Note& note : plan.notes) {
      if (listener_.on_note) listener_.on_note(note);
    }
    const Result<void> outcome = carry_out(plan);
    record(verb, seen, plan, outcome);
    if (!outcome) return std::unexpected(outcome.error());
    if (!plan.looks_again) return plan;
  }
}

Result<Plan> Device::run(const std::string& verb, const Decision& decide, bool is_health, Mode mode) {
  FAIRWAY_TRY(const Observed seen, observe(place_, is_health ? Interest::Health : Interest::All));
  Plan plan = decide(seen);
  if (mode == Mode::DryRun) {
    preview(plan);
    return plan;
  }
  FAIRWAY_CHECKED(check_may_change(place_));
  if (plan.steps.empty() && !plan.refusal) {  // nothing to do needs no lock and leaves no trace
    for (const Note& note : plan.notes) {
      if (listener_.on_note) listener_.on_note(note);
    }
    return plan;
  }
  return run_locked(verb, decide, is_health);
}

void Device::preview(Plan& plan) const {
  std::string tree = place_.data();  // what is migrated: the data, or the backup that is restored before
  for (const Step& step : plan.steps) {
    if (const auto* restore = std::get_if<RestoreBackup>(&step.action))
      tree = place_.in_backups(restore->name);
    const auto* migrate = std::get_if<Migrate>(&step.action);
    for (const MigrationStep& each : migrate != nullptr ? migrate->steps : std::vector<MigrationStep>()) {
      const auto said = preview_migration_step(place_, each, tree);
      const std::string text = said ? *said : "would fail: " + said.error().describe();
      if (!text.empty()) plan.notes.push_back({step.row, fmt::format("{}: {}", each.name, text), !said});
    }
  }
}

Result<Plan> Device::pre_run(Mode mode) {
  auto plan = run(kPreRun, decide_pre_run, false, mode);
  if (mode == Mode::DryRun) return plan;
  if (!plan) {
    write_failure_log(place_, clock_, plan.error().describe());
    return plan;
  }
  if (auto removed = remove_file(place_.in_backups(kFailureLog)); !removed)
    log::warning("cannot remove an old reason", {{"error", removed.error().describe()}});
  return plan;
}

Result<Plan> Device::green(Mode mode) {
  return run("green", decide_green, true, mode);
}

Result<Plan> Device::red(Mode mode) {
  return run("red", decide_red, true, mode);
}

Result<Plan> Device::request_restore(const std::optional<std::string>& deployment, Mode mode) {
  return run(
      "request-restore", [&](const Observed& seen) { return decide_request_restore(seen, deployment); },
      false, mode);
}

Result<Plan> Device::prune(Mode mode) {
  const Decision decide = [](const Observed& seen) {
    Plan plan = decide_recovery(seen);
    if (plan.looks_again) return plan;
    if (seen.deployments.problem)
      plan.notes.push_back({"P", "nothing is removed: " + *seen.deployments.problem, true});
    for (Step& step : decide_prune(seen)) plan.steps.push_back(std::move(step));
    return plan;
  };
  return run("prune", decide, false, mode);
}

Result<Observed> Device::look() const {
  return observe(place_);
}

}  // namespace fairway::device
