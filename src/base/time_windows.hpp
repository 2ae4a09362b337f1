// TimeWindows: the hours in which something disruptive may happen, as administrators write them.
//
//   22:00-04:00                     every night
//   Sat,Sun 00:00-24:00             weekends
//   Mon-Fri 01:00-03:30; Sun 02:00-06:00
//
// Times are UTC. A window that ends at or before its start ends on the next day; it belongs to the day on
// which it opens. The start is part of it, the end is not. Pure; a text that cannot be read is an error and
// never an open window.
#pragma once

#include <array>
#include <chrono>
#include <string_view>
#include <vector>

#include "base/clock.hpp"
#include "base/result.hpp"

namespace fairway {

class TimeWindows {
 public:
  static Result<TimeWindows> parse(std::string_view text);

  bool is_open(WallTime now) const;
  // The first moment from `now` on at which one is open: `now` itself while one is.
  WallTime opens(WallTime now) const;

 private:
  struct Window {
    std::array<bool, 7> days = {};  // by their number from Sunday
    std::chrono::minutes start = {};
    std::chrono::minutes length = {};
  };
  static Result<Window> parse_window(std::string_view text);

  std::vector<Window> windows_;  // at least one, each on at least one day
};

}  // namespace fairway
