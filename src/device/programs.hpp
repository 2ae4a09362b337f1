// Programs: the few other programs that a device's tool asks or runs: the application for its version,
// systemctl for the state of a unit, migration hooks. No event loop, no shell; what they print to stderr goes
// to ours.
#pragma once

#include <string>
#include <sys/types.h>
#include <utility>
#include <vector>

#include "base/result.hpp"

namespace fairway::device {

struct ProgramResult {
  int exit_code = 0;  // 128 + n when signal n ended it
  std::string output = {};
};

using Environment = std::vector<std::pair<std::string, std::string>>;

// A program that runs beside us until this goes: it is asked to end, and after half a minute made to.
class RunningProgram {
 public:
  // What it prints goes to our stderr.
  static Result<RunningProgram> start(const std::vector<std::string>& command);
  RunningProgram(RunningProgram&& other) noexcept : process_(std::exchange(other.process_, 0)) {}
  RunningProgram(const RunningProgram&) = delete;
  ~RunningProgram();

  bool has_ended();

 private:
  explicit RunningProgram(pid_t process) : process_(process) {}
  pid_t process_ = 0;
};

// NotFound when there is no such program. Output beyond 1 MiB is read and dropped.
Result<ProgramResult> run_program(const std::vector<std::string>& command, const Environment& added = {});

}  // namespace fairway::device
