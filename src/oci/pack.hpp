// pack_tar_gz: files as one compressed archive. The same files always give the same bytes: no times, no
// owners.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "base/result.hpp"

namespace fairway::oci {

struct PackedFile {
  std::string_view path;  // within the archive
  std::string_view bytes;
};

Result<std::string> pack_tar_gz(std::span<const PackedFile> files);

}  // namespace fairway::oci
