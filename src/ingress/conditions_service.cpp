// Conditions of the Service that publishes a controller.
#include "ingress/conditions_service.hpp"

#include <fmt/format.h>

#include "base/text.hpp"
#include "ingress/condition.hpp"
#include "ingress/texts.hpp"

namespace fairway::ingress {
namespace {

std::string conflict(const Observed& seen) {
  const auto owner = kube::label(*seen.service, kOwningLabel);
  const std::string found = owner ? fmt::format("it is labelled as IngressController {}'s", quoted(*owner))
                                  : fmt::format("it has no label {}", kOwningLabel);
  return fmt::format(
      "The service {}/{} is not this IngressController's ({}); it is left alone. Rename or remove it, or use "
      "an IngressController of another name.",
      kOperandNamespace, kube::name_of(*seen.service), found);
}

std::string deletion_text(const Observed& seen) {
  const auto since = kube::deletion_timestamp_of(*seen.service);
  std::string text = fmt::format(
      "The service {}/{} is being deleted: deletion in progress since {}. A new one is created "
      "when it is gone.",
      kOperandNamespace, kube::name_of(*seen.service), since ? format_rfc3339(*since) : "some time");
  if (!seen.cloud.delete_failure.empty())
    text += fmt::format(" The cloud could not delete the load balancer: {}", seen.cloud.delete_failure);
  const bool is_stuck = since && seen.now - *since > seen.settings->patience;
  const json::Array* finalizers = json::get_array(*seen.service, {"metadata", "finalizers"});
  if (is_stuck && finalizers != nullptr && !finalizers->empty())
    text += fmt::format(" It is held by the finalizers {}.", json::serialize(*finalizers));
  return text;
}

std::vector<std::string> progress_items(const Observed& seen, const LoadBalancerStrategy& wanted,
                                        const ServiceJudgement& service) {
  std::vector<std::string> items;
  for (const Difference& each : service.differences)
    items.push_back(pending_item(seen.controller->metadata.name, each));
  if (service.is_unverified) items.push_back(service.doubt);
  if (wanted.allowed_source_ranges.empty() && !source_ranges_of(service.after).empty()) {
    const bool is_field = json::get_array(service.after, {"spec", "loadBalancerSourceRanges"}) != nullptr;
    items.push_back(fmt::format(
        "You have manually edited an operator-managed object. You must revert your modifications by removing "
        "the {} of LoadBalancer-typed service {}. You can use the new AllowedSourceRanges API field on the "
        "ingresscontroller to configure this setting instead.",
        is_field ? "Spec.LoadBalancerSourceRanges field"
                 : std::string(kSourceRangesAnnotation) + " annotation",
        quoted(kube::name_of(service.after))));
  }
  return items;
}

kube::Condition ready(const Observed& seen, const ServiceJudgement& service) {
  constexpr std::string_view kType = "LoadBalancerReady";
  switch (service.state) {
    case ServiceState::Missing:
      return said(kType, false, "ServiceNotFound", "The LoadBalancer service resource is missing");
    case ServiceState::Conflicting:
      return said(kType, false, "ConflictingService", conflict(seen));
    case ServiceState::Terminating:
      return said(kType, false, "WaitingForServiceDeletion", deletion_text(seen));
    default:
      break;
  }
  if (!address_of(service.after).empty() && seen.cloud.sync_failure.empty())
    return said(kType, true, "LoadBalancerProvisioned", "The LoadBalancer service is provisioned");
  // A failed change leaves the old address in service.
  if (!address_of(service.after).empty()) {
    return said(kType, true, "LoadBalancerProvisioned",
                fmt::format("The LoadBalancer service is provisioned; the service-controller component is "
                            "reporting SyncLoadBalancerFailed events like: {}",
                            seen.cloud.sync_failure));
  }
  if (!seen.cloud.sync_failure.empty()) {
    return said(
        kType, false, "SyncLoadBalancerFailed",
        fmt::format("The service-controller component is reporting SyncLoadBalancerFailed events like: "
                    "{}\nThe cloud-controller-manager logs may contain more details.",
                    seen.cloud.sync_failure));
  }
  return said(kType, false, "LoadBalancerPending", "The LoadBalancer service is pending");
}

kube::Condition progressing(const Observed& seen, const LoadBalancerStrategy& wanted,
                            const ServiceJudgement& service) {
  constexpr std::string_view kType = "LoadBalancerProgressing";
  switch (service.state) {
    case ServiceState::Missing:
      return said(kType, true, "NoService", "LoadBalancer Service not created.");
    case ServiceState::Conflicting:
      return said(kType, true, "ConflictingService", conflict(seen));
    case ServiceState::Terminating:
      return said(kType, true, "WaitingForServiceDeletion", deletion_text(seen));
    default:
      break;
  }
  if (service.error) return unknown(kType, "StatusIncomplete", service.error->describe());
  if (service.changing || (service.scope() != nullptr && seen.config.platform->is_mutable))
    return said(kType, true, "ScopeChangeInProgress", in_place_text(seen, wanted, service));
  const std::vector<std::string> items = progress_items(seen, wanted, service);
  if (items.empty())
    return said(kType, false, "LoadBalancerNotProgressing", "LoadBalancer is not progressing");
  return said(kType, true, "OperandsProgressing",
              fmt::format("One or more managed resources are progressing: {}", listed(items)));
}

kube::Condition evaluated(const LoadBalancerStrategy& wanted, const ServiceJudgement& service) {
  constexpr std::string_view kType = "EvaluationConditionsDetected";
  const bool is_hand_set = service.state == ServiceState::Live && wanted.allowed_source_ranges.empty() &&
                           !source_ranges_of(service.after).empty();
  if (!is_hand_set)
    return said(kType, false, "NoEvaluationCondition", "No evaluation condition is detected.");
  return said(
      kType, true, "OperandsEvaluationConditionsDetected",
      "One or more evaluation conditions are detected: the source ranges of the load balancer were set "
      "on the service by hand; move them to allowedSourceRanges of the IngressController.");
}

kube::Condition upgradeable(const Observed& seen, const ServiceJudgement& service) {
  constexpr std::string_view kType = "Upgradeable";
  if (service.managed.empty()) return said(kType, true, "Upgradeable", "IngressController is upgradeable.");
  std::string text = fmt::format(
      "One or more managed resources are not upgradeable: load balancer service has been modified; changes "
      "must be reverted before upgrading: {}",
      join(service.managed, ", "));
  if (!seen.service_refusal.empty())
    text += fmt::format(" (the write was refused: {})", seen.service_refusal);
  return said(kType, false, "OperandsNotUpgradeable", std::move(text));
}

}  // namespace

std::string in_place_text(const Observed& seen, const LoadBalancerStrategy& wanted,
                          const ServiceJudgement& service) {
  std::string text = service.changing ? scope_changed(service.changing->from, wanted.scope)
                                      : scope_changed(service.scope()->have, wanted.scope);
  if (!seen.cloud.sync_failure.empty()) {
    text +=
        fmt::format(" The service-controller component is reporting SyncLoadBalancerFailed events like: {}",
                    seen.cloud.sync_failure);
  }
  return text;
}

kube::Conditions service_conditions(const Observed& seen, const std::optional<LoadBalancerStrategy>& wanted,
                                    const ServiceJudgement& service) {
  if (!wanted) {
    return {said("LoadBalancerManaged", false, "EndpointPublishingStrategyExcludesManagedLoadBalancer",
                 "The configured endpoint publishing strategy does not include a managed load balancer"),
            said("LoadBalancerProgressing", false, "LoadBalancerNotProgressing",
                 "LoadBalancer is not progressing"),
            said("EvaluationConditionsDetected", false, "NoEvaluationCondition",
                 "No evaluation condition is detected."),
            said("Upgradeable", true, "Upgradeable", "IngressController is upgradeable.")};
  }
  kube::Conditions conditions = {said("LoadBalancerManaged", true, "WantedByEndpointPublishingStrategy",
                                      "The endpoint publishing strategy supports a managed load balancer"),
                                 ready(seen, service), progressing(seen, *wanted, service),
                                 evaluated(*wanted, service), upgradeable(seen, service)};
  const Platform& platform = *seen.config.platform;
  if (!platform.scope && scope_of(wanted->scope) == Scope::Internal) {
    conditions.push_back(said(
        "ScopeSupported", false, "PlatformHasNoScope",
        fmt::format("Platform {} has no notion of a load balancer's scope: \"Internal\" cannot be asked of "
                    "it, and a new load balancer would be no different.",
                    quoted(seen.config.platform_name))));
  }
  if (!service.doubt.empty())
    conditions.push_back(said("ScopeVerified", false, "ScopeUnverified", service.doubt));
  return conditions;
}

}  // namespace fairway::ingress
