#include "ingress/events.hpp"

#include <fmt/format.h>

#include "base/text.hpp"
#include "ingress/consent.hpp"
#include "ingress/texts.hpp"

namespace fairway::ingress {
namespace {

std::string reason_of(const kube::Conditions& conditions, std::string_view type) {
  const kube::Condition* found = kube::find_condition(conditions, type);
  return found == nullptr ? std::string() : found->reason;
}

std::string_view scope_text(const IngressControllerStatus& status) {
  const LoadBalancerStrategy* found = load_balancer_of(status.endpoint_publishing_strategy);
  return found == nullptr ? std::string_view() : to_string(scope_of(found->scope));
}

void tell_admission(std::vector<EventText>& told, const WriteStatus& action) {
  const kube::Condition* before = kube::find_condition(action.controller->status.conditions, "Admitted");
  const kube::Condition* after = kube::find_condition(action.status.conditions, "Admitted");
  if (after == nullptr ||
      (before != nullptr && before->status == after->status && before->message == after->message))
    return;
  if (after->status == kube::kConditionTrue) {
    told.push_back({"Admitted", "ingresscontroller passed validation"});
  } else {
    told.push_back({"Rejected", after->message, true});
  }
  if (action.is_domain_outside) {
    told.push_back(
        {"DomainNotMatching",
         fmt::format("Domain [{}] of ingresscontroller does not match the baseDomain of the cluster DNS "
                     "config, so DNS management is not supported.",
                     action.status.domain),
         true});
  }
}

void tell_scope(std::vector<EventText>& told, const WriteStatus& action) {
  const std::string_view from = scope_text(action.controller->status);
  const std::string_view to = scope_text(action.status);
  if (!from.empty() && !to.empty() && from != to) {
    told.push_back(
        {"ScopeChangeRequested", fmt::format("scope is to change from {} to {}", quoted(from), quoted(to))});
  }
  const kube::Condition* before = kube::find_condition(action.controller->status.conditions, "Progressing");
  const kube::Condition* after = kube::find_condition(action.status.conditions, "Progressing");
  if (before == nullptr || after == nullptr) return;
  if (after->reason == "ScopeChanged" && before->reason != after->reason)
    told.push_back({"ScopeChangePending", after->message});
  const auto led_to =
      before->status == kube::kConditionTrue ? told_scope_change(before->message) : std::nullopt;
  const bool is_still_told = after->status == kube::kConditionTrue && told_scope_change(after->message);
  if (!led_to || is_still_told) return;
  // What was told led to the scope that is wanted now, or somebody went back.
  if (*led_to == scope_of(to)) {
    told.push_back({"ScopeChangeCompleted", fmt::format("scope is {}", quoted(to))});
  } else {
    told.push_back({"ScopeChangeReverted", fmt::format("scope stays {}", quoted(to))});
  }
}

struct Tell {
  std::vector<EventText> operator()(const WriteStatus& action) const {
    std::vector<EventText> told;
    tell_admission(told, action);
    tell_scope(told, action);
    const std::string ready = reason_of(action.status.conditions, "LoadBalancerReady");
    if (ready == "ConflictingService" &&
        reason_of(action.controller->status.conditions, "LoadBalancerReady") != ready)
      told.push_back(
          {ready, kube::find_condition(action.status.conditions, "LoadBalancerReady")->message, true});
    return told;
  }
  std::vector<EventText> operator()(const CreateService& action) const {
    return {{"LoadBalancerServiceCreated",
             fmt::format("created the service {} with scope {}", kube::key_of(action.service).to_string(),
                         quoted(to_string(action.scope)))}};
  }
  std::vector<EventText> operator()(const DeleteService& action) const {
    return {{"LoadBalancerServiceDeleted",
             fmt::format("deleted the service {} (uid {}, address {}): {}", action.key.to_string(),
                         action.uid, quoted(action.address), to_string(action.consent))}};
  }
  template <class Other>
  std::vector<EventText> operator()(const Other&) const {
    return {};
  }
};

}  // namespace

std::vector<EventText> events_of(const Action& action) {
  return std::visit(Tell{}, action);
}

std::vector<EventText> standing_warnings(const Observed& seen) {
  std::vector<EventText> told;
  if (!seen.controller || seen.controller->metadata.deletion_timestamp) return told;
  const auto& annotations = seen.controller->metadata.annotations;
  const auto consent = annotations.find(std::string(kAutoDelete));
  if (consent != annotations.end() && equals_ignoring_case(consent->second, "false")) {
    told.push_back(
        {"AutoDeleteEnabled",
         fmt::format("the annotation {} permits deletion by being there, whatever its value; remove it "
                     "to forbid deletion",
                     kAutoDelete),
         true});
  }
  if (const Permission permission = auto_delete_permission(*seen.controller, seen.now); permission.unreadable)
    told.push_back({"AutoDeleteWindowUnreadable", permission.why, true});
  const bool has_service = seen.service && is_owned_service(*seen.service, seen.controller->metadata.name);
  if (!has_service || seen.config.platform == nullptr) return told;
  for (const std::string& key : foreign_scope_keys(*seen.service, *seen.config.platform)) {
    told.push_back({"ForeignScopeAnnotation",
                    fmt::format("the service annotation {} means nothing on platform {}", key,
                                seen.config.platform->name),
                    true});
  }
  return told;
}

}  // namespace fairway::ingress
