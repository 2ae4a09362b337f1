#include "apiserver/openapi_schemas.hpp"

#include <algorithm>
#include <array>
#include <fmt/format.h>

#include "apiserver/builtin.hpp"
#include "apiserver/openapi_operations.hpp"

namespace fairway::apiserver {
namespace {

using json::Array;
using json::Object;
using json::Value;

constexpr std::string_view kDefinitions = "#/definitions/";
constexpr std::string_view kComponents = "#/components/schemas/";
constexpr std::string_view kGvk = "x-kubernetes-group-version-kind";

bool is_true(const Object& schema, std::string_view key) {
  return json::get_bool(schema, {key}).value_or(false);
}

std::string_view type_of(const Object& schema) {
  return json::get_string(schema, {"type"}).value_or("");
}

Object described(std::string_view type, std::string_view description) {
  return {{"description", description}, {"type", type}};
}

Array gvk(const Resource& resource, const ServedVersion& version, std::string_view kind) {
  return Array{Object{{"group", resource.group}, {"kind", kind}, {"version", version.name}}};
}

// Types that are neither object nor plain, in the form that Kubernetes publishes them.
std::optional<Object> special_definition(std::string_view name, OpenApiDialect dialect) {
  const auto alternatives = [](std::string_view one, std::string_view other) {
    return Array{Object{{"type", one}}, Object{{"type", other}}};
  };
  const Object* source = builtin_definition(name);
  const std::string_view description = source ? json::get_string(*source, {"description"}).value_or("") : "";
  const bool is_v2 = dialect == OpenApiDialect::V2;
  if (name.ends_with(".Quantity")) {
    if (is_v2) return described("string", description);
    return Object{{"description", description}, {"oneOf", alternatives("string", "number")}};
  }
  if (name.ends_with(".IntOrString")) {
    if (is_v2) return Object{{"description", description}, {"type", "string"}, {"format", "int-or-string"}};
    return Object{{"description", description},
                  {"format", "int-or-string"},
                  {"oneOf", alternatives("integer", "string")}};
  }
  if (name.ends_with("meta.v1.Patch")) {
    return described("object", "A patch in one of the forms that the API knows.");
  }
  return std::nullopt;
}

// What v2 has no words for, and what would make kubectl refuse more than the schema does.
Object without_v3_only(const Object& schema) {
  constexpr std::array<std::string_view, 5> kUnknown{"allOf", "anyOf", "oneOf", "not", "nullable"};
  Object out = schema;
  for (const std::string_view key : kUnknown) json::remove(out, key);
  const bool is_nullable = is_true(schema, "nullable");
  if (is_nullable || is_true(schema, "x-kubernetes-preserve-unknown-fields")) {
    for (const std::string_view key : {"items", "properties"}) json::remove(out, key);
  }
  if (is_nullable || (type_of(out) == "array" && !out.contains("items"))) json::remove(out, "type");
  const Object* properties = json::get_object(out, {"properties"});
  const Array* required = json::get_array(out, {"required"});
  if (!properties || !required) return out;
  Array kept;
  for (const Value& each : *required) {
    const auto* name = each.if_string();
    const Value* property = name ? properties->if_contains(json::view(*name)) : nullptr;
    const bool may_be_null = property && property->is_object() && is_true(property->get_object(), "nullable");
    if (!may_be_null) kept.push_back(each);
  }
  out["required"] = std::move(kept);
  return out;
}

}  // namespace

json::Value PublishedSchemas::reference(std::string_view name) {
  add_definition(name);
  return Object{
      {"$ref", fmt::format("{}{}", dialect_ == OpenApiDialect::V2 ? kDefinitions : kComponents, name)}};
}

json::Value PublishedSchemas::convert(const json::Value& schema) {
  return schema.is_object() ? Value(convert_object(schema.get_object())) : schema;
}

json::Object PublishedSchemas::convert_object(const json::Object& written) {
  const Object source = dialect_ == OpenApiDialect::V2 ? without_v3_only(written) : written;
  Object out;
  std::string_view referenced;
  for (const auto& [key, value] : source) {
    if (key == "$ref" && value.is_string()) {
      referenced = json::view(value.get_string());
    } else if (key == "properties" && value.is_object()) {
      Object properties;
      for (const auto& [name, property] : value.get_object()) properties.emplace(name, convert(property));
      if (!properties.empty()) out.emplace(key, std::move(properties));
    } else if (key == "items" || key == "additionalProperties" || key == "not") {
      out.emplace(key, convert(value));
    } else if ((key == "allOf" || key == "anyOf" || key == "oneOf") && value.is_array()) {
      Array branches;
      for (const Value& branch : value.get_array()) branches.push_back(convert(branch));
      out.emplace(key, std::move(branches));
    } else {
      out.emplace(key, value);
    }
  }
  if (referenced.empty()) return out;
  Object ref = reference(referenced.substr(referenced.rfind('/') + 1)).as_object();
  if (out.empty()) return ref;
  if (dialect_ == OpenApiDialect::V2) {
    out.emplace("$ref", ref.at("$ref"));
  } else {
    out.emplace("allOf", Array{std::move(ref)});
  }
  return out;
}

void PublishedSchemas::add_definition(std::string_view name) {
  if (schemas_.contains(name)) return;
  Object& place = schemas_[std::string(name)];  // before its content: definitions refer to themselves
  if (auto special = special_definition(name, dialect_)) {
    place = *std::move(special);
    return;
  }
  const Object* source = builtin_definition(name);
  Object made = source ? convert_object(*source) : described("object", "");
  schemas_[std::string(name)] = std::move(made);
}

void PublishedSchemas::add(const Resource& resource, const ServedVersion& version) {
  const std::string name = definition_name(resource, version);
  if (resource.is_custom) {
    schemas_[name] = custom_schema(resource, version);
  } else {
    add_definition(name);
  }
  if (resource.has_verb("list"))
    schemas_[list_definition_name(resource, version)] = list_schema(resource, version);
}

// Every object within has apiVersion, kind and metadata, whether its schema says so or not.
void PublishedSchemas::add_embedded_fields(json::Object& schema) {
  if (Object* properties = schema.contains("properties") ? schema["properties"].if_object() : nullptr) {
    for (auto& member : *properties) {
      if (Object* property = member.value().if_object()) add_embedded_fields(*property);
    }
  }
  for (const std::string_view key : {"items", "additionalProperties"}) {
    if (Object* inner = schema.contains(key) ? schema[key].if_object() : nullptr) add_embedded_fields(*inner);
  }
  const bool is_open = is_true(schema, "x-kubernetes-preserve-unknown-fields");
  if (!is_true(schema, "x-kubernetes-embedded-resource") || (is_open && dialect_ == OpenApiDialect::V2))
    return;
  Object& properties = json::ensure_object(schema, {"properties"});
  properties["apiVersion"] = described("string", "Group and version of this schema.");
  properties["kind"] = described("string", "Name of the REST resource type in CamelCase.");
  properties["metadata"] =
      convert_object({{"description", "Standard object metadata."},
                      {"$ref", fmt::format("{}{}ObjectMeta", kDefinitions, kMetaPrefix)}});
}

json::Object PublishedSchemas::custom_schema(const Resource& resource, const ServedVersion& version) {
  const Object* written = version.openapi.if_object();
  const bool is_open = written && is_true(*written, "x-kubernetes-preserve-unknown-fields");
  Object out{{"type", "object"}};
  if (written && !(is_open && dialect_ == OpenApiDialect::V2)) {
    out = convert_object(*written);
    add_embedded_fields(out);
    Object& properties = json::ensure_object(out, {"properties"});
    properties["apiVersion"] = described("string", "Group and version of this schema.");
    properties["kind"] = described("string", "Name of the REST resource type in CamelCase.");
    properties["metadata"] =
        convert_object({{"description", "Standard object metadata."},
                        {"$ref", fmt::format("{}{}ObjectMeta", kDefinitions, kMetaPrefix)}});
  }
  out[kGvk] = gvk(resource, version, resource.kind);
  if (dialect_ == OpenApiDialect::V3 && !version.field_selectors.empty()) {
    Array fields;
    for (const std::string& path : version.field_selectors) fields.push_back(Object{{"fieldPath", path}});
    out["x-kubernetes-selectable-fields"] = std::move(fields);
  }
  return out;
}

json::Object PublishedSchemas::list_schema(const Resource& resource, const ServedVersion& version) {
  // The item's own definition is already there; it is not one of the built-in ones when it is custom.
  const std::string item = fmt::format("{}{}", dialect_ == OpenApiDialect::V2 ? kDefinitions : kComponents,
                                       definition_name(resource, version));
  Object properties{
      {"apiVersion", described("string", "Group and version of this schema.")},
      {"items", Object{{"description", fmt::format("List of {}.", resource.plural)},
                       {"type", "array"},
                       {"items", Object{{"$ref", item}}}}},
      {"kind", described("string", "Name of the REST resource type in CamelCase.")},
      {"metadata", convert_object({{"description", "Standard list metadata."},
                                   {"$ref", fmt::format("{}{}ListMeta", kDefinitions, kMetaPrefix)}})}};
  return {{"description", fmt::format("{} is a list of {}", resource.list_kind, resource.kind)},
          {"type", "object"},
          {"required", Array{"items"}},
          {"properties", std::move(properties)},
          {kGvk, gvk(resource, version, resource.list_kind)}};
}

json::Object PublishedSchemas::take() {
  Object out;
  out.reserve(schemas_.size());
  for (auto& [name, schema] : schemas_) out.emplace(name, std::move(schema));
  return out;
}

}  // namespace fairway::apiserver
