#include "fleet/report.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <set>

#include "base/columns.hpp"
#include "base/text.hpp"
#include "fleet/decide.hpp"
#include "fleet/holds.hpp"
#include "fleet/phase.hpp"
#include "fleet/timeouts.hpp"

namespace fairway::fleet {
namespace {

constexpr std::size_t kBarWidth = 20;

std::string phase_name(const ClusterGroupUpgrade& rollout) {
  return rollout.metadata.deletion_timestamp ? "Deleting" : phase_word(rollout.status);
}

std::string state_word(std::string_view row) {
  if (row == kComplete) return "Complete";
  if (row == kTimedOut) return "TimedOut";
  return row == kSkipped ? "Skipped" : std::string(row);
}

// Policies, or works.
std::vector<std::string> steps_of(const ClusterGroupUpgrade& rollout) {
  if (rolls_works(rollout.spec)) return rollout.spec.manifest_work_templates;
  std::vector<std::string> names;
  for (const PolicyReference& each : rollout.status.managed_policies_for_upgrade) names.push_back(each.name);
  return names;
}

// Rows that the API knows say only where it was.
std::string why_late(const ClusterRow& row) {
  if (row.current_policy)
    return fmt::format("{} when its time was over",
                       row.current_policy->status.empty() ? "not compliant" : row.current_policy->status);
  return row.current_manifest_work ? "not carried out when its time was over" : "not begun in its time";
}

class Reporter {
 public:
  explicit Reporter(const ClusterGroupUpgrade& rollout)
      : status_(rollout.status),
        ends_(deadlines_of(rollout.spec.remediation_strategy, rollout.status)),
        steps_(steps_of(rollout)) {
    for (const ClusterRow& each : status_.clusters) rows_.emplace(each.name, &each);
  }

  ClusterReport cluster(const std::string& name, std::int64_t batch) const {
    ClusterReport made{.name = name, .batch = batch, .state = "Waiting"};
    const auto& progress = status_.status.current_batch_remediation_progress;
    const auto at = batch == status_.status.current_batch ? progress.find(name) : progress.end();
    if (at != progress.end() && at->second.state == ProgressState::InProgress) {
      made.state = at->second.first_compliant_at ? "Soaking" : "InProgress";
      const auto& progress_at = at->second;
      const auto step = progress_at.policy_index ? progress_at.policy_index : progress_at.manifest_work_index;
      made.policy = step_at(step.value_or(0));
    }
    const auto row = rows_.find(name);
    if (row == rows_.end()) return made;
    made.state = state_word(row->second->state);
    made.reason = row->second->reason;
    if (made.reason.empty() && row->second->state == kTimedOut) made.reason = why_late(*row->second);
    if (row->second->current_policy) made.policy = row->second->current_policy->name;
    if (row->second->current_manifest_work) made.policy = row->second->current_manifest_work->name;
    return made;
  }

  BatchReport batch(std::size_t index, std::string_view phase) const {
    const auto number = static_cast<std::int64_t>(index) + 1;
    BatchReport made{.number = number,
                     .canary = number <= status_.rollout.canary_batches,
                     .clusters = status_.remediation_plan[index]};
    std::int64_t late = 0;
    for (const std::string& each : made.clusters) {
      const std::string state = cluster(each, number).state;
      if (state == "Complete" || state == "Skipped") ++made.done;
      if (state == "TimedOut") ++late;
    }
    const bool is_current = number == status_.status.current_batch;
    if (is_current) {
      made.started_at = status_.status.current_batch_started_at;
      made.ends_at = ends_.batch ? ends_.batch : ends_.rollout;
    }
    if (made.done == static_cast<std::int64_t>(made.clusters.size())) {
      made.state = "Complete";
    } else if (late > 0 && !is_current) {
      made.state = "TimedOut";
    } else {
      made.state = is_current ? (phase == "Paused" ? "Paused" : "InProgress") : "Waiting";
    }
    return made;
  }

  std::optional<WallTime> ends_at() const { return ends_.rollout; }

 private:
  std::string step_at(std::int64_t index) const {
    return static_cast<std::size_t>(index) < steps_.size() ? steps_[static_cast<std::size_t>(index)] : "";
  }

