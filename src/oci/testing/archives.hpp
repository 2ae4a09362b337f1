// Archives for tests, made with libarchive's writer: layers with every kind of entry.
#pragma once

#include <string>
#include <vector>

#include "oci/manifest.hpp"

namespace fairway::oci::testing {

struct TarEntry {
  enum class Kind { File, Directory, Symlink, Hardlink, Fifo };

  std::string path = {};
  std::string bytes = {};  // of a file, or what a link points to
  Kind kind = Kind::File;
  unsigned mode = 0644;
};

std::string make_tar(const std::vector<TarEntry>& entries, LayerFormat format = LayerFormat::TarGzip);

// The same compressed once more, as gzip.
std::string gzip(const std::string& bytes);

}  // namespace fairway::oci::testing
