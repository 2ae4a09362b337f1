// fairway rollout pause, resume, approve, rerun, rollback, block: what an operator decides.
#include <algorithm>
#include <filesystem>
#include <fmt/format.h>
#include <ostream>

#include "async/files.hpp"
#include "base/text.hpp"
#include "cli/options.hpp"
#include "cli/rollout.hpp"
#include "fleet/holds.hpp"
#include "fleet/learned_block.hpp"
#include "fleet/report.hpp"
#include "json/yaml.hpp"

namespace fairway::cli {
namespace {

using fleet::ClusterGroupUpgrade;

json::Object controls_patch(json::Object controls) {
  return {{"spec", json::Object{{"rolloutControls", std::move(controls)}}}};
}

json::Object annotation_patch(std::string_view key, json::Value value) {
  json::Object patch;
  json::ensure_object(patch, {"metadata", "annotations"})[key] = std::move(value);
  return patch;
}

Result<void> refuse_if_ended(const ClusterGroupUpgrade& rollout, std::string_view verb) {
  if (!fleet::has_ended(fleet::report_of(rollout))) return {};
  return fail(ErrorCode::Invalid,
              fmt::format("{} has ended and cannot be {}; 'fairway rollout rerun {}' starts it "
                          "again",
                          quoted(rollout.metadata.name), verb, rollout.metadata.name));
}

Result<void> run_pause(const RolloutSettings& settings, Invocation& invocation) {
  FAIRWAY_TRY(const auto session, RolloutSession::open(settings));
  FAIRWAY_TRY(
      const auto paused,
      session->patch(settings.name, "", [&](const ClusterGroupUpgrade& rollout) -> Result<json::Object> {
        FAIRWAY_CHECKED(refuse_if_ended(rollout, "paused"));
        json::Object controls{{"paused", true}};
        if (settings.freezes) controls["pauseMode"] = "Freeze";
        return controls_patch(std::move(controls));
      }));
  const bool freezes = fleet::controls_of(paused.spec).pause_mode == fleet::HoldMode::Freeze;
  invocation.out << fmt::format("{} is paused: {}\n", settings.name,
                                freezes ? "nobody is enforced any more"
                                        : "the batch that is open is finished, and no other is started");
  return {};
}

// What holds it now that it was told to go on.
std::string left_hold(const ClusterGroupUpgrade& rollout, WallTime now) {
  const fleet::RolloutReport report = fleet::report_of(rollout);
  std::optional<std::size_t> next;
  if (report.next_approval > 0) next = static_cast<std::size_t>(report.next_approval);
  const auto hold = fleet::hold_of(rollout, rollout.status, next, now);
  return hold ? hold->cause : "";
}

Result<void> run_resume(const RolloutSettings& settings, Invocation& invocation) {
  FAIRWAY_TRY(const auto session, RolloutSession::open(settings));
  std::int64_t acknowledged = 0;
  FAIRWAY_TRY(
      const auto resumed,
      session->patch(settings.name, "", [&](const ClusterGroupUpgrade& rollout) -> Result<json::Object> {
        FAIRWAY_CHECKED(refuse_if_ended(rollout, "resumed"));
        json::Object patch = annotation_patch(fleet::kPausedAnnotation, nullptr);
        if (rollout.spec.rollout_controls)
          json::ensure_object(patch, {"spec", "rolloutControls"})["paused"] = false;
        if (fleet::failures_of(rollout, rollout.status).are_too_many) {
          acknowledged =
              std::ranges::count(rollout.status.clusters, fleet::kTimedOut, &fleet::ClusterRow::state);
          json::ensure_object(patch, {"metadata", "annotations"})[fleet::kAcknowledgedAnnotation] =
              std::to_string(acknowledged);
        }
        return patch;
      }));
  if (acknowledged > 0)
    invocation.out << fmt::format("{} failed clusters are acknowledged; further ones count anew\n",
                                  acknowledged);
  const std::string held = left_hold(resumed, session->now());
  invocation.out << (held.empty() ? fmt::format("{} goes on\n", settings.name)
                                  : fmt::format("{} is still held by {}\n", settings.name, held));
  return {};
}

Result<json::Object> approval_patch(const ClusterGroupUpgrade& rollout, std::int64_t batch,
                                    const std::string& user, WallTime now) {
  if (fleet::is_approved(rollout, rollout.status, static_cast<std::size_t>(batch))) return json::Object();
  auto approvals = rollout.status.rollout.approvals;
  approvals.push_back({batch, fleet::whole_seconds(now), user});
  json::Object patch;
  json::ensure_object(patch, {"status", "rollout"})["approvals"] = json::to_json(approvals);
  return patch;
}

Result<void> run_approve(const RolloutSettings& settings, Invocation& invocation) {
  FAIRWAY_TRY(const auto session, RolloutSession::open(settings));
  const std::string user = session->user_name();
  auto batch = static_cast<std::int64_t>(settings.batch);
  FAIRWAY_TRY(const auto approved,
              session->patch(
                  settings.name, "status", [&](const ClusterGroupUpgrade& rollout) -> Result<json::Object> {
                    FAIRWAY_CHECKED(refuse_if_ended(rollout, "approved"));
                    if (batch == 0) batch = fleet::report_of(rollout).next_approval;
                    if (batch == 0)
                      return fail(ErrorCode::Invalid,
                                  fmt::format("no batch of {} waits for approval; --batch approves one "
                                              "before its turn",
                                              quoted(settings.name)));
                    return approval_patch(rollout, batch, user, session->now());
                  }));
  invocation.out << fmt::format("batch {} of {} is approved\n", batch, approved.metadata.name);
  return {};
}

Result<void> run_rerun(const RolloutSettings& settings, Invocation& invocation) {
  FAIRWAY_TRY(const auto session, RolloutSession::open(settings));
  FAIRWAY_TRY(
      const auto asked,
      session->patch(settings.name, "", [&](const ClusterGroupUpgrade& rollout) -> Result<json::Object> {
        if (!fleet::has_ended(fleet::report_of(rollout)))
          return fail(ErrorCode::Invalid,
                      fmt::format("{} has not ended yet; only a rollout that has can be run again",
                                  quoted(settings.name)));
        json::Object controls;
        controls["rerun"] = rollout.status.rollout.run + 1;
        controls["rerunScope"] = settings.is_all ? "All" : "Failed";
        return controls_patch(std::move(controls));
      }));
  invocation.out << fmt::format("{} runs again, as run {}\n", settings.name,
                                fleet::controls_of(asked.spec).rerun);
  return {};
}

Result<void> run_rollback(const RolloutSettings& settings, Invocation& invocation) {
  FAIRWAY_TRY(const auto session, RolloutSession::open(settings));
  FAIRWAY_TRY(
      const auto asked,
      session->patch(settings.name, "", [&](const ClusterGroupUpgrade& rollout) -> Result<json::Object> {
        if (!fleet::controls_of(rollout.spec).rollback)
          return fail(ErrorCode::Invalid,
                      fmt::format("{} has no spec.rolloutControls.rollback.managedPolicies: nothing says how "
                                  "it would be taken back",
                                  quoted(settings.name)));
        return annotation_patch(fleet::kRollbackAnnotation, "true");
      }));
  const bool has_ended = fleet::has_ended(fleet::report_of(asked));
  invocation.out << fmt::format("{0} is taken back {1} by {0}-rollback\n", settings.name,
                                has_ended ? "now" : "when it has ended");
  return {};
}

struct BlockSettings : RolloutSettings {
  fleet::BlockChoice choice;
  std::string graph_data;
};

Result<void> run_block(const BlockSettings& settings, Invocation& invocation) {
  FAIRWAY_TRY(const auto session, RolloutSession::open(settings));
  FAIRWAY_TRY(const auto rollout, session->read(settings.name));
  FAIRWAY_TRY(const auto seen, session->observe(rollout));
  FAIRWAY_TRY(const auto block, fleet::learn_block(rollout, seen.policies, settings.choice));
  const std::string text = json::to_yaml(block.content);
  if (settings.graph_data.empty()) {
    invocation.out << text;
    return {};
  }
  const std::filesystem::path folder = std::filesystem::path(settings.graph_data) / "blocked-edges";
  if (std::error_code error; !std::filesystem::is_directory(folder, error))
    return fail(ErrorCode::NotFound,
                fmt::format("expected graph data with a folder \"blocked-edges\" in {}, found none",
                            quoted(settings.graph_data)));
  const std::string path = (folder / block.file).string();
  FAIRWAY_CHECKED(replace_file(path, text));
  invocation.out << fmt::format("wrote {}; look at it, then commit it for the rest of the fleet\n", path);
  return {};
}

// A subcommand about one rollout.
CLI::App& add_steering(CLI::App& parent, RolloutSettings& settings, const char* name, const char* description,
                       const char* example) {
  CLI::App& command = add_rollout_command(parent, settings, name, description, example);
  command.add_option("NAME", settings.name, "The rollout")->required()->type_name("NAME");
  return command;
}

}  // namespace

void add_rollout_steering(CLI::App& rollout, Invocation& invocation) {
  auto paused = std::make_shared<RolloutSettings>();
  CLI::App& pause =
      add_steering(rollout, *paused, "pause", "Let a rollout stand still; no time counts meanwhile",
                   "fairway rollout pause edge-4-17");
  pause.add_flag("--freeze", paused->freezes,
                 "Stop enforcing on the batch that is open, instead of finishing it");
  on_chosen(pause, invocation, paused, run_pause);

  auto resumed = std::make_shared<RolloutSettings>();
  CLI::App& resume = add_steering(
      rollout, *resumed, "resume",
      "Let a paused rollout go on where it stopped\n\nFailures that stopped it count as looked at.",
      "fairway rollout resume edge-4-17");
  on_chosen(resume, invocation, resumed, run_resume);

  auto approved = std::make_shared<RolloutSettings>();
  CLI::App& approve = add_steering(rollout, *approved, "approve", "Agree to the batch that waits for it",
                                   "fairway rollout approve edge-4-17");
  number_option(approve, "--batch", approved->batch, {0, 1'000'000}, "Another batch than the one that waits");
  on_chosen(approve, invocation, approved, run_approve);

  auto again = std::make_shared<RolloutSettings>();
  CLI::App& rerun =
      add_steering(rollout, *again, "rerun", "Run a rollout that has ended again, for what is left of it",
                   "fairway rollout rerun edge-4-17");
  rerun.add_flag("--all", again->is_all, "For all clusters, not only for those that are not complete");
  on_chosen(rerun, invocation, again, run_rerun);

  auto back = std::make_shared<RolloutSettings>();
  CLI::App& rollback =
      add_steering(rollout, *back, "rollback",
                   "Take a rollout back by the policies that it names for that, last batch first",
                   "fairway rollout rollback edge-4-17");
  on_chosen(rollback, invocation, back, run_rollback);

  auto learned = std::make_shared<BlockSettings>();
  CLI::App& block = add_steering(
      rollout, *learned, "block",
      "Write what a failed rollout teaches as a block of graph data\n\nA conditional block against the "
      "release, "
      "with the failure as its message, for somebody to review. Printed, or\nwritten into graph data.",
      "fairway rollout block edge-4-17 --url https://incidents.example.com/42 --graph-data graph-data");
  block.add_option("--graph-data", learned->graph_data, "Write it there")->type_name("FOLDER");
  block.add_option("--from", learned->choice.from, "Versions that are kept from it: a regular expression")
      ->type_name("REGEX")
      ->default_str(learned->choice.from);
  block.add_option("--url", learned->choice.url, "Where to read more: the page of the incident")
      ->required()
      ->type_name("URL");
  block.add_option("--promql", learned->choice.promql, "Which clusters it is about; all")->type_name("QUERY");
  on_chosen(block, invocation, learned, run_block);
}

}  // namespace fairway::cli
