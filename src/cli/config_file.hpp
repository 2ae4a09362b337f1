// Configuration files: the flags of a command, one a key, in YAML.
//
//   graph-data: ./graph-data
//   mandatory-parameters: channel
//
// A flag on the command line wins over the file. Every key must be a flag of the command and every value one
// that the flag would take; messages name the file and the key.
#pragma once

#include <CLI/App.hpp>
#include <string>

namespace fairway::cli {

void add_config_option(CLI::App& command, std::string& path);
// To be called in the command's callback. Throws CLI::ValidationError, as a wrong flag does.
void apply_config_file(CLI::App& command, const std::string& path);

}  // namespace fairway::cli
