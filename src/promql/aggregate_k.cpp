// The aggregations whose results are input series (topk, bottomk, limitk, limit_ratio) or made of input
// values (count_values).
#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <unordered_map>

#include "base/text.hpp"
#include "promql/evaluation.hpp"

namespace fairway::promql {
namespace {

struct Grouped {
  std::vector<std::size_t> of_row;
  std::size_t count = 0;
};

Grouped group_rows(const Aggregate& aggregate, const Frame& input) {
  const Grouping grouping(!aggregate.without, aggregate.grouping);
  Grouped grouped{std::vector<std::size_t>(input.rows()), input.empty() ? 0u : 1u};
  if (grouping.is_single()) return grouped;
  std::unordered_map<std::string, std::size_t> index;
  std::string key;
  for (std::size_t i = 0; i < input.rows(); ++i) {
    key.clear();
    grouping.append_key(input.row(i).labels, key);
    grouped.of_row[i] = index.try_emplace(key, index.size()).first->second;
  }
  grouped.count = index.size();
  return grouped;
}

// Chooses rows of each group at one step; best first where there is a best.
class Chooser {
 public:
  Chooser(AggregateOp op, const Frame& input, std::size_t step) : op_(op), input_(input), step_(step) {}

  void choose(std::vector<std::size_t>& rows, double parameter) const {
    if (op_ == AggregateOp::LimitRatio) {
      std::erase_if(rows,
                    [&](std::size_t row) { return !is_sampled(row, std::clamp(parameter, -1.0, 1.0)); });
      return;
    }
    const auto wanted =
        static_cast<std::size_t>(std::clamp(parameter, 0.0, static_cast<double>(rows.size())));
    std::partial_sort(rows.begin(), rows.begin() + static_cast<std::ptrdiff_t>(wanted), rows.end(),
                      [&](std::size_t left, std::size_t right) { return ranks_before(left, right); });
    rows.resize(wanted);
  }

 private:
  // NaN ranks behind all numbers; equal values, and all for limitk, rank by their labels, so that the choice
  // is always the same.
  bool ranks_before(std::size_t left, std::size_t right) const {
    if (op_ == AggregateOp::Limitk) return input_.row(left).labels < input_.row(right).labels;
    const double l = input_.cell(left, step_);
    const double r = input_.cell(right, step_);
    if (std::isnan(l) != std::isnan(r)) return std::isnan(r);
    if (l < r || l > r) return op_ == AggregateOp::Topk ? l > r : l < r;
    return input_.row(left).labels < input_.row(right).labels;
  }

  // The hash of a series places it between 0 and 1, always at the same point.
  bool is_sampled(std::size_t row, double ratio) const {
    const double place = static_cast<double>(input_.row(row).labels.hash()) / 18446744073709551615.0;
    return ratio >= 0 ? place < ratio : place >= 1.0 + ratio;
  }

  AggregateOp op_;
  const Frame& input_;
  std::size_t step_;
};

Result<void> check_parameters(Evaluation& run, const Aggregate& aggregate,
                              const std::vector<double>& values) {
  const bool is_ratio = aggregate.op == AggregateOp::LimitRatio;
  if (std::any_of(values.begin(), values.end(), [](double value) { return std::isnan(value); })) {
    return fail(ErrorCode::Invalid, is_ratio ? "Ratio value is NaN" : "Parameter value is NaN");
  }
  const auto [least, most] = std::minmax_element(values.begin(), values.end());
  if (is_ratio) {
    const Span span = run.node(aggregate.param).span;
    if (*most > 1) run.annotations.invalid_ratio(*most, 1, span);
    if (*least < -1) run.annotations.invalid_ratio(*least, -1, span);
    return {};
  }
  if (*least <= -0x1p63) {
    return fail(ErrorCode::Invalid, fmt::format("Scalar value {} underflows int64", format_general(*least)));
  }
  if (*most >= 0x1p63) {
    return fail(ErrorCode::Invalid, fmt::format("Scalar value {} overflows int64", format_general(*most)));
  }
  return {};
}

// No series at any step: then the other checks do not matter, as in Prometheus.
bool selects_nothing(const Aggregate& aggregate, const std::vector<double>& values) {
  if (aggregate.op == AggregateOp::LimitRatio) {
    return std::all_of(values.begin(), values.end(), [](double value) { return value == 0; });
  }
  return std::all_of(values.begin(), values.end(), [](double value) { return value < 1; });
}

Result<Frame> select_rows(Evaluation& run, const Aggregate& aggregate, const Frame& input,
                          const std::vector<double>& parameters) {
  const Grouped grouped = group_rows(aggregate, input);
  Frame result(run.budget, input.steps());
  std::vector<std::size_t> place(input.rows(), input.rows());  // of an input row in the result
  std::vector<std::vector<std::size_t>> candidates(grouped.count);
  for (std::size_t step = 0; step < input.steps(); ++step) {
    for (auto& rows : candidates) rows.clear();
    for (std::size_t row = 0; row < input.rows(); ++row) {
      if (is_present(input.cell(row, step))) candidates[grouped.of_row[row]].push_back(row);
    }
    const Chooser chooser(aggregate.op, input, step);
    for (auto& rows : candidates) {
      chooser.choose(rows, parameters[step]);
      for (const std::size_t row : rows) {
        if (place[row] == input.rows()) {
          place[row] = result.rows();
          FAIRWAY_CHECKED(result.add(input.row(row)));
        }
        result.cells(place[row])[step] = input.cell(row, step);
      }
    }
    FAIRWAY_CHECKED(run.budget.work(input.rows() * 4));
  }
  return result;
}

}  // namespace

Result<Frame> evaluate_selection(Evaluation& run, const Aggregate& aggregate, const Steps& steps) {
  FAIRWAY_TRY(const auto parameters, evaluate_scalar(run, aggregate.param, steps));
  FAIRWAY_TRY(const Frame input, evaluate_node(run, aggregate.expr, steps));
  if (selects_nothing(aggregate, parameters)) return Frame(run.budget, steps.count);
  FAIRWAY_CHECKED(check_parameters(run, aggregate, parameters));
  return select_rows(run, aggregate, input, parameters);
}

Result<Frame> evaluate_count_values(Evaluation& run, const Aggregate& aggregate, const Steps& steps) {
  const std::string_view label = run.node(run.expr.unwrapped(aggregate.param)).as<StringLiteral>()->value;
  if (label.empty() || !is_valid_utf8(label)) {
    return fail(ErrorCode::Invalid, fmt::format("invalid label name {}", quote_label_value(label)));
  }
  FAIRWAY_TRY(const Frame input, evaluate_node(run, aggregate.expr, steps));
  std::vector<std::string_view> names(aggregate.grouping.begin(), aggregate.grouping.end());
  if (!aggregate.without) names.push_back(label);
  const Grouping grouping(!aggregate.without, names);
  KeyedFrame result(run.budget, steps.count);
  for (std::size_t row = 0; row < input.rows(); ++row) {
    for (std::size_t step = 0; step < steps.count; ++step) {
      const double value = input.cell(row, step);
      if (!is_present(value)) continue;
      const Labels with_value = LabelsBuilder(input.row(row).labels).set(label, format_value(value)).labels();
      const Labels labels = grouping.labels(with_value);
      FAIRWAY_TRY(const std::size_t group, result.row(labels, false));
      double& cell = result.frame().cells(group)[step];
      cell = is_present(cell) ? cell + 1 : 1;
    }
    FAIRWAY_CHECKED(run.budget.work(steps.count));
  }
  return std::move(result).take();
}

}  // namespace fairway::promql
