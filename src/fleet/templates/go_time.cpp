#include "fleet/templates/go_time.hpp"

#include <array>
#include <cstdint>
#include <fmt/format.h>
#include <optional>

#include "base/text.hpp"

namespace fairway::fleet::templates {
namespace {

using namespace std::chrono_literals;

constexpr std::array<std::string_view, 12> kMonths = {"January",   "February", "March",    "April",
                                                      "May",       "June",     "July",     "August",
                                                      "September", "October",  "November", "December"};
constexpr std::array<std::string_view, 7> kDays = {"Sunday",   "Monday", "Tuesday", "Wednesday",
                                                   "Thursday", "Friday", "Saturday"};

enum class Part : std::uint8_t {
  None,
  LongMonth,
  ShortMonth,
  Month,
  ZeroMonth,
  LongDay,
  ShortDay,
  Day,
  BlankDay,
  ZeroDay,
  BlankYearDay,
  ZeroYearDay,
  Hour,
  Hour12,
  ZeroHour12,
  Minute,
  ZeroMinute,
  Second,
  ZeroSecond,
  LongYear,
  Year,
  UpperHalf,
  LowerHalf,
  Zone,
  Offset,
  Fraction,
};

// What a layout says next, after some text that stands for itself.
struct Chunk {
  std::string_view before = {};
  Part part = Part::None;
  std::string_view text = {};  // the part, as written
  std::string_view rest = {};
};

struct Word {
  std::string_view text;
  Part part;
};
// Longer ones first, where one begins another.
constexpr Word kWords[] = {
    {"January", Part::LongMonth}, {"Monday", Part::LongDay}, {"MST", Part::Zone},
    {"002", Part::ZeroYearDay},   {"01", Part::ZeroMonth},   {"02", Part::ZeroDay},
    {"03", Part::ZeroHour12},     {"04", Part::ZeroMinute},  {"05", Part::ZeroSecond},
    {"06", Part::Year},           {"15", Part::Hour},        {"1", Part::Month},
    {"2006", Part::LongYear},     {"2", Part::Day},          {"__2", Part::BlankYearDay},
    {"_2", Part::BlankDay},       {"3", Part::Hour12},       {"4", Part::Minute},
    {"5", Part::Second},          {"PM", Part::UpperHalf},   {"pm", Part::LowerHalf},
    {"-07:00:00", Part::Offset},  {"-070000", Part::Offset}, {"-07:00", Part::Offset},
    {"-0700", Part::Offset},      {"-07", Part::Offset},     {"Z07:00:00", Part::Offset},
    {"Z070000", Part::Offset},    {"Z07:00", Part::Offset},  {"Z0700", Part::Offset},
    {"Z07", Part::Offset},
};

bool is_digit_at(std::string_view text, std::size_t at) {
  return at < text.size() && text[at] >= '0' && text[at] <= '9';
}
bool is_lower_at(std::string_view text, std::size_t at) {
  return at < text.size() && text[at] >= 'a' && text[at] <= 'z';
}

// .000, .999 and with commas; no digit may follow.
std::size_t length_of_fraction(std::string_view text) {
  if (text.size() < 2 || (text[0] != '.' && text[0] != ',') || (text[1] != '0' && text[1] != '9')) return 0;
  std::size_t end = 1;
  while (end < text.size() && text[end] == text[1]) ++end;
  return is_digit_at(text, end) ? 0 : end;
}

std::optional<Chunk> part_at(std::string_view layout, std::size_t at) {
  const std::string_view here = layout.substr(at);
  const auto found = [&](Part part, std::size_t length) {
    return Chunk{layout.substr(0, at), part, here.substr(0, length), here.substr(length)};
  };
  // In _2006 the blank stands for itself.
  if (here.starts_with("_2006")) return std::nullopt;
  for (const Word& each : kWords)
    if (here.starts_with(each.text)) return found(each.part, each.text.size());
  if (here.starts_with("Jan") && !is_lower_at(here, 3)) return found(Part::ShortMonth, 3);
  if (here.starts_with("Mon") && !is_lower_at(here, 3)) return found(Part::ShortDay, 3);
  if (const std::size_t length = length_of_fraction(here)) return found(Part::Fraction, length);
  return std::nullopt;
}

Chunk next_chunk(std::string_view layout) {
  for (std::size_t at = 0; at < layout.size(); ++at)
    if (auto found = part_at(layout, at)) return *found;
  return {.before = layout};
}

std::string offset_text(std::chrono::minutes offset, std::string_view like) {
  if (like.starts_with('Z') && offset == 0min) return "Z";
  const std::int64_t size = offset.count() < 0 ? -offset.count() : offset.count();
  const std::string_view colon = like.contains(':') ? ":" : "";
  std::string made = fmt::format("{}{:02}", offset < 0min ? '-' : '+', size / 60);
  if (like.size() > 3) made += fmt::format("{}{:02}", colon, size % 60);
  if (like.size() > 6) made += fmt::format("{}00", colon);
  return made;
}

std::string fraction_text(std::int64_t nanoseconds, std::string_view like) {
  std::string digits = fmt::format("{:09}", nanoseconds).substr(0, std::min<std::size_t>(9, like.size() - 1));
  if (like[1] == '9')
    while (!digits.empty() && digits.back() == '0') digits.pop_back();
  return digits.empty() ? "" : like.front() + digits;
}

// A time in its zone, taken apart.
struct Fields {
  explicit Fields(GoTime time) : offset(time.offset) {
    const WallTime local = time.at + time.offset;
    const auto midnight = std::chrono::floor<std::chrono::days>(local);
    date = std::chrono::year_month_day(midnight);
    weekday = std::chrono::weekday(midnight).c_encoding();
    year_day = (midnight - std::chrono::sys_days(date.year() / 1 / 1)).count() + 1;
    clock = std::chrono::hh_mm_ss<Duration>(local - midnight);
  }

