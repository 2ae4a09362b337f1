#include "promql/sample.hpp"

#include <array>
#include <charconv>
#include <fmt/format.h>

#include "base/text.hpp"

namespace fairway::promql {
namespace {

std::string special(double value) {
  if (std::isnan(value)) return "NaN";
  return value > 0 ? "+Inf" : "-Inf";
}

}  // namespace

std::optional<double> parse_value(std::string_view text) {
  if (text.starts_with('+')) {
    text.remove_prefix(1);
    if (text.starts_with('-')) return std::nullopt;
  }
  const auto value = parse_double(text);
  if (value && std::isnan(*value)) return kNaN;
  return value;
}

std::string format_value(double value) {
  if (!std::isfinite(value)) return special(value);
  std::array<char, 400> text;  // the longest double has 309 digits before or about 770 behind the point
  const auto end = std::to_chars(text.data(), text.data() + text.size(), value, std::chars_format::fixed);
  if (end.ec == std::errc{}) return std::string(text.data(), end.ptr);
  return fmt::format("{:.330f}", value);  // tiny numbers
}

std::string format_general(double value) {
  if (!std::isfinite(value)) return special(value);
  // Go's %v switches to an exponent below 1e-4 and from 1e21 on.
  const double size = std::abs(value);
  if (size == 0 || (size >= 1e-4 && size < 1e21)) return format_value(value);
  std::array<char, 40> text;
  const auto end =
      std::to_chars(text.data(), text.data() + text.size(), value, std::chars_format::scientific);
  return std::string(text.data(), end.ptr);
}

std::string format_seconds(Millis time) {
  const bool negative = time < 0;
  const auto size = negative ? 0 - static_cast<std::uint64_t>(time) : static_cast<std::uint64_t>(time);
  std::string text = fmt::format("{}{}", negative ? "-" : "", size / 1000);
  if (size % 1000 == 0) return text;
  text += fmt::format(".{:03}", size % 1000);
  while (text.ends_with('0')) text.pop_back();
  return text;
}

}  // namespace fairway::promql
