#include "apiserver/openapi_documents.hpp"

#include <algorithm>
#include <fmt/format.h>

#include "apiserver/builtin.hpp"
#include "apiserver/discovery_documents.hpp"
#include "apiserver/openapi_operations.hpp"
#include "apiserver/openapi_schemas.hpp"
#include "base/text.hpp"

namespace fairway::apiserver {
namespace {

using json::Array;
using json::Object;
using json::Value;

constexpr std::string_view kYaml = "application/yaml";
constexpr std::string_view kJson = "application/json";

Object info() {
  return {{"title", "Kubernetes"}, {"version", kubernetes_version()}};
}

Object kind_object(const OperationKind& kind) {
  return {{"group", kind.group}, {"kind", kind.kind}, {"version", kind.version}};
}

std::string_view parameter_description(std::string_view name) {
  if (name == "namespace") return "Namespace of the object.";
  return name == "name" ? "Name of the object." : "Whether the answer is indented.";
}

// The schemas that operations speak of besides those of the kinds.
void add_operation_types(const std::vector<Operation>& operations, PublishedSchemas& schemas) {
  for (const Operation& each : operations) {
    for (const std::string& name : {each.body, each.response}) {
      if (name.starts_with("io.k8s.") && (builtin_definition(name) || name.ends_with("meta.v1.Patch"))) {
        schemas.add_definition(name);
      }
    }
  }
}

// What differs between the two versions of OpenAPI in how an operation is written.
class Writer {
 public:
  explicit Writer(OpenApiDialect dialect) : dialect_(dialect) {}

  void add(const Operation& operation, Object& paths) const {
    Object& path = json::ensure_object(paths, {operation.path});
    if (!path.contains("parameters")) path["parameters"] = path_parameters(operation.path);
    path[operation.method] = write(operation);
  }

 private:
  bool is_v2() const { return dialect_ == OpenApiDialect::V2; }

  Object typed(Object parameter, std::string_view type) const {
    if (is_v2()) {
      parameter["type"] = type;
      parameter["uniqueItems"] = true;
    } else {
      parameter["schema"] = Object{{"type", type}, {"uniqueItems", true}};
    }
    return parameter;
  }

  Array path_parameters(std::string_view path) const {
    Array out;
    for (const std::string_view name : {"name", "namespace"}) {
      if (path.find(fmt::format("{{{}}}", name)) == std::string_view::npos) continue;
      out.push_back(typed(
          {{"description", parameter_description(name)}, {"in", "path"}, {"name", name}, {"required", true}},
          "string"));
    }
    out.push_back(typed(
        {{"description", parameter_description("pretty")}, {"in", "query"}, {"name", "pretty"}}, "string"));
    return out;
  }

  Object reference(std::string_view name) const {
    return {{"$ref", fmt::format("{}{}", is_v2() ? "#/definitions/" : "#/components/schemas/", name)}};
  }

  Object write(const Operation& operation) const {
    Object out{{"description", operation.description},
               {"operationId", operation.id},
               {"tags", Array{operation.tag}}};
    Array parameters;
    for (const QueryParameter& each : query_parameters(operation.action)) {
      parameters.push_back(
          typed({{"description", each.description}, {"in", "query"}, {"name", each.name}}, each.type));
    }
    if (is_v2()) {
      write_body_v2(operation, out, parameters);
    } else {
      write_body_v3(operation, out);
    }
    out["parameters"] = std::move(parameters);
    out["responses"] = responses(operation);
    out["x-kubernetes-action"] = operation.action;
    out["x-kubernetes-group-version-kind"] = kind_object(operation.kind);
    return out;
  }

  static std::vector<std::string_view> consumed(const Operation& operation) {
    if (operation.action == "patch") return patch_types(operation.is_custom);
    return {kJson, kYaml};
  }

  void write_body_v2(const Operation& operation, Object& out, Array& parameters) const {
    Array consumes;
    for (const std::string_view type : consumed(operation)) consumes.emplace_back(type);
    out["consumes"] = std::move(consumes);
    out["produces"] = Array{kJson, kYaml};
    out["schemes"] = Array{"https"};
    if (operation.body.empty()) return;
    const bool is_required = operation.method != "delete";
    Object body{{"in", "body"}, {"name", "body"}, {"schema", reference(operation.body)}};
    if (is_required) body["required"] = true;
    parameters.insert(parameters.begin(), std::move(body));
  }

  void write_body_v3(const Operation& operation, Object& out) const {
    if (operation.body.empty()) return;
    Object content;
    for (const std::string_view type : consumed(operation)) {
      content[type] = Object{{"schema", reference(operation.body)}};
    }
    out["requestBody"] = Object{{"content", std::move(content)}};
    if (operation.method != "delete") out["requestBody"].get_object()["required"] = true;
  }

  Object response(std::string_view description, std::string_view type) const {
    if (is_v2()) return {{"description", description}, {"schema", reference(type)}};
    Object content;
    for (const std::string_view media : {kJson, kYaml}) content[media] = Object{{"schema", reference(type)}};
    return {{"description", description}, {"content", std::move(content)}};
  }

