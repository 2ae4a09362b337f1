#include "promql/durations.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

namespace fairway::promql {
namespace {

double seconds_of(Duration duration) {
  return static_cast<double>(duration.count()) / 1e9;
}

Result<double> combine(DurationOp op, double left, double right) {
  switch (op) {
    case DurationOp::Minus:
      return -right;
    case DurationOp::Add:
      return left + right;
    case DurationOp::Subtract:
      return left - right;
    case DurationOp::Multiply:
      return left * right;
    case DurationOp::Divide:
      if (right == 0) return fail(ErrorCode::Invalid, "division by zero");
      return left / right;
    case DurationOp::Modulo:
      if (right == 0) return fail(ErrorCode::Invalid, "modulo by zero");
      return std::fmod(left, right);
    case DurationOp::Power:
      return std::pow(left, right);
    case DurationOp::MinOf:
      return std::min(left, right);
    case DurationOp::MaxOf:
      return std::max(left, right);
    default:
      return right;  // Wrap
  }
}

bool is_binary(DurationOp op) {
  return op >= DurationOp::Add;
}

}  // namespace

Result<double> evaluate_seconds(std::span<const DurationNode> nodes, DurationId root,
                                const QueryTimes& times) {
  struct Visit {
    DurationId id;
    bool operands_done;
  };
  std::vector<Visit> pending = {{root, false}};
  std::vector<double> values;
  while (!pending.empty()) {
    const Visit visit = pending.back();
    pending.pop_back();
    const DurationNode& node = nodes[visit.id];
    if (node.op == DurationOp::Literal) {
      values.push_back(node.seconds);
    } else if (node.op == DurationOp::Step || node.op == DurationOp::Range) {
      values.push_back(seconds_of(node.op == DurationOp::Step ? times.step : times.range));
    } else if (!visit.operands_done) {
      pending.push_back({visit.id, true});
      pending.push_back({node.right, false});
      if (is_binary(node.op)) pending.push_back({node.left, false});
    } else {
      const double right = values.back();
      values.pop_back();
      double left = 0;
      if (is_binary(node.op)) {
        left = values.back();
        values.pop_back();
      }
      FAIRWAY_TRY(const double value, combine(node.op, left, right));
      values.push_back(value);
    }
  }
  return values.back();
}

bool depends_on_query(std::span<const DurationNode> nodes, DurationId root) {
  std::vector<DurationId> pending = {root};
  while (!pending.empty()) {
    const DurationNode& node = nodes[pending.back()];
    pending.pop_back();
    if (node.op == DurationOp::Step || node.op == DurationOp::Range) return true;
    if (node.left != kNoId) pending.push_back(node.left);
    if (node.right != kNoId) pending.push_back(node.right);
  }
  return false;
}

Duration to_duration(double seconds) {
  const double nanoseconds = std::round(seconds * 1e9);
  if (std::isnan(nanoseconds)) return kNotANumber;
  constexpr auto kMost = std::numeric_limits<std::int64_t>::max();
  if (nanoseconds >= 9223372036854775808.0) return Duration(kMost);
  if (nanoseconds <= -9223372036854775808.0) return Duration(-kMost);
  return Duration(static_cast<std::int64_t>(nanoseconds));
}

Result<Duration> resolve_duration(const Expr& expr, const DurationSpec& spec, const QueryTimes& times,
                                  bool must_be_positive) {
  if (spec.expr == kNoId) return spec.value;
  std::vector<DurationNode> nodes;  // a copy of the prefix that the expression can refer to
  for (DurationId id = 0; id <= spec.expr; ++id) nodes.push_back(expr.duration(id));
  FAIRWAY_TRY(const double seconds, evaluate_seconds(nodes, spec.expr, times));
  if (std::isnan(seconds) || std::abs(seconds) > kMostSeconds) {
    return fail(ErrorCode::Invalid, "duration out of range");
  }
  if (must_be_positive && seconds <= 0) return fail(ErrorCode::Invalid, "duration must be greater than 0");
  return to_duration(seconds);
}

}  // namespace fairway::promql
