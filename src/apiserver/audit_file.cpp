#include "apiserver/audit_file.hpp"

#include <cerrno>
#include <cstdio>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>

#include "base/text.hpp"

namespace fairway::apiserver {
namespace {

std::unexpected<Error> failed(std::string_view doing, const std::string& path) {
  const int number = errno;
  return fail(ErrorCode::Unavailable,
              fmt::format("{} {} failed: {}", doing, quoted(path), std::generic_category().message(number)));
}

std::string rotated(const std::string& path, std::size_t number) {
  return fmt::format("{}.{}", path, number);
}

}  // namespace

AuditFile::AuditFile(std::string path, std::uint64_t max_bytes, std::size_t max_files)
    : path_(std::move(path)), max_bytes_(max_bytes), max_files_(max_files) {}

Result<void> AuditFile::open() {
  file_ = store::FileHandle(::open(path_.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600));
  if (file_.get() < 0) return failed("opening the audit log", path_);
  struct stat found{};
  if (::fstat(file_.get(), &found) != 0) return failed("looking at the audit log", path_);
  is_regular_ = S_ISREG(found.st_mode);
  size_ = is_regular_ ? static_cast<std::uint64_t>(found.st_size) : 0;
  if (is_regular_ && (found.st_mode & 0077) != 0 && ::fchmod(file_.get(), 0600) != 0) {
    return failed("closing to other users", path_);
  }
  return {};
}

void AuditFile::close() {
  file_ = store::FileHandle();
}

Result<void> AuditFile::append(std::string_view line) {
  if (file_.get() < 0) FAIRWAY_CHECKED(open());
  if (is_regular_ && size_ > 0 && size_ + line.size() > max_bytes_) FAIRWAY_CHECKED(rotate());
  const std::uint64_t before = size_;
  while (!line.empty()) {
    const ssize_t count = ::write(file_.get(), line.data(), line.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) {
      auto error = failed("writing the audit log", path_);
      // Half a line would spoil the next one too.
      if (is_regular_ && size_ > before && ::ftruncate(file_.get(), static_cast<off_t>(before)) == 0)
        size_ = before;
      return error;
    }
    size_ += static_cast<std::uint64_t>(count);
    line.remove_prefix(static_cast<std::size_t>(count));
  }
  return {};
}

Result<void> AuditFile::rotate() {
  if (max_files_ == 0) {
    if (::ftruncate(file_.get(), 0) != 0) return failed("emptying the audit log", path_);
    size_ = 0;
    return {};
  }
  for (std::size_t number = max_files_; number > 1; --number) {
    if (std::rename(rotated(path_, number - 1).c_str(), rotated(path_, number).c_str()) != 0 &&
        errno != ENOENT) {
      return failed("rotating the audit log", path_);
    }
  }
  if (std::rename(path_.c_str(), rotated(path_, 1).c_str()) != 0 && errno != ENOENT) {
    return failed("rotating the audit log", path_);
  }
  return open();
}

}  // namespace fairway::apiserver
