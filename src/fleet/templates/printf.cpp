#include "fleet/templates/printf.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <optional>

#include "base/text.hpp"
#include "fleet/templates/values.hpp"

namespace fairway::fleet::templates {
namespace {

struct Verb {
  bool pads_right = false;  // -
  bool pads_zeros = false;  // 0
  bool shows_plus = false;  // +
  std::size_t width = 0;
  std::optional<std::size_t> precision = {};
  char letter = '\0';
};

std::string misfit(const Verb& verb, const json::Value& value) {
  return fmt::format("%!{}({}={})", verb.letter, kind_word(value), to_text(value));
}

std::string with_sign(const Verb& verb, bool is_negative, std::string digits) {
  if (is_negative) return "-" + digits;
  return verb.shows_plus ? "+" + digits : digits;
}

std::string whole_text(const Verb& verb, std::int64_t value) {
  const auto size = value < 0 ? 0 - static_cast<std::uint64_t>(value) : static_cast<std::uint64_t>(value);
  switch (verb.letter) {
    case 'x':
      return with_sign(verb, value < 0, fmt::format("{:x}", size));
    case 'X':
      return with_sign(verb, value < 0, fmt::format("{:X}", size));
    case 'o':
      return with_sign(verb, value < 0, fmt::format("{:o}", size));
    case 'b':
      return with_sign(verb, value < 0, fmt::format("{:b}", size));
    default:
      return with_sign(verb, value < 0, fmt::to_string(size));
  }
}

std::string real_text(const Verb& verb, double value) {
  const int digits = static_cast<int>(verb.precision.value_or(6));
  std::string made;
  if (verb.letter == 'f' || verb.letter == 'F') {
    made = fmt::format("{:.{}f}", value, digits);
  } else if (verb.letter == 'e') {
    made = fmt::format("{:.{}e}", value, digits);
  } else {
    made = verb.precision ? fmt::format("{:.{}g}", value, digits) : templates::real_text(value);
  }
  return verb.shows_plus && value >= 0 ? "+" + made : made;
}

std::string converted(const Verb& verb, const json::Value& value) {
  switch (verb.letter) {
    case 'v':
      return to_text(value);
    case 's':
      return value.is_number() || value.is_bool() ? misfit(verb, value) : to_text(value);
    case 'q':
      return value.is_string() ? json::serialize(value) : misfit(verb, value);
    case 't':
      return value.is_bool() ? to_text(value) : misfit(verb, value);
    case 'x':
    case 'X':
      if (value.is_string()) return encode_hex(to_text(value));
      [[fallthrough]];
    case 'd':
    case 'o':
    case 'b':
      return value.is_int64() ? whole_text(verb, value.get_int64()) : misfit(verb, value);
    case 'f':
    case 'F':
    case 'e':
    case 'g':
      return value.is_double() ? real_text(verb, value.get_double()) : misfit(verb, value);
    case 'T':
      return std::string(kind_word(value));
    default:
      return misfit(verb, value);
  }
}

std::string padded(const Verb& verb, std::string text) {
  if (verb.precision && (verb.letter == 's' || verb.letter == 'q')) text = text.substr(0, *verb.precision);
  if (text.size() >= verb.width) return text;
  const std::size_t missing = verb.width - text.size();
  if (verb.pads_right) return text + std::string(missing, ' ');
  const bool is_number = verb.letter != 's' && verb.letter != 'v' && verb.letter != 'q';
  if (!verb.pads_zeros || !is_number) return std::string(missing, ' ') + text;
  const std::size_t sign = text.starts_with('-') || text.starts_with('+') ? 1 : 0;
  return text.substr(0, sign) + std::string(missing, '0') + text.substr(sign);
}

std::size_t take_number(std::string_view format, std::size_t& at) {
  std::size_t number = 0;
  while (at < format.size() && format[at] >= '0' && format[at] <= '9')
    number = std::min<std::size_t>(number * 10 + static_cast<std::size_t>(format[at++] - '0'), 1'000'000);
  return number;
}

// From after the percent sign to after the letter.
Verb take_verb(std::string_view format, std::size_t& at) {
  Verb verb;
  for (; at < format.size() && std::string_view("-+0 #").contains(format[at]); ++at) {
    verb.pads_right |= format[at] == '-';
    verb.shows_plus |= format[at] == '+';
    verb.pads_zeros |= format[at] == '0';
  }
  verb.width = take_number(format, at);
  if (at < format.size() && format[at] == '.') {
    ++at;
    verb.precision = std::min<std::size_t>(take_number(format, at), 500);
  }
  if (at < format.size()) verb.letter = format[at++];
  return verb;
}

}  // namespace

Result<std::string> formatted(std::string_view format, std::span<const json::Value> arguments,
                              std::size_t max_bytes) {
  std::string made;
  std::size_t used = 0;
  for (std::size_t at = 0; at < format.size();) {
    if (format[at] != '%') {
      made += format[at++];
      continue;
    }
    ++at;
    const Verb verb = take_verb(format, at);
    if (verb.letter == '\0') {
      made += "%!(NOVERB)";
    } else if (verb.letter == '%') {
      made += '%';
    } else if (used >= arguments.size()) {
      made += fmt::format("%!{}(MISSING)", verb.letter);
    } else {
      made += padded(verb, converted(verb, arguments[used++]));
    }
    if (made.size() > max_bytes) return fail(ErrorCode::Invalid, "the text would be too long");
  }
  return made;
}

}  // namespace fairway::fleet::templates
