#include "clusterversion/upgradeable.hpp"

#include <algorithm>
#include <fmt/format.h>

#include "base/text.hpp"
#include "clusterversion/version_text.hpp"

namespace fairway::clusterversion {
namespace {

struct Objecting {
  std::string reason;
  std::string message;
};

// ack-4.6-…: the minor version that the gate is about; empty for a name that is not a gate's.
std::string_view gated_minor(std::string_view gate) {
  if (!gate.starts_with("ack-")) return {};
  const std::string_view rest = gate.substr(4);
  const auto end = rest.find('-');
  return end == std::string_view::npos ? std::string_view() : rest.substr(0, end);
}

void add_gates(const Release& current, const UpgradeFacts& facts, std::vector<Objecting>& all) {
  if (!facts.admin_gates) {
    all.push_back(
        {"AdminAckUnknown",
         "Failed to retrieve ConfigMap admin-gates from namespace openshift-config-managed: configmap "
         "\"admin-gates\" not found"});
    return;
  }
  const auto version = parse_version(current.version);
  for (const auto& [gate, description] : *facts.admin_gates) {
    const std::string_view minor = gated_minor(gate);
    if (minor.empty()) {
      all.push_back(
          {"AdminAckUnknown", fmt::format("admin-gates ConfigMap gate name {} is invalid.", quoted(gate))});
      continue;
    }
    if (!version || minor != minor_of(*version)) continue;
    const auto acknowledged = facts.admin_acks.find(gate);
    if (acknowledged != facts.admin_acks.end() && acknowledged->second == "true") continue;
    all.push_back({"AdminAckRequired", description});
  }
}

void add_operators(const UpgradeFacts& facts, std::vector<Objecting>& all) {
  for (const OperatorStanding& standing : facts.operators) {
    if (!standing.upgradeable || standing.upgradeable->status != kube::kConditionFalse) continue;
    const std::string& reason = standing.upgradeable->reason;
    all.push_back({reason.empty() ? "ClusterOperatorNotUpgradeable" : reason,
                   fmt::format("Cluster operator {} should not be upgraded between minor versions: {}",
                               standing.name, standing.upgradeable->message)});
  }
}

}  // namespace

std::optional<kube::Condition> upgradeable(const ClusterVersionSpec& spec, const Release& current,
                                           const UpgradeFacts& facts) {
  std::vector<Objecting> all;
  if (std::ranges::any_of(spec.overrides, &Override::unmanaged)) {
    all.push_back(
        {"ClusterVersionOverridesSet",
         "Disabling ownership via cluster version overrides prevents upgrades. Please remove overrides "
         "before continuing."});
  }
  add_gates(current, facts, all);
  add_operators(facts, all);
  if (all.empty()) return std::nullopt;
  kube::Condition made{.type = "Upgradeable", .status = std::string(kube::kConditionFalse)};
  if (all.size() == 1) {
    made.reason = all.front().reason;
    made.message = all.front().message;
    return made;
  }
  made.reason = "MultipleReasons";
  made.message = "Cluster should not be upgraded between minor versions for multiple reasons:";
  for (const Objecting& one : all) made.message += fmt::format("\n* {}", one.message);
  return made;
}

}  // namespace fairway::clusterversion
