#include "base/time_windows.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <optional>
#include <string>

#include "base/text.hpp"

namespace fairway {
namespace {

using std::chrono::days;
using std::chrono::minutes;

constexpr std::array<std::string_view, 7> kDays = {"Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"};

std::unexpected<Error> unreadable(std::string_view what, std::string_view found) {
  return fail(ErrorCode::Invalid,
              fmt::format("a time window: expected {}, found {}; windows are written as \"Sat,Sun "
                          "22:00-04:00\", in UTC, several separated by semicolons",
                          what, quoted(found)));
}

std::optional<std::size_t> day_number(std::string_view text) {
  const auto found =
      std::ranges::find_if(kDays, [&](std::string_view day) { return equals_ignoring_case(day, text); });
  if (found == kDays.end()) return std::nullopt;
  return static_cast<std::size_t>(found - kDays.begin());
}

// "Sat", or "Mon-Fri", which may go over the end of a week.
Result<void> read_days(std::string_view text, std::array<bool, 7>& into) {
  const std::size_t dash = text.find('-');
  const auto first = day_number(text.substr(0, dash));
  const auto last = dash == std::string_view::npos ? first : day_number(text.substr(dash + 1));
  if (!first || !last) return unreadable("a day or a range of days (Mon, Tue, Mon-Fri)", text);
  for (std::size_t day = *first;; day = (day + 1) % into.size()) {
    into[day] = true;
    if (day == *last) return {};
  }
}

// HH:MM from 00:00 to 24:00.
Result<minutes> read_time(std::string_view text) {
  const auto two_digits = [&](std::size_t at) { return parse_unsigned(text.substr(at, 2)); };
  if (text.size() != 5 || text[2] != ':') return unreadable("a time as HH:MM", text);
  const auto hour = two_digits(0);
  const auto minute = two_digits(3);
  if (!hour || !minute || *minute > 59 || *hour * 60 + *minute > 24 * 60)
    return unreadable("a time from 00:00 to 24:00", text);
  return minutes(*hour * 60 + *minute);
}

// UTC, Z, or +HH:MM.
Result<Duration> read_offset(std::string_view text) {
  if (text.empty() || text == "UTC" || text == "Z") return Duration(0);
  if (text[0] == '+' || text[0] == '-') {
    const auto offset = read_time(text.substr(1));
    if (offset && *offset <= std::chrono::hours(14)) return text[0] == '-' ? -*offset : *offset;
  }
  return fail(ErrorCode::Invalid, fmt::format("a time zone: expected \"UTC\" or an offset such as "
                                              "\"+02:00\", found {}; names of places are not known here",
                                              quoted(text)));
}

}  // namespace

Result<TimeWindows::Window> TimeWindows::parse_window(std::string_view text) {
  Window window;
  std::string_view hours = text;
  if (const std::size_t blank = text.find(' '); blank != std::string_view::npos) {
    hours = trim(text.substr(blank + 1));
    for (const std::string_view each : split(text.substr(0, blank), ','))
      FAIRWAY_CHECKED(read_days(trim(each), window.days));
  } else {
    window.days.fill(true);
  }
  const std::size_t dash = hours.find('-');
  if (dash == std::string_view::npos) return unreadable("hours as HH:MM-HH:MM", text);
  FAIRWAY_TRY(window.start, read_time(hours.substr(0, dash)));
  FAIRWAY_TRY(const minutes end, read_time(hours.substr(dash + 1)));
  if (window.start == days(1)) return unreadable("a start before 24:00", text);
  if (end == window.start)
    return unreadable("an end that is not the start (00:00-24:00 is a whole day)", text);
  window.length = end > window.start ? end - window.start : end + days(1) - window.start;
  return window;
}

Result<TimeWindows> TimeWindows::weekly(std::span<const std::string> days_open, std::string_view start,
                                        Duration length, std::string_view zone) {
  Window window{.length = length};
  if (days_open.empty()) window.days.fill(true);
  for (const std::string& each : days_open) FAIRWAY_CHECKED(read_days(each, window.days));
  FAIRWAY_TRY(const minutes opens, read_time(start));
  FAIRWAY_TRY(const Duration offset, read_offset(zone));
  if (opens == days(1)) return unreadable("a start before 24:00", start);
  if (length <= Duration(0) || length > days(7))
    return unreadable("a duration of more than nothing and at most a week", format_duration(length));
  window.start = opens - offset;
  TimeWindows made;
  made.windows_.push_back(window);
  return made;
}

Result<TimeWindows> TimeWindows::parse(std::string_view text) {
  TimeWindows made;
  for (const std::string_view each : split(text, ';')) {
    FAIRWAY_TRY(Window window, parse_window(trim(each)));
    made.windows_.push_back(window);
  }
  return made;
}

bool TimeWindows::is_open(WallTime now) const {
  return opens(now) == now;
}

WallTime TimeWindows::opens(WallTime now) const {
  const auto today = std::chrono::floor<days>(now);
  std::optional<WallTime> earliest;
  for (const Window& window : windows_) {
    // One of a week ago may still be open; within a week, and a day for offsets, every one opens.
    for (int offset = -8; offset <= 8; ++offset) {
      const auto day = today + days(offset);
      if (!window.days[std::chrono::weekday(day).c_encoding()]) continue;
      const WallTime start = day + window.start;
      if (start + window.length <= now) continue;
      const WallTime open = std::max(start, now);
      if (!earliest || open < *earliest) earliest = open;
      break;
    }
  }
  FAIRWAY_CHECK(earliest, "a window that never opens");
  return *earliest;
}

std::optional<WallTime> TimeWindows::latest_end(WallTime now) const {
  const auto today = std::chrono::floor<days>(now);
  std::optional<WallTime> latest;
  for (const Window& window : windows_) {
    for (int offset = -8; offset <= 1; ++offset) {
      const auto day = today + days(offset);
      if (!window.days[std::chrono::weekday(day).c_encoding()]) continue;
      const WallTime start = day + window.start;
      const WallTime end = start + window.length;
      if (start <= now && now < end && (!latest || end > *latest)) latest = end;
    }
  }
  return latest;
}

std::optional<WallTime> TimeWindows::closes(WallTime now) const {
  WallTime at = now;
  // Windows may follow one another without a gap; what is open for a fortnight is always open.
  while (const auto end = latest_end(at)) {
    if (*end - now > days(14)) return std::nullopt;
    at = *end;
  }
  return at;
}

}  // namespace fairway
