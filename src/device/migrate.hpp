// Migrate: runs one step of a migration on the data: a program, or one of the built-in kinds of
// step_file.hpp. Everything it changed is on the disk when it returns; a step that was cut is run again, from
// where it says that it got to.
#pragma once

#include <functional>
#include <string>

#include "base/result.hpp"
#include "device/place.hpp"
#include "device/plan.hpp"
#include "device/storage_step.hpp"

namespace fairway::device {

struct StepRun {
  const MigrateStorage& migrate_storage;
  std::string position = {};  // where an interrupted run of it got to
  std::function<Result<void>(const std::string& position)> save_position = {};
};

// What was done, for the history; "" when there is nothing to say.
Result<std::string> run_migration_step(const Place& place, const MigrationStep& step, const StepRun& run);

// What a step would do to a tree of data; "" where only doing it can tell. Only reads.
Result<std::string> preview_migration_step(const Place& place, const MigrationStep& step,
                                           const std::string& tree);

}  // namespace fairway::device
