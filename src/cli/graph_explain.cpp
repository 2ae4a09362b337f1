// fairway graph explain: why one update is recommended, conditional, blocked or missing.
#include <ostream>

#include "cli/command.hpp"
#include "cli/graph_source.hpp"
#include "graph/explain.hpp"

namespace fairway::cli {
namespace {

struct GraphExplainSettings {
  GraphChoice graph;
  std::string from;
  std::string to;
  std::string output;
  bool without_id = false;
};

Result<void> run_explain(const GraphExplainSettings& settings, Invocation& invocation) {
  FAIRWAY_TRY(const LoadedGraph loaded, load_graph(settings.graph, invocation.err));
  graph::EdgeQuestion question{.from = settings.from, .to = settings.to, .arch = settings.graph.arch};
  if (!settings.graph.channel.empty()) question.channel = settings.graph.channel;
  const auto allowed = settings.without_id ? graph::AllowedRules::none() : graph::AllowedRules::all();
  const auto explanation = explain_edge(*loaded.graph, question, allowed);
  if (settings.output == "json") {
    invocation.out << json::serialize_pretty(to_json(explanation)) << '\n';
  } else {
    invocation.out << to_text(explanation);
  }
  return {};
}

}  // namespace

void add_graph_explain(CLI::App& graph, Invocation& invocation) {
  CLI::App& command =
      *graph.add_subcommand("explain",
                            "Say why an update is recommended, conditional, blocked or missing\n"
                            "\n"
                            "Names the files that say so, and the risks with their rules.");
  command.group(kSubcommands);
  command.footer("fairway graph explain ./graph-data 4.6.23 4.7.4 --channel stable-4.7");
  auto settings = std::make_shared<GraphExplainSettings>();
  command.add_option("DIR", settings->graph.source, "The graph data")->type_name("DIR")->required();
  command.add_option("FROM", settings->from, "The version to update from")->type_name("VERSION")->required();
  command.add_option("TO", settings->to, "The version to update to")->type_name("VERSION")->required();
  add_graph_options(command, settings->graph);
  command.add_flag("--without-id", settings->without_id, "As a client that the service cannot know");
  add_json_option(command, settings->output);
  on_chosen(command, invocation, std::move(settings), run_explain);
}

}  // namespace fairway::cli
