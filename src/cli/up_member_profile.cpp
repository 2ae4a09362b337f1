#include "cli/up_member_profile.hpp"

#include <array>
#include <fmt/format.h>

#include "base/text.hpp"
#include "cli/example_releases.hpp"

namespace fairway::cli {
namespace {

struct Kind {
  std::string_view platform;
  bool has_proxy = false;
  bool has_metrics = true;
};
constexpr std::array kKinds = {Kind{.platform = "VSphere", .has_proxy = true},
                               Kind{.platform = "AWS"},
                               Kind{.platform = "IBMCloud", .has_metrics = false},
                               Kind{.platform = "GCP"},
                               Kind{.platform = "Azure"},
                               Kind{.platform = "BareMetal"}};

constexpr const char* kRunning = "4.6.23";
constexpr const char* kChannel = "stable-4.7";
constexpr const char* kExampleRepository = "registry.example.com/release";
constexpr const char* kProxyUrl = "http://proxy.harbour.example:3128";
// 127.101.0.0/16 for the first member, and so on; `fairway cloud` has others by default.
constexpr cloud::Ipv4 kFirstNetwork = 0x7f640000;
constexpr int kPrefix = 18;  // a quarter of it for each purpose

kube::ResourceType config_type(std::string kind, std::string resource) {
  return {.kind = {"config.openshift.io", "v1", std::move(kind)},
          .resource = std::move(resource),
          .is_namespaced = false};
}

MemberObject config(std::string kind, std::string resource, json::Object spec, json::Object status = {}) {
  const kube::ResourceType type = config_type(std::move(kind), std::move(resource));
  json::Object object = named(type, "cluster");
  object["spec"] = std::move(spec);
  if (!status.empty()) object["status"] = std::move(status);
  return {type, std::move(object)};
}

MemberObject infrastructure(const MemberProfile& profile) {
  json::Object status{{"infrastructureName", profile.name},
                      {"apiServerURL", fmt::format("https://api.{}:6443", profile.domain)},
                      {"platform", profile.platform},
                      {"controlPlaneTopology", "HighlyAvailable"},
                      {"infrastructureTopology", "HighlyAvailable"}};
  status["platformStatus"] = json::Object{{"type", profile.platform}};
  json::Object spec;
  spec["platformSpec"] = json::Object{{"type", profile.platform}};
  return config("Infrastructure", "infrastructures", std::move(spec), std::move(status));
}

MemberObject proxy(const MemberProfile& profile) {
  if (!profile.has_proxy) return config("Proxy", "proxies", {});
  const json::Object settings{{"httpProxy", kProxyUrl},
                              {"httpsProxy", kProxyUrl},
                              {"noProxy", fmt::format(".{},127.0.0.1,localhost", profile.domain)}};
  return config("Proxy", "proxies", settings, settings);
}

MemberObject admin_gates() {
  const kube::ResourceType type{.kind = {"", "v1", "ConfigMap"}, .resource = "configmaps"};
  json::Object object = named(type, "admin-gates");
  object["metadata"].get_object()["namespace"] = "openshift-config-managed";
  return {type, std::move(object)};
}

MemberObject cluster_version(const MemberProfile& profile, const RunningRelease& running,
                             const std::string& update_service, WallTime now) {
  json::Object object = named(cluster_version_type(), "version");
  object["metadata"].get_object()["annotations"] = json::Object{{kUpstreamAnnotation, update_service}};
  object["spec"] =
      json::Object{{"clusterID", profile.cluster_id}, {"channel", kChannel}, {"upstream", update_service}};
  const std::string time = format_rfc3339(std::chrono::floor<std::chrono::seconds>(now));
  const json::Object entry{{"state", "Completed"},       {"startedTime", time},    {"completionTime", time},
                           {"version", running.version}, {"image", running.image}, {"verified", true}};
  json::Object status{{"observedGeneration", 1}, {"versionHash", ""}};
  status["desired"] = json::Object{{"version", running.version}, {"image", running.image}};
  status["history"] = json::Array{entry};
  status["availableUpdates"] = json::Array{};
  object["status"] = std::move(status);
  return {cluster_version_type(), std::move(object)};
}

}  // namespace

MemberProfile member_profile(std::size_t number) {
  const Kind& kind = kKinds[(number - 1) % kKinds.size()];
  const cloud::Ipv4 network = kFirstNetwork + (static_cast<cloud::Ipv4>(number) << 16U);
  const auto quarter = [&](cloud::Ipv4 index) {
    return cloud::Network{network + (index << (32U - kPrefix)), kPrefix};
  };
  const std::string name = fmt::format("member{}", number);
  return {.number = number,
          .name = name,
          .platform = std::string(kind.platform),
          .has_proxy = kind.has_proxy,
          .has_metrics = kind.has_metrics,
          // A random one (version 4) in form, so that clients take it; the same at every start.
          .cluster_id = fmt::format("fa127a00-0000-4000-8000-{:012d}", number),
          .domain = fmt::format("{}.harbour.example", name),
          .external = quarter(0),
          .internal = quarter(1),
          .pods = quarter(2)};
}

std::optional<std::string> member_metrics(const MemberProfile& profile) {
  if (!profile.has_metrics) return std::nullopt;
  return fmt::format(
      "# What the monitoring of {} says. Risks of updates are judged by it: change a value, and the "
      "verdicts\n"
      "# follow within seconds.\n"
      "cluster_infrastructure_provider{{type=\"{}\",region=\"north\"}} 1\n"
      "cluster_proxy_enabled{{type=\"http\"}} {}\n"
      "cluster_proxy_enabled{{type=\"https\"}} {}\n",
      profile.name, profile.platform, profile.has_proxy ? 1 : 0, profile.has_proxy ? 1 : 0);
}

RunningRelease example_running_release() {
  RunningRelease running{.version = kRunning, .image = {}};
  if (const auto images = example_release_images()) {
    for (const oci::PackedImage& each : *images)
      if (each.name == kRunning)
        running.image = fmt::format("{}@{}", kExampleRepository, each.digest().text());
  }
  return running;
}

std::vector<MemberObject> member_objects(const MemberProfile& profile, const RunningRelease& running,
                                         const std::string& update_service, WallTime now) {
  std::vector<MemberObject> objects;
  for (const char* name : {"openshift-config", "openshift-config-managed", "openshift-ingress-operator"})
    objects.push_back({namespace_type(), named(namespace_type(), name)});
  // An empty one says that nothing is to be acknowledged before an update; without it nobody knows.
  objects.push_back(admin_gates());
  objects.push_back(infrastructure(profile));
  objects.push_back(config("DNS", "dnses", {{"baseDomain", profile.domain}}));
  objects.push_back(config("Ingress", "ingresses", {{"domain", "apps." + profile.domain}}));
  objects.push_back(proxy(profile));
  objects.push_back(cluster_version(profile, running, update_service, now));
  return objects;
}

std::optional<json::Object> upstream_patch(const json::Object& cluster_version,
                                           const std::string& update_service) {
  const auto chosen = json::get_string(cluster_version, {"spec", "upstream"});
  const auto written = kube::annotation(cluster_version, kUpstreamAnnotation);
  if (!chosen || !written || *chosen != *written || *chosen == update_service) return std::nullopt;
  json::Object patch;
  json::ensure_object(patch, {"spec"})["upstream"] = update_service;
  json::ensure_object(patch, {"metadata", "annotations"})[kUpstreamAnnotation] = update_service;
  return patch;
}

kube::ResourceType cluster_version_type() {
  return config_type("ClusterVersion", "clusterversions");
}

kube::ResourceType namespace_type() {
  return {.kind = {"", "v1", "Namespace"}, .resource = "namespaces", .is_namespaced = false};
}

json::Object named(const kube::ResourceType& type, const std::string& name) {
  json::Object object{{"apiVersion", type.kind.api_version()}, {"kind", type.kind.kind}};
  object["metadata"] = json::Object{{"name", name}};
  return object;
}

}  // namespace fairway::cli
