#include "ingress/consent.hpp"

#include <fmt/format.h>

#include "base/text.hpp"
#include "base/time_windows.hpp"

namespace fairway::ingress {
namespace {

Permission held(std::string why) {
  return {.state = Permission::State::Held, .why = std::move(why)};
}

}  // namespace

Permission auto_delete_permission(const IngressController& controller, WallTime now) {
  if (!has_auto_delete(controller)) return {};
  const auto& annotations = controller.metadata.annotations;
  if (annotations.contains(std::string(kAutoDeleteDryRun))) {
    Permission permission =
        held(fmt::format("The annotation {} permits to delete the service, the annotation {} holds it back.",
                         kAutoDelete, kAutoDeleteDryRun));
    permission.is_dry_run = true;
    return permission;
  }
  const auto given = annotations.find(std::string(kAutoDeleteWindow));
  if (given == annotations.end()) return {.state = Permission::State::Given};
  const auto windows = TimeWindows::parse(given->second);
  if (!windows) {
    Permission permission = held(fmt::format(
        "The annotation {} permits to delete the service, but the annotation {} cannot be read: {}.",
        kAutoDelete, kAutoDeleteWindow, windows.error().message));
    permission.unreadable = windows.error();
    return permission;
  }
  if (windows->is_open(now)) return {.state = Permission::State::Given};
  Permission permission = held(
      fmt::format("The annotation {} permits to delete the service within the window {}, which opens at {}.",
                  kAutoDelete, quoted(given->second), format_rfc3339(windows->opens(now))));
  permission.opens = windows->opens(now);
  return permission;
}

}  // namespace fairway::ingress
