// A root policy's status, when few rows of many are different: only those are sent. Pure.
#pragma once

#include <optional>
#include <string_view>

#include "json/value.hpp"

namespace fairway::fleet {

// A JSON patch (RFC 6902) of the policy that turns one status into the other, provided that the policy still
// has this version. Nothing when more than rows and the overall compliance differ, or so many rows that the
// whole is as short.
std::optional<json::Array> row_changes(const json::Object& before, const json::Object& after,
                                       std::string_view resource_version);

}  // namespace fairway::fleet
