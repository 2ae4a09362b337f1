// The difference between an object as it is and as a policy wants it, as a unified diff of YAML. Pure.
//
// At most kMostDiffLines lines are shown, so that a status stays small. Fields that the server keeps for
// itself are left out.
#pragma once

#include <string>

#include "json/value.hpp"

namespace fairway::fleet::agent {

inline constexpr std::size_t kMostDiffLines = 50;
// In place of a diff that could show what nobody but the object's readers may see.
inline constexpr const char* kCensoredDiff =
    "# This diff may contain sensitive data. The \"recordDiff\" field must be set to \"InStatus\" to record "
    "a diff.";

// Likewise, whatever the policy asks for.
inline constexpr const char* kEncryptedDiff = "# This diff is not recorded: the policy has encrypted values.";

std::string difference(const json::Object& existing, const json::Object& updated);
// Whether objects of this kind usually hold secrets.
bool is_sensitive(const json::Object& object);

}  // namespace fairway::fleet::agent
