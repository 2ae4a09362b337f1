// Migrate: runs one step of a migration on the data: a program, or a rewrite of objects. Everything it
// changed is on the disk when it returns; a step that was cut is run again from its beginning.
#pragma once

#include "base/result.hpp"
#include "device/place.hpp"
#include "device/plan.hpp"

namespace fairway::device {

Result<void> run_migration_step(const Place& place, const MigrationStep& step);

}  // namespace fairway::device
