// fairway rollout: what a rollout would do, where it stands, and the few words that an operator has for it.
#include "cli/rollout.hpp"

#include <fmt/format.h>
#include <ostream>
#include <unistd.h>

#include "base/columns.hpp"
#include "base/text.hpp"
#include "cli/graph_source.hpp"
#include "cli/options.hpp"
#include "cli/output.hpp"
#include "fleet/report.hpp"
#include "json/yaml.hpp"

namespace fairway::cli {
namespace {

using fleet::ClusterGroupUpgrade;

constexpr const char* kRolloutDescription =
    "Plan, follow and steer rollouts over a fleet\n"
    "\n"
    "A rollout is a ClusterGroupUpgrade on the hub. It is carried out by 'fairway controllers --only fleet', "
    "or by\n"
    "the hub's own operator; pauses, approvals and further runs are understood by Fairway's.";

constexpr const char* kPlanDescription =
    "Say which batches a rollout would have, without touching anything\n"
    "\n"
    "Reads the clusters and policies of the hub and the ClusterGroupUpgrade of FILE, which need not exist "
    "there.\n"
    "The exit code is 1 when it could not be rolled out.";

Result<ClusterGroupUpgrade> read_manifest(const RolloutSettings& settings,
                                          const std::string& default_namespace) {
  FAIRWAY_TRY(const std::string text, read_text_file(settings.file));
  FAIRWAY_TRY(const auto documents, json::parse_yaml_documents(text));
  for (const json::Value& each : documents) {
    const json::Object* object = each.if_object();
    if (object == nullptr || kube::kind_of(*object) != "ClusterGroupUpgrade") continue;
    FAIRWAY_TRY(ClusterGroupUpgrade rollout, kube::decode<ClusterGroupUpgrade>(*object));
    if (rollout.metadata.namespace_.empty()) rollout.metadata.namespace_ = default_namespace;
    return rollout;
  }
  return fail(ErrorCode::Invalid, fmt::format("expected a ClusterGroupUpgrade in {}, found {} documents of "
                                              "other kinds",
                                              quoted(settings.file), documents.size()));
}

Result<void> run_plan(const RolloutSettings& settings, Invocation& invocation) {
  FAIRWAY_TRY(const auto session, RolloutSession::open(settings));
  FAIRWAY_TRY(ClusterGroupUpgrade rollout, read_manifest(settings, session->namespace_()));
  FAIRWAY_TRY(fleet::Observed seen, session->observe(std::move(rollout)));
  const fleet::RolloutPreview preview = fleet::preview_of(std::move(seen));
  print(invocation, settings.output, json::to_json(preview), fleet::to_text(preview));
  if (!preview.problem.empty()) invocation.verdict = 1;
  return {};
}

Result<void> run_list(const RolloutSettings& settings, Invocation& invocation) {
  FAIRWAY_TRY(const auto session, RolloutSession::open(settings));
  FAIRWAY_TRY(const auto rollouts, session->list(settings.is_all_namespaces));
  std::vector<fleet::RolloutReport> all;
  std::vector<std::vector<std::string>> rows = {
      {"NAMESPACE", "NAME", "PHASE", "BATCH", "CLUSTERS", "DETAILS"}};
  for (const ClusterGroupUpgrade& each : rollouts) {
    const fleet::RolloutReport report = fleet::report_of(each);
    std::int64_t done = 0;
    std::size_t planned = 0;
    for (const fleet::BatchReport& batch : report.batches) {
      done += batch.done;
      planned += batch.clusters.size();
    }
    const std::int64_t current = each.status.status.current_batch;
    rows.push_back({report.namespace_, report.name, report.phase,
                    current == 0 ? "" : fmt::format("{}/{}", current, report.batches.size()),
                    fmt::format("{}/{}", done, planned), report.message});
    all.push_back(report);
  }
  const std::string text =
      all.empty() ? fmt::format("no rollouts{}\n", settings.is_all_namespaces
                                                       ? ""
                                                       : " in the namespace " + quoted(session->namespace_()))
                  : in_columns(rows);
  print(invocation, settings.output, json::to_json(all), text);
  return {};
}

Result<void> run_status(const RolloutSettings& settings, Invocation& invocation) {
  if (settings.name.empty()) return run_list(settings, invocation);
  FAIRWAY_TRY(const auto session, RolloutSession::open(settings));
  FAIRWAY_TRY(const ClusterGroupUpgrade rollout, session->read(settings.name));
  const fleet::RolloutReport report = fleet::report_of(rollout);
  print(invocation, settings.output, json::to_json(report), fleet::to_text(report, session->now()));
  return {};
}

Result<void> run_history(const RolloutSettings& settings, Invocation& invocation) {
  FAIRWAY_TRY(const auto session, RolloutSession::open(settings));
  FAIRWAY_TRY(const ClusterGroupUpgrade rollout, session->read(settings.name));
  print(invocation, settings.output, fleet::history_of(rollout), fleet::history_text(rollout));
  return {};
}

// On a terminal the same place is drawn over; elsewhere what is new follows what was.
void draw(std::ostream& out, const std::string& text, bool is_first) {
  static const bool is_terminal = ::isatty(STDOUT_FILENO) == 1;
  constexpr const char* kClear = "\x1b[H\x1b[2J\x1b[3J";
  if (is_terminal) {
    out << kClear;
  } else if (!is_first) {
    out << '\n';
  }
  out << text << std::flush;
}

Result<void> run_watch(const RolloutSettings& settings, Invocation& invocation) {
  FAIRWAY_TRY(const auto session, RolloutSession::open(settings));
  std::string shown;
  return session->watch(settings.name, [&](const ClusterGroupUpgrade& rollout) {
    const fleet::RolloutReport report = fleet::report_of(rollout);
    std::string text = fleet::to_text(report, session->now());
    if (text != shown) draw(invocation.out, text, shown.empty());
    shown = std::move(text);
    if (report.phase == "Failed") invocation.verdict = 1;
    return fleet::has_ended(report);
  });
}

void add_output(CLI::App& command, RolloutSettings& settings) {
  choice(*command.add_option("-o,--output", settings.output, "For programs"), {"json", "yaml"});
}

}  // namespace

CLI::App& add_rollout_command(CLI::App& parent, RolloutSettings& settings, const char* name,
                              const char* description, const char* example) {
  CLI::App& command = *parent.add_subcommand(name, description);
  command.group(kSubcommands);
  command.footer(example);
  command.add_option("-n,--namespace", settings.namespace_, "Of the rollout; the context's")
      ->type_name("NAMESPACE");
  add_cluster_options(command, settings.cluster);
  return command;
}

void add_rollout(CLI::App& root, Invocation& invocation) {
  CLI::App& command = *root.add_subcommand("rollout", kRolloutDescription);
  command.group(kClusterCommands);
  command.require_subcommand(1);

  auto planned = std::make_shared<RolloutSettings>();
  CLI::App& plan =
      add_rollout_command(command, *planned, "plan", kPlanDescription, "fairway rollout plan rollout.yaml");
  plan.add_option("FILE", planned->file, "The ClusterGroupUpgrade; - is stdin")
      ->required()
      ->type_name("FILE");
  add_output(plan, *planned);
  on_chosen(plan, invocation, planned, run_plan);

  auto shown = std::make_shared<RolloutSettings>();
  CLI::App& status =
      add_rollout_command(command, *shown, "status", "Show where a rollout stands, or list all",
                          "fairway rollout status edge-4-17");
  status.add_option("NAME", shown->name, "The rollout; all when left out")->type_name("NAME");
  status.add_flag("-A,--all-namespaces", shown->is_all_namespaces, "List those of all namespaces");
  add_output(status, *shown);
  on_chosen(status, invocation, shown, run_status);

  auto watched = std::make_shared<RolloutSettings>();
  CLI::App& watch = add_rollout_command(command, *watched, "watch",
                                        "Follow a rollout to its end; the exit code is 1 when it fails",
                                        "fairway rollout watch edge-4-17");
  watch.add_option("NAME", watched->name, "The rollout")->required()->type_name("NAME");
  on_chosen(watch, invocation, watched, run_watch);

  auto told = std::make_shared<RolloutSettings>();
  CLI::App& history = add_rollout_command(command, *told, "history", "Show the results of all runs",
                                          "fairway rollout history edge-4-17");
  history.add_option("NAME", told->name, "The rollout")->required()->type_name("NAME");
  add_output(history, *told);
  on_chosen(history, invocation, told, run_history);

  add_rollout_steering(command, invocation);
}

}  // namespace fairway::cli
