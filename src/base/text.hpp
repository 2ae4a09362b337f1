// Text: the small string, number, time and encoding functions that several layers need.
//
// All are pure. Views returned by split() and trim() point into their argument. Parsers return nothing rather
// than guess; callers say in their own words what was expected.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.hpp"

namespace fairway {

// "a,,b" gives three parts; an empty text gives one empty part.
std::vector<std::string_view> split(std::string_view text, char separator);
// Runs of any of the blanks separate; no empty words.
std::vector<std::string_view> split_words(std::string_view text, std::string_view blanks = " \t\r\n");
std::string_view trim(std::string_view text);
std::string join(std::span<const std::string> parts, std::string_view separator);
std::string to_lower(std::string_view text);
bool equals_ignoring_case(std::string_view left, std::string_view right);
std::string replace_all(std::string_view text, std::string_view from, std::string_view to);

// In double quotes, control characters and invalid UTF-8 escaped, long text shortened: fit for a message.
std::string quoted(std::string_view text);
// So that argument-dependent lookup never prefers std::quoted for a std::string.
inline std::string quoted(const std::string& text) {
  return quoted(std::string_view(text));
}
inline std::string quoted(std::string& text) {
  return quoted(std::string_view(text));
}
inline std::string quoted(const char* text) {
  return quoted(std::string_view(text));
}

std::optional<std::uint64_t> parse_unsigned(std::string_view text);
std::optional<std::int64_t> parse_signed(std::string_view text);
std::optional<double> parse_double(std::string_view text);  // also inf and nan, in any case

// Go's notation: 1h30m, 250ms, 1.5s. At least one number with a unit; "0" is allowed.
std::optional<Duration> parse_duration(std::string_view text);
std::string format_duration(Duration duration);
// As kubectl prints ages: 45s, 5m30s, 3h, 2d4h, 400d, 3y20d; "<invalid>" for one that lies in the future.
std::string format_age(Duration age);

// 2024-02-29T12:00:00Z, with a fraction or an offset where given.
std::optional<WallTime> parse_rfc3339(std::string_view text);
std::string format_rfc3339(WallTime time);        // whole seconds, metav1.Time
std::string format_rfc3339_micro(WallTime time);  // six digits, metav1.MicroTime

std::string encode_base64(std::string_view bytes);
std::optional<std::string> decode_base64(std::string_view text);  // padding required; blanks are ignored
std::string encode_hex(std::string_view bytes);
std::string percent_encode(std::string_view text);  // everything but RFC 3986's unreserved
std::optional<std::string> percent_decode(std::string_view text, bool plus_is_space = false);

constexpr bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

bool is_valid_utf8(std::string_view text);
// The bytes of the UTF-8 character that `text`, which is not empty, starts with; 0 when it is malformed.
std::size_t utf8_length(std::string_view text);

// The candidate within a third of the word's length in edits, for "did you mean".
std::optional<std::string> nearest(std::string_view word, std::span<const std::string> candidates);

}  // namespace fairway
