// The text formats that the Kubernetes API checks, each with its rules there.
//
// Internal to the schema files. A format that is not among them is not checked, which is the API's own rule;
// names are compared without their dashes (date-time is datetime).
#pragma once

#include <string_view>

#include "json/schema.hpp"

namespace fairway::json {

// Null when the format is not checked.
FormatCheck format_check(std::string_view name);

// As `byte`, but nothing is a valid encoding of nothing, as it is for built-in kinds.
bool is_base64_or_empty(std::string_view text);

}  // namespace fairway::json
