// The Service that publishes a controller: what it should be, what of it is ours, and how a live one differs.
// Pure.
//
// Annotations come in three classes. Managed ones are forced at every look. Creation-managed ones are set
// when the Service is created and only compared later: a difference is told, and resolved by a new Service,
// never by an edit. All the rest, and every field that is not named here, belongs to the user and is
// preserved.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.hpp"
#include "base/result.hpp"
#include "ingress/strategy.hpp"
#include "ingress/types.hpp"
#include "json/value.hpp"
#include "kube/core/object.hpp"

namespace fairway::ingress {

inline constexpr std::string_view kSourceRangesAnnotation =
    "service.beta.kubernetes.io/load-balancer-source-ranges";
inline constexpr std::string_view kLocalWithFallback =
    "traffic-policy.network.alpha.openshift.io/local-with-fallback";
// The scope that a Service was created with; on platforms that cannot change it, the scope that its load
// balancer has whatever was done to the annotations since.
inline constexpr std::string_view kCreatedScope = "ingress.fairway.dev/created-scope";
// A change of scope that the cloud has been asked for and has not completed: see ScopeChange.
inline constexpr std::string_view kScopeChange = "ingress.fairway.dev/scope-change";

// A change in place: from which scope and address, since when. Over when the address is another one.
struct ScopeChange {
  std::string from;
  std::string address;
  std::optional<WallTime> since = {};
  bool operator==(const ScopeChange&) const = default;
};
BOOST_DESCRIBE_STRUCT(ScopeChange, (), (from, address, since))
std::optional<ScopeChange> scope_change_of(const json::Object& service);

// What the cloud's controller has said in Events about this very Service, by its UID.
struct CloudReports {
  std::string sync_failure = {};  // the newest, if nothing was ensured since
  std::string delete_failure = {};
  std::optional<WallTime> ensured_at = {};
  bool operator==(const CloudReports&) const = default;
};

bool is_owned_service(const json::Object& service, std::string_view controller);
// Hostname or IP address of the first entry; empty where there is none yet.
std::string address_of(const json::Object& service);
// The field or, where it is empty, the annotation.
std::vector<std::string> source_ranges_of(const json::Object& service);
// Subnets and allocations as the Service has them.
void take_observed_aws(AwsParameters& parameters, const json::Object& service);

// All that a new Service is given. Fails where the overrides in the spec cannot be read.
Result<kube::Labels> desired_annotations(const IngressController& controller,
                                         const LoadBalancerStrategy& wanted, const ClusterConfig& config);
Result<json::Object> desired_service(const IngressController& controller, const LoadBalancerStrategy& wanted,
                                     const ClusterConfig& config, const kube::OwnerReference& owner);

// What has to be changed on an owned, live Service, as a merge patch; an empty object when nothing has.
Result<json::Object> service_patch(const json::Object& service, const IngressController& controller,
                                   const LoadBalancerStrategy& wanted, const ClusterConfig& config,
                                   const CloudReports& cloud, WallTime now);
// The same without our own notes about a change of scope: what somebody did to managed annotations, "key:
// have, want". Empty when they are as they should be.
std::vector<std::string> managed_differences(const json::Object& service, const kube::Labels& desired,
                                             const Platform& platform);

// What only a new Service can resolve.
struct Difference {
  enum class What { Scope, LoadBalancerType, Subnets, EipAllocations, FloatingIp };
  What what;
  std::string have;
  std::string want;
  bool is_asked = false;     // the spec says so itself; a default or a silent spec does not count
  json::Object revert = {};  // of spec.endpointPublishingStrategy.loadBalancer
  bool operator==(const Difference&) const = default;
};
// In a fixed order. Legacy spellings are compared by their meaning.
std::vector<Difference> differences(const json::Object& service, const IngressController& controller,
                                    const LoadBalancerStrategy& wanted, const Platform& platform);

// What a user has put on the Service and a new one would not have: annotations, labels, source ranges, ports.
std::vector<std::string> user_edits(const json::Object& service, const json::Object& desired);

// Keys of other platforms that would mean Internal there; they mean nothing here.
std::vector<std::string> foreign_scope_keys(const json::Object& service, const Platform& platform);

}  // namespace fairway::ingress
