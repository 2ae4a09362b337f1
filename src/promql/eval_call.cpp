#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <numbers>

#include "promql/evaluation.hpp"
#include "promql/functions.hpp"
#include "promql/kernels.hpp"

namespace fairway::promql {
namespace {

using Evaluate = Result<Frame> (*)(Evaluation& run, const Call& call, const Steps& steps);

Result<Frame> evaluate_time(Evaluation& run, const Call&, const Steps& steps) {
  Frame frame(run.budget, steps.count);
  FAIRWAY_TRY(const auto cells, frame.add({}));
  for (std::size_t step = 0; step < steps.count; ++step) cells[step] = seconds(steps.at(step));
  return frame;
}

template <class Value>
Result<Frame> constant(Evaluation& run, const Steps& steps, Value value) {
  return single_row(run, steps, static_cast<double>(value));
}

Result<Frame> evaluate_vector(Evaluation& run, const Call& call, const Steps& steps) {
  return evaluate_node(run, call.args[0], steps);  // a scalar's frame is one row without labels
}

Result<Frame> evaluate_scalar_of(Evaluation& run, const Call& call, const Steps& steps) {
  FAIRWAY_TRY(const Frame vector, evaluate_node(run, call.args[0], steps));
  Frame frame(run.budget, steps.count);
  FAIRWAY_TRY(const auto cells, frame.add({}));
  for (std::size_t step = 0; step < steps.count; ++step) {
    std::size_t found = 0;
    double value = kNaN;
    for (std::size_t row = 0; row < vector.rows() && found < 2; ++row) {
      if (!is_present(vector.cell(row, step))) continue;
      value = vector.cell(row, step);
      ++found;
    }
    cells[step] = found == 1 ? value : kNaN;
  }
  return frame;
}

Result<Frame> evaluate_absent(Evaluation& run, const Call& call, const Steps& steps) {
  FAIRWAY_TRY(const Frame vector, evaluate_node(run, call.args[0], steps));
  Frame frame(run.budget, steps.count);
  FAIRWAY_TRY(const auto cells, frame.add({labels_of_absent(run, run.argument(call, 0))}));
  std::fill(cells.begin(), cells.end(), 1.0);
  for (std::size_t row = 0; row < vector.rows(); ++row) {
    for (std::size_t step = 0; step < steps.count; ++step) {
      if (is_present(vector.cell(row, step))) cells[step] = absent_cell();
    }
  }
  frame.remove_empty_rows();
  return frame;
}

Result<Frame> evaluate_timestamp(Evaluation& run, const Call& call, const Steps& steps) {
  const Node& argument = run.argument(call, 0);
  if (const auto* selector = argument.as<VectorSelector>(); selector && !selector->smoothed) {
    FAIRWAY_TRY(Frame frame, evaluate_timestamps(run, *selector, steps));
    return drop_names(run, std::move(frame));
  }
  FAIRWAY_TRY(Frame frame, evaluate_node(run, call.args[0], steps));
  for (std::size_t row = 0; row < frame.rows(); ++row) {
    const auto cells = frame.cells(row);
    for (std::size_t step = 0; step < steps.count; ++step) {
      if (is_present(cells[step])) cells[step] = seconds(steps.at(step));
    }
  }
  return drop_names(run, std::move(frame));
}

Result<Frame> combine_with(Evaluation& run, const Call& call, const Steps& steps,
                           double (*pick)(double, double)) {
  FAIRWAY_TRY(Frame left, evaluate_node(run, call.args[0], steps));
  FAIRWAY_TRY(const Frame right, evaluate_node(run, call.args[1], steps));
  const auto cells = left.cells(0);
  for (std::size_t step = 0; step < steps.count; ++step) cells[step] = pick(cells[step], right.cell(0, step));
  return left;
}

Result<Frame> refuse_native_histograms(Evaluation&, const Call& call, const Steps&) {
  return fail(ErrorCode::Unsupported,
              fmt::format("native histograms are not supported, and {}() works on nothing else",
                          call.function->name));
}

struct Entry {
  std::string_view name;
  Evaluate evaluate;
};

// Sorted by name. Functions of range vectors and plain arithmetic have tables of their own.
constexpr Entry kFunctions[] = {
    {"absent", evaluate_absent},
    {"end",
     [](Evaluation& run, const Call&, const Steps& s) { return constant(run, s, seconds(run.times.end)); }},
    {"histogram_avg", refuse_native_histograms},
    {"histogram_count", refuse_native_histograms},
    {"histogram_fraction", evaluate_histogram_fraction},
    {"histogram_quantile", evaluate_histogram_quantile},
    {"histogram_quantiles", evaluate_histogram_quantiles},
    {"histogram_stddev", refuse_native_histograms},
    {"histogram_stdvar", refuse_native_histograms},
    {"histogram_sum", refuse_native_histograms},
    {"info", evaluate_info},
    {"label_join", evaluate_label_join},
    {"label_replace", evaluate_label_replace},
    {"max_of",
     [](Evaluation& run, const Call& c, const Steps& s) { return combine_with(run, c, s, largest); }},
    {"min_of",
     [](Evaluation& run, const Call& c, const Steps& s) { return combine_with(run, c, s, smallest); }},
    {"pi", [](Evaluation& run, const Call&, const Steps& s) { return constant(run, s, std::numbers::pi); }},
    {"range", [](Evaluation& run, const Call&,
                 const Steps& s) { return constant(run, s, seconds(run.times.end - run.times.start)); }},
    {"scalar", evaluate_scalar_of},
    {"sort", [](Evaluation& run, const Call& c, const Steps& s) { return evaluate_sort(run, c, s, false); }},
    {"sort_by_label",
     [](Evaluation& run, const Call& c, const Steps& s) { return evaluate_sort_by_label(run, c, s, false); }},
    {"sort_by_label_desc",
     [](Evaluation& run, const Call& c, const Steps& s) { return evaluate_sort_by_label(run, c, s, true); }},
    {"sort_desc",
     [](Evaluation& run, const Call& c, const Steps& s) { return evaluate_sort(run, c, s, true); }},
    {"start",
     [](Evaluation& run, const Call&, const Steps& s) { return constant(run, s, seconds(run.times.start)); }},
    {"step",
     [](Evaluation& run, const Call&, const Steps& s) { return constant(run, s, seconds(run.times.step)); }},
    {"time", evaluate_time},
    {"timestamp", evaluate_timestamp},
    {"vector", evaluate_vector},
};

}  // namespace

Result<Frame> evaluate_call(Evaluation& run, const Call& call, const Steps& steps) {
  if (is_range_function(run, call)) return evaluate_range_call(run, call, steps);
  const std::string_view name = call.function->name;
  const auto found = std::lower_bound(std::begin(kFunctions), std::end(kFunctions), name,
                                      [](const Entry& entry, std::string_view n) { return entry.name < n; });
  if (found != std::end(kFunctions) && found->name == name) return found->evaluate(run, call, steps);
  FAIRWAY_TRY(auto frame, evaluate_math(run, call, steps));
  if (frame) return *std::move(frame);
  return fail(ErrorCode::Unsupported, fmt::format("function {}() is not supported", name));
}

}  // namespace fairway::promql
