#include "json/schema_source.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>

#include "json/schema.hpp"

namespace fairway::json {
namespace {

enum class Kind { Text, Flag, Number, Whole, Texts, Values, Schema, SchemaOrFlag, Schemas, SchemaMap, Rules };

struct Keyword {
  std::string_view name;
  Kind kind;
};

constexpr std::array<Keyword, 42> kKeywords{{
    {"$ref", Kind::Text},
    {"$schema", Kind::Text},
    {"additionalItems", Kind::SchemaOrFlag},
    {"additionalProperties", Kind::SchemaOrFlag},
    {"allOf", Kind::Schemas},
    {"anyOf", Kind::Schemas},
    {"definitions", Kind::SchemaMap},
    {"description", Kind::Text},
    {"enum", Kind::Values},
    {"exclusiveMaximum", Kind::Flag},
    {"exclusiveMinimum", Kind::Flag},
    {"format", Kind::Text},
    {"id", Kind::Text},
    {"items", Kind::Schema},
    {"maxItems", Kind::Whole},
    {"maxLength", Kind::Whole},
    {"maxProperties", Kind::Whole},
    {"maximum", Kind::Number},
    {"minItems", Kind::Whole},
    {"minLength", Kind::Whole},
    {"minProperties", Kind::Whole},
    {"minimum", Kind::Number},
    {"multipleOf", Kind::Number},
    {"not", Kind::Schema},
    {"nullable", Kind::Flag},
    {"oneOf", Kind::Schemas},
    {"pattern", Kind::Text},
    {"patternProperties", Kind::SchemaMap},
    {"properties", Kind::SchemaMap},
    {"required", Kind::Texts},
    {"title", Kind::Text},
    {"type", Kind::Text},
    {"uniqueItems", Kind::Flag},
    {"x-kubernetes-embedded-resource", Kind::Flag},
    {"x-kubernetes-int-or-string", Kind::Flag},
    {"x-kubernetes-list-map-keys", Kind::Texts},
    {"x-kubernetes-list-type", Kind::Text},
    {"x-kubernetes-map-type", Kind::Text},
    {"x-kubernetes-patch-merge-key", Kind::Text},
    {"x-kubernetes-patch-strategy", Kind::Text},
    {"x-kubernetes-preserve-unknown-fields", Kind::Flag},
    {"x-kubernetes-validations", Kind::Rules},
}};
static_assert(std::ranges::is_sorted(kKeywords, {}, &Keyword::name));

std::string_view expected(Kind kind) {
  switch (kind) {
    case Kind::Text:
      return "a string";
    case Kind::Flag:
      return "a boolean";
    case Kind::Number:
      return "a number";
    case Kind::Whole:
      return "an integer";
    case Kind::Texts:
      return "a list of strings";
    case Kind::Values:
      return "a list";
    case Kind::Schema:
      return "an object";
    case Kind::SchemaOrFlag:
      return "an object or a boolean";
    case Kind::Schemas:
      return "a list of objects";
    case Kind::SchemaMap:
      return "a map of objects";
    case Kind::Rules:
      return "a list of objects";
  }
  return "";
}

bool is_whole(const Value& value) {
  return value.is_int64() || value.is_uint64() ||
         (value.is_double() && std::trunc(value.get_double()) == value.get_double());
}

template <class Predicate>
bool is_list_of(const Value& value, Predicate predicate) {
  return value.is_array() && std::ranges::all_of(value.get_array(), predicate);
}

bool fits(const Value& value, Kind kind) {
  switch (kind) {
    case Kind::Text:
      return value.is_string();
    case Kind::Flag:
      return value.is_bool();
    case Kind::Number:
      return value.is_number();
    case Kind::Whole:
      return is_whole(value);
    case Kind::Texts:
      return is_list_of(value, [](const Value& each) { return each.is_string(); });
    case Kind::Values:
      return value.is_array();
    case Kind::Schema:
      return value.is_object() || value.is_array();  // arrays have a message of their own
    case Kind::SchemaOrFlag:
      return value.is_object() || value.is_bool();
    case Kind::Schemas:
    case Kind::Rules:
      return is_list_of(value, [](const Value& each) { return each.is_object(); });
    case Kind::SchemaMap:
      return value.is_object();
  }
  return false;
}

class ShapeCheck {
 public:
  void visit(const Value& schema, const std::string& path, std::size_t depth) {
    if (depth > kMaxSchemaDepth) {
      errors.push_back(FieldError::forbidden(path, "must not be nested so deep"));
      return;
    }
    if (!schema.is_object()) {
      errors.push_back(mismatch(path, schema, Kind::Schema));
      return;
    }
    for (const auto& member : schema.get_object()) keyword(member.key(), member.value(), path, depth);
  }

