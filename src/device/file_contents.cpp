#include "device/file_contents.hpp"

#include <algorithm>
#include <cerrno>
#include <fcntl.h>
#include <linux/fs.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "device/files.hpp"

namespace fairway::device {
namespace {

constexpr std::size_t kBufferBytes = 1024 * 1024;
constexpr std::uint64_t kBlock = 512;  // what st_blocks counts
constexpr std::uint64_t kRangeBytes = std::uint64_t{1} << 30;

bool cannot_clone(int error) {
  return error == EOPNOTSUPP || error == EXDEV || error == EINVAL || error == ENOTTY || error == ENOSYS;
}

// btrfs clones only between files that agree on copy-on-write.
bool share_no_cow(int from, int to) {
  int flags = 0;
  int own = 0;
  if (::ioctl(from, FS_IOC_GETFLAGS, &flags) != 0 || ::ioctl(to, FS_IOC_GETFLAGS, &own) != 0) return false;
  if ((flags & FS_NOCOW_FL) == 0 || (own & FS_NOCOW_FL) != 0) return false;
  own |= FS_NOCOW_FL;
  return ::ioctl(to, FS_IOC_SETFLAGS, &own) == 0;
}

}  // namespace

Result<bool> ContentCopier::clone(int from, int to, const std::string& path) {
  if (!may_clone_) return false;
  if (::ioctl(to, FICLONE, from) == 0) return true;
  if (errno == EINVAL && share_no_cow(from, to) && ::ioctl(to, FICLONE, from) == 0) return true;
  if (!cannot_clone(errno)) return system_failure("clone", path);
  if (errno != EINVAL) may_clone_ = false;  // EINVAL is about this file, the others about the file systems
  return false;
}

Result<void> ContentCopier::copy_range(int from, int to, std::uint64_t begin, std::uint64_t end,
                                       const std::string& path) {
  while (begin < end && may_copy_in_kernel_) {
    auto source = static_cast<off_t>(begin);
    auto target = static_cast<off_t>(begin);
    const ssize_t count =
        ::copy_file_range(from, &source, to, &target, std::min(end - begin, kRangeBytes), 0);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0 && !cannot_clone(errno)) return system_failure("copy", path);
    if (count < 0) may_copy_in_kernel_ = false;
    if (count == 0) return {};  // shorter than it was; noticed by who compares before and after
    if (count > 0) begin += static_cast<std::uint64_t>(count);
  }
  if (begin < end) buffer_.resize(kBufferBytes);
  while (begin < end) {
    const std::size_t want = std::min<std::uint64_t>(end - begin, buffer_.size());
    const ssize_t count = ::pread(from, buffer_.data(), want, static_cast<off_t>(begin));
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return system_failure("read", path);
    if (count == 0) return {};
    for (ssize_t done = 0; done < count;) {
      const ssize_t written = ::pwrite(to, buffer_.data() + done, static_cast<std::size_t>(count - done),
                                       static_cast<off_t>(begin) + done);
      if (written < 0 && errno == EINTR) continue;
      if (written < 0) return system_failure("write the copy of", path);
      done += written;
    }
    begin += static_cast<std::uint64_t>(count);
  }
  return {};
}

Result<void> ContentCopier::copy_around_holes(int from, int to, std::uint64_t size, const std::string& path) {
  if (::ftruncate(to, static_cast<off_t>(size)) != 0) return system_failure("write the copy of", path);
  for (std::uint64_t at = 0; at < size;) {
    const off_t begin = ::lseek(from, static_cast<off_t>(at), SEEK_DATA);
    if (begin < 0 && errno == ENXIO) return {};  // a hole up to the end
    if (begin < 0) return copy_range(from, to, at, size, path);
    const off_t end = ::lseek(from, begin, SEEK_HOLE);
    if (end < 0) return system_failure("read", path);
    const auto last = std::min(static_cast<std::uint64_t>(end), size);
    FAIRWAY_CHECKED(copy_range(from, to, static_cast<std::uint64_t>(begin), last, path));
    at = static_cast<std::uint64_t>(end);
  }
  return {};
}

Result<bool> ContentCopier::copy(int from, int to, const struct stat& facts, const std::string& path) {
  const auto size = static_cast<std::uint64_t>(facts.st_size);
  if (size == 0) return may_clone_;
  FAIRWAY_TRY(const bool is_cloned, clone(from, to, path));
  if (is_cloned) return true;
  // A file with as many blocks as it needs has no holes worth looking for.
  const bool is_dense = static_cast<std::uint64_t>(facts.st_blocks) * kBlock >= size;
  FAIRWAY_CHECKED(is_dense ? copy_range(from, to, 0, size, path) : copy_around_holes(from, to, size, path));
  return false;
}

bool can_clone_into(int from, const std::string& directory) {
  const Descriptor file(::open(directory.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600));
  return file && ::ioctl(file.get(), FICLONE, from) == 0;
}

}  // namespace fairway::device
