#include "cloud/profile.hpp"

#include <algorithm>
#include <array>

#include "base/text.hpp"
#include "kube/core/object.hpp"

namespace fairway::cloud {
namespace {

using std::chrono::seconds;

constexpr ScopeKey kIbmScope{.key = "service.kubernetes.io/ibm-load-balancer-cloud-provider-ip-type",
                             .internal = "private",
                             .external = "public"};
constexpr std::string_view kAwsType = "service.beta.kubernetes.io/aws-load-balancer-type";
constexpr std::string_view kAwsProxyProtocol = "service.beta.kubernetes.io/aws-load-balancer-proxy-protocol";
constexpr std::string_view kAwsTargetGroup =
    "service.beta.kubernetes.io/aws-load-balancer-target-group-attributes";
constexpr std::string_view kIbmFeatures =
    "service.kubernetes.io/ibm-load-balancer-cloud-provider-enable-features";

// The delays are a hundredth or so of what the real ones take, in the same order of slowness.
constexpr std::array<Profile, 16> kProfiles = {{
    {.platform = "AWS",
     .scope = ScopeKey{.key = "service.beta.kubernetes.io/aws-load-balancer-internal",
                       .internal = "true",
                       .legacy_internal = "0.0.0.0/0"},
     .form = AddressForm::Hostname,
     .marks_internal_names = true,
     .proxy = ProxyStyle::Aws,
     .delays = {.provision = seconds(2), .deprovision = seconds(2)}},
    {.platform = "Azure",
     .scope = ScopeKey{.key = "service.beta.kubernetes.io/azure-load-balancer-internal", .internal = "true"},
     .is_mutable = true,
     .passes_through = true,
     .delays = {.provision = seconds(1), .deprovision = seconds(1), .mutate = seconds(1)}},
    {.platform = "GCP",
     .scope = ScopeKey{.key = "cloud.google.com/load-balancer-type", .internal = "Internal"},
     .is_mutable = true,
     .passes_through = true,
     .delays = {.provision = seconds(1), .deprovision = seconds(1), .mutate = seconds(2)}},
    {.platform = "IBMCloud",
     .scope = kIbmScope,
     .form = AddressForm::Hostname,
     .proxy = ProxyStyle::Ibm,
     .delays = {.provision = seconds(3), .deprovision = seconds(3)}},
    {.platform = "PowerVS",
     .scope = kIbmScope,
     .form = AddressForm::Hostname,
     .proxy = ProxyStyle::Ibm,
     .delays = {.provision = seconds(3), .deprovision = seconds(3)}},
    {.platform = "AlibabaCloud",
     .scope = ScopeKey{.key = "service.beta.kubernetes.io/alibaba-cloud-loadbalancer-address-type",
                       .internal = "intranet",
                       .external = "internet"},
     .delays = {.provision = seconds(1), .deprovision = seconds(1)}},
    {.platform = "OpenStack",
     .scope =
         ScopeKey{.key = "service.beta.kubernetes.io/openstack-internal-load-balancer", .internal = "true"},
     .delays = {.provision = seconds(2), .deprovision = seconds(1)}},
    {.platform = "BareMetal"},
    {.platform = "Libvirt"},
    {.platform = "None"},
    {.platform = "External"},
    {.platform = "VSphere"},
    {.platform = "Nutanix"},
    {.platform = "oVirt"},
    {.platform = "KubeVirt"},
    {.platform = "EquinixMetal"},
}};

bool lists(std::optional<std::string_view> value, std::string_view wanted) {
  if (!value) return false;
  return std::ranges::any_of(split(*value, ','), [&](std::string_view part) { return trim(part) == wanted; });
}

}  // namespace

std::string_view to_string(Scope scope) {
  return scope == Scope::Internal ? "Internal" : "External";
}

std::span<const Profile> profiles() {
  return kProfiles;
}

const Profile* find_profile(std::string_view platform) {
  const auto found = std::ranges::find(kProfiles, platform, &Profile::platform);
  return found == kProfiles.end() ? nullptr : &*found;
}

Scope asked_scope(const json::Object& service, const Profile& profile) {
  if (!profile.scope) return Scope::External;
  const auto value = kube::annotation(service, profile.scope->key);
  if (!value || value->empty()) return Scope::External;
  const bool is_internal = *value == profile.scope->internal || *value == profile.scope->legacy_internal;
  return is_internal ? Scope::Internal : Scope::External;
}

ProxyHeader asked_proxy_header(const json::Object& service, const Profile& profile) {
  switch (profile.proxy) {
    case ProxyStyle::Never:
      return ProxyHeader::None;
    case ProxyStyle::Aws:
      // A network load balancer knows the attribute of its target group only; a classic one, its annotation.
      if (kube::annotation(service, kAwsType) == "nlb")
        return lists(kube::annotation(service, kAwsTargetGroup), "proxy_protocol_v2.enabled=true")
                   ? ProxyHeader::V2
                   : ProxyHeader::None;
      return kube::annotation(service, kAwsProxyProtocol) == "*" ? ProxyHeader::V1 : ProxyHeader::None;
    case ProxyStyle::Ibm:
      return lists(kube::annotation(service, kIbmFeatures), "proxy-protocol") ? ProxyHeader::V1
                                                                              : ProxyHeader::None;
  }
  return ProxyHeader::None;
}

}  // namespace fairway::cloud
