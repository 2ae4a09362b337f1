#include "promql/go_text.hpp"

#include <charconv>
#include <cmath>
#include <fmt/format.h>
#include <re2/re2.h>

#include "base/text.hpp"

namespace fairway::promql {

Rune decode_rune(std::string_view text) {
  if (text.empty()) return {kRuneError, 0};
  const auto first = static_cast<unsigned char>(text[0]);
  if (first < 0x80) return {first, 1};
  const std::size_t length = utf8_length(text);
  if (length == 0) return {kRuneError, 1};
  char32_t value = length == 2 ? first & 0x1fU : length == 3 ? first & 0x0fU : first & 0x07U;
  for (std::size_t i = 1; i < length; ++i)
    value = (value << 6) | (static_cast<unsigned char>(text[i]) & 0x3fU);
  return {value, static_cast<std::uint32_t>(length)};
}

void append_rune(std::string& out, char32_t rune) {
  if (rune > 0x10FFFF || (rune >= 0xD800 && rune < 0xE000)) rune = kRuneError;
  const auto byte = [&](char32_t bits) { out.push_back(static_cast<char>(bits)); };
  if (rune < 0x80) {
    byte(rune);
  } else if (rune < 0x800) {
    byte(0xC0 | (rune >> 6));
    byte(0x80 | (rune & 0x3F));
  } else if (rune < 0x10000) {
    byte(0xE0 | (rune >> 12));
    byte(0x80 | ((rune >> 6) & 0x3F));
    byte(0x80 | (rune & 0x3F));
  } else {
    byte(0xF0 | (rune >> 18));
    byte(0x80 | ((rune >> 12) & 0x3F));
    byte(0x80 | ((rune >> 6) & 0x3F));
    byte(0x80 | (rune & 0x3F));
  }
}

bool is_printable(char32_t rune) {
  if (rune < 0x7f) return rune >= 0x20;
  // RE2 brings the Unicode tables that the standard library lacks.
  static const RE2 kPrintable("[\\pL\\pM\\pN\\pP\\pS]");
  std::string encoded;
  append_rune(encoded, rune);
  return RE2::FullMatch(encoded, kPrintable);
}

namespace {

void append_escaped_rune(std::string& out, char32_t rune, char quote) {
  if (rune == static_cast<char32_t>(quote) || rune == '\\') {
    out.push_back('\\');
    out.push_back(static_cast<char>(rune));
    return;
  }
  if (is_printable(rune)) return append_rune(out, rune);
  constexpr std::string_view kNamed = "\a\b\f\n\r\t\v";
  constexpr std::string_view kNames = "abfnrtv";
  if (rune < 0x80) {
    if (const auto at = kNamed.find(static_cast<char>(rune)); rune != 0 && at != std::string_view::npos) {
      out.push_back('\\');
      out.push_back(kNames[at]);
    } else {
      fmt::format_to(std::back_inserter(out), "\\x{:02x}", static_cast<unsigned>(rune));
    }
  } else if (rune < 0x10000) {
    fmt::format_to(std::back_inserter(out), "\\u{:04x}", static_cast<unsigned>(rune));
  } else {
    fmt::format_to(std::back_inserter(out), "\\U{:08x}", static_cast<unsigned>(rune));
  }
}

}  // namespace

void append_quoted(std::string& out, std::string_view text) {
  out.push_back('"');
  std::size_t plain = 0;  // start of the run that needs no escape
  std::size_t at = 0;
  while (at < text.size()) {
    const auto byte = static_cast<unsigned char>(text[at]);
    if (byte >= 0x20 && byte < 0x7f && byte != '"' && byte != '\\') {
      ++at;
      continue;
    }
    out.append(text.substr(plain, at - plain));
    const Rune rune = decode_rune(text.substr(at));
    if (rune.value == kRuneError && rune.width == 1) {
      fmt::format_to(std::back_inserter(out), "\\x{:02x}", static_cast<unsigned>(byte));
    } else if (rune.value == kRuneError) {
      out.append("\\ufffd");  // Go writes the character itself, which its own lexer then refuses
    } else {
      append_escaped_rune(out, rune.value, '"');
    }
    at += rune.width;
    plain = at;
  }
  out.append(text.substr(plain));
  out.push_back('"');
}

std::string go_quoted(std::string_view text) {
  std::string out;
  append_quoted(out, text);
  return out;
}

std::string go_quoted_rune(char32_t rune) {
  std::string out = "'";
  append_escaped_rune(out, rune, '\'');
  out.push_back('\'');
  return out;
}

std::string go_unicode_rune(char32_t rune) {
  std::string out = fmt::format("U+{:04X}", static_cast<unsigned>(rune));
  if (is_printable(rune)) {
    out.append(" '");
    append_rune(out, rune);
    out.push_back('\'');
  }
  return out;
}

std::string_view truncate_runes(std::string_view text, std::size_t count) {
  std::size_t at = 0;
  while (count-- > 0 && at < text.size()) at += decode_rune(text.substr(at)).width;
  return text.substr(0, at);
}

namespace {

struct Decimal {
  std::string digits;
  int point = 0;  // position of the decimal point relative to the start of digits
  bool negative = false;
};

Decimal shortest_digits(double value) {
  char buffer[64];
  const auto end = std::to_chars(buffer, buffer + sizeof buffer, value, std::chars_format::scientific).ptr;
  std::string_view text(buffer, static_cast<std::size_t>(end - buffer));
  Decimal out;
  if (text.front() == '-') {
    out.negative = true;
    text.remove_prefix(1);
  }
  const auto e = text.find('e');
  for (const char c : text.substr(0, e)) {
    if (c != '.') out.digits.push_back(c);
  }
  std::string_view exponent = text.substr(e + 1);
  if (exponent.front() == '+') exponent.remove_prefix(1);
  std::from_chars(exponent.data(), exponent.data() + exponent.size(), out.point);
  ++out.point;
  return out;
}

bool append_special(std::string& out, double value) {
  if (std::isnan(value)) {
    out.append("NaN");
  } else if (std::isinf(value)) {
    out.append(value > 0 ? "+Inf" : "-Inf");
  } else {
    return false;
  }
  return true;
}

}  // namespace

void append_float(std::string& out, double value) {
  if (append_special(out, value)) return;
  if (std::abs(value) < 1e15 && value == std::trunc(value) && !std::signbit(value)) {
    char buffer[24];
    const auto end = std::to_chars(buffer, buffer + sizeof buffer, static_cast<std::int64_t>(value)).ptr;
    out.append(buffer, end);
    return;
  }
  const Decimal decimal = shortest_digits(value);
  if (decimal.negative) out.push_back('-');
  const auto digits = static_cast<int>(decimal.digits.size());
  if (decimal.point <= 0) {
    out.push_back('0');
    if (decimal.digits != "0") {
      out.push_back('.');
      out.append(static_cast<std::size_t>(-decimal.point), '0');
      out.append(decimal.digits);
    }
  } else if (decimal.point >= digits) {
    out.append(decimal.digits);
    out.append(static_cast<std::size_t>(decimal.point - digits), '0');
  } else {
    out.append(decimal.digits, 0, static_cast<std::size_t>(decimal.point));
    out.push_back('.');
    out.append(decimal.digits, static_cast<std::size_t>(decimal.point));
  }
}

void append_float_compact(std::string& out, double value) {
  if (append_special(out, value)) return;
  const Decimal decimal = shortest_digits(value);
  const int exponent = decimal.point - 1;
  // strconv's %g takes precision 6 for this decision when it prints the shortest digits.
  if (value == 0 || (exponent >= -4 && exponent < 6)) return append_float(out, value);
  if (decimal.negative) out.push_back('-');
  out.push_back(decimal.digits[0]);
  if (decimal.digits.size() > 1) {
    out.push_back('.');
    out.append(decimal.digits, 1);
  }
  fmt::format_to(std::back_inserter(out), "e{}{:02}", exponent < 0 ? '-' : '+', std::abs(exponent));
}

void append_fixed3(std::string& out, double value) {
  fmt::format_to(std::back_inserter(out), "{:.3f}", value);
}

std::string unquote(std::string_view token) {
  const char quote = token.front();
  const std::string_view inside = token.substr(1, token.size() - 2);
  if (quote == '`') return std::string(inside);
  std::string out;
  out.reserve(inside.size());
  for (std::size_t at = 0; at < inside.size();) {
    if (inside[at] != '\\') {
      out.push_back(inside[at++]);
      continue;
    }
    const char kind = inside[at + 1];
    at += 2;
    constexpr std::string_view kNames = "abfnrtv\\'\"";
    constexpr std::string_view kValues = "\a\b\f\n\r\t\v\\'\"";
    if (const auto named = kNames.find(kind); named != std::string_view::npos) {
      out.push_back(kValues[named]);
      continue;
    }
    const bool octal = kind >= '0' && kind <= '7';
    if (octal) --at;
    const std::size_t length = octal ? 3 : kind == 'x' ? 2 : kind == 'u' ? 4 : 8;
    unsigned value = 0;
    std::from_chars(inside.data() + at, inside.data() + at + length, value, octal ? 8 : 16);
    at += length;
    if (octal || kind == 'x') {
      out.push_back(static_cast<char>(value));
    } else {
      append_rune(out, value);
    }
  }
  return out;
}

bool is_verbatim(std::string_view token) {
  return token.front() == '`' || token.find('\\') == std::string_view::npos;
}

}  // namespace fairway::promql
