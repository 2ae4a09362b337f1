#include "clusterversion/accepted_risks.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <vector>

#include "base/text.hpp"

namespace fairway::clusterversion {
namespace {

constexpr std::string_view kApplies = "Applies";

std::string without_final_newlines(std::string text) {
  while (text.ends_with('\n')) text.pop_back();
  return text;
}

// The design's paragraph. Silent when the update is recommended or no conditional one.
std::string describe_verdict(const AcceptedUpdate& update, const ConditionalUpdate* conditional) {
  const kube::Condition* verdict = conditional ? recommended(*conditional) : nullptr;
  if (!verdict || verdict->status == kube::kConditionTrue) return {};
  const std::string_view judgement =
      verdict->status == kube::kConditionFalse ? "not recommended" : "whether it is recommended is unknown";
  return fmt::format("Updating from {} to {} is supported, but {} for this cluster.\n\nReason: {}\n\n{}",
                     update.status.desired.version, update.target.version, judgement, verdict->reason,
                     verdict->message);
}

// Where nothing tells of a risk whether it applies, accepting it counts as being exposed.
bool is_exposed(const Risk& risk, const ClusterVersionStatus& status) {
  const kube::Condition* applies = kube::find_condition(risk.conditions, kApplies);
  const auto told = std::ranges::find(status.conditional_update_risks, risk.name, &Risk::name);
  if (!applies && told != status.conditional_update_risks.end())
    applies = kube::find_condition(told->conditions, kApplies);
  return !applies || applies->status == kube::kConditionTrue;
}

std::string describe_accepted_names(const AcceptedUpdate& update, const ConditionalUpdate* conditional) {
  if (!update.accepts_risks || !conditional || !update.spec.desired_update) return {};
  const auto& accepted = update.spec.desired_update->accept_risks;
  std::vector<std::string> names;
  for (const Risk& risk : conditional->risks) {
    const bool is_accepted = std::ranges::find(accepted, risk.name, &AcceptedRisk::name) != accepted.end();
    if (is_accepted && is_exposed(risk, update.status)) names.push_back(risk.name);
  }
  if (names.empty()) return {};
  if (is_recommended(*conditional)) {
    return fmt::format(
        "The target release {} is exposed to the risks [{}] which were all explicitly accepted by the "
        "cluster "
        "administrator.",
        update.target.image, join(names, ","));
  }
  return fmt::format(
      "Of the risks that the target release {} is exposed to, [{}] were explicitly accepted by the cluster "
      "administrator.",
      update.target.image, join(names, ","));
}

}  // namespace

std::string describe_accepted_risks(const AcceptedUpdate& update) {
  const ConditionalUpdate* conditional = find_conditional(update.status, update.target);
  const std::string verdict = describe_verdict(update, conditional);
  Objections others;
  std::ranges::copy_if(update.objections, std::back_inserter(others), [&](const Objection& objection) {
    return verdict.empty() || objection.name != kRecommendedUpdate;
  });
  std::vector<std::string> parts;
  for (std::string part : {update.verification, verdict, describe_accepted_names(update, conditional),
                           describe(others, update.force)}) {
    part = without_final_newlines(std::move(part));
    if (!part.empty()) parts.push_back(std::move(part));
  }
  return join(parts, "\n\n");
}

std::string describe_unverified(const Release& target, const std::string& why) {
  return fmt::format(
      "Target release version=\"{}\" image=\"{}\" cannot be verified, but continuing anyway because the "
      "update was forced: {}",
      target.version, target.image, why);
}

}  // namespace fairway::clusterversion
