// How the propagator finds what concerns a root policy: index values of bindings, sets and decisions. Pure.
//
// A value is "Kind namespace/name".
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "json/value.hpp"
#include "kube/core/object.hpp"

namespace fairway::fleet {

inline constexpr const char* kSubjectIndex = "subject";       // bindings by what they bind
inline constexpr const char* kReferenceIndex = "reference";   // bindings by the placement that chooses
inline constexpr const char* kMemberIndex = "member";         // sets by their policies
inline constexpr const char* kDecisionIndex = "decided-for";  // decisions by their placement

std::string index_value(std::string_view kind, const kube::ObjectKey& key);
std::pair<std::string, kube::ObjectKey> read_value(std::string_view value);

std::vector<std::string> subject_values(const json::Object& binding);
std::vector<std::string> reference_values(const json::Object& binding);
std::vector<std::string> member_values(const json::Object& set);
std::vector<std::string> decision_values(const json::Object& decision);

// Text that is to be resolved on the hub stands in a template.
bool has_hub_templates(const json::Object& policy);

}  // namespace fairway::fleet
