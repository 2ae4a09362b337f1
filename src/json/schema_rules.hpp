// What the API server refuses in the schema of a CustomResourceDefinition, in its own words and paths.
//
// A schema must be structural: every field has a type outside of value validation, and value validation
// (allOf, anyOf, oneOf, not) adds no structure. On top come the rules of list and map types, of defaults
// (which must themselves be valid and known) and of what OpenAPI features are supported at all.
#pragma once

#include <string_view>

#include "json/schema_errors.hpp"

namespace fairway::json {

struct CustomResourceRules {
  bool status_subresource = false;  // limits what may stand at the root
};

// Everything that is wrong with `openAPIV3Schema`, whose own path is given: for a CRD with one version
// "spec.validation.openAPIV3Schema", else "spec.versions[1].schema.openAPIV3Schema".
FieldErrors check_custom_resource_schema(const Value& openapi, std::string_view path,
                                         const CustomResourceRules& rules = {});

// Only what keeps the schema from being structural (and from being read at all).
FieldErrors check_structural(const Value& openapi, std::string_view path, bool is_root = true);

}  // namespace fairway::json
