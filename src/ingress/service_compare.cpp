#include <algorithm>
#include <fmt/format.h>
#include <set>

#include "base/text.hpp"
#include "ingress/service.hpp"
#include "ingress/service_keys.hpp"

namespace fairway::ingress {
namespace {

// Forced at every look, on this platform.
std::vector<std::string_view> managed_keys(const Platform& platform) {
  std::vector<std::string_view> all = {kLocalWithFallback};
  if (platform.is_mutable && platform.scope) all.push_back(platform.scope->key);
  if (platform.name == kAws)
    all.insert(all.end(),
               {keys::kAwsInterval, keys::kAwsIdleTimeout, keys::kAwsProxyProtocol, keys::kAwsTags});
  if (platform.name == kGcp) all.push_back(keys::kGcpGlobalAccess);
  if (platform.name == kIbmCloud || platform.name == kPowerVs) all.push_back(keys::kIbmFeatures);
  return all;
}

std::optional<std::string_view> value_in(const kube::Labels& labels, std::string_view key) {
  const auto found = labels.find(std::string(key));
  return found == labels.end() ? std::nullopt : std::optional<std::string_view>(found->second);
}

void patch_annotations(json::Object& changes, const json::Object& service, const kube::Labels& desired,
                       const Platform& platform) {
  for (const std::string_view key : managed_keys(platform)) {
    const auto have = kube::annotation(service, key);
    const auto want = value_in(desired, key);
    if (have == want) continue;
    changes[key] = want ? json::Value(*want) : json::Value(nullptr);
  }
  // Set when it is wanted, never taken away.
  const auto group = value_in(desired, keys::kAwsTargetGroup);
  if (group && kube::annotation(service, keys::kAwsTargetGroup) != group)
    changes[keys::kAwsTargetGroup] = *group;
  // The same meaning in today's spelling: not a change of scope.
  if (platform.scope && !platform.scope->legacy_internal.empty() &&
      kube::annotation(service, platform.scope->key) == platform.scope->legacy_internal)
    changes[platform.scope->key] = platform.scope->internal;
}

// Our note about a change that the cloud makes in place: written with the change, taken away when it is over.
void patch_note(json::Object& changes, const json::Object& service, Scope want, const Platform& platform,
                const CloudReports& cloud, WallTime now) {
  if (!platform.is_mutable) return;
  const std::string address = address_of(service);
  const Scope have = observed_scope(service, platform);
  const auto noted = scope_change_of(service);
  const bool is_taken_back = noted && noted->from == to_string(want) && noted->address == address;
  if (have != want && !is_taken_back) {
    if (address.empty()) return;
    const ScopeChange change{.from = std::string(to_string(have)),
                             .address = address,
                             .since = std::chrono::floor<std::chrono::seconds>(now)};
    changes[kScopeChange] = json::serialize(json::to_json(change));
    return;
  }
  if (!kube::annotation(service, kScopeChange)) return;
  const bool is_elsewhere = noted && !address.empty() && address != noted->address;
  const bool is_ensured = noted && cloud.ensured_at && noted->since && *cloud.ensured_at > *noted->since;
  if (!noted || is_taken_back || is_elsewhere || is_ensured) changes[kScopeChange] = nullptr;
}

void patch_source_ranges(json::Object& patch, json::Object& annotations, const json::Object& service,
                         const std::vector<std::string>& wanted) {
  // Silence in the spec leaves to the user what the user has set.
  if (wanted.empty()) return;
  const json::Value list = json::to_json(wanted);
  const json::Value* have = json::find(service, {"spec", "loadBalancerSourceRanges"});
  if (have == nullptr || *have != list) patch["spec"] = json::Object{{"loadBalancerSourceRanges", list}};
  if (kube::annotation(service, kSourceRangesAnnotation)) annotations[kSourceRangesAnnotation] = nullptr;
}

std::set<std::string> as_set(std::string_view list) {
  std::set<std::string> parts;
  for (const std::string_view each : split(list, ','))
    if (!trim(each).empty()) parts.emplace(trim(each));
  return parts;
}

std::string annotated(const json::Object& service, std::string_view key) {
  return std::string(kube::annotation(service, key).value_or(""));
}

json::Object aws_revert(std::string_view type, json::Object particulars) {
  json::Object aws{{"type", type}};
  if (!particulars.empty())
    aws[type == kNlb ? "networkLoadBalancer" : "classicLoadBalancer"] = std::move(particulars);
  json::Object parameters{{"type", kAws}};
  parameters["aws"] = std::move(aws);
  return {{"providerParameters", std::move(parameters)}};
}

json::Value subnets_value(std::string_view list) {
  if (list.empty()) return nullptr;
  Subnets subnets;
  for (const std::string_view each : split(list, ','))
    (each.starts_with("subnet-") ? subnets.ids : subnets.names).emplace_back(each);
  return json::to_json(subnets);
}

bool is_scope_asked(const IngressController& controller) {
  const LoadBalancerStrategy* asked = load_balancer_of(controller.spec.endpoint_publishing_strategy);
  return asked != nullptr && !asked->scope.empty() &&
         controller.spec.endpoint_publishing_strategy->type == kLoadBalancerService;
}

bool is_type_asked(const IngressController& controller) {
  const LoadBalancerStrategy* asked = load_balancer_of(controller.spec.endpoint_publishing_strategy);
  return asked != nullptr && asked->provider_parameters && asked->provider_parameters->aws &&
         !asked->provider_parameters->aws->type.empty();
}

void compare_aws(std::vector<Difference>& found, const json::Object& service,
                 const IngressController& controller, const AwsParameters& wanted) {
  using enum Difference::What;
  const std::string_view have = kube::annotation(service, keys::kAwsType) == "nlb" ? kNlb : kClassic;
  if (have != wanted.type)
    found.push_back({.what = LoadBalancerType,
                     .have = std::string(have),
                     .want = wanted.type,
                     .is_asked = is_type_asked(controller),
                     .revert = aws_revert(have, {})});
  const std::string subnets = annotated(service, keys::kAwsSubnets);
  const std::string want_subnets = wanted_subnets(wanted);
  if (as_set(subnets) != as_set(want_subnets))
    found.push_back({.what = Subnets,
                     .have = subnets,
                     .want = want_subnets,
                     .is_asked = !want_subnets.empty(),
                     .revert = aws_revert(wanted.type, {{"subnets", subnets_value(subnets)}})});
  if (wanted.type != kNlb) return;
  const std::string allocations = annotated(service, keys::kAwsAllocations);
  const std::string want =
      wanted.network_load_balancer ? join(wanted.network_load_balancer->eip_allocations, ",") : "";
  if (as_set(allocations) == as_set(want)) return;
  const auto have_set = as_set(allocations);
  const json::Value list =
      have_set.empty() ? json::Value(nullptr) : json::to_json(std::vector(have_set.begin(), have_set.end()));
  found.push_back({.what = EipAllocations,
                   .have = allocations,
                   .want = want,
                   .is_asked = !want.empty(),
                   .revert = aws_revert(kNlb, {{"eipAllocations", list}})});
}

void compare_floating_ip(std::vector<Difference>& found, const json::Object& service,
                         const LoadBalancerStrategy& wanted, const Platform& platform) {
  // With another scope comes another address: that difference is the scope's.
  if (scope_of(wanted.scope) != observed_scope(service, platform)) return;
  const std::string have(json::get_string(service, {"spec", "loadBalancerIP"}).value_or(""));
  const std::string want = wanted_floating_ip(wanted, platform);
  if (have == want) return;
  json::Object parameters{{"type", kOpenStack}};
  parameters["openstack"] = json::Object{{"floatingIP", have}};
  found.push_back({.what = Difference::What::FloatingIp,
                   .have = have,
                   .want = want,
                   .is_asked = !want.empty(),
                   .revert = {{"providerParameters", std::move(parameters)}}});
}

bool is_ours(std::string_view key) {
  const std::string_view domain = key.substr(0, key.find('/'));
  return domain.ends_with(".fairway.dev") || domain == "kubectl.kubernetes.io";
}

bool is_platform_key(std::string_view key) {
  if (key.starts_with("service.beta.kubernetes.io/aws-load-balancer-healthcheck-")) return true;
  return std::ranges::any_of(platforms(), [&](const Platform& each) {
    const auto managed = managed_keys(each);
    return (each.scope && each.scope->key == key) || std::ranges::find(managed, key) != managed.end();
  });
}

void collect_members(std::vector<std::string>& edits, const json::Object& service,
                     const json::Object& desired, std::string_view member, std::string_view word) {
  const json::Object* have = json::get_object(service, {"metadata", member});
  if (have == nullptr) return;
  for (const auto& each : *have) {
    if (is_ours(each.key()) || is_platform_key(each.key())) continue;
    const json::Value* want = json::find(desired, {"metadata", member, each.key()});
    if (want == nullptr || *want != each.value())
      edits.push_back(fmt::format("{} {}", word, std::string(each.key())));
  }
}

void collect_ports(std::vector<std::string>& edits, const json::Object& service) {
  const json::Array* ports = json::get_array(service, {"spec", "ports"});
  if (ports == nullptr) return;
  for (const json::Value& each : *ports) {
    if (!each.is_object()) continue;
    const auto name = json::get_string(each.get_object(), {"name"}).value_or("");
    if (name != "http" && name != "https") edits.push_back(fmt::format("port {}", quoted(name)));
  }
}

}  // namespace

Result<json::Object> service_patch(const json::Object& service, const IngressController& controller,
                                   const LoadBalancerStrategy& wanted, const ClusterConfig& config,
                                   const CloudReports& cloud, WallTime now) {
  FAIRWAY_TRY(const kube::Labels desired, desired_annotations(controller, wanted, config));
  json::Object patch;
  json::Object annotations;
  patch_annotations(annotations, service, desired, *config.platform);
  patch_note(annotations, service, scope_of(wanted.scope), *config.platform, cloud, now);
  patch_source_ranges(patch, annotations, service, wanted.allowed_source_ranges);
  if (!annotations.empty()) json::ensure_object(patch, {"metadata"})["annotations"] = std::move(annotations);
  return patch;
}

std::vector<std::string> managed_differences(const json::Object& service, const kube::Labels& desired,
                                             const Platform& platform) {
  std::vector<std::string> found;
  json::Object changes;
  patch_annotations(changes, service, desired, platform);
  for (const auto& change : changes) {
    const auto have = kube::annotation(service, change.key());
    found.push_back(fmt::format("{} is {}, expected {}", std::string(change.key()),
                                have ? quoted(*have) : "absent",
                                change.value().is_null() ? "absent" : json::serialize(change.value())));
  }
  return found;
}

std::vector<Difference> differences(const json::Object& service, const IngressController& controller,
                                    const LoadBalancerStrategy& wanted, const Platform& platform) {
  std::vector<Difference> found;
  const Scope want = scope_of(wanted.scope);
  const Scope have = observed_scope(service, platform);
  if (platform.scope && have != want)
    found.push_back({.what = Difference::What::Scope,
                     .have = std::string(to_string(have)),
                     .want = std::string(to_string(want)),
                     .is_asked = is_scope_asked(controller),
                     .revert = {{"scope", to_string(have)}}});
  if (platform.name == kAws && wanted.provider_parameters && wanted.provider_parameters->aws)
    compare_aws(found, service, controller, *wanted.provider_parameters->aws);
  if (platform.name == kOpenStack) compare_floating_ip(found, service, wanted, platform);
  return found;
}

std::vector<std::string> user_edits(const json::Object& service, const json::Object& desired) {
  std::vector<std::string> edits;
  collect_members(edits, service, desired, "annotations", "annotation");
  collect_members(edits, service, desired, "labels", "label");
  for (const std::string_view field : {"loadBalancerSourceRanges", "externalIPs", "loadBalancerClass",
                                       "externalTrafficPolicy", "sessionAffinity"}) {
    const json::Value* have = json::find(service, {"spec", field});
    const json::Value* want = json::find(desired, {"spec", field});
    if (have != nullptr && (want == nullptr || *want != *have))
      edits.push_back(fmt::format("spec.{}", field));
  }
  collect_ports(edits, service);
  return edits;
}

std::vector<std::string> foreign_scope_keys(const json::Object& service, const Platform& platform) {
  std::vector<std::string> found;
  for (const Platform& other : platforms()) {
    if (!other.scope || (platform.scope && other.scope->key == platform.scope->key)) continue;
    const bool is_known = std::ranges::find(found, other.scope->key) != found.end();
    if (!is_known && kube::annotation(service, other.scope->key)) found.emplace_back(other.scope->key);
  }
  return found;
}

}  // namespace fairway::ingress
