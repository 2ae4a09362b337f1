#include "async/process.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <spawn.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <system_error>
#include <unistd.h>

#include "base/text.hpp"

extern char** environ;  // NOLINT(readability-redundant-declaration): not every libc declares it

namespace fairway {
namespace {

class Descriptor {
 public:
  explicit Descriptor(int fd = -1) : fd_(fd) {}
  Descriptor(Descriptor&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(fd_, other.fd_);
    return *this;
  }
  ~Descriptor() { close(); }

  int get() const { return fd_; }
  bool is_open() const { return fd_ >= 0; }
  void close() {
    if (fd_ >= 0) ::close(std::exchange(fd_, -1));
  }

 private:
  int fd_;
};

std::unexpected<Error> system_failure(std::string_view doing, int error) {
  return fail(ErrorCode::Internal, fmt::format("{}: {}", doing, std::generic_category().message(error)));
}

// glibc 2.36 declares pidfd_open() without C linkage.
int open_pidfd(pid_t pid) {
  return static_cast<int>(::syscall(SYS_pidfd_open, pid, 0U));
}

struct Pipe {
  Descriptor read;
  Descriptor write;

  static Result<Pipe> make() {
    std::array<int, 2> ends{};
    if (::pipe2(ends.data(), O_CLOEXEC) != 0) return system_failure("cannot make a pipe", errno);
    return Pipe{Descriptor(ends[0]), Descriptor(ends[1])};
  }
};

std::vector<std::string> environment_of(const Command& command) {
  std::vector<std::string> variables;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string_view text = *entry;
    const std::string_view name = text.substr(0, text.find('='));
    const bool is_replaced =
        std::ranges::any_of(command.environment, [&](const auto& pair) { return pair.first == name; });
    if (!is_replaced) variables.emplace_back(text);
  }
  for (const auto& [name, value] : command.environment)
    variables.push_back(fmt::format("{}={}", name, value));
  return variables;
}

std::vector<char*> pointers_to(std::vector<std::string>& texts) {
  std::vector<char*> pointers;
  pointers.reserve(texts.size() + 1);
  for (std::string& text : texts) pointers.push_back(text.data());
  pointers.push_back(nullptr);
  return pointers;
}

// A running program, alone in its process group; whoever drops it kills the group.
class Child {
 public:
  static Result<Child> start(const Command& command);
  Child(Child&& other) noexcept = default;
  Child& operator=(Child&&) = delete;
  ~Child() {
    if (pid_.is_alive()) {
      ::kill(-pid_.id, SIGKILL);
      std::ignore = wait();
    }
  }

  // Moves bytes until the program has ended and what it wrote is read.
  Result<void> talk(const Command& command, const Clock& clock, ProcessResult& result);
  int wait() {
    int status = 0;
    while (::waitpid(pid_.id, &status, 0) < 0 && errno == EINTR) {
    }
    pid_.id = 0;
    return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
  }

 private:
  struct Pid {
    explicit Pid(pid_t given) : id(given) {}
    Pid(Pid&& other) noexcept : id(std::exchange(other.id, 0)) {}
    bool is_alive() const { return id > 0; }
    pid_t id;
  };

  Child(pid_t pid, Descriptor ended, Pipe input, Pipe output, Pipe errors)
      : pid_(pid),
        ended_(std::move(ended)),
        input_(std::move(input.write)),
        output_(std::move(output.read)),
        errors_(std::move(errors.read)) {}

  void feed(std::string_view& pending);
  static Result<void> drain(Descriptor& from, std::string& into, std::size_t limit);

