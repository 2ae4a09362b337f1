#include "ingress/cluster_operator.hpp"

#include <fmt/format.h>

#include "base/text.hpp"
#include "ingress/condition.hpp"

namespace fairway::ingress {
namespace {

// "ingresscontroller "custom" is progressing: ScopeChanged: …."
std::string line(const IngressController& controller, std::string_view type, std::string_view verb) {
  const kube::Condition* found = kube::find_condition(controller.status.conditions, type);
  return fmt::format("ingresscontroller {} is {}: {}: {}.", quoted(controller.metadata.name), verb,
                     found == nullptr ? std::string_view() : found->reason,
                     found == nullptr ? std::string_view() : found->message);
}

std::string lines(const SummaryObserved::Controllers& controllers, std::string_view type,
                  std::string_view verb) {
  std::vector<std::string> all;
  for (const auto& each : controllers) all.push_back(line(*each, type, verb));
  return join(all, "\n");
}

// As the default controller says. What it does not say is not known.
kube::Condition mirrored(const SummaryObserved& seen, std::string_view type, std::string_view when_true,
                         std::string_view when_false) {
  if (!seen.default_controller) {
    const bool is_available = type == "Available";
    return said(type, !is_available, "IngressDoesNotExist",
                "The \"default\" ingress controller does not exist.");
  }
  const kube::Condition* found = kube::find_condition(seen.default_controller->status.conditions, type);
  if (found == nullptr || found->status == kube::kConditionUnknown) {
    return unknown(type, fmt::format("{}Unknown", when_true),
                   fmt::format("The \"default\" ingress controller does not report {}.", type));
  }
  const bool is_true = found->status == kube::kConditionTrue;
  std::string message = fmt::format("The \"default\" ingress controller reports {}={}", type, found->status);
  message += found->message.empty() ? "." : fmt::format(": {}: {}.", found->reason, found->message);
  return said(type, is_true, std::string(is_true ? when_true : when_false), std::move(message));
}

kube::Condition progressing(const SummaryObserved& seen) {
  if (seen.progressing.empty()) return said("Progressing", false, "AsExpected");
  return said("Progressing", true, "Reconciling", lines(seen.progressing, "Progressing", "progressing"));
}

kube::Condition upgradeable(const SummaryObserved& seen) {
  if (seen.not_upgradeable.empty()) return said("Upgradeable", true, "IngressControllersUpgradeable");
  return said("Upgradeable", false, "IngressControllersNotUpgradeable",
              fmt::format("Some ingresscontrollers are not upgradeable: {}",
                          lines(seen.not_upgradeable, "Upgradeable", "not upgradeable")));
}

json::Object wanted_status(const SummaryObserved& seen) {
  const json::Object* before = json::get_object(*seen.object, {"status"});
  json::Object status = before == nullptr ? json::Object() : *before;
  kube::Conditions conditions = kube::conditions_of(*seen.object);
  const WallTime now = std::chrono::floor<std::chrono::seconds>(seen.now);
  for (kube::Condition& each :
       std::vector{mirrored(seen, "Available", "IngressAvailable", "IngressUnavailable"), progressing(seen),
                   mirrored(seen, "Degraded", "IngressDegraded", "IngressNotDegraded"), upgradeable(seen)})
    kube::set_condition(conditions, std::move(each), now);
  status["conditions"] = json::to_json(conditions);
  if (!seen.version.empty())
    status["versions"] = json::Array{json::Object{{"name", "operator"}, {"version", seen.version}}};
  const auto related = [](std::string_view group, std::string_view resource, std::string_view ns,
                          std::string_view name) {
    json::Object made{{"group", group}, {"resource", resource}, {"name", name}};
    if (!ns.empty()) made["namespace"] = ns;
    return made;
  };
  status["relatedObjects"] =
      json::Array{related("", "namespaces", "", kOperatorNamespace),
                  related("operator.openshift.io", "ingresscontrollers", kOperatorNamespace, ""),
                  related("", "namespaces", "", kOperandNamespace)};
  return status;
}

struct Describe {
  std::string operator()(const CreateClusterOperator&) const {
    return fmt::format("create ClusterOperator {}", kClusterOperatorName);
  }
  std::string operator()(const WriteClusterOperator& action) const {
    const kube::Conditions all = kube::conditions_of(json::Object{{"status", action.status}});
    std::vector<std::string> words;
    for (const kube::Condition& each : all) words.push_back(fmt::format("{}={}", each.type, each.status));
    return fmt::format("write the status of ClusterOperator {}: {}", kClusterOperatorName, join(words, ", "));
  }
};

}  // namespace

const kube::ResourceType& cluster_operator_type() {
  static const kube::ResourceType kType{.kind = {"config.openshift.io", "v1", "ClusterOperator"},
                                        .resource = "clusteroperators",
                                        .is_namespaced = false};
  return kType;
}

std::string describe(const SummaryAction& action) {
  return std::visit(Describe{}, action);
}

kube::Plan<SummaryAction> decide_summary(const SummaryObserved& seen) {
  kube::Plan<SummaryAction> plan;
  if (!seen.object) {
    json::Object object{{"apiVersion", "config.openshift.io/v1"}, {"kind", "ClusterOperator"}};
    object["metadata"] = json::Object{{"name", kClusterOperatorName}};
    object["spec"] = json::Object();
    plan.actions.emplace_back(CreateClusterOperator{std::move(object)});
    return plan;
  }
  const bool is_too_soon = seen.written_at && seen.now - *seen.written_at < kSummaryPause;
  if (is_too_soon) {
    plan.wake(*seen.written_at + kSummaryPause, "the summary may be written again");
    return plan;
  }
  json::Object status = wanted_status(seen);
  const json::Object* before = json::get_object(*seen.object, {"status"});
  if (before != nullptr && *before == status) return plan;
  plan.actions.emplace_back(
      WriteClusterOperator{std::string(kube::resource_version_of(*seen.object)), std::move(status)});
  return plan;
}

std::vector<std::string> summary_index(const IngressController& controller) {
  std::vector<std::string> words;
  const kube::Conditions& all = controller.status.conditions;
  if (kube::is_condition_true(all, "Progressing")) words.emplace_back(kProgressingIndex);
  if (kube::is_condition_false(all, "Upgradeable")) words.emplace_back(kNotUpgradeableIndex);
  return words;
}

}  // namespace fairway::ingress
