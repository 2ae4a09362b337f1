// The tree of commands as help, completion and error messages see it: what is shown, what is chosen, what an
// option is called and what it takes.
#pragma once

#include <CLI/App.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace fairway::cli {

// The innermost command that the arguments named.
const CLI::App& chosen_command(const CLI::App& root);
// "kubectl fairway apiserver backup".
std::string command_line(const CLI::App& command, std::string_view program);

// Without the hidden ones, in the order in which they were added.
std::vector<const CLI::App*> visible_commands(const CLI::App& command);
std::vector<const CLI::Option*> visible_flags(const CLI::App& command);
std::vector<const CLI::Option*> positionals(const CLI::App& command);

const CLI::App* find_command(const CLI::App& parent, std::string_view name);
// The flag of this command or of those above it; `name` with its dashes.
const CLI::Option* find_flag(const CLI::App& command, std::string_view name);
// "--data"; "-h" for one that has no long name.
std::string flag_name(const CLI::Option& flag);

bool takes_value(const CLI::Option& option);
bool is_repeatable(const CLI::Option& option);
// What help calls the value (FILE, DIR, json|yaml), which is also what completion goes by.
std::string value_name(const CLI::Option& option);
// "json|yaml" gives both; empty when the value is free.
std::vector<std::string> value_choices(const CLI::Option& option);

// The first line of a command's description.
std::string summary(const CLI::App& command);

}  // namespace fairway::cli
