// FileContents: how the bytes of one file are copied: by a clone where the file system can, which takes no
// space and no time, otherwise in the kernel, otherwise by reading and writing. Holes stay holes.
#pragma once

#include <cstdint>
#include <string>
#include <sys/stat.h>

#include "base/result.hpp"

namespace fairway::device {

class ContentCopier {
 public:
  // The files are open for reading and for writing; the target is empty, `facts` are the source's. Whether it
  // was cloned.
  Result<bool> copy(int from, int to, const struct stat& facts, const std::string& path);
  // False once the file systems have said that they cannot.
  bool may_clone() const { return may_clone_; }

 private:
  Result<bool> clone(int from, int to, const std::string& path);
  Result<void> copy_around_holes(int from, int to, std::uint64_t size, const std::string& path);
  Result<void> copy_range(int from, int to, std::uint64_t begin, std::uint64_t end, const std::string& path);

  bool may_clone_ = true;
  bool may_copy_in_kernel_ = true;
  std::string buffer_ = {};
};

// Whether files can be cloned from the one to a directory: tried with a nameless file.
bool can_clone_into(int from, const std::string& directory);

}  // namespace fairway::device
