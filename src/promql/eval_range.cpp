#include <algorithm>
#include <fmt/format.h>

#include "promql/evaluation.hpp"
#include "promql/functions.hpp"
#include "promql/kernels.hpp"
#include "promql/matcher.hpp"
#include "promql/range_functions.hpp"

namespace fairway::promql {
namespace {

// The samples around the range that anchored and smoothed ranges look at, too.
struct Margin {
  Millis before = 0;
  Millis after = 0;
};

Margin margin_of(const Evaluation& run, const RangeVector& vector) {
  const Millis lookback = run.options.lookback;
  return {vector.anchored || vector.smoothed ? lookback : 0, vector.smoothed ? lookback : 0};
}

Result<void> hold(Evaluation& run, RangeVector& vector, std::size_t samples) {
  vector.charged += samples;
  return run.budget.take_samples(samples);
}

Result<void> add_series(Evaluation& run, RangeVector& vector, const SeriesView& found) {
  FAIRWAY_CHECKED(run.budget.work(found.samples.size()));
  if (std::none_of(found.samples.begin(), found.samples.end(),
                   [](const Sample& sample) { return is_stale(sample.value); })) {
    vector.series.push_back({found.labels, found.samples});
    return {};
  }
  std::vector<Sample> values;
  for (const Sample& sample : found.samples) {
    if (!is_stale(sample.value)) values.push_back(sample);
  }
  if (values.empty()) return {};
  FAIRWAY_CHECKED(hold(run, vector, values.size()));
  vector.owned.push_back(std::move(values));
  vector.series.push_back({found.labels, vector.owned.back()});
  return {};
}

Result<RangeVector> select_range(Evaluation& run, const MatrixSelector& matrix, const Steps& steps) {
  const VectorSelector& selector = *run.node(matrix.selector).as<VectorSelector>();
  RangeVector vector;
  vector.anchored = selector.anchored;
  vector.smoothed = selector.smoothed;
  FAIRWAY_TRY(vector.look, look_times(run, selector.time));
  FAIRWAY_TRY(vector.range, resolve_millis(run, matrix.range, false));
  FAIRWAY_TRY(const auto matchers, compile_matchers(selector));
  const Margin margin = margin_of(run, vector);
  const TimeSpan span{vector.look.at(steps, 0) - vector.range - margin.before,
                      vector.look.at(steps, steps.count - 1) + margin.after};
  FAIRWAY_TRY(const auto found, run.source.select(matchers, span));
  vector.series.reserve(found.size());
  vector.owned.reserve(found.size());
  for (const SeriesView& series : found) FAIRWAY_CHECKED(add_series(run, vector, series));
  return vector;
}

// A subquery's steps are multiples of its interval, whenever it is asked.
Result<Steps> subquery_steps(const Evaluation& run, const RangeVector& vector, Millis interval,
                             const Steps& steps) {
  const Millis from = vector.look.at(steps, 0) - vector.range;
  const Millis end = vector.look.at(steps, steps.count - 1);
  Steps inner{interval * (from / interval), interval, 0};
  if (inner.start <= from) inner.start += interval;
  if (inner.start <= end) inner.count = static_cast<std::size_t>((end - inner.start) / interval) + 1;
  if (inner.count > run.budget.limits().max_samples) {
    return fail(ErrorCode::Invalid,
                fmt::format("the subquery has {} steps, more than the limit of {} samples: "
                            "choose a longer step or a shorter range",
                            inner.count, run.budget.limits().max_samples));
  }
  return inner;
}

Result<RangeVector> evaluate_subquery(Evaluation& run, const Subquery& subquery, const Steps& steps) {
  RangeVector vector;
  FAIRWAY_TRY(vector.look, look_times(run, subquery.time));
  FAIRWAY_TRY(vector.range, resolve_millis(run, subquery.range, false));
  Millis interval = run.options.subquery_step;
  if (subquery.step.is_written()) {
    FAIRWAY_TRY(interval, resolve_millis(run, subquery.step, false));
  }
  FAIRWAY_TRY(const Steps inner, subquery_steps(run, vector, std::max<Millis>(interval, 1), steps));
  if (inner.count == 0) return vector;
  FAIRWAY_TRY(const Frame frame, evaluate_node(run, subquery.expr, inner));
  vector.owned.reserve(frame.rows());
  for (std::size_t row = 0; row < frame.rows(); ++row) {
    std::vector<Sample> samples;
    for (std::size_t step = 0; step < inner.count; ++step) {
      if (is_present(frame.cell(row, step))) samples.push_back({inner.at(step), frame.cell(row, step)});
    }
    if (samples.empty()) continue;
    FAIRWAY_CHECKED(hold(run, vector, samples.size()));
    vector.owned.push_back(std::move(samples));
    vector.series.push_back({frame.row(row).labels, vector.owned.back(), frame.row(row).drop_name});
  }
  return vector;
}

// Slides over one series: the samples of the window at each step, found by moving both ends forward.
class Slider {
 public:
  Slider(std::span<const Sample> samples, const RangeVector& vector, Margin margin, const Steps& steps)
      : samples_(samples), vector_(vector), margin_(margin), steps_(steps) {}

