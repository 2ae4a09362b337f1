// Files: reading a small file whole and replacing one in a single step. For the configuration files of this
// folder.
#pragma once

#include <string>
#include <string_view>

#include "base/result.hpp"

namespace fairway::kube {

// NotFound when it does not exist, Forbidden when it may not be read; at most 16 MiB.
Result<std::string> read_file(const std::string& path);

// Writes beside the file, makes it durable and renames it over the old one; readable by its owner only. A
// symbolic link stays and what it points to is replaced.
Result<void> replace_file(const std::string& path, std::string_view content);

// Holds PATH.lock as kubectl does, so that two programs do not undo each other's changes.
class FileLock {
 public:
  static Result<FileLock> take(const std::string& path);
  FileLock(FileLock&& other) noexcept;
  FileLock& operator=(FileLock&&) = delete;
  ~FileLock();

 private:
  explicit FileLock(std::string lock_path) : lock_path_(std::move(lock_path)) {}
  std::string lock_path_;
};

}  // namespace fairway::kube