  Object responses(const Operation& operation) const {
    Object out{{"200", response("OK", operation.response)}};
    const std::string_view action = operation.action;
    if (action == "post" || action == "put" || action == "patch")
      out["201"] = response("Created", operation.response);
    if (action == "post" || action == "delete") out["202"] = response("Accepted", operation.response);
    out["401"] = Object{{"description", "Unauthorized"}};
    return out;
  }

  OpenApiDialect dialect_;
};

void describe(const Resource& resource, const ServedVersion& version, OpenApiDialect dialect, Object& paths,
              PublishedSchemas& schemas) {
  const auto operations = operations_of(resource, version);
  for (const Operation& operation : operations) Writer(dialect).add(operation, paths);
  schemas.add(resource, version);
  add_operation_types(operations, schemas);
}

Object sorted(Object object) {
  std::map<std::string, Value> by_key;
  for (auto& member : object) by_key.emplace(std::string(member.key()), std::move(member.value()));
  Object out;
  out.reserve(by_key.size());
  for (auto& [key, value] : by_key) out.emplace(key, std::move(value));
  return out;
}

// "apis/apps/v1" to group and version.
std::optional<std::pair<std::string_view, std::string_view>> group_version_of(std::string_view path) {
  const auto parts = split(path, '/');
  if (parts.size() == 2 && parts[0] == "api") return std::pair(std::string_view(), parts[1]);
  if (parts.size() == 3 && parts[0] == "apis" && !parts[1].empty()) return std::pair(parts[1], parts[2]);
  return std::nullopt;
}

}  // namespace

std::optional<json::Object> openapi_v3(const Catalog& catalog, std::string_view group,
                                       std::string_view version) {
  if (!catalog.has_group_version(group, version)) return std::nullopt;
  Object paths;
  PublishedSchemas schemas(OpenApiDialect::V3);
  for (const ResourcePtr& resource : catalog.resources()) {
    const ServedVersion* served = resource->group == group ? resource->version(version) : nullptr;
    if (served) describe(*resource, *served, OpenApiDialect::V3, paths, schemas);
  }
  Object security{{"BearerToken", Object{{"type", "apiKey"},
                                         {"description", "Bearer Token authentication"},
                                         {"name", "authorization"},
                                         {"in", "header"}}}};
  return Object{
      {"openapi", "3.0.0"},
      {"info", info()},
      {"paths", sorted(std::move(paths))},
      {"components", Object{{"schemas", schemas.take()}, {"securitySchemes", std::move(security)}}}};
}

json::Object openapi_v2(const Catalog& catalog) {
  Object paths;
  PublishedSchemas schemas(OpenApiDialect::V2);
  for (const ResourcePtr& resource : catalog.resources()) {
    for (const ServedVersion& version : resource->versions) {
      if (version.is_served) describe(*resource, version, OpenApiDialect::V2, paths, schemas);
    }
  }
  return {{"swagger", "2.0"},
          {"info", info()},
          {"paths", sorted(std::move(paths))},
          {"definitions", schemas.take()}};
}

template <class Make>
Document OpenApiDocuments::cached(std::string name, const std::vector<ResourcePtr>& resources,
                                  const Make& make) {
  Key key{std::move(name), {}};
  for (const ResourcePtr& each : resources) key.resources.push_back(each.get());
  const std::lock_guard lock(mutex_);
  std::erase_if(documents_, [](const auto& each) {
    return std::ranges::any_of(each.second.resources,
                               [](const auto& resource) { return resource.expired(); });
  });
  if (const auto known = documents_.find(key); known != documents_.end()) return known->second.document;
  std::string text = make();
  const std::string hash = document_hash(text);
  Document made{share(std::move(text)), hash};
  documents_.emplace(std::move(key), Entry{{resources.begin(), resources.end()}, made});
  return made;
}

json::Object OpenApiDocuments::index(const Catalog& catalog, std::string_view prefix) {
  Object paths;
  for (const Catalog::Group& group : catalog.groups()) {
    for (const std::string& version : group.versions) {
      const std::string path = group.name.empty() ? fmt::format("api/{}", version)
                                                  : fmt::format("apis/{}/{}", group.name, version);
      const auto document = version_3(catalog, path);
      if (!document) continue;
      paths[path] = Object{
          {"serverRelativeURL", fmt::format("{}/openapi/v3/{}?hash={}", prefix, path, document->hash)}};
    }
  }
  return {{"paths", sorted(std::move(paths))}};
}

std::optional<Document> OpenApiDocuments::version_3(const Catalog& catalog, std::string_view path) {
  const auto wanted = group_version_of(path);
  if (!wanted || !catalog.has_group_version(wanted->first, wanted->second)) return std::nullopt;
  std::vector<ResourcePtr> resources;
  for (const ResourcePtr& each : catalog.resources()) {
    if (each->group == wanted->first && each->version(wanted->second)) resources.push_back(each);
  }
  return cached(fmt::format("v3/{}", path), resources,
                [&] { return json::serialize(*openapi_v3(catalog, wanted->first, wanted->second)); });
}

Document OpenApiDocuments::version_2(const Catalog& catalog) {
  return cached("v2", catalog.resources(), [&] { return json::serialize(openapi_v2(catalog)); });
}

Document OpenApiDocuments::version_2_protobuf(const Catalog& catalog) {
  return cached("v2.pb", catalog.resources(), [&] { return encode_openapi_v2(openapi_v2(catalog)); });
}

}  // namespace fairway::apiserver
