// The lexer's strings, numbers and durations.
#include "promql/lexer.hpp"

namespace fairway::promql {

namespace {

bool is_word_byte(char c) {
  return c == '_' || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

constexpr std::string_view kDecimal = "0123456789";
constexpr std::string_view kHexadecimal = "0123456789abcdefABCDEF";
int digit_value(char32_t c) {
  if (c >= '0' && c <= '9') return static_cast<int>(c - '0');
  if (c >= 'a' && c <= 'f') return static_cast<int>(c - 'a' + 10);
  if (c >= 'A' && c <= 'F') return static_cast<int>(c - 'A' + 10);
  return 16;
}

}  // namespace

bool Lexer::scan_string(char quote) {
  for (;;) {
    const char32_t rune = next_rune();
    if (rune == static_cast<char32_t>(quote)) return emit(TokenType::String);
    if (rune == '\\') {
      if (!scan_escape(static_cast<char32_t>(quote))) return true;
    } else if (rune == kRuneError) {
      return fail("invalid UTF-8 rune");
    } else if (rune == kEndOfText || rune == '\n') {
      return fail("unterminated quoted string");
    }
  }
}

bool Lexer::scan_raw_string() {
  for (;;) {
    const char32_t rune = next_rune();
    if (rune == '`') return emit(TokenType::String);
    if (rune == kRuneError) return fail("invalid UTF-8 rune");
    if (rune == kEndOfText) return fail("unterminated raw string");
  }
}

// False after a failure, which is then the token.
bool Lexer::scan_escape(char32_t quote) {
  char32_t rune = next_rune();
  if (rune == quote || (rune < 0x80 && std::string_view("abfnrtv\\").find(static_cast<char>(rune)) !=
                                           std::string_view::npos)) {
    return true;
  }
  int length = 3;
  int base = 8;
  char32_t most = 255;
  if (rune == 'x' || rune == 'u' || rune == 'U') {
    length = rune == 'x' ? 2 : rune == 'u' ? 4 : 8;
    base = 16;
    if (rune != 'x') most = 0x10FFFF;
    rune = next_rune();
  } else if (rune == kEndOfText) {
    return !fail("escape sequence not terminated");
  } else if (rune < '0' || rune > '7') {
    return !fail("unknown escape sequence " + go_unicode_rune(rune));
  }
  char32_t value = 0;
  for (;;) {
    if (rune == kEndOfText) return !fail("escape sequence not terminated");
    const int digit = digit_value(rune);
    if (digit >= base) return !fail("illegal character " + go_unicode_rune(rune) + " in escape sequence");
    value = value * static_cast<char32_t>(base) + static_cast<char32_t>(digit);
    if (--length == 0) break;
    rune = next_rune();
  }
  if (value > most || (value >= 0xD800 && value < 0xE000)) {
    return !fail("escape sequence is an invalid Unicode code point");
  }
  return true;
}

bool Lexer::scan_number_or_duration() {
  if (scan_number()) return emit(TokenType::Number);
  if (scan_rest_of_duration()) return emit(TokenType::Duration);
  return fail("bad number or duration syntax: " + go_quoted(text_.substr(start_, at_ - start_)));
}

// What follows the first number of a duration. Wrong units are found when the duration is read.
bool Lexer::scan_rest_of_duration() {
  if (!accept("smhdwy")) return false;
  accept("s");
  while (accept(kDecimal)) {
    while (accept(kDecimal)) {
    }
    if (!accept("smhdw")) return false;
    accept("s");
  }
  if (at_ >= text_.size() || !is_word_byte(text_[at_])) return true;
  ++at_;  // the official message quotes one character more
  return false;
}

// Not necessarily a valid number: the parser finds that out.
bool Lexer::scan_number() {
  const std::uint32_t begin = at_;
  std::string_view digits = kDecimal;
  if (accept("0") && accept("xX")) {
    accept("_");
    digits = kHexadecimal;
  }
  accept(".");
  accept(digits);
  bool had_dot = false;
  bool had_exponent = false;
  bool valid = true;
  while (scan_number_part(digits, had_dot, had_exponent, valid)) {
  }
  if (!valid || at_ == begin) return false;
  return at_ >= text_.size() || !is_word_byte(text_[at_]);
}

// One dot, exponent, underscore or run of digits; false at the end of the number or when it is not valid.
bool Lexer::scan_number_part(std::string_view digits, bool& had_dot, bool& had_exponent, bool& valid) {
  const auto refuse = [&] {
    valid = false;
    return false;
  };
  const bool at_end_after = at_ + 1 >= text_.size();
  if (accept(".")) {
    if (had_dot || accept("_.") || digits.size() > kDecimal.size()) return refuse();
    had_dot = true;
    return true;
  }
  if (accept("eE")) {
    if (had_exponent) return refuse();
    had_exponent = true;
    accept("+-");
    if (accept("._eE") || at_ >= text_.size()) return refuse();
    return true;
  }
  if (accept("_")) return accept("._eE") || at_end_after ? refuse() : true;
  if (!sees(digits)) return false;
  while (accept(digits)) {
  }
  return true;
}

}  // namespace fairway::promql
