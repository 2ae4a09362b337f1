#include "base/text.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <fmt/format.h>

namespace fairway {
namespace {

using std::chrono::seconds;

char lower(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

template <class T>
std::optional<T> parse_whole(std::string_view text) {
  T value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size() || text.empty()) return std::nullopt;
  return value;
}

struct DurationUnit {
  std::string_view name;
  std::uint64_t nanoseconds;
};
constexpr std::array<DurationUnit, 8> kDurationUnits{{{"ns", 1},
                                                      {"us", 1'000},
                                                      {"µs", 1'000},
                                                      {"μs", 1'000},
                                                      {"ms", 1'000'000},
                                                      {"s", 1'000'000'000},
                                                      {"m", 60'000'000'000},
                                                      {"h", 3'600'000'000'000}}};

// The most that a Duration holds, on the negative side.
constexpr std::uint64_t kLongestDuration = std::uint64_t(1) << 63;

// "1.5" of a unit, in nanoseconds; the fraction is computed as Go does, so that both agree to the nanosecond.
std::optional<std::uint64_t> scale(std::string_view number, std::uint64_t unit) {
  const auto dot = number.find('.');
  const std::string_view whole = number.substr(0, dot);
  const std::string_view fraction = dot == std::string_view::npos ? "" : number.substr(dot + 1);
  if (whole.empty() && fraction.empty()) return std::nullopt;
  const auto count = whole.empty() ? 0 : parse_whole<std::uint64_t>(whole);
  if (!count || *count > kLongestDuration / unit) return std::nullopt;
  std::uint64_t digits = 0;
  double power = 1;
  for (char c : fraction) {
    if (c < '0' || c > '9') return std::nullopt;
    if (digits >= kLongestDuration / 10) continue;  // further digits are worth nothing
    digits = digits * 10 + static_cast<std::uint64_t>(c - '0');
    power *= 10;
  }
  return *count * unit +
         static_cast<std::uint64_t>(static_cast<double>(digits) * (static_cast<double>(unit) / power));
}

// 1500 with 3 decimals is "1.5".
std::string with_decimals(std::uint64_t number, std::uint64_t one, int decimals) {
  std::string text = fmt::format("{}.{:0{}}", number / one, number % one, decimals);
  text.erase(text.find_last_not_of('0') + 1);
  if (text.back() == '.') text.pop_back();
  return text;
}

constexpr std::string_view kBase64 = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

struct CivilTime {
  std::chrono::year_month_day day;
  std::chrono::hh_mm_ss<Duration> time;
};

CivilTime civil(WallTime time) {
  const auto midnight = std::chrono::floor<std::chrono::days>(time);
  return {std::chrono::year_month_day{midnight}, std::chrono::hh_mm_ss<Duration>{time - midnight}};
}

std::string format_civil(const CivilTime& at) {
  return fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}", static_cast<int>(at.day.year()),
                     static_cast<unsigned>(at.day.month()), static_cast<unsigned>(at.day.day()),
                     at.time.hours().count(), at.time.minutes().count(), at.time.seconds().count());
}

}  // namespace

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  for (;;) {
    const auto at = text.find(separator);
    parts.push_back(text.substr(0, at));
    if (at == std::string_view::npos) return parts;
    text.remove_prefix(at + 1);
  }
}

std::vector<std::string_view> split_words(std::string_view text, std::string_view blanks) {
  std::vector<std::string_view> words;
  for (auto start = text.find_first_not_of(blanks); start != std::string_view::npos;
       start = text.find_first_not_of(blanks)) {
    text.remove_prefix(start);
    const auto end = text.find_first_of(blanks);
    words.push_back(text.substr(0, end));
    if (end == std::string_view::npos) break;
    text.remove_prefix(end);
  }
  return words;
}

std::string_view trim(std::string_view text) {
  const auto first = text.find_first_not_of(" \t\r\n");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t\r\n") - first + 1);
}

std::string join(std::span<const std::string> parts, std::string_view separator) {
  return fmt::format("{}", fmt::join(parts, separator));
}

std::string to_lower(std::string_view text) {
  std::string result(text);
  std::ranges::transform(result, result.begin(), lower);
  return result;
}

bool equals_ignoring_case(std::string_view left, std::string_view right) {
  return std::ranges::equal(left, right, {}, lower, lower);
}

std::string replace_all(std::string_view text, std::string_view from, std::string_view to) {
  std::string result;
  if (from.empty()) return std::string(text);
  for (auto at = text.find(from); at != std::string_view::npos; at = text.find(from)) {
    result.append(text.substr(0, at)).append(to);
    text.remove_prefix(at + from.size());
  }
  return result.append(text);
}

std::string quoted(std::string_view text) {
  constexpr std::size_t kLongest = 120;
  std::string result = "\"";
  std::size_t used = 0;
  while (used < text.size() && used < kLongest) {
    const std::size_t length = utf8_length(text.substr(used));
    const auto c = static_cast<unsigned char>(text[used]);
    if (length == 0 || c < 0x20 || c == 0x7F) {
      fmt::format_to(std::back_inserter(result), "\\x{:02x}", c);
      ++used;
      continue;
    }
    if (c == '"' || c == '\\') result += '\\';
    result.append(text.substr(used, length));
    used += length;
  }
  return result + (used < text.size() ? "…\"" : "\"");
}

std::optional<std::uint64_t> parse_unsigned(std::string_view text) {
  return parse_whole<std::uint64_t>(text);
}
std::optional<std::int64_t> parse_signed(std::string_view text) {
  return parse_whole<std::int64_t>(text);
}
std::optional<double> parse_double(std::string_view text) {
  return parse_whole<double>(text);
}

std::optional<Duration> parse_duration(std::string_view text) {
  const bool negative = text.starts_with('-');
  if (negative || text.starts_with('+')) text.remove_prefix(1);
  if (text == "0") return Duration::zero();
  if (text.empty()) return std::nullopt;
  std::uint64_t total = 0;
  while (!text.empty()) {
    const auto digits = text.find_first_not_of("0123456789.");
    if (digits == 0 || digits == std::string_view::npos) return std::nullopt;
    const std::string_view number = text.substr(0, digits);
    text.remove_prefix(digits);
    const auto unit_text = text.substr(0, text.find_first_of("0123456789."));
    const auto* const unit = std::ranges::find(kDurationUnits, unit_text, &DurationUnit::name);
    if (unit == kDurationUnits.end()) return std::nullopt;
    const auto part = scale(number, unit->nanoseconds);
    if (!part || *part > kLongestDuration - total) return std::nullopt;
    total += *part;
    text.remove_prefix(unit_text.size());
  }
  if (negative) return Duration{static_cast<std::int64_t>(~total + 1)};
  if (total == kLongestDuration) return std::nullopt;
  return Duration{static_cast<std::int64_t>(total)};
}

std::string format_duration(Duration duration) {
  if (duration == Duration::zero()) return "0s";
  const bool negative = duration < Duration::zero();
  const auto bits = static_cast<std::uint64_t>(duration.count());
  const std::uint64_t nanos = negative ? ~bits + 1 : bits;
  std::string text = negative ? "-" : "";
  if (nanos < 1'000) return text + fmt::format("{}ns", nanos);
  if (nanos < 1'000'000) return text + with_decimals(nanos, 1'000, 3) + "µs";
  if (nanos < 1'000'000'000) return text + with_decimals(nanos, 1'000'000, 6) + "ms";
  const std::uint64_t minutes = nanos / 60'000'000'000;
  if (minutes >= 60) text += fmt::format("{}h", minutes / 60);
  if (minutes > 0) text += fmt::format("{}m", minutes % 60);
  return text + with_decimals(nanos % 60'000'000'000, 1'000'000'000, 9) + "s";
}

std::string format_age(Duration age) {
  const std::int64_t total = std::chrono::duration_cast<seconds>(age).count();
  if (total < -1) return "<invalid>";  // a second of difference between two clocks is forgiven
  if (total < 0) return "0s";
  const std::int64_t minutes = total / 60;
  const std::int64_t hours = minutes / 60;
  const std::int64_t days = hours / 24;
  const auto two = [](std::int64_t large, char unit, std::int64_t small, char small_unit) {
    return small == 0 ? fmt::format("{}{}", large, unit)
                      : fmt::format("{}{}{}{}", large, unit, small, small_unit);
  };
  if (total < 120) return fmt::format("{}s", total);
  if (minutes < 10) return two(minutes, 'm', total % 60, 's');
  if (minutes < 180) return fmt::format("{}m", minutes);
  if (hours < 8) return two(hours, 'h', minutes % 60, 'm');
  if (hours < 48) return fmt::format("{}h", hours);
  if (days < 8) return two(days, 'd', hours % 24, 'h');
  if (days < 730) return fmt::format("{}d", days);
  if (days < 8 * 365) return two(days / 365, 'y', days % 365, 'd');
  return fmt::format("{}y", days / 365);
}

std::optional<WallTime> parse_rfc3339(std::string_view text) {
  const auto field = [&](std::size_t at, std::size_t length) -> std::optional<unsigned> {
    if (text.size() < at + length) return std::nullopt;
    return parse_whole<unsigned>(text.substr(at, length));
  };
  const auto is = [&](std::size_t at, std::string_view any) {
    return at < text.size() && any.find(text[at]) != std::string_view::npos;
  };
  const auto year = field(0, 4), month = field(5, 2), day = field(8, 2);
  const auto hour = field(11, 2), minute = field(14, 2), second = field(17, 2);
  if (!year || !month || !day || !hour || !minute || !second) return std::nullopt;
  if (!is(4, "-") || !is(7, "-") || !is(10, "Tt ") || !is(13, ":") || !is(16, ":")) return std::nullopt;
  const std::chrono::year_month_day date{std::chrono::year(static_cast<int>(*year)),
                                         std::chrono::month(*month), std::chrono::day(*day)};
  if (!date.ok() || *hour > 23 || *minute > 59 || *second > 60) return std::nullopt;
  std::size_t at = 19;
  Duration fraction{};
  if (is(at, ".")) {
    const std::size_t start = ++at;
    std::int64_t unit = 100'000'000;
    for (; is(at, "0123456789"); ++at, unit /= 10) fraction += Duration{(text[at] - '0') * unit};
    if (at == start) return std::nullopt;
  }
  Duration offset{};
  if (is(at, "Zz")) {
    ++at;
  } else if (is(at, "+-")) {
    const auto hours = field(at + 1, 2), minutes = field(at + 4, 2);
    if (!hours || !minutes || *hours > 23 || *minutes > 59 || !is(at + 3, ":")) return std::nullopt;
    offset = std::chrono::hours(*hours) + std::chrono::minutes(*minutes);
    if (text[at] == '-') offset = -offset;
    at += 6;
  } else {
    return std::nullopt;
  }
  if (at != text.size()) return std::nullopt;
  const bool representable = *year >= 1678 && *year <= 2261;
  if (!representable) return std::nullopt;
  return WallTime{std::chrono::sys_days{date}} + std::chrono::hours(*hour) + std::chrono::minutes(*minute) +
         seconds(*second) + fraction - offset;
}

std::string format_rfc3339(WallTime time) {
  return format_civil(civil(time)) + "Z";
}

std::string format_rfc3339_micro(WallTime time) {
  const CivilTime at = civil(time);
  return fmt::format("{}.{:06}Z", format_civil(at), at.time.subseconds().count() / 1000);
}

std::string encode_base64(std::string_view bytes) {
  std::string text;
  text.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    std::uint32_t group = 0;
    for (std::size_t j = 0; j < 3; ++j) {
      group = group << 8 | (i + j < bytes.size() ? static_cast<unsigned char>(bytes[i + j]) : 0U);
    }
    for (std::size_t j = 0; j < 4; ++j) {
      text += i + j > bytes.size() ? '=' : kBase64[group >> (18 - 6 * j) & 63];
    }
  }
  return text;
}

std::optional<std::string> decode_base64(std::string_view text) {
  std::string bytes;
  bytes.reserve(text.size() / 4 * 3);
  std::uint32_t group = 0;
  int filled = 0;
  int padding = 0;
  for (char c : text) {
    if (c == ' ' || c == '\n' || c == '\r' || c == '\t') continue;
    std::size_t digit = 0;
    if (c == '=') {
      ++padding;
    } else {
      digit = kBase64.find(c);
      if (digit == std::string_view::npos || padding > 0) return std::nullopt;
    }
    group = group << 6 | static_cast<std::uint32_t>(digit);
    if (++filled < 4) continue;
    if (padding > 2) return std::nullopt;
    for (int j = 0; j < 3 - padding; ++j) bytes += static_cast<char>(group >> (16 - 8 * j) & 0xFF);
    group = 0;
    filled = 0;
  }
  if (filled != 0) return std::nullopt;
  return bytes;
}

std::string encode_hex(std::string_view bytes) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string text;
  text.reserve(2 * bytes.size());
  for (const char c : bytes) {
    const auto byte = static_cast<unsigned char>(c);
    text += kDigits[byte >> 4];
    text += kDigits[byte & 0x0F];
  }
  return text;
}

std::string percent_encode(std::string_view text) {
  std::string result;
  for (char c : text) {
    const bool unreserved = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                            std::string_view("-._~").find(c) != std::string_view::npos;
    if (unreserved) {
      result += c;
    } else {
      fmt::format_to(std::back_inserter(result), "%{:02X}", static_cast<unsigned char>(c));
    }
  }
  return result;
}

std::optional<std::string> percent_decode(std::string_view text, bool plus_is_space) {
  std::string result;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '+' && plus_is_space) {
      result += ' ';
    } else if (text[i] == '%') {
      unsigned value = 0;
      if (i + 2 >= text.size()) return std::nullopt;
      const char* end = text.data() + i + 3;
      const auto parsed = std::from_chars(text.data() + i + 1, end, value, 16);
      if (parsed.ec != std::errc{} || parsed.ptr != end) return std::nullopt;
      result += static_cast<char>(value);
      i += 2;
    } else {
      result += text[i];
    }
  }
  return result;
}

std::size_t utf8_length(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char first = byte(0);
  if (first < 0x80) return 1;
  const std::size_t length = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2;
  if (first < 0xC2 || first > 0xF4 || text.size() < length) return 0;
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xC0) != 0x80) return 0;
  }
  const bool overlong = (first == 0xE0 && byte(1) < 0xA0) || (first == 0xF0 && byte(1) < 0x90);
  const bool surrogate = first == 0xED && byte(1) > 0x9F;
  const bool beyond = first == 0xF4 && byte(1) > 0x8F;
  return overlong || surrogate || beyond ? 0 : length;
}

bool is_valid_utf8(std::string_view text) {
  while (!text.empty()) {
    const std::size_t length = utf8_length(text);
    if (length == 0) return false;
    text.remove_prefix(length);
  }
  return true;
}

std::optional<std::string> nearest(std::string_view word, std::span<const std::string> candidates) {
  const auto distance = [](std::string_view a, std::string_view b) {
    std::vector<std::size_t> row(b.size() + 1);
    for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
    for (std::size_t i = 1; i <= a.size(); ++i) {
      std::size_t diagonal = std::exchange(row[0], i);
      for (std::size_t j = 1; j <= b.size(); ++j) {
        const std::size_t substituted = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
        diagonal = std::exchange(row[j], std::min({row[j] + 1, row[j - 1] + 1, substituted}));
      }
    }
    return row.back();
  };
  std::optional<std::string> best;
  std::size_t best_distance = std::max<std::size_t>(1, word.size() / 3) + 1;
  for (const std::string& candidate : candidates) {
    const std::size_t edits = distance(word, candidate);
    if (edits < best_distance) {
      best_distance = edits;
      best = candidate;
    }
  }
  return best;
}

}  // namespace fairway
