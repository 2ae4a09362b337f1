#include <array>
#include <fmt/format.h>
#include <set>

#include "apiserver/kinds_service.hpp"
#include "base/text.hpp"
#include "kube/core/object.hpp"

namespace fairway::apiserver::kinds {
namespace {

constexpr std::string_view kOnlyLoadBalancer = "may only be used when `type` is 'LoadBalancer'";
constexpr std::string_view kFixed = "may not change once set";
constexpr std::string_view kSourceRanges = "service.beta.kubernetes.io/load-balancer-source-ranges";
constexpr std::int64_t kMaxAffinitySeconds = 86'400;

FieldErrors check_type(const Object& service, const ServiceShape& shape) {
  FieldErrors errors;
  if (!shape.is_external_name) {
    const bool is_exposed = shape.is_load_balancer || shape.type == "NodePort";
    if (shape.is_headless && is_exposed) {
      errors.push_back(
          FieldError::invalid("spec.clusterIPs[0]", Value("None"),
                              fmt::format("may not be set to 'None' for {} services", shape.type)));
    }
    if (array_at(service, {"spec", "ports"}).empty() && !shape.is_headless) {
      errors.push_back(FieldError::required("spec.ports"));
    }
    return errors;
  }
  constexpr std::string_view kNotForNames = "may not be set for ExternalName services";
  for (const std::string_view field : {"clusterIPs", "ipFamilies", "ipFamilyPolicy"}) {
    if (json::find(service, {"spec", field}) == nullptr) continue;
    errors.push_back(FieldError::forbidden(json::child_path("spec", field), std::string(kNotForNames)));
  }
  std::string name = json::text_at(service, {"spec", "externalName"});
  if (name.ends_with('.')) name.pop_back();
  if (name.empty()) {
    errors.push_back(FieldError::required("spec.externalName"));
  } else {
    append(errors, invalid_because("spec.externalName", name, kube::validate_dns1123_subdomain(name)));
  }
  return errors;
}

FieldErrors check_target(const Value& target, const std::string& field) {
  if (target.is_int64()) return check_port_number(field, target.get_int64());
  if (!target.is_string()) return {};
  const std::string_view name = json::view(target.get_string());
  return invalid_because(field, name, kube::validate_port_name(name));
}

FieldErrors check_port_name(const Object& port, bool needs_name, std::set<std::string>& names,
                            const std::string& path) {
  const std::string name = json::text_at(port, {"name"});
  if (name.empty()) return needs_name ? FieldErrors{FieldError::required(path + ".name")} : FieldErrors{};
  FieldErrors errors = invalid_because(path + ".name", name, kube::validate_dns1123_label(name));
  if (!names.insert(name).second) errors.push_back(FieldError::duplicate(path + ".name", Value(name)));
  return errors;
}

FieldErrors check_ports(const Object& service, const ServiceShape& shape) {
  FieldErrors errors;
  std::set<std::string> names;
  std::set<std::pair<std::string, std::int64_t>> node_ports;
  std::set<std::pair<std::string, std::int64_t>> own_ports;
  const Array& ports = array_at(service, {"spec", "ports"});
  for (std::size_t i = 0; i < ports.size(); ++i) {
    if (!ports[i].is_object()) continue;
    const Object& port = ports[i].get_object();
    const std::string path = json::index_path("spec.ports", i);
    const std::string protocol = json::text_at(port, {"protocol"});
    append(errors, check_port_name(port, ports.size() > 1, names, path));
    if (const Value* target = port.if_contains("targetPort"))
      append(errors, check_target(*target, path + ".targetPort"));
    if (const std::string name = json::text_at(port, {"appProtocol"}); !name.empty()) {
      append(errors, invalid_because(path + ".appProtocol", name, kube::validate_qualified_name(name)));
    }
    const auto node_port = json::get_int(port, {"nodePort"}).value_or(0);
    if (node_port != 0 && shape.type == "ClusterIP") {
      errors.push_back(
          FieldError::forbidden(path + ".nodePort", "may not be used when `type` is 'ClusterIP'"));
    }
    if (node_port != 0 && !node_ports.emplace(protocol, node_port).second) {
      errors.push_back(FieldError::duplicate(path + ".nodePort", Value(node_port)));
    }
    const auto number = json::get_int(port, {"port"}).value_or(0);
    append(errors, check_port_number(path + ".port", number));
    if (!own_ports.emplace(protocol, number).second) {
      errors.push_back(FieldError::duplicate(path, Value(Object{{"port", number}, {"protocol", protocol}})));
    }
  }
  return errors;
}

FieldErrors check_affinity(const Object& service) {
  if (json::text_at(service, {"spec", "sessionAffinity"}) != "ClientIP") return {};
  const auto seconds =
      json::get_int(service, {"spec", "sessionAffinityConfig", "clientIP", "timeoutSeconds"});
  if (!seconds || (*seconds > 0 && *seconds <= kMaxAffinitySeconds)) return {};
  return {FieldError::invalid("spec.sessionAffinityConfig.clientIP.timeoutSeconds", Value(*seconds),
                              fmt::format("must be greater than 0 and less than {}", kMaxAffinitySeconds))};
}

FieldErrors check_cluster_ips(const Object& service, const ServiceShape& shape) {
  if (shape.is_external_name) return {};
  FieldErrors errors;
  const Value all(to_array(shape.cluster_ips));
  if (!shape.cluster_ip.empty() && shape.cluster_ips.empty()) {
    errors.push_back(FieldError::required("spec.clusterIPs"));
  } else if (!shape.cluster_ip.empty() && shape.cluster_ips.front() != shape.cluster_ip) {
    errors.push_back(FieldError::invalid("spec.clusterIPs", all, "first value must match `clusterIP`"));
  } else if (shape.cluster_ip.empty() && !shape.cluster_ips.empty()) {
    errors.push_back(
        FieldError::invalid("spec.clusterIPs", all, "must be empty when `clusterIP` is not specified"));
  }
  const auto families = texts_at(service, {"spec", "ipFamilies"});
  for (std::size_t i = 0; i < shape.cluster_ips.size(); ++i) {
    const std::string& address = shape.cluster_ips[i];
    const std::string path = json::index_path("spec.clusterIPs", i);
    if (i == 0 && address == "None") {
      if (shape.cluster_ips.size() == 1) continue;
      errors.push_back(
          FieldError::invalid("spec.clusterIPs", all, "'None' must be the first and only value"));
      return errors;
    }
    if (auto wrong = check_ip(path, address); !wrong.empty()) {
      append(errors, std::move(wrong));
    } else if (i < families.size() && (families[i] == "IPv6") != is_ipv6(address)) {
      errors.push_back(FieldError::invalid(
          path, Value(address),
          fmt::format("expected an {} value as indicated by `ipFamilies[{}]`", families[i], i)));
    }
  }
  if (shape.cluster_ips.size() > 2) {
    errors.push_back(FieldError::invalid("spec.clusterIPs", all, "may only hold up to 2 values"));
  } else if (shape.cluster_ips.size() == 2 &&
             is_ipv6(shape.cluster_ips[0]) == is_ipv6(shape.cluster_ips[1])) {
    errors.push_back(
        FieldError::invalid("spec.clusterIPs", all, "may specify no more than one IP for each IP family"));
  }
  return errors;
}

FieldErrors check_families(const Object& service) {
  FieldErrors errors;
  std::set<std::string> seen;
  const auto families = texts_at(service, {"spec", "ipFamilies"});
  for (std::size_t i = 0; i < families.size(); ++i) {
    const std::string path = json::index_path("spec.ipFamilies", i);
    if (families[i] != "IPv4" && families[i] != "IPv6") {
      const std::array<std::string, 2> known{"IPv4", "IPv6"};
      errors.push_back(FieldError::not_supported(path, Value(families[i]), known));
    }
    if (!seen.insert(families[i]).second) errors.push_back(FieldError::duplicate(path, Value(families[i])));
  }
  return errors;
}

FieldErrors check_source_ranges(const Object& service, const ServiceShape& shape) {
  FieldErrors errors;
  std::vector<std::string> ranges = texts_at(service, {"spec", "loadBalancerSourceRanges"});
  std::string path = "spec.LoadBalancerSourceRanges";
  const bool is_field = !ranges.empty();
  if (!is_field) {
    const auto annotation = kube::annotation(service, kSourceRanges);
    if (!annotation) return errors;
    path = json::key_path("metadata.annotations", kSourceRanges);
    if (!trim(*annotation).empty()) {
      for (const std::string_view part : split(*annotation, ',')) ranges.emplace_back(part);
    }
  }
  if (!shape.is_load_balancer) errors.push_back(FieldError::forbidden(path, std::string(kOnlyLoadBalancer)));
  for (std::size_t i = 0; i < ranges.size(); ++i) {
    append(errors, check_cidr(is_field ? json::index_path(path, i) : path, std::string(trim(ranges[i]))));
  }
  return errors;
}

FieldErrors check_load_balancer(const Object& service, const ServiceShape& shape) {
  FieldErrors errors;
  const std::string name = json::text_at(service, {"spec", "loadBalancerClass"});
  if (!shape.is_load_balancer) {
    for (const std::string_view field : {"allocateLoadBalancerNodePorts", "loadBalancerClass"}) {
      if (json::find(service, {"spec", field}) == nullptr) continue;
      errors.push_back(
          FieldError::forbidden(json::child_path("spec", field), std::string(kOnlyLoadBalancer)));
    }
  } else if (!name.empty()) {
    append(errors, invalid_because("spec.loadBalancerClass", name, kube::validate_qualified_name(name)));
  }
  append(errors, check_source_ranges(service, shape));
  return errors;
}

FieldErrors check_traffic(const Object& service, const ServiceShape& shape) {
  FieldErrors errors;
  const std::string policy = json::text_at(service, {"spec", "externalTrafficPolicy"});
  if (!shape.is_open_to_the_outside && !policy.empty()) {
    errors.push_back(FieldError::invalid("spec.externalTrafficPolicy", Value(policy),
                                         "may only be set for externally-accessible services"));
  }
  const auto port = json::get_int(service, {"spec", "healthCheckNodePort"}).value_or(0);
  if (!shape.needs_health_port && port != 0) {
    errors.push_back(FieldError::invalid(
        "spec.healthCheckNodePort", Value(port),
        "may only be set when `type` is 'LoadBalancer' and `externalTrafficPolicy` is 'Local'"));
  }
  if (shape.needs_health_port && port == 0)
    errors.push_back(FieldError::required("spec.healthCheckNodePort"));
  if (shape.needs_health_port && port != 0)
    append(errors, check_port_number("spec.healthCheckNodePort", port));
  return errors;
}

FieldErrors check_external_ips(const Object& service) {
  FieldErrors errors;
  const auto addresses = texts_at(service, {"spec", "externalIPs"});
  for (std::size_t i = 0; i < addresses.size(); ++i) {
    const std::string path = json::index_path("spec.externalIPs", i);
    append(errors, check_ip(path, addresses[i]));
    const auto is_in = [&](std::string_view prefix) { return addresses[i].starts_with(prefix); };
    const auto refuse_address = [&](std::string_view why) {
      errors.push_back(FieldError::invalid(path, Value(addresses[i]), std::string(why)));
    };
    if (addresses[i] == "0.0.0.0" || addresses[i] == "::")
      refuse_address("may not be unspecified (0.0.0.0 or ::)");
    if (is_ip(addresses[i]) && (is_in("127.") || addresses[i] == "::1")) {
      refuse_address("may not be in the loopback range (127.0.0.0/8, ::1/128)");
    }
    if (is_ip(addresses[i]) && (is_in("169.254.") || is_in("fe80:"))) {
      refuse_address("may not be in the link-local range (169.254.0.0/16, fe80::/10)");
    }
    if (is_ip(addresses[i]) && (is_in("224.0.0.") || is_in("ff02:"))) {
      refuse_address("may not be in the link-local multicast range (224.0.0.0/24, ff02::/10)");
    }
  }
  return errors;
}

FieldErrors check_status(const Object& service) {
  FieldErrors errors;
  const Array& points = array_at(service, {"status", "loadBalancer", "ingress"});
  if (!points.empty() && json::text_at(service, {"spec", "type"}) != "LoadBalancer") {
    return {FieldError::forbidden("status.loadBalancer.ingress",
                                  "may only be used when `spec.type` is 'LoadBalancer'")};
  }
  for (std::size_t i = 0; i < points.size(); ++i) {
    if (!points[i].is_object()) continue;
    const Object& point = points[i].get_object();
    const std::string path = json::index_path("status.loadBalancer.ingress", i);
    if (const std::string address = json::text_at(point, {"ip"}); !address.empty())
      append(errors, check_ip(path + ".ip", address));
    const std::string name = json::text_at(point, {"hostname"});
    if (name.empty()) continue;
    append(errors, invalid_because(path + ".hostname", name, kube::validate_dns1123_subdomain(name)));
    if (is_ip(name)) {
      errors.push_back(
          FieldError::invalid(path + ".hostname", Value(name), "must be a DNS name, not an IP address"));
    }
  }
  return errors;
}

FieldErrors check_kept_addresses(const ServiceShape& was, const ServiceShape& is) {
  if (was.is_external_name || is.is_external_name || (was.is_headless && is.is_headless)) return {};
  const Value now(to_array(is.cluster_ips));
  if (!was.cluster_ips.empty() && is.cluster_ips.empty()) {
    return {FieldError::invalid("spec.clusterIPs[0]", now, "primary clusterIP can not be unset")};
  }
  FieldErrors errors;
  for (std::size_t i = 0; i < std::min(was.cluster_ips.size(), is.cluster_ips.size()); ++i) {
    if (was.cluster_ips[i] == is.cluster_ips[i]) continue;
    errors.push_back(FieldError::invalid(json::index_path("spec.clusterIPs", i), now, std::string(kFixed)));
  }
  return errors;
}

}  // namespace

FieldErrors validate_service(const Object& service) {
  const ServiceShape shape(service);
  FieldErrors errors = check_type(service, shape);
  append(errors, check_ports(service, shape));
  append(errors, kube::validate_labels(labels_at(service, {"spec", "selector"}), "spec.selector"));
  append(errors, check_affinity(service));
  append(errors, check_cluster_ips(service, shape));
  append(errors, check_families(service));
  append(errors, check_external_ips(service));
  append(errors, check_load_balancer(service, shape));
  append(errors, check_traffic(service, shape));
  const std::string distribution = json::text_at(service, {"spec", "trafficDistribution"});
  const std::array<std::string, 3> known{"PreferClose", "PreferSameNode", "PreferSameZone"};
  if (!distribution.empty() && std::ranges::find(known, distribution) == known.end()) {
    errors.push_back(FieldError::not_supported("spec.trafficDistribution", Value(distribution), known));
  }
  return errors;
}

FieldErrors validate_service_update(const Object& before, const Object& service) {
  const ServiceShape was(before);
  const ServiceShape is(service);
  FieldErrors errors = check_kept_addresses(was, is);
  const bool is_plain = !was.is_external_name && !is.is_external_name && !was.is_headless && !is.is_headless;
  const auto old_families = texts_at(before, {"spec", "ipFamilies"});
  const auto families = texts_at(service, {"spec", "ipFamilies"});
  if (is_plain && !old_families.empty() && !families.empty() && old_families.front() != families.front()) {
    errors.push_back(
        FieldError::invalid("spec.ipFamilies[0]", Value(to_array(families)), std::string(kFixed)));
  }
  if (was.is_load_balancer && is.is_load_balancer &&
      !is_same(before, service, {"spec", "loadBalancerClass"})) {
    errors.push_back(FieldError::invalid("spec.loadBalancerClass",
                                         Value(json::text_at(service, {"spec", "loadBalancerClass"})),
                                         std::string(kFixed)));
  }
  if (was.needs_health_port && is.needs_health_port &&
      !is_same(before, service, {"spec", "healthCheckNodePort"})) {
    errors.push_back(FieldError::forbidden("spec.healthCheckNodePort", std::string(kImmutable)));
  }
  if (!is_same(before, service, {"status"})) append(errors, check_status(service));
  return errors;
}

}  // namespace fairway::apiserver::kinds
