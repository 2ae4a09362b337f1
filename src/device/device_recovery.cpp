// Automatic recovery: backups by the clock while all is well, and newest to oldest when it is not.
#include <fmt/format.h>
#include <unistd.h>

#include "base/text.hpp"
#include "device/act.hpp"
#include "device/device.hpp"
#include "device/lock.hpp"
#include "device/observe.hpp"
#include "device/recovery_names.hpp"
#include "device/services.hpp"

namespace fairway::device {
namespace {

// What backups are told apart by: the system where there are systems, else the software's version.
Result<std::string> subject_of(const Observed& seen) {
  if (seen.deployments.current) return *seen.deployments.current;
  if (seen.binary) return seen.binary->to_string();
  return fail(ErrorCode::Unavailable,
              fmt::format("the version of the installed software cannot be told: {}", seen.binary_problem));
}

Result<std::string> read_last(const std::string& folder) {
  FAIRWAY_TRY(const auto text, read_if_exists(folder + "/" + std::string(kRecoveryState), 64 * 1024));
  if (!text) return std::string();
  auto last = parse_recovery_state(*text);
  if (!last) return std::unexpected(std::move(last).error().within(std::string(kRecoveryState)));
  return last;
}

// Copied where it cannot be renamed: the folder may be on another file system.
Result<void> move_tree(const std::string& from, const std::string& to, const std::string& draft) {
  if (auto renamed = rename_durably(from, to); renamed) return {};
  FAIRWAY_CHECKED(copy_tree(from, draft));
  FAIRWAY_CHECKED(rename_durably(draft, to));
  return remove_tree(from);
}

}  // namespace

Result<std::string> Device::back_up_for_recovery(const std::string& folder) {
  if (folder.empty()) return fail(ErrorCode::Invalid, "argument cannot be empty");
  FAIRWAY_TRY(const Observed seen, observe(place_));
  FAIRWAY_TRY(const std::string subject, subject_of(seen));
  FAIRWAY_CHECKED(make_directory(place_.root.real(folder), 0700));
  return back_up(folder + "/" + recovery_name(clock_.now(), subject));
}

Result<std::string> Device::restore_for_recovery(const std::string& folder, bool saves_failed) {
  FAIRWAY_CHECKED(check_may_change(place_));
  if (folder.empty()) return fail(ErrorCode::Invalid, "argument cannot be empty");
  FAIRWAY_CHECKED(check_stopped(place_, false));
  FAIRWAY_CHECKED(make_directory(place_.backups(), 0700));
  FAIRWAY_TRY(const OperationLock lock,
              OperationLock::take(place_.in_backups(kLock), "restore", clock_, Duration::zero()));
  FAIRWAY_CHECKED(recover());
  FAIRWAY_TRY(const Observed seen, observe(place_));
  FAIRWAY_TRY(const std::string subject, subject_of(seen));
  const std::string real = place_.root.real(folder);
  FAIRWAY_TRY(const auto names, list_if_exists(real));
  if (!names) return fail(ErrorCode::NotFound, fmt::format("expected \"{}\" to exist", folder));
  FAIRWAY_TRY(const std::string last, read_last(real));
  const auto chosen = choose_recovery(*names, subject, last);
  if (!chosen)
    return fail(ErrorCode::NotFound,
                fmt::format("there is no backup of {} in \"{}\" that was not tried already", quoted(subject),
                            folder));
  Plan plan;
  plan.notes.push_back({"A", fmt::format("restore the data from {}", quoted(folder + "/" + *chosen))});
  const auto outcome = recover_from(real, folder, *chosen, last, saves_failed);
  record("restore", seen, plan, outcome);
  if (!outcome) return std::unexpected(outcome.error());
  return folder + "/" + *chosen;
}

Result<void> Device::recover_from(const std::string& real, const std::string& folder,
                                  const std::string& chosen, const std::string& last, bool saves_failed) {
  Manifest manifest;
  FAIRWAY_CHECKED(check_source({.from = folder + "/" + chosen}, real + "/" + chosen, manifest));
  Actor actor(place_, clock_, listener_.on_progress);
  FAIRWAY_CHECKED(actor.restore_from(real + "/" + chosen, folder + "/" + chosen, manifest.digest));
  FAIRWAY_CHECKED(actor.act(RemoveNextBoot{}));
  // After the restore: a cut before this tries the same backup again, which harms nothing.
  const std::string draft = real + "/" + temporary_name("write", static_cast<std::uint64_t>(::getpid()));
  FAIRWAY_CHECKED(
      replace_file(real + "/" + std::string(kRecoveryState), draft, serialize_recovery_state(chosen), 0600));
  if (saves_failed) FAIRWAY_CHECKED(save_failed(real, draft));
  FAIRWAY_TRY(const auto put_away, stat_if_exists(real + "/" + last));
  if (!last.empty() && put_away) {
    const std::string target = real + "/" + std::string(kRestoredFolder);
    FAIRWAY_CHECKED(make_directory(target, 0700));
    FAIRWAY_CHECKED(rename_durably(real + "/" + last, target + "/" + last));
    const std::string record = last + std::string(kManifestSuffix);
    FAIRWAY_TRY(const auto has_record, stat_if_exists(real + "/" + record));
    if (has_record) FAIRWAY_CHECKED(rename_durably(real + "/" + record, target + "/" + record));
  }
  return actor.act(RemoveLeftovers{});
}

// What was replaced is where the exchange has left it.
Result<void> Device::save_failed(const std::string& real, const std::string& draft) {
  FAIRWAY_TRY(const auto left, find_leftovers(place_));
  for (const std::string& path : left) {
    if (!is_restore_name(name_of(path), place_.settings.data_name())) continue;
    const std::string target = real + "/" + std::string(kFailedFolder);
    FAIRWAY_CHECKED(make_directory(target, 0700));
    const auto found = read_data_version(place_.root.real(path));
    const DataVersion* version = value_of(found);
    const bool is_known = version != nullptr && !version->opened_by.deployment_id.empty();
    const std::string name =
        recovery_name(clock_.now(), is_known ? version->opened_by.deployment_id : "data");
    FAIRWAY_CHECKED(move_tree(place_.root.real(path), target + "/" + name, draft));
  }
  return {};
}

}  // namespace fairway::device
