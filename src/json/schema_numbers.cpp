#include "json/schema_numbers.hpp"

#include <cmath>
#include <fmt/format.h>
#include <limits>
#include <optional>

#include "json/schema_errors.hpp"

namespace fairway::json {
namespace {

constexpr double kExactIntegers = 9007199254740991;  // 2^53 - 1

std::optional<std::int64_t> as_integer(const Value& value) {
  if (value.is_int64()) return value.get_int64();
  if (value.is_uint64() && value.get_uint64() <= std::numeric_limits<std::int64_t>::max()) {
    return static_cast<std::int64_t>(value.get_uint64());
  }
  return std::nullopt;
}

// Bounds are written as JSON numbers; an integer is compared with their whole part.
std::int64_t whole_part(double bound) {
  constexpr double kLimit = 9223372036854775807.0;
  if (std::isnan(bound)) return 0;
  if (bound >= kLimit) return std::numeric_limits<std::int64_t>::max();
  if (bound <= -kLimit) return std::numeric_limits<std::int64_t>::min();
  return static_cast<std::int64_t>(bound);
}

bool is_whole(double number) {
  if (std::isnan(number) || std::isinf(number) || std::fabs(number) > kExactIntegers) return false;
  const double rounded = std::trunc(number);
  const double difference = std::fabs(number - rounded);
  if (number == rounded) return true;
  if (number == 0 || rounded == 0) return difference < 1e-9 * std::numeric_limits<double>::denorm_min();
  return difference / (std::fabs(number) + std::fabs(rounded)) < 1e-9;
}

template <class Number>
std::string shown(Number number) {
  if constexpr (std::is_same_v<Number, double>) {
    return go_number(number);
  } else {
    return fmt::format("{}", number);
  }
}

template <class Number>
void check_bounds(const ValueRules& rules, Number value, auto&& bound, std::vector<std::string>& out) {
  if (rules.minimum) {
    const Number least = bound(*rules.minimum);
    if (rules.exclusive_minimum ? value <= least : value < least) {
      out.push_back(fmt::format("should be greater than {}{}", rules.exclusive_minimum ? "" : "or equal to ",
                                shown(least)));
    }
  }
  if (rules.maximum) {
    const Number most = bound(*rules.maximum);
    if (rules.exclusive_maximum ? value >= most : value > most) {
      out.push_back(fmt::format("should be less than {}{}", rules.exclusive_maximum ? "" : "or equal to ",
                                shown(most)));
    }
  }
}

void check_multiple(double factor, std::int64_t value, std::vector<std::string>& out) {
  const std::int64_t whole = whole_part(factor);
  if (whole <= 0 || value % whole == 0) return;
  out.push_back(fmt::format("should be a multiple of {}", whole));
}

void check_multiple(double factor, double value, std::vector<std::string>& out) {
  if (factor <= 0) return;
  const double times = factor < 1 ? 1 / factor * value : value / factor;
  if (!is_whole(times)) out.push_back(fmt::format("should be a multiple of {}", go_number(factor)));
}

}  // namespace

bool is_whole_number(const Value& value) {
  if (value.is_int64()) return true;
  if (value.is_uint64()) return as_integer(value).has_value();
  return value.is_double() && is_whole(value.get_double());
}

std::vector<std::string> number_problems(const ValueRules& rules, const Value& value) {
  std::vector<std::string> out;
  const auto integer = as_integer(value);
  const double number = value.to_number<double>();
  if (rules.whole_int32 && (number < std::numeric_limits<std::int32_t>::min() ||
                            number > std::numeric_limits<std::int32_t>::max())) {
    out.push_back("must be of type integer with format int32");
  }
  // A fractional factor is no factor of integers as such; compare as numbers then.
  const bool whole_factor = rules.multiple_of && std::trunc(*rules.multiple_of) == *rules.multiple_of;
  if (rules.multiple_of && integer && whole_factor) check_multiple(*rules.multiple_of, *integer, out);
  if (rules.multiple_of && !(integer && whole_factor)) check_multiple(*rules.multiple_of, number, out);
  if (integer) {
    check_bounds(rules, *integer, whole_part, out);
  } else {
    check_bounds(rules, number, [](double bound) { return bound; }, out);
  }
  return out;
}

}  // namespace fairway::json
