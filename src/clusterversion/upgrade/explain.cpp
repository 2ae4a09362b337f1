#include "clusterversion/upgrade/explain.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <set>

#include "base/text.hpp"
#include "clusterversion/recommendation.hpp"
#include "clusterversion/upgrade/view.hpp"

namespace fairway::clusterversion::upgrade {
namespace {

constexpr std::string_view kApplies = "Applies";

std::vector<const ConditionalUpdate*> all_updates(const ClusterVersion& cluster) {
  std::vector<const ConditionalUpdate*> updates;
  updates.reserve(cluster.status.conditional_updates.size());
  for (const ConditionalUpdate& update : cluster.status.conditional_updates) updates.push_back(&update);
  std::ranges::stable_sort(
      updates, [](const auto* left, const auto* right) { return is_newer(left->release, right->release); });
  return updates;
}

bool is_same_definition(const Risk& left, const Risk& right) {
  return left.url == right.url && left.message == right.message &&
         left.matching_rules == right.matching_rules;
}

Error no_such_risk(const ClusterVersion& cluster, std::string_view name) {
  std::set<std::string> known;
  for (const ConditionalUpdate& update : cluster.status.conditional_updates) {
    for (const Risk& risk : update.risks) known.insert(risk.name);
  }
  const std::vector<std::string> names(known.begin(), known.end());
  std::string hint = "no update of this cluster has a risk";
  if (const auto meant = nearest(name, names)) {
    hint = fmt::format("did you mean {}?", quoted(*meant));
  } else if (!names.empty()) {
    hint = fmt::format("there are {}", join(names, ", "));
  }
  return {ErrorCode::NotFound,
          fmt::format("expected the name of a risk of an update, found {}: {}", quoted(name), hint)};
}

const kube::Condition* applies_condition(const ClusterVersion& cluster, const Risk& risk) {
  if (const auto* found = kube::find_condition(risk.conditions, kApplies)) return found;
  for (const Risk& told : cluster.status.conditional_update_risks) {
    if (told.name == risk.name && is_same_definition(told, risk)) {
      return kube::find_condition(told.conditions, kApplies);
    }
  }
  return nullptr;
}

std::string_view exposure_of(std::string_view status) {
  if (status == kube::kConditionTrue) return "applies";
  return status == kube::kConditionFalse ? "does not apply" : "unknown";
}

// A verdict tells of each risk that matches or could not be evaluated; of the others it is silent.
std::string_view exposure_in(const kube::Condition& verdict, const Risk& risk) {
  if (verdict.status == kube::kConditionTrue) {
    return verdict.reason == "AllExposedRisksAccepted" ? "does not apply, or is accepted" : "does not apply";
  }
  const std::string_view message = verdict.message;
  const bool is_told = message.find(exposure_text(risk)) != std::string_view::npos;
  if (is_told || (verdict.reason == risk.name && verdict.status == kube::kConditionFalse)) return "applies";
  return message.find(risk.name) != std::string_view::npos ? "unknown" : "does not apply";
}

std::string since_text(const kube::Condition& condition) {
  return condition.last_transition_time
             ? fmt::format(" since {}", format_rfc3339(*condition.last_transition_time))
             : "";
}

std::string update_text(const ConditionalUpdate& update) {
  const Verdict verdict = verdict_on(update);
  const kube::Condition* found = recommended(update);
  return fmt::format("  {}: Recommended={} {}{}\n", name_of(update.release), verdict.status, verdict.reason,
                     found == nullptr ? "" : since_text(*found));
}

std::string rule_text(std::size_t number, const MatchingRule& rule) {
  std::string text = fmt::format("  {}. {}\n", number, rule.type);
  if (rule.promql) {
    text += fmt::format("       {}\n", indented(trim(rule.promql->promql), 7));
  }
  return text;
}

}  // namespace

Result<std::vector<RiskDefinition>> find_risk(const ClusterVersion& cluster, std::string_view name) {
  std::vector<RiskDefinition> definitions;
  for (const ConditionalUpdate* update : all_updates(cluster)) {
    for (const Risk& risk : update->risks) {
      if (risk.name != name) continue;
      auto same = std::ranges::find_if(
          definitions, [&](const RiskDefinition& known) { return is_same_definition(known.risk, risk); });
      if (same == definitions.end()) same = definitions.insert(same, RiskDefinition{risk, {}});
      same->updates.push_back(update);
    }
  }
  if (definitions.empty()) return std::unexpected(no_such_risk(cluster, name));
  return definitions;
}

RecordedVerdict recorded_verdict(const ClusterVersion& cluster, const RiskDefinition& definition) {
  if (const kube::Condition* applies = applies_condition(cluster, definition.risk)) {
    return {std::string(exposure_of(applies->status)),
            fmt::format("the risk's own condition Applies={} {}{}", applies->status, applies->reason,
                        since_text(*applies))};
  }
  for (const ConditionalUpdate* update : definition.updates) {
    const kube::Condition* verdict = recommended(*update);
    if (verdict == nullptr) continue;
    return {std::string(exposure_in(*verdict, definition.risk)),
            fmt::format("the verdict on {}{}", name_of(update->release), since_text(*verdict))};
  }
  return {"not evaluated yet", "no update with it has a verdict"};
}

std::string risk_text(const ClusterVersion& cluster, const RiskDefinition& definition) {
  const Risk& risk = definition.risk;
  const RecordedVerdict recorded = recorded_verdict(cluster, definition);
  std::string text = fmt::format("Risk:     {}\nURL:      {}\nMessage:  {}\n", risk.name, risk.url,
                                 indented(trim(risk.message), 10));
  text += fmt::format("Recorded: {} ({})\n\nUpdates with this risk:\n", recorded.exposure, recorded.source);
  for (const ConditionalUpdate* update : definition.updates) text += update_text(*update);
  text += risk.matching_rules.empty() ? "\nIt has no rules to judge it by.\n"
                                      : "\nRules, the first that gives a verdict counts:\n";
  for (std::size_t i = 0; i < risk.matching_rules.size(); ++i) {
    text += rule_text(i + 1, risk.matching_rules[i]);
  }
  return text;
}

json::Object risk_document(const ClusterVersion& cluster, const RiskDefinition& definition) {
  const RecordedVerdict recorded = recorded_verdict(cluster, definition);
  json::Array updates;
  for (const ConditionalUpdate* update : definition.updates) {
    const Verdict verdict = verdict_on(*update);
    updates.push_back(json::Object{{"version", update->release.version},
                                   {"image", update->release.image},
                                   {"recommended", verdict.status},
                                   {"reason", verdict.reason},
                                   {"message", verdict.message}});
  }
  json::Object document = json::to_object(definition.risk);
  document["recorded"] = json::Object{{"exposure", recorded.exposure}, {"source", recorded.source}};
  document["updates"] = std::move(updates);
  return document;
}

}  // namespace fairway::clusterversion::upgrade
