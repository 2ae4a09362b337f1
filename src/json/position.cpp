#include "json/position.hpp"

#include <algorithm>
#include <fmt/format.h>

namespace fairway::json {

std::string position(std::string_view text, std::size_t offset) {
  const std::string_view before = text.substr(0, std::min(offset, text.size()));
  const auto line = 1 + std::ranges::count(before, '\n');
  const auto newline = before.rfind('\n');
  const std::string_view in_line = before.substr(newline == std::string_view::npos ? 0 : newline + 1);
  const auto column = 1 + std::ranges::count_if(in_line, [](char c) { return (c & 0xC0) != 0x80; });
  return fmt::format("line {}, column {}", line, column);
}

}  // namespace fairway::json
