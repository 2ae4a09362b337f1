// TreeDigest: one number for all that a copy must keep: names, kinds, owners, modes, times, attributes, links
// and contents. Two trees have the same digest when one is an exact copy of the other.
#pragma once

#include <cstdint>
#include <string>

#include "base/result.hpp"

namespace fairway::device {

struct TreeDigest {
  std::string text = {};  // "sha256:…"
  std::uint64_t files = 0;
  std::uint64_t bytes = 0;
};

Result<TreeDigest> digest_tree(const std::string& path);

}  // namespace fairway::device
