#include <algorithm>
#include <array>
#include <deque>
#include <fmt/format.h>
#include <map>
#include <re2/re2.h>

#include "base/text.hpp"
#include "json/schema.hpp"
#include "json/schema_errors.hpp"
#include "json/schema_formats.hpp"
#include "json/schema_rules.hpp"
#include "json/schema_source.hpp"

namespace fairway::json {
namespace {

// Where the compiler is. The chain holds the definitions entered since the last step into a part of the
// value: meeting one of them again would never end.
struct Place {
  std::string path;
  std::size_t depth = 0;
  bool deduces = false;  // inherited preserve-unknown-fields
  std::vector<std::string> chain = {};

  Place part(std::string where, bool inherits) const { return {std::move(where), depth + 1, inherits, {}}; }
  Place branch(std::string where) const { return {std::move(where), depth + 1, deduces, chain}; }
};

// A reference with keywords beside it: the target's content, then the keywords.
struct Alias {
  Schema* node;
  Schema* target;
  const Object* beside;
  bool done = false;
};

struct Nodes {
  std::deque<Schema> all;
};

std::string_view last_part(std::string_view text, char separator) {
  return text.substr(text.rfind(separator) + 1);
}

std::optional<Schema::Type> type_of(std::string_view name) {
  using enum Schema::Type;
  for (const Schema::Type type : {Any, Object, Array, String, Integer, Number, Boolean}) {
    if (to_string(type) == name) return type;
  }
  return std::nullopt;
}

std::vector<std::string> texts(const Array* list) {
  std::vector<std::string> out;
  if (!list) return out;
  for (const Value& each : *list) {
    if (each.is_string()) out.emplace_back(view(each.get_string()));
  }
  return out;
}

bool is_written(const SchemaSource& source, std::string_view key) {
  const Value* value = source.value(key);
  return value && !value->is_null();
}

class Compiler {
 public:
  explicit Compiler(const SchemaOptions& options) : options_(options) {}

  Result<std::shared_ptr<const Schema>> run(const Value& openapi) {
    FAIRWAY_TRY(Schema * root, node_of(openapi, Place{.path = ""}));
    for (Alias& alias : aliases_) FAIRWAY_CHECKED(settle(alias, 0));
    if (options_.resource_root) root = as_resource(*root);
    return std::shared_ptr<const Schema>(nodes_, root);
  }

 private:
  Schema* new_node() { return &nodes_->all.emplace_back(); }

  // The root may also be somebody's field in a cyclic document, so it is marked on a copy.
  Schema* as_resource(const Schema& root) {
    Schema* copy = new_node();
    *copy = root;
    copy->resource_root = true;
    return copy;
  }

  static std::unexpected<Error> refuse(const Place& place, std::string_view problem) {
    return fail(ErrorCode::Invalid,
                fmt::format("schema at {}: {}", quoted(place.path.empty() ? "." : place.path), problem));
  }

  Result<Schema*> node_of(const Value& openapi, const Place& place) {
    if (place.depth > kMaxSchemaDepth) return refuse(place, "nested too deep");
    if (!openapi.is_object())
      return refuse(place, fmt::format("expected an object, found {}", a_kind(openapi)));
    const SchemaSource source(openapi.get_object());
    if (const auto reference = reference_in(source); !reference.empty()) {
      return follow(reference, source, place);
    }
    Schema* node = new_node();
    FAIRWAY_CHECKED(fill(*node, source, place));
    return node;
  }

  // `$ref`, or the only `allOf` branch when that is a reference: the form OpenAPI v3 uses to put keywords
  // beside it.
  static std::string_view reference_in(const SchemaSource& source) {
    if (const auto direct = source.text("$ref"); !direct.empty()) return direct;
    std::string_view only;
    if (!source.has("type") && source.branch_count("allOf") == 1) {
      source.each_branch("allOf", [&](std::size_t, SchemaSource branch) { only = branch.text("$ref"); });
    }
    return only;
  }

  Result<Schema*> follow(std::string_view reference, const SchemaSource& source, const Place& place) {
    FAIRWAY_TRY(Schema * target, definition(std::string(last_part(reference, '/')), place));
    const bool alone = source.object().size() == 1 && source.has("$ref");
    if (alone) return target;
    Schema* node = new_node();
    add_alias(node, target, source);
    return node;
  }

  Result<Schema*> definition(const std::string& name, const Place& place) {
    if (std::ranges::find(place.chain, name) != place.chain.end()) {
      return refuse(place, fmt::format("the reference to {} leads back to itself", quoted(name)));
    }
    if (const auto known = definitions_.find(name); known != definitions_.end()) return known->second;
    const Value* source = options_.definitions ? options_.definitions->if_contains(name) : nullptr;
    if (!source) return refuse(place, fmt::format("the reference to {} names no definition", quoted(name)));
    Schema* node = new_node();
    definitions_.emplace(name, node);
    if (const auto kind = last_part(name, '.'); kind == "Quantity" || kind == "RawExtension") {
      node->opaque = true;
      node->preserve_unknown_fields = true;
      return node;
    }
    Place inside{"definitions." + name, place.depth + 1, false, place.chain};
    inside.chain.push_back(name);
    FAIRWAY_CHECKED(fill_definition(*node, *source, inside));
    return node;
  }

