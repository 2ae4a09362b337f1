// parse(): PromQL text to a typed tree, with the verdicts, error texts and positions of Prometheus 3's own
// parser.
//
// Linear in the text and without recursion: nesting costs memory, not stack, and is refused beyond max_depth.
// Type checking is part of parsing; a returned Expr is valid. Only the first error is reported, as Prometheus
// does. Limits on what a query may cost are a separate matter: promql/limits.hpp.
#pragma once

#include <cstddef>
#include <expected>
#include <string>
#include <string_view>

#include "base/result.hpp"
#include "promql/ast.hpp"

namespace fairway::promql {

struct ParseOptions {
  bool experimental_functions = false;    // promql-experimental-functions
  bool duration_expressions = false;      // promql-duration-expr
  bool extended_range_selectors = false;  // promql-extended-range-selectors: anchored, smoothed
  bool fill_modifiers = false;            // promql-binop-fill-modifiers
  std::size_t max_depth = 100'000;        // of the tree, and of open parentheses
  std::size_t max_nodes = 10'000'000;
  std::size_t max_bytes = 64 * 1024 * 1024;

  static ParseOptions all_enabled();
};

struct ParseError {
  enum class Kind : std::uint8_t { Syntax, TooLong, TooDeep, TooManyNodes };

  Span span;            // where, in bytes
  std::string message;  // "unexpected end of input in offset, expected number, duration, step(), or range()"
  Kind kind = Kind::Syntax;  // anything else: not wrong, but beyond what the options allow

  // "1:15: parse error: …", as Prometheus prints it for that query; columns count bytes.
  std::string describe(std::string_view text) const;
  Error to_error(std::string_view text) const;
};

// "2:7"; "unknown position" for an empty text.
std::string describe_position(std::string_view text, std::size_t offset);

std::expected<Expr, ParseError> parse(std::string_view text, const ParseOptions& options = {});

}  // namespace fairway::promql
