#include "device/act.hpp"

#include <cerrno>
#include <cstdio>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/log.hpp"
#include "base/text.hpp"
#include "device/migrate.hpp"
#include "device/observe.hpp"
#include "device/security_label.hpp"
#include "device/services.hpp"
#include "device/space.hpp"
#include "device/tree_digest.hpp"

namespace fairway::device {
namespace {

std::uint64_t process_number() {
  return static_cast<std::uint64_t>(::getpid());
}

Result<std::uint64_t> inode_of(const std::string& path) {
  FAIRWAY_TRY(const auto facts, stat_if_exists(path));
  if (!facts) return system_failure(ENOENT, "look at", path);
  return facts->st_ino;
}

// The root of a mounted file system cannot be renamed.
Result<void> check_replaceable(const Place& place) {
  FAIRWAY_TRY(const auto data, stat_if_exists(place.data()));
  FAIRWAY_TRY(const auto parent, stat_if_exists(place.data_parent()));
  if (!data || !parent || data->st_dev == parent->st_dev) return {};
  return fail(
      ErrorCode::Unsupported,
      fmt::format("{} is a mount point and cannot be replaced: mount {} there instead, with the data in it",
                  quoted(place.settings.data), quoted(place.settings.data_parent())));
}

}  // namespace

Result<void> Actor::act(const Action& action) {
  return std::visit([this](const auto& each) { return perform(each); }, action);
}

std::string Actor::temporary(std::string_view operation) const {
  return temporary_name(operation, process_number());
}

Result<void> Actor::write_record(std::string_view name, const std::string& contents) {
  return replace_file(place_.in_backups(name), place_.in_backups(temporary("write")), contents, 0600);
}

// Without its name synced: if that is lost, the copy is garbage by its own name all the same.
Result<void> Actor::begin_journal(const Journal& journal) {
  return replace_file_unsynced(place_.in_backups(kJournal), place_.in_backups(temporary("write")),
                               journal.serialize(), 0600);
}

Result<void> Actor::write_journal(const Journal& journal) {
  return write_record(kJournal, journal.serialize());
}

// Best effort: what stays is garbage by its name.
void Actor::abandon(const std::string& path) {
  static_cast<void>(remove_tree(path));
  static_cast<void>(remove_file(place_.in_backups(kJournal)));
}

// Manifest, latest, end of the journal: three changes of one directory, which keeps their order, and one
// sync.
Result<void> Actor::publish(const std::string& name, const Manifest& manifest, bool becomes_latest) {
  FAIRWAY_CHECKED(replace_file_unsynced(place_.in_backups(manifest_name(name)),
                                        place_.in_backups(temporary("write")), manifest.serialize(), 0600));
  if (becomes_latest)
    FAIRWAY_CHECKED(
        replace_link_unsynced(place_.in_backups(kLatest), place_.in_backups(temporary("link")), name));
  return remove_file(place_.in_backups(kJournal));
}

Result<void> Actor::perform(const FinishExchange& finish) {
  const Journal& journal = finish.journal;
  const std::string copy = place_.root.real(journal.temporary);
  if (finish.renames) FAIRWAY_CHECKED(rename_durably(copy, place_.root.real(journal.destination)));
  FAIRWAY_CHECKED(journal.manifest
                      ? publish(name_of(journal.destination), *journal.manifest, journal.becomes_latest)
                      : remove_file(place_.in_backups(kJournal)));
  return remove_tree(copy);
}

Result<void> Actor::perform(const DiscardCopy& discard) {
  FAIRWAY_CHECKED(remove_tree(place_.root.real(discard.journal.temporary)));
  return remove_file(place_.in_backups(kJournal));
}

Result<void> Actor::perform(const RemoveLeftovers&) {
  FAIRWAY_TRY(const auto found, find_leftovers(place_));
  for (const std::string& path : found) FAIRWAY_CHECKED(remove_tree(place_.root.real(path)));
  return {};
}

Result<Manifest> Actor::describe_copy(Manifest manifest, const CopyReport& report, const std::string& tree) {
  manifest.created = format_rfc3339(clock_.now());
  manifest.files = report.files;
  manifest.bytes = report.bytes;
  manifest.method = report.method();
  if (place_.settings.digest) {
    FAIRWAY_TRY(const TreeDigest digest, digest_tree(tree));
    manifest.digest = digest.text;
  }
  return manifest;
}

Result<void> Actor::perform(const MakeBackup& backup) {
  FAIRWAY_CHECKED(make_directory(place_.backups(), 0700));
  if (place_.root.prefix.empty()) {
    if (auto labelled = PolicyLabels().restore(place_.backups()); !labelled)
      log::warning("cannot label the backup folder", {{"error", labelled.error().describe()}});
  }
  FAIRWAY_CHECKED(check_fits(place_.data(), place_.backups(), "create a backup"));
  const std::string name = temporary("backup");
  const std::string copy = place_.in_backups(name);
  Journal journal{.operation = Operation::Backup,
                  .source = place_.settings.data,
                  .destination = place_.settings.backups + "/" + backup.name,
                  .temporary = place_.settings.backups + "/" + name,
                  .becomes_latest = backup.becomes_latest};
  FAIRWAY_CHECKED(begin_journal(journal));
  auto report = copy_tree(place_.data(), copy, watch_);
  auto manifest = report ? describe_copy(backup.manifest, *report, copy)
                         : Result<Manifest>(std::unexpected(report.error()));
  if (!manifest) {
    abandon(copy);
    return std::unexpected(std::move(manifest).error());
  }
  if (manifest->method == "copy")
    log::info("copied in full: the file systems cannot clone", {{"backup", backup.name}});
  FAIRWAY_TRY(journal.inode, inode_of(copy));
  journal.phase = Phase::Swapped;
  journal.manifest = *manifest;
  FAIRWAY_CHECKED(write_journal(journal));
  const std::string spare = place_.in_backups(temporary("replaced"));
  FAIRWAY_CHECKED(put_in_place(copy, place_.in_backups(backup.name), spare));
  FAIRWAY_CHECKED(publish(backup.name, *manifest, backup.becomes_latest));
  FAIRWAY_CHECKED(remove_tree(copy));
  return remove_tree(spare);
}

Result<void> Actor::restore_from(const std::string& tree, const std::string& shown,
                                 const std::optional<std::string>& digest) {
  FAIRWAY_CHECKED(check_replaceable(place_));
  FAIRWAY_CHECKED(make_directory(place_.backups(), 0700));
  FAIRWAY_CHECKED(check_fits(tree, place_.data_parent(), "restore a backup"));
  const std::string name = restore_name(place_.settings.data_name(), process_number());
  const std::string copy = place_.data_parent() + "/" + name;
  Journal journal{.operation = Operation::Restore,
                  .source = shown,
                  .destination = place_.settings.data,
                  .temporary = parent_of(place_.settings.data) + "/" + name};
  FAIRWAY_CHECKED(begin_journal(journal));
  const auto copied = [&]() -> Result<void> {
    FAIRWAY_CHECKED(copy_tree(tree, copy, watch_));
    if (!digest) return {};
    FAIRWAY_TRY(const TreeDigest found, digest_tree(copy));
    if (found.text == *digest) return {};
    return fail(ErrorCode::Invalid, fmt::format("backup {} is damaged: expected digest {}, found {}",
                                                quoted(shown), *digest, found.text));
  }();
  if (!copied) {
    abandon(copy);
    return copied;
  }
  FAIRWAY_TRY(journal.inode, inode_of(copy));
  journal.phase = Phase::Swapped;
  FAIRWAY_CHECKED(write_journal(journal));
  const std::string spare =
      place_.data_parent() + "/" + restore_name(place_.settings.data_name(), process_number() + 1);
  FAIRWAY_CHECKED(put_in_place(copy, place_.data(), spare));
  return remove_file(place_.in_backups(kJournal));
}

Result<void> Actor::perform(const RestoreBackup& restore) {
  FAIRWAY_TRY(const auto text,
              read_if_exists(place_.in_backups(manifest_name(restore.name)), kMaxRecordBytes));
  FAIRWAY_TRY(const Manifest manifest, Manifest::parse(text.value_or("")));
  return restore_from(place_.in_backups(restore.name), place_.settings.backups + "/" + restore.name,
                      manifest.digest);
}

// To another file system: copied first, then removed.
Result<void> Actor::move_to(const std::string& name) {
  FAIRWAY_CHECKED(check_fits(place_.data(), place_.backups(), "set the data aside"));
  const std::string copy = place_.in_backups(temporary("aside"));
  FAIRWAY_CHECKED(copy_tree(place_.data(), copy, watch_));
  FAIRWAY_CHECKED(rename_durably(copy, place_.in_backups(name)));
  const std::string garbage =
      place_.data_parent() + "/" + restore_name(place_.settings.data_name(), process_number());
  FAIRWAY_CHECKED(rename_durably(place_.data(), garbage));
  return remove_tree(garbage);
}

Result<void> Actor::perform(const SetAside& aside) {
  FAIRWAY_CHECKED(check_replaceable(place_));
  FAIRWAY_CHECKED(make_directory(place_.backups(), 0700));
  const std::string target = place_.in_backups(aside.name);
  FAIRWAY_TRY(const auto earlier, stat_if_exists(target));
  if (earlier) {  // an unfinished move to another file system, or the same boot set aside before
    const std::string garbage = place_.in_backups(temporary("remove"));
    FAIRWAY_CHECKED(rename_durably(target, garbage));
    FAIRWAY_CHECKED(remove_tree(garbage));
  }
  if (::rename(place_.data().c_str(), target.c_str()) == 0) {
    FAIRWAY_CHECKED(sync_directory(place_.backups()));
    return sync_directory(place_.data_parent());
  }
  if (errno == EXDEV) return move_to(aside.name);
  return system_failure("set aside", place_.settings.data);
}

Result<void> Actor::perform(const RemoveBackup& removal) {
  const std::string garbage = place_.in_backups(temporary("remove"));
  FAIRWAY_CHECKED(rename_durably(place_.in_backups(removal.name), garbage));
  FAIRWAY_CHECKED(remove_file(place_.in_backups(manifest_name(removal.name))));
  return remove_tree(garbage);
}

Result<void> Actor::perform(const WriteNextBoot& write) {
  FAIRWAY_CHECKED(make_directory(place_.backups(), 0700));
  return write_record(kNextBoot, write.next.serialize());
}

Result<void> Actor::perform(const RemoveNextBoot&) {
  return remove_file(place_.in_backups(kNextBoot));
}

Result<void> Actor::perform(const WriteVersion& write) {
  FAIRWAY_CHECKED(make_directory(place_.data(), 0700));
  return replace_file(place_.in_data(kVersionFile), place_.in_data(kVersionDraft), write.version.serialize(),
                      0600);
}

Result<void> Actor::perform(const Migrate& migrate) {
  DataVersion version = migrate.begun;
  FAIRWAY_CHECKED(perform(WriteVersion{version}));
  for (const MigrationStep& step : migrate.steps) {
    const auto& begun = version.migration->position;
    StepRun run{.migrate_storage = migrate_storage_};
    if (begun && begun->step == step.name) run.position = begun->at;
    run.save_position = [&](const std::string& at) {
      version.migration->position = MigrationPosition{step.name, at};
      return perform(WriteVersion{version});
    };
    FAIRWAY_TRY(const std::string said, run_migration_step(place_, step, run));
    if (!said.empty()) reports_.push_back(fmt::format("{}: {}", step.name, said));
    version.migration->position.reset();
    version.migration->done.push_back(step.name);
    FAIRWAY_CHECKED(perform(WriteVersion{version}));
  }
  return {};
}

Result<void> Actor::perform(const StopServices&) {
  FAIRWAY_CHECKED(stop_services(place_));
  return check_stopped(place_, false);
}

Result<Manifest> Actor::copy_out(const std::string& path, Manifest manifest) {
  FAIRWAY_CHECKED(check_fits(place_.data(), parent_of(path), "create a backup"));
  const std::string copy = parent_of(path) + "/" + temporary("backup");
  auto report = copy_tree(place_.data(), copy, watch_);
  if (report) {
    auto described = describe_copy(std::move(manifest), *report, copy);
    if (described) {
      FAIRWAY_CHECKED(replace_file(path + std::string(kManifestSuffix), copy + ".manifest",
                                   described->serialize(), 0600));
      FAIRWAY_CHECKED(rename_durably(copy, path));
      return described;
    }
    report = std::unexpected(described.error());
  }
  static_cast<void>(remove_tree(copy));
  return std::unexpected(std::move(report).error());
}

}  // namespace fairway::device
