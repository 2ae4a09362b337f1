#include "cli/data_directory.hpp"

#include <cstdlib>
#include <filesystem>
#include <system_error>

namespace fairway::cli {
namespace {

constexpr const char* kLocalDirectory = "fairway-data";

}  // namespace

Environment process_environment() {
  return [](const char* name) -> std::optional<std::string> {
    const char* value = std::getenv(name);
    if (value == nullptr || *value == '\0') return std::nullopt;
    return value;
  };
}

std::string default_data_directory(const Environment& environment) {
  std::error_code ignored;
  if (std::filesystem::is_directory(kLocalDirectory, ignored)) return kLocalDirectory;
  if (const auto data_home = environment("XDG_DATA_HOME")) return *data_home + "/fairway";
  if (const auto home = environment("HOME")) return *home + "/.local/share/fairway";
  return kLocalDirectory;
}

std::string store_directory(const std::string& data_directory) {
  return data_directory + "/store";
}

std::string kubeconfig_file(const std::string& data_directory) {
  return data_directory + "/kubeconfig";
}

}  // namespace fairway::cli
