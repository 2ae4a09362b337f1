// Files: the few ways in which a device's files are read and changed, each durable when it returns.
//
// Every change is made so that a power cut leaves the old state or the new one: small files are written
// beside their place, synced and renamed; directories are exchanged; trees are removed only under a name that
// means garbage. Links are never followed. Errors name the path and what was being done.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <sys/stat.h>
#include <utility>
#include <vector>

#include "base/result.hpp"

namespace fairway::device {

// A file descriptor with an owner.
class Descriptor {
 public:
  Descriptor() = default;
  explicit Descriptor(int value) : value_(value) {}
  Descriptor(Descriptor&& other) noexcept : value_(std::exchange(other.value_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept;
  ~Descriptor();
  int get() const { return value_; }
  explicit operator bool() const { return value_ >= 0; }

 private:
  int value_ = -1;
};

// "cannot rename "/a": No space left on device", of errno as it stands.
std::unexpected<Error> system_failure(std::string_view what, const std::string& path);
std::unexpected<Error> system_failure(int error, std::string_view what, const std::string& path);

struct Root {
  std::string prefix = {};  // "" for the machine itself
  std::string real(std::string_view path) const { return prefix + std::string(path); }
};

std::string parent_of(const std::string& path);
std::string name_of(const std::string& path);

// Nothing when it does not exist; an error for what is not a regular file, cannot be read or is larger.
Result<std::optional<std::string>> read_if_exists(const std::string& path, std::size_t max_bytes);
// Nothing when it does not exist. Does not follow links.
Result<std::optional<struct stat>> stat_if_exists(const std::string& path);
// The target of a link; nothing when there is none.
Result<std::optional<std::string>> read_link_if_exists(const std::string& path);
// Names without . and .., sorted; nothing when the directory does not exist.
Result<std::optional<std::vector<std::string>>> list_if_exists(const std::string& path);
Result<std::vector<std::string>> list_directory(int directory, const std::string& path);

Result<void> sync_directory(const std::string& path);
// Everything that was written to the file system that the directory is on.
Result<void> sync_file_system(const std::string& directory);
// Writes `draft` in the same directory, syncs it and renames it to `path`.
Result<void> replace_file(const std::string& path, const std::string& draft, std::string_view contents,
                          mode_t mode);
// The same, and the new name is durable only when the directory is synced next: for several changes of one
// directory, which it keeps in their order.
Result<void> replace_file_unsynced(const std::string& path, const std::string& draft,
                                   std::string_view contents, mode_t mode);
Result<void> remove_file(const std::string& path);  // nothing to do when it does not exist
Result<void> replace_link_unsynced(const std::string& path, const std::string& draft,
                                   const std::string& target);
Result<void> make_directory(const std::string& path, mode_t mode);  // fine when it is there
Result<void> rename_durably(const std::string& from, const std::string& to);

// Puts the directory `from` in the place of `to`. What stood there is afterwards at `from`, or, where the
// file system cannot exchange, at `spare`.
Result<void> put_in_place(const std::string& from, const std::string& to, const std::string& spare);

// Everything below and the directory (or file) itself. Stops at another file system.
Result<void> remove_tree(const std::string& path);

}  // namespace fairway::device
