#include "fleet/gates.hpp"

#include <fmt/format.h>

#include "fleet/timeouts.hpp"

namespace fairway::fleet {

GateVerdict judge_gate(const GateWords& words, const std::optional<JobStatus>& jobs,
                       const std::vector<std::string>& clusters, WallTime now) {
  GateVerdict made{.jobs = jobs.value_or(JobStatus{})};
  if (!made.jobs.started_at) made.jobs.started_at = whole_seconds(now);
  const WallTime end = just_after(*made.jobs.started_at, kJobLimit);
  std::size_t running = 0;
  for (const std::string& cluster : clusters) {
    std::string& state = made.jobs.status.try_emplace(cluster, "PreparingToStart").first->second;
    const bool is_running = state == "PreparingToStart" || state == "Starting" || state == "Active";
    if (is_running && now >= end) state = std::string(words.timed_out);
    if (is_running && now < end) {
      ++running;
    } else if (state != "Succeeded") {
      made.failed.push_back(cluster);
    }
  }
  made.is_open = running == 0;
  if (running > 0) {
    made.reason = "InProgress";
    made.message = fmt::format("{} in progress for {} clusters", words.subject, running);
    made.ends_at = end;
  } else if (made.failed.empty()) {
    made.is_true = true;
    made.reason = std::string(words.completed);
    made.message = fmt::format("{} is completed for all clusters", words.subject);
  } else if (made.failed.size() < clusters.size()) {
    made.is_true = true;
    made.reason = "PartiallyDone";
    made.message = fmt::format("{} failed for {} clusters", words.subject, made.failed.size());
  } else {
    made.reason = "Failed";
    made.message = fmt::format("{} failed for all clusters", words.subject);
  }
  return made;
}

}  // namespace fairway::fleet
