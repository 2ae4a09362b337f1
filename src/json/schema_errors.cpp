#include "json/schema_errors.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <fmt/format.h>
#include <set>

#include "json/write.hpp"

namespace fairway::json {
namespace {

struct TypeText {
  std::string_view reason;
  std::string_view words;
};

TypeText text_of(FieldError::Type type) {
  using enum FieldError::Type;
  switch (type) {
    case NotFound:
      return {"FieldValueNotFound", "Not found"};
    case Required:
      return {"FieldValueRequired", "Required value"};
    case Duplicate:
      return {"FieldValueDuplicate", "Duplicate value"};
    case Invalid:
      return {"FieldValueInvalid", "Invalid value"};
    case NotSupported:
      return {"FieldValueNotSupported", "Unsupported value"};
    case Forbidden:
      return {"FieldValueForbidden", "Forbidden"};
    case TooLong:
      return {"FieldValueTooLong", "Too long"};
    case TooMany:
      return {"FieldValueTooMany", "Too many"};
    case Internal:
      return {"InternalError", "Internal error"};
    case TypeInvalid:
      return {"FieldValueTypeInvalid", "Invalid value"};
  }
  return {"InternalError", "Internal error"};
}

bool shows_value(FieldError::Type type) {
  using enum FieldError::Type;
  return type != Required && type != Forbidden && type != TooLong && type != Internal;
}

struct Decoded {
  char32_t point = 0;
  std::size_t length = 0;  // 0: the bytes are not UTF-8
};

Decoded decode(std::string_view text) {
  const auto byte = [&](std::size_t at) { return static_cast<unsigned char>(text[at]); };
  const unsigned char first = byte(0);
  const std::size_t length = first < 0x80 ? 1 : first < 0xC2 ? 0 : first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4;
  if (length == 0 || first > 0xF4 || length > text.size()) return {};
  if (length == 1) return {first, 1};
  char32_t point = first & (0x7Fu >> length);
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xC0) != 0x80) return {};
    point = (point << 6) | (byte(i) & 0x3Fu);
  }
  constexpr std::array<char32_t, 5> kLowest{0, 0, 0x80, 0x800, 0x10000};
  if (point < kLowest[length] || point > 0x10FFFF || (point >= 0xD800 && point <= 0xDFFF)) return {};
  return {point, length};
}

// Go escapes what unicode.IsPrint refuses: controls, all spaces but the ASCII one, format characters,
// private use. The ranges below are those classes without the unassigned code points.
bool is_printable(char32_t point) {
  struct Range {
    char32_t first, last;
  };
  constexpr std::array<Range, 16> kHidden{{{0x00, 0x1F},
                                           {0x7F, 0xA0},
                                           {0xAD, 0xAD},
                                           {0x0600, 0x0605},
                                           {0x061C, 0x061C},
                                           {0x1680, 0x1680},
                                           {0x180E, 0x180E},
                                           {0x2000, 0x200F},
                                           {0x2028, 0x202F},
                                           {0x205F, 0x206F},
                                           {0x3000, 0x3000},
                                           {0xE000, 0xF8FF},
                                           {0xFEFF, 0xFEFF},
                                           {0xFFF0, 0xFFFB},
                                           {0xFFFE, 0xFFFF},
                                           {0xE0000, 0x10FFFF}}};
  return std::ranges::none_of(kHidden, [&](Range r) { return r.first <= point && point <= r.last; });
}

std::string_view short_escape(char32_t point) {
  switch (point) {
    case '\a':
      return "\\a";
    case '\b':
      return "\\b";
    case '\f':
      return "\\f";
    case '\n':
      return "\\n";
    case '\r':
      return "\\r";
    case '\t':
      return "\\t";
    case '\v':
      return "\\v";
    case '\\':
      return "\\\\";
    case '"':
      return "\\\"";
    default:
      return {};
  }
}

void append_go_point(const Decoded& decoded, std::string_view bytes, std::string& out) {
  if (const auto escape = short_escape(decoded.point); !escape.empty()) {
    out += escape;
  } else if (is_printable(decoded.point)) {
    out += bytes;
  } else if (decoded.point < 0x80) {
    fmt::format_to(std::back_inserter(out), "\\x{:02x}", static_cast<unsigned>(decoded.point));
  } else if (decoded.point < 0x10000) {
    fmt::format_to(std::back_inserter(out), "\\u{:04x}", static_cast<unsigned>(decoded.point));
  } else {
    fmt::format_to(std::back_inserter(out), "\\U{:08x}", static_cast<unsigned>(decoded.point));
  }
}

std::vector<std::string_view> sorted_keys(const Object& object) {
  std::vector<std::string_view> keys;
  keys.reserve(object.size());
  for (const auto& member : object) keys.push_back(member.key());
  std::ranges::sort(keys);
  return keys;
}

std::string scalar_text(const Value& value) {
  if (value.is_bool()) return value.get_bool() ? "true" : "false";
  if (value.is_double()) return go_number(value.get_double());
  std::string out;
  append(value, out);
  return out;
}

}  // namespace

FieldError FieldError::required(std::string field, std::string detail) {
  return {Type::Required, std::move(field), Value(""), std::move(detail)};
}

FieldError FieldError::duplicate(std::string field, Value value) {
  return {Type::Duplicate, std::move(field), std::move(value), {}};
}

FieldError FieldError::invalid(std::string field, Value value, std::string detail) {
  return {Type::Invalid, std::move(field), std::move(value), std::move(detail)};
}

