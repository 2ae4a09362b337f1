#include "promql/evaluator.hpp"

#include <algorithm>
#include <fmt/format.h>

#include "promql/evaluation.hpp"

namespace fairway::promql {
namespace {

// Times beyond this, some 30,000 years away from 1970, are refused: sums of a few of them still fit.
constexpr Millis kFarthest = 1'000'000'000'000'000;

Result<void> check_query(const Expr& expr, const EvalOptions& options) {
  if (expr.depth() > options.limits.max_depth) {
    return fail(ErrorCode::Invalid, fmt::format("the query nests {} deep, deeper than the limit of {}",
                                                expr.depth(), options.limits.max_depth));
  }
  return {};
}

Result<void> check_time(std::string_view what, Millis time) {
  if (time >= -kFarthest && time <= kFarthest) return {};
  return fail(ErrorCode::Invalid, fmt::format("expected {} within 30,000 years of 1970, found {} seconds",
                                              what, format_seconds(time)));
}

// Names that were to be dropped are dropped, and what has become equal is merged.
Result<Frame> finish(Evaluation& run, Frame frame) {
  frame.remove_empty_rows();
  if (run.drops_names_now()) return frame;
  bool dropped = false;
  for (std::size_t i = 0; i < frame.rows(); ++i) {
    Frame::Row& row = frame.row(i);
    if (!row.drop_name) continue;
    row.labels = row.labels.without_name();
    dropped = true;
  }
  return dropped ? merge_equal_rows(std::move(frame), run.budget) : Result<Frame>(std::move(frame));
}

std::vector<ResultSeries> to_series(const Frame& frame, const Steps& steps) {
  std::vector<ResultSeries> result;
  result.reserve(frame.rows());
  for (std::size_t row = 0; row < frame.rows(); ++row) {
    ResultSeries series{frame.row(row).labels, {}};
    for (std::size_t step = 0; step < steps.count; ++step) {
      if (is_present(frame.cell(row, step)))
        series.samples.push_back({steps.at(step), frame.cell(row, step)});
    }
    result.push_back(std::move(series));
  }
  return result;
}

void sort_by_labels(std::vector<ResultSeries>& series) {
  std::sort(series.begin(), series.end(),
            [](const ResultSeries& left, const ResultSeries& right) { return left.labels < right.labels; });
}

void conclude(Evaluation& run, QueryResult& result) {
  result.annotations = run.annotations.all();
  result.peak_samples = run.budget.peak_samples();
}

}  // namespace

Result<QueryResult> evaluate_instant(const Expr& expr, const Source& source, Millis at,
                                     const EvalOptions& options) {
  FAIRWAY_CHECKED(check_query(expr, options));
  FAIRWAY_CHECKED(check_time("a time of evaluation", at));
  Evaluation run{
      expr, source, options, {at, at, 0}, Budget(options.limits, options.clock, options.cancelled)};
  const Steps steps{at, 1, 1};
  QueryResult result{.type = expr.type()};
  if (expr.type() == ValueType::String) {
    result.text = expr.node(expr.unwrapped(expr.root_id())).as<StringLiteral>()->value;
  } else if (expr.type() == ValueType::Matrix) {
    FAIRWAY_TRY(result.series, evaluate_matrix(run, expr.node(expr.unwrapped(expr.root_id())), steps));
  } else {
    FAIRWAY_TRY(Frame frame, evaluate_node(run, expr.root_id(), steps));
    FAIRWAY_TRY(frame, finish(run, std::move(frame)));
    if (expr.type() == ValueType::Scalar) {
      result.scalar = {at, frame.cell(0, 0)};
    } else {
      result.series = to_series(frame, steps);
    }
  }
  conclude(run, result);
  return result;
}

Result<QueryResult> evaluate_range(const Expr& expr, const Source& source, const QueryRange& range,
                                   const EvalOptions& options) {
  FAIRWAY_CHECKED(check_query(expr, options));
  if (expr.type() != ValueType::Scalar && expr.type() != ValueType::Vector) {
    return fail(
        ErrorCode::Invalid,
        fmt::format("invalid expression type \"{}\" for range query, must be Scalar or instant Vector",
                    documented(expr.type())));
  }
  FAIRWAY_CHECKED(check_time("a start", range.start));
  FAIRWAY_CHECKED(check_time("an end", range.end));
  if (range.step <= 0) return fail(ErrorCode::Invalid, "expected a step longer than zero");
  if (range.end < range.start) return fail(ErrorCode::Invalid, "expected the end not before the start");
  const Steps steps{range.start, range.step,
                    static_cast<std::size_t>((range.end - range.start) / range.step) + 1};
  if (steps.count > options.limits.max_steps) {
    return fail(ErrorCode::Invalid, fmt::format("the range has {} steps, more than the limit of {}: choose a "
                                                "longer step or a shorter range",
                                                steps.count, options.limits.max_steps));
  }
  Evaluation run{expr, source, options, range, Budget(options.limits, options.clock, options.cancelled)};
  FAIRWAY_TRY(Frame frame, evaluate_node(run, expr.root_id(), steps));
  FAIRWAY_TRY(frame, finish(run, std::move(frame)));
  QueryResult result{.type = ValueType::Matrix};
  result.series = to_series(frame, steps);
  sort_by_labels(result.series);
  conclude(run, result);
  return result;
}

}  // namespace fairway::promql
