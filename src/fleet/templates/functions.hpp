// The functions of templates, by what they are about; each file has one table. Pure.
//
// As Go's builtins, Sprig and the policy framework have them, with the piped value last. What could make much
// of little (repeat, until, indent) is charged before it is made.
#pragma once

#include <span>
#include <string>

#include "fleet/templates/evaluator.hpp"

namespace fairway::fleet::templates {

std::span<const FunctionEntry> logic_functions();     // eq, not, default, ternary, index, …
std::span<const FunctionEntry> text_functions();      // upper, quote, printf, replace, …
std::span<const FunctionEntry> number_functions();    // add, div, toInt, until, …
std::span<const FunctionEntry> list_functions();      // list, first, join, dict, keys, …
std::span<const FunctionEntry> encoding_functions();  // base64, JSON, YAML, toLiteral, indent, …
std::span<const FunctionEntry> regex_functions();     // regexMatch, regexReplaceAll, …
std::span<const FunctionEntry> date_functions();      // now, date, dateModify, …
std::span<const FunctionEntry> cluster_functions();   // lookup, fromConfigMap, …

// Of the argument at a place; errors say what was expected.
std::string text_at(const Call& call, std::size_t index);
Result<std::int64_t> whole_at(const Call& call, std::size_t index);
Result<json::Array> list_at(const Call& call, std::size_t index);
Result<json::Object> map_at(const Call& call, std::size_t index);

}  // namespace fairway::fleet::templates
