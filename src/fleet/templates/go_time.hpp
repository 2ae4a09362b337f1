// Times as Go writes and reads them, by its reference layout: Mon Jan 2 15:04:05 MST 2006. Pure.
//
// Zones are UTC and fixed offsets: the names of others mean something else from year to year and from machine
// to machine. Years are those that fit: 1678 to 2261.
#pragma once

#include <chrono>
#include <string>
#include <string_view>

#include "base/clock.hpp"
#include "base/result.hpp"

namespace fairway::fleet::templates {

struct GoTime {
  WallTime at = {};
  std::chrono::minutes offset = {};  // of its zone, east of UTC

  bool operator==(const GoTime&) const = default;
};

// As a time prints itself, without a monotonic part.
inline constexpr std::string_view kPrintedTime = "2006-01-02 15:04:05.999999999 -0700 MST";

std::string format_time(GoTime time, std::string_view layout);
Result<GoTime> parse_time(std::string_view text, std::string_view layout);
// UTC, GMT, Z, Local (which is UTC here), +02:00, -0700, +5.
Result<std::chrono::minutes> parse_zone(std::string_view zone);

}  // namespace fairway::fleet::templates