  FieldErrors errors;

 private:
  static FieldError mismatch(std::string path, const Value& value, Kind kind) {
    return FieldError::type_invalid(std::move(path), Value(kind_name(value)),
                                    fmt::format("must be {}, found {}", expected(kind), a_kind(value)));
  }

  void keyword(std::string_view name, const Value& value, const std::string& path, std::size_t depth) {
    const std::string here = child_path(path, name);
    const auto known = std::ranges::lower_bound(kKeywords, name, {}, &Keyword::name);
    if (known == kKeywords.end() || known->name != name || value.is_null()) return;
    if (!fits(value, known->kind)) {
      errors.push_back(mismatch(here, value, known->kind));
      return;
    }
    descend(known->kind, value, here, depth);
  }

  void descend(Kind kind, const Value& value, const std::string& here, std::size_t depth) {
    if (kind == Kind::SchemaMap) {
      for (const auto& member : value.get_object())
        visit(member.value(), key_path(here, member.key()), depth + 1);
    } else if (kind == Kind::Schemas || (kind == Kind::Schema && value.is_array())) {
      const Array& list = value.get_array();
      for (std::size_t i = 0; i < list.size(); ++i) visit(list[i], index_path(here, i), depth + 1);
    } else if ((kind == Kind::Schema || kind == Kind::SchemaOrFlag) && value.is_object()) {
      visit(value, here, depth + 1);
    }
  }
};

}  // namespace

std::string_view SchemaSource::text(std::string_view key) const {
  const Value* found = value(key);
  return found && found->is_string() ? view(found->get_string()) : std::string_view{};
}

bool SchemaSource::flag(std::string_view key) const {
  const Value* found = value(key);
  return found && found->is_bool() && found->get_bool();
}

std::optional<double> SchemaSource::number(std::string_view key) const {
  const Value* found = value(key);
  if (!found || !found->is_number()) return std::nullopt;
  return found->to_number<double>();
}

std::optional<std::int64_t> SchemaSource::integer(std::string_view key) const {
  const Value* found = value(key);
  if (!found || !found->is_number()) return std::nullopt;
  boost::system::error_code inexact;
  const auto whole = found->to_number<std::int64_t>(inexact);
  if (inexact) return std::nullopt;
  return whole;
}

const Object* SchemaSource::child(std::string_view key) const {
  const Value* found = value(key);
  return found ? found->if_object() : nullptr;
}

const Array* SchemaSource::list(std::string_view key) const {
  const Value* found = value(key);
  return found ? found->if_array() : nullptr;
}

void SchemaSource::each_property(const std::function<void(std::string_view, SchemaSource)>& visit) const {
  const Object* properties = child("properties");
  if (!properties) return;
  for (const auto& member : *properties) {
    if (const Object* schema = member.value().if_object()) visit(member.key(), SchemaSource(*schema));
  }
}

void SchemaSource::each_branch(std::string_view key,
                               const std::function<void(std::size_t, SchemaSource)>& visit) const {
  const Array* branches = list(key);
  if (!branches) return;
  for (std::size_t i = 0; i < branches->size(); ++i) {
    if (const Object* schema = (*branches)[i].if_object()) visit(i, SchemaSource(*schema));
  }
}

std::optional<SchemaSource> SchemaSource::subschema(std::string_view key) const {
  const Object* found = child(key);
  return found ? std::optional(SchemaSource(*found)) : std::nullopt;
}

std::optional<SchemaSource> SchemaSource::property(std::string_view name) const {
  const Object* properties = child("properties");
  const Value* found = properties ? properties->if_contains(name) : nullptr;
  const Object* schema = found ? found->if_object() : nullptr;
  return schema ? std::optional(SchemaSource(*schema)) : std::nullopt;
}

std::size_t SchemaSource::property_count() const {
  const Object* properties = child("properties");
  return properties ? properties->size() : 0;
}

std::size_t SchemaSource::branch_count(std::string_view key) const {
  const Array* branches = list(key);
  return branches ? branches->size() : 0;
}

FieldErrors check_shape(const Value& schema, std::string_view path) {
  ShapeCheck check;
  check.visit(schema, std::string(path), 0);
  return std::move(check.errors);
}

}  // namespace fairway::json
