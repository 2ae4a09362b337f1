// Escapes and character classes of regular expressions, as Go's regexp/syntax accepts them.
#include <algorithm>
#include <array>
#include <map>
#include <mutex>
#include <re2/re2.h>

#include "promql/go_text.hpp"
#include "promql/regex_syntax.hpp"

namespace fairway::promql {
namespace {

constexpr std::uint64_t kUnicodeClassSize = 300;  // instructions of a typical table

bool is_letter_or_digit(char c) {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

bool is_octal(char c) {
  return c >= '0' && c <= '7';
}

int hexadecimal(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

constexpr std::array<std::string_view, 14> kPosixClasses = {"alnum", "alpha", "ascii", "blank", "cntrl",
                                                            "digit", "graph", "lower", "print", "punct",
                                                            "space", "upper", "word",  "xdigit"};

}  // namespace

// Which tables exist depends on the version of Unicode; RE2's are close to Go's, and asking it keeps the
// engine and the judge of one mind. The answers are few and kept.
bool RegexSyntax::known_unicode_class(std::string_view name) {
  static std::mutex mutex;
  static std::map<std::string, bool, std::less<>> known;
  if (name.empty() || name.size() > 64) return false;
  for (const char c : name) {
    if (!is_letter_or_digit(c) && c != '_') return false;
  }
  const std::lock_guard lock(mutex);
  if (const auto found = known.find(name); found != known.end()) return found->second;
  RE2::Options options;
  options.set_log_errors(false);
  const bool exists = RE2("\\p{" + std::string(name) + "}", options).ok();
  if (known.size() < 4096) known.emplace(name, exists);
  return exists;
}

bool RegexSyntax::escape() {
  const std::string_view from = rest();
  if (from.size() < 2) return fail("trailing backslash at end of expression", "");
  switch (from[1]) {
    case 'A':
    case 'B':
    case 'z':
      at_ += 2;
      add({});
      return true;
    case 'b':
      at_ += 2;
      add({.empty = false});  // needs a word on one side
      return true;
    case 'C':
      return fail("invalid escape sequence", from.substr(0, 2));
    case 'Q':
      return quoted_literal();
    case 'd':
    case 'D':
    case 's':
    case 'S':
    case 'w':
    case 'W':
      at_ += 2;
      add({.empty = false});
      return true;
    default:
      break;
  }
  bool is_class = false;
  if (!unicode_class(from, is_class)) return false;
  if (is_class) {
    add({.empty = false, .size = kUnicodeClassSize});
    return true;
  }
  if (!literal_escape(from)) return false;
  add({.empty = false}, true);
  return true;
}

bool RegexSyntax::quoted_literal() {
  at_ += 2;
  while (!at_end()) {
    if (rest().starts_with("\\E")) {
      at_ += 2;
      return true;
    }
    if (!literal()) return false;
  }
  return true;
}

// \pN, \p{Greek}, \P{^Greek}.
bool RegexSyntax::unicode_class(std::string_view from, bool& is_class) {
  if (from.size() < 2 || (from[1] != 'p' && from[1] != 'P')) return true;
  std::string_view name;
  std::size_t length = 0;
  if (from.size() == 2) return fail("invalid character class range", from);
  if (from[2] == '{') {
    const std::size_t end = from.find('}');
    if (end == std::string_view::npos) {
      return fail("invalid character class range", from);
    }
    name = from.substr(3, end - 3);
    length = end + 1;
  } else {
    const Rune rune = decode_rune(from.substr(2));
    if (rune.value == kRuneError && rune.width == 1) return fail("invalid UTF-8", from.substr(2));
    name = from.substr(2, rune.width);
    length = 2 + rune.width;
  }
  if (name.starts_with('^')) name.remove_prefix(1);
  if (!known_unicode_class(name)) return fail("invalid character class range", from.substr(0, length));
  at_ += length;
  is_class = true;
  return true;
}

// An escape that stands for one character.
bool RegexSyntax::literal_escape(std::string_view from) {
  if (from.size() < 2) return fail("trailing backslash at end of expression", "");
  const Rune rune = decode_rune(from.substr(1));
  if (rune.value == kRuneError && rune.width == 1) return fail("invalid UTF-8", from.substr(1));
  const char c = rune.width == 1 ? from[1] : '\0';
  const auto invalid = [&] { return fail("invalid escape sequence", from.substr(0, 1 + rune.width)); };
  if (rune.width != 1) return invalid();
  if (c >= '1' && c <= '7') {
    // A single digit would be a reference to a group.
    if (from.size() < 3 || !is_octal(from[2])) return invalid();
  }
  if (is_octal(c)) {
    std::size_t length = 2;
    while (length < 4 && length < from.size() && is_octal(from[length])) ++length;
    at_ += length;
    return true;
  }
  if (c == 'x') return hexadecimal_escape(from);
  if (std::string_view("afnrtv").find(c) != std::string_view::npos || !is_letter_or_digit(c)) {
    at_ += 2;
    return true;
  }
  return invalid();
}

bool RegexSyntax::hexadecimal_escape(std::string_view from) {
  std::size_t at = 2;
  const auto invalid = [&] {
    return fail("invalid escape sequence", from.substr(0, std::min(at, from.size())));
  };
  if (at >= from.size()) return invalid();
  if (from[at] != '{') {
    for (int i = 0; i < 2; ++i, ++at) {
      if (at >= from.size() || hexadecimal(from[at]) < 0) {
        at = std::min(at + 1, from.size());
        return invalid();
      }
    }
    at_ += at;
    return true;
  }
  ++at;
  std::uint32_t value = 0;
  int digits = 0;
  for (;; ++digits) {
    if (at >= from.size()) return invalid();
    const char c = from[at++];
    if (c == '}') break;
    if (hexadecimal(c) < 0) return invalid();
    value = value * 16 + static_cast<std::uint32_t>(hexadecimal(c));
    if (value > 0x10FFFF) return invalid();
  }
  if (digits == 0) return invalid();
  at_ += at;
  return true;
}

bool RegexSyntax::character_class() {
  const std::string_view whole = rest();
  ++at_;
  if (rest().starts_with('^')) ++at_;
  bool first = true;
  std::uint64_t size = 1;
  while (at_end() || !rest().starts_with(']') || first) {
    if (at_end()) return fail("missing closing ]", whole);
    const std::size_t before = at_;
    if (!class_item(first)) return false;
    if (pattern_.substr(before, 2) == "\\p" || pattern_.substr(before, 2) == "\\P") size += kUnicodeClassSize;
  }
  ++at_;
  add({.empty = false, .size = size});
  return true;
}

bool RegexSyntax::class_item(bool& first) {
  first = false;
  bool is_class = false;
  if (!posix_class(is_class)) return false;
  if (is_class) return true;
  const std::string_view from = rest();
  if (!unicode_class(from, is_class)) return false;
  if (is_class) return true;
  if (from.size() >= 2 && from[0] == '\\' &&
      std::string_view("dDsSwW").find(from[1]) != std::string_view::npos) {
    at_ += 2;
    return true;
  }
  // One character, or a range of them.
  char32_t low = 0;
  if (!class_character(low, from)) return false;
  if (rest().size() < 2 || rest()[0] != '-' || rest()[1] == ']') return true;
  ++at_;
  char32_t high = 0;
  if (!class_character(high, from)) return false;
  if (high < low) return fail("invalid character class range", from.substr(0, from.size() - rest().size()));
  return true;
}

bool RegexSyntax::class_character(char32_t& rune, std::string_view whole) {
  if (at_end()) return fail("missing closing ]", whole);
  const std::string_view from = rest();
  if (from[0] == '\\') {
    if (!literal_escape(from)) return false;
    // Its value, for the order of a range.
    const std::string_view spelled = from.substr(1, from.size() - rest().size() - 1);
    if (spelled[0] == 'x') {
      rune = 0;
      for (const char c : spelled.substr(1)) {
        if (hexadecimal(c) >= 0) rune = rune * 16 + static_cast<char32_t>(hexadecimal(c));
      }
    } else if (is_octal(spelled[0])) {
      rune = 0;
      for (const char c : spelled) rune = rune * 8 + static_cast<char32_t>(c - '0');
    } else {
      constexpr std::string_view kNames = "afnrtv";
      constexpr std::string_view kValues = "\a\f\n\r\t\v";
      const auto named = kNames.find(spelled[0]);
      rune = static_cast<unsigned char>(named == std::string_view::npos ? spelled[0] : kValues[named]);
    }
    return true;
  }
  const Rune next = decode_rune(from);
  if (next.value == kRuneError && next.width == 1) return fail("invalid UTF-8", from);
  rune = next.value;
  at_ += next.width;
  return true;
}

// [:alpha:] within a class. Without its end it is ordinary text.
bool RegexSyntax::posix_class(bool& is_class) {
  if (!rest().starts_with("[:")) return true;
  const std::size_t end = rest().find(":]", 2);
  if (end == std::string_view::npos) return true;
  std::string_view name = rest().substr(2, end - 2);
  if (name.starts_with('^')) name.remove_prefix(1);
  if (std::ranges::find(kPosixClasses, name) == kPosixClasses.end()) {
    return fail("invalid character class range", rest().substr(0, end + 2));
  }
  at_ += end + 2;
  is_class = true;
  return true;
}

}  // namespace fairway::promql
