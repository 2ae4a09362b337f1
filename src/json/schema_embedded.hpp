// Objects inside objects (x-kubernetes-embedded-resource) must name their type. Internal to the schema files.
#pragma once

#include <string_view>

#include "json/schema.hpp"
#include "json/schema_errors.hpp"

namespace fairway::json {

// Adds an error for each embedded resource whose apiVersion or kind is missing or malformed.
void check_embedded_resources(const Schema& schema, const Value& value, std::string_view path,
                              FieldErrors& errors);

}  // namespace fairway::json