  Result<void> fill_definition(Schema& node, const Value& source, const Place& place) {
    if (place.depth > kMaxSchemaDepth) return refuse(place, "nested too deep");
    if (!source.is_object()) return refuse(place, "expected an object");
    const SchemaSource object(source.get_object());
    const auto reference = reference_in(object);
    if (reference.empty()) return fill(node, object, place);
    FAIRWAY_TRY(Schema * target, definition(std::string(last_part(reference, '/')), place));
    add_alias(&node, target, object);
    return {};
  }

  void add_alias(Schema* node, Schema* target, const SchemaSource& beside) {
    alias_of_[node] = &aliases_.emplace_back(Alias{node, target, &beside.object()});
  }

  // Copies the target's content into the alias, once that has its own.
  Result<void> settle(Alias& alias, std::size_t depth) {
    if (alias.done) return {};
    if (depth > kMaxSchemaDepth)
      return fail(ErrorCode::Invalid, "schema: references lead back to themselves");
    const auto target = alias_of_.find(alias.target);
    if (target != alias_of_.end()) FAIRWAY_CHECKED(settle(*target->second, depth + 1));
    *alias.node = *alias.target;
    alias.done = true;
    const SchemaSource beside(*alias.beside);
    read_sharing(*alias.node, beside);
    if (const Value* value = beside.value("default"); value && !value->is_null())
      alias.node->default_value = *value;
    alias.node->nullable = alias.node->nullable || beside.flag("nullable");
    return {};
  }

  Result<void> fill(Schema& node, const SchemaSource& source, const Place& place) {
    const auto type = type_of(source.text("type"));
    if (!type) {
      return refuse(place,
                    fmt::format("type {} is not one of object, array, string, integer, number, boolean",
                                quoted(source.text("type"))));
    }
    node.type = *type;
    node.nullable = source.flag("nullable");
    node.preserve_unknown_fields = source.flag("x-kubernetes-preserve-unknown-fields");
    node.embedded_resource = source.flag("x-kubernetes-embedded-resource");
    node.int_or_string = source.flag("x-kubernetes-int-or-string") ||
                         (!options_.structural && source.text("format") == "int-or-string");
    if (node.int_or_string) node.type = Schema::Type::Any;
    node.deduces_unknown_fields = place.deduces || node.preserve_unknown_fields;
    node.required = texts(source.list("required"));
    if (const Value* value = source.value("default"); value && !value->is_null()) node.default_value = *value;
    if (const Value* value = source.value("x-kubernetes-validations")) node.validations = *value;
    read_sharing(node, source);
    FAIRWAY_CHECKED(fill_parts(node, source, place));
    return fill_rules(node, source, place);
  }

  static void read_sharing(Schema& node, const SchemaSource& source) {
    if (const auto list = source.text("x-kubernetes-list-type"); !list.empty()) {
      node.list_type = list == "set"   ? Schema::ListType::Set
                       : list == "map" ? Schema::ListType::Map
                                       : Schema::ListType::Atomic;
    }
    if (const Array* keys = source.list("x-kubernetes-list-map-keys")) node.list_map_keys = texts(keys);
    if (const auto map = source.text("x-kubernetes-map-type"); !map.empty())
      node.atomic_map = map == "atomic";
    for (const std::string_view strategy : split(source.text("x-kubernetes-patch-strategy"), ',')) {
      node.patch_merge = node.patch_merge || strategy == "merge";
      node.patch_replace = node.patch_replace || strategy == "replace";
    }
    if (const auto key = source.text("x-kubernetes-patch-merge-key"); !key.empty())
      node.patch_merge_key = key;
  }

  Result<void> fill_parts(Schema& node, const SchemaSource& source, const Place& place) {
    const bool inherits = node.deduces_unknown_fields;
    if (const Object* properties = source.child("properties")) {
      for (const auto& [name, value] : *properties) {
        const auto where = key_path(child_path(place.path, "properties"), name);
        FAIRWAY_TRY(const Schema* schema, node_of(value, place.part(where, inherits)));
        node.properties.push_back({std::string(name), schema});
      }
      std::ranges::sort(node.properties, {}, &Schema::Property::name);
    }
    if (const Value* items = source.value("items"); items && items->is_object()) {
      FAIRWAY_TRY(node.items, node_of(*items, place.part(child_path(place.path, "items"), inherits)));
    }
    FAIRWAY_CHECKED(fill_additional(node, source, place));
    const bool may_be_object = node.type == Schema::Type::Object || node.type == Schema::Type::Any;
    if (!options_.structural && may_be_object && node.properties.empty() &&
        node.additional == Schema::Additional::Absent) {
      node.preserve_unknown_fields = true;
    }
    return {};
  }

