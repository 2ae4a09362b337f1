#include <cmath>

#include "promql/kernels.hpp"

namespace fairway::promql {
namespace {

struct Line {
  double slope = 0;      // a second
  double intercept = 0;  // the value at the time asked for
};

// Least squares. Times count from `origin`, which keeps the sums small and thereby exact.
Line fit_line(std::span<const Sample> samples, Millis origin) {
  const double count = static_cast<double>(samples.size());
  CompensatedSum x_sum, y_sum, xy_sum, xx_sum;
  bool is_constant = true;
  for (const Sample& sample : samples) {
    if (sample.value != samples.front().value && &sample != &samples.front()) is_constant = false;
    const double x = static_cast<double>(sample.time - origin) / 1e3;
    x_sum.add(x);
    y_sum.add(sample.value);
    xy_sum.add(x * sample.value);
    xx_sum.add(x * x);
  }
  if (is_constant) {
    if (std::isinf(samples.front().value)) return {kNaN, kNaN};
    return {0, samples.front().value};
  }
  const double x = x_sum.sum + x_sum.compensation;
  const double y = y_sum.sum + y_sum.compensation;
  const double xy = xy_sum.sum + xy_sum.compensation;
  const double xx = xx_sum.sum + xx_sum.compensation;
  const double slope = (xy - x * y / count) / (xx - x * x / count);
  return {slope, y / count - slope * x / count};
}

}  // namespace

std::optional<double> deriv(const Window& window) {
  if (window.samples.size() < 2) return std::nullopt;
  return fit_line(window.samples, window.samples.front().time).slope;
}

std::optional<double> predict_linear(const Window& window, double seconds_ahead) {
  if (window.samples.size() < 2) return std::nullopt;
  const Line line = fit_line(window.samples, window.now);
  return line.slope * seconds_ahead + line.intercept;
}

std::optional<double> double_exponential_smoothing(const Window& window, double smoothing, double trend) {
  const auto samples = window.samples;
  if (samples.size() < 2) return std::nullopt;
  double before = 0;
  double level = samples[0].value;
  double slope = samples[1].value - samples[0].value;
  for (std::size_t i = 1; i < samples.size(); ++i) {
    if (i > 1) slope = trend * (level - before) + (1 - trend) * slope;
    const double next = smoothing * samples[i].value + (1 - smoothing) * (level + slope);
    before = level;
    level = next;
  }
  return level;
}

}  // namespace fairway::promql
