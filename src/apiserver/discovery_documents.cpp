#include "apiserver/discovery_documents.hpp"

#include <algorithm>
#include <cstdint>
#include <fmt/format.h>

#include "apiserver/builtin.hpp"

namespace fairway::apiserver {
namespace {

using json::Array;
using json::Object;
using json::Value;

constexpr std::string_view kKubernetesMajor = "1";
constexpr std::string_view kKubernetesMinor = "35";
constexpr std::string_view kKubernetesVersion = "v1.35.0";

#if defined(__x86_64__)
constexpr std::string_view kPlatform = "linux/amd64";
#elif defined(__aarch64__)
constexpr std::string_view kPlatform = "linux/arm64";
#else
constexpr std::string_view kPlatform = "linux/unknown";
#endif

Array texts(const std::vector<std::string>& list) {
  Array out;
  for (const std::string& each : list) out.emplace_back(each);
  return out;
}

Object group_version(std::string_view group, std::string_view version) {
  return {{"groupVersion", group.empty() ? std::string(version) : fmt::format("{}/{}", group, version)},
          {"version", version}};
}

Object group_object(const Catalog::Group& group) {
  Array versions;
  for (const std::string& each : group.versions) versions.push_back(group_version(group.name, each));
  return {{"name", group.name},
          {"versions", std::move(versions)},
          {"preferredVersion", group_version(group.name, group.versions.front())}};
}

// The subresources of a resource in one version, in the order that discovery has them.
std::vector<const SubresourceKind*> subresources_of(const Resource& resource, const ServedVersion& version) {
  std::vector<const SubresourceKind*> out;
  static const SubresourceKind kFinalize{.name = "finalize", .verbs = {"update"}};
  if (resource.group.empty() && resource.plural == "namespaces") out.push_back(&kFinalize);
  if (version.scale) out.push_back(&subresource_kind("scale"));
  if (version.has_status) out.push_back(&subresource_kind("status"));
  if (resource.has_token) out.push_back(&subresource_kind("token"));
  if (resource.is_custom) std::ranges::reverse(out);  // those of CRDs are not sorted: status comes first
  return out;
}

Object resource_entry(const Resource& resource) {
  Object out{{"name", resource.plural},
             {"singularName", resource.singular},
             {"namespaced", resource.is_namespaced},
             {"kind", resource.kind},
             {"verbs", texts(resource.verbs)}};
  if (!resource.short_names.empty()) out["shortNames"] = texts(resource.short_names);
  if (!resource.categories.empty()) out["categories"] = texts(resource.categories);
  return out;
}

Object subresource_entry(const Resource& resource, const SubresourceKind& sub) {
  Object out{{"name", fmt::format("{}/{}", resource.plural, sub.name)},
             {"singularName", ""},
             {"namespaced", resource.is_namespaced}};
  if (!sub.kind.empty()) {
    out["group"] = sub.group;
    out["version"] = sub.version;
  }
  out["kind"] = sub.kind.empty() ? resource.kind : sub.kind;
  out["verbs"] = texts(sub.verbs);
  return out;
}

Object response_kind(std::string_view group, std::string_view version, std::string_view kind) {
  return {{"group", group}, {"version", version}, {"kind", kind}};
}

Object aggregated_resource(const Resource& resource, const ServedVersion& version) {
  Object out{{"resource", resource.plural},
             {"responseKind", response_kind(resource.group, version.name, resource.kind)},
             {"scope", resource.is_namespaced ? "Namespaced" : "Cluster"},
             {"singularResource", resource.singular},
             {"verbs", texts(resource.verbs)}};
  if (!resource.short_names.empty()) out["shortNames"] = texts(resource.short_names);
  if (!resource.categories.empty()) out["categories"] = texts(resource.categories);
  Array subresources;
  for (const SubresourceKind* sub : subresources_of(resource, version)) {
    subresources.push_back(
        Object{{"subresource", sub->name},
               {"responseKind", sub->kind.empty() ? response_kind(resource.group, version.name, resource.kind)
                                                  : response_kind(sub->group, sub->version, sub->kind)},
               {"verbs", texts(sub->verbs)}});
  }
  if (!subresources.empty()) out["subresources"] = std::move(subresources);
  return out;
}

}  // namespace

json::Object api_versions(std::string_view server_address) {
  return {{"kind", "APIVersions"},
          {"versions", Array{"v1"}},
          {"serverAddressByClientCIDRs",
           Array{Object{{"clientCIDR", "0.0.0.0/0"}, {"serverAddress", server_address}}}}};
}

json::Object api_group_list(const Catalog& catalog) {
  Array groups;
  for (const Catalog::Group& group : catalog.groups()) {
    if (!group.name.empty()) groups.push_back(group_object(group));
  }
  return {{"kind", "APIGroupList"}, {"apiVersion", "v1"}, {"groups", std::move(groups)}};
}

std::optional<json::Object> api_group(const Catalog& catalog, std::string_view group) {
  const auto found = std::ranges::find(catalog.groups(), group, &Catalog::Group::name);
  if (found == catalog.groups().end() || group.empty()) return std::nullopt;
  Object out{{"kind", "APIGroup"}, {"apiVersion", "v1"}};
  for (auto& member : group_object(*found)) out.emplace(member.key(), std::move(member.value()));
  return out;
}

std::optional<json::Object> api_resource_list(const Catalog& catalog, std::string_view group,
                                              std::string_view version) {
  if (!catalog.has_group_version(group, version)) return std::nullopt;
  Array resources;
  for (const ResourcePtr& resource : catalog.resources()) {
    const ServedVersion* served = resource->group == group ? resource->version(version) : nullptr;
    if (!served) continue;
    resources.push_back(resource_entry(*resource));
    for (const SubresourceKind* sub : subresources_of(*resource, *served)) {
      resources.push_back(subresource_entry(*resource, *sub));
    }
  }
  Object out{{"kind", "APIResourceList"}};
  if (!group.empty()) out["apiVersion"] = "v1";  // the core group's list never had one
  out["groupVersion"] = group_version(group, version).at("groupVersion");
  out["resources"] = std::move(resources);
  return out;
}

json::Object aggregated_discovery(const Catalog& catalog, bool core_group, std::string_view version) {
  Array items;
  for (const Catalog::Group& group : catalog.groups()) {
    if (group.name.empty() != core_group) continue;
    Array versions;
    for (const std::string& name : group.versions) {
      Array resources;
      for (const ResourcePtr& resource : catalog.resources()) {
        const ServedVersion* served = resource->group == group.name ? resource->version(name) : nullptr;
        if (served) resources.push_back(aggregated_resource(*resource, *served));
      }
      versions.push_back(
          Object{{"version", name}, {"resources", std::move(resources)}, {"freshness", "Current"}});
    }
    Object metadata;
    if (!group.name.empty()) metadata["name"] = group.name;
    items.push_back(Object{{"metadata", std::move(metadata)}, {"versions", std::move(versions)}});
  }
  return {{"kind", "APIGroupDiscoveryList"},
          {"apiVersion", fmt::format("apidiscovery.k8s.io/{}", version)},
          {"metadata", Object{}},
          {"items", std::move(items)}};
}

json::Object version_info() {
  return {{"major", kKubernetesMajor},
          {"minor", kKubernetesMinor},
          {"gitVersion", fmt::format("{}+fairway-{}", kKubernetesVersion, FAIRWAY_VERSION)},
          {"gitCommit", ""},
          {"gitTreeState", ""},
          {"buildDate", "1970-01-01T00:00:00Z"},  // builds are reproducible: they have no date
          {"goVersion", fmt::format("clang {}.{}", __clang_major__, __clang_minor__)},
          {"compiler", "clang"},
          {"platform", kPlatform}};
}

std::string_view kubernetes_version() {
  return kKubernetesVersion;
}

json::Object root_paths(const Catalog& catalog) {
  std::vector<std::string> paths{"/api",         "/apis",    "/apis/",      "/healthz",
                                 "/livez",       "/metrics", "/openapi/v2", "/openapi/v3",
                                 "/openapi/v3/", "/readyz",  "/version"};
  for (const Catalog::Group& group : catalog.groups()) {
    const std::string root = group.name.empty() ? "/api" : fmt::format("/apis/{}", group.name);
    if (!group.name.empty()) paths.push_back(root);
    for (const std::string& version : group.versions) paths.push_back(fmt::format("{}/{}", root, version));
  }
  std::ranges::sort(paths);
  return {{"paths", texts(paths)}};
}

std::string document_hash(std::string_view text) {
  std::uint64_t hash = 0xcbf29ce484222325;  // FNV-1a
  for (const char each : text) hash = (hash ^ static_cast<unsigned char>(each)) * 0x100000001b3;
  return fmt::format("{:016X}", hash);
}

}  // namespace fairway::apiserver
