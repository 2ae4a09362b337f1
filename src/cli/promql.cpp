// fairway promql: the query language of risks, without a Prometheus.
#include "cli/command.hpp"

namespace fairway::cli {

void add_promql(CLI::App& root, Invocation& invocation) {
  CLI::App& command = *root.add_subcommand(
      "promql", "Check, evaluate and test the queries that decide whether a risk applies");
  command.group(kOtherCommands);
  command.require_subcommand(0, 1);
  add_promql_check(command, invocation);
  add_promql_eval(command, invocation);
  add_promql_test(command, invocation);
}

}  // namespace fairway::cli