  const ClusterGroupUpgradeStatus& status_;
  Deadlines ends_;
  std::vector<std::string> steps_;
  std::map<std::string_view, const ClusterRow*> rows_;
};

// The batch that stands still until somebody agrees.
std::int64_t batch_to_approve(const ClusterGroupUpgrade& rollout) {
  const Phase phase = phase_of(&rollout);
  std::optional<std::size_t> next;
  if (std::holds_alternative<phase::Preparing>(phase) && !rollout.status.remediation_plan.empty()) next = 1;
  if (const auto* rolling = std::get_if<phase::Rolling>(&phase)) {
    if (!rolling->is_open) next = rolling->batch;
    if (rolling->is_open && rolling->is_over && !rolling->is_last) next = rolling->batch + 1;
  }
  if (!next || is_approved(rollout, rollout.status, *next)) return 0;
  return needs_approval(rollout, rollout.status, *next) ? static_cast<std::int64_t>(*next) : 0;
}

std::string bar(const BatchReport& batch) {
  const std::size_t all = batch.clusters.size();
  const auto done = static_cast<std::size_t>(batch.done);
  const std::size_t filled = all == 0 ? kBarWidth : done * kBarWidth / all;
  return fmt::format("[{}{}] {}/{}", std::string(filled, '#'), std::string(kBarWidth - filled, '.'), done,
                     all);
}

std::string in_time(std::optional<WallTime> when, WallTime now) {
  if (!when) return {};
  if (*when <= now) return "its time is over";
  return fmt::format("{} left", format_age(*when - now));
}

std::string first_line(const RolloutReport& report) {
  std::string text = fmt::format("{}/{}: {}", report.namespace_, report.name, report.phase);
  const auto current = std::ranges::find_if(report.batches, [](const BatchReport& each) {
    return each.state == "InProgress" || each.state == "Paused";
  });
  if (current != report.batches.end())
    text += fmt::format(", batch {} of {}", current->number, report.batches.size());
  return text + "\n";
}

std::string time_line(const RolloutReport& report, WallTime now) {
  if (report.completed_at)
    return fmt::format("  took {}\n", format_age(*report.completed_at - *report.started_at));
  const std::string left = report.ends_at ? ", " + in_time(report.ends_at, now) : "";
  return fmt::format("  started {} ago{}\n", format_age(now - *report.started_at), left);
}

}  // namespace

RolloutReport report_of(const ClusterGroupUpgrade& rollout) {
  const ClusterGroupUpgradeStatus& status = rollout.status;
  RolloutReport made{.name = rollout.metadata.name,
                     .namespace_ = rollout.metadata.namespace_,
                     .phase = phase_name(rollout),
                     .started_at = status.status.started_at,
                     .completed_at = status.status.completed_at};
  if (!status.conditions.empty()) {
    made.reason = status.conditions.back().reason;
    made.message = status.conditions.back().message;
  }
  made.policies = steps_of(rollout);
  const Reporter reporter(rollout);
  if (!has_ended(made)) made.ends_at = reporter.ends_at();
  made.next_approval = batch_to_approve(rollout);
  std::set<std::string_view> planned;
  for (std::size_t i = 0; i < status.remediation_plan.size(); ++i) {
    made.batches.push_back(reporter.batch(i, made.phase));
    for (const std::string& each : status.remediation_plan[i]) {
      planned.insert(each);
      made.clusters.push_back(reporter.cluster(each, static_cast<std::int64_t>(i) + 1));
    }
  }
  for (const ClusterRow& each : status.clusters) {
    if (!planned.contains(each.name)) made.clusters.push_back(reporter.cluster(each.name, 0));
  }
  return made;
}

bool has_ended(const RolloutReport& report) {
  return report.phase == "Succeeded" || report.phase == "Failed";
}

std::string to_text(const RolloutReport& report, WallTime now) {
  std::string text = first_line(report);
  if (!report.message.empty()) text += fmt::format("  {}: {}\n", report.reason, report.message);
  if (!report.policies.empty()) text += fmt::format("  policies: {}\n", join(report.policies, ", "));
  if (report.started_at) text += time_line(report, now);
  if (report.next_approval > 0)
    text += fmt::format("  batch {} waits: fairway rollout approve {} -n {}\n", report.next_approval,
                        report.name, report.namespace_);
  std::vector<std::vector<std::string>> batches = {{"BATCH", "STATE", "PROGRESS", "TIME", "CLUSTERS"}};
  for (const BatchReport& each : report.batches) {
    batches.push_back({fmt::format("{}{}", each.number, each.canary ? " (canary)" : ""), each.state,
                       bar(each), has_ended(report) ? "" : in_time(each.ends_at, now),
                       join(each.clusters, " ")});
  }
  if (batches.size() > 1) text += "\n" + in_columns(batches);
  std::vector<std::vector<std::string>> clusters = {{"CLUSTER", "BATCH", "STATE", "POLICY", "REASON"}};
  for (const ClusterReport& each : report.clusters) {
    if (each.state == "Waiting") continue;
    clusters.push_back(
        {each.name, each.batch == 0 ? "" : std::to_string(each.batch), each.state, each.policy, each.reason});
  }
  if (clusters.size() > 1) text += "\n" + in_columns(clusters);
  return text;
}

json::Array history_of(const ClusterGroupUpgrade& rollout) {
  const RolloutReport report = report_of(rollout);
  json::Object present;
  present["run"] = rollout.status.rollout.run;
  present["phase"] = report.phase;
  present["reason"] = report.reason;
  present["message"] = report.message;
  if (report.started_at) present["startedAt"] = format_rfc3339(*report.started_at);
  if (report.completed_at) present["completedAt"] = format_rfc3339(*report.completed_at);
  json::Array all;
  all.emplace_back(std::move(present));
  for (const json::Object& each : rollout.status.rollout.history) all.emplace_back(each);
  return all;
}

std::string history_text(const ClusterGroupUpgrade& rollout) {
  std::vector<std::vector<std::string>> rows = {{"RUN", "RESULT", "STARTED", "COMPLETED", "MESSAGE"}};
  for (const json::Value& each : history_of(rollout)) {
    const json::Object& run = each.get_object();
    const auto text = [&](std::string_view key) {
      return std::string(json::get_string(run, {key}).value_or(""));
    };
    const json::Value* number = run.if_contains("run");
    rows.push_back({number == nullptr ? "" : json::serialize(*number), text("reason"), text("startedAt"),
                    text("completedAt"), text("message")});
  }
  return in_columns(rows);
}

RolloutPreview preview_of(Observed seen) {
  ClusterGroupUpgrade rollout = *seen.rollout;
  rollout.status = {};
  rollout.metadata.finalizers = {std::string(kFinalizer)};
  rollout.metadata.deletion_timestamp.reset();
  rollout.spec.enable = true;
  seen.rollout = std::make_shared<const ClusterGroupUpgrade>(std::move(rollout));
  seen.placements.clear();
  seen.bindings.clear();
  RolloutPreview made{.name = seen.rollout->metadata.name,
                      .timeout_minutes = seen.rollout->spec.remediation_strategy.timeout};
  for (const Action& action : decide(seen).actions) {
    const auto* write = std::get_if<WriteStatus>(&action);
    if (write == nullptr) continue;
    const ClusterGroupUpgradeStatus& status = write->status;
    for (const auto type : {kClustersSelected, kValidated}) {
      const auto* condition = kube::find_condition(status.conditions, type);
      if (condition != nullptr && condition->status == kube::kConditionFalse)
        made.problem = condition->message;
    }
    const auto* progressing = kube::find_condition(status.conditions, kProgressing);
    if (progressing != nullptr && progressing->status == kube::kConditionFalse &&
        kube::find_condition(status.conditions, kSucceeded) == nullptr)
      made.held = progressing->message;
    made.max_concurrency = status.computed_max_concurrency;
    made.canary_batches = status.rollout.canary_batches;
    made.batches = status.remediation_plan;
    for (const ClusterRow& each : status.clusters) made.compliant.push_back(each.name);
    for (const PolicyReference& each : status.managed_policies_for_upgrade)
      made.policies.push_back(each.name);
    if (rolls_works(seen.rollout->spec)) made.policies = seen.rollout->spec.manifest_work_templates;
    made.compliant_policies = status.managed_policies_compliant_before_upgrade;
  }
  return made;
}

std::string to_text(const RolloutPreview& preview) {
  if (!preview.problem.empty())
    return fmt::format("{} cannot be rolled out: {}\n", preview.name, std::string(trim(preview.problem)));
  std::size_t clusters = 0;
  for (const Batch& each : preview.batches) clusters += each.size();
  std::string text = fmt::format(
      "{} would update {} clusters in {} batches, at most {} at a time, within {} minutes\n", preview.name,
      clusters, preview.batches.size(), preview.max_concurrency, preview.timeout_minutes);
  if (!preview.held.empty()) text += fmt::format("  but first: {}\n", preview.held);
  if (!preview.policies.empty()) text += fmt::format("  policies: {}\n", join(preview.policies, ", "));
  if (!preview.compliant_policies.empty())
    text += fmt::format("  policies that all comply with: {}\n", join(preview.compliant_policies, ", "));
  if (!preview.compliant.empty())
    text += fmt::format("  clusters that already comply: {}\n", join(preview.compliant, " "));
  std::vector<std::vector<std::string>> rows = {{"BATCH", "CLUSTERS"}};
  for (std::size_t i = 0; i < preview.batches.size(); ++i) {
    const bool is_canary = static_cast<std::int64_t>(i) < preview.canary_batches;
    rows.push_back({fmt::format("{}{}", i + 1, is_canary ? " (canary)" : ""), join(preview.batches[i], " ")});
  }
  if (rows.size() > 1) text += "\n" + in_columns(rows);
  return text;
}

}  // namespace fairway::fleet
