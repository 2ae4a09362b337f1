#include "device/files.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <system_error>
#include <unistd.h>

#include "base/text.hpp"

namespace fairway::device {
namespace {

constexpr int kReadFlags = O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC;

ErrorCode code_of(int error) {
  switch (error) {
    case ENOENT:
      return ErrorCode::NotFound;
    case EEXIST:
    case ENOTEMPTY:
      return ErrorCode::AlreadyExists;
    case EACCES:
    case EPERM:
    case EROFS:
      return ErrorCode::Forbidden;
    case ENOSPC:
    case EDQUOT:
    case EIO:
      return ErrorCode::Unavailable;
    default:
      return ErrorCode::Internal;
  }
}

Result<void> write_all(int file, std::string_view contents, const std::string& path) {
  while (!contents.empty()) {
    const ssize_t written = ::write(file, contents.data(), contents.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return system_failure("write", path);
    contents.remove_prefix(static_cast<std::size_t>(written));
  }
  return {};
}

Result<std::vector<std::string>> names_in(int directory, const std::string& path) {
  const int copy = ::fcntl(directory, F_DUPFD_CLOEXEC, 0);
  if (copy < 0) return system_failure("read", path);
  DIR* stream = ::fdopendir(copy);
  if (stream == nullptr) {
    ::close(copy);
    return system_failure("read", path);
  }
  std::vector<std::string> names;
  errno = 0;
  while (const dirent* entry = ::readdir(stream)) {
    const std::string_view name = entry->d_name;
    if (name != "." && name != "..") names.emplace_back(name);
    errno = 0;
  }
  const int error = errno;
  ::closedir(stream);
  if (error != 0) return system_failure(error, "read", path);
  std::ranges::sort(names);
  return names;
}

Result<void> remove_below(int parent, const std::string& name, dev_t device, const std::string& path) {
  if (::unlinkat(parent, name.c_str(), 0) == 0 || errno == ENOENT) return {};
  if (errno != EISDIR && errno != EPERM) return system_failure("remove", path);
  const int reason = errno;
  const Descriptor directory(::openat(parent, name.c_str(), kReadFlags | O_DIRECTORY));
  if (!directory) {
    return errno == ENOTDIR || errno == ELOOP ? system_failure(reason, "remove", path)
                                              : system_failure("remove", path);
  }
  struct stat facts{};
  if (::fstat(directory.get(), &facts) != 0) return system_failure("remove", path);
  if (facts.st_dev != device) return system_failure(EBUSY, "remove", path);
  FAIRWAY_TRY(const auto names, names_in(directory.get(), path));
  for (const std::string& each : names)
    FAIRWAY_CHECKED(remove_below(directory.get(), each, device, path + "/" + each));
  if (::unlinkat(parent, name.c_str(), AT_REMOVEDIR) != 0) return system_failure("remove", path);
  return {};
}

}  // namespace

Descriptor& Descriptor::operator=(Descriptor&& other) noexcept {
  if (this != &other) {
    if (value_ >= 0) ::close(value_);
    value_ = std::exchange(other.value_, -1);
  }
  return *this;
}

Descriptor::~Descriptor() {
  if (value_ >= 0) ::close(value_);
}

std::unexpected<Error> system_failure(int error, std::string_view what, const std::string& path) {
  return fail(code_of(error),
              fmt::format("cannot {} {}: {}", what, quoted(path), std::generic_category().message(error)));
}

std::unexpected<Error> system_failure(std::string_view what, const std::string& path) {
  return system_failure(errno, what, path);
}

std::string parent_of(const std::string& path) {
  const auto slash = path.rfind('/');
  if (slash == std::string::npos) return ".";
  return slash == 0 ? "/" : path.substr(0, slash);
}

std::string name_of(const std::string& path) {
  return path.substr(path.rfind('/') + 1);
}

Result<std::optional<std::string>> read_if_exists(const std::string& path, std::size_t max_bytes) {
  const Descriptor file(::open(path.c_str(), kReadFlags));
  if (!file) {
    if (errno == ENOENT) return std::optional<std::string>();
    return system_failure("read", path);
  }
  struct stat facts{};
  if (::fstat(file.get(), &facts) != 0) return system_failure("read", path);
  if (!S_ISREG(facts.st_mode))
    return fail(ErrorCode::Invalid, fmt::format("expected {} to be a regular file", quoted(path)));
  std::string contents;
  std::string buffer(std::min<std::size_t>(64 * 1024, max_bytes + 1), '\0');
  while (contents.size() <= max_bytes) {
    const ssize_t count = ::read(file.get(), buffer.data(), buffer.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return system_failure("read", path);
    if (count == 0) return std::optional(std::move(contents));
    contents.append(buffer.data(), static_cast<std::size_t>(count));
  }
  return fail(ErrorCode::Invalid,
              fmt::format("expected {} to have at most {} bytes", quoted(path), max_bytes));
}

Result<std::optional<struct stat>> stat_if_exists(const std::string& path) {
  struct stat facts{};
  if (::lstat(path.c_str(), &facts) == 0) return std::optional(facts);
  if (errno == ENOENT || errno == ENOTDIR) return std::optional<struct stat>();
  return system_failure("look at", path);
}

Result<std::optional<std::string>> read_link_if_exists(const std::string& path) {
  std::string target(4096, '\0');
  const ssize_t length = ::readlink(path.c_str(), target.data(), target.size());
  if (length < 0) {
    if (errno == ENOENT) return std::optional<std::string>();
    return system_failure("read the link", path);
  }
  target.resize(static_cast<std::size_t>(length));
  return std::optional(std::move(target));
}

Result<std::vector<std::string>> list_directory(int directory, const std::string& path) {
  return names_in(directory, path);
}

Result<std::optional<std::vector<std::string>>> list_if_exists(const std::string& path) {
  const Descriptor directory(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!directory) {
    if (errno == ENOENT) return std::optional<std::vector<std::string>>();
    return system_failure("read", path);
  }
  FAIRWAY_TRY(auto names, names_in(directory.get(), path));
  return std::optional(std::move(names));
}

Result<void> sync_directory(const std::string& path) {
  const Descriptor directory(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!directory || ::fsync(directory.get()) != 0) return system_failure("sync", path);
  return {};
}

Result<void> sync_file_system(const std::string& directory) {
  const Descriptor opened(::open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!opened || ::syncfs(opened.get()) != 0) return system_failure("sync", directory);
  return {};
}

Result<void> replace_file_unsynced(const std::string& path, const std::string& draft,
                                   std::string_view contents, mode_t mode) {
  if (::unlink(draft.c_str()) != 0 && errno != ENOENT) return system_failure("remove", draft);
  const auto written = [&]() -> Result<void> {
    const Descriptor file(::open(draft.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode));
    if (!file) return system_failure("create", draft);
    FAIRWAY_CHECKED(write_all(file.get(), contents, draft));
    if (::fsync(file.get()) != 0) return system_failure("sync", draft);
    return {};
  }();
  if (!written) {
    ::unlink(draft.c_str());
    return written;
  }
  if (::rename(draft.c_str(), path.c_str()) != 0) return system_failure("rename", draft);
  return {};
}

Result<void> replace_file(const std::string& path, const std::string& draft, std::string_view contents,
                          mode_t mode) {
  FAIRWAY_CHECKED(replace_file_unsynced(path, draft, contents, mode));
  return sync_directory(parent_of(path));
}

Result<void> remove_file(const std::string& path) {
  if (::unlink(path.c_str()) != 0) {
    if (errno == ENOENT) return {};
    return system_failure("remove", path);
  }
  return sync_directory(parent_of(path));
}

Result<void> replace_link_unsynced(const std::string& path, const std::string& draft,
                                   const std::string& target) {
  if (::unlink(draft.c_str()) != 0 && errno != ENOENT) return system_failure("remove", draft);
  if (::symlink(target.c_str(), draft.c_str()) != 0) return system_failure("create", draft);
  if (::rename(draft.c_str(), path.c_str()) != 0) return system_failure("rename", draft);
  return {};
}

Result<void> make_directory(const std::string& path, mode_t mode) {
  if (::mkdir(path.c_str(), mode) == 0) return sync_directory(parent_of(path));
  if (errno != EEXIST) return system_failure("create", path);
  struct stat facts{};
  if (::lstat(path.c_str(), &facts) != 0) return system_failure("look at", path);
  if (!S_ISDIR(facts.st_mode))
    return fail(ErrorCode::Invalid, fmt::format("expected {} to be a directory, found {}", quoted(path),
                                                S_ISLNK(facts.st_mode) ? "a symbolic link" : "a file"));
  return {};
}

Result<void> rename_durably(const std::string& from, const std::string& to) {
  if (::rename(from.c_str(), to.c_str()) != 0) return system_failure("rename", from);
  FAIRWAY_CHECKED(sync_directory(parent_of(to)));
  return parent_of(from) == parent_of(to) ? Result<void>{} : sync_directory(parent_of(from));
}

Result<void> put_in_place(const std::string& from, const std::string& to, const std::string& spare) {
  if (::renameat2(AT_FDCWD, from.c_str(), AT_FDCWD, to.c_str(), RENAME_EXCHANGE) == 0) {
    FAIRWAY_CHECKED(sync_directory(parent_of(to)));
    return parent_of(from) == parent_of(to) ? Result<void>{} : sync_directory(parent_of(from));
  }
  if (errno == ENOENT) return rename_durably(from, to);  // nothing to replace
  if (errno != EINVAL && errno != ENOSYS) return system_failure("exchange", to);
  FAIRWAY_CHECKED(rename_durably(to, spare));
  return rename_durably(from, to);
}

Result<void> remove_tree(const std::string& path) {
  FAIRWAY_TRY(const auto facts, stat_if_exists(path));
  if (!facts) return {};
  const std::string parent = parent_of(path);
  const Descriptor directory(::open(parent.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!directory) return system_failure("remove", path);
  FAIRWAY_CHECKED(remove_below(directory.get(), name_of(path), facts->st_dev, path));
  return {};
}

}  // namespace fairway::device
