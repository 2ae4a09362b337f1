// TimeWindows: the hours in which something disruptive may happen, as administrators write them.
//
//   22:00-04:00                     every night
//   Sat,Sun 00:00-24:00             weekends
//   Mon-Fri 01:00-03:30; Sun 02:00-06:00
//
// Times are UTC, or of a fixed offset. A window that ends at or before its start ends on the next day; it
// belongs to the day on which it opens. The start is part of it, the end is not. Pure; a text that cannot be
// read is an error and never an open window.
#pragma once

#include <array>
#include <chrono>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.hpp"
#include "base/result.hpp"

namespace fairway {

class TimeWindows {
 public:
  static Result<TimeWindows> parse(std::string_view text);
  // One that opens at `start` (HH:MM) on these days (Mon, Tue, …; none: every day) and stays open for
  // `length`, which is at most a week. `zone`: UTC, or an offset such as +02:00.
  static Result<TimeWindows> weekly(std::span<const std::string> days, std::string_view start,
                                    Duration length, std::string_view zone);

  // These as well.
  void add(const TimeWindows& more) {
    windows_.insert(windows_.end(), more.windows_.begin(), more.windows_.end());
  }

  bool is_open(WallTime now) const;
  // The first moment from `now` on at which one is open: `now` itself while one is.
  WallTime opens(WallTime now) const;
  // The first moment from `now` on at which none is open; nothing when they never close.
  std::optional<WallTime> closes(WallTime now) const;

 private:
  struct Window {
    std::array<bool, 7> days = {};  // by their number from Sunday
    Duration start = {};            // from midnight UTC; negative on the day before
    Duration length = {};
  };
  static Result<Window> parse_window(std::string_view text);
  // The end of the one that is open at `now` and closes last.
  std::optional<WallTime> latest_end(WallTime now) const;

  std::vector<Window> windows_;  // at least one, each on at least one day
};

}  // namespace fairway
