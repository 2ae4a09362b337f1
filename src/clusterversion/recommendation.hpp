// Recommendation: from the verdicts on an update's risks to its conditions. Pure.
//
// False beats Unknown beats True; an update is recommended only when every risk was evaluated and does not
// apply, or was accepted by name where that is allowed. Messages come in the order of the risks.
#pragma once

#include <functional>
#include <set>
#include <string>
#include <vector>

#include "clusterversion/offer.hpp"
#include "clusterversion/rules.hpp"

namespace fairway::clusterversion {

// The verdict on one risk of this cluster, by its rules.
using RiskEvaluation = std::function<RuleVerdict(const OfferedRisk&)>;
// Walks the rules; a risk whose definitions diverge is at best unknown.
RuleVerdict evaluate(const OfferedRisk& risk, const RuleRegistry& registry);

using AcceptedNames = std::set<std::string, std::less<>>;

// The conditions Evaluating and Recommended, without times.
kube::Conditions judge(const OfferedUpdate& update, const RiskEvaluation& evaluation,
                       const AcceptedNames& accepted = {});
// The condition Applies of one risk.
kube::Condition applies(const OfferedRisk& risk, const RuleVerdict& verdict);

// `<message> <url>`: what a matching risk says.
std::string exposure_text(const Risk& risk);

}  // namespace fairway::clusterversion
