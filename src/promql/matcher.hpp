// CompiledMatcher: one label matcher of a selector, ready to be asked about many series.
//
// Regular expressions are RE2's, match the whole value, and `.` matches line ends too, as in Prometheus.
// Those that are only literals, a choice of literals, or a literal prefix never reach RE2. Immutable, cheap
// to copy, usable from several threads.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "promql/ast.hpp"
#include "promql/labels.hpp"
#include "promql/regex.hpp"
#include "promql/types.hpp"

namespace fairway::promql {

class CompiledMatcher {
 public:
  static Result<CompiledMatcher> compile(std::string_view name, MatchOp op, std::string_view value);

  bool matches(std::string_view value) const;  // empty for a label that is not there

  const std::string& name() const { return name_; }
  const std::string& value() const { return value_; }
  MatchOp op() const { return op_; }

 private:
  // What a pattern comes down to, where it is simple.
  struct Shape {
    std::vector<std::string> literals;  // any of these, or when is_prefix anything that starts with one
    bool is_prefix = false;
  };
  static std::optional<Shape> simple_shape(std::string_view pattern);

  std::string name_;
  std::string value_;
  MatchOp op_ = MatchOp::Equal;
  std::shared_ptr<const Shape> shape_;
  std::optional<Regex> regex_;
};

// A selector's name and matchers together.
Result<std::vector<CompiledMatcher>> compile_matchers(const VectorSelector& selector);

bool matches(std::span<const CompiledMatcher> matchers, const Labels& labels);
// The matcher that names the one metric; null when there is none.
const CompiledMatcher* find_exact_name(std::span<const CompiledMatcher> matchers);
// Whether the matchers of the metric name allow this one.
bool may_be_named(std::span<const CompiledMatcher> matchers, std::string_view name);

}  // namespace fairway::promql
