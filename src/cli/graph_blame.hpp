// Since when each version has been in a channel's file, as Git knows it: the age of its line by first-parent
// blame.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "base/clock.hpp"
#include "base/result.hpp"

namespace fairway::cli {

// By version. `text` is what `git blame --first-parent --line-porcelain` printed for a channel's file.
std::map<std::string, WallTime> read_blame(std::string_view text);

// Runs git on a file of a tree; no shell is involved.
Result<std::map<std::string, WallTime>> blame_channel(const std::string& folder, const std::string& file);

}  // namespace fairway::cli
