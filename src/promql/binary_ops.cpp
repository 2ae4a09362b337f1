#include <cmath>
#include <fmt/format.h>

#include "promql/evaluation.hpp"

namespace fairway::promql {
namespace {

bool is_trim(BinaryOp op) {
  return op == BinaryOp::TrimLower || op == BinaryOp::TrimUpper;
}

double scalar_result(BinaryOp op, double left, double right) {
  const Outcome outcome = apply(op, left, right);
  if (is_comparison(op)) return outcome.keep ? 1 : 0;
  return outcome.value;
}

Result<Frame> combine_scalars(BinaryOp op, Frame left, const Frame& right) {
  const auto cells = left.cells(0);
  for (std::size_t step = 0; step < cells.size(); ++step) {
    cells[step] = scalar_result(op, cells[step], right.cell(0, step));
  }
  return left;
}

// A vector with a scalar on either side; comparisons keep the vector's value.
Result<Frame> combine_with_scalar(Evaluation& run, const Node& node, const Binary& binary, Frame vector,
                                  const Frame& scalar, bool scalar_is_left) {
  bool trimmed = false;
  for (std::size_t row = 0; row < vector.rows(); ++row) {
    const auto cells = vector.cells(row);
    for (std::size_t step = 0; step < cells.size(); ++step) {
      double& cell = cells[step];
      if (!is_present(cell)) continue;
      trimmed = is_trim(binary.op);
      const double other = scalar.cell(0, step);
      const Outcome outcome = scalar_is_left ? apply(binary.op, other, cell) : apply(binary.op, cell, other);
      if (binary.return_bool) {
        cell = outcome.keep ? 1 : 0;
      } else if (!outcome.keep) {
        cell = absent_cell();
      } else if (!is_comparison(binary.op)) {
        cell = outcome.value;
      }
    }
  }
  if (trimmed) run.annotations.incompatible_types(to_string(binary.op), node.span);
  FAIRWAY_CHECKED(run.budget.work(vector.all_cells().size()));
  vector.remove_empty_rows();
  if (changes_meaning(binary.op) || binary.return_bool) return drop_names(run, std::move(vector));
  return vector;
}

}  // namespace

Outcome apply(BinaryOp op, double left, double right) {
  switch (op) {
    case BinaryOp::Add:
      return {left + right};
    case BinaryOp::Subtract:
      return {left - right};
    case BinaryOp::Multiply:
      return {left * right};
    case BinaryOp::Divide:
      return {left / right};
    case BinaryOp::Modulo:
      return {std::fmod(left, right)};
    case BinaryOp::Power:
      return {std::pow(left, right)};
    case BinaryOp::Atan2:
      return {std::atan2(left, right)};
    case BinaryOp::Equal:
      return {left, left == right};
    case BinaryOp::NotEqual:
      return {left, left != right};
    case BinaryOp::Less:
      return {left, left < right};
    case BinaryOp::LessEqual:
      return {left, left <= right};
    case BinaryOp::Greater:
      return {left, left > right};
    case BinaryOp::GreaterEqual:
      return {left, left >= right};
    case BinaryOp::TrimLower:
    case BinaryOp::TrimUpper:  // of histograms alone: floats have nothing to trim
    case BinaryOp::Or:
    case BinaryOp::And:
    case BinaryOp::Unless:
      break;
  }
  return {0, false};
}

bool changes_meaning(BinaryOp op) {
  return !is_comparison(op) && !is_set(op) && !is_trim(op);
}

Result<Frame> evaluate_binary(Evaluation& run, const Node& node, const Binary& binary, const Steps& steps) {
  FAIRWAY_TRY(Frame left, evaluate_node(run, binary.left, steps));
  FAIRWAY_TRY(Frame right, evaluate_node(run, binary.right, steps));
  const bool left_is_scalar = run.node(binary.left).type == ValueType::Scalar;
  const bool right_is_scalar = run.node(binary.right).type == ValueType::Scalar;
  if (left_is_scalar && right_is_scalar) return combine_scalars(binary.op, std::move(left), right);
  if (right_is_scalar) return combine_with_scalar(run, node, binary, std::move(left), right, false);
  if (left_is_scalar) return combine_with_scalar(run, node, binary, std::move(right), left, true);
  if (is_set(binary.op)) return combine_sets(run, binary, std::move(left), std::move(right));
  return match_vectors(run, node, binary, left, right);
}

}  // namespace fairway::promql
