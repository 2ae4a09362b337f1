#include "device/lock.hpp"

#include <cerrno>
#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/file.h>
#include <unistd.h>

#include "base/text.hpp"

namespace fairway::device {
namespace {

constexpr int kPauseMilliseconds = 100;

std::unexpected<Error> busy(const std::string& path) {
  const auto holder = read_if_exists(path, 256);
  const std::string text = holder && *holder ? **holder : "";
  const auto words = split_words(text);
  return fail(ErrorCode::Unavailable, fmt::format("another operation is in progress (pid {}, verb {})",
                                                  words.size() == 2 ? words[0] : "unknown",
                                                  words.size() == 2 ? words[1] : "unknown"));
}

}  // namespace

Result<OperationLock> OperationLock::take(const std::string& path, const std::string& verb,
                                          const Clock& clock, Duration wait) {
  Descriptor file(::open(path.c_str(), O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600));
  if (!file) return system_failure("lock", path);
  const SteadyTime deadline = clock.steady() + wait;
  while (::flock(file.get(), LOCK_EX | LOCK_NB) != 0) {
    if (errno == EINTR) continue;
    if (errno != EWOULDBLOCK) return system_failure("lock", path);
    if (clock.steady() >= deadline) return busy(path);
    ::poll(nullptr, 0,
           kPauseMilliseconds);  // the kernel tells nobody when a lock becomes free before a deadline
  }
  // For people who wait: not synced, and of no importance when it fails.
  const std::string holder = fmt::format("{} {}\n", ::getpid(), verb);
  if (::ftruncate(file.get(), 0) == 0) [[maybe_unused]]
    const auto written = ::pwrite(file.get(), holder.data(), holder.size(), 0);
  return OperationLock(std::move(file));
}

}  // namespace fairway::device
