// The closed sets of the language: value types, operators, aggregators, matchers.
//
// Each has its official spelling (to_string) and the few predicates that the parser, the lint and the
// evaluator share. Pure values; nothing here allocates.
#pragma once

#include <cstdint>
#include <string_view>

namespace fairway::promql {

enum class ValueType : std::uint8_t { None, Scalar, Vector, Matrix, String };

std::string_view to_string(ValueType type);   // "scalar", "vector", "matrix", "string", "none"
std::string_view documented(ValueType type);  // "instant vector", "range vector", else as above

enum class BinaryOp : std::uint8_t {
  Or,
  And,
  Unless,
  Equal,
  NotEqual,
  Less,
  LessEqual,
  Greater,
  GreaterEqual,
  TrimUpper,  // </ drops observations above the scalar from a native histogram
  TrimLower,  // >/ drops those below
  Add,
  Subtract,
  Multiply,
  Divide,
  Modulo,
  Atan2,
  Power,
};

std::string_view to_string(BinaryOp op);
bool is_comparison(BinaryOp op);  // == != < <= > >=
bool is_set(BinaryOp op);         // and, or, unless
// 1 (or) to 6 (^); higher binds tighter. All but ^ associate to the left.
int precedence(BinaryOp op);

enum class AggregateOp : std::uint8_t {
  Sum,
  Avg,
  Count,
  Min,
  Max,
  Group,
  Stddev,
  Stdvar,
  Topk,
  Bottomk,
  CountValues,
  Quantile,
  Limitk,      // experimental
  LimitRatio,  // experimental
};

std::string_view to_string(AggregateOp op);
bool takes_parameter(AggregateOp op);
bool is_experimental(AggregateOp op);

enum class MatchOp : std::uint8_t { Equal, NotEqual, Regex, NotRegex };

std::string_view to_string(MatchOp op);  // "=", "!=", "=~", "!~"

enum class Cardinality : std::uint8_t { OneToOne, ManyToOne, OneToMany, ManyToMany };

}  // namespace fairway::promql
