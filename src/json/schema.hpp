// Schema: an OpenAPI v3 schema, compiled once and then only read.
//
// compile_schema() accepts what a CustomResourceDefinition may contain (with its rules enforced, see
// schema_rules.hpp) or, for built-in kinds, what the official OpenAPI document contains, references included.
// The nodes live together in one allocation that every handed-out pointer keeps alive; references may be
// cyclic, so nodes point to one another plainly. Immutable and safe to read from several threads. What can be
// done with a schema: schema_validate.hpp, schema_prune.hpp, strategic.hpp, field_set.hpp, apply.hpp.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "json/value.hpp"

namespace re2 {
class RE2;
}

namespace fairway::json {

struct Schema;

// A text format that is checked; other formats of a schema are kept out of it.
using FormatCheck = bool (*)(std::string_view);

// What a schema demands of a value beyond its structure.
struct ValueRules {
  std::vector<Value> enumeration;
  std::string pattern;
  std::shared_ptr<const re2::RE2> regex;  // of the pattern
  std::string format;                     // empty unless it is checked
  FormatCheck format_check = nullptr;
  std::optional<double> minimum, maximum, multiple_of;
  bool exclusive_minimum = false, exclusive_maximum = false;
  std::optional<std::int64_t> min_length, max_length;  // in code points
  std::optional<std::int64_t> min_items, max_items;
  std::optional<std::int64_t> min_properties, max_properties;
  bool unique_items = false;
  bool whole_int32 = false;  // the number must fit 32 bits; only of built-in kinds
  std::vector<const Schema*> all_of, any_of, one_of;
  const Schema* negated = nullptr;  // the schema under `not`
};

struct Schema {
  enum class Type { Any, Object, Array, String, Integer, Number, Boolean };
  enum class ListType { Atomic, Set, Map };
  enum class Additional { Absent, Forbidden, Allowed, Described };
  struct Property {
    std::string name;
    const Schema* schema = nullptr;
    std::uint64_t beginning = beginning_of(name);
  };

  Type type = Type::Any;
  bool nullable = false;
  bool int_or_string = false;
  bool preserve_unknown_fields = false;
  bool embedded_resource = false;  // has apiVersion, kind and metadata, whatever `properties` says
  bool resource_root = false;      // the same, for the root of a custom resource
  bool opaque = false;             // one leaf to its owners, whatever it holds: Quantity, RawExtension

  std::vector<Property> properties;  // sorted by name
  std::vector<std::string> required;
  Additional additional = Additional::Absent;
  const Schema* additional_properties = nullptr;  // when Described
  const Schema* items = nullptr;
  std::optional<Value> default_value;
  std::shared_ptr<const ValueRules> rules;  // null when there are none
  Value validations;                        // x-kubernetes-validations as written; kept, not evaluated

  // How several writers share a value.
  std::optional<ListType> list_type;  // as declared
  std::vector<std::string> list_map_keys;
  bool atomic_map = false;
  bool deduces_unknown_fields = false;  // preserve-unknown-fields here or above, within one definition

  // How a strategic merge patch changes it.
  bool patch_merge = false;
  bool patch_replace = false;
  std::string patch_merge_key;

  // Null when the schema does not name it.
  const Schema* property(std::string_view name) const;
  // The first eight bytes as a number that sorts as they do: a look-up compares numbers and then one name.
  static std::uint64_t beginning_of(std::string_view name);
  bool is_resource() const { return embedded_resource || resource_root; }
};

// The type's name in OpenAPI; empty for Any.
std::string_view to_string(Schema::Type type);

struct SchemaOptions {
  // Refuse what a CustomResourceDefinition may not contain. Without it, formats of numbers are checked, an
  // object without properties holds anything, and references are followed.
  bool structural = true;
  // The schema describes a whole object: apiVersion, kind and metadata are implied.
  bool resource_root = true;
  // Where `$ref: '#/definitions/X'` and '#/components/schemas/X' find X. Read only while compiling.
  const Object* definitions = nullptr;
};

Result<std::shared_ptr<const Schema>> compile_schema(const Value& openapi, const SchemaOptions& options = {});

// metav1.ObjectMeta, as every object's metadata is described.
const Schema& object_meta_schema();
// Accepts anything; what is not described is owned field by field, lists as a whole.
const Schema& any_schema();
// The schema of one field of an object, implied ones included; null when nothing describes it.
const Schema* field_schema(const Schema& object, std::string_view name);

// No value and no schema deeper than this is followed; JSON from outside is bounded the same by parse().
inline constexpr std::size_t kMaxSchemaDepth = 512;

}  // namespace fairway::json
