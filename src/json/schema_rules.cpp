#include "json/schema_rules.hpp"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <set>

#include "json/schema.hpp"
#include "json/schema_embedded.hpp"
#include "json/schema_prune.hpp"
#include "json/schema_source.hpp"
#include "json/schema_validate.hpp"

namespace fairway::json {
namespace {

const std::vector<std::string> kTypes{"array", "boolean", "integer", "number", "object", "string"};

bool is_meta_field(std::string_view name) {
  return name == "metadata" || name == "kind" || name == "apiVersion";
}

bool is_present(const SchemaSource& schema, std::string_view key) {
  const Value* value = schema.value(key);
  return value && !value->is_null();
}

// What holds for a schema because of where it stands.
struct Context {
  bool is_root = false;
  bool inside_metadata = false;
  std::string_view no_defaults = {};  // why a default is refused; empty where it is allowed
};

class RuleCheck {
 public:
  FieldErrors errors;
  bool is_readable = true;  // false when a keyword keeps the schema from being read as a structural one

  void visit(const SchemaSource& schema, const std::string& path, const Context& context) {
    support(schema, path, context);
    if (schema.flag("uniqueItems")) {
      forbid(child_path(path, "uniqueItems"),
             "uniqueItems cannot be set to true since the runtime complexity becomes quadratic");
    }
    additional(schema, path, context);
    schema.each_property([&](std::string_view name, SchemaSource property) {
      visit(property, key_path(child_path(path, "properties"), name), of_property(schema, name, context));
    });
    branches(schema, path, context);
    if (const Value* preserve = schema.value("x-kubernetes-preserve-unknown-fields");
        preserve && preserve->is_bool() && !preserve->get_bool()) {
      is_readable = false;
      errors.push_back(FieldError::invalid(child_path(path, "x-kubernetes-preserve-unknown-fields"), false,
                                           "must be true or undefined"));
    }
    map_type(schema, path);
    list_type(schema, path);
    list_map(schema, path);
    list_keys(schema, path);
    validations(schema, path);
  }

 private:
  void forbid(std::string path, std::string detail) {
    errors.push_back(FieldError::forbidden(std::move(path), std::move(detail)));
  }

  static Context inner(const Context& context) {
    return {false, context.inside_metadata, context.no_defaults};
  }

  static Context of_property(const SchemaSource& schema, std::string_view name, const Context& context) {
    Context inside = inner(context);
    const bool is_resource = context.is_root || schema.flag("x-kubernetes-embedded-resource");
    if (!is_resource || !is_meta_field(name)) return inside;
    inside.inside_metadata = true;
    if (context.is_root) {
      inside.no_defaults = name == "metadata" ? "in top-level metadata"
                           : name == "kind"   ? "in top-level kind"
                                              : "in top-level apiVersion";
    }
    return inside;
  }

  // What of OpenAPI is supported here at all.
  void support(const SchemaSource& schema, const std::string& path, const Context& context) {
    const std::string_view type = schema.text("type");
    if (!type.empty() && !std::ranges::binary_search(kTypes, type)) {
      errors.push_back(FieldError::not_supported(child_path(path, "type"), Value(type), kTypes));
    }
    if (is_present(schema, "default") && !context.no_defaults.empty()) {
      forbid(child_path(path, "default"), fmt::format("must not be set {}", context.no_defaults));
    }
    for (const std::string_view key :
         {"id", "additionalItems", "patternProperties", "definitions", "dependencies", "$ref"}) {
      if (!is_present(schema, key)) continue;
      forbid(child_path(path, key), fmt::format("{} is not supported", key));
      is_readable = false;
    }
    if (type == "null") {
      forbid(child_path(path, "type"), "type cannot be set to null, use nullable as an alternative");
    }
    if (const Array* several = schema.list("items"); several && !several->empty()) {
      forbid(child_path(path, "items"), "items must be a schema object and not an array");
      is_readable = false;
    }
    if (context.inside_metadata && schema.flag("x-kubernetes-embedded-resource")) {
      forbid(child_path(path, "x-kubernetes-embedded-resource"), "must not be used inside of resource meta");
    }
  }

