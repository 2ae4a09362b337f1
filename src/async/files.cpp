#include "async/files.hpp"

#include <array>
#include <cerrno>
#include <fcntl.h>
#include <filesystem>
#include <fmt/format.h>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>

#include "base/text.hpp"

namespace fairway {
namespace {

namespace fs = std::filesystem;

std::unexpected<Error> failure(std::string_view doing, std::string_view path, int error) {
  ErrorCode code = ErrorCode::Internal;
  if (error == ENOENT || error == ENOTDIR) code = ErrorCode::NotFound;
  if (error == EACCES || error == EPERM) code = ErrorCode::Forbidden;
  return fail(code,
              fmt::format("cannot {} {}: {}", doing, quoted(path), std::generic_category().message(error)));
}

class File {
 public:
  explicit File(int fd) : fd_(fd) {}
  File(const File&) = delete;
  File& operator=(const File&) = delete;
  ~File() {
    if (fd_ >= 0) ::close(fd_);
  }
  int fd() const { return fd_; }

 private:
  int fd_;
};

Result<void> write_all(int fd, std::string_view content, const std::string& path) {
  while (!content.empty()) {
    const ssize_t count = ::write(fd, content.data(), content.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return failure("write", path, errno);
    content.remove_prefix(static_cast<std::size_t>(count));
  }
  if (::fsync(fd) != 0) return failure("write", path, errno);
  return {};
}

std::string target_of(const std::string& path) {
  std::error_code ignored;
  const fs::path target = fs::weakly_canonical(path, ignored);
  return target.empty() ? path : target.string();
}

}  // namespace

Result<std::string> read_file(const std::string& path, std::size_t most_bytes) {
  const File file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (file.fd() < 0) return failure("read", path, errno);
  std::string content;
  std::array<char, 64 * 1024> block;
  for (;;) {
    const ssize_t count = ::read(file.fd(), block.data(), block.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return failure("read", path, errno);
    if (count == 0) return content;
    content.append(block.data(), static_cast<std::size_t>(count));
    if (content.size() > most_bytes) {
      return fail(ErrorCode::Invalid,
                  fmt::format("expected {} to have at most {} bytes", quoted(path), most_bytes));
    }
  }
}

Result<void> replace_file(const std::string& path, std::string_view content) {
  const std::string target = target_of(path);
  std::string temporary = target + ".XXXXXX";
  // mkostemp makes the file mode 0600.
  const File file(::mkostemp(temporary.data(), O_CLOEXEC));
  if (file.fd() < 0) return failure("write", path, errno);
  auto written = write_all(file.fd(), content, path);
  if (written && ::rename(temporary.c_str(), target.c_str()) != 0) written = failure("replace", path, errno);
  if (!written) {
    ::unlink(temporary.c_str());
    return written;
  }
  const fs::path folder = fs::path(target).parent_path();  // empty for a name alone: it is in this one
  const File directory(::open(folder.empty() ? "." : folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (directory.fd() < 0 || ::fsync(directory.fd()) != 0) return failure("make durable", path, errno);
  return {};
}

Result<FileLock> FileLock::take(const std::string& path) {
  std::string lock_path = target_of(path) + ".lock";
  const File file(::open(lock_path.c_str(), O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0600));
  if (file.fd() < 0 && errno == EEXIST) {
    return fail(ErrorCode::Unavailable,
                fmt::format("{} is being changed by another program: if there is none, remove {}",
                            quoted(path), quoted(lock_path)));
  }
  if (file.fd() < 0) return failure("lock", path, errno);
  return FileLock(std::move(lock_path));
}

FileLock::FileLock(FileLock&& other) noexcept : lock_path_(std::exchange(other.lock_path_, {})) {}

FileLock::~FileLock() {
  if (!lock_path_.empty()) ::unlink(lock_path_.c_str());
}

}  // namespace fairway
