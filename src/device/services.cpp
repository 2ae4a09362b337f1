#include "device/services.hpp"

#include <fmt/format.h>
#include <optional>

#include "base/log.hpp"
#include "base/text.hpp"
#include "device/programs.hpp"

namespace fairway::device {
namespace {

// Nothing where nobody can be asked.
Result<std::optional<std::string>> systemctl(const Place& place) {
  if (place.root.prefix.empty()) return std::optional<std::string>("systemctl");
  const std::string program = place.root.real("/usr/bin/systemctl");
  FAIRWAY_TRY(const auto facts, stat_if_exists(program));
  return facts ? std::optional(program) : std::nullopt;
}

}  // namespace

Result<void> check_stopped(const Place& place, bool is_backup) {
  FAIRWAY_TRY(const auto program, systemctl(place));
  if (!program) return {};
  for (const std::string& service : place.settings.services) {
    const auto answer = run_program({*program, "show", "--property=ActiveState", "--value", service});
    if (!answer && answer.error().code == ErrorCode::NotFound) return {};  // no systemd, so no service of it
    if (!answer) return std::unexpected(answer.error());
    const std::string_view state = trim(answer->output);
    if (answer->exit_code != 0 || (state != "inactive" && state != "failed"))
      return fail(
          ErrorCode::Conflict,
          fmt::format("{} must be stopped before creating or restoring backup (\"{}\" is \"{}\", should "
                      "be \"inactive\" or \"failed\")",
                      place.settings.name, service, state.empty() ? "unknown" : state));
    if (state == "failed" && is_backup)
      log::warning("the service has failed: its data may not be sound", {{"service", service}});
  }
  return {};
}

Result<void> stop_services(const Place& place) {
  FAIRWAY_TRY(const auto program, systemctl(place));
  if (!program) return {};
  for (const std::string& service : place.settings.services) {
    const auto answer = run_program({*program, "stop", service});
    if (!answer && answer.error().code == ErrorCode::NotFound) return {};
    if (!answer) return std::unexpected(answer.error());
    if (answer->exit_code != 0)  // a unit that is not loaded cannot be stopped, and need not be
      log::warning("systemctl did not stop it", {{"service", service}});
  }
  return {};
}

}  // namespace fairway::device
