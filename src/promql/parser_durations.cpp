// The parser's durations. In brackets the whole arithmetic is at hand; after `offset` a literal, a sign with
// a literal, step(), range(), max_of() and min_of() end the duration, so that `foo offset 1m + 2` adds 2 to
// foo.
#include <cmath>
#include <fmt/format.h>

#include "promql/durations.hpp"
#include "promql/parser_state.hpp"

namespace fairway::promql {

using enum TokenType;

namespace {

bool is_duration_operator(TokenType type) {
  return (type >= Add && type <= Modulo) || type == Power;
}

DurationOp to_duration_op(TokenType type) {
  switch (type) {
    case Add:
      return DurationOp::Add;
    case Subtract:
      return DurationOp::Subtract;
    case Multiply:
      return DurationOp::Multiply;
    case Divide:
      return DurationOp::Divide;
    case Modulo:
      return DurationOp::Modulo;
    default:
      return DurationOp::Power;
  }
}

bool is_sign(TokenType type) {
  return type == Add || type == Subtract;
}

}  // namespace

DurationId Parser::add_duration(DurationNode node) {
  tree_->durations.push_back(node);
  return static_cast<DurationId>(tree_->durations.size() - 1);
}

bool Parser::allow_duration_expression(Span span) {
  if (options_.duration_expressions) return true;
  return fail(span, "experimental duration expression is not enabled");
}

DurationId Parser::wrapped(DurationId id, Span span) {
  DurationNode& node = tree_->durations[id];
  if (node.op != DurationOp::Literal) {
    node.wrapped = true;
    return id;
  }
  return add_duration({.op = DurationOp::Wrap, .wrapped = true, .right = id, .span = span});
}

DurationSpec Parser::to_spec(DurationId id) {
  DurationSpec spec;
  const DurationNode& node = tree_->durations[id];
  if (node.op == DurationOp::Literal) {
    spec.value = to_duration(node.seconds);
    if (id + 1 == tree_->durations.size()) tree_->durations.pop_back();
    return spec;
  }
  spec.expr = id;
  spec.depends_on_query = depends_on_query(tree_->durations, id);
  if (spec.depends_on_query) return spec;
  const auto seconds = evaluate_seconds(tree_->durations, id, {});
  spec.invalid = !seconds || std::isnan(*seconds) || std::abs(*seconds) > kMostSeconds;
  if (!spec.invalid) spec.value = to_duration(*seconds);
  return spec;
}

bool Parser::positive_duration(DurationSpec& spec) {
  DurationId id = kNoId;
  if (!duration_expression(id)) return false;
  const DurationNode& node = tree_->durations[id];
  if (node.op == DurationOp::Literal && node.seconds <= 0)
    return fail(node.span, "duration must be greater than 0");
  spec = to_spec(id);
  return true;
}

bool Parser::offset_duration(DurationSpec& spec) {
  if (!peek()) return false;
  DurationId id = kNoId;
  if (is_sign(look_.type)) {
    if (!signed_offset(take(), id)) return false;
  } else if (look_.type == Number || look_.type == Duration) {
    if (!duration_literal(take(), id)) return false;
  } else if (look_.type == Step || look_.type == Range) {
    const Token word = take();
    if (!query_duration(word, id) || !allow_duration_expression(tree_->durations[id].span)) return false;
  } else if (look_.type == MaxOf || look_.type == MinOf) {
    const Token word = take();
    if (!two_durations(word, id) || !allow_duration_expression(tree_->durations[id].span)) return false;
  } else if (!duration_expression(id)) {
    return false;
  }
  // A sum after `offset` reads back only in parentheses, where it means the same.
  if (tree_->durations[id].op >= DurationOp::Add && tree_->durations[id].op <= DurationOp::Power) {
    tree_->durations[id].wrapped = true;
  }
  spec = to_spec(id);
  return true;
}

bool Parser::signed_offset(const Token& sign, DurationId& result) {
  if (!peek()) return false;
  const TokenType type = look_.type;
  if (is_sign(type)) {
    if (!duration_expression(result, &sign)) return false;
    // As for a sum: two signs do not end the duration, parentheses do.
    if (tree_->durations[result].op == DurationOp::Minus) tree_->durations[result].wrapped = true;
    return true;
  }
  DurationId operand = kNoId;
  if (type == Number || type == Duration) {
    // Not through duration_literal(): out of range is reported at the sign here.
    DurationNode node = {.span = look_.span};
    if (!number_literal(take(), node.seconds, node.is_duration)) return false;
    return apply_sign(sign, add_duration(node), result);
  }
  if (type == Step || type == Range || type == MaxOf || type == MinOf) {
    const Token word = take();
    const bool of_query = type == Step || type == Range;
    if (!(of_query ? query_duration(word, operand) : two_durations(word, operand))) return false;
    if (!allow_duration_expression({sign.span.start, tree_->durations[operand].span.end})) return false;
    return apply_sign(sign, operand, result);
  }
  if (type != LeftParen) return fail_syntax();
  const Token open = take();
  if (!duration_expression(operand)) return false;
  if (!peek()) return false;
  if (look_.type != RightParen) return fail_syntax();
  const Token close = take();
  return apply_sign(sign, wrapped(operand, {open.span.start, close.span.end}), result);
}

bool Parser::apply_sign(const Token& sign, DurationId operand, DurationId& value) {
  DurationNode& node = tree_->durations[operand];
  value = operand;
  if (node.op == DurationOp::Literal) {
    if (sign.type == Subtract) node.seconds *= -1;
    if (std::abs(node.seconds) > kMostSeconds) return fail(sign.span, "duration out of range");
    node.span.start = sign.span.start;
    return true;
  }
  if (sign.type == Subtract) {
    const Span span = {sign.span.start, node.span.end};
    value = add_duration({.op = DurationOp::Minus, .right = operand, .span = span});
  }
  return true;
}

bool Parser::duration_literal(const Token& token, DurationId& value) {
  DurationNode node = {.span = token.span};
  if (!number_literal(token, node.seconds, node.is_duration)) return false;
  if (std::abs(node.seconds) > kMostSeconds) return fail(token.span, "duration out of range");
  value = add_duration(node);
  return true;
}

bool Parser::query_duration(const Token& word, DurationId& value) {
  if (!expect(LeftParen) || !peek()) return false;
  if (look_.type != RightParen) return fail_syntax();
  const Token close = take();
  const DurationOp op = word.type == Step ? DurationOp::Step : DurationOp::Range;
  value = add_duration({.op = op, .span = {word.span.start, close.span.end}});
  return true;
}

// After `offset`, where the two operands are whole expressions of their own.
bool Parser::two_durations(const Token& word, DurationId& value) {
  DurationId left = kNoId;
  DurationId right = kNoId;
  if (!expect(LeftParen) || !duration_expression(left) || !expect(Comma)) return false;
  if (!duration_expression(right) || !expect(RightParen)) return false;
  const DurationOp op = word.type == MaxOf ? DurationOp::MaxOf : DurationOp::MinOf;
  const Span span = {tree_->durations[left].span.start, tree_->durations[right].span.end};
  value = add_duration({.op = op, .left = left, .right = right, .span = span});
  return true;
}

bool Parser::duration_expression(DurationId& result, const Token* leading_sign) {
  const std::size_t base = open_durations_.size();
  if (leading_sign != nullptr) open_durations_.push_back({OpenDuration::Kind::Sign, *leading_sign});
  DurationId value = kNoId;
  for (bool done = false; !done;) {
    bool complete = false;
    while (!complete) {
      if (!duration_operand(value, complete, base)) return false;
    }
    // An operand is at hand: close what ends here, until an operator asks for the next one.
    for (;;) {
      if (!peek()) return false;
      if (is_duration_operator(look_.type)) {
        if (!reduce_durations(value, base, precedence(to_binary_op(look_.type)))) return false;
        open_durations_.push_back({OpenDuration::Kind::Left, take(), value});
        break;
      }
      if (!reduce_durations(value, base, 0)) return false;
      if (open_durations_.size() == base) {
        done = true;
        break;
      }
      bool wants_operand = false;
      if (!close_duration(value, base, wants_operand)) return false;
      if (wants_operand) break;
    }
  }
  result = value;
  return true;
}

// Reads one token or call; complete is set when `value` is an operand rather than something opened.
bool Parser::duration_operand(DurationId& value, bool& complete, std::size_t base) {
  if (!peek()) return false;
  if (open_durations_.size() - base >= options_.max_depth) {
    return fail_too_deep(look_.span, open_durations_.size() - base + 1);
  }
  switch (look_.type) {
    case Number:
    case Duration:
      complete = true;
      return duration_literal(take(), value);
    case Step:
    case Range: {
      complete = true;
      const Token word = take();
      return query_duration(word, value) && allow_duration_expression(tree_->durations[value].span);
    }
    case MaxOf:
    case MinOf: {
      const Token word = take();
      open_durations_.push_back({OpenDuration::Kind::FirstOfTwo, word});
      return expect(LeftParen);
    }
    case LeftParen:
      open_durations_.push_back({OpenDuration::Kind::Paren, take()});
      return true;
    case Add:
    case Subtract:
      open_durations_.push_back({OpenDuration::Kind::Sign, take()});
      return true;
    default:
      return fail_syntax();
  }
}

// The token at hand must close the innermost parenthesis, or separate the two operands of max_of.
bool Parser::close_duration(DurationId& value, std::size_t, bool& wants_operand) {
  OpenDuration& top = open_durations_.back();
  if (top.kind == OpenDuration::Kind::FirstOfTwo) {
    if (look_.type != Comma) return fail_syntax();
    take();
    top.kind = OpenDuration::Kind::SecondOfTwo;
    top.left = value;
    wants_operand = true;
    return true;
  }
  if (look_.type != RightParen) return fail_syntax();
  const Token close = take();
  const OpenDuration closed = top;
  open_durations_.pop_back();
  if (closed.kind == OpenDuration::Kind::Paren) {
    if (!allow_duration_expression(tree_->durations[value].span)) return false;
    value = wrapped(value, {closed.token.span.start, close.span.end});
    return true;
  }
  const DurationOp op = closed.token.type == MaxOf ? DurationOp::MaxOf : DurationOp::MinOf;
  const Span span = {tree_->durations[closed.left].span.start, tree_->durations[value].span.end};
  value = add_duration({.op = op, .left = closed.left, .right = value, .span = span});
  return allow_duration_expression(span);
}

bool Parser::reduce_durations(DurationId& value, std::size_t base, int next_precedence) {
  constexpr int kSign = 5;
  while (open_durations_.size() > base) {
    const OpenDuration top = open_durations_.back();
    const bool sign = top.kind == OpenDuration::Kind::Sign;
    if (!sign && top.kind != OpenDuration::Kind::Left) return true;
    const int binds = sign ? kSign : precedence(to_binary_op(top.token.type));
    if (binds < next_precedence || (binds == next_precedence && top.token.type == Power)) return true;
    open_durations_.pop_back();
    DurationId reduced = kNoId;
    if (!(sign ? apply_sign(top.token, value, reduced)
               : make_duration_binary(top.token, top.left, value, reduced))) {
      return false;
    }
    value = reduced;
  }
  return true;
}

bool Parser::make_duration_binary(const Token& op, DurationId left, DurationId right, DurationId& value) {
  const DurationNode& first = tree_->durations[left];
  const DurationNode& second = tree_->durations[right];
  if (!allow_duration_expression(first.span)) return false;
  const bool by_zero = second.op == DurationOp::Literal && second.seconds == 0;
  if (op.type == Divide && by_zero) return fail(op.span, "division by zero");
  if (op.type == Modulo && by_zero) return fail(op.span, "modulo by zero");
  const Span span = {first.span.start, second.span.end};
  value = add_duration({.op = to_duration_op(op.type), .left = left, .right = right, .span = span});
  return true;
}

}  // namespace fairway::promql
