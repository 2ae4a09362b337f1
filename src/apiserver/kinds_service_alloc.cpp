// Addresses and node ports of services.
//
// The ranges are those of a default cluster: 10.96.0.0/12 and 30000–32767. As there, the lower part of each
// range is left to those who ask for a certain value; what is handed out comes from the upper part, spread by
// the object's uid, until that is full.
#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <optional>
#include <set>

#include "apiserver/kinds_service.hpp"
#include "base/text.hpp"

namespace fairway::apiserver::kinds {
namespace {

struct Range {
  std::uint32_t first;
  std::uint32_t size;
  std::uint32_t reserved;  // at the beginning, for values that are asked for
};
constexpr Range kAddresses{(10U << 24) + (96U << 16) + 1, (1U << 20) - 2,
                           256};  // without network and broadcast
constexpr Range kPorts{30'000, 2'768, 86};
constexpr std::string_view kAddressRange = "10.96.0.0/12";

std::uint64_t spread(std::string_view seed, std::string_view salt) {
  std::uint64_t hash = 14'695'981'039'346'656'037U;  // FNV-1a
  for (const std::string_view part : {seed, std::string_view("/"), salt}) {
    for (const char c : part) hash = (hash ^ static_cast<unsigned char>(c)) * 1'099'511'628'211U;
  }
  return hash ^ (hash >> 32);
}

// A free value of the range: above the reserved part if there is one, else from it.
template <class IsUsed>
std::optional<std::uint32_t> pick(const Range& range, std::uint64_t start, const IsUsed& is_used) {
  const auto search = [&](std::uint32_t from, std::uint32_t count) -> std::optional<std::uint32_t> {
    for (std::uint32_t i = 0; i < count; ++i) {
      const std::uint32_t value = range.first + from + static_cast<std::uint32_t>((start + i) % count);
      if (!is_used(value)) return value;
    }
    return std::nullopt;
  };
  if (const auto found = search(range.reserved, range.size - range.reserved)) return found;
  return search(0, range.reserved);
}

std::string address_text(std::uint32_t address) {
  return fmt::format("{}.{}.{}.{}", address >> 24, (address >> 16) & 255, (address >> 8) & 255,
                     address & 255);
}

std::optional<std::uint32_t> address_number(std::string_view text) {
  if (!is_ipv4(text)) return std::nullopt;
  std::uint32_t address = 0;
  for (const std::string_view part : split(text, '.')) {
    address = (address << 8) + static_cast<std::uint32_t>(parse_unsigned(part).value_or(0));
  }
  return address;
}

bool is_used(const KindContext& context, std::string_view address) {
  return context.is_cluster_ip_used && context.is_cluster_ip_used(address);
}

void set_cluster_ip(Object& spec, const std::string& address) {
  spec["clusterIP"] = address;
  spec["clusterIPs"] = Array{Value(address)};
}

FieldErrors take_cluster_ip(Object& spec, const ServiceShape& shape, const KindContext& context) {
  if (shape.cluster_ip.empty()) {
    if (!shape.cluster_ips.empty()) return {};  // validation says what is wrong with that
    const auto address = pick(kAddresses, spread(context.seed, "address"),
                              [&](std::uint32_t each) { return is_used(context, address_text(each)); });
    if (!address) {
      return {{FieldError::Type::Internal, "spec.clusterIPs", Value(nullptr),
               "failed to allocate a serviceIP: range is full"}};
    }
    set_cluster_ip(spec, address_text(*address));
    return {};
  }
  const auto number = address_number(shape.cluster_ip);
  if (!number) return {};
  std::string problem;
  if (*number < kAddresses.first || *number >= kAddresses.first + kAddresses.size) {
    problem = fmt::format("the provided IP ({}) is not in the valid range. The range of valid IPs is {}",
                          shape.cluster_ip, kAddressRange);
  } else if (is_used(context, shape.cluster_ip)) {
    problem = "provided IP is already allocated";
  }
  if (problem.empty()) return {};
  return {FieldError::invalid("spec.clusterIPs", Value(to_array(shape.cluster_ips)),
                              fmt::format("failed to allocate IP {}: {}", shape.cluster_ip, problem))};
}

// This cluster has one IP family. A headless service without a selector says what its endpoints are, so that
// anything goes there.
FieldErrors settle_families(Object& service) {
  Object& spec = service["spec"].get_object();
  const ServiceShape shape(service);
  if (shape.is_external_name) return {};
  FieldErrors errors;
  auto families = texts_at(spec, {"ipFamilies"});
  std::string policy = json::text_at(spec, {"ipFamilyPolicy"});
  const bool is_free = shape.is_headless && object_at(spec, {"selector"}).empty();
  for (std::size_t i = 0; i < families.size() && !is_free; ++i) {
    if (families[i] != "IPv6") continue;
    errors.push_back(FieldError::invalid(json::index_path("spec.ipFamilies", i), Value(families[i]),
                                         "not configured on this cluster"));
  }
  if (policy == "RequireDualStack" && !is_free) {
    errors.push_back(FieldError::invalid("spec.ipFamilyPolicy", Value(policy),
                                         "this cluster is not configured for dual-stack services"));
  }
  if (policy.empty()) policy = is_free ? "RequireDualStack" : "SingleStack";
  if (families.size() > 1 && policy == "SingleStack") {
    errors.push_back(FieldError::invalid(
        "spec.ipFamilyPolicy", Value(policy),
        "must be 'RequireDualStack' or 'PreferDualStack' when multiple 'ipFamilies' are specified"));
  }
  if (families.empty()) families = {"IPv4"};
  if (is_free && families.size() == 1 && policy != "SingleStack") {
    families.emplace_back(families.front() == "IPv4" ? "IPv6" : "IPv4");
  }
  spec["ipFamilies"] = to_array(families);
  spec["ipFamilyPolicy"] = policy;
  return errors;
}

// Node ports of one service: those it has already are its own.
class PortAllocation {
 public:
  PortAllocation(const KindContext& context, std::set<std::int64_t> own)
      : context_(context), own_(std::move(own)) {}

