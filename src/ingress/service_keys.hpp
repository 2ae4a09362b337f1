// Annotations and labels of the published Service, by name. For service*.cpp and their tests.
#pragma once

#include <string>
#include <string_view>

#include "ingress/platform.hpp"
#include "ingress/types.hpp"

namespace fairway::ingress::keys {

inline constexpr std::string_view kDeploymentLabel =
    "ingresscontroller.operator.openshift.io/deployment-ingresscontroller";
inline constexpr std::string_view kAwsInterval =
    "service.beta.kubernetes.io/aws-load-balancer-healthcheck-interval";
inline constexpr std::string_view kAwsTimeout =
    "service.beta.kubernetes.io/aws-load-balancer-healthcheck-timeout";
inline constexpr std::string_view kAwsUnhealthy =
    "service.beta.kubernetes.io/aws-load-balancer-healthcheck-unhealthy-threshold";
inline constexpr std::string_view kAwsHealthy =
    "service.beta.kubernetes.io/aws-load-balancer-healthcheck-healthy-threshold";
inline constexpr std::string_view kAwsProxyProtocol =
    "service.beta.kubernetes.io/aws-load-balancer-proxy-protocol";
inline constexpr std::string_view kAwsType = "service.beta.kubernetes.io/aws-load-balancer-type";
inline constexpr std::string_view kAwsIdleTimeout =
    "service.beta.kubernetes.io/aws-load-balancer-connection-idle-timeout";
inline constexpr std::string_view kAwsSubnets = "service.beta.kubernetes.io/aws-load-balancer-subnets";
inline constexpr std::string_view kAwsAllocations =
    "service.beta.kubernetes.io/aws-load-balancer-eip-allocations";
inline constexpr std::string_view kAwsTags =
    "service.beta.kubernetes.io/aws-load-balancer-additional-resource-tags";
inline constexpr std::string_view kAwsTargetGroup =
    "service.beta.kubernetes.io/aws-load-balancer-target-group-attributes";
inline constexpr std::string_view kGcpGlobalAccess =
    "networking.gke.io/internal-load-balancer-allow-global-access";
inline constexpr std::string_view kIbmFeatures =
    "service.kubernetes.io/ibm-load-balancer-cloud-provider-enable-features";

}  // namespace fairway::ingress::keys

namespace fairway::ingress {

// IDs, then names, with commas; empty where the spec names none.
std::string wanted_subnets(const AwsParameters& parameters);
// Only an external load balancer of OpenStack has one.
std::string wanted_floating_ip(const LoadBalancerStrategy& wanted, const Platform& platform);

}  // namespace fairway::ingress
