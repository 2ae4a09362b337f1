// The writers beneath serialize(): for code that builds JSON text piece by piece, such as a list whose items
// are already text.
//
// Each appends to `out` and leaves what is there alone. Output is always valid JSON: bytes that are not UTF-8
// become U+FFFD, and a number that JSON does not have (NaN, infinity) becomes null.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "json/value.hpp"

namespace fairway::json {

void append(const Value& value, std::string& out);
void append(const Object& object, std::string& out);

// With its quotes.
void append_string(std::string_view text, std::string& out);

// Digits where 1e-6 ≤ |number| < 1e21, else with an exponent, as JavaScript and Go write them; the shortest
// text that reads back as the same number. Whole numbers have no fraction (3, not 3.0).
void append_number(double number, std::string& out);
void append_number(std::int64_t number, std::string& out);
void append_number(std::uint64_t number, std::string& out);

}  // namespace fairway::json
