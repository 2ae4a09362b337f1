// Output of commands that speak to people and, with -o json or -o yaml, to programs.
#pragma once

#include <string>
#include <string_view>

#include "cli/command.hpp"
#include "json/value.hpp"

namespace fairway::cli {

// As YAML where the format says so, else as JSON; with a line's end.
std::string to_text(const json::Value& document, std::string_view format);
// The text, unless a format was asked for.
void print(Invocation& invocation, std::string_view format, const json::Value& document,
           std::string_view text);

}  // namespace fairway::cli
