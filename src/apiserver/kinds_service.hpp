// The parts of Service: what its type needs, what is allocated for it, what is checked. Internal to kinds,
// but for the ports that one has.
#pragma once

#include <cstdint>
#include <set>

#include "apiserver/kinds_support.hpp"

namespace fairway::apiserver::kinds {

// What a spec says, in the questions that all parts ask. Absent types are ClusterIP.
struct ServiceShape {
  explicit ServiceShape(const Object& service);

  std::string type;
  std::string cluster_ip;
  std::vector<std::string> cluster_ips;
  bool is_headless = false;
  bool is_external_name = false;
  bool is_load_balancer = false;
  bool is_open_to_the_outside = false;  // externalTrafficPolicy applies
  bool needs_node_ports = false;
  bool needs_health_port = false;
};

// Addresses and ports: kept where they still apply, given up where they do not, allocated where they are
// missing.
FieldErrors prepare_service_create(Object& service, const KindContext& context);
FieldErrors prepare_service_update(const Object& before, Object& service, const KindContext& context);

// That a service has, for its health checks too.
std::set<std::int64_t> node_ports_of(const Object& service);

FieldErrors validate_service(const Object& service);
FieldErrors validate_service_update(const Object& before, const Object& service);

}  // namespace fairway::apiserver::kinds
