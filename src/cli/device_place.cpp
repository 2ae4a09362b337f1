#include "cli/device_place.hpp"

#include <fmt/format.h>

#include "base/text.hpp"
#include "device/history.hpp"

namespace fairway::cli {
namespace {

constexpr const char* kConfigPaths[] = {"/etc/fairway/device.yaml", "/usr/lib/fairway/device.yaml"};
constexpr std::size_t kMaxConfigBytes = 1024 * 1024;

Result<device::Settings> load_settings(const std::string& config, const device::Root& root) {
  std::vector<std::string> paths = {config};
  if (config.empty()) {
    paths.clear();
    for (const char* path : kConfigPaths) paths.push_back(root.real(path));
  }
  for (const std::string& path : paths) {
    FAIRWAY_TRY(const auto text, device::read_if_exists(path, kMaxConfigBytes));
    if (!text) continue;
    auto settings = device::Settings::parse(*text);
    if (!settings) return std::unexpected(std::move(settings).error().within(path));
    return settings;
  }
  if (!config.empty()) return fail(ErrorCode::NotFound, fmt::format("there is no {}", quoted(config)));
  return device::Settings{};
}

}  // namespace

Result<device::Place> device_place(const std::string& root, const std::string& config) {
  device::Place place{.root = {root}};
  if (place.root.prefix.ends_with('/')) place.root.prefix.pop_back();
  FAIRWAY_TRY(place.settings, load_settings(config, place.root));
  return place;
}

Result<device::Status> device_status(const device::Device& device) {
  device::Status status;
  FAIRWAY_TRY(status.seen, device.look());
  FAIRWAY_TRY(status.failure,
              device::read_if_exists(device.place().in_backups(device::kFailureLog), 64 * 1024));
  FAIRWAY_TRY(const auto history, device::read_history(device.place().backups(), 1000));
  if (status.seen.deployments.current)
    status.rolled_back = device::find_rollback(history, *status.seen.deployments.current);
  return status;
}

}  // namespace fairway::cli