  std::int64_t hour() const { return clock.hours().count(); }
  std::int64_t hour12() const { return hour() % 12 == 0 ? 12 : hour() % 12; }

  std::chrono::minutes offset;
  std::chrono::year_month_day date;
  unsigned weekday;
  std::int64_t year_day;
  std::chrono::hh_mm_ss<Duration> clock;
};

std::string text_of(const Fields& of, Part part, std::string_view like) {
  const auto month = static_cast<unsigned>(of.date.month());
  const auto day = static_cast<unsigned>(of.date.day());
  const auto year = static_cast<int>(of.date.year());
  switch (part) {
    case Part::None:
      return "";
    case Part::LongMonth:
      return std::string(kMonths[month - 1]);
    case Part::ShortMonth:
      return std::string(kMonths[month - 1].substr(0, 3));
    case Part::Month:
      return fmt::to_string(month);
    case Part::ZeroMonth:
      return fmt::format("{:02}", month);
    case Part::LongDay:
      return std::string(kDays[of.weekday]);
    case Part::ShortDay:
      return std::string(kDays[of.weekday].substr(0, 3));
    case Part::Day:
      return fmt::to_string(day);
    case Part::BlankDay:
      return fmt::format("{:2}", day);
    case Part::ZeroDay:
      return fmt::format("{:02}", day);
    case Part::BlankYearDay:
      return fmt::format("{:3}", of.year_day);
    case Part::ZeroYearDay:
      return fmt::format("{:03}", of.year_day);
    case Part::Hour:
      return fmt::format("{:02}", of.hour());
    case Part::Hour12:
      return fmt::to_string(of.hour12());
    case Part::ZeroHour12:
      return fmt::format("{:02}", of.hour12());
    case Part::Minute:
      return fmt::to_string(of.clock.minutes().count());
    case Part::ZeroMinute:
      return fmt::format("{:02}", of.clock.minutes().count());
    case Part::Second:
      return fmt::to_string(of.clock.seconds().count());
    case Part::ZeroSecond:
      return fmt::format("{:02}", of.clock.seconds().count());
    case Part::LongYear:
      return fmt::format("{:04}", year);
    case Part::Year:
      return fmt::format("{:02}", year % 100);
    case Part::UpperHalf:
      return of.hour() < 12 ? "AM" : "PM";
    case Part::LowerHalf:
      return of.hour() < 12 ? "am" : "pm";
    case Part::Zone:
      return of.offset == 0min ? "UTC" : offset_text(of.offset, "-0700");
    case Part::Offset:
      return offset_text(of.offset, like);
    case Part::Fraction:
      return fraction_text(of.clock.subseconds().count(), like);
  }
  return "";
}

class Reader {
 public:
  Reader(std::string_view text, std::string_view layout) : whole_(text), layout_(layout), text_(text) {}

  Result<GoTime> run() {
    for (std::string_view layout = layout_;;) {
      const Chunk chunk = next_chunk(layout);
      if (!skip(chunk.before)) return wrong();
      if (chunk.part == Part::None) break;
      if (!take(chunk)) return wrong();
      layout = chunk.rest;
    }
    if (!text_.empty()) return wrong();
    return made();
  }

