// Conditions: what an object's controller says about it, as metav1.Condition asks for.
//
// The time of the last transition moves only when the status changes, so that "since when" means something;
// set_condition() tells whether anything changed, so that a status is written only when it has to be.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/clock.hpp"
#include "kube/core/object.hpp"

namespace fairway::kube {

using Conditions = std::vector<Condition>;

inline constexpr std::string_view kConditionTrue = "True";
inline constexpr std::string_view kConditionFalse = "False";
inline constexpr std::string_view kConditionUnknown = "Unknown";

const Condition* find_condition(const Conditions& conditions, std::string_view type);
bool is_condition_true(const Conditions& conditions, std::string_view type);
bool is_condition_false(const Conditions& conditions, std::string_view type);

// Adds the condition, or updates the one of its type in place. When the status changes the transition time is
// the one that `condition` brings, else `now`; when it does not, the old one stays.
bool set_condition(Conditions& conditions, Condition condition, WallTime now);
bool remove_condition(Conditions& conditions, std::string_view type);

// Of an object's status.conditions; entries that cannot be read are left out.
Conditions conditions_of(const json::Object& object);

}  // namespace fairway::kube
