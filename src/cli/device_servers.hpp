// DeviceServers: the API servers that a device's migrations are made on: Fairway's own, started on the data
// for as long as the step takes and reachable from this machine only, or the one that a kubeconfig names.
#pragma once

#include "device/storage_step.hpp"

namespace fairway::cli {

// For Device, which has no event loop of its own.
device::MigrateStorage storage_migrator();

}  // namespace fairway::cli
