// Go's text conventions, which the official parser's messages and canonical form are made of: quoting, runes,
// shortest floats, number literals, and Prometheus' durations.
//
// People search for these messages and compare these forms, so they are reproduced byte for byte. Pure
// functions.
#pragma once

#include <cstdint>
#include <expected>
#include <string>
#include <string_view>

#include "base/clock.hpp"

namespace fairway::promql {

inline constexpr char32_t kRuneError = 0xFFFD;

struct Rune {
  char32_t value = kRuneError;
  std::uint32_t width = 0;  // 0 at the end of the text, 1 for a malformed byte
};

Rune decode_rune(std::string_view text);
void append_rune(std::string& out, char32_t rune);
// Letters, marks, numbers, punctuation, symbols and the ASCII blank.
bool is_printable(char32_t rune);

void append_quoted(std::string& out, std::string_view text);  // strconv.Quote
std::string go_quoted(std::string_view text);
std::string go_quoted_rune(char32_t rune);   // 'x'
std::string go_unicode_rune(char32_t rune);  // U+0078 'x'
// The first `count` runes.
std::string_view truncate_runes(std::string_view text, std::size_t count);

// Shortest digits that read back the same, never with an exponent; +Inf, -Inf, NaN.
void append_float(std::string& out, double value);
// As %v: with an exponent below 1e-4 and from 1e+06 on.
void append_float_compact(std::string& out, double value);
void append_fixed3(std::string& out, double value);  // %.3f

// A number literal as the language reads it: Go integers of base 0 first (0x1f, 0755, 1_000), then floats.
// The error is strconv's own text.
std::expected<double, std::string> parse_number(std::string_view text);

// 1h30m: units y w d h m s ms, each at most once, from big to small.
std::expected<Duration, std::string> parse_prometheus_duration(std::string_view text);
// As Prometheus prints it: whole milliseconds, years and weeks only when nothing remains.
void append_prometheus_duration(std::string& out, Duration duration);

// What a quoted string token, quotes included, stands for. The lexer has checked its escapes.
std::string unquote(std::string_view token);
// Whether unquote() would return the inside unchanged.
bool is_verbatim(std::string_view token);

}  // namespace fairway::promql
