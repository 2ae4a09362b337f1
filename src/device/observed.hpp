// Observed: the whole state of a device at one moment, read before anything is decided.
//
// Files are Found: absent, corrupt or a value. Nothing here touches the disk.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "device/data_version.hpp"
#include "device/deployment_facts.hpp"
#include "device/journal.hpp"
#include "device/manifest.hpp"
#include "device/names.hpp"
#include "device/next_boot.hpp"
#include "device/record.hpp"
#include "device/version_rules.hpp"

namespace fairway::device {

// A directory in the backup folder that has a name of ours, or a manifest without its directory.
struct Backup {
  std::string name = {};
  EntryKind kind = EntryKind::Backup;
  bool has_directory = false;
  Found<Manifest> manifest = {};
  Found<DataVersion> version = {};  // what the copy says of itself

  // Whether it is a backup at all: a complete manifest that is of this very copy.
  bool is_complete() const;
  // Why it is not; "" when it is.
  std::string problem() const;
  const Manifest& record() const { return std::get<Manifest>(manifest); }  // of a complete one
};

// Programs that change data from one minor to the next: for every hop, and for the hop to one minor only.
struct MigrationHooks {
  std::vector<std::string> for_every_hop = {};
  std::map<std::string, std::vector<std::string>> for_hop_to = {};  // by "4.15"
};

struct Observed {
  std::string boot_id = {};
  bool has_deployments = false;  // an ostree system, or one of folders
  Deployments deployments = {};
  std::optional<AppVersion> binary = {};
  std::string binary_problem = {};
  VersionRules rules = {};
  AppVersion assumed_version = {4, 13, 0};

  bool has_data = false;
  Found<DataVersion> version = {};
  Found<NextBoot> next_boot = {};
  Found<Journal> journal = {};
  JournalFacts journal_facts = {};
  std::vector<std::string> leftovers = {};  // paths of ours that mean nothing without a journal
  std::vector<Backup> backups = {};
  std::optional<std::string> latest = {};
  MigrationHooks hooks = {};
  bool restores_legacy = false;                  // a setting: red restores for a system that cannot
  std::vector<std::string> services = {};        // of the application
  std::optional<std::string> boot_counter = {};  // GRUB's, as a hint for messages only
};

}  // namespace fairway::device
