#include "promql/limits.hpp"

#include <algorithm>
#include <fmt/format.h>

#include "base/text.hpp"
#include "promql/go_text.hpp"
#include "promql/regex.hpp"

namespace fairway::promql {
namespace {

LimitRefusal refusal(std::string limit, std::string allowed, std::string found, Span span) {
  std::string message =
      fmt::format("refused by the limit on {}: at most {}, found {}", limit, allowed, found);
  return {std::move(limit), std::move(message), span};
}

LimitRefusal refusal(std::string limit, std::size_t allowed, std::size_t found, std::string_view unit,
                     Span span) {
  return refusal(std::move(limit), fmt::format("{} {}", allowed, unit), fmt::to_string(found), span);
}

std::string shown(Duration duration) {
  std::string out;
  append_prometheus_duration(out, duration);
  return out;
}

std::optional<LimitRefusal> check_range(const DurationSpec& range, const Node& node, const Limits& limits) {
  if (!range.is_constant() || range.value <= limits.range) return std::nullopt;
  return refusal("range", shown(limits.range), shown(range.value), node.span);
}

std::optional<LimitRefusal> check_matchers(const VectorSelector& selector, const Limits& limits) {
  for (const Matcher& matcher : selector.matchers) {
    if (matcher.op != MatchOp::Regex && matcher.op != MatchOp::NotRegex) continue;
    if (matcher.value.size() > limits.regex_bytes) {
      return refusal("regex", limits.regex_bytes, matcher.value.size(), "bytes", matcher.span);
    }
    const auto shape = check_regex(matcher.value);
    if (shape && shape->size > limits.regex_size) {
      return refusal("regex size", limits.regex_size, shape->size, "instructions", matcher.span);
    }
  }
  return std::nullopt;
}

std::optional<LimitRefusal> check_node(const Node& node, const Limits& limits) {
  if (const auto* selector = node.as<VectorSelector>()) return check_matchers(*selector, limits);
  if (const auto* matrix = node.as<MatrixSelector>()) return check_range(matrix->range, node, limits);
  if (const auto* subquery = node.as<Subquery>()) {
    if (!limits.allow_subqueries) return refusal("subquery", 0, 1, "subqueries", node.span);
    return check_range(subquery->range, node, limits);
  }
  return std::nullopt;
}

}  // namespace

std::optional<LimitRefusal> check_limits(const Expr& expr, const Limits& limits) {
  const Span whole = expr.root().span;
  if (expr.text().size() > limits.text_bytes) {
    return refusal("text", limits.text_bytes, expr.text().size(), "bytes", {});
  }
  if (expr.depth() > limits.depth) return refusal("depth", limits.depth, expr.depth(), "levels", whole);
  if (expr.nodes().size() > limits.nodes)
    return refusal("nodes", limits.nodes, expr.nodes().size(), "nodes", whole);
  const auto selectors = static_cast<std::size_t>(std::ranges::count_if(
      expr.nodes(), [](const Node& node) { return node.as<VectorSelector>() != nullptr; }));
  if (selectors > limits.selectors) {
    return refusal("selectors", limits.selectors, selectors, "selectors", whole);
  }
  for (const Node& node : expr.nodes()) {
    if (auto found = check_node(node, limits)) return found;
  }
  return std::nullopt;
}

std::string Refusal::describe(std::string_view text) const {
  if (syntax) return syntax->describe(text);
  return describe_position(text, limit->span.start) + ": " + limit->message;
}

std::expected<Expr, Refusal> parse_within(std::string_view text, const ParseOptions& options,
                                          const Limits& limits) {
  if (text.size() > limits.text_bytes) {
    return std::unexpected(Refusal{{}, refusal("text", limits.text_bytes, text.size(), "bytes", {})});
  }
  ParseOptions bounded = options;
  bounded.max_depth = std::min(options.max_depth, limits.depth);
  bounded.max_nodes = std::min(options.max_nodes, limits.nodes);
  auto parsed = parse(text, bounded);
  if (!parsed) {
    // The parse stops at the first level or node too many, so that one more than allowed is what is known.
    if (parsed.error().kind == ParseError::Kind::TooDeep) {
      return std::unexpected(Refusal{
          {}, refusal("depth", bounded.max_depth, bounded.max_depth + 1, "levels", parsed.error().span)});
    }
    if (parsed.error().kind == ParseError::Kind::TooManyNodes) {
      return std::unexpected(Refusal{
          {}, refusal("nodes", bounded.max_nodes, bounded.max_nodes + 1, "nodes", parsed.error().span)});
    }
    return std::unexpected(Refusal{std::move(parsed).error(), {}});
  }
  if (auto refused = check_limits(*parsed, limits)) return std::unexpected(Refusal{{}, std::move(refused)});
  return *std::move(parsed);
}

}  // namespace fairway::promql
