#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <re2/re2.h>

#include "json/schema_rules.hpp"
#include "json/schema_source.hpp"

namespace fairway::json {
namespace {

enum class Level { Root, Item, Field };

bool is_any_of_int_or_string(const SchemaSource& schema) {
  if (schema.branch_count("anyOf") != 2) return false;
  constexpr std::array<std::string_view, 2> kTypes{"integer", "string"};
  bool matches = true;
  schema.each_branch("anyOf", [&](std::size_t i, SchemaSource branch) {
    matches = matches && branch.object().size() == 1 && branch.text("type") == kTypes[i];
  });
  return matches;
}

bool starts_with_int_or_string(const SchemaSource& schema) {
  bool matches = false;
  schema.each_branch("allOf", [&](std::size_t i, SchemaSource branch) {
    if (i == 0) matches = is_any_of_int_or_string(branch);
  });
  return matches;
}

// As Go's regexp says it; both engines know the same errors.
std::string regex_problem(const re2::RE2& regex) {
  const auto words = [&]() -> std::string_view {
    switch (regex.error_code()) {
      case re2::RE2::ErrorBadEscape:
        return "invalid escape sequence";
      case re2::RE2::ErrorBadCharClass:
        return "invalid character class";
      case re2::RE2::ErrorBadCharRange:
        return "invalid character class range";
      case re2::RE2::ErrorMissingBracket:
        return "missing closing ]";
      case re2::RE2::ErrorMissingParen:
        return "missing closing )";
      case re2::RE2::ErrorUnexpectedParen:
        return "unexpected )";
      case re2::RE2::ErrorTrailingBackslash:
        return "trailing backslash at end of expression";
      case re2::RE2::ErrorRepeatArgument:
        return "missing argument to repetition operator";
      case re2::RE2::ErrorRepeatSize:
        return "invalid repeat count";
      case re2::RE2::ErrorRepeatOp:
        return "invalid nested repetition operator";
      case re2::RE2::ErrorBadPerlOp:
        return "invalid or unsupported Perl syntax";
      case re2::RE2::ErrorBadUTF8:
        return "invalid UTF-8";
      case re2::RE2::ErrorBadNamedCapture:
        return "invalid named capture";
      default:
        return "expression too large";
    }
  };
  return fmt::format("error parsing regexp: {}: `{}`", words(), regex.error_arg());
}

// Keywords with a value that means "not set" are as if they were absent.
bool is_set(const SchemaSource& schema, std::string_view key) {
  const Value* value = schema.value(key);
  if (!value || value->is_null()) return false;
  if (value->is_string()) return !value->get_string().empty();
  if (value->is_bool()) return value->get_bool() || key == "additionalProperties";
  if (value->is_array()) return !value->get_array().empty();
  return key == "default" || !value->is_object() || !value->get_object().empty() ||
         key == "additionalProperties";
}

class StructuralCheck {
 public:
  FieldErrors errors;

  // The invariants of a schema that gives structure.
  void structure(const SchemaSource& schema, Level level, const std::string& path) {
    if (schema.text("type") == "array" && !schema.child("items")) {
      errors.push_back(FieldError::required(child_path(path, "items"), "must be specified"));
    }
    if (const auto items = schema.subschema("items"))
      structure(*items, Level::Item, child_path(path, "items"));
    const std::string properties = child_path(path, "properties");
    schema.each_property([&](std::string_view name, SchemaSource property) {
      structure(property, Level::Field, key_path(properties, name));
    });
    additional(schema, level, path);
    extensions(schema, path);
    values(schema, is_any_of_int_or_string(schema), starts_with_int_or_string(schema), path);
    type(schema, level, path);
    resource_fields(schema, level, path);
    if (schema.flag("x-kubernetes-embedded-resource") && !preserves(schema) && schema.property_count() == 0) {
      errors.push_back(FieldError::required(properties,
                                            "must not be empty if x-kubernetes-embedded-resource is true "
                                            "without x-kubernetes-preserve-unknown-fields"));
    }
  }

  // Every field that value validation speaks of must also be described outside of it.
  void completeness(const SchemaSource& rules, const SchemaSource* schema, const std::string& schema_path,
                    const std::string& rules_path) {
    const auto nested = [&](SchemaSource branch, const std::string& where) {
      nested_completeness(branch, schema, schema_path, where);
    };
    if (const auto negated = rules.subschema("not")) nested(*negated, child_path(rules_path, "not"));
    for (const std::string_view key : {"allOf", "anyOf", "oneOf"}) {
      rules.each_branch(key, [&](std::size_t i, SchemaSource branch) {
        nested(branch, index_path(child_path(rules_path, key), i));
      });
    }
  }

