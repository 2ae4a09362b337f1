// check(): a full examination of a store that is not in use, for `fairway apiserver check DIR`.
//
// It reads every page and every row, changes nothing, and goes on after a finding; load(), at each start,
// reads only what it needs and stops at the first.
#pragma once

#include <string>
#include <vector>

#include "base/result.hpp"

namespace fairway::store {

struct CheckReport {
  std::uint64_t rows = 0;
  std::uint64_t objects = 0;
  std::uint64_t revision = 0;
  std::uint64_t compacted = 0;
  std::vector<std::string> findings;  // empty: the store is sound
};

// `path` is a store's directory, or the file of a backup. An error means that it could not be examined at
// all.
Result<CheckReport> check(const std::string& path);

}  // namespace fairway::store
