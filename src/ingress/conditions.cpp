#include "ingress/conditions.hpp"

#include <algorithm>
#include <array>
#include <fmt/format.h>

#include "base/text.hpp"
#include "ingress/condition.hpp"
#include "ingress/conditions_service.hpp"
#include "ingress/texts.hpp"

namespace fairway::ingress {
namespace {

// Said while they hold; the others of this operator are always said.
constexpr std::array<std::string_view, 9> kPassing = {"LoadBalancerReady",
                                                      "DNSReady",
                                                      "ScopeSupported",
                                                      "ScopeVerified",
                                                      "DeploymentReplicasMinAvailable",
                                                      "DeploymentReplicasAllAvailable",
                                                      "DeploymentRollingOut",
                                                      "DeploymentAvailable",
                                                      "DNSManaged"};

struct Expectation {
  std::string_view type;
  Duration grace;
};
constexpr std::array<Expectation, 6> kExpected = {
    {{"Admitted", Duration::zero()},
     {"DeploymentAvailable", std::chrono::seconds(30)},
     {"DeploymentReplicasMinAvailable", std::chrono::seconds(60)},
     {"DeploymentReplicasAllAvailable", std::chrono::minutes(60)},
     {"LoadBalancerReady", std::chrono::seconds(90)},
     {"DNSReady", std::chrono::seconds(30)}}};

// Type=Status (Reason: Message)
std::string item(const kube::Condition& condition) {
  return fmt::format("{}={} ({}: {})", condition.type, condition.status, condition.reason, condition.message);
}

bool does_dns_count(const kube::Conditions& all) {
  return kube::is_condition_true(all, "LoadBalancerManaged") &&
         kube::is_condition_true(all, "LoadBalancerReady") && kube::is_condition_true(all, "DNSManaged");
}

bool counts(const kube::Conditions& all, std::string_view type) {
  if (type == "LoadBalancerReady") return kube::is_condition_true(all, "LoadBalancerManaged");
  if (type == "DNSReady") return does_dns_count(all);
  return true;
}

kube::Condition available(const kube::Conditions& all) {
  std::vector<std::string> unmet;
  for (const std::string_view type : {"DeploymentAvailable", "LoadBalancerReady", "DNSReady"}) {
    const kube::Condition* found = kube::find_condition(all, type);
    if (!counts(all, type) || found == nullptr || found->status == kube::kConditionTrue) continue;
    unmet.push_back(item(*found));
  }
  if (unmet.empty()) return said("Available", true, "");
  return said("Available", false, "IngressControllerUnavailable",
              fmt::format("One or more status conditions indicate unavailable: {}", join(unmet, ", ")));
}

bool is_rolling_out(const kube::Condition& condition) {
  return condition.status == kube::kConditionTrue && condition.reason != "ReplicasStabilizing" &&
         condition.reason != "PodsStarting";
}

// All causes but for a change of scope, which has words of its own.
std::vector<std::string> other_causes(const kube::Conditions& all, const ServiceJudgement& service,
                                      const IngressController& controller, bool is_scope_told) {
  std::vector<std::string> causes;
  const kube::Condition* publishing = kube::find_condition(all, "LoadBalancerProgressing");
  if (kube::is_condition_true(all, "LoadBalancerManaged") && publishing != nullptr &&
      publishing->status != kube::kConditionFalse) {
    if (!is_scope_told) {
      causes.push_back(item(*publishing));
    } else {
      for (const Difference& each : service.differences)
        if (each.what != Difference::What::Scope)
          causes.push_back(pending_item(controller.metadata.name, each));
    }
  }
  const kube::Condition* rollout = kube::find_condition(all, "DeploymentRollingOut");
  if (rollout != nullptr && is_rolling_out(*rollout)) causes.push_back(item(*rollout));
  return causes;
}

// What awaits somebody, in the words that say what to do.
std::optional<kube::Condition> scope_told(const Observed& seen,
                                          const std::optional<LoadBalancerStrategy>& wanted,
                                          const ServiceJudgement& service) {
  const std::string& name = seen.controller->metadata.name;
  if (service.state != ServiceState::Live || !wanted || service.error) return std::nullopt;
  const bool is_in_place = seen.config.platform->is_mutable;
  if (is_in_place && (service.changing || service.scope() != nullptr))
    return said("Progressing", true, "ScopeChangeInProgress", in_place_text(seen, *wanted, service));
  if (service.scope() != nullptr && service.permission.is_given()) {
    return said("Progressing", true, "ScopeChanged",
                fmt::format("{} The service is deleted and a new one created, as the annotation {} of the "
                            "IngressController permits.",
                            scope_changed(service.scope()->have, service.scope()->want), kAutoDelete));
  }
  if (service.scope() != nullptr) {
    std::string text = scope_pending(name, *service.scope(), service.edits);
    if (!service.permission.why.empty()) text += " " + service.permission.why;
    return said("Progressing", true, "ScopeChanged", std::move(text));
  }
  if (!service.is_unverified) return std::nullopt;
  return said(
      "Progressing", true, "ScopeUnverified",
      fmt::format("{} To get a load balancer of that scope, delete the service: `{}`. Deleting the service "
                  "interrupts ingress traffic and may change the address of the load balancer.",
                  service.doubt, delete_command(name)));
}

// A change that only a new Service makes stays told until there is one: by the Service that goes and, when it
// is gone, by what the status said of it.
std::string change_under_way(const Observed& seen, const LoadBalancerStrategy& wanted,
                             const ServiceJudgement& service) {
  const Scope want = scope_of(wanted.scope);
  const Scope other = want == Scope::Internal ? Scope::External : Scope::Internal;
  const kube::Condition* before = kube::find_condition(seen.controller->status.conditions, "Progressing");
  bool is_told = false;
  if (service.state == ServiceState::Terminating && seen.config.platform->scope)
    is_told = observed_scope(*seen.service, *seen.config.platform) != want;
  if (service.state == ServiceState::Missing && before != nullptr)
    is_told = before->status == kube::kConditionTrue && told_scope_change(before->message) == want;
  return is_told ? scope_changed(to_string(other), to_string(want)) + " " : std::string();
}

kube::Condition progressing(const Observed& seen, const std::optional<LoadBalancerStrategy>& wanted,
                            const ServiceJudgement& service, const kube::Conditions& all) {
  constexpr std::string_view kCauses = "One or more status conditions indicate progressing: {}";
  std::optional<kube::Condition> told;
  if (service.state == ServiceState::Terminating && wanted) {
    const kube::Condition* waiting = kube::find_condition(all, "LoadBalancerProgressing");
    return said("Progressing", true, waiting->reason,
                change_under_way(seen, *wanted, service) + waiting->message);
  }
  if (seen.settings->layout == ProgressLayout::Commands) told = scope_told(seen, wanted, service);
  const auto causes = other_causes(all, service, *seen.controller, told.has_value());
  if (!told && causes.empty()) return said("Progressing", false, "");
  const std::string listed_causes = fmt::format(fmt::runtime(kCauses), join(causes, ", "));
  if (!told) {
    const std::string change = wanted ? change_under_way(seen, *wanted, service) : std::string();
    return said("Progressing", true, "IngressControllerProgressing", change + listed_causes);
  }
  if (!causes.empty()) told->message += " " + listed_causes;
  return *std::move(told);
}

// With the transition times that `all` will have: grace counts from those.
kube::Condition degraded(const Observed& seen, const kube::Conditions& all, const ServiceJudgement& service,
                         JudgedConditions& result) {
  std::vector<std::string> wrong;
  const auto wake = [&](WallTime when, std::string why) {
    if (result.wake_at && *result.wake_at <= when) return;
    result.wake_at = when;
    result.wake_reason = std::move(why);
  };
  for (const Expectation& each : kExpected) {
    const kube::Condition* found = kube::find_condition(all, each.type);
    if (!counts(all, each.type) || found == nullptr || found->status == kube::kConditionTrue) continue;
    const WallTime over = found->last_transition_time.value_or(seen.now) + each.grace;
    if (seen.now < over || (each.grace > Duration::zero() && seen.now == over)) {
      wake(over + std::chrono::seconds(1), fmt::format("the grace of {} is over", each.type));
    } else {
      wrong.push_back(item(*found));
    }
  }
  if (service.changing && service.changing->since) {
    const WallTime over = *service.changing->since + seen.settings->patience;
    if (seen.now <= over) {
      wake(over + std::chrono::seconds(1), "a change of scope should be over");
    } else {
      wrong.push_back(
          fmt::format("LoadBalancerProgressing=True (ScopeChangeInProgress: the address is still {} "
                      "since {})",
                      service.changing->address, format_rfc3339(*service.changing->since)));
    }
  }
  if (wrong.empty()) return said("Degraded", false, "");
  wake(seen.now + std::chrono::minutes(1), "degraded conditions are looked at again");
  return said(
      "Degraded", true, "DegradedConditions",
      fmt::format("One or more other status conditions indicate a degraded state: {}", join(wrong, ", ")));
}

}  // namespace

JudgedConditions judge_conditions(const Observed& seen, const PublishingStrategy& strategy,
                                  const std::optional<LoadBalancerStrategy>& wanted,
                                  const ServiceJudgement& service) {
  const WallTime now = std::chrono::floor<std::chrono::seconds>(seen.now);
  JudgedConditions result{.conditions = seen.controller->status.conditions};
  kube::Conditions& all = result.conditions;
  const std::string address = service.state == ServiceState::Live ? address_of(service.after) : std::string();
  kube::Conditions ours = deployment_conditions(seen.deployment.get());
  std::ranges::move(service_conditions(seen, wanted, service), std::back_inserter(ours));
  std::ranges::move(dns_conditions(seen, strategy, address), std::back_inserter(ours));
  for (const std::string_view type : kPassing)
    if (std::ranges::find(ours, type, &kube::Condition::type) == ours.end())
      kube::remove_condition(all, type);
  for (kube::Condition& each : ours) kube::set_condition(all, std::move(each), now);
  kube::set_condition(all, available(all), now);
  kube::set_condition(all, progressing(seen, wanted, service, all), now);
  kube::set_condition(all, degraded(seen, all, service, result), now);
  return result;
}

}  // namespace fairway::ingress
