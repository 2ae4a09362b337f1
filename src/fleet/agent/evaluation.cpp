#include "fleet/agent/evaluation.hpp"

#include "base/text.hpp"
#include "kube/core/object.hpp"

namespace fairway::fleet::agent {
namespace {

const Interval& interval_of(const Configuration& configuration, bool is_compliant) {
  return is_compliant ? configuration.when_compliant : configuration.when_noncompliant;
}

}  // namespace

Due when_due(const Observed& seen, const Configuration& configuration) {
  const json::Object& policy = *seen.policy;
  if (!seen.outcomes.empty() || kube::is_being_deleted(policy)) return {};
  const auto evaluated = parse_rfc3339(json::get_string(policy, {"status", "lastEvaluated"}).value_or(""));
  const auto generation = json::get_int(policy, {"status", "lastEvaluatedGeneration"});
  if (!evaluated || generation != kube::generation_of(policy)) return {};
  if (seen.namespaces_before && *seen.namespaces_before != seen.namespaces) return {};
  const std::string_view state = json::get_string(policy, {"status", "compliant"}).value_or("");
  if (state != "Compliant" && state != "NonCompliant") return {};
  switch (interval_of(configuration, state == "Compliant").kind) {
    case Interval::Kind::Watch:
      return {};
    case Interval::Kind::Never:
      return {.is_now = false};
    case Interval::Kind::Every:
      break;
  }
  const auto at = next_evaluation(configuration, state == "Compliant", *evaluated);
  return seen.now >= *at ? Due{} : Due{.is_now = false, .at = at};
}

std::optional<WallTime> next_evaluation(const Configuration& configuration, bool is_compliant,
                                        WallTime evaluated) {
  const Interval& interval = interval_of(configuration, is_compliant);
  if (interval.kind != Interval::Kind::Every) return std::nullopt;
  return evaluated + interval.every;
}

}  // namespace fairway::fleet::agent
