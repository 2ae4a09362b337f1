// Packing: files as one archive. The same files always give the same bytes: no times, no owners; compressed,
// as long as the library compresses as it did.
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

Result<std::string> pack_tar(std::span<const PackedFile> files);
Result<std::string> pack_tar_gz(std::span<const PackedFile> files);

}  // namespace fairway::oci
