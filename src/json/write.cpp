#include "json/write.hpp"

#include <array>
#include <charconv>
#include <cmath>
#include <cstring>

#include "base/text.hpp"

namespace fairway::json {
namespace {

namespace bj = boost::json;

constexpr std::string_view kReplacement = "\xEF\xBF\xBD";

// Printable ASCII other than the quote and the backslash: copied as it is.
constexpr auto kIsPlain = [] {
  std::array<bool, 256> plain{};
  for (std::size_t c = 0x20; c < 0x80; ++c) plain[c] = c != '"' && c != '\\';
  return plain;
}();

// Whether all eight bytes are surely plain. Most text of an API is: names, versions, times.
bool are_plain(const char* eight) {
  constexpr std::uint64_t kOnes = 0x0101010101010101;
  constexpr std::uint64_t kHigh = 0x80 * kOnes;
  std::uint64_t word = 0;
  std::memcpy(&word, eight, sizeof word);
  const auto has_zero = [](std::uint64_t bytes) { return (bytes - kOnes) & ~bytes; };
  const std::uint64_t control = word - 0x20 * kOnes;
  return ((word | control | has_zero(word ^ '"' * kOnes) | has_zero(word ^ '\\' * kOnes)) & kHigh) == 0;
}

void append_escaped(unsigned char c, std::string& out) {
  constexpr std::string_view kHex = "0123456789abcdef";
  switch (c) {
    case '"':
      out += "\\\"";
      return;
    case '\\':
      out += "\\\\";
      return;
    case '\n':
      out += "\\n";
      return;
    case '\r':
      out += "\\r";
      return;
    case '\t':
      out += "\\t";
      return;
    default:
      ((out += "\\u00") += kHex[c >> 4]) += kHex[c & 15];
  }
}

template <class Integer>
void append_integer(Integer number, std::string& out) {
  std::array<char, 24> buffer;
  const auto [end, error] = std::to_chars(buffer.data(), buffer.data() + buffer.size(), number);
  FAIRWAY_CHECK(error == std::errc{}, "an integer needs more than 24 characters");
  out.append(buffer.data(), end);
}

void write_pretty(const Value& value, std::string& out, std::size_t indent) {
  const auto newline = [&](std::size_t depth) { out.append("\n").append(depth * 2, ' '); };
  if (const Object* object = value.if_object(); object != nullptr && !object->empty()) {
    char separator = '{';
    for (const auto& [key, member] : *object) {
      out += separator;
      newline(indent + 1);
      append_string({key.data(), key.size()}, out);
      out += ": ";
      write_pretty(member, out, indent + 1);
      separator = ',';
    }
    newline(indent);
    out += '}';
  } else if (const Array* array = value.if_array(); array != nullptr && !array->empty()) {
    char separator = '[';
    for (const Value& element : *array) {
      out += separator;
      newline(indent + 1);
      write_pretty(element, out, indent + 1);
      separator = ',';
    }
    newline(indent);
    out += ']';
  } else {
    append(value, out);
  }
}

}  // namespace

void append_string(std::string_view text, std::string& out) {
  out += '"';
  const char* at = text.data();
  const char* const end = at + text.size();
  const char* unwritten = at;
  while (at != end) {
    while (end - at >= 8 && are_plain(at)) at += 8;
    while (at != end && kIsPlain[static_cast<unsigned char>(*at)]) ++at;
    if (at == end) break;
    const auto c = static_cast<unsigned char>(*at);
    const std::size_t sequence = c < 0x80 ? 0 : utf8_length({at, end});
    if (sequence > 0) {
      at += sequence;
      continue;
    }
    out.append(unwritten, static_cast<std::size_t>(at - unwritten));
    if (c < 0x80) {
      append_escaped(c, out);
    } else {
      out += kReplacement;
    }
    unwritten = ++at;
  }
  out.append(unwritten, static_cast<std::size_t>(end - unwritten));
  out += '"';
}

void append_number(double number, std::string& out) {
  if (!std::isfinite(number)) {
    out += "null";
    return;
  }
  const double size = std::abs(number);
  const bool as_digits = size == 0 || (size >= 1e-6 && size < 1e21);
  std::array<char, 40> buffer;
  const auto [end, error] =
      std::to_chars(buffer.data(), buffer.data() + buffer.size(), number,
                    as_digits ? std::chars_format::fixed : std::chars_format::scientific);
  FAIRWAY_CHECK(error == std::errc{}, "a double needs more than 40 characters");
  out.append(buffer.data(), end);
}

void append_number(std::int64_t number, std::string& out) {
  append_integer(number, out);
}

void append_number(std::uint64_t number, std::string& out) {
  append_integer(number, out);
}

void append(const Object& object, std::string& out) {
  char separator = '{';
  for (const auto& [key, member] : object) {
    out += separator;
    append_string({key.data(), key.size()}, out);
    out += ':';
    append(member, out);
    separator = ',';
  }
  out += object.empty() ? "{}" : "}";
}

void append(const Value& value, std::string& out) {
  switch (value.kind()) {
    case bj::kind::null:
      out += "null";
      return;
    case bj::kind::bool_:
      out += value.get_bool() ? "true" : "false";
      return;
    case bj::kind::int64:
      append_number(value.get_int64(), out);
      return;
    case bj::kind::uint64:
      append_number(value.get_uint64(), out);
      return;
    case bj::kind::double_:
      append_number(value.get_double(), out);
      return;
    case bj::kind::string:
      append_string(view(value.get_string()), out);
      return;
    case bj::kind::object:
      append(value.get_object(), out);
      return;
    case bj::kind::array:
      break;
  }
  char separator = '[';
  for (const Value& element : value.get_array()) {
    out += separator;
    append(element, out);
    separator = ',';
  }
  out += value.get_array().empty() ? "[]" : "]";
}

std::string serialize(const Value& value) {
  std::string out;
  append(value, out);
  return out;
}

std::string serialize(const Object& object) {
  std::string out;
  append(object, out);
  return out;
}

std::string serialize_pretty(const Value& value) {
  std::string out;
  write_pretty(value, out, 0);
  return out;
}

}  // namespace fairway::json
