// The parser's operands: literals, selectors, calls and aggregations.
#include <fmt/format.h>

#include "promql/functions.hpp"
#include "promql/parser_state.hpp"
#include "promql/regex.hpp"

namespace fairway::promql {

using enum TokenType;

bool Parser::operand() {
  if (!peek()) return false;
  switch (look_.type) {
    case Number:
    case Duration:
      return literal_operand(take());
    case String:
      return string_operand(take());
    case LeftParen:
      return push_open({.kind = Open::Kind::Paren, .token = take()});
    case Add:
    case Subtract:
      return push_open({.kind = Open::Kind::Sign, .token = take()});
    case LeftBrace: {
      VectorSelector found;
      Span span = look_.span;
      if (!braces(found, span)) return false;
      return push(span, ValueType::Vector, found, 1);
    }
    default:
      break;
  }
  if (!is_metric_name(look_.type)) return fail_syntax();
  const Token name = take();
  if (!peek()) return false;
  if (is_aggregator(name.type) && (look_.type == LeftParen || look_.type == By || look_.type == Without)) {
    return open_aggregate(name);
  }
  if (is_callable(name.type) && look_.type == LeftParen) return open_call(name);
  return selector(name);
}

bool Parser::number_literal(const Token& token, double& value, bool& is_duration) {
  is_duration = token.type == Duration;
  if (is_duration) {
    const auto duration = parse_prometheus_duration(text_of(token));
    if (!duration) return fail(token.span, duration.error());
    // Seconds as Go's Duration.Seconds() computes them.
    const std::int64_t nanoseconds = duration->count();
    const std::int64_t whole_seconds = nanoseconds / 1'000'000'000;
    value = static_cast<double>(whole_seconds) + static_cast<double>(nanoseconds % 1'000'000'000) / 1e9;
    return true;
  }
  const auto number = parse_number(text_of(token));
  if (!number) return fail(token.span, "error parsing number: " + number.error());
  value = *number;
  return true;
}

bool Parser::literal_operand(const Token& token) {
  NumberLiteral number;
  if (!number_literal(token, number.value, number.is_duration)) return false;
  return push(token.span, ValueType::Scalar, number, 1);
}

std::string_view Parser::string_value(const Token& token) {
  const std::string_view text = text_of(token);
  if (is_verbatim(text)) return text.substr(1, text.size() - 2);
  return tree_->keep(unquote(text));
}

bool Parser::string_operand(const Token& token) {
  return push(token.span, ValueType::String, StringLiteral{string_value(token)}, 1);
}

// The token after the name is at hand.
bool Parser::selector(const Token& name) {
  VectorSelector found;
  found.name = text_of(name);
  Span span = name.span;
  if (look_.type == LeftBrace) {
    Span inside;
    if (!braces(found, inside)) return false;
    span.end = inside.end;
  }
  return push(span, ValueType::Vector, found, 1);
}

bool Parser::braces(VectorSelector& selector, Span& span) {
  span = take().span;
  matchers_.clear();
  for (;;) {
    if (!peek()) return false;
    if (look_.type == RightBrace) break;
    if (!matcher()) return false;
    if (!peek()) return false;
    if (look_.type == RightBrace) break;
    if (look_.type != Comma) return fail_syntax("label matching", "\",\" or \"}\"");
    take();
  }
  span.end = take().span.end;
  selector.matchers = tree_->keep(std::span<const Matcher>(matchers_));
  return true;
}

bool Parser::matcher() {
  if (look_.type != Identifier && look_.type != String)
    return fail_syntax("label matching", "identifier or \"}\"");
  const Token name = take();
  const std::string_view label = name.type == String ? string_value(name) : text_of(name);
  if (!peek()) return false;
  const TokenType op = look_.type;
  if (op != Equal && op != NotEqual && op != EqualRegex && op != NotEqualRegex) {
    if (name.type == Identifier) return fail_syntax("label matching", "label matching operator");
    matchers_.push_back({"__name__", MatchOp::Equal, label, name.span});
    return true;
  }
  take();
  if (!peek()) return false;
  if (look_.type != String) return fail_syntax("label matching", "string");
  const Token value = take();
  return add_matcher(label, name.span, op, value);
}

bool Parser::add_matcher(std::string_view name, Span name_span, TokenType op, const Token& value) {
  Matcher matcher = {name, MatchOp::Equal, string_value(value), {name_span.start, value.span.end}};
  if (op == NotEqual) matcher.op = MatchOp::NotEqual;
  if (op == EqualRegex) matcher.op = MatchOp::Regex;
  if (op == NotEqualRegex) matcher.op = MatchOp::NotRegex;
  if (op == EqualRegex || op == NotEqualRegex) {
    if (const auto shape = check_regex(matcher.value); !shape) return fail(matcher.span, shape.error());
  }
  matchers_.push_back(matcher);
  return true;
}

bool Parser::open_call(const Token& name) {
  Open call{.kind = Open::Kind::Call, .token = name, .first_arg = static_cast<std::uint32_t>(args_.size())};
  if (!push_open(call)) return false;
  return open_arguments();
}

bool Parser::open_aggregate(const Token& name) {
  aggregates_.push_back({.op = to_aggregate_op(name.type)});
  const auto first_arg = static_cast<std::uint32_t>(args_.size());
  if (!push_open({.kind = Open::Kind::Aggregate, .token = name, .first_arg = first_arg})) return false;
  if (look_.type == By || look_.type == Without) {
    open_.back().modifier_seen = true;
    aggregates_.back().without = take().type == Without;
    if (!grouping_labels(aggregates_.back().grouping)) return false;
    if (!peek()) return false;
    if (look_.type != LeftParen) return fail_syntax();
  }
  return open_arguments();
}

// The opening parenthesis is at hand.
bool Parser::open_arguments() {
  take();
  if (!peek()) return false;
  if (look_.type != RightParen) return true;
  take();
  return open_.back().kind == Open::Kind::Call ? finish_call() : finish_aggregate();
}

bool Parser::next_argument() {
  args_.push_back(value_);
  const Token comma = take();
  if (!peek()) return false;
  const TokenType type = look_.type;
  const bool starts = is_metric_name(type) || type == Number || type == Duration || type == String ||
                      type == LeftParen || type == LeftBrace || type == Add || type == Subtract;
  if (!starts) return fail(comma.span, "trailing commas not allowed in function call args");
  wants_operand_ = true;
  return true;
}

bool Parser::finish_call() {
  const Open call = open_.back();
  open_.pop_back();
  const std::string_view name = text_of(call.token);
  const Function* function = find_function(name);
  if (function == nullptr) return fail(call.token.span, "unknown function with name " + go_quoted(name));
  if (function->experimental && !options_.experimental_functions) {
    return fail(call.token.span, "function " + go_quoted(name) + " is not enabled");
  }
  const auto args = std::span<const NodeId>(args_).subspan(call.first_arg);
  std::uint32_t depth = 0;
  for (const NodeId arg : args) depth = std::max(depth, depth_of(arg));
  const Call node = {function, tree_->keep(args)};
  args_.resize(call.first_arg);
  return push({call.token.span.start, last_end_}, function->return_type, node, depth + 1);
}

bool Parser::finish_aggregate() {
  const Span closed = {open_.back().token.span.start, last_end_};
  Aggregate found = aggregates_.back();
  Span span = closed;
  if (!open_.back().modifier_seen) {
    if (!peek()) return false;
    if (look_.type == By || look_.type == Without) {
      found.without = take().type == Without;
      if (!grouping_labels(found.grouping)) return false;
      span.end = last_end_;
    }
  }
  const std::uint32_t first_arg = open_.back().first_arg;
  open_.pop_back();
  aggregates_.pop_back();
  const auto args = std::span<const NodeId>(args_).subspan(first_arg);
  if (!check_aggregate_arguments(found, span, args)) return false;
  std::uint32_t depth = 0;
  for (const NodeId arg : args) depth = std::max(depth, depth_of(arg));
  args_.resize(first_arg);
  return push(span, ValueType::Vector, found, depth + 1);
}

bool Parser::check_aggregate_arguments(Aggregate& aggregate, Span span, std::span<const NodeId> args) {
  if (args.empty()) return fail(span, "no arguments for aggregate expression provided");
  if (is_experimental(aggregate.op) && !options_.experimental_functions) {
    return fail(span, fmt::format("{}() is experimental and must be enabled with "
                                  "--enable-feature=promql-experimental-functions",
                                  to_string(aggregate.op)));
  }
  const std::size_t wanted = takes_parameter(aggregate.op) ? 2 : 1;
  if (args.size() != wanted) {
    return fail(
        span, fmt::format("wrong number of arguments for aggregate expression provided, expected {}, got {}",
                          wanted, args.size()));
  }
  if (wanted == 2) aggregate.param = args[0];
  aggregate.expr = args[wanted - 1];
  return true;
}

}  // namespace fairway::promql
