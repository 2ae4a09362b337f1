// The file of an audit log: appends whole lines, rotates by size. Internal to audit; used by its thread
// alone.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.hpp"
#include "store/files.hpp"

namespace fairway::apiserver {

class AuditFile {
 public:
  AuditFile(std::string path, std::uint64_t max_bytes, std::size_t max_files);

  Result<void> open();
  // All of the line or, on failure, none of it. A file that is closed is opened first.
  Result<void> append(std::string_view line);
  void close();

 private:
  Result<void> rotate();

  std::string path_;
  std::uint64_t max_bytes_;
  std::size_t max_files_;
  store::FileHandle file_;
  std::uint64_t size_ = 0;
  bool is_regular_ = true;  // a device or pipe has no size
};

}  // namespace fairway::apiserver
