#include "ingress/judgement.hpp"

#include <algorithm>
#include <fmt/format.h>

#include "base/text.hpp"
#include "json/patch.hpp"

namespace fairway::ingress {
namespace {

ServiceState state_of(const Observed& seen, bool is_wanted) {
  const std::string& name = seen.controller->metadata.name;
  if (!is_wanted) {
    const bool is_ours = seen.service && is_owned_service(*seen.service, name);
    const bool is_published = is_ours && json::get_string(*seen.service, {"spec", "type"}) == "LoadBalancer";
    return is_published && !kube::is_being_deleted(*seen.service) ? ServiceState::Leftover
                                                                  : ServiceState::NotWanted;
  }
  if (!seen.service) return ServiceState::Missing;
  if (!is_owned_service(*seen.service, name)) return ServiceState::Conflicting;
  return kube::is_being_deleted(*seen.service) ? ServiceState::Terminating : ServiceState::Live;
}

json::Object patched(const json::Object& service, const json::Object& patch) {
  json::Value value = service;
  json::apply_merge_patch(value, patch);
  return std::move(value.get_object());
}

// On platforms that do not change a live load balancer, it is what it was created as.
void judge_doubt(ServiceJudgement& judged, const Platform& platform, Scope wanted) {
  if (!platform.scope) return;
  const json::Object& service = judged.after;
  const auto value = kube::annotation(service, platform.scope->key);
  const bool is_known_word = !value || *value == platform.scope->internal ||
                             *value == platform.scope->legacy_internal ||
                             (!platform.scope->external.empty() && *value == platform.scope->external);
  if (!is_known_word) {
    judged.doubt = fmt::format(
        "The service annotation {} has the value {}, which says nothing about the scope; it is taken for "
        "\"External\".",
        platform.scope->key, quoted(*value));
    return;
  }
  if (platform.is_mutable) return;
  const auto created = kube::annotation(service, kCreatedScope);
  const Scope have = observed_scope(service, platform);
  if (!created || scope_of(*created) == have) return;
  judged.doubt = fmt::format(
      "The service annotations ask for scope \"{}\", but the load balancer was created with scope \"{}\", "
      "and "
      "platform {} does not change the scope of an existing load balancer.",
      to_string(have), to_string(scope_of(*created)), platform.name);
  judged.is_unverified = have == wanted;
}

// What the administrator has agreed to: a change that the spec itself asks for, and a standing permission.
Permission permission_for(const ServiceJudgement& judged, const Observed& seen) {
  const bool is_asked = std::ranges::any_of(judged.differences, &Difference::is_asked);
  if (seen.config.platform->is_mutable || !is_asked) return {};
  Permission permission = auto_delete_permission(*seen.controller, seen.now);
  if (permission.is_dry_run) {
    permission.why += fmt::format(" Otherwise {} (uid {}, address {}) would be deleted now.",
                                  kube::key_of(*seen.service).to_string(), kube::uid_of(*seen.service),
                                  quoted(address_of(*seen.service)));
  }
  return permission;
}

void judge_live(ServiceJudgement& judged, const Observed& seen, const LoadBalancerStrategy& wanted) {
  const IngressController& controller = *seen.controller;
  const Platform& platform = *seen.config.platform;
  const json::Object& service = *seen.service;
  judged.after = service;
  auto patch = service_patch(service, controller, wanted, seen.config, seen.cloud, seen.now);
  const auto desired = desired_service(controller, wanted, seen.config, {});
  if (!patch || !desired) {
    judged.error = patch ? desired.error() : patch.error();
    return;
  }
  judged.patch = *std::move(patch);
  if (!judged.patch.empty() && seen.service_refusal.empty()) judged.after = patched(service, judged.patch);
  judged.differences = differences(judged.after, controller, wanted, platform);
  judged.changing = platform.is_mutable ? scope_change_of(judged.after) : std::nullopt;
  judge_doubt(judged, platform, scope_of(wanted.scope));
  if (const auto annotations = desired_annotations(controller, wanted, seen.config))
    judged.managed = managed_differences(judged.after, *annotations, platform);
  judged.edits = user_edits(service, *desired);
  judged.permission = permission_for(judged, seen);
}

}  // namespace

const Difference* ServiceJudgement::scope() const {
  const auto found = std::ranges::find(differences, Difference::What::Scope, &Difference::what);
  return found == differences.end() ? nullptr : &*found;
}

ServiceJudgement judge_service(const Observed& seen, const std::optional<LoadBalancerStrategy>& wanted) {
  ServiceJudgement judged{.state = state_of(seen, wanted.has_value())};
  // Spec and status must agree that there is to be none.
  if (judged.state == ServiceState::Leftover &&
      effective_strategy(*seen.controller, seen.config).type == kLoadBalancerService)
    judged.state = ServiceState::NotWanted;
  if (judged.state == ServiceState::Live) judge_live(judged, seen, *wanted);
  return judged;
}

}  // namespace fairway::ingress
