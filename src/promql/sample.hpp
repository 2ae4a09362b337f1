// Sample: one value of a series at one time, and how values are told apart and written.
//
// Times are milliseconds since the Unix epoch, as Prometheus keeps them. A series that has ended carries a
// stale marker, a NaN with bits of its own; it is never a value. The evaluator uses the same bits for "no
// sample here": every arithmetic operation turns them into an ordinary NaN, so they cannot come out of a
// computation.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>

namespace fairway::promql {

using Millis = std::int64_t;  // a time since the Unix epoch, or a length of time
inline double seconds(Millis time) {
  return static_cast<double>(time) / 1000;
}

struct Sample {
  Millis time = 0;
  double value = 0;

  bool operator==(const Sample&) const = default;
};

inline constexpr std::uint64_t kStaleBits = 0x7ff0000000000002;

inline double stale_marker() {
  return std::bit_cast<double>(kStaleBits);
}
// Only the exact bits: an ordinary NaN is a value.
inline bool is_stale(double value) {
  return std::bit_cast<std::uint64_t>(value) == kStaleBits;
}

inline constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
inline constexpr double kInf = std::numeric_limits<double>::infinity();

// A number as metrics and bucket labels write it: 1, -2.5e3, +Inf, NaN. A NaN comes out as the ordinary one.
std::optional<double> parse_value(std::string_view text);
// The shortest decimal that reads back as the same value, never with an exponent: 0.1, 100000, NaN, +Inf,
// -Inf. What the Prometheus API and count_values write.
std::string format_value(double value);
// The same, with an exponent where it is shorter for people: 1e+21, 1e-07. What Go prints a float64 as.
std::string format_general(double value);
// Seconds with at most three decimals: 1435781451.781.
std::string format_seconds(Millis time);

}  // namespace fairway::promql
