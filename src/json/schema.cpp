#include "json/schema.hpp"

#include <algorithm>

namespace fairway::json {
namespace {

// From the official OpenAPI document, without its prose.
constexpr std::string_view kObjectMeta = R"({
  "type": "object",
  "properties": {
    "annotations": {"type": "object", "additionalProperties": {"type": "string"}},
    "creationTimestamp": {"type": "string", "format": "date-time"},
    "deletionGracePeriodSeconds": {"type": "integer", "format": "int64"},
    "deletionTimestamp": {"type": "string", "format": "date-time"},
    "finalizers": {"type": "array", "items": {"type": "string"},
                   "x-kubernetes-list-type": "set", "x-kubernetes-patch-strategy": "merge"},
    "generateName": {"type": "string"},
    "generation": {"type": "integer", "format": "int64"},
    "labels": {"type": "object", "additionalProperties": {"type": "string"}},
    "managedFields": {"type": "array", "x-kubernetes-list-type": "atomic", "items": {
      "type": "object",
      "properties": {
        "apiVersion": {"type": "string"},
        "fieldsType": {"type": "string"},
        "fieldsV1": {"type": "object"},
        "manager": {"type": "string"},
        "operation": {"type": "string"},
        "subresource": {"type": "string"},
        "time": {"type": "string", "format": "date-time"}}}},
    "name": {"type": "string"},
    "namespace": {"type": "string"},
    "ownerReferences": {"type": "array", "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["uid"],
                        "x-kubernetes-patch-strategy": "merge", "x-kubernetes-patch-merge-key": "uid", "items": {
      "type": "object", "x-kubernetes-map-type": "atomic",
      "required": ["apiVersion", "kind", "name", "uid"],
      "properties": {
        "apiVersion": {"type": "string"},
        "blockOwnerDeletion": {"type": "boolean"},
        "controller": {"type": "boolean"},
        "kind": {"type": "string"},
        "name": {"type": "string"},
        "uid": {"type": "string"}}}},
    "resourceVersion": {"type": "string"},
    "selfLink": {"type": "string"},
    "uid": {"type": "string"}}})";

std::shared_ptr<const Schema> built_in(std::string_view text) {
  const auto parsed = parse(text);
  FAIRWAY_CHECK(parsed.has_value(), "a built-in schema is not JSON");
  auto schema = compile_schema(*parsed, {.structural = false, .resource_root = false});
  FAIRWAY_CHECK(schema.has_value(), "a built-in schema does not compile");
  return *std::move(schema);
}

const Schema& text_schema() {
  static const Schema kText{.type = Schema::Type::String};
  return kText;
}

}  // namespace

std::uint64_t Schema::beginning_of(std::string_view name) {
  constexpr std::size_t kBytes = sizeof(std::uint64_t);
  std::uint64_t number = 0;
  if (name.size() >= kBytes) {  // one load
    for (std::size_t i = 0; i < kBytes; ++i) number = number << 8 | static_cast<unsigned char>(name[i]);
    return number;
  }
  for (std::size_t i = 0; i < kBytes; ++i)
    number = number << 8 | (i < name.size() ? static_cast<unsigned char>(name[i]) : 0U);
  return number;
}

const Schema* Schema::property(std::string_view name) const {
  const std::uint64_t beginning = beginning_of(name);
  auto at = std::ranges::lower_bound(properties, beginning, {}, &Property::beginning);
  for (; at != properties.end() && at->beginning == beginning; ++at) {
    if (at->name == name) return at->schema;
  }
  return nullptr;
}

std::string_view to_string(Schema::Type type) {
  switch (type) {
    case Schema::Type::Any:
      return "";
    case Schema::Type::Object:
      return "object";
    case Schema::Type::Array:
      return "array";
    case Schema::Type::String:
      return "string";
    case Schema::Type::Integer:
      return "integer";
    case Schema::Type::Number:
      return "number";
    case Schema::Type::Boolean:
      return "boolean";
  }
  return "";
}

const Schema& object_meta_schema() {
  static const std::shared_ptr<const Schema> kSchema = built_in(kObjectMeta);
  return *kSchema;
}

const Schema& any_schema() {
  static const Schema kAny{.preserve_unknown_fields = true, .deduces_unknown_fields = true};
  return kAny;
}

const Schema* field_schema(const Schema& object, std::string_view name) {
  if (object.is_resource()) {
    if (name == "metadata") return &object_meta_schema();
    if (name == "apiVersion" || name == "kind") return &text_schema();
  }
  if (const Schema* known = object.property(name)) return known;
  return object.additional_properties;
}

}  // namespace fairway::json
