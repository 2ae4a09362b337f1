// Tables for people: rows whose columns are as wide as their widest cell.
#pragma once

#include <string>
#include <vector>

namespace fairway {

// Two blanks between columns; an empty cell is a dash.
std::string in_columns(const std::vector<std::vector<std::string>>& rows);

}  // namespace fairway
