// The parser's modifiers: of binary operators (bool, on, group_left, fill) and of selectors ([5m], offset,
// @).
#include <cmath>
#include <fmt/format.h>
#include <limits>

#include "promql/parser_state.hpp"

namespace fairway::promql {

using enum TokenType;

bool Parser::binary_modifiers(Binary& binary) {
  VectorMatching& matching = binary.matching.emplace();
  if (!peek()) return false;
  if (look_.type == Bool) {
    take();
    binary.return_bool = true;
    if (!peek()) return false;
  }
  if (look_.type == On || look_.type == Ignoring) {
    matching.on = take().type == On;
    if (!grouping_labels(matching.labels)) return false;
    if (!group_modifier(matching)) return false;
  }
  return fill_modifiers(matching);
}

bool Parser::group_modifier(VectorMatching& matching) {
  if (!peek()) return false;
  if (look_.type != GroupLeft && look_.type != GroupRight) return true;
  matching.cardinality = take().type == GroupLeft ? Cardinality::ManyToOne : Cardinality::OneToMany;
  if (!peek()) return false;
  return look_.type != LeftParen || grouping_labels(matching.include);
}

bool Parser::fill_modifiers(VectorMatching& matching) {
  if (!peek()) return false;
  if (look_.type == Fill) {
    take();
    matching.fill_both = true;
    if (!fill_value(matching.fill_left)) return false;
    matching.fill_right = matching.fill_left;
    return true;
  }
  // Either side, or both in any order.
  for (int i = 0; i < 2 && (look_.type == FillLeft || look_.type == FillRight); ++i) {
    std::optional<double>& side = look_.type == FillLeft ? matching.fill_left : matching.fill_right;
    if (side) break;
    take();
    if (!fill_value(side) || !peek()) return false;
  }
  return true;
}

bool Parser::fill_value(std::optional<double>& value) {
  if (!expect(LeftParen) || !peek()) return false;
  bool negative = false;
  if (look_.type == Add || look_.type == Subtract) {
    negative = take().type == Subtract;
    if (!peek()) return false;
  }
  if (look_.type != Number && look_.type != Duration) return fail_syntax();
  double number = 0;
  bool is_duration = false;
  if (!number_literal(take(), number, is_duration)) return false;
  value = negative ? -number : number;
  return expect(RightParen);
}

bool Parser::grouping_labels(std::span<const std::string_view>& labels) {
  if (!peek()) return false;
  if (look_.type != LeftParen) return fail_syntax("grouping opts", "\"(\"");
  take();
  labels_.clear();
  for (;;) {
    if (!peek()) return false;
    if (look_.type == RightParen) break;
    if (!grouping_label()) return false;
    if (!peek()) return false;
    if (look_.type == RightParen) break;
    if (look_.type != Comma) return fail_syntax("grouping opts", "\",\" or \")\"");
    take();
  }
  take();
  labels = tree_->keep(std::span<const std::string_view>(labels_));
  return true;
}

bool Parser::grouping_label() {
  if (look_.type != String && !is_label_name(look_.type)) return fail_syntax("grouping opts", "label");
  const Token token = take();
  const std::string_view name = token.type == String ? string_value(token) : text_of(token);
  bool valid = !name.empty();
  for (std::string_view rest = name; valid && !rest.empty();) {
    const Rune rune = decode_rune(rest);
    valid = rune.value != kRuneError || rune.width != 1;
    rest.remove_prefix(rune.width);
  }
  if (!valid) return fail(token.span, "invalid label name for grouping: " + go_quoted(name));
  labels_.push_back(name);
  return true;
}

bool Parser::is_postfix(TokenType type) const {
  return type == LeftBracket || type == Offset || type == At || type == Anchored || type == Smoothed;
}

bool Parser::postfix() {
  switch (look_.type) {
    case LeftBracket:
      return bracket();
    case Offset:
      return offset();
    case At:
      return at();
    default:
      return extend_range(take().type == Anchored);
  }
}

bool Parser::bracket() {
  static constexpr ErrorContext kRangeContext = {"subquery or range selector",
                                                 "number, duration, step(), or range()"};
  static constexpr ErrorContext kStepContext = {"subquery selector",
                                                "number, duration, step(), range(), or \"]\""};
  const Token open = take();
  DurationSpec range;
  context_ = &kRangeContext;
  if (!positive_duration(range) || !peek()) return false;
  if (look_.type == RightBracket) {
    context_ = nullptr;
    return make_matrix(open, take(), range);
  }
  if (look_.type != Colon) return fail_syntax("subquery or range", "\":\" or \"]\"");
  take();
  DurationSpec step;
  context_ = &kStepContext;
  if (!peek()) return false;
  if (look_.type != RightBracket) {
    if (!positive_duration(step) || !peek()) return false;
    if (look_.type != RightBracket) return fail_syntax("subquery selector", "\"]\"");
  }
  context_ = nullptr;
  const Token close = take();
  const NodeId inner = value_;
  return push({node(inner).span.start, close.span.end}, ValueType::Matrix, Subquery{inner, range, step, {}},
              depth_of(inner) + 1);
}

bool Parser::make_matrix(const Token& open, const Token& close, const DurationSpec& range) {
  const Span brackets = {open.span.start, close.span.end};
  const auto* selector = node(value_).as<VectorSelector>();
  if (selector == nullptr) return fail(brackets, "ranges only allowed for vector selectors");
  if (selector->time.offset.is_written()) return fail(brackets, "no offset modifiers allowed before range");
  if (selector->time.at != AtKind::None) return fail(brackets, "no @ modifiers allowed before range");
  const NodeId inner = value_;
  return push({node(inner).span.start, last_end_}, ValueType::Matrix, MatrixSelector{inner, range},
              depth_of(inner) + 1);
}

// Where a selector or subquery keeps its modifiers, and its end to be moved behind them; null for anything
// else.
TimeModifiers* Parser::time_of(NodeId id, std::uint32_t*& end) {
  Node& found = node(id);
  end = &found.span.end;
  if (auto* subquery = std::get_if<Subquery>(&found.kind)) return &subquery->time;
  if (auto* selector = std::get_if<VectorSelector>(&found.kind)) return &selector->time;
  if (const auto* matrix = found.as<MatrixSelector>()) {
    return &std::get<VectorSelector>(node(matrix->selector).kind).time;
  }
  return nullptr;
}

bool Parser::offset() {
  static constexpr ErrorContext kContext = {"offset", "number, duration, step(), or range()"};
  take();
  context_ = &kContext;
  DurationSpec duration;
  if (!offset_duration(duration)) return false;
  context_ = nullptr;
  std::uint32_t* end = nullptr;
  TimeModifiers* time = time_of(value_, end);
  const Span span = node(value_).span;
  if (time == nullptr) {
    return fail(
        span,
        "offset modifier must be preceded by an instant vector selector or range vector selector or a "
        "subquery");
  }
  if (time->offset.is_written()) return fail(span, "offset may not be set multiple times");
  time->offset = duration;
  *end = last_end_;
  return true;
}

bool Parser::at() {
  static constexpr ErrorContext kContext = {"@", "timestamp"};
  take();
  context_ = &kContext;
  if (!peek()) return false;
  AtKind kind = AtKind::Timestamp;
  double seconds = 0;
  if (look_.type == Start || look_.type == End) {
    kind = take().type == Start ? AtKind::Start : AtKind::End;
    if (!expect(LeftParen) || !expect(RightParen)) return false;
  } else if (!at_number(seconds)) {
    return false;
  }
  context_ = nullptr;
  const Span span = node(value_).span;
  constexpr double kLimit = 9223372036854775808.0;  // of Go's int64, in seconds here
  if (!std::isfinite(seconds) || seconds >= kLimit || seconds <= -kLimit) {
    std::string number;
    if (std::isfinite(seconds)) {
      number = fmt::format("{:.6f}", seconds);
    } else {
      append_float(number, seconds);
    }
    return fail(span, "timestamp out of bounds for @ modifier: " + number);
  }
  std::uint32_t* end = nullptr;
  TimeModifiers* time = time_of(value_, end);
  if (time == nullptr) {
    return fail(
        span,
        "@ modifier must be preceded by an instant vector selector or range vector selector or a subquery");
  }
  if (time->at != AtKind::None) return fail(span, "@ <timestamp> may not be set multiple times");
  time->at = kind;
  if (kind == AtKind::Timestamp) {
    const double milliseconds = std::round(seconds * 1000);
    // Beyond int64 the official conversion gives, on amd64, the smallest integer.
    const bool fits = milliseconds < kLimit && milliseconds >= -kLimit;
    time->at_ms = fits ? static_cast<std::int64_t>(milliseconds) : std::numeric_limits<std::int64_t>::min();
  }
  *end = last_end_;
  return true;
}

bool Parser::at_number(double& seconds) {
  bool negative = false;
  if (look_.type == Add || look_.type == Subtract) {
    negative = take().type == Subtract;
    if (!peek()) return false;
  }
  if (look_.type != Number && look_.type != Duration) return fail_syntax();
  bool is_duration = false;
  if (!number_literal(take(), seconds, is_duration)) return false;
  if (negative) seconds = -seconds;
  return true;
}

// anchored and smoothed do not move the end of what they follow.
bool Parser::extend_range(bool anchored) {
  const std::string_view name = anchored ? "anchored" : "smoothed";
  Node& found = node(value_);
  if (!options_.extended_range_selectors) {
    return fail(found.span, fmt::format("{} modifier is experimental and not enabled", name));
  }
  if (found.as<Subquery>() != nullptr) {
    return fail(found.span, fmt::format("{} modifier is not supported for subqueries", name));
  }
  auto* selector = std::get_if<VectorSelector>(&found.kind);
  if (const auto* matrix = found.as<MatrixSelector>())
    selector = &std::get<VectorSelector>(node(matrix->selector).kind);
  if (selector == nullptr) return fail(found.span, fmt::format("{} modifier not implemented", name));
  (anchored ? selector->anchored : selector->smoothed) = true;
  if (selector->anchored && selector->smoothed) {
    return fail(found.span, "anchored and smoothed modifiers cannot be used together");
  }
  return true;
}

}  // namespace fairway::promql
