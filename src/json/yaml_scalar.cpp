#include "json/yaml_scalar.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <fmt/format.h>
#include <optional>

#include "base/text.hpp"

namespace fairway::json {
namespace {

constexpr std::string_view kTagPrefix = "tag:yaml.org,2002:";

template <std::size_t kCount>
bool is_among(std::string_view text, const std::array<std::string_view, kCount>& words) {
  return std::ranges::find(words, text) != words.end();
}

bool is_null(std::string_view text) {
  constexpr std::array<std::string_view, 5> kWords{"", "~", "null", "Null", "NULL"};
  return is_among(text, kWords);
}

std::optional<bool> as_bool(std::string_view text) {
  constexpr std::array<std::string_view, 11> kTrue{"y",    "Y",    "yes", "Yes", "YES", "true",
                                                   "True", "TRUE", "on",  "On",  "ON"};
  constexpr std::array<std::string_view, 11> kFalse{"n",     "N",     "no",  "No",  "NO", "false",
                                                    "False", "FALSE", "off", "Off", "OFF"};
  if (is_among(text, kTrue)) return true;
  if (is_among(text, kFalse)) return false;
  return std::nullopt;
}

bool is_infinite_or_nan(std::string_view text) {
  constexpr std::array<std::string_view, 12> kWords{".nan",  ".NaN",  ".NAN",  ".inf",  ".Inf",  ".INF",
                                                    "+.inf", "+.Inf", "+.INF", "-.inf", "-.Inf", "-.INF"};
  return is_among(text, kWords);
}

// Go's ParseInt and ParseUint with base 0: the prefix chooses the base.
std::optional<Value> as_integer(std::string_view digits) {
  const bool negative = digits.starts_with('-');
  const bool is_signed = negative || digits.starts_with('+');
  if (is_signed) digits.remove_prefix(1);
  int base = 10;
  if (digits.size() > 1 && digits[0] == '0') {
    const char kind = static_cast<char>(digits[1] | 0x20);
    base = kind == 'x' ? 16 : kind == 'b' ? 2 : 8;
    digits.remove_prefix(kind == 'x' || kind == 'b' || kind == 'o' ? 2 : 1);
  }
  std::uint64_t size = 0;
  const char* const begin = digits.data();
  const char* const end = begin + digits.size();
  const auto parsed = std::from_chars(begin, end, size, base);
  if (parsed.ec != std::errc{} || parsed.ptr != end) return std::nullopt;
  constexpr std::uint64_t kHighest = std::uint64_t(1) << 63;
  if (negative) {
    if (size > kHighest) return std::nullopt;
    return Value(static_cast<std::int64_t>(~size + 1));
  }
  if (size < kHighest) return Value(static_cast<std::int64_t>(size));
  if (is_signed) return std::nullopt;
  return Value(size);
}

// ^[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?$
bool has_float_shape(std::string_view text) {
  const auto skip_digits = [&] {
    const std::size_t count = std::min(text.find_first_not_of("0123456789"), text.size());
    text.remove_prefix(count);
    return count;
  };
  const auto skip_any_of = [&](std::string_view characters) {
    const bool found = !text.empty() && characters.find(text.front()) != std::string_view::npos;
    if (found) text.remove_prefix(1);
    return found;
  };
  skip_any_of("+-");
  const std::size_t whole = skip_digits();
  const std::size_t fraction = skip_any_of(".") ? skip_digits() : 0;
  if (whole == 0 && fraction == 0) return false;
  if (!skip_any_of("eE")) return text.empty();
  skip_any_of("+-");
  return skip_digits() > 0 && text.empty();
}

std::optional<Value> as_float(std::string_view text) {
  if (!has_float_shape(text)) return std::nullopt;
  if (text.starts_with('+')) text.remove_prefix(1);
  const auto number = parse_double(text);
  if (!number) return std::nullopt;
  return Value(*number);
}

std::optional<Value> as_number(std::string_view text) {
  if (text.empty()) return std::nullopt;
  if (text.front() == '.') return as_float(text);
  if (!is_digit(text.front()) && text.front() != '+' && text.front() != '-') return std::nullopt;
  const std::string plain = replace_all(text, "_", "");
  if (auto integer = as_integer(plain)) return integer;
  return as_float(plain);
}

// 2024-2-29, and with a time behind `T` or a blank.
bool has_time_shape(std::string_view text) {
  std::size_t at = 0;
  const auto digits = [&](std::size_t least, std::size_t most) {
    std::size_t count = 0;
    while (at < text.size() && count < most && is_digit(text[at])) ++at, ++count;
    return count >= least;
  };
  const auto one_of = [&](std::string_view any) {
    if (at == text.size() || any.find(text[at]) == std::string_view::npos) return false;
    ++at;
    return true;
  };
  if (!(digits(4, 4) && one_of("-") && digits(1, 2) && one_of("-") && digits(1, 2))) return false;
  if (at == text.size()) return true;
  return one_of("Tt ") && digits(1, 2) && one_of(":") && digits(1, 2) && one_of(":") && digits(1, 2);
}

// YAML 1.1 read 1:30 as ninety.
bool is_base_60(std::string_view text) {
  const auto colon = text.find(':');
  return colon != std::string_view::npos && colon > 0 && (is_digit(text[0]) || colon > 1) &&
         text.find_first_not_of("0123456789:._+-") == std::string_view::npos;
}

std::unexpected<Error> mismatch(const YamlScalar& scalar, std::string_view expected) {
  return fail(ErrorCode::Invalid,
              fmt::format("expected {} because of its tag, found {}", expected, quoted(scalar.text)));
}

Result<Value> resolve_untagged(std::string_view text, bool numbers_as_text) {
  if (is_null(text)) return Value(nullptr);
  if (const auto boolean = as_bool(text)) return Value(*boolean);
  if (numbers_as_text) return Value(text);
  if (is_infinite_or_nan(text)) {
    return fail(ErrorCode::Invalid, fmt::format("expected a number that JSON has, found {}: quote it if it "
                                                "is meant as text",
                                                quoted(text)));
  }
  if (auto number = as_number(text)) return *std::move(number);
  return Value(text);
}

Result<Value> resolve_tagged(const YamlScalar& scalar, std::string_view kind) {
  if (kind == "null" && is_null(scalar.text)) return Value(nullptr);
  if (kind == "null") return mismatch(scalar, "null");
  if (kind == "bool") {
    if (const auto boolean = as_bool(scalar.text)) return Value(*boolean);
    return mismatch(scalar, "a boolean");
  }
  if (kind == "int" || kind == "float") {
    auto number = as_number(scalar.text);
    if (number && (kind == "float" || !number->is_double())) return *std::move(number);
    return mismatch(scalar, kind == "int" ? "an integer" : "a number");
  }
  if (kind == "binary") {
    const auto bytes = decode_base64(scalar.text);
    if (bytes && is_valid_utf8(*bytes)) return Value(*bytes);
    return mismatch(scalar, "base64 of UTF-8 text");
  }
  return Value(scalar.text);
}

}  // namespace

Result<Value> resolve_scalar(const YamlScalar& scalar, bool numbers_as_text) {
  if (scalar.tag.starts_with(kTagPrefix)) return resolve_tagged(scalar, scalar.tag.substr(kTagPrefix.size()));
  if (!scalar.tag.empty() || !scalar.is_plain) return Value(scalar.text);
  return resolve_untagged(scalar.text, numbers_as_text);
}

Result<std::string> resolve_key(const YamlScalar& scalar, bool numbers_as_text) {
  FAIRWAY_TRY(const Value value, resolve_scalar(scalar, numbers_as_text));
  if (value.is_string()) return std::string(view(value.get_string()));
  if (value.is_null()) {
    return fail(ErrorCode::Invalid, "expected a key, found null: quote it if it is meant as text");
  }
  if (value.is_double()) {
    // Go prints keys in single precision.
    std::array<char, 32> buffer;
    const auto written =
        std::to_chars(buffer.data(), buffer.data() + buffer.size(), static_cast<float>(value.get_double()));
    return std::string(buffer.data(), written.ptr);
  }
  return serialize(value);
}

bool is_plain_text(std::string_view text) {
  if (is_null(text) || as_bool(text) || is_infinite_or_nan(text) || text == "<<") return false;
  return !as_number(text) && !has_time_shape(text) && !is_base_60(text);
}

}  // namespace fairway::json
