#include <algorithm>
#include <cmath>
#include <numbers>

#include "promql/evaluation.hpp"
#include "promql/functions.hpp"
#include "promql/kernels.hpp"

namespace fairway::promql {
namespace {

double sign(double value) {
  if (value < 0) return -1;
  return value > 0 ? 1 : value;
}

struct Simple {
  std::string_view name;
  double (*compute)(double value);
};

// Sorted by name.
constexpr Simple kSimple[] = {
    {"abs", [](double v) { return std::abs(v); }},
    {"acos", [](double v) { return std::acos(v); }},
    {"acosh", [](double v) { return std::acosh(v); }},
    {"asin", [](double v) { return std::asin(v); }},
    {"asinh", [](double v) { return std::asinh(v); }},
    {"atan", [](double v) { return std::atan(v); }},
    {"atanh", [](double v) { return std::atanh(v); }},
    {"ceil", [](double v) { return std::ceil(v); }},
    {"cos", [](double v) { return std::cos(v); }},
    {"cosh", [](double v) { return std::cosh(v); }},
    {"deg", [](double v) { return v * 180 / std::numbers::pi; }},
    {"exp", [](double v) { return std::exp(v); }},
    {"floor", [](double v) { return std::floor(v); }},
    {"ln", [](double v) { return std::log(v); }},
    {"log10", [](double v) { return std::log10(v); }},
    {"log2", [](double v) { return std::log2(v); }},
    {"rad", [](double v) { return v * std::numbers::pi / 180; }},
    {"sgn", sign},
    {"sin", [](double v) { return std::sin(v); }},
    {"sinh", [](double v) { return std::sinh(v); }},
    {"sqrt", [](double v) { return std::sqrt(v); }},
    {"tan", [](double v) { return std::tan(v); }},
    {"tanh", [](double v) { return std::tanh(v); }},
};

struct Date {
  std::string_view name;
  DatePart part;
};

constexpr Date kDates[] = {
    {"day_of_month", DatePart::DayOfMonth},
    {"day_of_week", DatePart::DayOfWeek},
    {"day_of_year", DatePart::DayOfYear},
    {"days_in_month", DatePart::DaysInMonth},
    {"hour", DatePart::Hour},
    {"minute", DatePart::Minute},
    {"month", DatePart::Month},
    {"year", DatePart::Year},
};

// Each sample replaced by `compute(step, value)`; absent cells stay so. The names go.
template <class Compute>
Result<Frame> transform(Evaluation& run, Frame frame, Compute compute) {
  for (std::size_t row = 0; row < frame.rows(); ++row) {
    const auto cells = frame.cells(row);
    for (std::size_t step = 0; step < cells.size(); ++step) {
      if (is_present(cells[step])) cells[step] = compute(step, cells[step]);
    }
  }
  FAIRWAY_CHECKED(run.budget.work(frame.all_cells().size()));
  return drop_names(run, std::move(frame));
}

Result<Frame> evaluate_date(Evaluation& run, const Call& call, const Steps& steps, DatePart part) {
  if (!call.args.empty()) {
    FAIRWAY_TRY(Frame frame, evaluate_node(run, call.args[0], steps));
    return transform(run, std::move(frame),
                     [&](std::size_t, double value) { return date_part(part, std::trunc(value)); });
  }
  Frame frame(run.budget, steps.count);
  FAIRWAY_TRY(const auto cells, frame.add({}));
  for (std::size_t step = 0; step < steps.count; ++step) {
    const Millis whole_seconds = steps.at(step) / 1000;
    cells[step] = date_part(part, static_cast<double>(whole_seconds));
  }
  return frame;
}

// clamp(v, min, max), clamp_min(v, min), clamp_max(v, max); nothing where min is above max.
Result<Frame> evaluate_clamp(Evaluation& run, const Call& call, const Steps& steps) {
  FAIRWAY_TRY(Frame frame, evaluate_node(run, call.args[0], steps));
  FAIRWAY_TRY(std::vector<double> lower, evaluate_scalar(run, call.args[1], steps));
  std::vector<double> upper(steps.count, kInf);
  if (call.function->name == "clamp") {
    FAIRWAY_TRY(upper, evaluate_scalar(run, call.args[2], steps));
  } else if (call.function->name == "clamp_max") {
    upper.swap(lower);
    std::fill(lower.begin(), lower.end(), -kInf);
  }
  FAIRWAY_TRY(frame, transform(run, std::move(frame), [&](std::size_t step, double value) {
                if (upper[step] < lower[step]) return absent_cell();
                return largest(lower[step], smallest(upper[step], value));
              }));
  frame.remove_empty_rows();
  return frame;
}

Result<Frame> evaluate_round(Evaluation& run, const Call& call, const Steps& steps) {
  FAIRWAY_TRY(Frame frame, evaluate_node(run, call.args[0], steps));
  std::vector<double> nearest(steps.count, 1.0);
  if (call.args.size() > 1) {
    FAIRWAY_TRY(nearest, evaluate_scalar(run, call.args[1], steps));
  }
  return transform(run, std::move(frame), [&](std::size_t step, double value) {
    const double inverse = 1.0 / nearest[step];  // multiplying loses less than dividing
    return std::floor(value * inverse + 0.5) / inverse;
  });
}

template <class Table>
auto find_in(const Table& table, std::string_view name) {
  const auto found = std::lower_bound(std::begin(table), std::end(table), name,
                                      [](const auto& entry, std::string_view n) { return entry.name < n; });
  return found != std::end(table) && found->name == name ? found : nullptr;
}

}  // namespace

Result<std::optional<Frame>> evaluate_math(Evaluation& run, const Call& call, const Steps& steps) {
  const std::string_view name = call.function->name;
  if (const Simple* simple = find_in(kSimple, name)) {
    FAIRWAY_TRY(Frame frame, evaluate_node(run, call.args[0], steps));
    return transform(run, std::move(frame),
                     [&](std::size_t, double value) { return simple->compute(value); });
  }
  if (const Date* date = find_in(kDates, name)) return evaluate_date(run, call, steps, date->part);
  if (name == "clamp" || name == "clamp_min" || name == "clamp_max") return evaluate_clamp(run, call, steps);
  if (name == "round") return evaluate_round(run, call, steps);
  return std::optional<Frame>{};
}

}  // namespace fairway::promql
