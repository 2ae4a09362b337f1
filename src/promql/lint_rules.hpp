// The rules of lint(), one function each; they append what they find.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "promql/analysis.hpp"
#include "promql/lint.hpp"

namespace fairway::promql {

class LintRules {
 public:
  LintRules(const Expr& expr, const std::vector<Facts>& facts, std::vector<Finding>& findings)
      : expr_(expr), facts_(facts), findings_(findings) {}

  void result_type();
  void many_series();
  void not_boolean();
  void no_zero();
  void matchers();
  void beyond_history(Duration history);
  void unknown_metrics(const std::set<std::string, std::less<>>& known);

 private:
  struct Reason {
    std::string message;
    std::string fix;
  };

  void warn(std::string_view id, Span span, std::string message, std::string fix);
  NodeId source_of_many() const;
  Reason why_many(NodeId id) const;
  NodeId source_of_strange_value() const;
  void selector_rules(const VectorSelector& selector, Span span);
  std::string shown(NodeId id) const;

  const Expr& expr_;
  const std::vector<Facts>& facts_;
  std::vector<Finding>& findings_;
};

// Whether an equality's value was meant as a regular expression: AWS|GCP, 4[.]1.*, ^x$.
bool looks_like_regex(std::string_view value);

}  // namespace fairway::promql