 private:
  static bool preserves(const SchemaSource& schema) {
    return schema.flag("x-kubernetes-preserve-unknown-fields");
  }

  void additional(const SchemaSource& schema, Level level, const std::string& path) {
    if (!is_set(schema, "additionalProperties")) return;
    const std::string where = child_path(path, "additionalProperties");
    if (level == Level::Root) errors.push_back(FieldError::forbidden(where, "must not be used at the root"));
    if (const auto described = schema.subschema("additionalProperties")) {
      structure(*described, Level::Field, where);
    }
  }

  void extensions(const SchemaSource& schema, const std::string& path) {
    if (!schema.flag("x-kubernetes-int-or-string")) return;
    for (const std::string_view key :
         {"x-kubernetes-preserve-unknown-fields", "x-kubernetes-embedded-resource"}) {
      if (!schema.flag(key)) continue;
      errors.push_back(FieldError::invalid(child_path(path, key), true,
                                           "must be false if x-kubernetes-int-or-string is true"));
    }
  }

  void type(const SchemaSource& schema, Level level, const std::string& path) {
    const std::string_view type = schema.text("type");
    const std::string where = child_path(path, "type");
    const bool embedded = schema.flag("x-kubernetes-embedded-resource");
    if (embedded && type != "object") {
      constexpr std::string_view kDetail = "must be object if x-kubernetes-embedded-resource is true";
      errors.push_back(type.empty() ? FieldError::required(where, std::string(kDetail))
                                    : FieldError::invalid(where, Value(type), std::string(kDetail)));
    } else if (type.empty() && !schema.flag("x-kubernetes-int-or-string") && !preserves(schema)) {
      errors.push_back(FieldError::required(where, level == Level::Root ? "must not be empty at the root"
                                                   : level == Level::Item
                                                       ? "must not be empty for specified array items"
                                                       : "must not be empty for specified object fields"));
    }
    if (embedded && is_set(schema, "additionalProperties")) {
      errors.push_back(FieldError::forbidden(child_path(path, "additionalProperties"),
                                             "must not be used if x-kubernetes-embedded-resource is set"));
    }
    if (level == Level::Root && !type.empty() && type != "object") {
      errors.push_back(FieldError::invalid(where, Value(type), "must be object at the root"));
    }
  }

  void resource_fields(const SchemaSource& schema, Level level, const std::string& path) {
    const bool is_resource = level == Level::Root || schema.flag("x-kubernetes-embedded-resource");
    const auto require_type = [&](std::string_view name, std::string_view type) {
      const auto property = schema.property(name);
      if (!is_resource || !property || property->text("type") == type) return;
      const auto where = child_path(key_path(child_path(path, "properties"), name), "type");
      errors.push_back(
          FieldError::invalid(where, Value(property->text("type")), fmt::format("must be {}", type)));
    };
    require_type("kind", "string");
    require_type("apiVersion", "string");
    require_type("metadata", "object");
    const auto metadata = schema.property("metadata");
    if (level != Level::Root || !metadata || restricts_only_names(*metadata)) return;
    errors.push_back(FieldError::forbidden(key_path(child_path(path, "properties"), "metadata"),
                                           "must not specify anything other than name and generateName, but "
                                           "metadata is implicitly specified"));
  }

  static bool restricts_only_names(const SchemaSource& metadata) {
    for (const auto& [key, value] : metadata.object()) {
      if (key == "type" || key == "default" || key == "externalDocs" || key == "example") continue;
      if (key != "properties") {
        if (is_set(metadata, key)) return false;
        continue;
      }
      const Object* properties = value.if_object();
      for (std::size_t i = 0; properties && i < properties->size(); ++i) {
        const std::string_view name = (properties->begin() + static_cast<std::ptrdiff_t>(i))->key();
        if (name != "name" && name != "generateName") return false;
      }
    }
    return true;
  }

