#include "apiserver/kinds_service.hpp"

#include "apiserver/kinds_table.hpp"

namespace fairway::apiserver::kinds {
namespace {

constexpr std::int64_t kAffinitySeconds = 10'800;

void default_affinity(Object& spec) {
  if (json::text_at(spec, {"sessionAffinity"}) != "ClientIP") {
    json::remove(spec, "sessionAffinityConfig");
    return;
  }
  Object& client = json::ensure_object(spec, {"sessionAffinityConfig", "clientIP"});
  if (!client.contains("timeoutSeconds")) client["timeoutSeconds"] = kAffinitySeconds;
}

void default_ports(Object& spec) {
  Array* ports = find_array(spec, {"ports"});
  if (ports == nullptr) return;
  for (Value& value : *ports) {
    Object* port = value.if_object();
    if (port == nullptr) continue;
    const Value* target = port->if_contains("targetPort");
    const bool is_unset = target == nullptr || (target->is_int64() && target->get_int64() == 0) ||
                          (target->is_string() && target->get_string().empty());
    if (const Value* own = port->if_contains("port"); is_unset && own != nullptr)
      (*port)["targetPort"] = Value(*own);
    // Zero is how clients write that they want one.
    if (json::get_int(*port, {"nodePort"}) == 0) json::remove(*port, "nodePort");
  }
}

void default_service(Object& service) {
  Value* found = service.if_contains("spec");
  if (found == nullptr || !found->is_object()) return;
  Object& spec = found->get_object();
  const ServiceShape shape(service);
  default_affinity(spec);
  default_ports(spec);
  if (json::get_int(spec, {"healthCheckNodePort"}) == 0) json::remove(spec, "healthCheckNodePort");
  if (json::text_at(spec, {"clusterIP"}).empty()) json::remove(spec, "clusterIP");
  if (array_at(spec, {"clusterIPs"}).empty()) json::remove(spec, "clusterIPs");
  if (shape.is_open_to_the_outside && json::text_at(spec, {"externalTrafficPolicy"}).empty()) {
    spec["externalTrafficPolicy"] = "Cluster";
  }
  if (!shape.is_external_name && !spec.contains("internalTrafficPolicy"))
    spec["internalTrafficPolicy"] = "Cluster";
  if (!shape.is_load_balancer) return;
  if (!spec.contains("allocateLoadBalancerNodePorts")) spec["allocateLoadBalancerNodePorts"] = true;
  Array* points = find_array(service, {"status", "loadBalancer", "ingress"});
  if (points == nullptr) return;
  for (Value& point : *points) {
    if (point.is_object() && point.get_object().contains("ip") && !point.get_object().contains("ipMode")) {
      point.get_object()["ipMode"] = "VIP";
    }
  }
}

}  // namespace

ServiceShape::ServiceShape(const Object& service)
    : type(json::text_at(service, {"spec", "type"})),
      cluster_ip(json::text_at(service, {"spec", "clusterIP"})),
      cluster_ips(texts_at(service, {"spec", "clusterIPs"})) {
  if (type.empty()) type = "ClusterIP";
  is_headless = cluster_ips.size() == 1 && cluster_ips.front() == "None";
  is_external_name = type == "ExternalName";
  is_load_balancer = type == "LoadBalancer";
  is_open_to_the_outside = is_load_balancer || type == "NodePort" ||
                           (type == "ClusterIP" && !array_at(service, {"spec", "externalIPs"}).empty());
  needs_node_ports =
      type == "NodePort" ||
      (is_load_balancer && json::get_bool(service, {"spec", "allocateLoadBalancerNodePorts"}).value_or(true));
  needs_health_port =
      is_load_balancer && json::text_at(service, {"spec", "externalTrafficPolicy"}) == "Local";
}

const KindRules& service_rules() {
  static const KindRules kRules{.name_problems = service_name,
                                .default_fields = default_service,
                                .prepare_create = prepare_service_create,
                                .prepare_update = prepare_service_update,
                                .validate = validate_service,
                                .validate_update = validate_service_update};
  return kRules;
}

}  // namespace fairway::apiserver::kinds
