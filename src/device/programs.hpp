// Programs: the few other programs that a device's tool asks or runs: the application for its version,
// systemctl for the state of a unit, migration hooks. No event loop, no shell; what they print to stderr goes
// to ours.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "base/result.hpp"

namespace fairway::device {

struct ProgramResult {
  int exit_code = 0;  // 128 + n when signal n ended it
  std::string output = {};
};

using Environment = std::vector<std::pair<std::string, std::string>>;

// NotFound when there is no such program. Output beyond 1 MiB is read and dropped.
Result<ProgramResult> run_program(const std::vector<std::string>& command, const Environment& added = {});

}  // namespace fairway::device
