// fairway graph: tools for those who maintain graph data.
#include "cli/command.hpp"

namespace fairway::cli {

void add_graph(CLI::App& root, Invocation& invocation) {
  CLI::App& command = *root.add_subcommand("graph",
                                           "Check, show and change the graph of updates\n"
                                           "\n"
                                           "Works on graph data in a folder (version, channels, "
                                           "blocked-edges, raw) and releases in a file of JSON\n"
                                           "lines, without a server. Commands that only look also take a "
                                           "file with the answer of any update service.");
  command.group(kOtherCommands);
  command.require_subcommand(0, 1);
  add_graph_audit(command, invocation);
  add_graph_diff(command, invocation);
  add_graph_explain(command, invocation);
  add_graph_generate(command, invocation);
  add_graph_lint(command, invocation);
  add_graph_path(command, invocation);
  add_graph_promote(command, invocation);
  add_graph_show(command, invocation);
  add_graph_simulate(command, invocation);
}

}  // namespace fairway::cli
