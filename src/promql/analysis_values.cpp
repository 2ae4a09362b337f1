// The values that a result can have.
#include <cmath>

#include "promql/analysis_state.hpp"

namespace fairway::promql {

ValueFacts ValueFacts::of(double value) {
  if (std::isnan(value)) return {.not_a_number = true};
  return {.zero = value == 0, .one = value == 1, .other = value != 0 && value != 1};
}

ValueFacts ValueFacts::operator|(const ValueFacts& more) const {
  return {zero || more.zero, one || more.one, not_a_number || more.not_a_number, other || more.other};
}

ValueFacts ValueFacts::operator&(const ValueFacts& both) const {
  return {zero && both.zero, one && both.one, not_a_number && both.not_a_number, other && both.other};
}

namespace {

constexpr ValueFacts kBoolean = {true, true, false, false};

double compute(BinaryOp op, double left, double right) {
  switch (op) {
    case BinaryOp::Add:
      return left + right;
    case BinaryOp::Subtract:
      return left - right;
    case BinaryOp::Multiply:
      return left * right;
    case BinaryOp::Divide:
      return left / right;
    case BinaryOp::Modulo:
      return std::fmod(left, right);
    case BinaryOp::Power:
      return std::pow(left, right);
    default:
      return std::atan2(left, right);
  }
}

// Zeros and ones exactly; with anything else involved, anything can come out, but for a product with zero.
ValueFacts arithmetic(BinaryOp op, const ValueFacts& left, const ValueFacts& right) {
  ValueFacts out;
  for (const double a : {0.0, 1.0}) {
    if (!(a == 0 ? left.zero : left.one)) continue;
    for (const double b : {0.0, 1.0}) {
      if (b == 0 ? right.zero : right.one) out = out | ValueFacts::of(compute(op, a, b));
    }
  }
  const bool strange = left.other || right.other;
  if (op == BinaryOp::Multiply && strange) {
    const bool only_zero_left = left.zero && !left.one && !left.other;
    const bool only_zero_right = right.zero && !right.one && !right.other;
    if (only_zero_left || only_zero_right) {
      out = out | ValueFacts{.zero = true, .not_a_number = true};
    } else {
      out = ValueFacts::any();
    }
  } else if (strange) {
    out = ValueFacts::any();
  }
  out.not_a_number = out.not_a_number || left.not_a_number || right.not_a_number;
  if (op == BinaryOp::Power && out.not_a_number) out.one = true;  // NaN^0 and 1^NaN
  return out;
}

// What passes `value OP literal`.
ValueFacts filtered(BinaryOp op, ValueFacts values, double literal) {
  const auto passes = [&](double value) {
    switch (op) {
      case BinaryOp::Equal:
        return value == literal;
      case BinaryOp::NotEqual:
        return value != literal;
      case BinaryOp::Less:
        return value < literal;
      case BinaryOp::LessEqual:
        return value <= literal;
      case BinaryOp::Greater:
        return value > literal;
      default:
        return value >= literal;
    }
  };
  values.zero = values.zero && passes(0);
  values.one = values.one && passes(1);
  values.not_a_number = values.not_a_number && op == BinaryOp::NotEqual;
  if (op == BinaryOp::Equal) values.other = values.other && literal != 0 && literal != 1;
  return values;
}

BinaryOp mirrored(BinaryOp op) {
  switch (op) {
    case BinaryOp::Less:
      return BinaryOp::Greater;
    case BinaryOp::LessEqual:
      return BinaryOp::GreaterEqual;
    case BinaryOp::Greater:
      return BinaryOp::Less;
    case BinaryOp::GreaterEqual:
      return BinaryOp::LessEqual;
    default:
      return op;
  }
}

}  // namespace

ValueFacts Analysis::binary_values(const Binary& binary, const Facts& left, const Facts& right,
                                   bool left_scalar) {
  ValueFacts a = left.values;
  ValueFacts b = right.values;
  if (binary.matching && binary.matching->fill_left) a = a | ValueFacts::of(*binary.matching->fill_left);
  if (binary.matching && binary.matching->fill_right) b = b | ValueFacts::of(*binary.matching->fill_right);
  if (binary.op == BinaryOp::Or) return a | b;
  if (is_set(binary.op)) return a;
  if (binary.return_bool) return kBoolean;
  if (binary.op == BinaryOp::TrimUpper || binary.op == BinaryOp::TrimLower) return ValueFacts::any();
  if (!is_comparison(binary.op)) return arithmetic(binary.op, a, b);
  // A filter keeps the value of the vector; of the left one between two.
  const NodeId other = expr_.unwrapped(left_scalar ? binary.left : binary.right);
  if (const auto* literal = expr_.node(other).as<NumberLiteral>()) {
    return filtered(left_scalar ? mirrored(binary.op) : binary.op, left_scalar ? b : a, literal->value);
  }
  if (left_scalar) a = b;
  if (binary.op != BinaryOp::NotEqual) a.not_a_number = false;
  if (binary.op == BinaryOp::Equal) {
    // Both sides have the same value.
    const ValueFacts same = left.values & right.values;
    a.zero = same.zero;
    a.one = same.one;
    a.other = same.other;
  }
  return a;
}

ValueFacts Analysis::aggregate_values(const Aggregate& aggregate, const Facts& operand) {
  const ValueFacts& values = operand.values;
  const bool single = operand.at_most_one;
  switch (aggregate.op) {
    case AggregateOp::Group:
      return {.one = true};
    case AggregateOp::Count:
    case AggregateOp::CountValues:
      return {.one = true, .other = !single};
    case AggregateOp::Max:
    case AggregateOp::Min:
    case AggregateOp::Topk:
    case AggregateOp::Bottomk:
    case AggregateOp::Limitk:
    case AggregateOp::LimitRatio:
      return values;
    case AggregateOp::Sum:
      return single || values.is_only_zero() ? values : ValueFacts::any();
    case AggregateOp::Avg: {
      const bool equal = values.zero != values.one && !values.other;  // all are 0, or all are 1
      return single || equal ? values : ValueFacts::any();
    }
    case AggregateOp::Stddev:
    case AggregateOp::Stdvar:
      return single && values.is_boolean() ? ValueFacts{.zero = true} : ValueFacts::any();
    default:
      return ValueFacts::any();
  }
}

}  // namespace fairway::promql
