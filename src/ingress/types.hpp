// IngressController of operator.openshift.io/v1, as described structs: how one router is published, and what
// became of it. Pure.
//
// Only the parts that publishing needs have names; everything else is kept in `unknown` and written back.
// Objects of old releases carry neither `loadBalancer` nor `scope`: absent and empty mean External
// everywhere.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.hpp"
#include "json/codec.hpp"
#include "kube/core/conditions.hpp"
#include "kube/core/object.hpp"
#include "kube/core/resource_type.hpp"

namespace fairway::ingress {

inline constexpr std::string_view kOperatorNamespace = "openshift-ingress-operator";
inline constexpr std::string_view kOperandNamespace = "openshift-ingress";
inline constexpr std::string_view kDefaultName = "default";

inline constexpr std::string_view kLoadBalancerService = "LoadBalancerService";
inline constexpr std::string_view kHostNetwork = "HostNetwork";
inline constexpr std::string_view kNodePortService = "NodePortService";
inline constexpr std::string_view kPrivate = "Private";
inline constexpr std::string_view kManaged = "Managed";
inline constexpr std::string_view kUnmanaged = "Unmanaged";
inline constexpr std::string_view kClassic = "Classic";
inline constexpr std::string_view kNlb = "NLB";

// Consent to delete the Service where a change cannot be made in place. Presence counts, whatever the value.
inline constexpr std::string_view kAutoDelete = "ingress.operator.openshift.io/auto-delete-load-balancer";
inline constexpr std::string_view kFinalizer =
    "ingresscontroller.operator.openshift.io/finalizer-ingresscontroller";
inline constexpr std::string_view kOwningLabel =
    "ingresscontroller.operator.openshift.io/owning-ingresscontroller";

enum class Scope { External, Internal };
std::string_view to_string(Scope scope);
// Only the exact word makes it internal.
Scope scope_of(std::string_view text);

struct Subnets {
  std::vector<std::string> ids = {};
  std::vector<std::string> names = {};
  bool operator==(const Subnets&) const = default;
};
BOOST_DESCRIBE_STRUCT(Subnets, (), (ids, names))

struct ClassicLoadBalancer {
  std::optional<Duration> connection_idle_timeout = {};
  std::optional<Subnets> subnets = {};
  json::Object unknown = {};
  bool operator==(const ClassicLoadBalancer&) const = default;
};
BOOST_DESCRIBE_STRUCT(ClassicLoadBalancer, (), (connection_idle_timeout, subnets, unknown))

struct NetworkLoadBalancer {
  std::optional<Subnets> subnets = {};
  std::vector<std::string> eip_allocations = {};
  std::string protocol = {};  // "", TCP or PROXY
  json::Object unknown = {};
  bool operator==(const NetworkLoadBalancer&) const = default;
};
BOOST_DESCRIBE_STRUCT(NetworkLoadBalancer, (), (subnets, eip_allocations, protocol, unknown))
constexpr auto json_fields(const NetworkLoadBalancer*) {
  return std::array{json::Field{.member = "protocol", .omit_empty = true}};
}

struct AwsParameters {
  std::string type = {};  // Classic or NLB
  std::optional<ClassicLoadBalancer> classic_load_balancer = {};
  std::optional<NetworkLoadBalancer> network_load_balancer = {};
  json::Object unknown = {};
  bool operator==(const AwsParameters&) const = default;
};
BOOST_DESCRIBE_STRUCT(AwsParameters, (), (type, classic_load_balancer, network_load_balancer, unknown))
constexpr auto json_fields(const AwsParameters*) {
  return std::array{json::Field{.member = "type", .omit_empty = true}};
}

struct GcpParameters {
  std::string client_access = {};  // Global or Local
  json::Object unknown = {};
  bool operator==(const GcpParameters&) const = default;
};
BOOST_DESCRIBE_STRUCT(GcpParameters, (), (client_access, unknown))
constexpr auto json_fields(const GcpParameters*) {
  return std::array{json::Field{.member = "client_access", .omit_empty = true}};
}

struct IbmParameters {
  std::string protocol = {};  // "", TCP or PROXY
  json::Object unknown = {};
  bool operator==(const IbmParameters&) const = default;
};
BOOST_DESCRIBE_STRUCT(IbmParameters, (), (protocol, unknown))
constexpr auto json_fields(const IbmParameters*) {
  return std::array{json::Field{.member = "protocol", .omit_empty = true}};
}

struct OpenStackParameters {
  std::string floating_ip = {};
  json::Object unknown = {};
  bool operator==(const OpenStackParameters&) const = default;
};
BOOST_DESCRIBE_STRUCT(OpenStackParameters, (), (floating_ip, unknown))
constexpr auto json_fields(const OpenStackParameters*) {
  return std::array{json::Field{.member = "floating_ip", .json = "floatingIP", .omit_empty = true}};
}

struct ProviderParameters {
  std::string type = {};
  std::optional<AwsParameters> aws = {};
  std::optional<GcpParameters> gcp = {};
  std::optional<IbmParameters> ibm = {};
  std::optional<OpenStackParameters> openstack = {};
  json::Object unknown = {};
  bool operator==(const ProviderParameters&) const = default;
};
BOOST_DESCRIBE_STRUCT(ProviderParameters, (), (type, aws, gcp, ibm, openstack, unknown))

struct LoadBalancerStrategy {
  std::string scope = {};
  std::string dns_management_policy = {};
  std::vector<std::string> allowed_source_ranges = {};
  std::optional<ProviderParameters> provider_parameters = {};
  json::Object unknown = {};
  bool operator==(const LoadBalancerStrategy&) const = default;
};
BOOST_DESCRIBE_STRUCT(LoadBalancerStrategy, (),
                      (scope, dns_management_policy, allowed_source_ranges, provider_parameters, unknown))
constexpr auto json_fields(const LoadBalancerStrategy*) {
  return std::array{json::Field{.member = "scope", .omit_empty = true},
                    json::Field{.member = "dns_management_policy", .omit_empty = true}};
}

struct HostNetworkStrategy {
  std::string protocol = {};
  std::int32_t http_port = 0;
  std::int32_t https_port = 0;
  std::int32_t stats_port = 0;
  json::Object unknown = {};
  bool operator==(const HostNetworkStrategy&) const = default;
};
BOOST_DESCRIBE_STRUCT(HostNetworkStrategy, (), (protocol, http_port, https_port, stats_port, unknown))
constexpr auto json_fields(const HostNetworkStrategy*) {
  return std::array{json::Field{.member = "*", .omit_empty = true}};
}

struct PublishingStrategy {
  std::string type = {};
  std::optional<LoadBalancerStrategy> load_balancer = {};
  std::optional<HostNetworkStrategy> host_network = {};
  json::Object unknown = {};
  bool operator==(const PublishingStrategy&) const = default;
};
BOOST_DESCRIBE_STRUCT(PublishingStrategy, (), (type, load_balancer, host_network, unknown))

struct IngressControllerSpec {
  std::string domain = {};
  std::optional<std::int32_t> replicas = {};
  std::optional<PublishingStrategy> endpoint_publishing_strategy = {};
  json::Value unsupported_config_overrides = {};
  json::Object unknown = {};
  bool operator==(const IngressControllerSpec&) const = default;
};
BOOST_DESCRIBE_STRUCT(IngressControllerSpec, (),
                      (domain, replicas, endpoint_publishing_strategy, unsupported_config_overrides, unknown))
constexpr auto json_fields(const IngressControllerSpec*) {
  return std::array{json::Field{.member = "domain", .omit_empty = true}};
}

struct IngressControllerStatus {
  std::int32_t available_replicas = 0;
  std::string selector = {};
  std::string domain = {};
  std::int64_t observed_generation = 0;
  std::optional<PublishingStrategy> endpoint_publishing_strategy = {};
  kube::Conditions conditions = {};
  json::Object unknown = {};
  bool operator==(const IngressControllerStatus&) const = default;
};
BOOST_DESCRIBE_STRUCT(IngressControllerStatus, (),
                      (available_replicas, selector, domain, observed_generation,
                       endpoint_publishing_strategy, conditions, unknown))

struct IngressController {
  kube::ObjectMeta metadata = {};
  IngressControllerSpec spec = {};
  IngressControllerStatus status = {};
  json::Object unknown = {};
  bool operator==(const IngressController&) const = default;
};
BOOST_DESCRIBE_STRUCT(IngressController, (), (metadata, spec, status, unknown))
inline kube::ResourceType resource_type(const IngressController*) {
  return {.kind = {"operator.openshift.io", "v1", "IngressController"}, .resource = "ingresscontrollers"};
}

// The load balancer that the spec or status speaks of; null where it speaks of none.
const LoadBalancerStrategy* load_balancer_of(const std::optional<PublishingStrategy>& strategy);
bool has_auto_delete(const IngressController& controller);

// Names of what belongs to a controller.
std::string router_name(std::string_view controller);             // Deployment, ConfigMap and LB Service
std::string internal_service_name(std::string_view controller);   // ClusterIP, for metrics
std::string node_port_service_name(std::string_view controller);  // where the strategy asks for it
std::string record_name(std::string_view controller);             // DNSRecord, beside the controller

}  // namespace fairway::ingress
