#include "graph/verdict.hpp"

namespace fairway::graph {

std::string_view to_string(RiskVerdict verdict) {
  switch (verdict) {
    case RiskVerdict::Applies:
      return "Applies";
    case RiskVerdict::DoesNotApply:
      return "DoesNotApply";
    case RiskVerdict::Unknown:
      return "Unknown";
  }
  return "Unknown";
}

RiskVerdict judge_risk(const Risk& risk, const QueryJudge& judge) {
  for (const Rule& rule : risk.rules) {
    if (rule.type == "Always") return RiskVerdict::Applies;
    if (rule.type != "PromQL" || !judge) continue;
    const RiskVerdict verdict = judge(rule.promql);
    if (verdict != RiskVerdict::Unknown) return verdict;
  }
  return RiskVerdict::Unknown;
}

}  // namespace fairway::graph
