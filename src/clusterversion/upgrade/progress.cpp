#include "clusterversion/upgrade/progress.hpp"

#include <algorithm>
#include <array>
#include <fmt/format.h>

#include "base/text.hpp"
#include "clusterversion/upgrade/view.hpp"

namespace fairway::clusterversion::upgrade {
namespace {

constexpr std::string_view kScope =
    "Nodes and cluster operators were not looked at: this is what the ClusterVersion says.\n";

// The number before `end`, which is moved to where it begins.
std::optional<std::uint64_t> number_before(std::string_view text, std::size_t& end) {
  const std::size_t last = end;
  while (end > 0 && text[end - 1] >= '0' && text[end - 1] <= '9') --end;
  return parse_unsigned(text.substr(end, last - end));
}

std::optional<Duration> elapsed_of(const ClusterVersion& cluster, WallTime now) {
  const auto& history = cluster.status.history;
  if (history.empty() || history.front().state != kPartial || !history.front().started_time)
    return std::nullopt;
  const Duration elapsed = now - *history.front().started_time;
  if (elapsed < Duration::zero()) return std::nullopt;
  return elapsed;
}

std::string assessment(const ClusterVersion& cluster) {
  if (is_true(cluster, kInvalid)) return "Invalid";
  if (is_true(cluster, kFailing)) return "Failing";
  if (!is_true(cluster, kProgressing)) {
    const kube::Condition* accepted = condition(cluster, kReleaseAccepted);
    const bool is_refused = accepted != nullptr && accepted->status == kube::kConditionFalse;
    return is_refused ? "Not accepted" : "Requested";
  }
  return "Progressing";
}

std::string target_of(const ClusterVersion& cluster) {
  const auto& wanted = cluster.spec.desired_update;
  if (asks_for_update(cluster) && !is_reached(*wanted, cluster.status.desired)) {
    return fmt::format("{} (from {})", wanted->version.empty() ? wanted->image : wanted->version,
                       name_of(cluster.status.desired));
  }
  const auto& history = cluster.status.history;
  if (history.size() < 2) return fmt::format("{} (installation)", name_of(cluster.status.desired));
  const HistoryEntry& before = history[1];
  return fmt::format("{} (from {}{})", name_of(cluster.status.desired),
                     before.state == kCompleted ? "" : "incomplete ",
                     before.version.empty() ? before.image : before.version);
}

std::string duration_text(const ClusterVersion& cluster, const std::optional<Progress>& progress,
                          WallTime now) {
  const auto elapsed = elapsed_of(cluster, now);
  if (!elapsed) return "unknown";
  const auto remaining = progress ? estimate_remaining(*progress, *elapsed) : std::nullopt;
  return fmt::format("{} (Est. Time Remaining: {})", format_age(*elapsed),
                     remaining ? format_age(*remaining) : "not known yet");
}

struct HealthRow {
  std::string_view type;
  std::string_view bad;  // the status that needs attention
  std::string_view level;
  std::string_view impact;
};
constexpr std::array kHealthRows{
    HealthRow{kInvalid, kube::kConditionTrue, "Error", "Request Ignored"},
    HealthRow{kFailing, kube::kConditionTrue, "Error", "Update Stalled"},
    HealthRow{kFailing, kube::kConditionUnknown, "Warning", "Update Speed"},
    HealthRow{kReleaseAccepted, kube::kConditionFalse, "Error", "Update Refused"},
    HealthRow{kRetrievedUpdates, kube::kConditionFalse, "Info", "Recommendations"},
};

std::string health_text(const ClusterVersion& cluster, WallTime now) {
  std::string rows;
  for (const HealthRow& row : kHealthRows) {
    const kube::Condition* found = condition(cluster, row.type);
    if (found == nullptr || found->status != row.bad) continue;
    const std::string since =
        found->last_transition_time ? format_age(now - *found->last_transition_time) : "-";
    rows += fmt::format("{:9} {:8} {:16} {}={} {}: {}\n", since, row.level, row.impact, row.type,
                        found->status, found->reason, indented(found->message, 2));
  }
  return rows.empty() ? "Update is proceeding well\n"
                      : fmt::format("{:9} {:8} {:16} {}\n{}", "SINCE", "LEVEL", "IMPACT", "MESSAGE", rows);
}

std::optional<Progress> progress_of(const ClusterVersion& cluster) {
  const kube::Condition* progressing = condition(cluster, kProgressing);
  return progressing == nullptr ? std::nullopt : read_progress(progressing->message);
}

std::string time_text(const std::optional<WallTime>& time) {
  return time ? format_rfc3339(*time) : "-";
}

std::string took_text(const HistoryEntry& entry) {
  if (!entry.started_time || !entry.completion_time.time) return "-";
  return format_age(*entry.completion_time.time - *entry.started_time);
}

std::vector<std::string> history_row(const HistoryEntry& entry, bool is_wide) {
  std::vector<std::string> row{
      entry.version.empty() ? "-" : entry.version,    entry.state,      time_text(entry.started_time),
      time_text(entry.completion_time.time),          took_text(entry), entry.verified ? "true" : "false",
      entry.accepted_risks.empty() ? "-" : "accepted"};
  if (is_wide) row.push_back(entry.image);
  return row;
}

// Columns three blanks apart, as kubectl has them; nothing behind the last.
std::string row_text(const std::vector<std::string>& row, const std::vector<std::size_t>& widths) {
  std::string text;
  for (std::size_t i = 0; i + 1 < row.size(); ++i) text += fmt::format("{:{}}   ", row[i], widths[i]);
  return text + row.back() + "\n";
}

}  // namespace

std::optional<Progress> read_progress(std::string_view message) {
  constexpr std::string_view kDoneWord = " done (";
  constexpr std::string_view kComplete = "% complete)";
  const auto word = message.find(kDoneWord);
  if (word == std::string_view::npos) return std::nullopt;
  const auto percent_end = message.find(kComplete, word);
  if (percent_end == std::string_view::npos) return std::nullopt;
  std::size_t at = word;
  const auto total = number_before(message, at);
  if (!total || !message.substr(0, at).ends_with(" of ")) return std::nullopt;
  at -= std::string_view(" of ").size();
  const auto done = number_before(message, at);
  const std::size_t percent_start = word + kDoneWord.size();
  const auto percent = parse_unsigned(message.substr(percent_start, percent_end - percent_start));
  if (!done || !percent || *done > *total) return std::nullopt;
  std::string_view rest = message.substr(percent_end + kComplete.size());
  if (rest.starts_with(',')) rest.remove_prefix(1);
  return Progress{*done, *total, *percent, std::string(trim(rest))};
}

std::optional<Duration> estimate_remaining(const Progress& progress, Duration elapsed) {
  if (progress.done == 0) return std::nullopt;
  const double pace = static_cast<double>(elapsed.count()) / static_cast<double>(progress.done);
  const double remaining = pace * static_cast<double>(progress.total - progress.done);
  constexpr double kLongest = 1e18;  // of what a Duration can hold
  if (remaining > kLongest) return std::nullopt;
  return Duration(static_cast<Duration::rep>(remaining));
}

Outcome update_status(const ClusterVersion& cluster, WallTime now) {
  Outcome outcome;
  if (!is_updating(cluster)) {
    outcome.print("The cluster is not updating.\n");
    return outcome;
  }
  const auto progress = progress_of(cluster);
  std::string text = fmt::format("= Control Plane =\nAssessment:      {}\nTarget Version:  {}\n",
                                 assessment(cluster), target_of(cluster));
  if (progress) {
    text += fmt::format("Completion:      {}% ({} of {} done)\n", progress->percent, progress->done,
                        progress->total);
  }
  text += fmt::format("Duration:        {}\n", duration_text(cluster, progress, now));
  if (progress && !progress->waiting.empty()) text += fmt::format("Waiting:         {}\n", progress->waiting);
  text += fmt::format("\n= Update Health =\n{}\n{}", health_text(cluster, now), kScope);
  outcome.print(std::move(text));
  return outcome;
}

json::Object status_document(const ClusterVersion& cluster, WallTime now) {
  json::Object document{{"isUpdating", is_updating(cluster)},
                        {"current", json::to_json(cluster.status.desired)},
                        {"conditions", json::to_json(cluster.status.conditions)}};
  if (!is_updating(cluster)) return document;
  document["assessment"] = assessment(cluster);
  const auto progress = progress_of(cluster);
  const auto elapsed = elapsed_of(cluster, now);
  const auto seconds = [](Duration time) {
    return std::chrono::duration_cast<std::chrono::seconds>(time).count();
  };
  if (elapsed) document["elapsedSeconds"] = seconds(*elapsed);
  if (!progress) return document;
  document["done"] = progress->done;
  document["total"] = progress->total;
  document["percent"] = progress->percent;
  if (!progress->waiting.empty()) document["waiting"] = progress->waiting;
  const auto remaining = elapsed ? estimate_remaining(*progress, *elapsed) : std::nullopt;
  if (remaining) document["estimatedRemainingSeconds"] = seconds(*remaining);
  return document;
}

Outcome show_history(const ClusterVersion& cluster, const HistoryOptions& options) {
  Outcome outcome;
  const auto& history = cluster.status.history;
  if (history.empty()) {
    outcome.print("The cluster has no history.\n");
    return outcome;
  }
  std::vector<std::vector<std::string>> rows{
      {"VERSION", "STATE", "STARTED", "COMPLETED", "TOOK", "VERIFIED", "RISKS"}};
  if (options.is_wide) rows.front().emplace_back("IMAGE");
  for (const HistoryEntry& entry : history) rows.push_back(history_row(entry, options.is_wide));
  std::vector<std::size_t> widths(rows.front().size());
  for (const auto& row : rows) {
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], row[i].size());
  }
  for (std::size_t i = 0; i < rows.size(); ++i) {
    outcome.print(row_text(rows[i], widths));
    const std::string_view risks = i == 0 ? std::string_view() : trim(history[i - 1].accepted_risks);
    if ((options.is_wide || options.is_verbose) && !risks.empty()) {
      outcome.print(fmt::format("\n    {}\n\n", indented(risks, 4)));
    }
  }
  return outcome;
}

json::Value history_document(const ClusterVersion& cluster) {
  return json::to_json(cluster.status.history);
}

}  // namespace fairway::clusterversion::upgrade
