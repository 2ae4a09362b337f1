// Numbers under a schema: bounds and multiples, with integers compared as integers. Internal to the schema
// files.
#pragma once

#include <string>
#include <vector>

#include "json/schema.hpp"

namespace fairway::json {

// An integer, or a double without a fraction that every JSON reader takes for an integer.
bool is_whole_number(const Value& value);

// What is wrong, each as the end of a sentence about the field: "should be …".
std::vector<std::string> number_problems(const ValueRules& rules, const Value& value);

}  // namespace fairway::json
