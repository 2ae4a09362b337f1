// The lint of a risk: whether a query can do what a conditional update asks of it.
//
// The client demands exactly one sample, 1 when the risk applies and 0 when it does not. Errors make a query
// useless; warnings say what can go wrong. A finding has a stable id, a place, one sentence and what to do
// instead. The rules about series and values rest on promql/analysis.hpp and are sound: no warning means
// proven.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.hpp"
#include "promql/limits.hpp"
#include "promql/parser.hpp"

namespace fairway::promql {

enum class Severity { Error, Warning };

struct Finding {
  std::string id;
  Severity severity = Severity::Warning;
  Span span = {};
  std::string message;
  std::string fix;  // may be empty for a syntax error
};

// The ids, in the order of the rules.
inline constexpr std::string_view kSyntaxError = "syntax-error";
inline constexpr std::string_view kLimit = "limit";
inline constexpr std::string_view kResultType = "result-type";
inline constexpr std::string_view kManySeries = "many-series";
inline constexpr std::string_view kNotBoolean = "not-boolean";
inline constexpr std::string_view kNoZero = "no-zero";
inline constexpr std::string_view kRegexInEquality = "regex-in-equality";
inline constexpr std::string_view kMatchesEverything = "matches-everything";
inline constexpr std::string_view kBeyondHistory = "beyond-history";
inline constexpr std::string_view kUnknownMetric = "unknown-metric";

struct LintOptions {
  ParseOptions parse = {};
  Limits limits = {};
  std::optional<Duration> history = {};  // how long samples are kept
  std::optional<std::set<std::string, std::less<>>> known_metrics = {};
};

struct LintReport {
  std::vector<Finding> findings = {};  // by place; a rule about the whole query stands where its cause is
  std::optional<Expr> expr = {};       // when it parsed
  bool at_most_one_series = false;     // proven

  bool has_errors() const;
  bool has_warnings() const;
};

LintReport lint(std::string_view text, const LintOptions& options = {});

}  // namespace fairway::promql
