#include "device/attributes.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <fcntl.h>
#include <fmt/format.h>
#include <optional>
#include <string_view>
#include <sys/xattr.h>
#include <unistd.h>
#include <vector>

#include "device/files.hpp"

namespace fairway::device {
namespace {

// Attributes of one file, by whatever way it can be reached.
class Attributes {
 public:
  explicit Attributes(int file) : file_(file) {}
  explicit Attributes(std::string path) : path_(std::move(path)) {}

  Result<std::vector<std::string>> names(const std::string& shown) const {
    std::string buffer(1024, '\0');
    ssize_t length = list(buffer);
    if (length < 0 && errno == ERANGE) {
      buffer.resize(64 * 1024);  // the kernel's limit
      length = list(buffer);
    }
    if (length < 0 && errno == ENOTSUP) return std::vector<std::string>();
    if (length < 0) return system_failure("read the attributes of", shown);
    std::vector<std::string> names;
    for (std::size_t at = 0; at < static_cast<std::size_t>(length);) {
      names.emplace_back(buffer.c_str() + at);
      at += names.back().size() + 1;
    }
    return names;
  }

  Result<std::string> get(const std::string& name, const std::string& shown) const {
    std::string value(64 * 1024, '\0');
    const ssize_t length = path_.empty()
                               ? ::fgetxattr(file_, name.c_str(), value.data(), value.size())
                               : ::lgetxattr(path_.c_str(), name.c_str(), value.data(), value.size());
    if (length < 0) return system_failure("read the attribute " + name + " of", shown);
    value.resize(static_cast<std::size_t>(length));
    return value;
  }

  Result<void> set(const std::string& name, const std::string& value, const std::string& shown) const {
    const int done = path_.empty() ? ::fsetxattr(file_, name.c_str(), value.data(), value.size(), 0)
                                   : ::lsetxattr(path_.c_str(), name.c_str(), value.data(), value.size(), 0);
    if (done != 0) return system_failure("write the attribute " + name + " of the copy of", shown);
    return {};
  }

  Result<void> remove(const std::string& name, const std::string& shown) const {
    const int done =
        path_.empty() ? ::fremovexattr(file_, name.c_str()) : ::lremovexattr(path_.c_str(), name.c_str());
    if (done != 0) return system_failure("remove the attribute " + name + " of the copy of", shown);
    return {};
  }

 private:
  ssize_t list(std::string& buffer) const {
    return path_.empty() ? ::flistxattr(file_, buffer.data(), buffer.size())
                         : ::llistxattr(path_.c_str(), buffer.data(), buffer.size());
  }

  int file_ = -1;
  std::string path_ = {};
};

// The kernel computes it from the others and lets nobody write it.
constexpr std::string_view kComputed = "security.evm";

// A label is the policy's to give.
bool is_inherited(const std::string& name) {
  return !name.starts_with("security.");
}

Result<void> copy_extended(const Attributes& from, const Attributes& to, const std::string& path,
                           bool has_inherited) {
  FAIRWAY_TRY(const auto names, from.names(path));
  if (has_inherited) {  // a default ACL of the backup folder must not show in the copy
    FAIRWAY_TRY(const auto present, to.names(path));
    for (const std::string& name : present) {
      if (!is_inherited(name) || std::ranges::find(names, name) != names.end()) continue;
      FAIRWAY_CHECKED(to.remove(name, path));
    }
  }
  for (const std::string& name : names) {
    if (name == kComputed) continue;
    FAIRWAY_TRY(const std::string value, from.get(name, path));
    FAIRWAY_CHECKED(to.set(name, value, path));
  }
  return {};
}

std::string path_through(int directory, const std::string& name) {
  return fmt::format("/proc/self/fd/{}/{}", directory, name);
}

}  // namespace

Result<bool> gives_attributes(int directory, const std::string& path) {
  FAIRWAY_TRY(const auto names, Attributes(directory).names(path));
  return std::ranges::any_of(names, is_inherited);
}

Result<void> copy_attributes(int from, int to, const struct stat& facts, const std::string& path,
                             bool has_inherited) {
  struct stat made{};
  if (::fstat(to, &made) != 0) return system_failure("look at the copy of", path);
  const bool has_other_owner = made.st_uid != facts.st_uid || made.st_gid != facts.st_gid;
  if (has_other_owner && ::fchown(to, facts.st_uid, facts.st_gid) != 0)
    return system_failure("set the owner of the copy of", path);
  const bool has_other_mode = (made.st_mode & 07777) != (facts.st_mode & 07777);
  if ((has_other_owner || has_other_mode) && ::fchmod(to, facts.st_mode & 07777) != 0)
    return system_failure("set the mode of the copy of", path);
  FAIRWAY_CHECKED(copy_extended(Attributes(from), Attributes(to), path, has_inherited));
  const std::array<timespec, 2> times = {facts.st_atim, facts.st_mtim};
  if (::futimens(to, times.data()) != 0) return system_failure("set the times of the copy of", path);
  return {};
}

Result<void> copy_attributes_at(int from_directory, int to_directory, const std::string& name,
                                const struct stat& facts, const std::string& path, bool has_inherited) {
  if (::fchownat(to_directory, name.c_str(), facts.st_uid, facts.st_gid, AT_SYMLINK_NOFOLLOW) != 0)
    return system_failure("set the owner of the copy of", path);
  if (!S_ISLNK(facts.st_mode) && ::fchmodat(to_directory, name.c_str(), facts.st_mode & 07777, 0) != 0)
    return system_failure("set the mode of the copy of", path);
  FAIRWAY_CHECKED(copy_extended(Attributes(path_through(from_directory, name)),
                                Attributes(path_through(to_directory, name)), path, has_inherited));
  const std::array<timespec, 2> times = {facts.st_atim, facts.st_mtim};
  if (::utimensat(to_directory, name.c_str(), times.data(), AT_SYMLINK_NOFOLLOW) != 0)
    return system_failure("set the times of the copy of", path);
  return {};
}

}  // namespace fairway::device
