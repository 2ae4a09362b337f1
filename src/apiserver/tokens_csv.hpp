// Comma-separated values, as Go's encoding/csv reads them: fields may be quoted, a quote in them is doubled,
// quoted fields may span lines, empty lines are skipped. Internal to tokens.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"

namespace fairway::apiserver {

struct CsvRow {
  std::size_t line = 0;  // where it begins, from 1
  std::vector<std::string> fields;
};

Result<std::vector<CsvRow>> parse_csv(std::string_view text);

// Nothing unless it is an even number of hexadecimal digits.
std::optional<std::string> decode_hex(std::string_view text);

}  // namespace fairway::apiserver
