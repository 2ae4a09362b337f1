#include "ingress/platform.hpp"

#include <algorithm>
#include <array>

#include "kube/core/object.hpp"

namespace fairway::ingress {
namespace {

constexpr ScopeAnnotation kIbmScope{.key = "service.kubernetes.io/ibm-load-balancer-cloud-provider-ip-type",
                                    .internal = "private",
                                    .external = "public"};

constexpr std::array<Platform, 16> kPlatforms = {{
    {.name = kAws,
     .scope = ScopeAnnotation{.key = "service.beta.kubernetes.io/aws-load-balancer-internal",
                              .internal = "true",
                              .legacy_internal = "0.0.0.0/0"},
     .is_default_load_balancer = true},
    {.name = kAzure,
     .scope = ScopeAnnotation{.key = "service.beta.kubernetes.io/azure-load-balancer-internal",
                              .internal = "true"},
     .is_mutable = true,
     .is_default_load_balancer = true},
    {.name = kGcp,
     .scope = ScopeAnnotation{.key = "cloud.google.com/load-balancer-type", .internal = "Internal"},
     .is_mutable = true,
     .is_default_load_balancer = true},
    {.name = kIbmCloud, .scope = kIbmScope, .is_default_load_balancer = true, .is_traffic_local = false},
    {.name = kPowerVs, .scope = kIbmScope, .is_default_load_balancer = true, .is_traffic_local = false},
    {.name = "AlibabaCloud",
     .scope = ScopeAnnotation{.key = "service.beta.kubernetes.io/alibaba-cloud-loadbalancer-address-type",
                              .internal = "intranet",
                              .external = "internet"},
     .is_default_load_balancer = true},
    {.name = kOpenStack,
     .scope = ScopeAnnotation{.key = "service.beta.kubernetes.io/openstack-internal-load-balancer",
                              .internal = "true"}},
    {.name = "BareMetal"},
    {.name = "Libvirt"},
    {.name = "None"},
    {.name = "External"},
    {.name = "VSphere"},
    {.name = "Nutanix"},
    {.name = "oVirt"},
    {.name = "KubeVirt"},
    {.name = "EquinixMetal"},
}};

}  // namespace

std::span<const Platform> platforms() {
  return kPlatforms;
}

const Platform* find_platform(std::string_view name) {
  const auto found = std::ranges::find(kPlatforms, name, &Platform::name);
  return found == kPlatforms.end() ? nullptr : &*found;
}

Scope observed_scope(const json::Object& service, const Platform& platform) {
  if (!platform.scope) return Scope::External;
  const auto value = kube::annotation(service, platform.scope->key);
  if (!value) return Scope::External;
  const bool is_legacy =
      !platform.scope->legacy_internal.empty() && *value == platform.scope->legacy_internal;
  return *value == platform.scope->internal || is_legacy ? Scope::Internal : Scope::External;
}

}  // namespace fairway::ingress
