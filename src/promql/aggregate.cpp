#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <unordered_map>

#include "promql/evaluation.hpp"
#include "promql/kernels.hpp"

namespace fairway::promql {
namespace {

// One group at one step, while its samples come in.
struct Group {
  bool seen = false;
  double value = 0;
  double mean = 0;
  double count = 0;
  CompensatedSum sum;
  Average average;
  std::vector<double> values;  // for quantiles

  void reset() {
    seen = false;
    count = 0;
    sum = {};
    average = {};
    values.clear();
  }
  void add(AggregateOp op, double sample);
  double result(AggregateOp op, double parameter);

 private:
  void add_deviation(double sample);
};

void Group::add_deviation(double sample) {
  if (!seen) {
    value = std::isfinite(sample) ? 0 : kNaN;
    mean = sample;
    return;
  }
  const double delta = sample - mean;
  mean += delta / count;
  value += delta * (sample - mean);
}

void Group::add(AggregateOp op, double sample) {
  count += 1;
  switch (op) {
    case AggregateOp::Sum:
      if (seen) {
        sum.add(sample);
      } else {
        sum.sum = sample;
      }
      break;
    case AggregateOp::Avg:
      average.add(sample);
      break;
    case AggregateOp::Min:
      if (!seen || value > sample || std::isnan(value)) value = sample;
      break;
    case AggregateOp::Max:
      if (!seen || value < sample || std::isnan(value)) value = sample;
      break;
    case AggregateOp::Stddev:
    case AggregateOp::Stdvar:
      add_deviation(sample);
      break;
    case AggregateOp::Quantile:
      values.push_back(sample);
      break;
    default:
      break;
  }
  seen = true;
}

double Group::result(AggregateOp op, double parameter) {
  switch (op) {
    case AggregateOp::Sum:
      return sum.sum + sum.compensation;
    case AggregateOp::Avg:
      return average.result();
    case AggregateOp::Count:
      return count;
    case AggregateOp::Group:
      return 1;
    case AggregateOp::Stdvar:
      return value / count;
    case AggregateOp::Stddev:
      return std::sqrt(value / count);
    case AggregateOp::Quantile:
      return quantile(parameter, values);
    default:
      return value;
  }
}

struct Groups {
  std::vector<std::size_t> of_row;
  Frame frame;  // a row a group, still empty
};

Result<Groups> make_groups(Evaluation& run, const Aggregate& aggregate, const Frame& input) {
  const Grouping grouping(!aggregate.without, aggregate.grouping);
  Groups groups{std::vector<std::size_t>(input.rows()), Frame(run.budget, input.steps())};
  std::unordered_map<std::string, std::size_t> index;
  std::string key;
  for (std::size_t i = 0; i < input.rows(); ++i) {
    const Frame::Row& row = input.row(i);
    std::size_t group = 0;
    if (!grouping.is_single()) {
      key.clear();
      grouping.append_key(row.labels, key);
      group = index.try_emplace(key, groups.frame.rows()).first->second;
    }
    if (group == groups.frame.rows()) {
      const Labels labels = grouping.labels(row.labels);
      FAIRWAY_CHECKED(run.budget.take_labels(labels.bytes()));
      FAIRWAY_CHECKED(groups.frame.add({labels}));
    }
    groups.of_row[i] = group;
    if (row.drop_name) groups.frame.row(group).drop_name = true;
  }
  FAIRWAY_CHECKED(run.budget.work(input.rows()));
  return groups;
}

Result<Frame> aggregate_values(Evaluation& run, const Aggregate& aggregate, const Frame& input,
                               const std::vector<double>& parameters) {
  FAIRWAY_TRY(Groups groups, make_groups(run, aggregate, input));
  std::vector<Group> states(groups.frame.rows());
  for (std::size_t step = 0; step < input.steps(); ++step) {
    for (Group& state : states) state.reset();
    for (std::size_t row = 0; row < input.rows(); ++row) {
      const double cell = input.cell(row, step);
      if (is_present(cell)) states[groups.of_row[row]].add(aggregate.op, cell);
    }
    const double parameter = parameters.empty() ? 0 : parameters[step];
    for (std::size_t i = 0; i < states.size(); ++i) {
      if (states[i].seen) groups.frame.cells(i)[step] = states[i].result(aggregate.op, parameter);
    }
    FAIRWAY_CHECKED(run.budget.work(input.rows() + states.size()));
  }
  groups.frame.remove_empty_rows();
  return std::move(groups.frame);
}

void remark_on_quantiles(Evaluation& run, const std::vector<double>& quantiles, Span span) {
  double least = kInf;
  double most = -kInf;
  for (const double q : quantiles) {
    if (std::isnan(q)) {
      run.annotations.invalid_quantile(q, span);
      continue;
    }
    least = std::min(least, q);
    most = std::max(most, q);
  }
  if (most > 1) run.annotations.invalid_quantile(most, span);
  if (least < 0) run.annotations.invalid_quantile(least, span);
}

bool selects_rows(AggregateOp op) {
  return op == AggregateOp::Topk || op == AggregateOp::Bottomk || op == AggregateOp::Limitk ||
         op == AggregateOp::LimitRatio;
}

}  // namespace

Result<Frame> evaluate_aggregate(Evaluation& run, const Aggregate& aggregate, const Steps& steps) {
  if (selects_rows(aggregate.op)) return evaluate_selection(run, aggregate, steps);
  if (aggregate.op == AggregateOp::CountValues) return evaluate_count_values(run, aggregate, steps);
  std::vector<double> parameters;
  if (aggregate.op == AggregateOp::Quantile) {
    FAIRWAY_TRY(parameters, evaluate_scalar(run, aggregate.param, steps));
    remark_on_quantiles(run, parameters, run.node(aggregate.param).span);
  }
  FAIRWAY_TRY(const Frame input, evaluate_node(run, aggregate.expr, steps));
  return aggregate_values(run, aggregate, input, parameters);
}

}  // namespace fairway::promql