  void additional(const SchemaSource& schema, const std::string& path, const Context& context) {
    const Value* written = schema.value("additionalProperties");
    if (!written || written->is_null()) return;
    const std::string where = child_path(path, "additionalProperties");
    const bool is_true = written->is_bool() && written->get_bool();
    if (schema.property_count() != 0 && !is_true) {
      forbid(where, "additionalProperties and properties are mutual exclusive");
    }
    Context inside = inner(context);
    if (context.inside_metadata)
      inside.no_defaults = "inside additionalProperties applying to object metadata";
    if (const auto described = schema.subschema("additionalProperties")) visit(*described, where, inside);
  }

  void branches(const SchemaSource& schema, const std::string& path, const Context& context) {
    const Context inside = inner(context);
    for (const std::string_view key : {"not", "items"}) {
      if (const auto one = schema.subschema(key)) visit(*one, child_path(path, key), inside);
    }
    for (const std::string_view key : {"allOf", "oneOf", "anyOf"}) {
      schema.each_branch(key, [&](std::size_t i, SchemaSource branch) {
        visit(branch, index_path(child_path(path, key), i), inside);
      });
    }
  }

  void require_type(const SchemaSource& schema, const std::string& path, std::string_view type,
                    std::string_view key) {
    const std::string_view actual = schema.text("type");
    const std::string where = child_path(path, "type");
    const std::string detail = fmt::format("must be {} if {} is specified", type, key);
    if (actual == type) return;
    errors.push_back(actual.empty() ? FieldError::required(where, detail)
                                    : FieldError::invalid(where, Value(actual), detail));
  }

  void map_type(const SchemaSource& schema, const std::string& path) {
    constexpr std::string_view kKey = "x-kubernetes-map-type";
    if (!is_present(schema, kKey)) return;
    require_type(schema, path, "object", kKey);
    const std::vector<std::string> supported{"atomic", "granular"};
    if (std::ranges::find(supported, schema.text(kKey)) == supported.end()) {
      errors.push_back(
          FieldError::not_supported(child_path(path, kKey), Value(schema.text(kKey)), supported));
    }
  }

  void list_type(const SchemaSource& schema, const std::string& path) {
    constexpr std::string_view kKey = "x-kubernetes-list-type";
    if (!is_present(schema, kKey)) return;
    require_type(schema, path, "array", kKey);
    if (schema.text("type") == "array" && schema.text(kKey) == "set") set_items(schema, path);
    const std::vector<std::string> supported{"atomic", "set", "map"};
    if (std::ranges::find(supported, schema.text(kKey)) == supported.end()) {
      errors.push_back(
          FieldError::not_supported(child_path(path, kKey), Value(schema.text(kKey)), supported));
    }
  }

  void set_items(const SchemaSource& schema, const std::string& path) {
    const auto items = schema.subschema("items");
    if (!items) return;
    const auto refuse = [&](std::string_view key) {
      const std::string_view actual = items->text(key);
      errors.push_back(FieldError::invalid(
          child_path(child_path(path, "items"), key), actual.empty() ? Value() : Value(actual),
          "must be atomic as item of a list with x-kubernetes-list-type=set"));
    };
    const std::string_view list = items->text("x-kubernetes-list-type");
    if (items->text("type") == "array" && !list.empty() && list != "atomic") refuse("x-kubernetes-list-type");
    if (items->text("type") == "object" && items->text("x-kubernetes-map-type") != "atomic") {
      refuse("x-kubernetes-map-type");
    }
  }

