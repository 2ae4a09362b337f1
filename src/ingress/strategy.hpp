// How a controller is published: the effective strategy of a spec on a cluster, and what the status says of
// it. Pure.
//
// The type of a strategy never changes once it is in the status; single fields follow the spec, and some of
// them the Service, whenever they differ, whatever generation was observed. A change that an older operator
// has left latent is thereby seen.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "ingress/platform.hpp"
#include "ingress/types.hpp"
#include "json/value.hpp"

namespace fairway::ingress {

// What the cluster's configuration says that publishing depends on.
struct ClusterConfig {
  const Platform* platform = nullptr;  // null: the cluster does not say, or one that we do not know
  std::string platform_name = {};
  std::string ingress_domain = {};
  std::string base_domain = {};
  std::string aws_type = {};  // for controllers that are not admitted yet
  bool hosts_own_dns = false;
  bool has_zones = false;
  std::vector<std::pair<std::string, std::string>> aws_tags = {};
  std::string control_plane_topology = {};
  std::string infrastructure_topology = {};
  bool operator==(const ClusterConfig&) const = default;
};

// From Infrastructure, Ingress and DNS named "cluster"; each may be missing. A platform that is given by name
// counts instead of Infrastructure's.
ClusterConfig read_config(const json::Object* infrastructure, const json::Object* ingress,
                          const json::Object* dns, std::string_view platform = {});

// The domain that the status has or, before it has one, that it will have.
std::string wanted_domain(const IngressController& controller, const ClusterConfig& config);
// Whether the cluster's zones can hold names of the domain.
bool is_below_base_domain(std::string_view domain, const ClusterConfig& config);
std::int32_t wanted_replicas(const IngressController& controller, const ClusterConfig& config);

// With all defaults filled in. `config.platform` is set.
PublishingStrategy effective_strategy(const IngressController& controller, const ClusterConfig& config);

// What status.endpointPublishingStrategy should say. The Service, where there is one, tells the observed
// parts.
PublishingStrategy wanted_strategy(const IngressController& controller, const ClusterConfig& config,
                                   const json::Object* service);

// The load balancer that is to be provided: the wish of the spec within the type of the status. Nothing where
// the strategy is another one.
std::optional<LoadBalancerStrategy> wanted_load_balancer(const IngressController& controller,
                                                         const ClusterConfig& config);

}  // namespace fairway::ingress
