// Quantities of resources: 100m, 1Gi, 1e3, 0.5.
//
// As k8s.io/apimachinery/pkg/api/resource: exact down to 10⁻⁹ (smaller parts round away from zero) and capped
// at ±(2⁶³ - 1). Quantities are equal when their values are, however written; to_string() gives the canonical
// text, in the family of suffixes that the quantity was written with. A number has at least one digit
// (Kubernetes takes "." and "m" for zero).
#pragma once

#include <compare>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.hpp"
#include "json/codec.hpp"

namespace fairway::kube {

class Quantity {
 public:
  enum class Format { DecimalSi, BinarySi, DecimalExponent };

  Quantity() = default;
  explicit Quantity(std::int64_t units, Format format = Format::DecimalSi) : units_(units), format_(format) {}
  static Result<Quantity> parse(std::string_view text);

  std::string to_string() const;
  Format format() const { return format_; }
  bool is_zero() const { return units_ == 0 && nanos_ == 0; }
  // Rounded up, and to what 64 bits hold.
  std::int64_t value() const;
  std::int64_t milli_value() const;
  double as_double() const;

  std::strong_ordering operator<=>(const Quantity& other) const;
  bool operator==(const Quantity& other) const;

 private:
  // The value is units_ + nanos_ / 10⁹, with 0 ≤ nanos_ < 10⁹.
  std::int64_t units_ = 0;
  std::int64_t nanos_ = 0;
  Format format_ = Format::DecimalSi;
};

}  // namespace fairway::kube

// Read from text or from a plain number, written as text.
template <>
struct fairway::json::Codec<fairway::kube::Quantity> {
  static Result<kube::Quantity> read(const Value& value);
  static Value write(const kube::Quantity& quantity);
  static bool is_empty(const kube::Quantity& quantity) { return quantity.is_zero(); }
};
