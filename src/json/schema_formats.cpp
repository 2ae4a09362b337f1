#include "json/schema_formats.hpp"

#include <algorithm>
#include <arpa/inet.h>
#include <array>
#include <re2/re2.h>
#include <string>

#include "base/text.hpp"
#include "json/schema_uri.hpp"

namespace fairway::json {
namespace {

bool matches(std::string_view text, const re2::RE2& regex) {
  return re2::RE2::PartialMatch(re2::StringPiece(text.data(), text.size()), regex);
}

bool is_hex(char c) {
  return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

bool is_address(int family, const std::string& text) {
  std::array<unsigned char, 16> bytes{};
  return inet_pton(family, text.c_str(), bytes.data()) == 1;
}

bool is_ipv4(std::string_view text) {
  const std::string whole(text);
  return text.contains('.') && (is_address(AF_INET, whole) || is_address(AF_INET6, whole));
}

bool is_ipv6(std::string_view text) {
  return text.contains(':') && is_address(AF_INET6, std::string(text));
}

bool is_cidr(std::string_view text) {
  const auto slash = text.find('/');
  if (slash == std::string_view::npos) return false;
  const std::string address(text.substr(0, slash));
  const std::string_view bits = text.substr(slash + 1);
  if (bits.empty() || bits.size() > 8 || !std::ranges::all_of(bits, is_digit)) return false;
  const auto length = parse_unsigned(bits);
  if (is_address(AF_INET, address)) return length && *length <= 32;
  return is_address(AF_INET6, address) && length && *length <= 128;
}

// Groups of `width` hexadecimal digits with one separator between them, 6, 8 or 20 bytes in all.
bool is_mac_of(std::string_view text, std::size_t width, char separator) {
  if ((text.size() + 1) % (width + 1) != 0) return false;
  const std::size_t bytes = (text.size() + 1) / (width + 1) * (width / 2);
  if (bytes != 6 && bytes != 8 && bytes != 20) return false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool boundary = i % (width + 1) == width;
    if (boundary ? text[i] != separator : !is_hex(text[i])) return false;
  }
  return true;
}

bool is_mac(std::string_view text) {
  return is_mac_of(text, 2, ':') || is_mac_of(text, 2, '-') || is_mac_of(text, 4, '.');
}

std::size_t code_points(std::string_view text) {
  return static_cast<std::size_t>(
      std::ranges::count_if(text, [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }));
}

// Letters, digits and symbols of any script.
bool is_name(std::string_view text) {
  static const re2::RE2 kName(R"(^[0-9\p{S}\p{L}]+$)", re2::RE2::Quiet);
  return matches(text, kName);
}

// Up to 63 of those, with dashes inside.
bool is_host_label(std::string_view label) {
  if (label.empty() || label.front() == '-' || label.back() == '-' || code_points(label) > 63) return false;
  const auto words = split(label, '-');
  return std::ranges::all_of(words, [](std::string_view word) { return word.empty() || is_name(word); });
}

// A name alone may have one dash, behind its first character; with dots, each part is a label and the last
// one consists of letters.
bool is_hostname(std::string_view text) {
  static const re2::RE2 kTop(R"(^\p{L}+$)", re2::RE2::Quiet);
  if (text.empty() || text.size() > 255) return false;
  auto labels = split(text, '.');
  if (!std::ranges::all_of(labels, [](std::string_view label) { return label.size() <= 63; })) return false;
  if (labels.size() == 1) {
    const auto dash = text.find('-');
    if (dash == std::string_view::npos) return is_name(text);
    const std::string_view rest = text.substr(dash + 1);
    return is_name(text.substr(0, dash)) && code_points(text.substr(0, dash)) == 1 &&
           (rest.empty() || is_name(rest));
  }
  const std::string_view top = labels.back();
  labels.pop_back();
  return std::ranges::all_of(labels, is_host_label) && matches(top, kTop) && code_points(top) >= 2;
}

template <int kVersion>
bool is_uuid(std::string_view text) {
  static const re2::RE2 kUuid(
      kVersion == 3   ? "(?i)^[0-9a-f]{8}-?[0-9a-f]{4}-?3[0-9a-f]{3}-?[0-9a-f]{4}-?[0-9a-f]{12}$"
      : kVersion == 4 ? "(?i)^[0-9a-f]{8}-?[0-9a-f]{4}-?4[0-9a-f]{3}-?[89ab][0-9a-f]{3}-?[0-9a-f]{12}$"
      : kVersion == 5 ? "(?i)^[0-9a-f]{8}-?[0-9a-f]{4}-?5[0-9a-f]{3}-?[89ab][0-9a-f]{3}-?[0-9a-f]{12}$"
                      : "(?i)^[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}$");
  return matches(text, kUuid);
}

bool is_base64(std::string_view text) {
  static const re2::RE2 kBase64(
      "^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=|[A-Za-z0-9+/]{4})$");
  return matches(text, kBase64);
}

bool is_date(std::string_view text) {
  static const re2::RE2 kDate(R"(^\d{4}-\d{2}-\d{2}$)", re2::RE2::Quiet);
  return matches(text, kDate) && parse_rfc3339(std::string(text) + "T00:00:00Z").has_value();
}

bool is_date_time(std::string_view text) {
  // As the API itself writes times.
  if (text.size() == 20 && text[10] == 'T' && text.ends_with('Z') && text.substr(17, 2) <= "59" &&
      parse_rfc3339(text))
    return true;
  static const re2::RE2 kTime(R"(^([0-9]{2}):([0-9]{2}):([0-9]{2})(.[0-9]+)?(z|([+-][0-9]{2}:[0-9]{2}))$)");
  const std::string lower = to_lower(text);
  const auto parts = split(lower, 't');
  if (parts.size() < 2 || !is_date(parts[0])) return false;
  const std::string_view time = parts[1];
  return matches(time, kTime) && time.substr(0, 2) <= "23" && time.substr(3, 2) <= "59" &&
         time.substr(6, 2) <= "59";
}

bool is_unit(std::string_view word) {
  constexpr std::array<std::string_view, 11> kShort{"ns", "us", "µs", "ms", "s", "m",
                                                    "h",  "hr", "d",  "w",  "wk"};
  constexpr std::array<std::string_view, 8> kLong{"nano", "micro", "milli", "sec",
                                                  "min",  "hour",  "day",   "week"};
  const std::string lower = to_lower(word);
  return std::ranges::find(kShort, lower) != kShort.end() ||
         std::ranges::any_of(kLong, [&](std::string_view unit) { return lower.starts_with(unit); });
}

// Go's notation, or numbers with units in words anywhere in the text: "3 days", "22 ns".
bool is_duration(std::string_view text) {
  if (parse_duration(text)) return true;
  static const re2::RE2 kPart(R"((\d+)\s*([A-Za-zµ]+))");
  re2::StringPiece rest(text.data(), text.size());
  re2::StringPiece number, unit;
  bool found = false;
  while (re2::RE2::FindAndConsume(&rest, kPart, &number, &unit)) {
    if (!parse_signed({number.data(), number.size()})) return false;
    found = found || is_unit({unit.data(), unit.size()});
  }
  return found;
}

std::string without(std::string_view text, auto&& dropped) {
  std::string kept;
  std::ranges::remove_copy_if(text, std::back_inserter(kept), dropped);
  return kept;
}

bool is_blank_or_dash(char c) {
  return c == '-' || c == ' ' || (c >= '\t' && c <= '\r');
}

bool is_isbn10(std::string_view text) {
  static const re2::RE2 kShape("^(?:[0-9]{9}X|[0-9]{10})$");
  const std::string digits = without(text, is_blank_or_dash);
  if (!matches(digits, kShape)) return false;
  int sum = 0;
  for (int i = 0; i < 10; ++i) {
    const char c = digits[static_cast<std::size_t>(i)];
    sum += (i + 1) * (c == 'X' ? 10 : c - '0');
  }
  return sum % 11 == 0;
}

bool is_isbn13(std::string_view text) {
  static const re2::RE2 kShape("^[0-9]{13}$");
  const std::string digits = without(text, is_blank_or_dash);
  if (!matches(digits, kShape)) return false;
  int sum = 0;
  for (std::size_t i = 0; i < 13; ++i) sum += (digits[i] - '0') * (i % 2 == 0 ? 1 : 3);
  return sum % 10 == 0;
}

bool is_isbn(std::string_view text) {
  return is_isbn10(text) || is_isbn13(text);
}

bool is_credit_card(std::string_view text) {
  static const re2::RE2 kShape(
      R"(^(?:4[0-9]{12}(?:[0-9]{3})?|5[1-5][0-9]{14}|6(?:011|5[0-9][0-9])[0-9]{12}|3[47][0-9]{13}|)"
      R"(3(?:0[0-5]|[68][0-9])[0-9]{11}|(?:2131|1800|35\d{3})\d{11})$)");
  const std::string digits = without(text, [](char c) { return !is_digit(c); });
  if (!matches(digits, kShape)) return false;
  int sum = 0;
  bool doubled = false;
  for (auto digit = digits.rbegin(); digit != digits.rend(); ++digit, doubled = !doubled) {
    const int value = (*digit - '0') * (doubled ? 2 : 1);
    sum += value >= 10 ? value % 10 + 1 : value;
  }
  return sum % 10 == 0;
}

bool is_ssn(std::string_view text) {
  static const re2::RE2 kShape(R"(^\d{3}[- ]?\d{2}[- ]?\d{4}$)");
  return text.size() == 11 && matches(text, kShape);
}

bool is_hex_color(std::string_view text) {
  static const re2::RE2 kShape("^#?([0-9a-fA-F]{3}|[0-9a-fA-F]{6})$");
  return matches(text, kShape);
}

bool is_rgb_color(std::string_view text) {
  static const re2::RE2 kShape(
      R"(^rgb\(\s*(0|[1-9]\d?|1\d\d?|2[0-4]\d|25[0-5])\s*,\s*(0|[1-9]\d?|1\d\d?|2[0-4]\d|25[0-5])\s*,)"
      R"(\s*(0|[1-9]\d?|1\d\d?|2[0-4]\d|25[0-5])\s*\)$)");
  return matches(text, kShape);
}

bool is_object_id(std::string_view text) {
  return text.size() == 24 && std::ranges::all_of(text, is_hex);
}

bool is_anything(std::string_view) {
  return true;
}

struct Format {
  std::string_view name;
  FormatCheck check;
};

constexpr std::array<Format, 24> kFormats{{
    {"bsonobjectid", is_object_id},
    {"uri", is_request_uri},
    {"email", is_email},
    {"hostname", is_hostname},
    {"ipv4", is_ipv4},
    {"ipv6", is_ipv6},
    {"cidr", is_cidr},
    {"mac", is_mac},
    {"uuid", is_uuid<0>},
    {"uuid3", is_uuid<3>},
    {"uuid4", is_uuid<4>},
    {"uuid5", is_uuid<5>},
    {"isbn", is_isbn},
    {"isbn10", is_isbn10},
    {"isbn13", is_isbn13},
    {"creditcard", is_credit_card},
    {"ssn", is_ssn},
    {"hexcolor", is_hex_color},
    {"rgbcolor", is_rgb_color},
    {"byte", is_base64},
    {"password", is_anything},
    {"date", is_date},
    {"duration", is_duration},
    {"datetime", is_date_time},
}};

}  // namespace

FormatCheck format_check(std::string_view name) {
  const std::string plain = without(name, [](char c) { return c == '-'; });
  const auto found = std::ranges::find(kFormats, plain, &Format::name);
  return found == kFormats.end() ? nullptr : found->check;
}

bool is_base64_or_empty(std::string_view text) {
  return text.empty() || is_base64(text);
}

}  // namespace fairway::json
