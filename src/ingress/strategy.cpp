#include "ingress/strategy.hpp"

#include <array>
#include <fmt/format.h>

#include "base/text.hpp"
#include "ingress/service.hpp"

namespace fairway::ingress {
namespace {

constexpr std::int32_t kHttpPort = 80;
constexpr std::int32_t kHttpsPort = 443;
constexpr std::int32_t kStatsPort = 1936;

std::string text_at(const json::Object* object, json::Path path) {
  return object == nullptr ? std::string() : std::string(json::get_string(*object, path).value_or(""));
}

std::vector<std::pair<std::string, std::string>> aws_tags(const json::Object& infrastructure) {
  std::vector<std::pair<std::string, std::string>> tags;
  const auto* list = json::get_array(infrastructure, {"status", "platformStatus", "aws", "resourceTags"});
  if (list == nullptr) return tags;
  for (const json::Value& each : *list) {
    if (!each.is_object()) continue;
    const auto key = json::get_string(each.get_object(), {"key"});
    const auto value = json::get_string(each.get_object(), {"value"});
    if (key && value && !key->empty()) tags.emplace_back(*key, *value);
  }
  return tags;
}

bool hosts_own_dns(const json::Object* infrastructure) {
  return text_at(infrastructure, {"status", "platformStatus", "aws", "cloudLoadBalancerConfig", "dnsType"}) ==
             "ClusterHosted" ||
         text_at(infrastructure, {"status", "platformStatus", "gcp", "cloudLoadBalancerConfig", "dnsType"}) ==
             "ClusterHosted";
}

std::string_view without_dot(std::string_view domain) {
  return domain.ends_with('.') ? domain.substr(0, domain.size() - 1) : domain;
}

// What kind of AWS load balancer: the spec's; before admission the cluster's; afterwards the one on record.
std::string aws_type(const IngressController& controller, const ClusterConfig& config) {
  const bool is_admitted = kube::is_condition_true(controller.status.conditions, "Admitted");
  const LoadBalancerStrategy* recorded = load_balancer_of(controller.status.endpoint_publishing_strategy);
  if (is_admitted && recorded != nullptr && recorded->provider_parameters &&
      recorded->provider_parameters->aws && !recorded->provider_parameters->aws->type.empty())
    return recorded->provider_parameters->aws->type;
  if (!is_admitted && !config.aws_type.empty()) return config.aws_type;
  return std::string(kClassic);
}

void fill_in_aws(LoadBalancerStrategy& wanted, const IngressController& controller,
                 const ClusterConfig& config) {
  if (!wanted.provider_parameters) wanted.provider_parameters = ProviderParameters{};
  ProviderParameters& parameters = *wanted.provider_parameters;
  if (parameters.type.empty()) parameters.type = std::string(kAws);
  if (!parameters.aws) parameters.aws = AwsParameters{};
  if (parameters.aws->type.empty()) parameters.aws->type = aws_type(controller, config);
}

LoadBalancerStrategy effective_load_balancer(const IngressController& controller,
                                             const ClusterConfig& config) {
  const LoadBalancerStrategy* asked = load_balancer_of(controller.spec.endpoint_publishing_strategy);
  LoadBalancerStrategy wanted = asked != nullptr ? *asked : LoadBalancerStrategy{};
  wanted.scope = std::string(to_string(scope_of(wanted.scope)));
  if (wanted.dns_management_policy.empty()) wanted.dns_management_policy = std::string(kManaged);
  const bool is_matching = is_below_base_domain(wanted_domain(controller, config), config);
  if (!is_matching || config.hosts_own_dns || config.platform->name == kOpenStack)
    wanted.dns_management_policy = std::string(kUnmanaged);
  if (config.platform->name == kAws) fill_in_aws(wanted, controller, config);
  return wanted;
}

HostNetworkStrategy effective_host_network(const std::optional<PublishingStrategy>& asked) {
  HostNetworkStrategy wanted = asked && asked->host_network ? *asked->host_network : HostNetworkStrategy{};
  if (wanted.protocol.empty()) wanted.protocol = "TCP";
  if (wanted.http_port == 0) wanted.http_port = kHttpPort;
  if (wanted.https_port == 0) wanted.https_port = kHttpsPort;
  if (wanted.stats_port == 0) wanted.stats_port = kStatsPort;
  return wanted;
}

// What only the Service can tell, where there is one; else what was known before.
void take_observed(LoadBalancerStrategy& wanted, const LoadBalancerStrategy* recorded,
                   const json::Object* service, const Platform& platform) {
  if (service == nullptr) {
    if (recorded == nullptr) return;
    wanted.allowed_source_ranges = recorded->allowed_source_ranges;
    return;
  }
  wanted.allowed_source_ranges = source_ranges_of(*service);
  if (!wanted.provider_parameters) return;
  ProviderParameters& parameters = *wanted.provider_parameters;
  if (platform.name == kAws && parameters.aws) take_observed_aws(*parameters.aws, *service);
  if (platform.name == kOpenStack && parameters.openstack) {
    parameters.openstack->floating_ip =
        std::string(json::get_string(*service, {"spec", "loadBalancerIP"}).value_or(""));
  }
}

}  // namespace

ClusterConfig read_config(const json::Object* infrastructure, const json::Object* ingress,
                          const json::Object* dns, std::string_view platform) {
  ClusterConfig config;
  config.platform_name = std::string(platform);
  if (config.platform_name.empty())
    config.platform_name = text_at(infrastructure, {"status", "platformStatus", "type"});
  if (config.platform_name.empty()) config.platform_name = text_at(infrastructure, {"status", "platform"});
  config.platform = find_platform(config.platform_name);
  config.ingress_domain = text_at(ingress, {"spec", "domain"});
  config.aws_type = text_at(ingress, {"spec", "loadBalancer", "platform", "aws", "type"});
  config.base_domain = text_at(dns, {"spec", "baseDomain"});
  config.has_zones = dns != nullptr && (json::get_object(*dns, {"spec", "publicZone"}) != nullptr ||
                                        json::get_object(*dns, {"spec", "privateZone"}) != nullptr);
  config.hosts_own_dns = hosts_own_dns(infrastructure);
  config.control_plane_topology = text_at(infrastructure, {"status", "controlPlaneTopology"});
  config.infrastructure_topology = text_at(infrastructure, {"status", "infrastructureTopology"});
  if (infrastructure != nullptr) config.aws_tags = aws_tags(*infrastructure);
  return config;
}

std::string wanted_domain(const IngressController& controller, const ClusterConfig& config) {
  if (!controller.status.domain.empty()) return controller.status.domain;
  return controller.spec.domain.empty() ? config.ingress_domain : controller.spec.domain;
}

bool is_below_base_domain(std::string_view domain, const ClusterConfig& config) {
  const std::string_view base = without_dot(config.base_domain);
  if (base.empty()) return false;
  const bool is_checked =
      config.platform != nullptr && (config.platform->name == kAws || config.platform->name == kGcp);
  return !is_checked || without_dot(domain).ends_with(fmt::format(".{}", base));
}

std::int32_t wanted_replicas(const IngressController& controller, const ClusterConfig& config) {
  if (controller.spec.replicas) return *controller.spec.replicas;
  return config.infrastructure_topology == "SingleReplica" ? 1 : 2;
}

PublishingStrategy effective_strategy(const IngressController& controller, const ClusterConfig& config) {
  const auto& asked = controller.spec.endpoint_publishing_strategy;
  PublishingStrategy wanted;
  if (asked) {
    wanted.type = asked->type;
    wanted.unknown = asked->unknown;
  } else {
    wanted.type =
        std::string(config.platform->is_default_load_balancer ? kLoadBalancerService : kHostNetwork);
  }
  if (wanted.type == kLoadBalancerService) wanted.load_balancer = effective_load_balancer(controller, config);
  if (wanted.type == kHostNetwork) wanted.host_network = effective_host_network(asked);
  return wanted;
}

PublishingStrategy wanted_strategy(const IngressController& controller, const ClusterConfig& config,
                                   const json::Object* service) {
  PublishingStrategy effective = effective_strategy(controller, config);
  const auto& recorded = controller.status.endpoint_publishing_strategy;
  if (!recorded) return effective;
  if (recorded->type != effective.type) {
    PublishingStrategy kept = *recorded;
    // A load balancer without particulars is an external one, and is put on record as that.
    if (kept.type == kLoadBalancerService && !kept.load_balancer) {
      kept.load_balancer = LoadBalancerStrategy{.scope = std::string(to_string(Scope::External)),
                                                .dns_management_policy = std::string(kManaged)};
    }
    return kept;
  }
  if (effective.load_balancer)
    take_observed(*effective.load_balancer, load_balancer_of(recorded), service, *config.platform);
  return effective;
}

std::optional<LoadBalancerStrategy> wanted_load_balancer(const IngressController& controller,
                                                         const ClusterConfig& config) {
  const auto& recorded = controller.status.endpoint_publishing_strategy;
  PublishingStrategy effective = effective_strategy(controller, config);
  if (!recorded || recorded->type == effective.type) return std::move(effective.load_balancer);
  std::optional<LoadBalancerStrategy> kept = wanted_strategy(controller, config, nullptr).load_balancer;
  // What the status knows of them was observed, and is nobody's wish.
  if (kept) kept->allowed_source_ranges.clear();
  return kept;
}

}  // namespace fairway::ingress