  Pid pid_;
  Descriptor ended_;
  Descriptor input_;
  Descriptor output_;
  Descriptor errors_;
};

Result<Child> Child::start(const Command& command) {
  FAIRWAY_TRY(Pipe input, Pipe::make());
  FAIRWAY_TRY(Pipe output, Pipe::make());
  FAIRWAY_TRY(Pipe errors, Pipe::make());
  for (int fd : {input.write.get(), output.read.get(), errors.read.get()}) ::fcntl(fd, F_SETFL, O_NONBLOCK);

  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  posix_spawn_file_actions_adddup2(&files, input.read.get(), STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&files, output.write.get(), STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&files, errors.write.get(), STDERR_FILENO);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  sigset_t none;
  sigemptyset(&none);
  sigset_t all;
  sigfillset(&all);
  // We ignore SIGPIPE and may block signals in our threads; the program expects neither.
  posix_spawnattr_setsigmask(&attributes, &none);
  posix_spawnattr_setsigdefault(&attributes, &all);
  posix_spawnattr_setpgroup(&attributes, 0);
  posix_spawnattr_setflags(&attributes,
                           POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);

  std::vector<std::string> arguments = command.arguments;
  arguments.insert(arguments.begin(), command.program);
  std::vector<std::string> environment = environment_of(command);
  pid_t pid = 0;
  const int error = ::posix_spawnp(&pid, command.program.c_str(), &files, &attributes,
                                   pointers_to(arguments).data(), pointers_to(environment).data());
  posix_spawn_file_actions_destroy(&files);
  posix_spawnattr_destroy(&attributes);
  if (error != 0) {
    const auto code = error == ENOENT ? ErrorCode::NotFound : ErrorCode::Invalid;
    return fail(code, fmt::format("cannot run {}: {}", quoted(command.program),
                                  std::generic_category().message(error)));
  }
  Child child(pid, Descriptor(), std::move(input), std::move(output), std::move(errors));
  child.ended_ = Descriptor(open_pidfd(pid));
  if (!child.ended_.is_open()) return system_failure("cannot observe a child process", errno);
  return child;
}

void Child::feed(std::string_view& pending) {
  while (input_.is_open()) {
    if (pending.empty()) return input_.close();
    const ssize_t count = ::write(input_.get(), pending.data(), pending.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0 && errno == EAGAIN) return;
    // A program may well end without reading all of its input.
    if (count < 0) return input_.close();
    pending.remove_prefix(static_cast<std::size_t>(count));
  }
}

Result<void> Child::drain(Descriptor& from, std::string& into, std::size_t limit) {
  std::array<char, 16 * 1024> block;
  while (from.is_open()) {
    const ssize_t count = ::read(from.get(), block.data(), block.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0 && errno == EAGAIN) return {};
    if (count <= 0) {
      from.close();
      return {};
    }
    into.append(block.data(), static_cast<std::size_t>(count));
    if (into.size() > limit) {
      return fail(ErrorCode::Invalid, fmt::format("expected at most {} bytes of output, found more", limit));
    }
  }
  return {};
}

Result<void> Child::talk(const Command& command, const Clock& clock, ProcessResult& result) {
  const SteadyTime deadline = clock.steady() + command.timeout;
  std::string_view pending = command.input;
  for (bool has_ended = false; !has_ended;) {
    const Duration left = deadline - clock.steady();
    if (left <= Duration::zero()) {
      return fail(ErrorCode::Timeout, fmt::format("did not end within {}", format_duration(command.timeout)));
    }
    std::array<pollfd, 4> waits{pollfd{ended_.get(), POLLIN, 0}, pollfd{output_.get(), POLLIN, 0},
                                pollfd{errors_.get(), POLLIN, 0}, pollfd{input_.get(), POLLOUT, 0}};
    const auto millis = std::chrono::ceil<std::chrono::milliseconds>(left).count();
    const int ready =
        ::poll(waits.data(), waits.size(), static_cast<int>(std::min<std::int64_t>(millis, 60'000)));
    if (ready < 0 && errno != EINTR) return system_failure("cannot wait for a child process", errno);
    has_ended = ready > 0 && waits[0].revents != 0;
    if (!has_ended) feed(pending);
    // What was written before the end is in the pipes by now; a descendant that holds them open is not waited
    // for.
    FAIRWAY_CHECKED(drain(output_, result.output, command.max_output));
    FAIRWAY_CHECKED(drain(errors_, result.error_output, command.max_output));
  }
  return {};
}

}  // namespace

Result<ProcessResult> SystemProcess::run(const Command& command) {
  FAIRWAY_TRY(Child child, Child::start(command));
  ProcessResult result;
  if (auto talked = child.talk(command, clock_, result); !talked) {
    return std::unexpected(
        std::move(talked.error()).within(fmt::format("running {}", quoted(command.program))));
  }
  result.exit_code = child.wait();
  return result;
}

}  // namespace fairway
