#include "apiserver/cells_kinds.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <set>

#include "apiserver/view_fields.hpp"
#include "base/text.hpp"

namespace fairway::apiserver::cells {
namespace {

using fields::each_object;
using fields::flag_at;
using fields::text_at;
using json::Array;
using json::Object;
using json::Value;

Value joined_or(const std::vector<std::string>& parts, std::string_view otherwise) {
  return parts.empty() ? Value(otherwise) : Value(join(parts, ","));
}

Value of_containers(const CellInput& input, std::string_view key) {
  std::vector<std::string> parts;
  each_object(input.object(), {"spec", "template", "spec", "containers"},
              [&](const Object& container) { parts.emplace_back(text_at(container, {key})); });
  return Value(join(parts, ","));
}

Value node_address(const CellInput& input, std::string_view type) {
  std::optional<std::string> found;
  each_object(input.object(), {"status", "addresses"}, [&](const Object& address) {
    if (!found && text_at(address, {"type"}) == type) found = text_at(address, {"address"});
  });
  return Value(found ? *found : "<none>");
}

std::optional<WallTime> first_seen(const Object& event) {
  const auto first = parse_rfc3339(text_at(event, {"firstTimestamp"}));
  return first ? first : parse_rfc3339(text_at(event, {"eventTime"}));
}

Value subjects(const CellInput& input, std::string_view kind) {
  std::vector<std::string> names;
  each_object(input.object(), {"subjects"}, [&](const Object& subject) {
    if (text_at(subject, {"kind"}) != kind) return;
    const std::string_view name = text_at(subject, {"name"});
    names.push_back(kind == "ServiceAccount" ? fmt::format("{}/{}", text_at(subject, {"namespace"}), name)
                                             : std::string(name));
  });
  return Value(join(names, ", "));
}

}  // namespace

json::Value service_external_ip(const CellInput& input) {
  const Object& service = input.object();
  std::vector<std::string> addresses;
  const std::string_view type = text_at(service, {"spec", "type"});
  if (type == "ExternalName") return Value(text_at(service, {"spec", "externalName"}));
  if (type != "ClusterIP" && type != "NodePort" && type != "LoadBalancer") return Value("<unknown>");
  if (type == "LoadBalancer") {
    std::set<std::string> given;
    each_object(service, {"status", "loadBalancer", "ingress"}, [&](const Object& ingress) {
      const std::string_view ip = text_at(ingress, {"ip"}), name = text_at(ingress, {"hostname"});
      if (!ip.empty() || !name.empty()) given.emplace(ip.empty() ? name : ip);
    });
    addresses.assign(given.begin(), given.end());
  }
  const Array* external = json::get_array(service, {"spec", "externalIPs"});
  for (std::size_t i = 0; external && i < external->size(); ++i) {
    if (const auto* text = (*external)[i].if_string()) addresses.emplace_back(json::view(*text));
  }
  return joined_or(addresses, type == "LoadBalancer" ? "<pending>" : "<none>");
}

json::Value service_ports(const CellInput& input) {
  std::vector<std::string> ports;
  each_object(input.object(), {"spec", "ports"}, [&](const Object& port) {
    const auto number = json::get_int(port, {"port"}).value_or(0),
               node = json::get_int(port, {"nodePort"}).value_or(0);
    const std::string_view protocol = text_at(port, {"protocol"});
    ports.push_back(node > 0 ? fmt::format("{}:{}/{}", number, node, protocol)
                             : fmt::format("{}/{}", number, protocol));
  });
  return joined_or(ports, "<none>");
}

json::Value deployment_ready(const CellInput& input) {
  return Value(fmt::format("{}/{}", json::get_int(input.object(), {"status", "readyReplicas"}).value_or(0),
                           json::get_int(input.object(), {"spec", "replicas"}).value_or(0)));
}

json::Value container_names(const CellInput& input) {
  return of_containers(input, "name");
}

json::Value container_images(const CellInput& input) {
  return of_containers(input, "image");
}

json::Value node_status(const CellInput& input) {
  std::string status = "Unknown";
  each_object(input.object(), {"status", "conditions"}, [&](const Object& condition) {
    if (text_at(condition, {"type"}) == "Ready") {
      status = text_at(condition, {"status"}) == "True" ? "Ready" : "NotReady";
    }
  });
  if (flag_at(input.object(), {"spec", "unschedulable"})) status += ",SchedulingDisabled";
  return Value(status);
}

json::Value node_roles(const CellInput& input) {
  constexpr std::string_view kPrefix = "node-role.kubernetes.io/";
  std::set<std::string> roles;
  if (const Object* labels = json::get_object(input.object(), {"metadata", "labels"})) {
    for (const auto& [key, value] : *labels) {
      const std::string_view name(key.data(), key.size());
      if (name.starts_with(kPrefix) && name.size() > kPrefix.size())
        roles.emplace(name.substr(kPrefix.size()));
      const auto* text = value.if_string();
      if (name == "kubernetes.io/role" && text && !text->empty()) roles.emplace(json::view(*text));
    }
  }
  return joined_or({roles.begin(), roles.end()}, "<none>");
}

json::Value node_internal_ip(const CellInput& input) {
  return node_address(input, "InternalIP");
}

json::Value node_external_ip(const CellInput& input) {
  return node_address(input, "ExternalIP");
}

json::Value event_first_seen(const CellInput& input) {
  return Value(age_text(first_seen(input.object()), input.now));
}

json::Value event_last_seen(const CellInput& input) {
  if (json::get_object(input.object(), {"series"})) {
    return Value(age_text(parse_rfc3339(text_at(input.object(), {"series", "lastObservedTime"})), input.now));
  }
  const auto last = parse_rfc3339(text_at(input.object(), {"lastTimestamp"}));
  return Value(age_text(last ? last : first_seen(input.object()), input.now));
}

json::Value event_object(const CellInput& input) {
  const std::string kind = to_lower(text_at(input.object(), {"involvedObject", "kind"}));
  const std::string_view name = text_at(input.object(), {"involvedObject", "name"});
  return Value(name.empty() ? kind : fmt::format("{}/{}", kind, name));
}

json::Value event_source(const CellInput& input) {
  const auto either = [&](std::string_view first, std::string_view second) {
    return first.empty() ? second : first;
  };
  const auto component = either(text_at(input.object(), {"source", "component"}),
                                text_at(input.object(), {"reportingComponent"}));
  const auto host =
      either(text_at(input.object(), {"source", "host"}), text_at(input.object(), {"reportingInstance"}));
  return Value(host.empty() ? std::string(component) : fmt::format("{}, {}", component, host));
}

json::Value event_message(const CellInput& input) {
  return Value(trim(text_at(input.object(), {"message"})));
}

json::Value event_count(const CellInput& input) {
  if (json::get_object(input.object(), {"series"})) {
    return Value(json::get_int(input.object(), {"series", "count"}).value_or(0));
  }
  const auto count = json::get_int(input.object(), {"count"}).value_or(0);
  return Value(count == 0 ? std::int64_t{1} : count);
}

json::Value binding_role(const CellInput& input) {
  return Value(fmt::format("{}/{}", text_at(input.object(), {"roleRef", "kind"}),
                           text_at(input.object(), {"roleRef", "name"})));
}

json::Value binding_users(const CellInput& input) {
  return subjects(input, "User");
}

json::Value binding_groups(const CellInput& input) {
  return subjects(input, "Group");
}

json::Value binding_accounts(const CellInput& input) {
  return subjects(input, "ServiceAccount");
}

}  // namespace fairway::apiserver::cells
