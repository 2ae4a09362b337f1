#include "device/report.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <ranges>

#include "base/text.hpp"

namespace fairway::device {
namespace {

std::string_view text_of(const json::Object& entry, std::string_view key) {
  return json::get_string(entry, {key}).value_or("");
}

json::Value data_json(const Observed& seen) {
  if (!seen.has_data) return nullptr;
  if (const Corrupt* corrupt = problem_of(seen.version)) return json::Object{{"problem", corrupt->why}};
  const DataVersion* version = value_of(seen.version);
  if (version == nullptr) return json::Object{{"assumedVersion", seen.assumed_version.to_string()}};
  return json::parse(version->serialize()).value_or(json::Value());
}

json::Value next_boot_json(const Found<NextBoot>& found) {
  if (const Corrupt* corrupt = problem_of(found)) return json::Object{{"problem", corrupt->why}};
  const NextBoot* next = value_of(found);
  return next == nullptr ? json::Value() : json::parse(next->serialize()).value_or(json::Value());
}

json::Array deployments_json(const Deployments& deployments) {
  json::Array all;
  for (const Deployment& each : deployments.all)
    all.push_back(json::Object{
        {"id", each.id}, {"booted", each.is_booted}, {"staged", each.is_staged}, {"pinned", each.is_pinned}});
  return all;
}

std::string why_red(const std::vector<json::Object>& history, std::string_view boot) {
  for (const json::Object& entry : history | std::views::reverse) {
    if (text_of(entry, "boot_id") == boot && text_of(entry, "verb") == "pre-run" &&
        text_of(entry, "result") == "failed")
      return fmt::format("pre-run failed: {}", text_of(entry, "error"));
  }
  return "its health checks failed";
}

}  // namespace

std::string wish_text(const Found<NextBoot>& found) {
  if (const Corrupt* corrupt = problem_of(found)) return "unreadable: " + corrupt->why;
  const NextBoot* next = value_of(found);
  if (next == nullptr || next->asks_for_nothing()) return "nothing";
  std::string text;
  if (next->backup) text = "back up " + next->backup->deployment_id;
  if (next->restore) {
    text += text.empty() ? "" : ", then ";
    text += "restore";
    if (next->restore->deployment_id) text += " " + *next->restore->deployment_id;
    text += next->restore->by == Requester::Red ? " (red boot)" : " (administrator)";
  }
  return text;
}

std::string data_text(const Observed& seen) {
  if (!seen.has_data) return "none";
  if (const Corrupt* corrupt = problem_of(seen.version)) return ".version is unreadable: " + corrupt->why;
  const DataVersion* version = value_of(seen.version);
  if (version == nullptr) return "without .version, taken for " + seen.assumed_version.to_string();
  return fmt::format("{}, {}, opened by {} {}", version->version.to_string(), to_string(version->status),
                     version->opened_by.deployment_id, version->opened_by.version.to_string());
}

std::optional<RolledBack> find_rollback(const std::vector<json::Object>& history,
                                        const std::string& current) {
  for (const json::Object& entry : history | std::views::reverse) {
    const auto verb = text_of(entry, "verb");
    const auto deployment = text_of(entry, "deployment_id");
    if ((verb != "red" && verb != "green") || deployment == current || deployment.empty()) continue;
    if (verb == "green") return std::nullopt;
    return RolledBack{std::string(deployment), std::string(text_of(entry, "time")),
                      why_red(history, text_of(entry, "boot_id"))};
  }
  return std::nullopt;
}

json::Object backup_json(const Observed& seen, const Backup& backup) {
  json::Object object{{"name", backup.name},
                      {"complete", backup.is_complete()},
                      {"latest", backup.name == seen.latest},
                      {"candidate", backup.kind == EntryKind::Backup && backup.is_complete()}};
  if (!backup.is_complete() && backup.kind != EntryKind::Unhealthy) object["problem"] = backup.problem();
  if (const Manifest* manifest = value_of(backup.manifest))
    object["manifest"] = json::parse(manifest->serialize()).value_or(json::Value());
  return object;
}

std::string backups_text(const Observed& seen) {
  if (seen.backups.empty()) return "no backups\n";
  std::string text;
  for (const Backup& backup : seen.backups) {
    std::string facts;
    if (backup.kind == EntryKind::Unhealthy) {
      facts = "set aside; never restored by itself";
    } else if (!backup.is_complete()) {
      facts = "not a backup: " + backup.problem();
    } else {
      const Manifest& manifest = backup.record();
      facts = fmt::format("{}, {} files, {} bytes, {}, {}",
                          manifest.version ? manifest.version->to_string() : "no version", manifest.files,
                          manifest.bytes, manifest.method, manifest.created);
    }
    text += fmt::format("{}{}\n    {}\n", backup.name, backup.name == seen.latest ? " (latest)" : "", facts);
  }
  return text;
}

json::Object to_json(const Status& status) {
  const Observed& seen = status.seen;
  json::Array backups;
  for (const Backup& backup : seen.backups) backups.push_back(backup_json(seen, backup));
  json::Object object{{"bootId", seen.boot_id},
                      {"deployments", deployments_json(seen.deployments)},
                      {"data", data_json(seen)},
                      {"nextBoot", next_boot_json(seen.next_boot)},
                      {"interrupted", !std::holds_alternative<Absent>(seen.journal)},
                      {"backups", std::move(backups)}};
  if (seen.deployments.current) object["deployment"] = *seen.deployments.current;
  if (seen.deployments.problem) object["deploymentsProblem"] = *seen.deployments.problem;
  if (seen.latest) object["latest"] = *seen.latest;
  if (seen.binary) object["version"] = seen.binary->to_string();
  if (status.failure) object["failure"] = *status.failure;
  if (status.rolled_back)
    object["rolledBack"] = json::Object{{"from", status.rolled_back->from},
                                        {"time", status.rolled_back->when},
                                        {"reason", status.rolled_back->why}};
  return object;
}

std::string to_text(const Status& status) {
  const Observed& seen = status.seen;
  const Deployment* rollback = seen.deployments.rollback();
  std::string text;
  const auto add = [&](std::string_view name, std::string_view value) {
    text += fmt::format("{:<12} {}\n", name, value);
  };
  add("deployment:", seen.deployments.current.value_or("none"));
  if (seen.has_deployments) add("rollback:", rollback != nullptr ? rollback->id : "none");
  add("software:", seen.binary ? seen.binary->to_string() : "unknown: " + seen.binary_problem);
  add("data:", data_text(seen));
  add("next boot:", wish_text(seen.next_boot));
  if (!std::holds_alternative<Absent>(seen.journal))
    add("interrupted:", "an operation; the next one recovers it");
  if (status.rolled_back)
    add("rolled back:", fmt::format("from {} ({})", status.rolled_back->from, status.rolled_back->why));
  if (status.failure) add("failure:", trim(*status.failure));
  const auto complete =
      std::ranges::count_if(seen.backups, [](const Backup& each) { return each.is_complete(); });
  add("backups:", fmt::format("{} complete, latest {}", complete, seen.latest.value_or("none")));
  return text;
}

std::string motd(const Status& status) {
  std::string text;
  if (status.rolled_back)
    text += fmt::format("This system was rolled back from {}: {}\n", status.rolled_back->from,
                        status.rolled_back->why);
  if (status.failure) text += fmt::format("The application was not started: {}\n", trim(*status.failure));
  if (!text.empty()) text += "See 'fairway device status' and 'fairway device history'.\n";
  return text;
}

std::string history_text(const std::vector<json::Object>& history) {
  std::string text;
  for (const json::Object& entry : history) {
    text += fmt::format("{} {} {} boot {}: {}\n", text_of(entry, "time"), text_of(entry, "verb"),
                        text_of(entry, "deployment_id"), text_of(entry, "boot_id").substr(0, 8),
                        text_of(entry, "result"));
    for (const std::string_view list : {"notes", "steps"}) {
      const json::Array* lines = json::get_array(entry, {list});
      for (const json::Value& line : lines != nullptr ? *lines : json::Array{})
        if (line.is_string()) text += fmt::format("    {}\n", json::view(line.get_string()));
    }
    if (const auto error = json::get_string(entry, {"error"})) text += fmt::format("    error: {}\n", *error);
  }
  return text;
}

}  // namespace fairway::device
