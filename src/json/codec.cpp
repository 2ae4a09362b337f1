#include "json/codec.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/text.hpp"

namespace fairway::json::detail {

void Failure::under(std::string_view name) {
  const bool needs_dot = !path.empty() && path.front() != '[';
  path.insert(0, needs_dot ? "." : "").insert(0, name);
}

void Failure::under(std::size_t index) {
  under(fmt::format("[{}]", index));
}

void Failure::under_key(std::string_view key) {
  under(fmt::format("[{}]", quoted(key)));
}

Error Failure::to_error() && {
  return {ErrorCode::Invalid, path.empty() ? std::move(message) : fmt::format("{}: {}", path, message)};
}

bool mismatch(const Value& found, std::string_view expected, Failure& failure) {
  failure.message = found.is_string()
                        ? fmt::format("expected {}, found {}", expected, quoted(view(found.get_string())))
                        : fmt::format("expected {}, found {}", expected, a_kind(found));
  return false;
}

bool missing(std::string_view name, Failure& failure) {
  failure.message = "expected a value, found none: this field is required";
  failure.under(name);
  return false;
}

bool unknown_word(const Value& found, std::vector<std::string> allowed, Failure& failure) {
  const auto word = view(found.get_string());
  failure.message = fmt::format("expected one of {}, found {}", fmt::join(allowed, ", "), quoted(word));
  if (const auto meant = nearest(word, allowed)) failure.message += fmt::format(": did you mean {}?", *meant);
  return false;
}

bool read(const Value& value, bool& out, Failure& failure) {
  if (!value.is_bool()) return mismatch(value, "a boolean", failure);
  out = value.get_bool();
  return true;
}

bool read(const Value& value, double& out, Failure& failure) {
  if (!value.is_number()) return mismatch(value, "a number", failure);
  out = value.to_number<double>();
  return true;
}

bool read(const Value& value, std::string& out, Failure& failure) {
  if (!value.is_string()) return mismatch(value, "a string", failure);
  out = view(value.get_string());
  return true;
}

bool read(const Value& value, WallTime& out, Failure& failure) {
  const auto time = value.is_string() ? parse_rfc3339(view(value.get_string())) : std::nullopt;
  if (!time) return mismatch(value, "a time like 2024-02-29T12:00:00Z", failure);
  out = *time;
  return true;
}

bool read(const Value& value, MicroTime& out, Failure& failure) {
  return read(value, out.time, failure);
}

bool read(const Value& value, Duration& out, Failure& failure) {
  const auto duration = value.is_string() ? parse_duration(view(value.get_string())) : std::nullopt;
  if (!duration) return mismatch(value, "a duration like 1h30m", failure);
  out = *duration;
  return true;
}

bool read(const Value& value, Value& out, Failure&) {
  out = value;
  return true;
}

bool read(const Value& value, Object& out, Failure& failure) {
  if (!value.is_object()) return mismatch(value, "an object", failure);
  out = value.get_object();
  return true;
}

bool read(const Value& value, Array& out, Failure& failure) {
  if (!value.is_array()) return mismatch(value, "an array", failure);
  out = value.get_array();
  return true;
}

bool read_integer(const Value& value, std::int64_t least, std::uint64_t most, std::int64_t& out,
                  Failure& failure) {
  const bool is_negative = value.is_int64() && value.get_int64() < 0;
  if (!value.is_int64() && !value.is_uint64()) return mismatch(value, "an integer", failure);
  const std::uint64_t bits =
      value.is_int64() ? static_cast<std::uint64_t>(value.get_int64()) : value.get_uint64();
  if (is_negative ? value.get_int64() < least : bits > most) {
    failure.message =
        fmt::format("expected an integer from {} to {}, found {}", least, most, serialize(value));
    return false;
  }
  out = static_cast<std::int64_t>(bits);
  return true;
}

Value write(const std::string& value) {
  return Value(value);
}

Value write(WallTime value) {
  return Value(format_rfc3339(value));
}

Value write(MicroTime value) {
  return Value(format_rfc3339_micro(value.time));
}

Value write(Duration value) {
  return Value(format_duration(value));
}

}  // namespace fairway::json::detail
