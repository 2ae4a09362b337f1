#include "device/programs.hpp"

#include <cerrno>
#include <csignal>
#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <spawn.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/text.hpp"
#include "device/files.hpp"

extern char** environ;

namespace fairway::device {
namespace {

constexpr std::size_t kMaxOutput = 1024 * 1024;

std::vector<std::string> environment_with(const Environment& added) {
  std::vector<std::string> all;
  for (char** each = environ; *each != nullptr; ++each) all.emplace_back(*each);
  for (const auto& [name, value] : added) all.push_back(fmt::format("{}={}", name, value));
  return all;
}

std::vector<char*> pointers_to(std::vector<std::string>& texts) {
  std::vector<char*> pointers;
  for (std::string& text : texts) pointers.push_back(text.data());
  pointers.push_back(nullptr);
  return pointers;
}

std::string read_all(int file) {
  std::string output;
  std::string buffer(16 * 1024, '\0');
  while (true) {
    const ssize_t count = ::read(file, buffer.data(), buffer.size());
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return output;
    if (output.size() < kMaxOutput) output.append(buffer.data(), static_cast<std::size_t>(count));
  }
}

}  // namespace

Result<RunningProgram> RunningProgram::start(const std::vector<std::string>& command) {
  if (command.empty()) return fail(ErrorCode::Invalid, "expected a program to run, found nothing");
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, 2, 1);
  std::vector<std::string> arguments = command;
  pid_t child = 0;
  const int error = ::posix_spawnp(&child, command.front().c_str(), &actions, nullptr,
                                   pointers_to(arguments).data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (error != 0) return system_failure(error, "run", command.front());
  return RunningProgram(child);
}

bool RunningProgram::has_ended() {
  if (process_ != 0 && ::waitpid(process_, nullptr, WNOHANG) == process_) process_ = 0;
  return process_ == 0;
}

RunningProgram::~RunningProgram() {
  if (has_ended()) return;
  constexpr int kPatienceMs = 30'000;
  ::kill(process_, SIGTERM);
  const Descriptor handle(static_cast<int>(::syscall(SYS_pidfd_open, process_, 0)));
  pollfd ended{.fd = handle.get(), .events = POLLIN, .revents = 0};
  if (!handle || ::poll(&ended, 1, kPatienceMs) != 1) ::kill(process_, SIGKILL);
  while (::waitpid(process_, nullptr, 0) < 0 && errno == EINTR) {
  }
}

Result<ProgramResult> run_program(const std::vector<std::string>& command, const Environment& added) {
  if (command.empty()) return fail(ErrorCode::Invalid, "expected a program to run, found nothing");
  int ends[2] = {-1, -1};
  if (::pipe2(ends, O_CLOEXEC) != 0) return system_failure("run", command.front());
  const Descriptor reading(ends[0]);
  Descriptor writing(ends[1]);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, writing.get(), 1);
  std::vector<std::string> arguments = command;
  std::vector<std::string> environment = environment_with(added);
  pid_t child = 0;
  const int error = ::posix_spawnp(&child, command.front().c_str(), &actions, nullptr,
                                   pointers_to(arguments).data(), pointers_to(environment).data());
  posix_spawn_file_actions_destroy(&actions);
  if (error != 0) return system_failure(error, "run", command.front());
  writing = Descriptor();
  ProgramResult result;
  result.output = read_all(reading.get());
  int status = 0;
  while (::waitpid(child, &status, 0) < 0) {
    if (errno != EINTR) return system_failure("wait for", command.front());
  }
  result.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  return result;
}

}  // namespace fairway::device
