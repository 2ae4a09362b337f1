#include "fleet/learned_block.hpp"

#include <cctype>
#include <fmt/format.h>
#include <set>

#include "base/text.hpp"

namespace fairway::fleet {
namespace {

// As risks are named: CamelCase.
std::string risk_name(std::string_view rollout) {
  std::string name = "FailedInRollout";
  bool is_start = true;
  for (const char each : rollout) {
    if (std::isalnum(static_cast<unsigned char>(each)) == 0) {
      is_start = true;
    } else {
      name += is_start ? static_cast<char>(std::toupper(static_cast<unsigned char>(each))) : each;
      is_start = false;
    }
  }
  return name;
}

Result<std::string> release_of(const ClusterGroupUpgrade& rollout, const Policies& policies) {
  std::set<std::string> versions;
  for (const PolicyReference& each : rollout.status.managed_policies_for_upgrade) {
    const PolicyView* view = find_policy(policies, each.namespace_, each.name);
    if (view == nullptr || !view->root) continue;
    for (const PlatformFields& fields : view->root->platform) {
      if (!fields.version.empty()) versions.insert(fields.version);
    }
  }
  if (versions.size() == 1) return *versions.begin();
  return fail(ErrorCode::Invalid,
              fmt::format("the policies of {} were expected to set desiredUpdate.version of ClusterVersion "
                          "to one release, and set {}; a block can only be written against a release",
                          quoted(rollout.metadata.name), versions.size()));
}

std::string failure_text(const ClusterGroupUpgrade& rollout, std::string_view release) {
  std::vector<std::string> failed;
  for (const ClusterRow& each : rollout.status.clusters) {
    if (each.state == kTimedOut) failed.push_back(each.name);
  }
  const auto* ended = kube::find_condition(rollout.status.conditions, kSucceeded);
  return fmt::format("The rollout {}/{} to {} failed: {}. Clusters that did not become compliant: {}.",
                     rollout.metadata.namespace_, rollout.metadata.name, release,
                     ended == nullptr ? "" : ended->message, failed.empty() ? "none" : join(failed, ", "));
}

}  // namespace

Result<LearnedBlock> learn_block(const ClusterGroupUpgrade& rollout, const Policies& policies,
                                 const BlockChoice& choice) {
  if (!kube::is_condition_false(rollout.status.conditions, kSucceeded))
    return fail(ErrorCode::Invalid, fmt::format("{} has not failed: only a failed rollout teaches a block",
                                                quoted(rollout.metadata.name)));
  FAIRWAY_TRY(const std::string release, release_of(rollout, policies));
  json::Object rule{{"type", "Always"}};
  if (!choice.promql.empty())
    rule = json::Object{{"type", "PromQL"}, {"promql", json::Object{{"promql", choice.promql}}}};
  const std::string name = risk_name(rollout.metadata.name);
  json::Object content;
  content["to"] = release;
  content["from"] = choice.from;
  content["url"] = choice.url;
  content["name"] = name;
  content["message"] = failure_text(rollout, release);
  content["matchingRules"] = json::Array{std::move(rule)};
  return LearnedBlock{fmt::format("{}-{}.yaml", release, name), std::move(content)};
}

}  // namespace fairway::fleet
