// SchemaSource: one schema object as it was written, with typed access to its keywords.
//
// Internal to the schema files. check_shape() says, once and for the whole tree, which keywords have a value
// of the wrong kind and whether it is too deep; after it found nothing, the accessors below are exact
// (before, a keyword of the wrong kind reads as absent).
#pragma once

#include <functional>
#include <optional>
#include <string_view>

#include "json/schema_errors.hpp"
#include "json/value.hpp"

namespace fairway::json {

class SchemaSource {
 public:
  explicit SchemaSource(const Object& object) : object_(&object) {}

  const Object& object() const { return *object_; }
  bool has(std::string_view key) const { return object_->contains(key); }
  const Value* value(std::string_view key) const { return object_->if_contains(key); }  // may be null
  std::string_view text(std::string_view key) const;                                    // empty when absent
  bool flag(std::string_view key) const;
  std::optional<double> number(std::string_view key) const;
  std::optional<std::int64_t> integer(std::string_view key) const;
  const Object* child(std::string_view key) const;  // an object
  const Array* list(std::string_view key) const;

  // The subschemas under `properties`, in the order written.
  void each_property(const std::function<void(std::string_view, SchemaSource)>& visit) const;
  // The subschemas of allOf, anyOf or oneOf.
  void each_branch(std::string_view key, const std::function<void(std::size_t, SchemaSource)>& visit) const;
  std::optional<SchemaSource> subschema(std::string_view key) const;
  std::optional<SchemaSource> property(std::string_view name) const;
  std::size_t property_count() const;
  std::size_t branch_count(std::string_view key) const;

 private:
  const Object* object_;
};

FieldErrors check_shape(const Value& schema, std::string_view path);

}  // namespace fairway::json
