#include <algorithm>
#include <cmath>

#include "promql/kernels.hpp"

namespace fairway::promql {
namespace {

// How far the change is extended to one edge. A sample within 1.1 intervals of the edge suggests that the
// series goes on beyond it; otherwise it is taken to begin or end half an interval away.
double extension(double to_edge, double interval) {
  return to_edge >= interval * 1.1 ? interval / 2 : to_edge;
}

double counter_change(std::span<const Sample> samples) {
  double change = samples.back().value - samples.front().value;
  for (std::size_t i = 1; i < samples.size(); ++i) {
    if (samples[i].value < samples[i - 1].value) change += samples[i - 1].value;
  }
  return change;
}

// The samples that an extended range is computed from.
struct Edges {
  std::size_t first = 0;  // the last one at or before the start, if there is one
  std::size_t last = 0;
};

std::optional<Edges> find_edges(const Window& window, bool smoothed) {
  const auto samples = window.samples;
  if (samples.empty()) return std::nullopt;
  const auto before_last = samples.first(samples.size() - 1);
  Edges edges{0, samples.size() - 1};
  const auto inside = std::upper_bound(before_last.begin(), before_last.end(), window.start,
                                       [](Millis time, const Sample& sample) { return time < sample.time; });
  if (inside != before_last.begin()) edges.first = static_cast<std::size_t>(inside - before_last.begin()) - 1;
  if (smoothed) {
    const auto end = std::lower_bound(before_last.begin(), before_last.end(), window.end,
                                      [](const Sample& sample, Millis time) { return sample.time < time; });
    edges.last = static_cast<std::size_t>(end - before_last.begin());
  }
  if (samples[edges.last].time <= window.start) return std::nullopt;
  return edges;
}

double value_at_start(const Window& window, const Edges& edges, bool smoothed, bool is_counter) {
  const auto samples = window.samples;
  if (smoothed && samples[edges.first].time < window.start && edges.first + 1 < samples.size()) {
    return interpolate(samples[edges.first], samples[edges.first + 1], window.start, is_counter);
  }
  return samples[edges.first].value;
}

double value_at_end(const Window& window, const Edges& edges, bool smoothed, bool is_counter) {
  const auto samples = window.samples;
  if (smoothed && edges.last > 0 && samples[edges.last].time > window.end) {
    return interpolate(samples[edges.last - 1], samples[edges.last], window.end, is_counter);
  }
  return samples[edges.last].value;
}

// Strictly inside the range: the edges themselves are given as values.
std::span<const Sample> inner_samples(const Window& window, Edges edges) {
  std::size_t first = edges.first;
  std::size_t end = edges.last + 1;
  if (window.samples[first].time <= window.start) ++first;
  if (window.samples[edges.last].time >= window.end) --end;
  return first < end ? window.samples.subspan(first, end - first) : std::span<const Sample>{};
}

}  // namespace

std::optional<double> extrapolated_rate(const Window& window, RateKind kind) {
  const auto samples = window.samples;
  if (samples.size() < 2) return std::nullopt;
  const double change =
      kind.is_counter ? counter_change(samples) : samples.back().value - samples.front().value;
  const double sampled = seconds(samples.back().time - samples.front().time);
  const double interval = sampled / static_cast<double>(samples.size() - 1);

  double to_start = extension(seconds(samples.front().time - window.start), interval);
  if (kind.is_counter && change > 0 && samples.front().value >= 0) {
    // A counter cannot have been negative: no further back than to where it would have been zero.
    to_start = std::min(to_start, sampled * (samples.front().value / change));
  }
  const double to_end = extension(seconds(window.end - samples.back().time), interval);
  double factor = (sampled + to_start + to_end) / sampled;
  if (kind.is_per_second) factor /= seconds(window.end - window.start);
  return change * factor;
}

double interpolate(const Sample& left, const Sample& right, Millis time, bool is_counter) {
  const double from = is_counter && right.value < left.value ? 0 : left.value;
  return from + (right.value - from) * static_cast<double>(time - left.time) /
                    static_cast<double>(right.time - left.time);
}

std::optional<double> extended_rate(const Window& window, RateKind kind, bool smoothed) {
  const auto edges = find_edges(window, smoothed);
  if (!edges) return std::nullopt;
  const double left = value_at_start(window, *edges, smoothed, kind.is_counter);
  const double right = value_at_end(window, *edges, smoothed, kind.is_counter);
  double change = right - left;
  if (kind.is_counter) {
    double before = left;
    for (const Sample& sample : inner_samples(window, *edges)) {
      if (sample.value < before) change += before;
      before = sample.value;
    }
    if (right < before) change += before;
  }
  return kind.is_per_second ? change / seconds(window.end - window.start) : change;
}

std::vector<Sample> extend_to_edges(const Window& window, bool smoothed) {
  const auto edges = find_edges(window, smoothed);
  if (!edges) return {};
  std::vector<Sample> extended;
  extended.push_back({window.start, value_at_start(window, *edges, smoothed, false)});
  const auto inner = inner_samples(window, *edges);
  extended.insert(extended.end(), inner.begin(), inner.end());
  extended.push_back({window.end, value_at_end(window, *edges, smoothed, false)});
  return extended;
}

std::optional<double> instant_rate(const Window& window, bool is_rate) {
  if (window.samples.size() < 2) return std::nullopt;
  const Sample& before = window.samples[window.samples.size() - 2];
  const Sample& last = window.samples.back();
  if (last.time == before.time) return std::nullopt;
  const bool is_reset = is_rate && last.value < before.value;
  const double change = is_reset ? last.value : last.value - before.value;
  return is_rate ? change / seconds(last.time - before.time) : change;
}

}  // namespace fairway::promql
