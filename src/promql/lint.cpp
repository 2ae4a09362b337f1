#include "promql/lint.hpp"

#include <algorithm>
#include <fmt/format.h>

#include "base/text.hpp"
#include "promql/lint_rules.hpp"

namespace fairway::promql {

bool LintReport::has_errors() const {
  return std::ranges::any_of(findings, [](const Finding& f) { return f.severity == Severity::Error; });
}

bool LintReport::has_warnings() const {
  return std::ranges::any_of(findings, [](const Finding& f) { return f.severity == Severity::Warning; });
}

namespace {

std::string advice_for(std::string_view limit) {
  if (limit == "subquery") return "aggregate over a plain range such as [1h] instead";
  if (limit == "range") return "ask for a shorter range";
  if (limit == "regex" || limit == "regex size") return "write a shorter regular expression";
  return "split the query, or raise the limit where it is evaluated";
}

LintReport refused(const Refusal& refusal) {
  LintReport report;
  if (refusal.syntax) {
    report.findings.push_back(
        {std::string(kSyntaxError), Severity::Error, refusal.syntax->span, refusal.syntax->message, ""});
  } else {
    report.findings.push_back({std::string(kLimit), Severity::Error, refusal.limit->span,
                               refusal.limit->message, advice_for(refusal.limit->limit)});
  }
  return report;
}

}  // namespace

LintReport lint(std::string_view text, const LintOptions& options) {
  auto parsed = parse_within(text, options.parse, options.limits);
  if (!parsed) return refused(parsed.error());
  LintReport report;
  const std::vector<Facts> facts = analyze(*parsed);
  LintRules rules(*parsed, facts, report.findings);
  rules.result_type();
  if (parsed->type() == ValueType::Vector) {
    rules.many_series();
    rules.not_boolean();
    rules.no_zero();
    report.at_most_one_series = facts.back().at_most_one;
  }
  rules.matchers();
  if (options.history) rules.beyond_history(*options.history);
  if (options.known_metrics) rules.unknown_metrics(*options.known_metrics);
  std::ranges::stable_sort(report.findings, {}, [](const Finding& finding) { return finding.span.start; });
  report.expr = *std::move(parsed);
  return report;
}

}  // namespace fairway::promql
