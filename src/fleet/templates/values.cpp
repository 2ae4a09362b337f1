#include "fleet/templates/values.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <vector>

#include "base/text.hpp"

namespace fairway::fleet::templates {
namespace {

constexpr double kLargestWhole = 9.2e18;

std::string map_text(const json::Object& object) {
  std::vector<std::string> keys;
  for (const auto& each : object) keys.emplace_back(each.key());
  std::ranges::sort(keys);
  std::string made = "map[";
  for (const std::string& key : keys)
    made += fmt::format("{}{}:{}", made.size() > 4 ? " " : "", key, to_text(object.at(key)));
  return made + "]";
}

std::string list_text(const json::Array& list) {
  std::string made = "[";
  for (const json::Value& each : list) made += (made.size() > 1 ? " " : "") + to_text(each);
  return made + "]";
}

}  // namespace

bool is_true(const json::Value& value) {
  switch (value.kind()) {
    case boost::json::kind::null:
      return false;
    case boost::json::kind::bool_:
      return value.get_bool();
    case boost::json::kind::int64:
      return value.get_int64() != 0;
    case boost::json::kind::uint64:
      return value.get_uint64() != 0;
    case boost::json::kind::double_:
      return value.get_double() != 0;
    case boost::json::kind::string:
      return !value.get_string().empty();
    case boost::json::kind::array:
      return !value.get_array().empty();
    case boost::json::kind::object:
      return !value.get_object().empty();
  }
  return false;
}

std::string real_text(double value) {
  if (std::isnan(value)) return "NaN";
  if (std::isinf(value)) return value > 0 ? "+Inf" : "-Inf";
  const double size = std::abs(value);
  // Go's %v: an exponent below 1e-4 and from 1e21 on.
  if (value != 0 && (size < 1e-4 || size >= 1e21)) return fmt::format("{:e}", value);
  return fmt::format("{}",
                     value == std::floor(value) ? fmt::format("{:.0f}", value) : fmt::format("{}", value));
}

std::string to_text(const json::Value& value) {
  switch (value.kind()) {
    case boost::json::kind::null:
      return "";
    case boost::json::kind::bool_:
      return value.get_bool() ? "true" : "false";
    case boost::json::kind::int64:
      return fmt::to_string(value.get_int64());
    case boost::json::kind::uint64:
      return fmt::to_string(value.get_uint64());
    case boost::json::kind::double_:
      return real_text(value.get_double());
    case boost::json::kind::string:
      return std::string(json::view(value.get_string()));
    case boost::json::kind::array:
      return list_text(value.get_array());
    case boost::json::kind::object:
      return map_text(value.get_object());
  }
  return "";
}

bool is_number(const json::Value& value) {
  return value.is_int64() || value.is_uint64() || value.is_double();
}

std::optional<std::int64_t> to_whole(const json::Value& value) {
  if (value.is_int64()) return value.get_int64();
  if (value.is_uint64()) return std::nullopt;  // beyond 64 bits with a sign
  if (value.is_bool()) return value.get_bool() ? 1 : 0;
  const auto real = to_real(value);
  if (value.is_string())
    if (const auto whole = parse_signed(trim(json::view(value.get_string())))) return whole;
  if (!real || std::isnan(*real) || std::abs(*real) > kLargestWhole) return std::nullopt;
  return static_cast<std::int64_t>(*real);
}

std::optional<double> to_real(const json::Value& value) {
  if (value.is_int64()) return static_cast<double>(value.get_int64());
  if (value.is_uint64()) return static_cast<double>(value.get_uint64());
  if (value.is_double()) return value.get_double();
  if (value.is_string()) return parse_double(trim(json::view(value.get_string())));
  return std::nullopt;
}

std::string_view kind_word(const json::Value& value) {
  if (value.is_null()) return "invalid";
  if (value.is_bool()) return "bool";
  if (value.is_int64() || value.is_uint64()) return "int";
  if (value.is_double()) return "float64";
  if (value.is_string()) return "string";
  return value.is_array() ? "slice" : "map";
}

Result<std::partial_ordering> compare_values(const json::Value& left, const json::Value& right) {
  if (left.is_int64() && right.is_int64()) return left.get_int64() <=> right.get_int64();
  if (is_number(left) && is_number(right)) return *to_real(left) <=> *to_real(right);
  const auto is_textual = [](const json::Value& value) { return value.is_string() || value.is_null(); };
  if (is_textual(left) && is_textual(right)) return to_text(left) <=> to_text(right);
  if (left.is_bool() && right.is_bool()) return left.get_bool() <=> right.get_bool();
  return fail(ErrorCode::Invalid,
              fmt::format("a {} cannot be compared with a {}", kind_word(left), kind_word(right)));
}

Result<bool> same_values(const json::Value& left, const json::Value& right) {
  const bool is_plain = !left.is_structured() && !right.is_structured();
  // Nothing equals nothing but itself and the empty text.
  if (left.is_null() != right.is_null() && !left.is_string() && !right.is_string()) return false;
  if (!is_plain) return json::same_value(left, right);
  FAIRWAY_TRY(const auto order, compare_values(left, right));
  return order == std::partial_ordering::equivalent;
}

}  // namespace fairway::fleet::templates
