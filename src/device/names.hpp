// Names: what the entries of the backup folder are called, and which of them are ours.
//
// Every name is classified by its whole form; a name that has no form of ours is Unknown and never touched.
// Deployment ids are `<osname>-<64 hex>.<serial>`; plain folders have any name that is safe as a file's.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace fairway::device {

inline constexpr std::string_view kNextBoot = "next_boot";
inline constexpr std::string_view kLatest = "latest";
inline constexpr std::string_view kJournal = "journal";
inline constexpr std::string_view kLock = "lock";
inline constexpr std::string_view kHistory = "history";
inline constexpr std::string_view kFailureLog = "prerun_failed.log";
inline constexpr std::string_view kVersionFile = ".version";       // in the data
inline constexpr std::string_view kVersionDraft = ".version.tmp";  // in the data, until it is renamed
inline constexpr std::string_view kShippedVersionFile =
    "version";  // what MicroShift itself writes since 4.14
inline constexpr std::string_view kManifestSuffix = ".manifest";
inline constexpr std::string_view kUnverifiedSuffix = ".unverified";
inline constexpr std::string_view kUnhealthySuffix = ".unhealthy";

enum class EntryKind {
  State,       // next_boot, latest, journal, lock, history, prerun_failed.log
  Backup,      // <deployment id>, or <X.Y> for data from before there were ids
  Unverified,  // <deployment id>.unverified: kept for people, never restored by rule
  Unhealthy,   // <deployment id>_<boot>.unhealthy: set aside
  Manifest,    // <one of the three above>.manifest
  Temporary,   // .tmp.<op>.<number>: garbage unless the journal names it
  Unknown,
};

EntryKind classify(std::string_view name);

bool is_ostree_id(std::string_view text);
// Fit to name a backup: no slash, no leading dot, none of our own names or suffixes.
bool is_deployment_name(std::string_view text);
// "4.13": how a backup is called when there is no deployment to name it by.
bool is_version_name(std::string_view text);

// 32 hex digits; dashes, as /proc/sys/kernel/random/boot_id has them, are left out. Nothing for other texts.
std::optional<std::string> parse_boot_id(std::string_view text);

std::string manifest_name(std::string_view backup);
std::string unverified_name(std::string_view deployment);
std::string unhealthy_name(std::string_view deployment, std::string_view boot);
// .tmp.backup.4711
std::string temporary_name(std::string_view operation, std::uint64_t number);
// .microshift.restore.17 for data called microshift; beside the data.
std::string restore_name(std::string_view data, std::uint64_t number);
bool is_restore_name(std::string_view name, std::string_view data);

}  // namespace fairway::device
