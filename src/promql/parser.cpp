#include "promql/parser.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <limits>

#include "promql/functions.hpp"
#include "promql/parser_state.hpp"

namespace fairway::promql {

using enum TokenType;

ParseOptions ParseOptions::all_enabled() {
  ParseOptions options;
  options.experimental_functions = true;
  options.duration_expressions = true;
  options.extended_range_selectors = true;
  options.fill_modifiers = true;
  return options;
}

std::string describe_position(std::string_view text, std::size_t offset) {
  if (text.empty()) return "unknown position";
  const std::string_view before = text.substr(0, std::min(offset, text.size()));
  const auto line = std::ranges::count(before, '\n') + 1;
  const auto last_break = before.rfind('\n');
  const std::size_t column = before.size() - (last_break == std::string_view::npos ? 0 : last_break + 1) + 1;
  return fmt::format("{}:{}", line, column);
}

std::string ParseError::describe(std::string_view text) const {
  return describe_position(text, span.start) + ": parse error: " + message;
}

Error ParseError::to_error(std::string_view text) const {
  return Error{ErrorCode::Invalid, describe(text)};
}

std::expected<Expr, ParseError> parse(std::string_view text, const ParseOptions& options) {
  const std::size_t most =
      std::min<std::size_t>(options.max_bytes, std::numeric_limits<std::uint32_t>::max() - 1);
  if (text.size() > most) {
    return std::unexpected(
        ParseError{{},
                   fmt::format("the query has {} bytes, at most {} are allowed", text.size(), most),
                   ParseError::Kind::TooLong});
  }
  return Parser(text, options).run();
}

Parser::Parser(std::string_view text, const ParseOptions& options)
    : options_(options),
      tree_(std::make_shared<Expr::Tree>(text.size() * 2 + 512)),
      lexer_((tree_->text = tree_->keep(text))) {
  const std::size_t guess = std::min<std::size_t>(text.size() / 16 + 4, 256);
  tree_->nodes.reserve(guess);
  depths_.reserve(guess);
  open_.reserve(8);
}

std::expected<Expr, ParseError> Parser::run() {
  if (!parse_all()) return std::unexpected(std::move(error_));
  tree_->depth = depths_.back();
  if (auto violation = check_types(*tree_)) return std::unexpected(*std::move(violation));
  return Expr(std::move(tree_));
}

bool Parser::parse_all() {
  if (!peek()) return false;
  if (look_.type == EndOfInput) return fail({0, 0}, "no expression found in input");
  while (!done_) {
    if (!(wants_operand_ ? operand() : after_operand())) return false;
  }
  return true;
}

bool Parser::peek() {
  if (have_look_) return true;
  look_ = lexer_.next();
  have_look_ = true;
  if (look_.type == Failure) return fail(look_.span, lexer_.error());
  return true;
}

Token Parser::take() {
  have_look_ = false;
  switch (look_.type) {
    case RightBrace:
    case RightParen:
    case RightBracket:
    case Duration:
    case Number:
      last_end_ = look_.span.end;
      break;
    default:
      break;
  }
  return look_;
}

std::string_view Parser::text_of(const Token& token) const {
  return tree_->text.substr(token.span.start, token.span.end - token.span.start);
}

bool Parser::fail(Span span, std::string message, ParseError::Kind kind) {
  error_ = {span, std::move(message), kind};
  return false;
}

bool Parser::fail_too_deep(Span span, std::size_t depth) {
  return fail(
      span,
      fmt::format("the expression nests {} levels deep, at most {} are allowed", depth, options_.max_depth),
      ParseError::Kind::TooDeep);
}

bool Parser::fail_syntax() {
  if (context_ != nullptr) return fail_syntax(context_->context, context_->expected);
  return fail_syntax(!aggregates_.empty() ? "aggregation" : "", "");
}

bool Parser::fail_syntax(std::string_view context, std::string_view expected) {
  std::string message = "unexpected " + describe_token(look_, tree_->text);
  if (!context.empty()) message.append(" in ").append(context);
  if (!expected.empty()) message.append(", expected ").append(expected);
  return fail(look_.span, std::move(message));
}

bool Parser::expect(TokenType type) {
  if (!peek()) return false;
  if (look_.type != type) return fail_syntax();
  take();
  return true;
}

bool Parser::push(Span span, ValueType type, Node::Kind kind, std::uint32_t depth) {
  if (depth > options_.max_depth) return fail_too_deep(span, depth);
  if (tree_->nodes.size() >= options_.max_nodes) {
    return fail(span,
                fmt::format("the expression has more than {} nodes, which is all that is allowed",
                            options_.max_nodes),
                ParseError::Kind::TooManyNodes);
  }
  value_ = static_cast<NodeId>(tree_->nodes.size());
  tree_->nodes.push_back({span, type, kind});
  depths_.push_back(depth);
  wants_operand_ = false;
  return true;
}

bool Parser::push_open(Open open) {
  if (open_.size() >= options_.max_depth) return fail_too_deep(open.token.span, open_.size() + 1);
  open_.push_back(open);
  wants_operand_ = true;
  return true;
}

bool Parser::after_operand() {
  if (!peek()) return false;
  if (is_postfix(look_.type)) return postfix();
  if (is_binary_operator(look_.type)) return binary_operator();
  if (!reduce_above(0)) return false;
  if (open_.empty()) {
    if (look_.type != EndOfInput) return fail_syntax();
    done_ = true;
    return true;
  }
  if (look_.type == RightParen) return close_paren();
  if (look_.type == Comma && open_.back().kind != Open::Kind::Paren) return next_argument();
  return fail_syntax();
}

// Signs and left sides that bind tighter than an operator of `next_precedence`, which comes next.
bool Parser::reduce_above(int next_precedence) {
  constexpr int kSign = 5;  // as strong as a product: -1^2 is -(1^2), -1*2 is (-1)*2
  while (!open_.empty()) {
    const Open& top = open_.back();
    if (top.kind != Open::Kind::Sign && top.kind != Open::Kind::Left) return true;
    const int binds = top.kind == Open::Kind::Sign ? kSign : precedence(left_sides_.back().op);
    const bool from_the_right =
        binds == next_precedence && top.kind == Open::Kind::Left && left_sides_.back().op == BinaryOp::Power;
    if (binds < next_precedence || from_the_right) return true;
    if (!reduce_one()) return false;
  }
  return true;
}

bool Parser::reduce_one() {
  const Open top = open_.back();
  open_.pop_back();
  if (top.kind == Open::Kind::Sign) return fold_sign(top.token);
  Binary binary = left_sides_.back();
  left_sides_.pop_back();
  binary.right = value_;
  const Node& left = node(binary.left);
  const Node& right = node(binary.right);
  const Span span = {left.span.start, right.span.end};
  const bool scalar = left.type == ValueType::Scalar && right.type == ValueType::Scalar;
  if (!options_.fill_modifiers && (binary.matching->fill_left || binary.matching->fill_right)) {
    return fail(span, "binop fill modifiers are experimental and not enabled");
  }
  const std::uint32_t depth = std::max(depth_of(binary.left), depth_of(binary.right)) + 1;
  return push(span, scalar ? ValueType::Scalar : ValueType::Vector, binary, depth);
}

bool Parser::fold_sign(const Token& sign) {
  Node& operand = node(value_);
  const bool negative = sign.type == Subtract;
  if (auto* number = std::get_if<NumberLiteral>(&operand.kind)) {
    if (negative) number->value *= -1;
    operand.span.start = sign.span.start;
    return true;
  }
  const NodeId id = value_;
  return push({sign.span.start, operand.span.end}, operand.type, Unary{id, negative}, depth_of(id) + 1);
}

bool Parser::close_paren() {
  switch (open_.back().kind) {
    case Open::Kind::Call:
      args_.push_back(value_);
      take();
      return finish_call();
    case Open::Kind::Aggregate:
      args_.push_back(value_);
      take();
      return finish_aggregate();
    default:
      break;
  }
  const Token close = take();
  const Span span = {open_.back().token.span.start, close.span.end};
  open_.pop_back();
  const NodeId inner = value_;
  return push(span, node(inner).type, Paren{inner}, depth_of(inner) + 1);
}

bool Parser::binary_operator() {
  const BinaryOp op = to_binary_op(look_.type);
  if (!reduce_above(precedence(op))) return false;
  const Token token = take();
  Binary& binary = left_sides_.emplace_back();
  binary.op = op;
  binary.left = value_;
  if (!binary_modifiers(binary)) return false;
  return push_open({.kind = Open::Kind::Left, .token = token});
}

}  // namespace fairway::promql
