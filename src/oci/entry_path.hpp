// Paths of archive entries, and the names by which a layer deletes what is below it. Pure.
//
// A path from an archive is an adversary's text. Normalised, it is relative to the root, has no empty, "." or
// ".." component, and may be appended to any folder.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/result.hpp"

namespace fairway::oci {

inline constexpr std::size_t kLongestPath = 4096;

// "./x", "/x" and "a/../x" are "x"; the root is empty. Invalid for what leaves the root, has a zero byte or
// is too long.
Result<std::string> normalise_path(std::string_view path);

// Whether `path` is `folder` or lies in it; everything lies in the root.
bool is_within(std::string_view path, std::string_view folder);

struct Whiteout {
  std::string path;        // what is gone, or the folder whose old content is gone
  bool is_opaque = false;  // the folder itself stays

  bool operator==(const Whiteout&) const = default;
};

// What a normalised path deletes when its last component is .wh.NAME or .wh..wh..opq; nothing for other
// names. A whiteout of "", "." or ".." is Invalid.
Result<std::optional<Whiteout>> whiteout_of(std::string_view path);
// .wh..wh.aufs, .wh..wh.plnk and the like: bookkeeping of AUFS that belongs to no image.
bool is_aufs_bookkeeping(std::string_view path);

}  // namespace fairway::oci