  Window at(std::size_t step) {
    Window window;
    window.now = steps_.at(step);
    window.end = vector_.look.at(steps_, step);
    window.start = window.end - vector_.range;
    while (end_ < samples_.size() && samples_[end_].time <= window.end + margin_.after) ++end_;
    while (begin_ < end_ && samples_[begin_].time <= window.start - margin_.before) ++begin_;
    window.samples = samples_.subspan(begin_, end_ - begin_);
    return window;
  }

 private:
  std::span<const Sample> samples_;
  const RangeVector& vector_;
  Margin margin_;
  Steps steps_;
  std::size_t begin_ = 0;
  std::size_t end_ = 0;
};

// Released when the function is done, whichever way.
struct Held {
  Evaluation& run;
  const RangeVector& vector;
  ~Held() { run.budget.release_samples(vector.charged); }
};

using Scalars = std::vector<std::vector<double>>;  // of each argument but the range vector

Result<Scalars> scalar_arguments(Evaluation& run, const Call& call, const Steps& steps,
                                 std::size_t range_arg) {
  Scalars scalars;
  for (std::size_t i = 0; i < call.args.size(); ++i) {
    if (i == range_arg) continue;
    FAIRWAY_TRY(auto values, evaluate_scalar(run, call.args[i], steps));
    scalars.push_back(std::move(values));
  }
  return scalars;
}

std::size_t range_argument(const Evaluation& run, const Call& call) {
  for (std::size_t i = 0; i < call.args.size(); ++i) {
    if (run.node(call.args[i]).type == ValueType::Matrix) return i;
  }
  return call.args.size();
}

Result<void> check_modifiers(const RangeVector& vector, const RangeFunction& function) {
  if (vector.anchored && !function.anchored) {
    return fail(ErrorCode::Invalid, fmt::format("anchored modifier can only be used with: changes, delta, "
                                                "increase, rate, resets - not with {}",
                                                function.name));
  }
  if (vector.smoothed && !function.smoothed) {
    return fail(ErrorCode::Invalid,
                fmt::format("smoothed modifier can only be used with: delta, increase, rate "
                            "- not with {}",
                            function.name));
  }
  return {};
}

// Fills a row with the function's value at each step; false when there is none at all.
Result<bool> fill_row(Evaluation& run, const RangeFunction& function, const RangeVector& vector,
                      const RangeSeries& series, const Scalars& scalars, const Steps& steps,
                      std::span<double> cells) {
  Slider slider(series.samples, vector, margin_of(run, vector), steps);
  RangeArguments arguments{{}, vector.anchored, vector.smoothed};
  bool any = false;
  for (std::size_t step = 0; step < steps.count; ++step) {
    if (step > 0 && vector.look.fixed && !function.uses_now && scalars.empty()) {
      cells[step] = cells[0];  // @ looks at the same samples at every step
      continue;
    }
    const Window window = slider.at(step);
    if (window.samples.empty()) continue;
    for (std::size_t i = 0; i < scalars.size(); ++i) arguments.scalars[i] = scalars[i][step];
    const auto value = function.compute(window, arguments);
    if (value) cells[step] = *value;
    any = any || value;
    FAIRWAY_CHECKED(run.budget.work(window.samples.size() + 1));
  }
  return any;
}

Result<Frame> absent_over_time(Evaluation& run, const Node& argument, const RangeVector& vector,
                               const Steps& steps) {
  Frame frame(run.budget, steps.count);
  FAIRWAY_TRY(const auto cells, frame.add({labels_of_absent(run, argument), true}));
  std::fill(cells.begin(), cells.end(), 1.0);
  for (const RangeSeries& series : vector.series) {
    Slider slider(series.samples, vector, margin_of(run, vector), steps);
    for (std::size_t step = 0; step < steps.count; ++step) {
      if (!slider.at(step).samples.empty()) cells[step] = absent_cell();
    }
    FAIRWAY_CHECKED(run.budget.work(series.samples.size() + steps.count));
  }
  frame.remove_empty_rows();
  return frame;
}

void report(const Evaluation& run, NodeId id, const RangeVector& vector) {
  if (!run.options.observer) return;
  std::size_t samples = 0;
  for (const RangeSeries& series : vector.series) samples += series.samples.size();
  run.options.observer->saw_range(id, vector.series.size(), samples);
}

bool looks_like_counter(std::string_view name) {
  return name.ends_with("_total") || name.ends_with("_sum") || name.ends_with("_count") ||
         name.ends_with("_bucket");
}

}  // namespace

bool is_range_function(const Evaluation& run, const Call& call) {
  return range_argument(run, call) < call.args.size();
}

Result<RangeVector> evaluate_range_vector(Evaluation& run, const Node& node, const Steps& steps) {
  if (const auto* matrix = node.as<MatrixSelector>()) return select_range(run, *matrix, steps);
  return evaluate_subquery(run, *node.as<Subquery>(), steps);
}

Result<Frame> evaluate_range_call(Evaluation& run, const Call& call, const Steps& steps) {
  const std::size_t range_arg = range_argument(run, call);
  const Node& argument = run.argument(call, range_arg);
  FAIRWAY_TRY(const Scalars scalars, scalar_arguments(run, call, steps, range_arg));
  FAIRWAY_TRY(const RangeVector vector, evaluate_range_vector(run, argument, steps));
  const Held held{run, vector};
  report(run, run.expr.unwrapped(call.args[range_arg]), vector);
  if (call.function->name == "absent_over_time") return absent_over_time(run, argument, vector, steps);

  const RangeFunction* function = find_range_function(call.function->name);
  if (!function) {
    return fail(ErrorCode::Unsupported, fmt::format("function {} is not supported", call.function->name));
  }
  FAIRWAY_CHECKED(check_modifiers(vector, *function));
  if (!vector.series.empty()) FAIRWAY_CHECKED(check_scalars(run, *function, scalars, argument.span));
  Frame frame(run.budget, steps.count);
  frame.reserve(vector.series.size());
  std::vector<double> row(steps.count);
  for (const RangeSeries& series : vector.series) {
    std::fill(row.begin(), row.end(), absent_cell());
    FAIRWAY_TRY(const bool any, fill_row(run, *function, vector, series, scalars, steps, row));
    if (!any) continue;
    const bool drop = !function->keeps_name || series.drop_name;
    const bool drop_now = drop && run.drops_names_now();
    FAIRWAY_TRY(const auto cells, frame.add({drop_now ? series.labels.without_name() : series.labels, drop}));
    std::copy(row.begin(), row.end(), cells.begin());
    if (!function->wants_counter) continue;
    const std::string_view name = series.labels.metric_name();
    if (!name.empty() && !looks_like_counter(name)) run.annotations.possible_non_counter(name, argument.span);
  }
  if (run.drops_names_now() && !function->keeps_name && has_equal_rows(frame)) {
    return std::unexpected(same_labelset());
  }
  return frame;
}

Result<std::vector<ResultSeries>> evaluate_matrix(Evaluation& run, const Node& node, const Steps& steps) {
  FAIRWAY_TRY(const RangeVector vector, evaluate_range_vector(run, node, steps));
  const Held held{run, vector};
  std::vector<ResultSeries> result;
  std::size_t charged = 0;
  for (const RangeSeries& series : vector.series) {
    Slider slider(series.samples, vector, margin_of(run, vector), steps);
    const Window window = slider.at(0);
    std::vector<Sample> samples(window.samples.begin(), window.samples.end());
    if (vector.anchored || vector.smoothed) samples = extend_to_edges(window, vector.smoothed);
    if (samples.empty()) continue;
    charged += samples.size();
    FAIRWAY_CHECKED(run.budget.take_samples(samples.size()));
    result.push_back({series.drop_name ? series.labels.without_name() : series.labels, std::move(samples)});
  }
  run.budget.release_samples(charged);
  std::sort(result.begin(), result.end(), [](const auto& l, const auto& r) { return l.labels < r.labels; });
  const auto equal = [](const auto& l, const auto& r) { return l.labels == r.labels; };
  if (std::adjacent_find(result.begin(), result.end(), equal) != result.end()) {
    return std::unexpected(same_labelset());
  }
  return result;
}

}  // namespace fairway::promql
