// Conditions of what a controller runs: its Deployment and its DNS record.
#include <algorithm>
#include <fmt/format.h>

#include "base/text.hpp"
#include "ingress/condition.hpp"
#include "ingress/conditions.hpp"

namespace fairway::ingress {
namespace {

struct Replicas {
  std::int64_t wanted = 1;
  std::int64_t existing = 0;
  std::int64_t updated = 0;
  std::int64_t available = 0;
  std::int64_t max_unavailable = 0;
};

// 25% or a number, as rolling updates take it; of shares the whole part counts.
std::int64_t max_unavailable(const json::Object& deployment, std::int64_t wanted) {
  const json::Value* given = json::find(deployment, {"spec", "strategy", "rollingUpdate", "maxUnavailable"});
  if (given == nullptr) return wanted / 4;
  if (given->is_int64()) return given->get_int64();
  if (!given->is_string()) return wanted / 4;
  const std::string_view text = json::view(given->get_string());
  const auto share = parse_unsigned(text.substr(0, text.find('%')));
  return share ? wanted * static_cast<std::int64_t>(*share) / 100 : 0;
}

Replicas replicas_of(const json::Object& deployment) {
  Replicas found;
  const auto count = [&](std::string_view field) {
    return json::get_int(deployment, {"status", field}).value_or(0);
  };
  found.wanted = json::get_int(deployment, {"spec", "replicas"}).value_or(1);
  found.existing = count("replicas");
  found.updated = count("updatedReplicas");
  found.available = count("availableReplicas");
  found.max_unavailable = max_unavailable(deployment, found.wanted);
  return found;
}

kube::Condition available(const json::Object* deployment) {
  if (deployment == nullptr)
    return said("DeploymentAvailable", false, "DeploymentUnavailable", "The deployment was not found");
  const kube::Conditions own = kube::conditions_of(*deployment);
  const kube::Condition* found = kube::find_condition(own, "Available");
  if (found == nullptr) {
    return unknown("DeploymentAvailable", "DeploymentAvailabilityUnknown",
                   "The deployment has no Available status condition set");
  }
  if (found->status == kube::kConditionTrue)
    return said("DeploymentAvailable", true, "DeploymentAvailable",
                "The deployment has Available status condition set to True");
  return said(
      "DeploymentAvailable", false, "DeploymentUnavailable",
      fmt::format("The deployment has Available status condition set to {} (reason: {}) with message: {}",
                  found->status, found->reason, found->message));
}

kube::Condition rolling_out(const json::Object& deployment, const Replicas& now) {
  constexpr std::string_view kType = "DeploymentRollingOut";
  const auto waiting = [](std::string what) {
    return fmt::format("Waiting for router deployment rollout to finish: {}...\n", what);
  };
  const bool is_behind = json::get_int(deployment, {"status", "observedGeneration"}).value_or(0) <
                         kube::generation_of(deployment);
  if (now.existing > now.updated) {
    return said(
        kType, true, "DeploymentRollingOut",
        waiting(fmt::format("{} old replica(s) are pending termination", now.existing - now.updated)));
  }
  if (is_behind && now.updated < now.wanted) {
    return said(
        kType, true, "DeploymentRollingOut",
        waiting(fmt::format("{} out of {} new replica(s) have been updated", now.updated, now.wanted)));
  }
  if (now.existing != now.wanted) {
    return said(kType, true, "ReplicasStabilizing",
                waiting(fmt::format("{} of {} replica(s) exist", now.existing, now.wanted)));
  }
  if (now.available < now.updated) {
    return said(
        kType, true, "PodsStarting",
        waiting(fmt::format("{} of {} updated replica(s) are available", now.available, now.updated)));
  }
  return said(kType, false, "DeploymentNotRollingOut", "Deployment is not actively rolling out");
}

enum class ZoneState { Published, Failed, Unknown };

ZoneState state_of(const json::Object& zone) {
  const json::Array* list = json::get_array(zone, {"conditions"});
  if (list == nullptr) return ZoneState::Unknown;
  for (const json::Value& each : *list) {
    if (!each.is_object()) continue;
    const auto type = json::get_string(each.get_object(), {"type"});
    const auto status = json::get_string(each.get_object(), {"status"});
    if (type != "Published" && type != "Failed") continue;
    if (status != kube::kConditionTrue && status != kube::kConditionFalse) return ZoneState::Unknown;
    // Older providers say "Failed".
    return (type == "Published") == (status == kube::kConditionTrue) ? ZoneState::Published
                                                                     : ZoneState::Failed;
  }
  return ZoneState::Unknown;
}

kube::Condition zones_condition(const json::Object& record) {
  const json::Array* zones = json::get_array(record, {"status", "zones"});
  if (zones == nullptr || zones->empty())
    return said("DNSReady", false, "NoZones", "The record isn't present in any zones.");
  std::vector<std::string> failed;
  std::vector<std::string> in_doubt;
  for (const json::Value& each : *zones) {
    if (!each.is_object()) continue;
    const json::Value* zone = json::find(each.get_object(), {"dnsZone"});
    const ZoneState state = state_of(each.get_object());
    if (state == ZoneState::Published) continue;
    (state == ZoneState::Failed ? failed : in_doubt)
        .push_back(zone == nullptr ? "{}" : json::serialize(*zone));
  }
  if (!failed.empty()) {
    return said("DNSReady", false, "FailedZones",
                fmt::format("The record failed to provision in some zones: [{}]", join(failed, ", ")));
  }
  if (!in_doubt.empty()) {
    return said("DNSReady", false, "UnknownZones",
                fmt::format("Provisioning of the record is in an unknown state in some zones: [{}]",
                            join(in_doubt, ", ")));
  }
  return said("DNSReady", true, "NoFailedZones", "The record is provisioned in all reported zones.");
}

std::string target_of(const json::Object& record) {
  const json::Array* targets = json::get_array(record, {"spec", "targets"});
  if (targets == nullptr || targets->empty() || !targets->front().is_string()) return {};
  return std::string(json::view(targets->front().get_string()));
}

}  // namespace

kube::Conditions deployment_conditions(const json::Object* deployment) {
  kube::Conditions conditions = {available(deployment)};
  if (deployment == nullptr) return conditions;
  const Replicas now = replicas_of(*deployment);
  const bool has_minimum = now.available >= now.wanted - now.max_unavailable;
  conditions.push_back(has_minimum
                           ? said("DeploymentReplicasMinAvailable", true, "DeploymentMinimumReplicasMet",
                                  "Minimum replicas requirement is met")
                           : said("DeploymentReplicasMinAvailable", false, "DeploymentMinimumReplicasNotMet",
                                  fmt::format("{}/{} of replicas are available, max unavailable is {}",
                                              now.available, now.wanted, now.max_unavailable)));
  conditions.push_back(now.available >= now.wanted
                           ? said("DeploymentReplicasAllAvailable", true, "DeploymentReplicasAvailable",
                                  "All replicas are available")
                           : said("DeploymentReplicasAllAvailable", false, "DeploymentReplicasNotAvailable",
                                  fmt::format("{}/{} of replicas are available", now.available, now.wanted)));
  conditions.push_back(rolling_out(*deployment, now));
  return conditions;
}

kube::Conditions dns_conditions(const Observed& seen, const PublishingStrategy& strategy,
                                const std::string& address) {
  const auto unmanaged = [](std::string reason, std::string message) {
    return kube::Conditions{said("DNSManaged", false, std::move(reason), std::move(message))};
  };
  if (!seen.config.has_zones)
    return unmanaged("NoDNSZones", "No DNS zones are defined in the cluster dns config.");
  if (strategy.type != kLoadBalancerService) {
    return unmanaged("UnsupportedEndpointPublishingStrategy",
                     "The endpoint publishing strategy doesn't support DNS management.");
  }
  if (!strategy.load_balancer || strategy.load_balancer->dns_management_policy == kUnmanaged) {
    kube::Conditions conditions =
        unmanaged("UnmanagedLoadBalancerDNS", "The DNS management policy is set to Unmanaged.");
    conditions.push_back(
        unknown("DNSReady", "UnmanagedDNS", "The DNS management policy is set to Unmanaged."));
    return conditions;
  }
  kube::Conditions conditions = {
      said("DNSManaged", true, "Normal",
           "DNS management is supported and zones are specified in the cluster DNS config.")};
  if (!seen.record) {
    conditions.push_back(
        said("DNSReady", false, "RecordNotFound", "The wildcard record resource was not found."));
  } else if (const std::string target = target_of(*seen.record); !address.empty() && target != address) {
    conditions.push_back(said("DNSReady", false, "RecordOutdated",
                              fmt::format("The wildcard record points to {}, the load balancer is at {}.",
                                          quoted(target), quoted(address))));
  } else {
    conditions.push_back(zones_condition(*seen.record));
  }
  return conditions;
}

}  // namespace fairway::ingress
