// Where in a text something stands, for messages of the readers in this folder. Lines and columns count from
// one; a column is a character, not a byte.
#pragma once

#include <string>
#include <string_view>

namespace fairway::json {

// "line 3, column 14", of the byte at `offset`.
std::string position(std::string_view text, std::size_t offset);

}  // namespace fairway::json
