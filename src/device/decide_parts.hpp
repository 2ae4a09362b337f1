// What the decisions share: looking up backups in a state.
#pragma once

#include <string_view>
#include <vector>

#include "device/observed.hpp"

namespace fairway::device {

// Null unless it is complete.
const Backup* find_complete(const std::vector<Backup>& backups, std::string_view name);
// Whether the backup is of an earlier deployment of the same id.
bool is_stale(const Deployments& deployments, const Backup& backup);
// The booted deployment's, complete and not stale.
const Backup* own_backup(const Observed& seen);

}  // namespace fairway::device
