#include "cloud/frontend.hpp"

#include <algorithm>
#include <fmt/format.h>

#include "base/text.hpp"
#include "cloud/fields.hpp"
#include "kube/core/conditions.hpp"
#include "kube/core/object.hpp"

namespace fairway::cloud {
namespace {

constexpr std::uint64_t kHighestPort = 65535;

std::optional<std::uint16_t> as_port(std::uint64_t number) {
  return number == 0 || number > kHighestPort ? std::nullopt
                                              : std::optional(static_cast<std::uint16_t>(number));
}

std::string target_of(const json::Object& port, std::int64_t number) {
  const json::Value* target = json::find(port, {"targetPort"});
  if (target != nullptr && target->is_string()) return std::string(json::view(target->get_string()));
  const auto given = json::get_int(port, {"targetPort"});
  return fmt::to_string(given && *given > 0 ? *given : number);
}

bool is_ready(const json::Object& pod) {
  return !kube::is_being_deleted(pod) && kube::is_condition_true(kube::conditions_of(pod), "Ready");
}

std::uint64_t port_offset_of(const json::Object& pod) {
  return parse_unsigned(kube::annotation(pod, kPodPortOffset).value_or("0")).value_or(0);
}

// The number behind a port's name, as the containers of the pod declare it.
std::optional<std::uint64_t> named_port(const json::Object& pod, std::string_view name) {
  std::optional<std::uint64_t> found;
  for_objects(pod, {"spec", "containers"}, [&](const json::Object& container) {
    for_objects(container, {"ports"}, [&](const json::Object& port) {
      const auto number = json::get_int(port, {"containerPort"});
      if (!found && json::get_string(port, {"name"}) == name && number && *number > 0)
        found = static_cast<std::uint64_t>(*number);
    });
  });
  return found;
}

}  // namespace

Frontend frontend_of(const json::Object& service, const LoadBalancer& record, const Settings& settings) {
  Frontend made{.uid = record.uid,
                .scope = record.scope,
                .address = record.address,
                .source_ranges = source_ranges_of(service),
                .proxy = asked_proxy_header(service, settings.profile),
                .keeps_client = settings.profile.passes_through &&
                                json::get_string(service, {"spec", "externalTrafficPolicy"}) == "Local"};
  for_objects(service, {"spec", "ports"}, [&](const json::Object& port) {
    const std::int64_t number = json::get_int(port, {"port"}).value_or(0);
    const auto own = as_port(static_cast<std::uint64_t>(std::max<std::int64_t>(number, 0)));
    const auto listen = own ? as_port(std::uint64_t{*own} + settings.port_offset) : std::nullopt;
    if (!listen || json::get_string(port, {"protocol"}).value_or("TCP") != "TCP") return;
    made.ports.push_back({.name = std::string(json::get_string(port, {"name"}).value_or("")),
                          .port = *own,
                          .listen = *listen,
                          .target = target_of(port, number)});
  });
  if (const json::Object* selector = json::get_object(service, {"spec", "selector"}))
    for (const auto& [key, value] : *selector)
      if (value.is_string()) made.selector[std::string(key)] = json::view(value.get_string());
  return made;
}

std::string published_name(const LoadBalancer& record, const Settings& settings) {
  if (settings.profile.form == AddressForm::Ip) return record.address;
  std::string id;
  for (const char each : record.uid)
    if (each != '-' && id.size() < 12) id += each;
  const bool is_marked = settings.profile.marks_internal_names && record.scope == Scope::Internal;
  return fmt::format("{}lb-{}.{}.{}", is_marked ? "internal-" : "", to_lower(id),
                     to_lower(settings.profile.platform), settings.domain);
}

bool admits(const Frontend& frontend, std::string_view client, const Settings& settings) {
  if (frontend.scope == Scope::Internal) {
    const bool is_inside = settings.inside.empty()
                               ? settings.internal.contains(client)
                               : std::ranges::any_of(settings.inside, [&](const Network& each) {
                                   return each.contains(client);
                                 });
    if (!is_inside) return false;
  }
  if (frontend.source_ranges.empty()) return true;
  return std::ranges::any_of(frontend.source_ranges, [&](const std::string& range) {
    const auto network = parse_network(range);
    return network && network->contains(client);
  });
}

std::vector<Backend> backends_of(const std::vector<std::shared_ptr<const json::Object>>& pods,
                                 const FrontendPort& port) {
  std::vector<Backend> found;
  for (const auto& pod : pods) {
    const std::string_view address = json::get_string(*pod, {"status", "podIP"}).value_or("");
    if (address.empty() || !is_ready(*pod)) continue;
    auto number = parse_unsigned(port.target);
    if (!number) number = named_port(*pod, port.target);
    const auto at = number ? as_port(*number + port_offset_of(*pod)) : std::nullopt;
    if (at) found.push_back({std::string(kube::name_of(*pod)), std::string(address), *at});
  }
  return found;
}

}  // namespace fairway::cloud
