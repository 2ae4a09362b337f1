// fairway graph show: a graph as text, as JSON, or as the source of a picture.
#include <ostream>

#include "cli/command.hpp"
#include "cli/graph_source.hpp"
#include "cli/options.hpp"
#include "graph/show.hpp"

namespace fairway::cli {
namespace {

struct GraphShowSettings {
  GraphChoice graph;
  std::string output = "text";
};

Result<void> run_show(const GraphShowSettings& settings, Invocation& invocation) {
  FAIRWAY_TRY(const graph::Document document, load_document(settings.graph, invocation.err));
  if (settings.output == "json") {
    invocation.out << to_json(document) << '\n';
  } else if (settings.output == "dot") {
    invocation.out << to_dot(document);
  } else if (settings.output == "mermaid") {
    invocation.out << to_mermaid(document);
  } else {
    invocation.out << to_edge_lines(document);
  }
  return {};
}

constexpr const char* kGraphShowDescription =
    "Show a graph\n"
    "\n"
    "GRAPH is a folder with graph data, a file with an update service's answer, or - for stdin. As text, "
    "each update is\n"
    "one line, `A -> B` or `A -(blocked: RISK, RISK)-> B`; json is what a client would be answered.";

}  // namespace

void add_graph_show(CLI::App& graph, Invocation& invocation) {
  CLI::App& command = *graph.add_subcommand("show", kGraphShowDescription);
  command.group(kSubcommands);
  command.footer(
      "fairway graph show ./graph-data --channel stable-4.7\n"
      "fairway graph show ./graph-data --channel stable-4.7 -o dot | dot -Tsvg >graph.svg\n"
      "curl -sH 'Accept: application/json' 'https://example.com/graph?channel=stable-4.7' | fairway graph "
      "show -");
  auto settings = std::make_shared<GraphShowSettings>();
  command
      .add_option("GRAPH", settings->graph.source, "A folder with graph data, a graph's JSON, or - for stdin")
      ->type_name("FILE")
      ->required();
  add_graph_options(command, settings->graph);
  choice(*command.add_option("-o,--output", settings->output, "The form"), {"text", "json", "dot", "mermaid"})
      .default_str("text");
  on_chosen(command, invocation, std::move(settings), run_show);
}

}  // namespace fairway::cli
