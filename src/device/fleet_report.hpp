// The report of a device to its hub: the status of a Device object
// (api/crds/device.fairway.dev_devices.yaml).
//
// What an operator of many devices asks: which system runs, what the next boot will do with the data, which
// backups there are, what happened lately. Pure: what was observed goes in.
#pragma once

#include <vector>

#include "base/clock.hpp"
#include "device/report.hpp"

namespace fairway::device {

// `history` as read_history() gives it, the oldest first; the report keeps the last few, the newest first.
json::Object fleet_report(const Status& status, const std::vector<json::Object>& history, WallTime now);

}  // namespace fairway::device
