// Where Fairway keeps its data on this machine, and what lies where in it.
//
//   DIR/store/       the API server's store
//   DIR/pki/         its keys and certificates
//   DIR/kubeconfig   of its administrator, written at every start
#pragma once

#include <functional>
#include <optional>
#include <string>

namespace fairway::cli {

// The value of an environment variable; nothing where it is unset or empty.
using Environment = std::function<std::optional<std::string>(const char* name)>;
Environment process_environment();

// ./fairway-data where that exists; else $XDG_DATA_HOME/fairway, and ~/.local/share/fairway without that
// variable. In a process without a home: ./fairway-data.
std::string default_data_directory(const Environment& environment);

std::string store_directory(const std::string& data_directory);
std::string kubeconfig_file(const std::string& data_directory);

}  // namespace fairway::cli
