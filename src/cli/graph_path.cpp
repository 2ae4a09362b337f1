// fairway graph path: how to get from one version to another over several updates.
#include <fmt/format.h>
#include <optional>
#include <ostream>

#include "cli/command.hpp"
#include "cli/graph_queries.hpp"
#include "cli/graph_source.hpp"
#include "cli/options.hpp"
#include "graph/path.hpp"

namespace fairway::cli {
namespace {

struct GraphPathSettings {
  GraphChoice graph;
  graph::PathRequest request;
  std::vector<std::string> accepted;
  std::string fewest = "hops";
  std::string metrics;
  std::string output;
};

Result<void> run_path(const GraphPathSettings& settings, Invocation& invocation) {
  FAIRWAY_TRY(const graph::Document document, load_document(settings.graph, invocation.err));
  graph::PathRequest request = settings.request;
  request.accepted = {settings.accepted.begin(), settings.accepted.end()};
  if (settings.fewest == "risks") request.objective = graph::PathRequest::Objective::FewestRisks;
  std::optional<RecordedMetrics> metrics;
  if (!settings.metrics.empty()) {
    FAIRWAY_TRY(metrics, RecordedMetrics::read(settings.metrics));
    request.judge = [&metrics](const graph::Risk& risk) {
      return judge_risk(risk, [&metrics](std::string_view query) { return metrics->judge(query); });
    };
  }
  FAIRWAY_TRY(const graph::Path path, find_path(document, request));
  if (settings.output == "json") {
    invocation.out << json::serialize_pretty(to_json(path)) << '\n';
  } else {
    invocation.out << to_text(path);
  }
  return {};
}

constexpr const char* kGraphPathDescription =
    "Find the way from one version to another\n"
    "\n"
    "Over as few updates as possible, or as few risks. With --channel, each step says which of the channels "
    "to be in.\n"
    "Risks that are accepted by name do not count, nor do those that --metrics show not to apply to the "
    "cluster.";

}  // namespace

void add_graph_path(CLI::App& graph, Invocation& invocation) {
  CLI::App& command = *graph.add_subcommand("path", kGraphPathDescription);
  command.group(kSubcommands);
  command.footer(
      "fairway graph path ./graph-data 4.6.23 4.7.5 --channel stable-4.6 --channel stable-4.7\n"
      "fairway graph path ./graph-data 4.6.23 4.7.4 --fewest risks --accept VSphereNodeNameChanges\n"
      "fairway graph path ./graph-data 4.6.23 4.7.4 --metrics cluster.prom --recommended");
  auto settings = std::make_shared<GraphPathSettings>();
  command
      .add_option("GRAPH", settings->graph.source, "A folder with graph data, a graph's JSON, or - for stdin")
      ->type_name("FILE")
      ->required();
  command.add_option("FROM", settings->request.from, "The version to update from")
      ->type_name("VERSION")
      ->required();
  command.add_option("TO", settings->request.to, "The version to get to")->type_name("VERSION")->required();
  add_releases_option(command, settings->graph.releases);
  command
      .add_option("--channel", settings->request.channels,
                  "A channel that may be used; repeatable, all by default")
      ->type_name("NAME")
      ->take_all()
      ->allow_extra_args(false);
  command.add_option("--arch", settings->graph.arch, "The architecture")
      ->type_name("NAME")
      ->default_str(settings->graph.arch);
  choice(*command.add_option("--fewest", settings->fewest, "What there should be least of"),
         {"hops", "risks"})
      .default_str("hops");
  command.add_option("--accept", settings->accepted, "A risk that does not count; repeatable")
      ->type_name("RISK")
      ->take_all()
      ->allow_extra_args(false);
  command.add_flag("--recommended", settings->request.only_recommended, "No update with a risk that is left");
  command.add_option("--metrics", settings->metrics, "The cluster's metrics, to tell which risks apply")
      ->type_name("FILE");
  add_json_option(command, settings->output);
  on_chosen(command, invocation, std::move(settings), run_path);
}

}  // namespace fairway::cli