  // Nothing when the port can be had.
  std::optional<std::string> take(std::int64_t port) {
    if (own_.contains(port)) return std::nullopt;
    if (port < kPorts.first || port >= kPorts.first + kPorts.size) {
      return fmt::format("provided port is not in the valid range. The range of valid ports is {}-{}",
                         kPorts.first, kPorts.first + kPorts.size - 1);
    }
    if (is_used(port)) return "provided port is already allocated";
    own_.insert(port);
    return std::nullopt;
  }

  std::optional<std::int64_t> take_any(std::string_view purpose) {
    const auto port = pick(kPorts, spread(context_.seed, purpose),
                           [&](std::uint32_t each) { return own_.contains(each) || is_used(each); });
    if (!port) return std::nullopt;
    own_.insert(*port);
    return *port;
  }

 private:
  bool is_used(std::int64_t port) const {
    return context_.is_node_port_used && context_.is_node_port_used(port);
  }

  const KindContext& context_;
  std::set<std::int64_t> own_;
};

// Entries of one port that differ in their protocol share a node port.
std::int64_t sibling_node_port(const Array& ports, const Object& port) {
  for (const Value& value : ports) {
    if (!value.is_object() || &value.get_object() == &port) continue;
    const Object& other = value.get_object();
    if (!is_same(other, port, {"port"}) || is_same(other, port, {"protocol"})) continue;
    if (const auto number = json::get_int(other, {"nodePort"}).value_or(0); number != 0) return number;
  }
  return 0;
}

FieldErrors take_node_ports(Object& spec, bool needs_all, PortAllocation& allocation) {
  FieldErrors errors;
  Array* ports = find_array(spec, {"ports"});
  if (ports == nullptr) return errors;
  for (std::size_t i = 0; i < ports->size(); ++i) {
    Object* port = (*ports)[i].if_object();
    if (port == nullptr) continue;
    const std::string field = json::index_path("spec.ports", i) + ".nodePort";
    if (const auto given = json::get_int(*port, {"nodePort"}).value_or(0); given != 0) {
      const auto problem = allocation.take(given);
      if (problem) errors.push_back(FieldError::invalid(field, Value(given), *problem));
      continue;
    }
    if (!needs_all) continue;
    if (const auto shared = sibling_node_port(*ports, *port); shared != 0) {
      (*port)["nodePort"] = shared;
    } else if (const auto found = allocation.take_any(fmt::format("port/{}", i))) {
      (*port)["nodePort"] = *found;
    } else {
      errors.push_back({FieldError::Type::Internal, field, Value(nullptr),
                        "failed to allocate a nodePort: range is full"});
    }
  }
  return errors;
}

FieldErrors take_health_port(Object& spec, PortAllocation& allocation) {
  const std::string field = "spec.healthCheckNodePort";
  if (const auto given = json::get_int(spec, {"healthCheckNodePort"}).value_or(0); given != 0) {
    const auto problem = allocation.take(given);
    if (!problem) return {};
    return {FieldError::invalid(
        field, Value(given),
        fmt::format("failed to allocate requested HealthCheck NodePort {}: {}", given, *problem))};
  }
  if (const auto found = allocation.take_any("health")) {
    spec["healthCheckNodePort"] = *found;
    return {};
  }
  return {{FieldError::Type::Internal, field, Value(nullptr),
           "failed to allocate a HealthCheck NodePort: range is full"}};
}

FieldErrors allocate(Object& service, const KindContext& context, std::string_view own_address,
                     std::set<std::int64_t> own_ports) {
  FieldErrors errors = settle_families(service);
  Object& spec = service["spec"].get_object();
  const ServiceShape shape(service);
  if (!shape.is_external_name && !shape.is_headless &&
      (shape.cluster_ip.empty() || shape.cluster_ip != own_address)) {
    append(errors, take_cluster_ip(spec, shape, context));
  }
  PortAllocation allocation(context, std::move(own_ports));
  if (shape.needs_node_ports || shape.is_load_balancer) {
    append(errors, take_node_ports(spec, shape.needs_node_ports, allocation));
  }
  if (shape.needs_health_port) append(errors, take_health_port(spec, allocation));
  return errors;
}

void keep_address(Object& spec, const ServiceShape& was) {
  if (was.cluster_ip.empty()) return;
  if (json::text_at(spec, {"clusterIP"}).empty()) spec["clusterIP"] = was.cluster_ip;
  if (array_at(spec, {"clusterIPs"}).empty() && json::text_at(spec, {"clusterIP"}) == was.cluster_ip) {
    spec["clusterIPs"] = to_array(was.cluster_ips);
  }
}

// A port is known again by its name; it may have changed in all else.
void keep_node_ports(const Object& before, Object& service) {
  std::map<std::string, std::int64_t> by_name;
  for (const Value& port : array_at(before, {"spec", "ports"})) {
    if (!port.is_object()) continue;
    by_name[json::text_at(port.get_object(), {"name"})] =
        json::get_int(port.get_object(), {"nodePort"}).value_or(0);
  }
  std::set<std::int64_t> used = node_ports_of(service);
  Array* ports = find_array(service, {"spec", "ports"});
  if (ports == nullptr) return;
  for (Value& value : *ports) {
    Object* port = value.if_object();
    if (port == nullptr || json::get_int(*port, {"nodePort"}).value_or(0) != 0) continue;
    const auto known = by_name.find(json::text_at(*port, {"name"}));
    if (known == by_name.end() || known->second == 0 || !used.insert(known->second).second) continue;
    (*port)["nodePort"] = known->second;
  }
}

// What was allocated before stays, where the client left it out and it is still needed.
void keep_allocated(const Object& before, Object& service, const ServiceShape& was, const ServiceShape& is) {
  Object& spec = service["spec"].get_object();
  if (!was.is_external_name && !is.is_external_name) keep_address(spec, was);
  if (was.needs_node_ports && is.needs_node_ports) keep_node_ports(before, service);
  if (was.needs_health_port && is.needs_health_port && !spec.contains("healthCheckNodePort")) {
    if (const Value* port = json::find(before, {"spec", "healthCheckNodePort"}))
      spec["healthCheckNodePort"] = *port;
  }
}

// clusterIP and the first of clusterIPs are one; whichever the client changed, the other follows.
void sync_cluster_ips(const Object* before, Object& spec) {
  const std::string one = json::text_at(spec, {"clusterIP"});
  const auto all = texts_at(spec, {"clusterIPs"});
  const bool has_changed_one = before != nullptr && one != json::text_at(*before, {"spec", "clusterIP"}) &&
                               all == texts_at(*before, {"spec", "clusterIPs"});
  if (one.empty() && has_changed_one) json::remove(spec, "clusterIPs");
  if (!one.empty() && (all.empty() || has_changed_one)) spec["clusterIPs"] = Array{Value(one)};
}

void drop_node_ports(const Object& before, Object& service) {
  const auto listed = [](const Object& of) {
    auto ports = node_ports_of(of);
    ports.erase(json::get_int(of, {"spec", "healthCheckNodePort"}).value_or(0));
    return ports;
  };
  Array* ports = find_array(service, {"spec", "ports"});
  if (ports == nullptr || listed(before) != listed(service)) return;
  for (Value& port : *ports) {
    if (port.is_object()) json::remove(port.get_object(), "nodePort");
  }
}

// What the new type has no use for goes, unless the client has just set it.
void drop_unneeded(const Object& before, Object& service, const ServiceShape& was, const ServiceShape& is) {
  Object& spec = service["spec"].get_object();
  const auto drop_if_same = [&](std::string_view field) {
    if (is_same(before, service, {"spec", field})) json::remove(spec, field);
  };
  if (!was.is_external_name && is.is_external_name) {
    drop_if_same("clusterIP");
    drop_if_same("clusterIPs");
    drop_if_same("ipFamilies");
    drop_if_same("ipFamilyPolicy");
  }
  if (was.needs_node_ports && !is.needs_node_ports) drop_node_ports(before, service);
  if (was.needs_health_port && !is.needs_health_port) drop_if_same("healthCheckNodePort");
  if (was.is_load_balancer && !is.is_load_balancer) {
    drop_if_same("allocateLoadBalancerNodePorts");
    drop_if_same("loadBalancerClass");
  }
  if (was.is_open_to_the_outside && !is.is_open_to_the_outside) drop_if_same("externalTrafficPolicy");
}

}  // namespace

std::set<std::int64_t> node_ports_of(const Object& service) {
  std::set<std::int64_t> ports;
  for (const Value& port : array_at(service, {"spec", "ports"})) {
    if (!port.is_object()) continue;
    if (const auto number = json::get_int(port.get_object(), {"nodePort"}).value_or(0); number != 0)
      ports.insert(number);
  }
  if (const auto number = json::get_int(service, {"spec", "healthCheckNodePort"}).value_or(0); number != 0) {
    ports.insert(number);
  }
  return ports;
}

FieldErrors prepare_service_create(Object& service, const KindContext& context) {
  json::ensure_object(service, {"status", "loadBalancer"});
  Object& spec = json::ensure_object(service, {"spec"});
  sync_cluster_ips(nullptr, spec);
  return allocate(service, context, "", {});
}

FieldErrors prepare_service_update(const Object& before, Object& service, const KindContext& context) {
  Object& spec = json::ensure_object(service, {"spec"});
  const ServiceShape was(before);
  keep_allocated(before, service, was, ServiceShape(service));
  sync_cluster_ips(&before, spec);
  drop_unneeded(before, service, was, ServiceShape(service));
  return allocate(service, context, was.cluster_ip, node_ports_of(before));
}

}  // namespace fairway::apiserver::kinds
