// The verbs that an administrator types: backup, restore, verify, repair.
#include <algorithm>
#include <fmt/format.h>

#include "base/log.hpp"
#include "base/text.hpp"
#include "device/act.hpp"
#include "device/decide.hpp"
#include "device/device.hpp"
#include "device/lock.hpp"
#include "device/observe.hpp"
#include "device/services.hpp"
#include "device/tree_digest.hpp"

namespace fairway::device {
namespace {

Manifest manifest_of(const Observed& seen) {
  Manifest manifest;
  if (const DataVersion* version = value_of(seen.version)) {
    manifest.deployment_id = version->opened_by.deployment_id;
    manifest.boot_id = version->opened_by.boot_id;
    manifest.version = version->version;
    manifest.seq = version->seq;
  }
  if (const Deployment* place = seen.deployments.find(manifest.deployment_id))
    manifest.deployment_dir = place->directory;
  return manifest;
}

Verification verify_backup(const Place& place, const Backup& backup) {
  Verification verification{.name = backup.name};
  if (!backup.is_complete()) {
    verification.text = backup.problem();
    return verification;
  }
  const auto digest = digest_tree(place.in_backups(backup.name));
  const Manifest& manifest = backup.record();
  if (!digest) {
    verification.text = digest.error().describe();
  } else if (manifest.digest && *manifest.digest != digest->text) {
    verification.text = fmt::format("expected digest {}, found {}", *manifest.digest, digest->text);
  } else if (manifest.files != digest->files || manifest.bytes != digest->bytes) {
    verification.text = fmt::format("expected {} files of {} bytes, found {} of {}", manifest.files,
                                    manifest.bytes, digest->files, digest->bytes);
  } else {
    verification.is_good = true;
    verification.text = manifest.digest ? "digest and counts agree" : "counts agree; no digest was recorded";
  }
  return verification;
}

}  // namespace

Result<void> Device::recover() {
  while (true) {
    FAIRWAY_TRY(const Observed seen, observe(place_, Interest::Health));
    if (const Corrupt* corrupt = problem_of(seen.journal))
      return fail(ErrorCode::Invalid,
                  fmt::format("journal cannot be read ({}): nothing was touched; 'fairway "
                              "device repair' helps",
                              corrupt->why));
    Plan plan = decide_recovery(seen);
    FAIRWAY_CHECKED(carry_out(plan));
    if (!plan.looks_again) return {};
  }
}

Result<std::string> Device::back_up(const std::string& path) {
  FAIRWAY_CHECKED(check_may_change(place_));
  if (path.empty()) return fail(ErrorCode::Invalid, "argument cannot be empty");
  FAIRWAY_CHECKED(check_stopped(place_, true));
  FAIRWAY_CHECKED(make_directory(place_.backups(), 0700));
  FAIRWAY_TRY(const OperationLock lock,
              OperationLock::take(place_.in_backups(kLock), "backup", clock_, Duration::zero()));
  FAIRWAY_CHECKED(recover());
  std::string target = path.find('/') == std::string::npos ? place_.in_backups(path) : place_.root.real(path);
  FAIRWAY_TRY(const auto existing, stat_if_exists(target));
  if (existing) return fail(ErrorCode::AlreadyExists, fmt::format("expected \"{}\" to not exist", path));
  FAIRWAY_TRY(const Observed seen, observe(place_, Interest::Health));
  if (!seen.has_data)
    return fail(ErrorCode::NotFound, fmt::format("expected \"{}\" to exist", place_.settings.data));
  Plan plan;
  plan.notes.push_back({"A", fmt::format("back up the data to {}", quoted(path))});
  Actor actor(place_, clock_, listener_.on_progress);
  const auto made = actor.copy_out(target, manifest_of(seen));
  record("backup", seen, plan, made ? Result<void>{} : Result<void>(std::unexpected(made.error())));
  if (!made) return std::unexpected(made.error());
  return target;
}

Result<void> Device::check_source(const ManualRestore& request, const std::string& path,
                                  Manifest& manifest) const {
  FAIRWAY_TRY(const auto facts, stat_if_exists(path));
  if (!facts || !S_ISDIR(facts->st_mode))
    return fail(ErrorCode::NotFound, fmt::format("expected \"{}\" to exist", request.from));
  std::string missing;
  for (const std::string& entry : place_.settings.expected_entries) {
    FAIRWAY_TRY(const auto found, stat_if_exists(path + "/" + entry));
    if (!found) missing += (missing.empty() ? "" : ", ") + entry;
  }
  if (!missing.empty())
    return fail(ErrorCode::Invalid,
                fmt::format("\"{}\" is not a valid {} backup: following expected subdirs are missing: {}",
                            request.from, place_.settings.name, missing));
  if (request.without_manifest || !place_.settings.expected_entries.empty()) return {};
  FAIRWAY_TRY(const auto text, read_if_exists(path + std::string(kManifestSuffix), kMaxRecordBytes));
  if (!text)
    return fail(
        ErrorCode::Invalid,
        fmt::format("\"{}\" is not a valid {} backup: it has no manifest; --without-manifest restores it "
                    "all the same",
                    request.from, place_.settings.name));
  FAIRWAY_TRY(manifest, Manifest::parse(*text));
  return {};
}

// The data as it is stays: as the backup that was still to be made, or as a copy for people.
Result<void> Device::save_before_restore(const Observed& seen, const std::string& source, bool discards) {
  if (!seen.has_data) return {};
  const NextBoot* next = value_of(seen.next_boot);
  Manifest manifest = manifest_of(seen);
  if (manifest.deployment_id.empty()) manifest.deployment_id = seen.assumed_version.minor_text();
  const std::string& name = manifest.deployment_id;
  const bool is_kept = std::ranges::any_of(seen.backups, [&](const Backup& each) {
    return each.is_complete() && each.record().deployment_id == name && manifest.version &&
           each.record().boot_id == manifest.boot_id && each.record().seq == manifest.seq;
  });
  if (is_kept) return {};
  const bool is_pending = next != nullptr && next->backup && next->backup->deployment_id == name &&
                          next->backup->boot_id == manifest.boot_id;
  const bool is_own_source = source == place_.in_backups(name);
  if (!is_pending && discards) return {};
  const bool is_backup = is_pending && !is_own_source;
  const Step step{"A", MakeBackup{is_backup ? name : unverified_name(name), manifest, is_backup}};
  if (listener_.on_step) listener_.on_step(step);
  return Actor(place_, clock_, listener_.on_progress).act(step.action);
}

Result<void> Device::restore(const ManualRestore& request) {
  FAIRWAY_CHECKED(check_may_change(place_));
  if (request.from.empty()) return fail(ErrorCode::Invalid, "argument cannot be empty");
  FAIRWAY_CHECKED(check_stopped(place_, false));
  FAIRWAY_CHECKED(make_directory(place_.backups(), 0700));
  FAIRWAY_TRY(const OperationLock lock,
              OperationLock::take(place_.in_backups(kLock), "restore", clock_, Duration::zero()));
  FAIRWAY_CHECKED(recover());
  const bool is_name = request.from.find('/') == std::string::npos;
  const std::string source = is_name ? place_.in_backups(request.from) : place_.root.real(request.from);
  Manifest manifest;
  FAIRWAY_CHECKED(check_source(request, source, manifest));
  FAIRWAY_TRY(const Observed seen, observe(place_, Interest::Health));
  Plan plan;
  plan.notes.push_back({"A", fmt::format("restore the data from {}", quoted(request.from))});
  const auto outcome = [&]() -> Result<void> {
    FAIRWAY_CHECKED(save_before_restore(seen, source, request.discards_data));
    Actor actor(place_, clock_, listener_.on_progress);
    FAIRWAY_CHECKED(actor.restore_from(source, request.from, manifest.digest));
    FAIRWAY_CHECKED(actor.act(RemoveNextBoot{}));
    return actor.act(RemoveLeftovers{});
  }();
  record("restore", seen, plan, outcome);
  return outcome;
}

Result<std::vector<Verification>> Device::verify(const std::string& name) const {
  FAIRWAY_TRY(const Observed seen, observe(place_, Interest::Health));
  std::vector<Verification> all;
  for (const Backup& backup : seen.backups) {
    if (backup.kind == EntryKind::Unhealthy || (!name.empty() && backup.name != name)) continue;
    if (name.empty() && std::holds_alternative<Absent>(backup.manifest)) continue;
    all.push_back(verify_backup(place_, backup));
  }
  if (!name.empty() && all.empty())
    return fail(ErrorCode::NotFound,
                fmt::format("there is no backup {}: see 'fairway device list'", quoted(name)));
  return all;
}

Result<std::vector<std::string>> Device::repair(const std::optional<AppVersion>& data_version) {
  FAIRWAY_CHECKED(check_may_change(place_));
  FAIRWAY_CHECKED(make_directory(place_.backups(), 0700));
  FAIRWAY_TRY(const OperationLock lock,
              OperationLock::take(place_.in_backups(kLock), "repair", clock_, Duration::zero()));
  FAIRWAY_TRY(const Observed seen, observe(place_, Interest::Health));
  const bool needs_version = problem_of(seen.version) != nullptr;
  if (needs_version && !data_version)
    return fail(ErrorCode::Invalid,
                "the data's .version cannot be read: say with --data-version X.Y.Z what wrote "
                "the data, because a wrong guess would migrate it wrongly");
  if (problem_of(seen.journal) != nullptr && !seen.has_data && !seen.leftovers.empty())
    return fail(
        ErrorCode::Conflict,
        fmt::format("the journal cannot be read and there is no data: one of {} may be it; move it to {} by "
                    "hand first",
                    join(seen.leftovers, ", "), quoted(place_.settings.data)));
  std::vector<std::string> done;
  Plan plan;
  const auto put_aside = [&](const std::string& from, std::string_view to) -> Result<void> {
    const std::string target = place_.in_backups(std::string(to) + ".corrupt");
    FAIRWAY_CHECKED(rename_durably(from, target));
    done.push_back(fmt::format("moved the unreadable {} to {}", quoted(name_of(from)), quoted(target)));
    return {};
  };
  if (problem_of(seen.journal) != nullptr) FAIRWAY_CHECKED(put_aside(place_.in_backups(kJournal), kJournal));
  if (problem_of(seen.next_boot) != nullptr)
    FAIRWAY_CHECKED(put_aside(place_.in_backups(kNextBoot), kNextBoot));
  if (needs_version) {
    // Over it, not beside it: the data must never be without a .version, which would mean another age.
    DataVersion version{.version = *data_version, .status = Health::Unknown, .healthy_version = data_version};
    version.opened_by = {*data_version, seen.deployments.current.value_or(""), ""};
    FAIRWAY_CHECKED(Actor(place_, clock_, {}).act(WriteVersion{version}));
    done.push_back(fmt::format("wrote .version: the data is {}", data_version->to_string()));
  }
  for (const std::string& each : done) plan.notes.push_back({"A", each});
  if (!done.empty()) record("repair", seen, plan, {});
  return done;
}

}  // namespace fairway::device
