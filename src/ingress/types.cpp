#include "ingress/types.hpp"

#include <fmt/format.h>

namespace fairway::ingress {

std::string_view to_string(Scope scope) {
  return scope == Scope::Internal ? "Internal" : "External";
}

Scope scope_of(std::string_view text) {
  return text == to_string(Scope::Internal) ? Scope::Internal : Scope::External;
}

const LoadBalancerStrategy* load_balancer_of(const std::optional<PublishingStrategy>& strategy) {
  return strategy && strategy->load_balancer ? &*strategy->load_balancer : nullptr;
}

bool has_auto_delete(const IngressController& controller) {
  return controller.metadata.annotations.contains(std::string(kAutoDelete));
}

std::string router_name(std::string_view controller) {
  return fmt::format("router-{}", controller);
}
std::string internal_service_name(std::string_view controller) {
  return fmt::format("router-internal-{}", controller);
}
std::string node_port_service_name(std::string_view controller) {
  return fmt::format("router-nodeport-{}", controller);
}
std::string record_name(std::string_view controller) {
  return fmt::format("{}-wildcard", controller);
}

}  // namespace fairway::ingress
