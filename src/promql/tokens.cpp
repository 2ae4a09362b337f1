// What tokens are, and how messages name them.
#include <algorithm>

#include "promql/go_text.hpp"
#include "promql/lexer.hpp"

namespace fairway::promql {

using enum TokenType;

bool is_binary_operator(TokenType type) {
  return type >= Or && type <= Power;
}

BinaryOp to_binary_op(TokenType type) {
  return static_cast<BinaryOp>(static_cast<int>(type) - static_cast<int>(Or));
}

bool is_aggregator(TokenType type) {
  return type >= Sum && type <= LimitRatio;
}

AggregateOp to_aggregate_op(TokenType type) {
  return static_cast<AggregateOp>(static_cast<int>(type) - static_cast<int>(Sum));
}

bool is_metric_name(TokenType type) {
  if (is_aggregator(type) || (type >= Start && type <= MinOf)) return true;
  switch (type) {
    case Identifier:
    case MetricIdentifier:
    case And:
    case Or:
    case Unless:
    case By:
    case Without:
    case Offset:
    case Anchored:
    case Smoothed:
    case Fill:
    case FillLeft:
    case FillRight:
      return true;
    default:
      return false;
  }
}

bool is_label_name(TokenType type) {
  switch (type) {
    case Bool:
    case GroupLeft:
    case GroupRight:
    case Ignoring:
    case On:
    case Atan2:
      return true;
    default:
      return is_metric_name(type);
  }
}

bool is_callable(TokenType type) {
  return type == Identifier || (type >= Start && type <= MinOf);
}

std::string describe_token(const Token& token, std::string_view text) {
  const std::string value(text.substr(token.span.start, token.span.end - token.span.start));
  const auto in_quotes = [&] {
    if (value.size() > 10) return go_quoted(truncate_runes(value, 10)) + "...";
    return go_quoted(value);
  };
  if (token.type == EndOfInput) return "end of input";
  if (token.type == Identifier) return "identifier " + go_quoted(value);
  if (token.type == MetricIdentifier) return "metric identifier " + go_quoted(value);
  if (token.type == String) return "string " + in_quotes();
  if (token.type == Number) return "number " + in_quotes();
  if (token.type == Duration) return "duration " + in_quotes();
  if (token.type >= Bool && token.type <= Without) return "<" + value + ">";
  if (token.type >= Or && token.type <= At) return "<op:" + value + ">";
  if (is_aggregator(token.type)) return "<aggr:" + value + ">";
  return in_quotes();
}

}  // namespace fairway::promql
