// Whether a risk applies to a cluster, as three values: not being able to tell is one of them, and never
// recommends.
//
// Who can tell is given as a function, since risks are PromQL and this folder does not know it. judge_risk()
// walks a risk's rules as the seed says: the first that can be evaluated decides.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "graph/block.hpp"

namespace fairway::graph {

enum class RiskVerdict { Applies, DoesNotApply, Unknown };

std::string_view to_string(RiskVerdict verdict);

using RiskJudge = std::function<RiskVerdict(const Risk&)>;
// Of a query alone: 1 is Applies, 0 is DoesNotApply, anything else Unknown.
using QueryJudge = std::function<RiskVerdict(std::string_view query)>;

RiskVerdict judge_risk(const Risk& risk, const QueryJudge& judge);

}  // namespace fairway::graph
