// Files: reading a small file whole and replacing one in a single step. They block: for configuration, and on
// a WorkerPool for the rest.
#pragma once

#include <string>
#include <string_view>

#include "base/result.hpp"

namespace fairway {

inline constexpr std::size_t kMostFileBytes = 16 * 1024 * 1024;

// NotFound when it does not exist, Forbidden when it may not be read, Invalid when it has more bytes.
Result<std::string> read_file(const std::string& path, std::size_t most_bytes = kMostFileBytes);

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

}  // namespace fairway
