#include "base/columns.hpp"

#include <algorithm>
#include <string_view>

namespace fairway {

std::string in_columns(const std::vector<std::vector<std::string>>& rows) {
  std::vector<std::size_t> widths;
  for (const auto& row : rows) {
    widths.resize(std::max(widths.size(), row.size()));
    for (std::size_t i = 0; i < row.size(); ++i)
      widths[i] = std::max({widths[i], row[i].size(), std::size_t(1)});
  }
  std::string text;
  for (const auto& row : rows) {
    for (std::size_t i = 0; i < row.size(); ++i) {
      const std::string_view cell = row[i].empty() ? std::string_view("-") : std::string_view(row[i]);
      text += cell;
      if (i + 1 < row.size()) text.append(widths[i] + 2 - cell.size(), ' ');
    }
    text += '\n';
  }
  return text;
}

}  // namespace fairway
