// Process: the seam to other programs. What runs them depends on it; tests give it a scripted one.
//
// run() blocks until the program has ended or its time is over, so it belongs on a WorkerPool. A program that
// overstays is killed together with everything that it started. The arguments never pass through a shell.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "base/clock.hpp"
#include "base/result.hpp"

namespace fairway {

struct Command {
  std::string program = {};  // looked up in PATH unless it has a slash
  std::vector<std::string> arguments = {};
  std::vector<std::pair<std::string, std::string>> environment = {};  // besides our own, or instead of it
  std::string input = {};
  Duration timeout = std::chrono::seconds(60);
  std::size_t max_output = 16 * 1024 * 1024;  // of each of output and error output
};

struct ProcessResult {
  int exit_code = 0;  // 128 + n when signal n ended it, as shells say
  std::string output = {};
  std::string error_output = {};
};

class Process {
 public:
  virtual ~Process() = default;
  // NotFound when there is no such program, Timeout when it overstays; an exit code is never an error here.
  virtual Result<ProcessResult> run(const Command& command) = 0;
};

class SystemProcess final : public Process {
 public:
  explicit SystemProcess(const Clock& clock) : clock_(clock) {}
  Result<ProcessResult> run(const Command& command) override;

 private:
  const Clock& clock_;
};

}  // namespace fairway
