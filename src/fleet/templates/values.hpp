// Values of templates as Go's template functions see them: truth, text, numbers, order. Pure.
#pragma once

#include <compare>
#include <optional>
#include <string>

#include "base/result.hpp"
#include "json/value.hpp"

namespace fairway::fleet::templates {

// false, 0, "", null and what is empty are not.
bool is_true(const json::Value& value);
// As fmt.Sprint: [a b], map[a:1 b:2]; null is the empty text.
std::string to_text(const json::Value& value);
// Numbers, and texts that are numbers; nothing else.
std::optional<std::int64_t> to_whole(const json::Value& value);
std::optional<double> to_real(const json::Value& value);
bool is_number(const json::Value& value);
// A double that is whole stays a double: as Go prints it.
std::string real_text(double value);
// Of numbers with numbers and texts with texts; null is the empty text. An error when they cannot be
// compared.
Result<std::partial_ordering> compare_values(const json::Value& left, const json::Value& right);
Result<bool> same_values(const json::Value& left, const json::Value& right);
// What Go calls it: string, int, float64, bool, map, slice, invalid.
std::string_view kind_word(const json::Value& value);

}  // namespace fairway::fleet::templates
