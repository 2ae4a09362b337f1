// What happens to an object on its way in: unknown fields go, defaults come.
//
// prune() and apply_defaults() change the value in place, in that order, before validate()
// (schema_validate.hpp). Both are what apiextensions-apiserver does to custom resources, and both are
// idempotent. They recurse as deep as kMaxSchemaDepth; what is deeper is left for validate() to refuse.
#pragma once

#include <string>
#include <vector>

#include "json/schema.hpp"

namespace fairway::json {

// Removes what the schema does not name. The paths of what went are added to `unknown`, sorted:
// "spec.foo", "spec.items[2].bar". apiVersion, kind and metadata of resources are known.
void prune(const Schema& schema, Value& value, std::vector<std::string>* unknown = nullptr);

// `unknown field "spec.foo"`: how the paths are shown in warnings and strict errors.
std::string unknown_field_text(const std::string& path);

// Removes nulls where the schema neither allows them nor has a default, then fills in defaults where a field
// is absent (or null without being nullable). A default inside an absent object does not make that object.
void apply_defaults(const Schema& schema, Value& value);

}  // namespace fairway::json
