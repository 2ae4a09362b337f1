// The pods of nodes_decide.hpp: what they are made of, and what is said of them.
#include <fmt/format.h>

#include "base/text.hpp"
#include "cloud/fields.hpp"
#include "cloud/fingerprint.hpp"
#include "cloud/frontend.hpp"
#include "cloud/nodes_parts.hpp"

namespace fairway::cloud::nodes {
namespace {

constexpr std::size_t kHashLength = 10;

json::Object condition(std::string_view type, const std::string& since) {
  return {{"type", type}, {"status", "True"}, {"lastTransitionTime", since}};
}

// The numbers that a probe's port, a number or a name, stands for.
bool is_probed(const json::Object& probe, const json::Object& port) {
  const json::Value* asked = json::find(probe, {"httpGet", "port"});
  if (asked == nullptr) return false;
  if (asked->is_string()) return json::get_string(port, {"name"}) == json::view(asked->get_string());
  return json::get_int(probe, {"httpGet", "port"}) == json::get_int(port, {"containerPort"});
}

std::set<std::string> health_paths(const json::Object& container, const json::Object& port) {
  std::set<std::string> paths;
  for (const std::string_view name : {"livenessProbe", "readinessProbe", "startupProbe"}) {
    const json::Object* probe = json::get_object(container, {name});
    if (probe == nullptr || !is_probed(*probe, port)) continue;
    paths.emplace(json::get_string(*probe, {"httpGet", "path"}).value_or("/"));
  }
  return paths;
}

}  // namespace

std::string template_hash(const json::Object& deployment) {
  const json::Object* pod_template = json::get_object(deployment, {"spec", "template"});
  return fingerprint_text(pod_template == nullptr ? "" : json::serialize(*pod_template))
      .substr(0, kHashLength);
}

json::Object new_pod(const json::Object& deployment, const std::string& name, const Settings& settings) {
  json::Object pod{{"apiVersion", "v1"}, {"kind", "Pod"}};
  json::Object metadata;
  if (const json::Object* from = json::get_object(deployment, {"spec", "template", "metadata"}))
    metadata = *from;
  metadata["name"] = name;
  metadata["namespace"] = kube::namespace_of(deployment);
  json::Object& labels = json::ensure_object(metadata, {"labels"});
  labels[kTemplateHashLabel] = template_hash(deployment);
  labels[kPlayedLabel] = "true";
  if (settings.port_offset != 0)
    json::ensure_object(metadata, {"annotations"})[kPodPortOffset] = fmt::to_string(settings.port_offset);
  metadata["ownerReferences"] =
      json::Array{json::to_json(kube::OwnerReference{.api_version = "apps/v1",
                                                     .kind = "Deployment",
                                                     .name = std::string(kube::name_of(deployment)),
                                                     .uid = std::string(kube::uid_of(deployment)),
                                                     .controller = true,
                                                     .block_owner_deletion = true})};
  pod["metadata"] = std::move(metadata);
  json::Object spec;
  if (const json::Object* from = json::get_object(deployment, {"spec", "template", "spec"})) spec = *from;
  spec["nodeName"] = settings.node;
  pod["spec"] = std::move(spec);
  return pod;
}

json::Object ready_status(const json::Object& pod, const std::string& address, WallTime now) {
  const std::string since = format_rfc3339(now);
  json::Object status{
      {"phase", "Running"}, {"podIP", address}, {"hostIP", "127.0.0.1"}, {"startTime", since}};
  status["podIPs"] = json::Array{json::Object{{"ip", address}}};
  status["conditions"] = json::Array{condition("PodScheduled", since), condition("Initialized", since),
                                     condition("ContainersReady", since), condition("Ready", since)};
  json::Array containers;
  for_objects(pod, {"spec", "containers"}, [&](const json::Object& container) {
    json::Object running{{"ready", true}, {"started", true}, {"restartCount", 0}, {"imageID", ""}};
    running["name"] = json::get_string(container, {"name"}).value_or("");
    running["image"] = json::get_string(container, {"image"}).value_or("");
    running["state"] = json::Object{{"running", json::Object{{"startedAt", since}}}};
    containers.push_back(std::move(running));
  });
  status["containerStatuses"] = std::move(containers);
  return status;
}

std::vector<PodPort> ports_of(const json::Object& pod, const Settings& settings) {
  std::map<std::uint16_t, PodPort> ports;
  for_objects(pod, {"spec", "containers"}, [&](const json::Object& container) {
    for_objects(container, {"ports"}, [&](const json::Object& port) {
      const std::int64_t number = json::get_int(port, {"containerPort"}).value_or(0) + settings.port_offset;
      const bool is_tcp = json::get_string(port, {"protocol"}).value_or("TCP") == "TCP";
      if (!is_tcp || number <= settings.port_offset || number > 65535) return;
      const auto at = static_cast<std::uint16_t>(number);
      PodPort& made = ports[at];
      made.port = at;
      made.health_paths.merge(health_paths(container, port));
    });
  });
  std::vector<PodPort> found;
  found.reserve(ports.size());
  for (auto& [number, port] : ports) found.push_back(std::move(port));
  return found;
}

}  // namespace fairway::cloud::nodes
