// Number and duration literals as Go and Prometheus read and print them.
#include <array>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <optional>
#include <system_error>

#include "base/text.hpp"
#include "promql/go_text.hpp"

namespace fairway::promql {
namespace {

char lower(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c;
}

// strconv's rule: an underscore stands between digits, or between a base prefix and a digit.
bool underscores_separate_digits(std::string_view text) {
  char seen = '^';
  bool hex = false;
  if (text.size() >= 2 && text[0] == '0' &&
      (lower(text[1]) == 'b' || lower(text[1]) == 'o' || lower(text[1]) == 'x')) {
    hex = lower(text[1]) == 'x';
    seen = '0';
    text.remove_prefix(2);
  }
  for (const char c : text) {
    if (is_digit(c) || (hex && lower(c) >= 'a' && lower(c) <= 'f')) {
      seen = '0';
    } else if (c == '_') {
      if (seen != '0') return false;
      seen = '_';
    } else {
      if (seen == '_') return false;
      seen = '!';
    }
  }
  return seen != '_';
}

std::string without_underscores(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c != '_') out.push_back(c);
  }
  return out;
}

// strconv.ParseInt(text, 0, 64) without a sign.
std::optional<std::int64_t> parse_integer(std::string_view text) {
  if (text.find('_') != std::string_view::npos && !underscores_separate_digits(text)) return std::nullopt;
  const std::string plain = without_underscores(text);
  std::string_view digits = plain;
  int base = 10;
  if (digits.size() >= 2 && digits[0] == '0') {
    const char prefix = lower(digits[1]);
    base = prefix == 'x' ? 16 : prefix == 'b' ? 2 : 8;
    digits.remove_prefix(prefix == 'x' || prefix == 'b' || prefix == 'o' ? 2 : 1);
  }
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value, base);
  if (error != std::errc{} || end != digits.data() + digits.size() || digits.empty()) return std::nullopt;
  return value;
}

std::string number_error(std::string_view text, std::string_view why) {
  return "strconv.ParseFloat: parsing " + go_quoted(text) + ": " + std::string(why);
}

struct Unit {
  std::string_view name;
  int rank;  // from the biggest, 1
  std::uint64_t nanoseconds;
};

constexpr std::uint64_t kMillisecond = 1'000'000;
constexpr std::array<Unit, 7> kUnits = {{{"y", 1, kMillisecond * 1000 * 60 * 60 * 24 * 365},
                                         {"w", 2, kMillisecond * 1000 * 60 * 60 * 24 * 7},
                                         {"d", 3, kMillisecond * 1000 * 60 * 60 * 24},
                                         {"h", 4, kMillisecond * 1000 * 60 * 60},
                                         {"m", 5, kMillisecond * 1000 * 60},
                                         {"s", 6, kMillisecond * 1000},
                                         {"ms", 7, kMillisecond}}};

}  // namespace

std::expected<double, std::string> parse_number(std::string_view text) {
  if (text.size() == 1 && is_digit(text[0])) return text[0] - '0';
  if (const auto integer = parse_integer(text)) return static_cast<double>(*integer);
  if (text.find('_') != std::string_view::npos && !underscores_separate_digits(text)) {
    return std::unexpected(number_error(text, "invalid syntax"));
  }
  if (equals_ignoring_case(text, "inf")) return std::numeric_limits<double>::infinity();
  if (equals_ignoring_case(text, "nan")) return std::numeric_limits<double>::quiet_NaN();
  const std::string plain = without_underscores(text);
  double value = 0;
  const auto [end, error] = std::from_chars(plain.data(), plain.data() + plain.size(), value);
  if (end != plain.data() + plain.size() || plain.empty()) {
    return std::unexpected(number_error(text, "invalid syntax"));
  }
  if (error == std::errc::result_out_of_range) {
    // from_chars does not say whether the value is too big or too small; strtod does.
    if (const double nearest = std::strtod(plain.c_str(), nullptr); !std::isinf(nearest)) return nearest;
    return std::unexpected(number_error(text, "value out of range"));
  }
  return value;
}

std::expected<Duration, std::string> parse_prometheus_duration(std::string_view text) {
  if (text == "0") return Duration::zero();
  const auto invalid = [&] { return std::unexpected("not a valid duration string: " + go_quoted(text)); };
  if (text.empty()) return std::unexpected("empty duration string");
  constexpr auto kMost = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
  std::uint64_t total = 0;
  int last_rank = 0;
  for (std::string_view rest = text; !rest.empty();) {
    std::size_t digits = 0;
    while (digits < rest.size() && is_digit(rest[digits])) ++digits;
    std::uint64_t count = 0;
    const char* const begin = rest.data();
    if (digits == 0 || std::from_chars(begin, begin + digits, count).ec != std::errc{}) return invalid();
    rest.remove_prefix(digits);
    std::size_t letters = 0;
    while (letters < rest.size() && !is_digit(rest[letters])) ++letters;
    if (letters == 0) return invalid();
    const std::string_view name = rest.substr(0, letters);
    rest.remove_prefix(letters);
    const Unit* unit = nullptr;
    for (const Unit& candidate : kUnits) {
      if (candidate.name == name) unit = &candidate;
    }
    if (unit == nullptr) {
      return std::unexpected("unknown unit " + go_quoted(name) + " in duration " + go_quoted(text));
    }
    if (unit->rank <= last_rank) return invalid();
    last_rank = unit->rank;
    if (count > (kMost + 1) / unit->nanoseconds) return std::unexpected("duration out of range");
    total += count * unit->nanoseconds;
    if (total > kMost) return std::unexpected("duration out of range");
  }
  return Duration(static_cast<std::int64_t>(total));
}

void append_prometheus_duration(std::string& out, Duration duration) {
  auto left = static_cast<std::uint64_t>(duration.count()) / kMillisecond;
  if (left == 0) {
    out.append("0s");
    return;
  }
  for (const Unit& unit : kUnits) {
    const std::uint64_t milliseconds = unit.nanoseconds / kMillisecond;
    if (unit.rank <= 2 && left % milliseconds != 0) continue;
    if (const std::uint64_t count = left / milliseconds; count > 0) {
      char buffer[24];
      out.append(buffer, std::to_chars(buffer, buffer + sizeof buffer, count).ptr);
      out.append(unit.name);
      left -= count * milliseconds;
    }
  }
}

}  // namespace fairway::promql
