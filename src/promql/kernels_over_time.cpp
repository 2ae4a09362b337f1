#include <algorithm>
#include <cmath>

#include "promql/kernels.hpp"

namespace fairway::promql {

void CompensatedSum::add(double value) {
  const double next = sum + value;
  if (std::isinf(next)) {
    compensation = 0;
  } else if (std::abs(sum) >= std::abs(value)) {
    compensation += (sum - next) + value;
  } else {
    compensation += (value - next) + sum;
  }
  sum = next;
}

void Average::add(double value) {
  count_ += 1;
  if (count_ == 1) {
    sum_.sum = value;
    return;
  }
  if (!incremental_) {
    CompensatedSum next = sum_;
    next.add(value);
    if (!std::isinf(next.sum)) {
      sum_ = next;
      return;
    }
    incremental_ = true;
    mean_ = sum_.sum / (count_ - 1);
    sum_.compensation /= count_ - 1;
  }
  const double share = (count_ - 1) / count_;
  CompensatedSum mean{share * mean_, share * sum_.compensation};
  mean.add(value / count_);
  mean_ = mean.sum;
  sum_.compensation = mean.compensation;
}

double Average::result() const {
  if (incremental_) return mean_ + sum_.compensation;
  return sum_.sum / count_ + sum_.compensation / count_;
}

double sum_over_time(const Window& window) {
  CompensatedSum sum;
  for (const Sample& sample : window.samples) sum.add(sample.value);
  return sum.total();
}

double avg_over_time(const Window& window) {
  Average average;
  for (const Sample& sample : window.samples) average.add(sample.value);
  return average.result();
}

double min_over_time(const Window& window) {
  double least = window.samples.front().value;
  for (const Sample& sample : window.samples) {
    if (sample.value < least || std::isnan(least)) least = sample.value;
  }
  return least;
}

double max_over_time(const Window& window) {
  double most = window.samples.front().value;
  for (const Sample& sample : window.samples) {
    if (sample.value > most || std::isnan(most)) most = sample.value;
  }
  return most;
}

double ts_of_min_over_time(const Window& window) {
  Sample least = window.samples.front();
  for (const Sample& sample : window.samples) {
    if (sample.value <= least.value || std::isnan(least.value)) least = sample;
  }
  return seconds(least.time);
}

double ts_of_max_over_time(const Window& window) {
  Sample most = window.samples.front();
  for (const Sample& sample : window.samples) {
    if (sample.value >= most.value || std::isnan(most.value)) most = sample;
  }
  return seconds(most.time);
}

double stdvar_over_time(const Window& window) {
  double count = 0;
  CompensatedSum mean;
  CompensatedSum squares;
  for (const Sample& sample : window.samples) {
    count += 1;
    const double delta = sample.value - (mean.sum + mean.compensation);
    mean.add(delta / count);
    squares.add(delta * (sample.value - (mean.sum + mean.compensation)));
  }
  return (squares.sum + squares.compensation) / count;
}

double mad_over_time(const Window& window) {
  std::vector<double> values;
  values.reserve(window.samples.size());
  for (const Sample& sample : window.samples) values.push_back(sample.value);
  const double median = quantile(0.5, values);
  for (double& value : values) value = std::abs(value - median);
  return quantile(0.5, values);
}

double quantile_over_time(const Window& window, double q) {
  std::vector<double> values;
  values.reserve(window.samples.size());
  for (const Sample& sample : window.samples) values.push_back(sample.value);
  return quantile(q, values);
}

double changes(std::span<const Sample> samples) {
  std::size_t count = 0;
  for (std::size_t i = 1; i < samples.size(); ++i) {
    const double before = samples[i - 1].value;
    const double after = samples[i].value;
    if (after != before && !(std::isnan(after) && std::isnan(before))) ++count;
  }
  return static_cast<double>(count);
}

double resets(std::span<const Sample> samples) {
  std::size_t count = 0;
  for (std::size_t i = 1; i < samples.size(); ++i) {
    if (samples[i].value < samples[i - 1].value) ++count;
  }
  return static_cast<double>(count);
}

double quantile(double q, std::vector<double>& values) {
  if (values.empty() || std::isnan(q)) return kNaN;
  if (q < 0) return -kInf;
  if (q > 1) return kInf;
  std::sort(values.begin(), values.end(), [](double left, double right) {
    if (std::isnan(left) || std::isnan(right)) return std::isnan(left) && !std::isnan(right);
    return left < right;
  });
  const double last = static_cast<double>(values.size()) - 1;
  const double rank = q * last;
  const double lower = std::max(0.0, std::floor(rank));
  const double upper = std::min(last, lower + 1);
  const double weight = rank - std::floor(rank);
  return values[static_cast<std::size_t>(lower)] * (1 - weight) +
         values[static_cast<std::size_t>(upper)] * weight;
}

double largest(double left, double right) {
  if (left == kInf || right == kInf) return kInf;
  if (std::isnan(left) || std::isnan(right)) return kNaN;
  return std::fmax(left, right);
}

double smallest(double left, double right) {
  if (left == -kInf || right == -kInf) return -kInf;
  if (std::isnan(left) || std::isnan(right)) return kNaN;
  return std::fmin(left, right);
}

}  // namespace fairway::promql