  // Value validation; in a nested one nothing may give structure, but for the two spellings of int-or-string.
  void values(const SchemaSource& schema, bool skip_any_of, bool skip_first_all_of, const std::string& path) {
    if (!skip_any_of) {
      schema.each_branch("anyOf", [&](std::size_t i, SchemaSource branch) {
        nested(branch, false, index_path(child_path(path, "anyOf"), i));
      });
    }
    schema.each_branch("allOf", [&](std::size_t i, SchemaSource branch) {
      nested(branch, skip_first_all_of && i == 0, index_path(child_path(path, "allOf"), i));
    });
    schema.each_branch("oneOf", [&](std::size_t i, SchemaSource branch) {
      nested(branch, false, index_path(child_path(path, "oneOf"), i));
    });
    if (const auto negated = schema.subschema("not")) nested(*negated, false, child_path(path, "not"));
    pattern(schema, path);
  }

  void pattern(const SchemaSource& schema, const std::string& path) {
    const std::string_view pattern = schema.text("pattern");
    if (pattern.empty()) return;
    const re2::RE2 regex(re2::StringPiece(pattern.data(), pattern.size()), re2::RE2::Quiet);
    if (regex.ok()) return;
    errors.push_back(FieldError::invalid(
        child_path(path, "pattern"), Value(pattern),
        fmt::format("must be a valid regular expression, but isn't: {}", regex_problem(regex))));
  }

  void nested(const SchemaSource& schema, bool skip_any_of, const std::string& path) {
    values(schema, skip_any_of, false, path);
    if (const auto items = schema.subschema("items")) nested(*items, false, child_path(path, "items"));
    schema.each_property([&](std::string_view name, SchemaSource property) {
      nested(property, false, key_path(child_path(path, "properties"), name));
    });
    struct Structural {
      std::string_view key;
      std::string_view detail;
    };
    constexpr std::array<Structural, 13> kForbidden{{
        {"type", "must be empty to be structural"},
        {"additionalProperties", "must be undefined to be structural"},
        {"default", "must be undefined to be structural"},
        {"title", "must be empty to be structural"},
        {"description", "must be empty to be structural"},
        {"nullable", "must be false to be structural"},
        {"x-kubernetes-preserve-unknown-fields", "must be false to be structural"},
        {"x-kubernetes-embedded-resource", "must be false to be structural"},
        {"x-kubernetes-int-or-string", "must be false to be structural"},
        {"x-kubernetes-list-map-keys", "must be empty to be structural"},
        {"x-kubernetes-list-type", "must be undefined to be structural"},
        {"x-kubernetes-map-type", "must be undefined to be structural"},
        {"x-kubernetes-validations", "must be empty to be structural"},
    }};
    for (const auto& [key, detail] : kForbidden) {
      if (is_set(schema, key))
        errors.push_back(FieldError::forbidden(child_path(path, key), std::string(detail)));
    }
    if (schema.property("metadata")) {
      errors.push_back(FieldError::forbidden(key_path(child_path(path, "properties"), "metadata"),
                                             "must not be specified in a nested context"));
    }
  }

  void nested_completeness(const SchemaSource& rules, const SchemaSource* schema,
                           const std::string& schema_path, const std::string& rules_path) {
    if (!schema) {
      errors.push_back(
          FieldError::required(schema_path, fmt::format("because it is defined in {}", rules_path)));
      return;
    }
    completeness(rules, schema, schema_path, rules_path);
    if (const auto items = rules.subschema("items")) {
      const auto described = schema->subschema("items");
      nested_completeness(*items, described ? &*described : nullptr, child_path(schema_path, "items"),
                          child_path(rules_path, "items"));
    }
    rules.each_property([&](std::string_view name, SchemaSource property) {
      const auto described = schema->property(name);
      nested_completeness(property, described ? &*described : nullptr,
                          key_path(child_path(schema_path, "properties"), name),
                          key_path(child_path(rules_path, "properties"), name));
    });
  }
};

}  // namespace

FieldErrors check_structural(const Value& openapi, std::string_view path, bool is_root) {
  if (FieldErrors shape = check_shape(openapi, path); !shape.empty()) return shape;
  const SchemaSource schema(openapi.get_object());
  StructuralCheck check;
  const std::string where(path);
  check.structure(schema, is_root ? Level::Root : Level::Field, where);
  check.completeness(schema, &schema, where, where);
  std::ranges::sort(check.errors, {}, &FieldError::text);
  return std::move(check.errors);
}

}  // namespace fairway::json
