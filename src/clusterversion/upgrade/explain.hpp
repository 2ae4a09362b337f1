// Explain: one risk, as the cluster knows it. Which updates it stands against, by which rules it is judged,
// and what the operator found. Pure; evaluating the rules elsewhere is left to the caller.
//
// Operators of different ages record verdicts differently: a condition of the risk where there is one, else
// what the verdicts on its updates say of it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "clusterversion/types.hpp"

namespace fairway::clusterversion::upgrade {

// One definition of a risk. Updates may have different ones under one name; each is judged by itself.
struct RiskDefinition {
  Risk risk;
  std::vector<const ConditionalUpdate*> updates;  // newest first; they point into the ClusterVersion
};

// NotFound names the nearest risk, or all that there are.
Result<std::vector<RiskDefinition>> find_risk(const ClusterVersion& cluster, std::string_view name);

struct RecordedVerdict {
  std::string exposure;  // "applies", "does not apply", "unknown", "not evaluated yet"
  std::string source;    // where that was read
};
RecordedVerdict recorded_verdict(const ClusterVersion& cluster, const RiskDefinition& definition);

std::string risk_text(const ClusterVersion& cluster, const RiskDefinition& definition);
json::Object risk_document(const ClusterVersion& cluster, const RiskDefinition& definition);

}  // namespace fairway::clusterversion::upgrade
