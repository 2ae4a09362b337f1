#include "ingress/service.hpp"

#include <algorithm>
#include <array>
#include <fmt/format.h>

#include "base/text.hpp"
#include "ingress/service_keys.hpp"

namespace fairway::ingress {
namespace {

// As Go's strconv.ParseBool.
std::optional<bool> parse_bool(std::string_view text) {
  constexpr std::array<std::string_view, 6> kTrue = {"1", "t", "T", "TRUE", "true", "True"};
  constexpr std::array<std::string_view, 6> kFalse = {"0", "f", "F", "FALSE", "false", "False"};
  if (std::ranges::find(kTrue, text) != kTrue.end()) return true;
  if (std::ranges::find(kFalse, text) != kFalse.end()) return false;
  return std::nullopt;
}

Result<bool> falls_back(const IngressControllerSpec& spec) {
  if (!spec.unsupported_config_overrides.is_object()) return true;
  const json::Value* given =
      json::find(spec.unsupported_config_overrides.get_object(), {"localWithFallback"});
  if (given == nullptr || given->is_null()) return true;
  if (given->is_bool()) return given->get_bool();
  if (given->is_string()) {
    const std::string_view text = json::view(given->get_string());
    if (text.empty()) return true;
    if (const auto parsed = parse_bool(text)) return *parsed;
  }
  return fail(
      ErrorCode::Invalid,
      fmt::format("spec.unsupportedConfigOverrides.localWithFallback: expected \"true\" or \"false\", "
                  "found {}; the Service is left as it is until it can be read",
                  json::serialize(*given)));
}

std::string joined(const std::optional<Subnets>& subnets) {
  if (!subnets) return {};
  std::vector<std::string> all = subnets->ids;
  all.insert(all.end(), subnets->names.begin(), subnets->names.end());
  return join(all, ",");
}

std::string tag_text(const ClusterConfig& config) {
  std::vector<std::string> tags;
  for (const auto& [key, value] : config.aws_tags) tags.push_back(fmt::format("{}={}", key, value));
  return join(tags, ",");
}

void set_unless_empty(kube::Labels& annotations, std::string_view key, std::string value) {
  if (!value.empty()) annotations.insert_or_assign(std::string(key), std::move(value));
}

void add_aws(kube::Labels& annotations, const AwsParameters& parameters, const ClusterConfig& config) {
  const bool is_network = parameters.type == kNlb;
  set_unless_empty(annotations, keys::kAwsInterval, is_network ? "10" : "5");
  set_unless_empty(annotations, keys::kAwsTimeout, "4");
  set_unless_empty(annotations, keys::kAwsUnhealthy, "2");
  set_unless_empty(annotations, keys::kAwsHealthy, "2");
  set_unless_empty(annotations, keys::kAwsTags, tag_text(config));
  set_unless_empty(annotations, keys::kAwsSubnets, wanted_subnets(parameters));
  if (!is_network) {
    set_unless_empty(annotations, keys::kAwsProxyProtocol, "*");
    const auto idle =
        parameters.classic_load_balancer
            ? parameters.classic_load_balancer->connection_idle_timeout.value_or(Duration::zero())
            : Duration::zero();
    const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(idle).count();
    if (seconds > 0) set_unless_empty(annotations, keys::kAwsIdleTimeout, fmt::to_string(seconds));
    return;
  }
  set_unless_empty(annotations, keys::kAwsType, "nlb");
  if (!parameters.network_load_balancer) return;
  set_unless_empty(annotations, keys::kAwsAllocations,
                   join(parameters.network_load_balancer->eip_allocations, ","));
  const std::string& protocol = parameters.network_load_balancer->protocol;
  if (!protocol.empty()) {
    set_unless_empty(annotations, keys::kAwsTargetGroup,
                     fmt::format("proxy_protocol_v2.enabled={}", protocol == "PROXY"));
  }
}

void add_provider(kube::Labels& annotations, const LoadBalancerStrategy& wanted,
                  const ClusterConfig& config) {
  if (!wanted.provider_parameters) return;
  const ProviderParameters& parameters = *wanted.provider_parameters;
  const std::string_view platform = config.platform->name;
  if (platform == kAws && parameters.aws) add_aws(annotations, *parameters.aws, config);
  const bool is_internal = scope_of(wanted.scope) == Scope::Internal;
  if (platform == kGcp && parameters.gcp && is_internal && !parameters.gcp->client_access.empty())
    set_unless_empty(annotations, keys::kGcpGlobalAccess,
                     parameters.gcp->client_access == "Global" ? "true" : "false");
  if ((platform == kIbmCloud || platform == kPowerVs) && parameters.ibm &&
      parameters.ibm->protocol == "PROXY")
    set_unless_empty(annotations, keys::kIbmFeatures, "proxy-protocol");
}

json::Array service_ports() {
  return {json::Object{{"name", "http"}, {"protocol", "TCP"}, {"port", 80}, {"targetPort", "http"}},
          json::Object{{"name", "https"}, {"protocol", "TCP"}, {"port", 443}, {"targetPort", "https"}}};
}

json::Object service_spec(const IngressController& controller, const LoadBalancerStrategy& wanted,
                          const Platform& platform) {
  json::Object spec{{"type", "LoadBalancer"},
                    {"externalTrafficPolicy", platform.is_traffic_local ? "Local" : "Cluster"},
                    {"internalTrafficPolicy", "Cluster"},
                    {"sessionAffinity", "None"}};
  spec["ports"] = service_ports();
  spec["selector"] = json::Object{{keys::kDeploymentLabel, controller.metadata.name}};
  if (!wanted.allowed_source_ranges.empty())
    spec["loadBalancerSourceRanges"] = json::to_json(wanted.allowed_source_ranges);
  if (const std::string address = wanted_floating_ip(wanted, platform); !address.empty())
    spec["loadBalancerIP"] = address;
  return spec;
}

}  // namespace

std::string wanted_subnets(const AwsParameters& parameters) {
  if (parameters.type == kNlb)
    return parameters.network_load_balancer ? joined(parameters.network_load_balancer->subnets) : "";
  return parameters.classic_load_balancer ? joined(parameters.classic_load_balancer->subnets) : "";
}

std::string wanted_floating_ip(const LoadBalancerStrategy& wanted, const Platform& platform) {
  const bool is_possible = platform.name == kOpenStack && scope_of(wanted.scope) == Scope::External;
  if (!is_possible || !wanted.provider_parameters || !wanted.provider_parameters->openstack) return {};
  return wanted.provider_parameters->openstack->floating_ip;
}

std::optional<ScopeChange> scope_change_of(const json::Object& service) {
  const auto text = kube::annotation(service, kScopeChange);
  if (!text) return std::nullopt;
  const auto parsed = json::parse(*text);
  if (!parsed) return std::nullopt;
  auto change = json::from_json<ScopeChange>(*parsed);
  return change ? std::optional(*std::move(change)) : std::nullopt;
}

bool is_owned_service(const json::Object& service, std::string_view controller) {
  return kube::label(service, kOwningLabel) == controller;
}

std::string address_of(const json::Object& service) {
  const json::Array* entries = json::get_array(service, {"status", "loadBalancer", "ingress"});
  if (entries == nullptr || entries->empty() || !entries->front().is_object()) return {};
  const json::Object& first = entries->front().get_object();
  const auto host = json::get_string(first, {"hostname"});
  return std::string(host && !host->empty() ? *host : json::get_string(first, {"ip"}).value_or(""));
}

std::vector<std::string> source_ranges_of(const json::Object& service) {
  std::vector<std::string> ranges;
  if (const json::Array* list = json::get_array(service, {"spec", "loadBalancerSourceRanges"})) {
    for (const json::Value& each : *list)
      if (each.is_string()) ranges.emplace_back(json::view(each.get_string()));
  }
  if (!ranges.empty()) return ranges;
  const auto annotated = kube::annotation(service, kSourceRangesAnnotation);
  if (!annotated) return ranges;
  for (const std::string_view part : split(*annotated, ','))
    if (!trim(part).empty()) ranges.emplace_back(trim(part));
  return ranges;
}

void take_observed_aws(AwsParameters& parameters, const json::Object& service) {
  std::optional<Subnets> subnets;
  if (const auto text = kube::annotation(service, keys::kAwsSubnets); text && !text->empty()) {
    subnets.emplace();
    for (const std::string_view each : split(*text, ','))
      (each.starts_with("subnet-") ? subnets->ids : subnets->names).emplace_back(each);
  }
  if (parameters.type == kNlb) {
    std::vector<std::string> allocations;
    if (const auto text = kube::annotation(service, keys::kAwsAllocations); text && !text->empty())
      for (const std::string_view each : split(*text, ',')) allocations.emplace_back(each);
    if (!parameters.network_load_balancer && !subnets && allocations.empty()) return;
    if (!parameters.network_load_balancer) parameters.network_load_balancer = NetworkLoadBalancer{};
    parameters.network_load_balancer->subnets = std::move(subnets);
    parameters.network_load_balancer->eip_allocations = std::move(allocations);
    return;
  }
  if (!parameters.classic_load_balancer && !subnets) return;
  if (!parameters.classic_load_balancer) parameters.classic_load_balancer = ClassicLoadBalancer{};
  parameters.classic_load_balancer->subnets = std::move(subnets);
}

Result<kube::Labels> desired_annotations(const IngressController& controller,
                                         const LoadBalancerStrategy& wanted, const ClusterConfig& config) {
  kube::Labels annotations;
  const Platform& platform = *config.platform;
  FAIRWAY_TRY(const bool is_falling_back, falls_back(controller.spec));
  if (platform.is_traffic_local && is_falling_back) annotations.emplace(kLocalWithFallback, "");
  if (platform.scope) {
    const bool is_internal = scope_of(wanted.scope) == Scope::Internal;
    set_unless_empty(annotations, platform.scope->key,
                     std::string(is_internal ? platform.scope->internal : platform.scope->external));
    annotations.emplace(kCreatedScope, to_string(scope_of(wanted.scope)));
  }
  add_provider(annotations, wanted, config);
  return annotations;
}

Result<json::Object> desired_service(const IngressController& controller, const LoadBalancerStrategy& wanted,
                                     const ClusterConfig& config, const kube::OwnerReference& owner) {
  FAIRWAY_TRY(const kube::Labels annotations, desired_annotations(controller, wanted, config));
  const std::string& name = controller.metadata.name;
  json::Object metadata{{"name", router_name(name)}, {"namespace", kOperandNamespace}};
  metadata["labels"] = json::Object{{"app", "router"}, {"router", router_name(name)}, {kOwningLabel, name}};
  if (!annotations.empty()) metadata["annotations"] = json::to_json(annotations);
  metadata["ownerReferences"] = json::Array{json::to_json(owner)};
  json::Object service{{"apiVersion", "v1"}, {"kind", "Service"}};
  service["metadata"] = std::move(metadata);
  service["spec"] = service_spec(controller, wanted, *config.platform);
  return service;
}

}  // namespace fairway::ingress
