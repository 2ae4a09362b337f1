#include "clusterversion/rules.hpp"

#include <algorithm>
#include <array>
#include <fmt/format.h>

#include "base/text.hpp"

namespace fairway::clusterversion {
namespace {

std::optional<std::string> always_problem(const MatchingRule& rule) {
  if (!rule.promql) return std::nullopt;
  return "the 'promql' property is not valid for 'type: Always' conditions";
}

std::optional<std::string> promql_problem(const MatchingRule& rule) {
  if (!rule.promql) return "the 'promql' property is required for 'type: PromQL' conditions";
  if (!rule.promql->promql.empty()) return std::nullopt;
  return "the 'promql.promql' query string must be non-empty for 'type: PromQL' conditions";
}

// The types that are known: a further one is a row here, and its evaluation in a RuleRegistry.
struct RuleType {
  std::string_view name;
  std::optional<std::string> (*problem)(const MatchingRule&);
};
constexpr std::array kRuleTypes = {RuleType{kAlways, always_problem}, RuleType{kPromql, promql_problem}};

// One failure as it is, several in brackets, each text once.
NoVerdict combined(const std::vector<NoVerdict>& failures) {
  if (failures.empty()) return {.why = "no recognized cluster condition types in matchingRules"};
  std::vector<std::string> texts;
  for (const NoVerdict& failure : failures) {
    if (std::ranges::find(texts, failure.why) == texts.end()) texts.push_back(failure.why);
  }
  NoVerdict all = failures.front();
  for (const NoVerdict& failure : failures) {
    if (failure.reason != all.reason) all.reason = NoVerdict{}.reason;
  }
  all.why = texts.size() == 1 ? texts.front() : fmt::format("[{}]", join(texts, ", "));
  return all;
}

}  // namespace

bool is_recognized(const MatchingRule& rule) {
  return std::ranges::find(kRuleTypes, rule.type, &RuleType::name) != kRuleTypes.end();
}

std::optional<std::string> rule_problem(const MatchingRule& rule) {
  const auto found = std::ranges::find(kRuleTypes, rule.type, &RuleType::name);
  return found == kRuleTypes.end() ? std::nullopt : found->problem(rule);
}

RuleRegistry::RuleRegistry(RuleEvaluation promql) {
  add(std::string(kAlways), [](const MatchingRule&) -> RuleVerdict { return true; });
  add(std::string(kPromql), std::move(promql));
}

void RuleRegistry::add(std::string type, RuleEvaluation evaluate) {
  types_.insert_or_assign(std::move(type), std::move(evaluate));
}

std::optional<RuleVerdict> RuleRegistry::evaluate(const MatchingRule& rule) const {
  const auto found = types_.find(rule.type);
  if (found == types_.end()) return std::nullopt;
  if (auto problem = rule_problem(rule)) return std::unexpected(NoVerdict{.why = *std::move(problem)});
  return found->second(rule);
}

RuleVerdict walk(std::span<const MatchingRule> rules, const RuleRegistry& registry) {
  std::vector<NoVerdict> failures;
  for (const MatchingRule& rule : rules) {
    const auto verdict = registry.evaluate(rule);
    if (!verdict) continue;
    if (*verdict || verdict->error().is_waiting) return *verdict;
    failures.push_back(verdict->error());
  }
  return std::unexpected(combined(failures));
}

}  // namespace fairway::clusterversion
