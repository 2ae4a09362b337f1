#include "cli/graph_blame.hpp"

#include <array>
#include <cerrno>
#include <fcntl.h>
#include <fmt/format.h>
#include <optional>
#include <spawn.h>
#include <string>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

#include "base/semver.hpp"
#include "base/text.hpp"

extern char** environ;  // NOLINT: POSIX's own name

namespace fairway::cli {
namespace {

constexpr std::string_view kCommitterTime = "committer-time ";
constexpr std::size_t kMostOutput = 256 * 1024 * 1024;

// What a program printed on stdout; an error unless it ended with 0.
Result<std::string> output_of(std::vector<std::string> words) {
  std::array<int, 2> ends{};
  if (pipe2(ends.data(), O_CLOEXEC) != 0) return fail(ErrorCode::Unavailable, "cannot make a pipe");
  std::vector<char*> arguments;
  arguments.reserve(words.size() + 1);
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
  pid_t pid = 0;
  const int spawned = posix_spawnp(&pid, arguments.front(), &actions, nullptr, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  close(ends[1]);
  std::string text;
  std::array<char, 65536> buffer{};
  while (spawned == 0) {
    const ssize_t count = read(ends[0], buffer.data(), buffer.size());
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) break;
    if (text.size() < kMostOutput) text.append(buffer.data(), static_cast<std::size_t>(count));
  }
  close(ends[0]);
  if (spawned != 0)
    return fail(ErrorCode::Unavailable,
                fmt::format("cannot run {}; install it, or use --since", words.front()));
  int status = 0;
  while (waitpid(pid, &status, 0) < 0 && errno == EINTR) {
  }
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) {
    return fail(
        ErrorCode::Unavailable,
        fmt::format("{} did not succeed; its message is above. --since FILE does without it", words.front()));
  }
  return text;
}

std::optional<std::string> version_in(std::string_view line) {
  std::string_view text = trim(line);
  if (!text.starts_with("- ")) return std::nullopt;
  text = trim(text.substr(2));
  text = trim(text.substr(0, text.find(" #")));
  const auto version = SemVer::parse(text);
  return version ? std::optional(version->to_string()) : std::nullopt;
}

}  // namespace

std::map<std::string, WallTime> read_blame(std::string_view text) {
  std::map<std::string, WallTime> since;
  std::optional<WallTime> time;
  for (std::string_view line : split(text, '\n')) {
    if (line.starts_with(kCommitterTime)) {
      const auto seconds = parse_signed(line.substr(kCommitterTime.size()));
      if (seconds) time = WallTime(std::chrono::seconds(*seconds));
    } else if (line.starts_with('\t') && time) {
      if (const auto version = version_in(line.substr(1))) since.emplace(*version, *time);
      time.reset();
    }
  }
  return since;
}

Result<std::map<std::string, WallTime>> blame_channel(const std::string& folder, const std::string& file) {
  FAIRWAY_TRY(const std::string text,
              output_of({"git", "-C", folder, "blame", "--first-parent", "--line-porcelain", "--", file}));
  return read_blame(text);
}

}  // namespace fairway::cli
