#include "device/observe.hpp"

#include <algorithm>
#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include "base/text.hpp"
#include "device/deployment_list.hpp"
#include "device/programs.hpp"

namespace fairway::device {
namespace {

constexpr std::size_t kMaxListBytes = 1024 * 1024;

template <class T>
Found<T> read_record(const std::string& path, Result<T> (*parse)(std::string_view)) {
  const auto text = read_if_exists(path, kMaxRecordBytes);
  if (!text) return Corrupt{text.error().describe()};
  if (!*text) return Absent{};
  auto value = parse(**text);
  if (!value) return Corrupt{value.error().describe()};
  return *std::move(value);
}

Result<void> check_directory(const std::string& path, const struct stat& facts) {
  if (S_ISDIR(facts.st_mode)) return {};
  return fail(ErrorCode::Invalid, fmt::format("expected {} to be a directory, found {}", quoted(path),
                                              S_ISLNK(facts.st_mode) ? "a symbolic link" : "a file"));
}

// A directory that nobody has put anything into counts as no data.
Result<bool> has_data(const Place& place) {
  FAIRWAY_TRY(const auto facts, stat_if_exists(place.data()));
  if (!facts) return false;
  FAIRWAY_CHECKED(check_directory(place.settings.data, *facts));
  FAIRWAY_TRY(const auto names, list_if_exists(place.data()));
  return std::ranges::any_of(names.value_or(std::vector<std::string>()), [](const std::string& name) {
    return name != ".nodename" && name != "lost+found" && name != kVersionDraft;
  });
}

Result<std::string> read_boot_id(const Place& place) {
  const std::string path = place.root.real("/proc/sys/kernel/random/boot_id");
  FAIRWAY_TRY(const auto text, read_if_exists(path, 256));
  const auto boot = parse_boot_id(text.value_or(""));
  if (!boot) return fail(ErrorCode::Invalid, fmt::format("expected {} to hold a boot id", quoted(path)));
  return *boot;
}

bool is_journal_path(const Place& place, const std::string& path, bool is_temporary) {
  const std::string parent = parent_of(path);
  const std::string name = name_of(path);
  if (parent == place.settings.backups) {
    const EntryKind kind = classify(name);
    return is_temporary
               ? kind == EntryKind::Temporary
               : kind == EntryKind::Backup || kind == EntryKind::Unverified || kind == EntryKind::Unhealthy;
  }
  if (parent != place.settings.data_parent()) return false;
  return is_temporary ? is_restore_name(name, place.settings.data_name()) : path == place.settings.data;
}

std::optional<std::uint64_t> inode_of(const std::string& path) {
  const auto facts = stat_if_exists(path);
  return facts && *facts ? std::optional<std::uint64_t>((*facts)->st_ino) : std::nullopt;
}

void read_journal(const Place& place, Observed& seen) {
  seen.journal = read_record(place.in_backups(kJournal), &Journal::parse);
  const Journal* journal = value_of(seen.journal);
  if (journal == nullptr) return;
  if (!is_journal_path(place, journal->destination, false) ||
      !is_journal_path(place, journal->temporary, true)) {
    seen.journal = Corrupt{"it names paths that are not ours"};
    return;
  }
  seen.journal_facts = {inode_of(place.root.real(journal->destination)),
                        inode_of(place.root.real(journal->temporary))};
}

Backup read_backup(const Place& place, const std::string& name, EntryKind kind, bool has_directory) {
  Backup backup{.name = name, .kind = kind, .has_directory = has_directory};
  backup.manifest = read_record(place.in_backups(manifest_name(name)), &Manifest::parse);
  if (has_directory) backup.version = read_data_version(place.in_backups(name));
  return backup;
}

Result<void> read_backups(const Place& place, Observed& seen) {
  FAIRWAY_TRY(const auto facts, stat_if_exists(place.backups()));
  if (!facts) return {};
  FAIRWAY_CHECKED(check_directory(place.settings.backups, *facts));
  FAIRWAY_TRY(const auto names, list_if_exists(place.backups()));
  for (const std::string& name : names.value_or(std::vector<std::string>())) {
    const EntryKind kind = classify(name);
    if (kind != EntryKind::Backup && kind != EntryKind::Unverified && kind != EntryKind::Unhealthy) continue;
    FAIRWAY_TRY(const auto entry, stat_if_exists(place.in_backups(name)));
    if (entry && S_ISDIR(entry->st_mode)) seen.backups.push_back(read_backup(place, name, kind, true));
  }
  if (const auto latest = read_link_if_exists(place.in_backups(kLatest));
      latest && *latest && is_deployment_name(**latest))
    seen.latest = **latest;
  return {};
}

Result<AppVersion> read_binary_version(const Place& place) {
  const Settings& settings = place.settings;
  if (settings.version) return *settings.version;
  if (!settings.version_file.empty()) {
    FAIRWAY_TRY(const auto text, read_if_exists(place.root.real(settings.version_file), kMaxRecordBytes));
    if (!text) return fail(ErrorCode::NotFound, fmt::format("there is no {}", quoted(settings.version_file)));
    return AppVersion::find_in(*text);
  }
  std::vector<std::string> command = settings.version_command;
  if (!command.empty() && command.front().starts_with('/'))
    command.front() = place.root.real(command.front());
  FAIRWAY_TRY(const ProgramResult result, run_program(command));
  if (result.exit_code != 0)
    return fail(ErrorCode::Unavailable,
                fmt::format("{} ended with exit code {}", quoted(command.front()), result.exit_code));
  return AppVersion::find_in(result.output);
}

VersionRules read_rules(const Place& place) {
  VersionRules rules{.max_skew = place.settings.max_skew, .last_minor = place.settings.last_minor};
  const auto text = read_if_exists(place.root.real(place.settings.blocked_upgrades), kMaxListBytes);
  if (!text) {
    rules.blocked_problem = text.error().describe();
    return rules;
  }
  auto list = BlockedUpgrades::parse(*text ? std::string_view(**text) : embedded_blocked_upgrades());
  if (list) {
    rules.blocked = *std::move(list);
  } else {
    rules.blocked_problem = list.error().within(place.settings.blocked_upgrades).describe();
  }
  return rules;
}

// Programs, and the YAML files of built-in steps.
Result<std::vector<std::string>> steps_in(const Place& place, const std::string& below) {
  const std::string folder = place.root.real(place.settings.migrations) + (below.empty() ? "" : "/" + below);
  FAIRWAY_TRY(const auto names, list_if_exists(folder));
  std::vector<std::string> found;
  for (const std::string& name : names.value_or(std::vector<std::string>())) {
    FAIRWAY_TRY(const auto facts, stat_if_exists(folder + "/" + name));
    if (facts && S_ISREG(facts->st_mode) && ((facts->st_mode & 0111) != 0 || name.ends_with(".yaml")))
      found.push_back(below.empty() ? name : below + "/" + name);
  }
  return found;
}

Result<MigrationHooks> read_hooks(const Place& place) {
  MigrationHooks hooks;
  FAIRWAY_TRY(hooks.for_every_hop, steps_in(place, ""));
  FAIRWAY_TRY(const auto names, list_if_exists(place.root.real(place.settings.migrations)));
  for (const std::string& name : names.value_or(std::vector<std::string>())) {
    if (!is_version_name(name)) continue;
    FAIRWAY_TRY(hooks.for_hop_to[name], steps_in(place, name));
  }
  return hooks;
}

std::optional<std::string> read_boot_counter(const Place& place) {
  for (const char* path : {"/boot/grub2/grubenv", "/boot/grub/grubenv"}) {
    const auto text = read_if_exists(place.root.real(path), 64 * 1024);
    if (text && *text) return grub_variable(**text, "boot_counter");
  }
  return std::nullopt;
}

}  // namespace

Found<DataVersion> read_data_version(const std::string& directory) {
  auto own = read_record(directory + "/" + std::string(kVersionFile), &DataVersion::parse);
  if (!std::holds_alternative<Absent>(own)) return own;
  return read_record(directory + "/" + std::string(kShippedVersionFile), &DataVersion::parse_shipped);
}

Result<std::vector<std::string>> find_leftovers(const Place& place) {
  std::vector<std::string> found;
  FAIRWAY_TRY(const auto kept, list_if_exists(place.backups()));
  for (const std::string& name : kept.value_or(std::vector<std::string>())) {
    if (classify(name) == EntryKind::Temporary) found.push_back(place.settings.backups + "/" + name);
    if (classify(name) != EntryKind::Manifest) continue;
    const std::string backup = name.substr(0, name.size() - kManifestSuffix.size());
    FAIRWAY_TRY(const auto directory, stat_if_exists(place.in_backups(backup)));
    const auto manifest = read_record(place.in_backups(name), &Manifest::parse);
    if (!directory && value_of(manifest) != nullptr) found.push_back(place.settings.backups + "/" + name);
  }
  FAIRWAY_TRY(const auto beside, list_if_exists(place.data_parent()));
  const std::string prefix = place.settings.data_parent() == "/" ? "" : place.settings.data_parent();
  for (const std::string& name : beside.value_or(std::vector<std::string>())) {
    if (is_restore_name(name, place.settings.data_name())) found.push_back(prefix + "/" + name);
  }
  FAIRWAY_TRY(const auto draft, stat_if_exists(place.in_data(kVersionDraft)));
  if (draft) found.push_back(place.settings.data + "/" + std::string(kVersionDraft));
  return found;
}

Result<Observed> observe(const Place& place, Interest interest) {
  Observed seen;
  FAIRWAY_TRY(seen.boot_id, read_boot_id(place));
  FAIRWAY_CHECKED(read_backups(place, seen));
  FAIRWAY_TRY(seen.has_data, has_data(place));
  if (seen.has_data) seen.version = read_data_version(place.data());
  seen.next_boot = read_record(place.in_backups(kNextBoot), &NextBoot::parse);
  read_journal(place, seen);
  FAIRWAY_TRY(seen.leftovers, find_leftovers(place));
  seen.has_deployments = has_deployments(place);
  if (seen.has_deployments) seen.deployments = read_deployments(place);
  seen.assumed_version = place.settings.assumed_version;
  seen.boot_counter = read_boot_counter(place);
  seen.restores_legacy = place.settings.legacy_rollback_restore;
  seen.services = place.settings.services;
  if (interest == Interest::Health) return seen;
  seen.rules = read_rules(place);
  FAIRWAY_TRY(seen.hooks, read_hooks(place));
  auto binary = read_binary_version(place);
  if (binary) {
    seen.binary = *std::move(binary);
  } else {
    seen.binary_problem = binary.error().describe();
  }
  return seen;
}

}  // namespace fairway::device
