// Validation: which fields of a value a schema refuses, in the words of the Kubernetes API.
//
// Pure and total: every value is answered, hostile ones included; work grows with the value and the schema,
// not with their product in any list. Lists of type `set` and `map` are checked for duplicates too. Objects
// arrive here after prune() and apply_defaults() (schema_prune.hpp).
#pragma once

#include <string_view>

#include "json/schema.hpp"
#include "json/schema_errors.hpp"

namespace fairway::json {

// In the order of the schema; empty when the value is valid. `path` is the value's own, empty for an object.
FieldErrors validate(const Schema& schema, const Value& value, std::string_view path = {});

}  // namespace fairway::json
