// Space: whether a copy will fit, said before it begins, and said honestly: clones take next to nothing,
// holes and second names of a file take none.
#pragma once

#include <cstdint>
#include <string>

#include "base/result.hpp"

namespace fairway::device {

struct TreeSize {
  std::uint64_t entries = 0;
  std::uint64_t allocated = 0;  // bytes in blocks, hard links once
  bool can_clone = false;       // into the directory that was asked about
};

// Walks the tree without reading files; `into` is the directory that a copy would be made in.
Result<TreeSize> measure_tree(const std::string& tree, const std::string& into);

// Whether a copy of the tree fits into the directory. Walks the tree only where that is in doubt: what is
// more than all that the tree's file system holds is enough.
Result<void> check_fits(const std::string& tree, const std::string& into, const std::string& purpose);

std::uint64_t needed_bytes(const TreeSize& size);
// Unavailable, in MicroShift's words, when `into` has less than is needed for `purpose` ("create a backup").
Result<void> check_space(const TreeSize& size, const std::string& into, const std::string& purpose);

}  // namespace fairway::device
