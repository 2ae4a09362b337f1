#include "promql/types.hpp"

#include <array>

namespace fairway::promql {

std::string_view to_string(ValueType type) {
  constexpr std::array<std::string_view, 5> kNames = {"none", "scalar", "vector", "matrix", "string"};
  return kNames[static_cast<std::size_t>(type)];
}

std::string_view documented(ValueType type) {
  if (type == ValueType::Vector) return "instant vector";
  if (type == ValueType::Matrix) return "range vector";
  return to_string(type);
}

std::string_view to_string(BinaryOp op) {
  constexpr std::array<std::string_view, 18> kNames = {"or", "and", "unless", "==", "!=",    "<",
                                                       "<=", ">",   ">=",     "</", ">/",    "+",
                                                       "-",  "*",   "/",      "%",  "atan2", "^"};
  return kNames[static_cast<std::size_t>(op)];
}

bool is_comparison(BinaryOp op) {
  return op >= BinaryOp::Equal && op <= BinaryOp::GreaterEqual;
}

bool is_set(BinaryOp op) {
  return op <= BinaryOp::Unless;
}

int precedence(BinaryOp op) {
  if (op == BinaryOp::Or) return 1;
  if (op <= BinaryOp::Unless) return 2;
  if (op <= BinaryOp::TrimLower) return 3;
  if (op <= BinaryOp::Subtract) return 4;
  if (op <= BinaryOp::Atan2) return 5;
  return 6;
}

std::string_view to_string(AggregateOp op) {
  constexpr std::array<std::string_view, 14> kNames = {
      "sum",    "avg",  "count",   "min",          "max",      "group",  "stddev",
      "stdvar", "topk", "bottomk", "count_values", "quantile", "limitk", "limit_ratio"};
  return kNames[static_cast<std::size_t>(op)];
}

bool takes_parameter(AggregateOp op) {
  return op >= AggregateOp::Topk;
}

bool is_experimental(AggregateOp op) {
  return op >= AggregateOp::Limitk;
}

std::string_view to_string(MatchOp op) {
  constexpr std::array<std::string_view, 4> kNames = {"=", "!=", "=~", "!~"};
  return kNames[static_cast<std::size_t>(op)];
}

}  // namespace fairway::promql