 private:
  std::unexpected<Error> wrong() const {
    return fail(ErrorCode::Invalid,
                fmt::format("{} is no time of the layout {}; expected one like {}, in UTC "
                            "or with an offset",
                            quoted(whole_), quoted(layout_),
                            quoted(format_time({WallTime{1'136'239'445s}}, layout_))));
  }

  // Any number of blanks stands for any other.
  bool skip(std::string_view expected) {
    while (!expected.empty()) {
      if (expected.front() == ' ') {
        if (!text_.empty() && text_.front() != ' ') return false;
        while (expected.starts_with(' ')) expected.remove_prefix(1);
        while (text_.starts_with(' ')) text_.remove_prefix(1);
        continue;
      }
      if (!text_.starts_with(expected.front())) return false;
      expected.remove_prefix(1);
      text_.remove_prefix(1);
    }
    return true;
  }

  std::optional<std::int64_t> number(std::size_t least, std::size_t most) {
    std::size_t length = 0;
    while (length < most && is_digit_at(text_, length)) ++length;
    if (length < least) return std::nullopt;
    const auto value = parse_signed(text_.substr(0, length));
    text_.remove_prefix(length);
    return value;
  }

  bool number_into(std::int64_t& into, bool is_padded, std::int64_t from, std::int64_t to) {
    const auto value = number(is_padded ? 2 : 1, 2);
    if (!value || *value < from || *value > to) return false;
    into = *value;
    return true;
  }

  template <std::size_t N>
  std::optional<std::size_t> name(const std::array<std::string_view, N>& names, bool is_short) {
    for (std::size_t i = 0; i < N; ++i) {
      const std::string_view each = is_short ? names[i].substr(0, 3) : names[i];
      if (!equals_ignoring_case(text_.substr(0, each.size()), each)) continue;
      text_.remove_prefix(each.size());
      return i;
    }
    return std::nullopt;
  }

  bool take(const Chunk& chunk) {
    switch (chunk.part) {
      case Part::LongMonth:
      case Part::ShortMonth: {
        const auto index = name(kMonths, chunk.part == Part::ShortMonth);
        month_ = index ? static_cast<std::int64_t>(*index) + 1 : 0;
        return index.has_value();
      }
      case Part::LongDay:
      case Part::ShortDay:
        return name(kDays, chunk.part == Part::ShortDay).has_value();
      case Part::Month:
      case Part::ZeroMonth:
        return number_into(month_, chunk.part == Part::ZeroMonth, 1, 12);
      case Part::BlankDay:
        if (text_.starts_with(' ')) text_.remove_prefix(1);
        return number_into(day_, false, 1, 31);
      case Part::Day:
      case Part::ZeroDay:
        return number_into(day_, chunk.part == Part::ZeroDay, 1, 31);
      case Part::Hour:
        return number_into(hour_, false, 0, 23);
      case Part::Hour12:
      case Part::ZeroHour12:
        return number_into(hour_, chunk.part == Part::ZeroHour12, 0, 12);
      case Part::Minute:
      case Part::ZeroMinute:
        return number_into(minute_, chunk.part == Part::ZeroMinute, 0, 59);
      case Part::Second:
      case Part::ZeroSecond:
        return take_second(chunk);
      case Part::LongYear: {
        const auto value = number(4, 4);
        year_ = value.value_or(0);
        return value.has_value();
      }
      case Part::Year:
        if (!number_into(year_, true, 0, 99)) return false;
        year_ += year_ >= 69 ? 1900 : 2000;
        return true;
      case Part::UpperHalf:
      case Part::LowerHalf:
        return take_half(chunk.part == Part::UpperHalf);
      case Part::Zone:
        return take_zone();
      case Part::Offset:
        return take_offset(chunk.text);
      case Part::Fraction:
        return take_fraction(chunk.text);
      case Part::BlankYearDay:
      case Part::ZeroYearDay:  // shown, and not read: hardly anybody writes it
      case Part::None:
        return false;
    }
    return false;
  }

  // A fraction may follow that the layout does not have.
  bool take_second(const Chunk& chunk) {
    if (!number_into(second_, chunk.part == Part::ZeroSecond, 0, 59)) return false;
    const bool has_fraction = (text_.starts_with('.') || text_.starts_with(',')) && is_digit_at(text_, 1);
    const Chunk next = next_chunk(chunk.rest);
    if (!has_fraction || (next.before.empty() && next.part == Part::Fraction)) return true;
    return take_fraction(".9");
  }

  bool take_fraction(std::string_view like) {
    const bool is_there = (text_.starts_with('.') || text_.starts_with(',')) && is_digit_at(text_, 1);
    if (!is_there) return like[1] == '9';
    std::size_t length = 0;
    while (is_digit_at(text_, 1 + length)) ++length;
    if (length > 9 || (like[1] == '0' && length != like.size() - 1)) return false;
    nanoseconds_ = *parse_signed(text_.substr(1, length));
    for (std::size_t i = length; i < 9; ++i) nanoseconds_ *= 10;
    text_.remove_prefix(1 + length);
    return true;
  }

  bool take_half(bool is_upper) {
    const std::string_view half = text_.substr(0, 2);
    if (half != (is_upper ? "AM" : "am") && half != (is_upper ? "PM" : "pm")) return false;
    is_afternoon_ = half == "PM" || half == "pm";
    is_morning_ = !is_afternoon_;
    text_.remove_prefix(2);
    return true;
  }

  bool take_offset(std::string_view like) {
    if (like.starts_with('Z') && text_.starts_with('Z')) {
      text_.remove_prefix(1);
      return true;
    }
    if (!text_.starts_with('+') && !text_.starts_with('-')) return false;
    const bool is_west = text_.starts_with('-');
    text_.remove_prefix(1);
    const auto hours = number(2, 2);
    if (!hours || *hours > 24) return false;
    std::int64_t minutes = 0;
    for (std::size_t part = 0; part < (like.size() > 6 ? 2 : like.size() > 3 ? 1 : 0); ++part) {
      if (like.contains(':') && !skip(":")) return false;
      const auto found = number(2, 2);
      // Seconds of an offset are those of long ago.
      if (!found || *found > 59 || (part == 1 && *found != 0)) return false;
      if (part == 0) minutes = *found;
    }
    offset_ = std::chrono::minutes((*hours * 60 + minutes) * (is_west ? -1 : 1));
    return true;
  }

  bool take_zone() {
    for (const std::string_view name : {"UTC", "GMT"}) {
      if (!text_.starts_with(name)) continue;
      text_.remove_prefix(name.size());
      return true;
    }
    return take_offset("-0700");
  }

  Result<GoTime> made() const {
    std::int64_t hour = hour_;
    if (is_afternoon_ && hour < 12) hour += 12;
    if (is_morning_ && hour == 12) hour = 0;
    const std::chrono::year_month_day date{std::chrono::year(static_cast<int>(year_)),
                                           std::chrono::month(static_cast<unsigned>(month_)),
                                           std::chrono::day(static_cast<unsigned>(day_))};
    if (!date.ok()) return wrong();
    if (year_ < 1678 || year_ > 2261)
      return fail(ErrorCode::Invalid, fmt::format("the year {} is not between 1678 and 2261", year_));
    const WallTime local = WallTime(std::chrono::sys_days(date)) + std::chrono::hours(hour) +
                           std::chrono::minutes(minute_) + std::chrono::seconds(second_) +
                           std::chrono::nanoseconds(nanoseconds_);
    return GoTime{.at = local - offset_, .offset = offset_};
  }

  std::string_view whole_;
  std::string_view layout_;
  std::string_view text_;
  std::int64_t year_ = 0;
  std::int64_t month_ = 1;
  std::int64_t day_ = 1;
  std::int64_t hour_ = 0;
  std::int64_t minute_ = 0;
  std::int64_t second_ = 0;
  std::int64_t nanoseconds_ = 0;
  bool is_morning_ = false;
  bool is_afternoon_ = false;
  std::chrono::minutes offset_ = {};
};

}  // namespace

std::string format_time(GoTime time, std::string_view layout) {
  const Fields fields(time);
  std::string made;
  for (;;) {
    const Chunk chunk = next_chunk(layout);
    made += chunk.before;
    if (chunk.part == Part::None) return made;
    made += text_of(fields, chunk.part, chunk.text);
    layout = chunk.rest;
  }
}

Result<GoTime> parse_time(std::string_view text, std::string_view layout) {
  return Reader(text, layout).run();
}

Result<std::chrono::minutes> parse_zone(std::string_view zone) {
  for (const std::string_view each : {"", "UTC", "GMT", "Z", "Local", "Etc/UTC"})
    if (zone == each) return 0min;
  for (const std::string_view layout : {"-07:00", "-0700", "-07"})
    if (const auto found = parse_time("2000 " + std::string(zone), "2006 " + std::string(layout)))
      return found->offset;
  return fail(ErrorCode::Unsupported,
              fmt::format("the zone {} is not known; what is, is UTC and fixed offsets "
                          "such as +02:00",
                          quoted(zone)));
}

}  // namespace fairway::fleet::templates
