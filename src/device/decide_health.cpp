// Green, red and the administrator's wish: what the next boot is told.
#include <fmt/format.h>

#include "base/text.hpp"
#include "device/decide.hpp"
#include "device/decide_parts.hpp"

namespace fairway::device {
namespace {

void refuse(Plan& plan, std::string why) {
  plan.refusal_row = "G3";
  plan.refusal = std::move(why);
}

void note(Plan& plan, std::string row, std::string text, bool is_warning = false) {
  plan.notes.push_back({std::move(row), std::move(text), is_warning});
}

// True when a file that the verb depends on cannot be read.
bool refuses_corrupt(const Observed& seen, Plan& plan) {
  for (const auto& [file, problem] : {std::pair{"next_boot", problem_of(seen.next_boot)},
                                      std::pair{".version", problem_of(seen.version)}}) {
    if (problem == nullptr) continue;
    refuse(plan, fmt::format("{} cannot be read ({}): nothing was touched; 'fairway device repair' helps",
                             file, problem->why));
    return true;
  }
  return false;
}

const DataVersion* opened_in_this_boot(const Observed& seen) {
  const DataVersion* version = value_of(seen.version);
  return version != nullptr && !seen.boot_id.empty() && version->opened_by.boot_id == seen.boot_id ? version
                                                                                                   : nullptr;
}

NextBoot current_wish(const Observed& seen) {
  const NextBoot* next = value_of(seen.next_boot);
  return next != nullptr ? *next : NextBoot{};
}

void write_if_changed(const Observed& seen, Plan& plan, const char* row, NextBoot next) {
  const NextBoot before = current_wish(seen);
  if (next.same_wish(before) && value_of(seen.next_boot) != nullptr) return;
  next.written_boot_id = seen.boot_id;
  next.seq = before.seq + 1;
  plan.steps.push_back({row, WriteNextBoot{std::move(next)}});
}

void mark(Plan& plan, const char* row, DataVersion version, Health health) {
  if (version.status == health) return;
  version.status = health;
  ++version.seq;
  if (health == Health::Healthy) {
    version.healthy_version = version.opened_by.version;
    version.healthy_boot_id = version.opened_by.boot_id;
  }
  plan.steps.push_back({row, WriteVersion{std::move(version)}});
}

// The backup for a rollback to software that does not know us; null when it does, or there is none.
const Backup* backup_for_legacy(const Observed& seen) {
  const Deployment* rollback = seen.deployments.rollback();
  if (rollback == nullptr || rollback->has_pre_run || !rollback->has_application) return nullptr;
  const Backup* backup = find_complete(seen.backups, rollback->id);
  if (backup == nullptr && seen.latest) backup = find_complete(seen.backups, *seen.latest);
  return backup;
}

// By hand, unless a setting says otherwise: which attempt is the last one only GRUB's counter tells, and that
// is no ground to replace data on.
void say_how_to_go_back(const Observed& seen, Plan& plan) {
  const Backup* backup = seen.boot_counter == "0" ? backup_for_legacy(seen) : nullptr;
  if (backup == nullptr) return;
  const Deployment* rollback = seen.deployments.rollback();
  note(plan, "X",
       fmt::format(
           "this was the last attempt, and deployment {}, which is booted next, cannot restore its data "
           "by itself: stop the application there and run 'fairway device restore {}'",
           quoted(rollback->id), backup->name),
       true);
}

// After every red boot, so that it does not matter which one is the last: a further attempt finds the data as
// the first one did. The wish to restore stands until it is done.
void restore_for_legacy(Plan& plan, const Observed& seen, const Backup& backup) {
  note(plan, "X",
       fmt::format("deployment {} cannot restore its data by itself: it is done now",
                   quoted(seen.deployments.rollback()->id)));
  if (!seen.services.empty()) plan.steps.push_back({"X", StopServices{seen.services}});
  plan.steps.push_back({"X", RestoreBackup{backup.name}});
  plan.steps.push_back({"X", RemoveNextBoot{}});
  plan.steps.push_back({"X", RemoveLeftovers{}});
}

}  // namespace

Plan decide_green(const Observed& seen) {
  Plan plan;
  if (refuses_corrupt(seen, plan)) return plan;
  const DataVersion* version = opened_in_this_boot(seen);
  if (version == nullptr) {
    note(plan, "X", "pre-run did not open the data in this boot: nothing is changed", true);
    return plan;
  }
  mark(plan, "X", *version, Health::Healthy);
  if (!seen.has_deployments || !seen.deployments.current) return plan;
  NextBoot next = current_wish(seen);
  next.backup = PendingBackup{version->opened_by.deployment_id, seen.boot_id};
  next.red_kept_backup = false;
  if (next.restore && next.restore->by == Requester::Red) {
    next.restore.reset();
    next.predecessor.reset();
  }
  write_if_changed(seen, plan, "X", std::move(next));
  return plan;
}

Plan decide_red(const Observed& seen) {
  Plan plan;
  if (refuses_corrupt(seen, plan)) return plan;
  NextBoot next = current_wish(seen);
  const DataVersion* version = opened_in_this_boot(seen);
  const bool was_green = next.backup && next.backup->boot_id == seen.boot_id && !seen.boot_id.empty();
  if (was_green) {
    note(plan, "X", "this boot was green before: the backup of what was healthy then is still made", true);
  } else if (version != nullptr) {
    mark(plan, "X", *version, Health::Unhealthy);
  }
  if (!seen.has_deployments) return plan;
  if (next.backup) {
    if (!was_green)
      note(plan, "X",
           fmt::format("the backup of {} is still to be made and comes first",
                       quoted(next.backup->deployment_id)));
    if (!next.restore) next.red_kept_backup = true;
  } else if (!next.restore) {
    next.restore = RestoreRequest{.by = Requester::Red};
    next.predecessor = seen.latest;
  }
  const bool is_untouched = next.backup || value_of(seen.version) == nullptr;
  write_if_changed(seen, plan, "X", std::move(next));
  const Backup* legacy = seen.restores_legacy && !is_untouched ? backup_for_legacy(seen) : nullptr;
  if (legacy != nullptr) {
    restore_for_legacy(plan, seen, *legacy);
  } else {
    say_how_to_go_back(seen, plan);
  }
  return plan;
}

Plan decide_request_restore(const Observed& seen, const std::optional<std::string>& deployment) {
  Plan plan;
  if (refuses_corrupt(seen, plan)) return plan;
  if (!seen.has_deployments) {
    refuse(plan, "there are no deployments here: use 'fairway device restore PATH'");
    return plan;
  }
  NextBoot next = current_wish(seen);
  const bool is_pending = next.backup && deployment && next.backup->deployment_id == *deployment;
  if (deployment && !is_pending && find_complete(seen.backups, *deployment) == nullptr) {
    refuse(plan, fmt::format("there is no complete backup of deployment {}: see 'fairway device list'",
                             quoted(*deployment)));
    return plan;
  }
  next.restore = RestoreRequest{.by = Requester::Admin, .deployment_id = deployment};
  next.red_kept_backup = false;
  if (!next.predecessor) next.predecessor = seen.latest;
  write_if_changed(seen, plan, "X", std::move(next));
  return plan;
}

}  // namespace fairway::device
