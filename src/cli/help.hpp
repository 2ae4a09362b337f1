// Help: a command's help text, laid out as kubectl lays out its own.
//
// A command's description is its help: the first line stands in lists, all of it above the command's own
// help. Its footer holds examples. Groups of commands become headings.
#pragma once

#include <CLI/App.hpp>
#include <string>
#include <string_view>

namespace fairway::cli {

std::string help_text(const CLI::App& command, std::string_view program);
// The options that every command takes: `fairway options`.
std::string global_options_text(const CLI::App& root, std::string_view program);

}  // namespace fairway::cli
