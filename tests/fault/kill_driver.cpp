// kill_driver: starts a victim, kills it with SIGKILL at a random point, starts it again, and judges what it
// said.
//
//   kill_driver --victim PROGRAM [--rounds N] [--seed N] [--dir DIR]
//
// The victim is any program that takes the arguments of store_victim and prints the lines of history.hpp; the
// whole process group is killed, so it may have a server as a child. Half of the victims are killed from
// here, after a random number of lines (none included: while it starts); the other half kill themselves at a
// random file operation. The last round is left alone, so that it says what has remained. Exit code 0: every
// promise was kept.
#include <array>
#include <cstdio>
#include <fcntl.h>
#include <filesystem>
#include <fmt/format.h>
#include <map>
#include <random>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

#include "base/text.hpp"
#include "tests/fault/history.hpp"

extern char** environ;

namespace fairway::fault {
namespace {

struct Victim {
  pid_t process = -1;
  int output = -1;
};

Victim start(const std::vector<std::string>& command) {
  std::array<int, 2> ends{};
  FAIRWAY_CHECK(::pipe2(ends.data(), O_CLOEXEC) == 0, "no pipe can be made");
  std::vector<char*> words;
  for (const std::string& word : command) words.push_back(const_cast<char*>(word.c_str()));
  words.push_back(nullptr);
  posix_spawn_file_actions_t files;
  posix_spawnattr_t attributes;
  posix_spawn_file_actions_init(&files);
  posix_spawn_file_actions_adddup2(&files, ends[1], STDOUT_FILENO);
  posix_spawnattr_init(&attributes);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
  Victim victim{.process = -1, .output = ends[0]};
  const int code = ::posix_spawn(&victim.process, words[0], &files, &attributes, words.data(), environ);
  posix_spawn_file_actions_destroy(&files);
  posix_spawnattr_destroy(&attributes);
  ::close(ends[1]);
  FAIRWAY_CHECK(code == 0, "the victim cannot be started");
  return victim;
}

// Whole lines only: the last one may have been cut by the kill.
class LineReader {
 public:
  explicit LineReader(int descriptor) : descriptor_(descriptor) {}

  bool next(std::string& line) {
    for (;;) {
      if (const std::size_t end = buffer_.find('\n', start_); end != std::string::npos) {
        line = buffer_.substr(start_, end - start_);
        start_ = end + 1;
        return true;
      }
      buffer_.erase(0, std::exchange(start_, 0));
      std::array<char, 65'536> chunk;
      const ssize_t size = ::read(descriptor_, chunk.data(), chunk.size());
      if (size <= 0) return false;
      buffer_.append(chunk.data(), static_cast<std::size_t>(size));
    }
  }

 private:
  int descriptor_;
  std::string buffer_;
  std::size_t start_ = 0;
};

class Driver {
 public:
  Driver(std::string program, std::string directory, std::uint64_t seed)
      : program_(std::move(program)), directory_(std::move(directory)), random_(seed) {}

  void kill_round(int round) {
    std::vector<std::string> command = command_for(fmt::format("r{}", round));
    std::uint64_t lines = ~std::uint64_t{0};
    // Most live shortly: what is rare is a start and an end, not what lies between.
    const std::uint64_t longest = random_() % 8 == 0 ? 800 : 120;
    if (round % 2 == 0) {
      lines = random_() % 8 == 0 ? 0 : random_() % longest;
    } else {
      command.insert(command.end(),
                     {"--die-at", std::to_string(1 + random_() % (round % 4 == 1 ? 30 : longest))});
    }
    const int status = run(command, lines);
    // At its own hand or at ours; or it ran into a compiler's check, which is a failure.
    if (!WIFSIGNALED(status) || WTERMSIG(status) != SIGKILL)
      strange_.push_back(fmt::format("round {}: the victim ended by itself, with status {}", round, status));
  }