  void list_map(const SchemaSource& schema, const std::string& path) {
    const Array* keys = schema.list("x-kubernetes-list-map-keys");
    const std::string_view type = schema.text("x-kubernetes-list-type");
    const std::string type_path = child_path(path, "x-kubernetes-list-type");
    constexpr std::string_view kDetail = "must be map if x-kubernetes-list-map-keys is non-empty";
    if (keys && !keys->empty() && type != "map") {
      errors.push_back(type.empty() ? FieldError::required(type_path, std::string(kDetail))
                                    : FieldError::invalid(type_path, Value(type), std::string(kDetail)));
    }
    if (type != "map") return;
    if (!keys || keys->empty()) {
      errors.push_back(FieldError::required(child_path(path, "x-kubernetes-list-map-keys"),
                                            "must not be empty if x-kubernetes-list-type is map"));
    }
    const auto items = schema.subschema("items");
    if (!items) {
      errors.push_back(FieldError::required(child_path(path, "items"),
                                            "must have a schema if x-kubernetes-list-type is map"));
    } else if (items->text("type") != "object") {
      errors.push_back(FieldError::invalid(child_path(child_path(path, "items"), "type"),
                                           Value(items->text("type")),
                                           "must be object if parent array's x-kubernetes-list-type is map"));
    } else if (keys) {
      map_keys(*items, *keys, path);
    }
  }

  void map_keys(const SchemaSource& items, const Array& keys, const std::string& path) {
    const std::string where = child_path(path, "x-kubernetes-list-map-keys");
    std::set<std::string_view> seen;
    for (const Value& each : keys) {
      const std::string_view key = view(each.get_string());
      const auto property = items.property(key);
      if (!property) {
        errors.push_back(FieldError::invalid(where, keys, "entries must all be names of item properties"));
      } else if (property->text("type") == "array" || property->text("type") == "object") {
        const auto at =
            child_path(key_path(child_path(child_path(path, "items"), "properties"), key), "type");
        errors.push_back(
            FieldError::invalid(at, Value(items.text("type")),
                                "must be a scalar type if parent array's x-kubernetes-list-type is map"));
      }
      if (!seen.insert(key).second) {
        errors.push_back(FieldError::invalid(where, keys, "must not contain duplicate entries"));
      }
    }
  }

  // Items of sets and maps are found by value or key, so neither may be missing.
  void list_keys(const SchemaSource& schema, const std::string& path) {
    const auto items = schema.subschema("items");
    const std::string_view type = schema.text("x-kubernetes-list-type");
    if (!items || (type != "set" && type != "map")) return;
    const std::string item_path = child_path(path, "items");
    if (items->flag("nullable")) {
      forbid(child_path(item_path, "nullable"),
             fmt::format("cannot be nullable when x-kubernetes-list-type is {}", type));
    }
    const Array* keys = type == "map" ? schema.list("x-kubernetes-list-map-keys") : nullptr;
    const Array* required = items->list("required");
    for (std::size_t i = 0; keys && i < keys->size(); ++i) {
      const std::string_view key = view((*keys)[i].get_string());
      const auto property = items->property(key);
      if (!property) continue;
      const std::string where = key_path(child_path(item_path, "properties"), key);
      const bool is_required = required && std::ranges::find((*required), (*keys)[i]) != required->end();
      if (!is_required && !is_present(*property, "default")) {
        errors.push_back(
            FieldError::required(child_path(where, "default"),
                                 "this property is in x-kubernetes-list-map-keys, so it must have a "
                                 "default or be a required property"));
      }
      if (property->flag("nullable")) {
        forbid(child_path(where, "nullable"),
               "this property is in x-kubernetes-list-map-keys, so it cannot be nullable");
      }
    }
  }

