// Files: what the store does with the file system besides SQLite's own work.
//
// DirectoryLock makes sure that one process at a time uses a store's directory; the lock ends with the
// process, however that ends. The directory and its files are readable by their owner only: they hold
// secrets.
#pragma once

#include <string>
#include <utility>

#include "base/result.hpp"

namespace fairway::store {

// A file descriptor with an owner.
class FileHandle {
 public:
  FileHandle() = default;
  explicit FileHandle(int descriptor) : descriptor_(descriptor) {}
  FileHandle(FileHandle&& other) noexcept : descriptor_(std::exchange(other.descriptor_, -1)) {}
  FileHandle& operator=(FileHandle&& other) noexcept;
  ~FileHandle();
  int get() const { return descriptor_; }

 private:
  int descriptor_ = -1;
};

class DirectoryLock {
 public:
  DirectoryLock() = default;
  // Unavailable when another process, or another store of this one, has it.
  static Result<DirectoryLock> take(const std::string& directory);

 private:
  explicit DirectoryLock(FileHandle file) : file_(std::move(file)) {}
  FileHandle file_;
};

// Makes the directory where it is missing; its parent must be there.
Result<void> make_private_directory(const std::string& directory);
// Makes an empty file where it is missing.
Result<void> make_private_file(const std::string& path);
// Everything in the file, or the entries of the directory, are on the disk afterwards.
Result<void> sync_to_disk(const std::string& path);
// Puts the file in the place of another, durably.
Result<void> replace_file(const std::string& from, const std::string& to);
// False where either is missing.
bool is_same_file(const std::string& left, const std::string& right);
std::string parent_of(const std::string& path);

}  // namespace fairway::store
