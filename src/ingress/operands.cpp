#include "ingress/operands.hpp"

#include <array>
#include <fmt/format.h>

#include "base/text.hpp"
#include "ingress/cluster_operator.hpp"
#include "ingress/service_keys.hpp"
#include "json/patch.hpp"

namespace fairway::ingress {
namespace {

constexpr std::int64_t kRecordTtl = 30;
// Which of its two configurations a router runs: pods are replaced when it changes.
constexpr std::string_view kConfigVariant = "ingress.fairway.dev/proxy-protocol";

json::Object labels_of(std::string_view controller) {
  return {{kOwningLabel, controller}};
}

json::Object object_of(std::string_view api_version, std::string_view kind, std::string_view ns,
                       std::string_view name, std::string_view controller) {
  json::Object metadata{{"name", name}};
  if (!ns.empty()) metadata["namespace"] = ns;
  if (!controller.empty()) metadata["labels"] = labels_of(controller);
  json::Object object{{"apiVersion", api_version}, {"kind", kind}};
  object["metadata"] = std::move(metadata);
  return object;
}

bool is_proxied(const PublishingStrategy& strategy, const Platform& platform) {
  if (strategy.host_network) return strategy.host_network->protocol == "PROXY";
  if (!strategy.load_balancer || !strategy.load_balancer->provider_parameters) return false;
  const ProviderParameters& parameters = *strategy.load_balancer->provider_parameters;
  if (platform.name == kAws && parameters.aws) {
    const auto& network = parameters.aws->network_load_balancer;
    return parameters.aws->type == kNlb ? network && network->protocol == "PROXY" : true;
  }
  return parameters.ibm && parameters.ibm->protocol == "PROXY";
}

struct Ports {
  std::int32_t http = 80;
  std::int32_t https = 443;
  std::int32_t stats = 1936;
};

Ports ports_of(const PublishingStrategy& strategy) {
  if (!strategy.host_network) return {};
  return {strategy.host_network->http_port, strategy.host_network->https_port,
          strategy.host_network->stats_port};
}

json::Object probe(std::string_view path, std::int64_t failures) {
  json::Object probe{{"periodSeconds", 10}, {"failureThreshold", failures}};
  probe["httpGet"] = json::Object{{"path", path}, {"port", "metrics"}, {"scheme", "HTTP"}};
  return probe;
}

json::Object container(const Ports& ports, const Settings& settings) {
  json::Object made{{"name", "router"}, {"image", settings.router_image}};
  made["ports"] =
      json::Array{json::Object{{"name", "http"}, {"containerPort", ports.http}, {"protocol", "TCP"}},
                  json::Object{{"name", "https"}, {"containerPort", ports.https}, {"protocol", "TCP"}},
                  json::Object{{"name", "metrics"}, {"containerPort", ports.stats}, {"protocol", "TCP"}}};
  made["livenessProbe"] = probe("/healthz", 3);
  made["readinessProbe"] = probe("/healthz/ready", 3);
  made["startupProbe"] = probe("/healthz/ready", 120);
  made["resources"] = json::Object{{"requests", json::Object{{"cpu", "100m"}, {"memory", "64Mi"}}}};
  made["volumeMounts"] = json::Array{
      json::Object{{"name", "config"}, {"mountPath", "/usr/local/etc/haproxy"}, {"readOnly", true}}};
  return made;
}

json::Object pod_template(const IngressController& controller, const PublishingStrategy& strategy,
                          const Platform& platform, const Settings& settings) {
  const std::string& name = controller.metadata.name;
  json::Object spec;
  spec["containers"] = json::Array{container(ports_of(strategy), settings)};
  spec["volumes"] =
      json::Array{json::Object{{"name", "config"}, {"configMap", json::Object{{"name", router_name(name)}}}}};
  spec["terminationGracePeriodSeconds"] = 3600;
  if (strategy.type == kHostNetwork) spec["hostNetwork"] = true;
  json::Object metadata;
  metadata["labels"] = json::Object{{keys::kDeploymentLabel, name}};
  metadata["annotations"] = json::Object{{kConfigVariant, is_proxied(strategy, platform) ? "true" : "false"}};
  json::Object made;
  made["metadata"] = std::move(metadata);
  made["spec"] = std::move(spec);
  return made;
}

json::Array internal_ports() {
  const auto port = [](std::string_view name, std::int64_t number) {
    return json::Object{{"name", name}, {"protocol", "TCP"}, {"port", number}, {"targetPort", name}};
  };
  return {port("http", 80), port("https", 443), port("metrics", 1936)};
}

json::Object service_beside(const IngressController& controller, const kube::OwnerReference& owner,
                            std::string_view name, std::string_view type) {
  json::Object service = object_of("v1", "Service", kOperandNamespace, name, controller.metadata.name);
  service["metadata"].get_object()["ownerReferences"] = json::Array{json::to_json(owner)};
  json::Object spec{{"type", type}};
  spec["ports"] = internal_ports();
  spec["selector"] = json::Object{{keys::kDeploymentLabel, controller.metadata.name}};
  service["spec"] = std::move(spec);
  return service;
}

std::string_view record_type(std::string_view address) {
  if (address.find(':') != std::string_view::npos) return "AAAA";
  const auto parts = split(address, '.');
  if (parts.size() != 4) return "CNAME";
  for (const std::string_view part : parts) {
    const auto number = parse_unsigned(part);
    if (!number || *number > 255) return "CNAME";
  }
  return "A";
}

// The parts of an object that follow the controller, by kind; lists are compared whole.
json::Object followed(const json::Object& object) {
  json::Object parts;
  const auto take = [&](json::Path from, std::string_view as) {
    if (const json::Value* found = json::find(object, from)) parts[as] = *found;
  };
  const std::string_view kind = kube::kind_of(object);
  if (kind == "ConfigMap") take({"data"}, "data");
  if (kind == "DNSRecord") take({"spec"}, "spec");
  return parts;
}

json::Object deployment_patch(const json::Object& have, const json::Object& want) {
  json::Object patch;
  const json::Value* replicas = json::find(want, {"spec", "replicas"});
  const json::Value* had = json::find(have, {"spec", "replicas"});
  if (had == nullptr || !json::same_value(*had, *replicas))
    json::ensure_object(patch, {"spec"})["replicas"] = *replicas;
  const auto first = [](const json::Object& deployment) -> const json::Object* {
    const json::Array* list = json::get_array(deployment, {"spec", "template", "spec", "containers"});
    return list == nullptr || list->empty() || !list->front().is_object() ? nullptr
                                                                          : &list->front().get_object();
  };
  const json::Object* running = first(have);
  const json::Object* wanted = first(want);
  const bool is_same_image =
      running != nullptr && json::get_string(*running, {"image"}) == json::get_string(*wanted, {"image"});
  // Merge patches replace lists: the container is sent whole.
  if (!is_same_image)
    json::ensure_object(patch, {"spec", "template", "spec"})["containers"] = json::Array{*wanted};
  const json::Path variant = {"spec", "template", "metadata", "annotations", kConfigVariant};
  const auto want_variant = json::get_string(want, variant);
  if (json::get_string(have, variant) != want_variant)
    json::ensure_object(patch, {"spec", "template", "metadata", "annotations"})[kConfigVariant] =
        *want_variant;
  return patch;
}

}  // namespace

const kube::ResourceType& operand_type(std::string_view kind) {
  static const std::array<kube::ResourceType, 7> kTypes = {
      {{.kind = {"", "v1", "Namespace"}, .resource = "namespaces", .is_namespaced = false},
       {.kind = {"", "v1", "ConfigMap"}, .resource = "configmaps"},
       {.kind = {"apps", "v1", "Deployment"}, .resource = "deployments"},
       {.kind = {"", "v1", "Service"}, .resource = "services"},
       {.kind = {"ingress.operator.openshift.io", "v1", "DNSRecord"}, .resource = "dnsrecords"},
       {.kind = {"operator.openshift.io", "v1", "IngressController"}, .resource = "ingresscontrollers"},
       cluster_operator_type()}};
  for (const kube::ResourceType& each : kTypes)
    if (each.kind.kind == kind) return each;
  abort_because("an operand of a kind without a type", __FILE__, __LINE__);
}

bool is_owned(const json::Object& object, std::string_view controller) {
  return kube::label(object, kOwningLabel) == controller;
}

json::Object default_controller(const ClusterConfig& config) {
  json::Object made =
      object_of("operator.openshift.io/v1", "IngressController", kOperatorNamespace, kDefaultName, "");
  // Said outright: without a value the scale subresource cannot work.
  made["spec"] = json::Object{{"replicas", wanted_replicas({}, config)}};
  return made;
}

json::Object operand_namespace() {
  return object_of("v1", "Namespace", "", kOperandNamespace, "");
}

json::Object router_config(const IngressController& controller, const PublishingStrategy& strategy,
                           const Platform& platform) {
  const Ports ports = ports_of(strategy);
  const std::string_view proxied = is_proxied(strategy, platform) ? " accept-proxy" : "";
  std::string text =
      "defaults\n  mode http\n  timeout connect 5s\n  timeout client 30s\n  timeout server 30s\n";
  text += fmt::format(
      "frontend http\n  bind :{}{}\n"
      "  http-request return status 503 content-type text/plain string \"no route for this host\"\n",
      ports.http, proxied);
  text += fmt::format("frontend https\n  mode tcp\n  bind :{}{}\n  tcp-request connection reject\n",
                      ports.https, proxied);
  text += fmt::format(
      "frontend health\n  bind :{}\n"
      "  http-request return status 200 content-type text/plain string \"ok\" if {{ path /healthz "
      "/healthz/ready "
      "}}\n  http-request return status 404\n",
      ports.stats);
  json::Object made = object_of("v1", "ConfigMap", kOperandNamespace, router_name(controller.metadata.name),
                                controller.metadata.name);
  made["data"] = json::Object{{"haproxy.cfg", text}};
  return made;
}

json::Object router_deployment(const IngressController& controller, const PublishingStrategy& strategy,
                               const ClusterConfig& config, const Settings& settings) {
  const std::string& name = controller.metadata.name;
  json::Object made = object_of("apps/v1", "Deployment", kOperandNamespace, router_name(name), name);
  json::Object spec{{"replicas", wanted_replicas(controller, config)}, {"minReadySeconds", 30}};
  spec["selector"] = json::Object{{"matchLabels", json::Object{{keys::kDeploymentLabel, name}}}};
  spec["strategy"] =
      json::Object{{"type", "RollingUpdate"},
                   {"rollingUpdate", json::Object{{"maxUnavailable", "25%"}, {"maxSurge", "25%"}}}};
  spec["template"] = pod_template(controller, strategy, *config.platform, settings);
  made["spec"] = std::move(spec);
  return made;
}

json::Object internal_service(const IngressController& controller, const kube::OwnerReference& owner) {
  return service_beside(controller, owner, internal_service_name(controller.metadata.name), "ClusterIP");
}

json::Object node_port_service(const IngressController& controller, const kube::OwnerReference& owner) {
  return service_beside(controller, owner, node_port_service_name(controller.metadata.name), "NodePort");
}

std::optional<json::Object> wildcard_record(const Observed& seen, const PublishingStrategy& strategy,
                                            const std::string& address) {
  const bool is_wanted = seen.config.has_zones && strategy.load_balancer && !address.empty() &&
                         !seen.controller->status.domain.empty();
  if (!is_wanted) return std::nullopt;
  const std::string& name = seen.controller->metadata.name;
  json::Object made =
      object_of("ingress.operator.openshift.io/v1", "DNSRecord", kOperatorNamespace, record_name(name), name);
  made["metadata"].get_object()["ownerReferences"] =
      json::Array{json::to_json(kube::controller_reference(*seen.controller))};
  std::string_view domain = seen.controller->status.domain;
  while (domain.ends_with('.')) domain.remove_suffix(1);
  json::Object spec{{"dnsName", fmt::format("*.{}.", domain)},
                    {"recordType", record_type(address)},
                    {"recordTTL", kRecordTtl},
                    {"dnsManagementPolicy", strategy.load_balancer->dns_management_policy}};
  spec["targets"] = json::Array{json::Value(address)};
  made["spec"] = std::move(spec);
  return made;
}

json::Object operand_patch(const json::Object& have, const json::Object& want) {
  if (kube::kind_of(want) == "Deployment") return deployment_patch(have, want);
  json::Object before = have;
  before["kind"] = want.at("kind");
  json::Value after = followed(before);
  json::apply_merge_patch(after, followed(want));
  const json::Value patch = json::make_merge_patch(followed(before), after);
  return patch.is_object() ? patch.get_object() : json::Object{};
}

std::string router_selector(std::string_view controller) {
  return fmt::format("{}={}", keys::kDeploymentLabel, controller);
}

}  // namespace fairway::ingress