  void validations(const SchemaSource& schema, const std::string& path) {
    schema.each_branch("x-kubernetes-validations", [&](std::size_t i, SchemaSource rule) {
      if (!rule.text("rule").empty()) return;
      const auto where = index_path(child_path(path, "x-kubernetes-validations"), i);
      errors.push_back(FieldError::required(child_path(where, "rule"), "rule is not specified"));
    });
  }
};

// With a status subresource the part under properties[status] is validated alone, so that nothing at the root
// may reach across.
void check_root(const SchemaSource& schema, const std::string& path, FieldErrors& errors) {
  constexpr std::array<std::string_view, 23> kAllowed{"description",
                                                      "type",
                                                      "format",
                                                      "title",
                                                      "maximum",
                                                      "exclusiveMaximum",
                                                      "minimum",
                                                      "exclusiveMinimum",
                                                      "maxLength",
                                                      "minLength",
                                                      "pattern",
                                                      "maxItems",
                                                      "minItems",
                                                      "uniqueItems",
                                                      "multipleOf",
                                                      "required",
                                                      "items",
                                                      "properties",
                                                      "externalDocs",
                                                      "example",
                                                      "x-kubernetes-preserve-unknown-fields",
                                                      "x-kubernetes-validations",
                                                      "nullable"};
  if (const auto type = schema.text("type"); !type.empty() && type != "object") {
    errors.push_back(
        FieldError::invalid(child_path(path, "type"), Value(type),
                            "only \"object\" is allowed as the type at the root of the schema if "
                            "the status subresource is enabled"));
  }
  for (const auto& [key, value] : schema.object()) {
    if (value.is_null() || std::ranges::find(kAllowed, std::string_view(key)) != kAllowed.end()) continue;
    errors.push_back(FieldError::invalid(
        path, Value(key),
        "only [Description Type Format Title Maximum ExclusiveMaximum Minimum ExclusiveMinimum MaxLength "
        "MinLength Pattern MaxItems MinItems UniqueItems MultipleOf Required Items Properties ExternalDocs "
        "Example XPreserveUnknownFields XValidations] fields are allowed at the root of the schema if the "
        "status subresource is enabled"));
    return;
  }
}

// A default must be a value that the schema accepts and leaves as it is.
class DefaultCheck {
 public:
  FieldErrors errors;

  void visit(const Schema& schema, const std::string& path, std::size_t depth) {
    if (depth > kMaxSchemaDepth) return;
    if (schema.default_value) {
      const std::string where = child_path(path, "default");
      Value pruned = *schema.default_value;
      prune(schema, pruned);
      if (pruned != *schema.default_value) {
        errors.push_back(FieldError::invalid(where, *schema.default_value, "must not have unknown fields"));
      }
      FieldErrors found;
      check_embedded_resources(schema, *schema.default_value, where, found);
      if (found.empty()) found = validate(schema, *schema.default_value, where);
      std::ranges::move(found, std::back_inserter(errors));
    }
    if (schema.items) visit(*schema.items, child_path(path, "items"), depth + 1);
    for (const Schema::Property& each : schema.properties) {
      visit(*each.schema, key_path(child_path(path, "properties"), each.name), depth + 1);
    }
  }
};

}  // namespace

FieldErrors check_custom_resource_schema(const Value& openapi, std::string_view path,
                                         const CustomResourceRules& rules) {
  if (FieldErrors shape = check_shape(openapi, path); !shape.empty()) return shape;
  const SchemaSource schema(openapi.get_object());
  const std::string where(path);
  RuleCheck check;
  if (rules.status_subresource) check_root(schema, where, check.errors);
  if (schema.flag("nullable")) {
    check.errors.push_back(
        FieldError::forbidden(child_path(where, "nullable"), "nullable cannot be true at the root"));
  }
  check.visit(schema, where, Context{.is_root = true});
  if (!check.is_readable) return std::move(check.errors);
  FieldErrors structural = check_structural(openapi, path);
  const bool is_structural = structural.empty();
  std::ranges::move(structural, std::back_inserter(check.errors));
  if (!is_structural) return std::move(check.errors);

  const auto compiled = compile_schema(openapi);
  if (!compiled) {
    if (check.errors.empty())
      check.errors.push_back(FieldError::invalid(where, Value(""), compiled.error().message));
    return std::move(check.errors);
  }
  DefaultCheck defaults;
  defaults.visit(**compiled, where, 0);
  std::ranges::move(defaults.errors, std::back_inserter(check.errors));
  return std::move(check.errors);
}

}  // namespace fairway::json
