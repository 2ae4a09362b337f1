#include "kube/core/quantity.hpp"

#include <algorithm>
#include <array>
#include <boost/multiprecision/cpp_int.hpp>
#include <fmt/format.h>
#include <limits>
#include <optional>

#include "base/text.hpp"

namespace fairway::kube {
namespace {

using Big = boost::multiprecision::cpp_int;
using Format = Quantity::Format;

constexpr std::int64_t kBillion = 1'000'000'000;
constexpr std::int64_t kLargest = std::numeric_limits<std::int64_t>::max();
constexpr std::size_t kMaxLength = 256;
// Beyond this an exponent only decides between zero, the smallest and the largest quantity.
constexpr std::int64_t kMaxExponent = 400;

struct Suffix {
  std::string_view text;
  int base;
  int exponent;
};
constexpr std::array<Suffix, 10> kDecimal{{{"n", 10, -9},
                                           {"u", 10, -6},
                                           {"m", 10, -3},
                                           {"", 10, 0},
                                           {"k", 10, 3},
                                           {"M", 10, 6},
                                           {"G", 10, 9},
                                           {"T", 10, 12},
                                           {"P", 10, 15},
                                           {"E", 10, 18}}};
constexpr std::array<Suffix, 6> kBinary{
    {{"Ki", 2, 10}, {"Mi", 2, 20}, {"Gi", 2, 30}, {"Ti", 2, 40}, {"Pi", 2, 50}, {"Ei", 2, 60}}};

struct Scale {
  Format format;
  int base;
  std::int64_t exponent;
};

std::optional<Scale> parse_suffix(std::string_view text) {
  if (const auto* found = std::ranges::find(kDecimal, text, &Suffix::text); found != kDecimal.end()) {
    return Scale{Format::DecimalSi, 10, found->exponent};
  }
  if (const auto* found = std::ranges::find(kBinary, text, &Suffix::text); found != kBinary.end()) {
    return Scale{Format::BinarySi, 2, found->exponent};
  }
  if (!text.starts_with('e') && !text.starts_with('E')) return std::nullopt;
  text.remove_prefix(1);
  if (text.starts_with('+')) text.remove_prefix(1);
  const auto exponent = parse_signed(text);
  if (!exponent) return std::nullopt;
  return Scale{Format::DecimalExponent, 10, std::clamp(*exponent, -kMaxExponent, kMaxExponent)};
}

std::unexpected<Error> malformed(std::string_view text, std::string_view why) {
  return fail(ErrorCode::Invalid,
              fmt::format("expected a quantity like 100m, 2Gi or 1.5, found {}: {}", quoted(text), why));
}

Big power(int base, std::int64_t exponent) {
  return boost::multiprecision::pow(Big(base), static_cast<unsigned>(exponent));
}

// digits · 10^-decimals · base^exponent in billionths, rounded up.
Big to_nanos(const Big& digits, std::size_t decimals, const Scale& scale) {
  Big numerator = digits * kBillion;
  Big denominator = power(10, static_cast<std::int64_t>(decimals));
  (scale.exponent >= 0 ? numerator : denominator) *= power(scale.base, std::abs(scale.exponent));
  return (numerator + denominator - 1) / denominator;
}

std::string suffix_text(Format format, int exponent) {
  if (format == Format::DecimalExponent) return exponent == 0 ? "" : fmt::format("e{}", exponent);
  return std::string(std::ranges::find(kDecimal, exponent, &Suffix::exponent)->text);
}

}  // namespace

Result<Quantity> Quantity::parse(std::string_view text) {
  if (text.empty()) return malformed(text, "it is empty");
  if (text.size() > kMaxLength) return malformed(text, "it is too long");
  std::string_view rest = text;
  const bool is_negative = rest.starts_with('-');
  if (is_negative || rest.starts_with('+')) rest.remove_prefix(1);
  const auto number_end = std::min(rest.find_first_not_of("0123456789."), rest.size());
  const std::string_view number = rest.substr(0, number_end);
  const auto dot = std::min(number.find('.'), number.size());
  const std::string_view whole = number.substr(0, dot);
  const std::string_view fraction = number.substr(std::min(dot + 1, number.size()));
  if ((whole.empty() && fraction.empty()) || fraction.find('.') != std::string_view::npos) {
    return malformed(text, "unable to parse numeric part of quantity");
  }
  const auto scale = parse_suffix(rest.substr(number_end));
  if (!scale) return malformed(text, "unable to parse quantity's suffix");

  // A leading zero would make it octal.
  std::string digits = std::string(whole).append(fraction);
  digits.erase(0, std::min(digits.find_first_not_of('0'), digits.size() - 1));
  const Big nanos = to_nanos(Big(digits), fraction.size(), *scale);
  Quantity quantity;
  quantity.format_ = scale->format;
  const Big largest = Big(kLargest) * kBillion;
  const Big capped = nanos > largest ? largest : nanos;
  quantity.units_ = static_cast<std::int64_t>(capped / kBillion);
  quantity.nanos_ = static_cast<std::int64_t>(capped % kBillion);
  if (is_negative) {
    quantity.units_ = -quantity.units_ - (quantity.nanos_ > 0 ? 1 : 0);
    quantity.nanos_ = quantity.nanos_ > 0 ? kBillion - quantity.nanos_ : 0;
  }
  return quantity;
}

std::string Quantity::to_string() const {
  if (is_zero()) return "0";
  const bool is_small = *this > Quantity(-1024) && *this < Quantity(1024);
  if (format_ == Format::BinarySi && !is_small && nanos_ == 0) {
    std::int64_t number = units_;
    std::size_t steps = 0;
    for (; number % 1024 == 0 && steps < kBinary.size(); ++steps) number /= 1024;
    return fmt::format("{}{}", number, steps == 0 ? "" : kBinary[steps - 1].text);
  }
  // What binary suffixes cannot say exactly is said in decimal ones.
  const Format format = format_ == Format::BinarySi ? Format::DecimalSi : format_;
  Big number = Big(units_) * kBillion + nanos_;
  int exponent = -9;
  for (; number % 1000 == 0 && exponent < 18; exponent += 3) number /= 1000;
  return number.str() + suffix_text(format, exponent);
}

std::int64_t Quantity::value() const {
  return nanos_ > 0 && units_ < kLargest ? units_ + 1 : units_;
}

std::int64_t Quantity::milli_value() const {
  const Big nanos = Big(units_) * kBillion + nanos_;
  Big millis = nanos / 1'000'000;
  if (nanos > 0 && nanos % 1'000'000 != 0) ++millis;
  const Big largest = kLargest;
  return static_cast<std::int64_t>(std::clamp<Big>(millis, -largest, largest));
}

double Quantity::as_double() const {
  return static_cast<double>(units_) + static_cast<double>(nanos_) / 1e9;
}

std::strong_ordering Quantity::operator<=>(const Quantity& other) const {
  if (const auto order = units_ <=> other.units_; order != 0) return order;
  return nanos_ <=> other.nanos_;
}

bool Quantity::operator==(const Quantity& other) const {
  return (*this <=> other) == 0;
}

}  // namespace fairway::kube

namespace fairway::json {

Result<kube::Quantity> Codec<kube::Quantity>::read(const Value& value) {
  if (value.is_string()) return kube::Quantity::parse(view(value.get_string()));
  if (value.is_number()) return kube::Quantity::parse(serialize(value));
  return fail(ErrorCode::Invalid,
              fmt::format("expected a quantity like 100m or 2Gi, found {}", a_kind(value)));
}

Value Codec<kube::Quantity>::write(const kube::Quantity& quantity) {
  return Value(quantity.to_string());
}

}  // namespace fairway::json
