// Limits: what a query may cost, apart from whether it is valid.
//
// A refusal names the limit and both numbers, the allowed one and the one found. Cheap checks come first and
// the parse itself stops at the limits on depth and nodes, so that a hostile text is refused without being
// worked through. The defaults are several times what any query of real graph data uses. What an evaluation
// may cost is EvalLimits of promql/budget.hpp.
#pragma once

#include <chrono>
#include <cstddef>
#include <expected>
#include <optional>
#include <string>
#include <string_view>

#include "base/clock.hpp"
#include "promql/ast.hpp"
#include "promql/parser.hpp"

namespace fairway::promql {

struct Limits {
  std::size_t text_bytes = 8 * 1024;
  std::size_t depth = 64;
  std::size_t nodes = 512;
  std::size_t selectors = 32;
  std::size_t regex_bytes = 1024;
  std::size_t regex_size = 10'000;  // instructions, as RegexShape estimates them
  Duration range = std::chrono::hours(24);
  bool allow_subqueries = false;
};

// "text", "depth", "nodes", "selectors", "regex", "regex size", "range", "subquery".
struct LimitRefusal {
  std::string limit;
  std::string message;  // refused by the limit on depth: at most 64 levels, found 65
  Span span = {};
};

// Whether a parsed query keeps the limits.
std::optional<LimitRefusal> check_limits(const Expr& expr, const Limits& limits);

struct Refusal {
  std::optional<ParseError> syntax;  // one of the two
  std::optional<LimitRefusal> limit;

  std::string describe(std::string_view text) const;
};

std::expected<Expr, Refusal> parse_within(std::string_view text, const ParseOptions& options,
                                          const Limits& limits);

}  // namespace fairway::promql
