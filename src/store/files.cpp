#include "store/files.hpp"

#include <array>
#include <cerrno>
#include <cstdio>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>

#include "base/text.hpp"

namespace fairway::store {
namespace {

std::unexpected<Error> failed(std::string_view doing, const std::string& path) {
  const int number = errno;
  const bool is_denied = number == EACCES || number == EPERM || number == EROFS;
  return fail(is_denied ? ErrorCode::Forbidden : ErrorCode::Unavailable,
              fmt::format("{} {} failed: {}", doing, quoted(path), std::generic_category().message(number)));
}

Result<FileHandle> open_file(const std::string& path, int flags, std::string_view doing) {
  const int descriptor = ::open(path.c_str(), flags | O_CLOEXEC, 0600);
  if (descriptor < 0) return failed(doing, path);
  return FileHandle(descriptor);
}

std::string owner_of(int descriptor) {
  std::array<char, 32> text{};
  const ssize_t size = ::pread(descriptor, text.data(), text.size(), 0);
  return size > 0 ? std::string(trim(std::string_view(text.data(), static_cast<std::size_t>(size))))
                  : "unknown";
}

}  // namespace

FileHandle& FileHandle::operator=(FileHandle&& other) noexcept {
  std::swap(descriptor_, other.descriptor_);
  return *this;
}

FileHandle::~FileHandle() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

Result<DirectoryLock> DirectoryLock::take(const std::string& directory) {
  const std::string path = directory + "/lock";
  FAIRWAY_TRY(FileHandle file, open_file(path, O_RDWR | O_CREAT, "opening the lock"));
  if (::flock(file.get(), LOCK_EX | LOCK_NB) != 0) {
    if (errno != EWOULDBLOCK) return failed("locking", path);
    return fail(
        ErrorCode::Unavailable,
        fmt::format("expected to be alone on the store {}, found it in use by process {}: stop that first",
                    quoted(directory), owner_of(file.get())));
  }
  // For the message above only; the lock is what counts.
  const std::string owner = fmt::format("{}\n", ::getpid());
  if (::ftruncate(file.get(), 0) != 0 ||
      ::pwrite(file.get(), owner.data(), owner.size(), 0) != static_cast<ssize_t>(owner.size()))
    return failed("writing the lock", path);
  return DirectoryLock(std::move(file));
}

Result<void> make_private_directory(const std::string& directory) {
  if (::mkdir(directory.c_str(), 0700) == 0) return sync_to_disk(parent_of(directory));
  if (errno != EEXIST) return failed("making the directory", directory);
  struct stat found{};
  if (::stat(directory.c_str(), &found) != 0) return failed("looking at", directory);
  if (!S_ISDIR(found.st_mode))
    return fail(ErrorCode::Invalid,
                fmt::format("expected {} to be a directory, found a file", quoted(directory)));
  return {};
}

Result<void> make_private_file(const std::string& path) {
  FAIRWAY_CHECKED(open_file(path, O_RDWR | O_CREAT, "making"));
  return {};
}

Result<void> sync_to_disk(const std::string& path) {
  FAIRWAY_TRY(const FileHandle file, open_file(path, O_RDONLY, "opening"));
  if (::fsync(file.get()) != 0) return failed("syncing", path);
  return {};
}

Result<void> replace_file(const std::string& from, const std::string& to) {
  FAIRWAY_CHECKED(sync_to_disk(from));
  if (std::rename(from.c_str(), to.c_str()) != 0) return failed("renaming the finished file to", to);
  return sync_to_disk(parent_of(to));
}

bool is_same_file(const std::string& left, const std::string& right) {
  struct stat one{};
  struct stat other{};
  return ::stat(left.c_str(), &one) == 0 && ::stat(right.c_str(), &other) == 0 &&
         one.st_dev == other.st_dev && one.st_ino == other.st_ino;
}

std::string parent_of(const std::string& path) {
  const std::size_t slash = path.find_last_not_of('/');
  const std::size_t start = path.rfind('/', slash);
  if (start == std::string::npos) return ".";
  return start == 0 ? "/" : path.substr(0, start);
}

}  // namespace fairway::store
