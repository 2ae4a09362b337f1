#include <algorithm>

#include "promql/evaluation.hpp"
#include "promql/kernels.hpp"
#include "promql/matcher.hpp"

namespace fairway::promql {
namespace {

struct Selected {
  std::vector<SeriesView> series;
  LookTimes look;
};

Result<Selected> select_series(Evaluation& run, const VectorSelector& selector, const Steps& steps) {
  Selected selected;
  FAIRWAY_TRY(selected.look, look_times(run, selector.time));
  FAIRWAY_TRY(const auto matchers, compile_matchers(selector));
  const Millis after = selector.smoothed ? run.options.lookback : 0;
  const TimeSpan span{selected.look.at(steps, 0) - run.options.lookback,
                      selected.look.at(steps, steps.count - 1) + after};
  FAIRWAY_TRY(selected.series, run.source.select(matchers, span));
  return selected;
}

// Calls `put(step, sample)` with the newest sample not older than the lookback, at each step that has one.
template <class Put>
void each_newest(std::span<const Sample> samples, const LookTimes& look, const Steps& steps, Millis lookback,
                 Put put) {
  std::size_t next = 0;  // the first sample after the time looked at
  for (std::size_t step = 0; step < steps.count; ++step) {
    const Millis time = look.at(steps, step);
    while (next < samples.size() && samples[next].time <= time) ++next;
    if (next == 0) continue;
    const Sample& newest = samples[next - 1];
    if (newest.time > time - lookback && !is_stale(newest.value)) put(step, newest);
  }
}

template <class Value>
Result<Frame> newest_samples(Evaluation& run, const VectorSelector& selector, const Steps& steps,
                             Value value) {
  FAIRWAY_TRY(const Selected selected, select_series(run, selector, steps));
  Frame frame(run.budget, steps.count);
  frame.reserve(selected.series.size());
  for (const SeriesView& series : selected.series) {
    FAIRWAY_TRY(const auto cells, frame.add({series.labels}));
    each_newest(series.samples, selected.look, steps, run.options.lookback,
                [&](std::size_t step, const Sample& sample) { cells[step] = value(sample); });
    FAIRWAY_CHECKED(run.budget.work(steps.count + series.samples.size()));
  }
  frame.remove_empty_rows();
  return frame;
}

// The value on the line between the samples around the time; the last one where there is no later.
double smoothed_value(std::span<const Sample> samples, Millis time, Millis lookback) {
  const auto window = within(samples, {time - lookback, time + lookback});
  const auto next = std::lower_bound(window.begin(), window.end(), time,
                                     [](const Sample& sample, Millis t) { return sample.time < t; });
  if (next != window.end() && next->time == time) return next->value;
  if (next == window.begin()) return absent_cell();
  if (next == window.end()) return window.back().value;
  return interpolate(*(next - 1), *next, time, false);
}

Result<Frame> smoothed_samples(Evaluation& run, const VectorSelector& selector, const Steps& steps) {
  FAIRWAY_TRY(const Selected selected, select_series(run, selector, steps));
  Frame frame(run.budget, steps.count);
  for (const SeriesView& series : selected.series) {
    std::vector<Sample> values;
    std::copy_if(series.samples.begin(), series.samples.end(), std::back_inserter(values),
                 [](const Sample& sample) { return !is_stale(sample.value); });
    FAIRWAY_TRY(const auto cells, frame.add({series.labels}));
    for (std::size_t step = 0; step < steps.count; ++step) {
      cells[step] = smoothed_value(values, selected.look.at(steps, step), run.options.lookback);
    }
    FAIRWAY_CHECKED(run.budget.work(steps.count + values.size()));
  }
  frame.remove_empty_rows();
  return frame;
}

}  // namespace

Result<Frame> evaluate_selector(Evaluation& run, const VectorSelector& selector, const Steps& steps) {
  if (selector.smoothed) return smoothed_samples(run, selector, steps);
  return newest_samples(run, selector, steps, [](const Sample& sample) { return sample.value; });
}

Result<Frame> evaluate_timestamps(Evaluation& run, const VectorSelector& selector, const Steps& steps) {
  return newest_samples(run, selector, steps, [](const Sample& sample) { return seconds(sample.time); });
}

}  // namespace fairway::promql
