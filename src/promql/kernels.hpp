// Kernels: the arithmetic of PromQL's functions on plain numbers, without labels, steps or syntax.
//
// Each follows Prometheus 3 operation by operation (compensated sums included), so that results agree to the
// last digits. All are pure and total: NaN and infinities go in and come out, nothing aborts. A kernel that
// cannot say anything (a rate of one sample) returns nothing.
#pragma once

#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "promql/sample.hpp"

namespace fairway::promql {

// Compensated summation (Neumaier).
struct CompensatedSum {
  double sum = 0;
  double compensation = 0;

  void add(double value);
  double total() const { return std::isinf(sum) ? sum : sum + compensation; }
};

// An average that neither loses small values beside large ones nor overflows.
class Average {
 public:
  void add(double value);
  double result() const;

 private:
  CompensatedSum sum_;
  double mean_ = 0;
  double count_ = 0;
  bool incremental_ = false;  // the sum would overflow: the mean is carried instead
};

// What a range selector sees at one step.
struct Window {
  std::span<const Sample> samples;  // by time; at least one; no stale markers
  Millis start = 0;                 // of the range, not included
  Millis end = 0;                   // of the range, included
  Millis now = 0;                   // when the query is evaluated
};

// rate, increase and delta: extrapolated to the edges of the range.
struct RateKind {
  bool is_counter = false;     // falls are resets
  bool is_per_second = false;  // rate rather than increase
};
std::optional<double> extrapolated_rate(const Window& window, RateKind kind);
// The same for `anchored` and `smoothed` ranges, whose windows also hold samples around the range.
std::optional<double> extended_rate(const Window& window, RateKind kind, bool smoothed);
// irate and idelta: of the last two samples.
std::optional<double> instant_rate(const Window& window, bool is_rate);
// The value at `time` on the line through two samples; a counter that fell starts at 0.
double interpolate(const Sample& left, const Sample& right, Millis time, bool is_counter);
// The samples of an `anchored` or `smoothed` range with one on each edge.
std::vector<Sample> extend_to_edges(const Window& window, bool smoothed);

std::optional<double> deriv(const Window& window);
std::optional<double> predict_linear(const Window& window, double seconds_ahead);
// Both factors lie between 0 and 1, which the caller has checked.
std::optional<double> double_exponential_smoothing(const Window& window, double smoothing, double trend);

double sum_over_time(const Window& window);
double avg_over_time(const Window& window);
double min_over_time(const Window& window);
double max_over_time(const Window& window);
double stdvar_over_time(const Window& window);
double mad_over_time(const Window& window);
double quantile_over_time(const Window& window, double q);
double ts_of_min_over_time(const Window& window);
double ts_of_max_over_time(const Window& window);
double changes(std::span<const Sample> samples);
double resets(std::span<const Sample> samples);

// Sorts `values`. Below 0 -Inf, above 1 +Inf, NaN for NaN or no values.
double quantile(double q, std::vector<double>& values);

// As Go has them: an infinity on the deciding side beats NaN.
double largest(double left, double right);
double smallest(double left, double right);

// A classic histogram's bucket.
struct Bucket {
  double upper_bound = 0;
  double count = 0;  // of observations up to the bound
};
struct BucketQuantile {
  double value = 0;
  bool forced_monotonic = false;  // counts had to be raised, by more than a rounding error
};
// Both sort and repair the buckets.
BucketQuantile bucket_quantile(double q, std::vector<Bucket>& buckets);
double bucket_fraction(double lower, double upper, std::vector<Bucket>& buckets);

// The calendar, in UTC.
enum class DatePart { Minute, Hour, DayOfWeek, DayOfMonth, DayOfYear, DaysInMonth, Month, Year };
double date_part(DatePart part, double seconds);  // NaN where there is no such date

}  // namespace fairway::promql
