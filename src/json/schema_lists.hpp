// Uniqueness in lists: of whole items (uniqueItems, list type `set`) and of their keys (list type `map`).
// Internal to the schema files. Items are compared through one canonical text each, so that ten thousand of
// them cost ten thousand look-ups.
#pragma once

#include <string>
#include <string_view>

#include "json/schema.hpp"
#include "json/schema_errors.hpp"

namespace fairway::json {

// Equal values, and only those, have equal texts: keys sorted, numbers by value.
std::string canonical_text(const Value& value);

bool are_unique(const Array& list);

// Adds a Duplicate error for each item of a set or map list that another one of the same list repeats.
void check_list_types(const Schema& schema, const Value& value, std::string_view path, FieldErrors& errors);

}  // namespace fairway::json
