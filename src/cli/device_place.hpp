// Which device a command means: the files below a root and the settings that say what is guarded there.
#pragma once

#include <string>

#include "base/result.hpp"
#include "device/device.hpp"
#include "device/report.hpp"

namespace fairway::cli {

// `config` is a file; empty: the device's own (/etc/fairway/device.yaml, /usr/lib/fairway/device.yaml), if it
// has one.
Result<device::Place> device_place(const std::string& root, const std::string& config);

// All that `fairway device status` tells.
Result<device::Status> device_status(const device::Device& device);

}  // namespace fairway::cli
