// fairway graph diff: what one graph offers that another does not.
#include <ostream>

#include "cli/command.hpp"
#include "cli/graph_source.hpp"
#include "graph/diff.hpp"

namespace fairway::cli {
namespace {

struct GraphDiffSettings {
  GraphChoice graph;
  std::string other;
  std::string output;
};

Result<void> run_diff(const GraphDiffSettings& settings, Invocation& invocation) {
  GraphChoice after = settings.graph;
  after.source = settings.other;
  FAIRWAY_TRY(const graph::Document left, load_document(settings.graph, invocation.err));
  FAIRWAY_TRY(const graph::Document right, load_document(after, invocation.err));
  const graph::Diff difference = diff(left, right);
  if (settings.output == "json") {
    invocation.out << json::serialize_pretty(to_json(difference)) << '\n';
  } else {
    invocation.out << to_text(difference);
  }
  invocation.verdict = difference.is_empty() ? 0 : 1;
  return {};
}

}  // namespace

void add_graph_diff(CLI::App& graph, Invocation& invocation) {
  CLI::App& command =
      *graph.add_subcommand("diff",
                            "Compare two graphs\n"
                            "\n"
                            "Versions and updates that came (+), went (-) or changed (~). Like diff, ends "
                            "with 0 when there is no difference\n"
                            "and 1 when there is one. --releases, when given, is used for both.");
  command.group(kSubcommands);
  command.footer(
      "fairway graph diff ./graph-data ./graph-data-new --releases releases.jsonl --channel "
      "stable-4.7\nfairway graph diff answer-monday.json answer-tuesday.json");
  auto settings = std::make_shared<GraphDiffSettings>();
  command.add_option("GRAPH", settings->graph.source, "A folder with graph data, or a graph's JSON")
      ->type_name("FILE")
      ->required();
  command.add_option("OTHER", settings->other, "The same, later")->type_name("FILE")->required();
  add_graph_options(command, settings->graph);
  add_json_option(command, settings->output);
  on_chosen(command, invocation, std::move(settings), run_diff);
}

}  // namespace fairway::cli