  Result<void> fill_additional(Schema& node, const SchemaSource& source, const Place& place) {
    const Value* written = source.value("additionalProperties");
    if (!written || written->is_null()) return {};
    if (written->is_bool()) {
      node.additional = written->get_bool() ? Schema::Additional::Allowed : Schema::Additional::Forbidden;
      return {};
    }
    node.additional = Schema::Additional::Described;
    const auto where = child_path(place.path, "additionalProperties");
    FAIRWAY_TRY(node.additional_properties,
                node_of(*written, place.part(where, node.deduces_unknown_fields)));
    return {};
  }

  Result<void> fill_rules(Schema& node, const SchemaSource& source, const Place& place) {
    constexpr std::array<std::string_view, 19> kRuleKeys{
        "enum",          "pattern",       "format",           "minimum",         "maximum",
        "multipleOf",    "minLength",     "maxLength",        "minItems",        "maxItems",
        "minProperties", "maxProperties", "uniqueItems",      "allOf",           "anyOf",
        "oneOf",         "not",           "exclusiveMinimum", "exclusiveMaximum"};
    if (std::ranges::none_of(kRuleKeys, [&](auto key) { return is_written(source, key); })) return {};
    auto rules = std::make_shared<ValueRules>();
    if (const Array* values = source.list("enum")) rules->enumeration.assign(values->begin(), values->end());
    rules->minimum = source.number("minimum");
    rules->maximum = source.number("maximum");
    rules->multiple_of = source.number("multipleOf");
    rules->exclusive_minimum = source.flag("exclusiveMinimum");
    rules->exclusive_maximum = source.flag("exclusiveMaximum");
    rules->min_length = source.integer("minLength");
    rules->max_length = source.integer("maxLength");
    rules->min_items = source.integer("minItems");
    rules->max_items = source.integer("maxItems");
    rules->min_properties = source.integer("minProperties");
    rules->max_properties = source.integer("maxProperties");
    rules->unique_items = source.flag("uniqueItems");
    fill_format(*rules, source.text("format"));
    FAIRWAY_CHECKED(fill_pattern(*rules, source, place));
    FAIRWAY_CHECKED(fill_branches(*rules, source, place));
    node.rules = std::move(rules);
    return {};
  }

  void fill_format(ValueRules& rules, std::string_view format) const {
    rules.format_check = format_check(format);
    if (!options_.structural && format == "byte") rules.format_check = is_base64_or_empty;
    if (rules.format_check) rules.format = format;
    rules.whole_int32 = !options_.structural && format == "int32";
  }

  Result<void> fill_pattern(ValueRules& rules, const SchemaSource& source, const Place& place) {
    rules.pattern = source.text("pattern");
    if (rules.pattern.empty()) return {};
    auto& regex = patterns_[rules.pattern];
    if (!regex) regex = std::make_shared<re2::RE2>(rules.pattern, re2::RE2::Quiet);
    if (!regex->ok()) {
      return refuse(place, fmt::format("pattern {} is not a regular expression: {}", quoted(rules.pattern),
                                       regex->error()));
    }
    rules.regex = regex;
    return {};
  }

  Result<void> fill_branches(ValueRules& rules, const SchemaSource& source, const Place& place) {
    const std::array<std::pair<std::string_view, std::vector<const Schema*>*>, 3> kinds{
        {{"allOf", &rules.all_of}, {"anyOf", &rules.any_of}, {"oneOf", &rules.one_of}}};
    for (const auto& [key, into] : kinds) {
      const Array* branches = source.list(key);
      for (std::size_t i = 0; branches && i < branches->size(); ++i) {
        const auto where = index_path(child_path(place.path, key), i);
        FAIRWAY_TRY(const Schema* branch, node_of((*branches)[i], place.branch(where)));
        into->push_back(branch);
      }
    }
    if (const Value* negated = source.value("not"); negated && negated->is_object()) {
      FAIRWAY_TRY(rules.negated, node_of(*negated, place.branch(child_path(place.path, "not"))));
    }
    return {};
  }

  const SchemaOptions& options_;
  std::shared_ptr<Nodes> nodes_ = std::make_shared<Nodes>();
  std::map<std::string, Schema*> definitions_;
  std::map<std::string, std::shared_ptr<const re2::RE2>> patterns_;
  std::deque<Alias> aliases_;
  std::map<const Schema*, Alias*> alias_of_;
};

}  // namespace

Result<std::shared_ptr<const Schema>> compile_schema(const Value& openapi, const SchemaOptions& options) {
  const FieldErrors errors = options.structural
                                 ? check_structural(openapi, "openAPIV3Schema", options.resource_root)
                                 : check_shape(openapi, "schema");
  if (!errors.empty()) return fail(ErrorCode::Invalid, describe(errors));
  return Compiler(options).run(openapi);
}

}  // namespace fairway::json
