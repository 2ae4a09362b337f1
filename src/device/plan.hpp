// Plan: what a verb will do to the device, step by step, and why.
//
// An Action is one of a few small structs; describe() is the only text about it, which the dry run, the log
// and the history print. Steps are carried out in order, each one idempotent; the first that fails ends the
// plan. A refusal comes after the steps: they are carried out, then the verb fails with its text.
#pragma once

#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "device/data_version.hpp"
#include "device/journal.hpp"
#include "device/manifest.hpp"
#include "device/next_boot.hpp"
#include "json/value.hpp"

namespace fairway::device {

struct FinishExchange {
  Journal journal = {};
  bool renames = false;  // the copy still has to be moved to its place
};
struct DiscardCopy {
  Journal journal = {};
};
struct RemoveLeftovers {
  std::vector<std::string> found = {};  // empty: what this plan itself replaced
};
struct MakeBackup {
  std::string name = {};
  Manifest manifest = {};  // counts, method and time are filled in when it is made
  bool becomes_latest = false;
};
struct RestoreBackup {
  std::string name = {};
};
struct SetAside {
  std::string name = {};
};
struct RemoveBackup {
  std::string name = {};
  std::string why = {};
};
struct WriteNextBoot {
  NextBoot next = {};
};
struct RemoveNextBoot {};
struct WriteVersion {
  DataVersion version = {};
};

struct MigrationStep {
  std::string name = {};  // "4.15:10_objects": how it is marked as done
  std::string hook = {};  // the file, below the folder of migrations
  std::string from = {};  // "4.14"
  std::string to = {};
  bool operator==(const MigrationStep&) const = default;
};
// The application's units, before its data is replaced under a running system.
struct StopServices {
  std::vector<std::string> names = {};
};
struct Migrate {
  DataVersion begun = {};  // what .version says while it goes on
  std::vector<MigrationStep> steps = {};
};

using Action = std::variant<FinishExchange, DiscardCopy, RemoveLeftovers, MakeBackup, RestoreBackup, SetAside,
                            RemoveBackup, WriteNextBoot, RemoveNextBoot, WriteVersion, Migrate, StopServices>;

struct Step {
  std::string row = {};  // of the decision table: "B3", "R2"
  Action action = {};
};

struct Note {
  std::string row = {};
  std::string text = {};
  bool is_warning = false;
};

struct Plan {
  std::vector<Step> steps = {};
  std::vector<Note> notes = {};
  std::optional<std::string> refusal = {};
  std::optional<std::string> refusal_row = {};
  bool looks_again = false;  // after these steps the state has to be read again
};

std::string describe(const Action& action);
// One line for each step, note and the refusal.
std::string to_text(const Plan& plan);
json::Object to_json(const Plan& plan);

}  // namespace fairway::device
