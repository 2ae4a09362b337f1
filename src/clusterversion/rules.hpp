// Rules: the registry of cluster-condition types, and the walk over a risk's matching rules. Pure.
//
// A type says which rules of it are well-formed and what a rule says about this cluster. Rules are walked in
// order: what is unrecognised or fails leads to the next one, the first verdict counts, and when there is
// none nobody can tell. A rule whose verdict is still being worked out ends the walk: a later rule must not
// speak before an earlier one had its turn.
#pragma once

#include <expected>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "clusterversion/types.hpp"

namespace fairway::clusterversion {

inline constexpr std::string_view kAlways = "Always";
inline constexpr std::string_view kPromql = "PromQL";

// Whether a cluster matches a rule: 1, 0, or why that cannot be told.
struct NoVerdict {
  std::string why;
  std::string reason = "EvaluationFailed";  // of the condition
  bool is_waiting = false;                  // it will be told without anyone's doing
  bool operator==(const NoVerdict&) const = default;
};
using RuleVerdict = std::expected<bool, NoVerdict>;

// Why a rule of a known type is not well-formed; nothing when it is.
std::optional<std::string> rule_problem(const MatchingRule& rule);
bool is_recognized(const MatchingRule& rule);

// What the rule says about this cluster; asked only for rules that are recognised and well-formed.
using RuleEvaluation = std::function<RuleVerdict(const MatchingRule&)>;

// Evaluates by type. `Always` is built in; PromQL's verdicts come from wherever queries are asked.
class RuleRegistry {
 public:
  explicit RuleRegistry(RuleEvaluation promql);
  void add(std::string type, RuleEvaluation evaluate);
  // Nothing for a type that is not known.
  std::optional<RuleVerdict> evaluate(const MatchingRule& rule) const;

 private:
  std::map<std::string, RuleEvaluation, std::less<>> types_;
};

RuleVerdict walk(std::span<const MatchingRule> rules, const RuleRegistry& registry);

}  // namespace fairway::clusterversion
