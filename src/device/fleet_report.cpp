#include "device/fleet_report.hpp"

#include <algorithm>
#include <array>
#include <ranges>

#include "base/text.hpp"

namespace fairway::device {
namespace {

constexpr std::ptrdiff_t kMostEvents = 50;

json::Array backups_of(const Observed& seen) {
  json::Array backups;
  for (const Backup& backup : seen.backups) {
    json::Object object{{"name", backup.name}, {"complete", backup.is_complete()}};
    if (backup.name == seen.latest) object["latest"] = true;
    if (!backup.is_complete()) object["problem"] = backup.problem();
    if (const Manifest* manifest = value_of(backup.manifest)) {
      object["deployment"] = manifest->deployment_id;
      object["boot"] = manifest->boot_id;
      object["sequence"] = manifest->seq;
      object["files"] = manifest->files;
      object["bytes"] = manifest->bytes;
      object["method"] = manifest->method;
      object["created"] = manifest->created;
      if (manifest->version) object["version"] = manifest->version->to_string();
    }
    backups.push_back(std::move(object));
  }
  return backups;
}

// The history's own entries, by the names of an API.
json::Array events_of(const std::vector<json::Object>& history) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 7> kNames{
      {{"time", "time"},
       {"verb", "event"},
       {"boot_id", "boot"},
       {"deployment_id", "deployment"},
       {"steps", "actions"},
       {"result", "result"},
       {"error", "error"}}};
  json::Array events;
  for (const json::Object& entry : history | std::views::reverse | std::views::take(kMostEvents)) {
    json::Object event;
    for (const auto& [from, to] : kNames) {
      if (const json::Value* value = json::find(entry, {from})) event[to] = *value;
    }
    events.push_back(std::move(event));
  }
  return events;
}

json::Array problems_of(const Status& status) {
  json::Array problems;
  if (status.failure) problems.emplace_back(*status.failure);
  if (status.seen.deployments.problem) problems.emplace_back(*status.seen.deployments.problem);
  for (const Corrupt* corrupt : {problem_of(status.seen.version), problem_of(status.seen.next_boot),
                                 problem_of(status.seen.journal)}) {
    if (corrupt != nullptr) problems.emplace_back(corrupt->why);
  }
  return problems;
}

}  // namespace

json::Object fleet_report(const Status& status, const std::vector<json::Object>& history, WallTime now) {
  const Observed& seen = status.seen;
  json::Object report{{"reportedAt", format_rfc3339(now)},
                      {"boot", seen.boot_id},
                      {"interrupted", !std::holds_alternative<Absent>(seen.journal)},
                      {"nextBoot", json::Object{{"action", wish_text(seen.next_boot)}}},
                      {"data", data_text(seen)},
                      {"problems", problems_of(status)},
                      {"backups", backups_of(seen)},
                      {"history", events_of(history)}};
  if (seen.deployments.current) report["deployment"] = *seen.deployments.current;
  if (seen.binary) report["version"] = seen.binary->to_string();
  if (const DataVersion* version = value_of(seen.version))
    report["dataVersion"] = version->version.to_string();
  if (status.rolled_back) {
    report["rolledBack"] = json::Object{{"from", status.rolled_back->from},
                                        {"time", status.rolled_back->when},
                                        {"reason", status.rolled_back->why}};
  }
  return report;
}

}  // namespace fairway::device