FieldError FieldError::type_invalid(std::string field, Value value, std::string detail) {
  return {Type::TypeInvalid, std::move(field), std::move(value), std::move(detail)};
}

FieldError FieldError::not_supported(std::string field, Value value, std::span<const std::string> supported) {
  std::string detail;
  for (const std::string& each : supported) {
    detail += detail.empty() ? "supported values: " : ", ";
    detail += go_quoted(each);
  }
  return {Type::NotSupported, std::move(field), std::move(value), std::move(detail)};
}

FieldError FieldError::forbidden(std::string field, std::string detail) {
  return {Type::Forbidden, std::move(field), Value(""), std::move(detail)};
}

FieldError FieldError::too_long(std::string field, std::int64_t limit) {
  return {Type::TooLong, std::move(field), Value("<value omitted>"),
          fmt::format("may not be more than {} {}", limit, limit == 1 ? "byte" : "bytes")};
}

FieldError FieldError::too_many(std::string field, std::int64_t actual, std::int64_t limit) {
  return {Type::TooMany, std::move(field), Value(actual),
          fmt::format("must have at most {} {}", limit, limit == 1 ? "item" : "items")};
}

std::string_view FieldError::reason() const {
  return text_of(type).reason;
}

std::string FieldError::body() const {
  std::string out(text_of(type).words);
  if (shows_value(type)) {
    out += ": ";
    out += bad_value.is_null() ? "\"null\"" : go_syntax(bad_value);
  }
  if (!detail.empty()) out += ": " + detail;
  return out;
}

std::string FieldError::text() const {
  return field + ": " + body();
}

std::string describe(const FieldErrors& errors) {
  std::set<std::string> seen;
  std::vector<std::string> texts;
  for (const FieldError& error : errors) {
    if (std::string text = error.text(); seen.insert(text).second) texts.push_back(std::move(text));
  }
  if (texts.size() == 1) return texts.front();
  return fmt::format("[{}]", fmt::join(texts, ", "));
}

std::string child_path(std::string_view path, std::string_view name) {
  return path.empty() ? std::string(name) : fmt::format("{}.{}", path, name);
}

std::string index_path(std::string_view path, std::size_t index) {
  return fmt::format("{}[{}]", path, index);
}

std::string key_path(std::string_view path, std::string_view key) {
  return fmt::format("{}[{}]", path, key);
}

std::string go_quoted(std::string_view text) {
  std::string out = "\"";
  while (!text.empty()) {
    const Decoded decoded = decode(text);
    const std::size_t taken = std::max<std::size_t>(decoded.length, 1);
    if (decoded.length == 0) {
      fmt::format_to(std::back_inserter(out), "\\x{:02x}", static_cast<unsigned char>(text[0]));
    } else {
      append_go_point(decoded, text.substr(0, taken), out);
    }
    text.remove_prefix(taken);
  }
  return out + '"';
}

std::string go_plain(const Value& value) {
  if (value.is_null()) return "<nil>";
  if (value.is_string()) return std::string(view(value.get_string()));
  if (value.is_array()) {
    std::vector<std::string> items;
    for (const Value& item : value.get_array()) items.push_back(go_plain(item));
    return fmt::format("[{}]", fmt::join(items, " "));
  }
  if (value.is_object()) {
    std::vector<std::string> members;
    for (const auto key : sorted_keys(value.get_object())) {
      members.push_back(fmt::format("{}:{}", key, go_plain(value.get_object().at(key))));
    }
    return fmt::format("map[{}]", fmt::join(members, " "));
  }
  return scalar_text(value);
}

std::string go_syntax(const Value& value) {
  if (value.is_null()) return "interface {}(nil)";
  if (value.is_string()) return go_quoted(view(value.get_string()));
  if (value.is_array()) {
    std::vector<std::string> items;
    for (const Value& item : value.get_array()) items.push_back(go_syntax(item));
    return fmt::format("[]interface {{}}{{{}}}", fmt::join(items, ", "));
  }
  if (value.is_object()) {
    std::vector<std::string> members;
    for (const auto key : sorted_keys(value.get_object())) {
      members.push_back(fmt::format("{}:{}", go_quoted(key), go_syntax(value.get_object().at(key))));
    }
    return fmt::format("map[string]interface {{}}{{{}}}", fmt::join(members, ", "));
  }
  return scalar_text(value);
}

std::string_view go_type(const Value& value) {
  switch (value.kind()) {
    case boost::json::kind::null:
      return "<nil>";
    case boost::json::kind::bool_:
      return "bool";
    case boost::json::kind::int64:
      return "int64";
    case boost::json::kind::uint64:
      return "int64";
    case boost::json::kind::double_:
      return "float64";
    case boost::json::kind::string:
      return "string";
    case boost::json::kind::array:
      return "[]interface {}";
    case boost::json::kind::object:
      return "map[string]interface {}";
  }
  return "<nil>";
}

// The shortest digits that read back the same; an exponent below 1e-4 and from 1e6 on.
std::string go_number(double number) {
  if (std::isnan(number)) return "NaN";
  if (std::isinf(number)) return number > 0 ? "+Inf" : "-Inf";
  const double size = std::fabs(number);
  const bool exponent = size != 0 && (size < 1e-4 || size >= 1e6);
  std::array<char, 64> digits{};
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), number,
                                 exponent ? std::chars_format::scientific : std::chars_format::fixed);
  return std::string(digits.data(), end.ptr);
}

}  // namespace fairway::json