  void last_round() {
    std::vector<std::string> command = command_for("last");
    command.insert(command.end(), {"--writes", "0"});
    if (const int status = run(command, ~std::uint64_t{0}); status != 0)
      strange_.push_back(fmt::format("the last victim ended with status {}", status));
  }

  std::vector<std::string> findings() const {
    std::vector<std::string> found = strange_;
    std::ranges::move(history_.violations(), std::back_inserter(found));
    return found;
  }
  const History& history() const { return history_; }

 private:
  std::vector<std::string> command_for(const std::string& run) {
    return {program_,
            "--dir",
            directory_,
            "--seed",
            std::to_string(random_()),
            "--run",
            run,
            "--resume",
            std::to_string(history_.last_watched())};
  }

  // Kills after so many lines, and reads what was written until then.
  int run(const std::vector<std::string>& command, std::uint64_t lines) {
    const Victim victim = start(command);
    LineReader reader(victim.output);
    HistoryReader history(history_);
    std::string line;
    if (lines == 0) ::kill(-victim.process, SIGKILL);
    for (std::uint64_t count = 1; reader.next(line); ++count) {
      if (line != "closed" && !history.read(line)) strange_.push_back(line);
      if (count == lines) ::kill(-victim.process, SIGKILL);
    }
    int status = 0;
    ::waitpid(victim.process, &status, 0);
    // Whatever it has left behind must be gone before the next one opens the same store.
    ::kill(-victim.process, SIGKILL);
    while (::waitpid(-victim.process, nullptr, 0) > 0) {
    }
    ::close(victim.output);
    return status;
  }

  std::string program_;
  std::string directory_;
  std::mt19937_64 random_;
  History history_;
  std::vector<std::string> strange_;
};

constexpr std::uint64_t kRoundsToTell = 1000;  // so that whoever waits for an hour sees it move

std::string temporary_directory() {
  std::string path = std::filesystem::temp_directory_path() / "fairway-kill-XXXXXX";
  FAIRWAY_CHECK(::mkdtemp(path.data()) != nullptr, "a temporary directory cannot be made");
  return path;
}

int drive(std::map<std::string, std::string> arguments) {
  const std::uint64_t rounds = parse_unsigned(arguments["--rounds"]).value_or(50);
  const std::uint64_t seed = parse_unsigned(arguments["--seed"]).value_or(1);
  const bool is_own = arguments["--dir"].empty();
  const std::string directory = is_own ? temporary_directory() : arguments["--dir"];
  // Children of a killed victim become ours, so that their end can be waited for.
  FAIRWAY_CHECK(::prctl(PR_SET_CHILD_SUBREAPER, 1) == 0, "orphans cannot be adopted");
  Driver driver(arguments["--victim"], directory + "/store", seed);
  for (std::uint64_t round = 0; round < rounds; ++round) {
    driver.kill_round(static_cast<int>(round));
    if ((round + 1) % kRoundsToTell == 0) fmt::print(stderr, "{} of {} kills\n", round + 1, rounds);
  }
  driver.last_round();
  const std::vector<std::string> findings = driver.findings();
  for (const std::string& finding : findings) fmt::print("{}\n", finding);
  fmt::print("{} kills, seed {}: {} acknowledged writes, {} changes watched, {} findings\n", rounds, seed,
             driver.history().acknowledged_writes(), driver.history().watched_changes(), findings.size());
  if (findings.empty() && is_own)
    std::filesystem::remove_all(directory);
  else
    fmt::print("the store is in {}\n", directory);
  return findings.empty() ? 0 : 1;
}

}  // namespace
}  // namespace fairway::fault

int main(int argc, char** argv) {
  std::map<std::string, std::string> arguments;
  for (int i = 1; i + 1 < argc; i += 2) arguments[argv[i]] = argv[i + 1];
  if (arguments["--victim"].empty()) {
    fmt::print(stderr, "usage: kill_driver --victim PROGRAM [--rounds N] [--seed N] [--dir DIR]\n");
    return 64;
  }
  return fairway::fault::drive(std::move(arguments));
}
