// fairway graph lint: every check of graph data that needs no network.
#include <fmt/format.h>
#include <ostream>

#include "cli/command.hpp"
#include "cli/graph_queries.hpp"
#include "cli/graph_source.hpp"
#include "cli/options.hpp"
#include "graph/lint.hpp"
#include "json/value.hpp"

namespace fairway::cli {
namespace {

struct GraphLintSettings {
  std::string folder;
  std::string releases;
  std::string errata;
  std::string output = "text";
  bool no_promql = false;
  bool no_info = false;
};

std::string summary(const graph::Findings& findings) {
  return fmt::format("{} errors, {} warnings, {} remarks\n", count(findings, graph::Severity::Error),
                     count(findings, graph::Severity::Warning), count(findings, graph::Severity::Info));
}

Result<void> run_lint(const GraphLintSettings& settings, Invocation& invocation) {
  FAIRWAY_TRY(const auto files, read_tree(settings.folder));
  graph::LintOptions options;
  if (!settings.no_promql) options.lint_query = lint_query;
  if (!settings.errata.empty()) options.errata_pattern = settings.errata;
  if (!settings.releases.empty()) {
    FAIRWAY_TRY(options.releases, read_release_file(settings.releases));
  }
  graph::Findings findings = graph::lint(files, options);
  if (settings.no_info)
    std::erase_if(findings,
                  [](const graph::Finding& finding) { return finding.severity == graph::Severity::Info; });
  if (settings.output == "json") {
    json::Array array;
    for (const graph::Finding& finding : findings) array.push_back(to_json(finding));
    const json::Object report{{"findings", std::move(array)},
                              {"errors", count(findings, graph::Severity::Error)},
                              {"warnings", count(findings, graph::Severity::Warning)}};
    invocation.out << json::serialize_pretty(report) << '\n';
  } else {
    for (const graph::Finding& finding : findings) {
      invocation.out << (settings.output == "github" ? to_github(finding, settings.folder) : to_text(finding))
                     << '\n';
    }
    invocation.err << summary(findings);
  }
  invocation.verdict = count(findings, graph::Severity::Error) > 0     ? 1
                       : count(findings, graph::Severity::Warning) > 0 ? 2
                                                                       : 0;
  return {};
}

constexpr const char* kGraphLintDescription =
    "Check graph data\n"
    "\n"
    "Ends with 0 when nothing was found, 1 for errors, 2 for warnings only; remarks do not count. With "
    "--releases the\n"
    "graph is built and checked, too: versions that do not exist, blocks without effect, versions without an "
    "exit.";

constexpr const char* kGraphLintExamples =
    "fairway graph lint ./graph-data\n"
    "\n"
    "# In a workflow of GitHub: findings appear beside the lines of a pull request\n"
    "fairway graph lint -o github ./graph-data\n"
    "\n"
    "# With the releases\n"
    "fairway graph lint ./graph-data --releases releases.jsonl";

}  // namespace

void add_graph_lint(CLI::App& graph, Invocation& invocation) {
  CLI::App& command = *graph.add_subcommand("lint", kGraphLintDescription);
  command.group(kSubcommands);
  command.footer(kGraphLintExamples);
  auto settings = std::make_shared<GraphLintSettings>();
  command.add_option("DIR", settings->folder, "The graph data")->type_name("DIR")->required();
  command.add_option("--releases", settings->releases, "The releases, one JSON object a line")
      ->type_name("FILE");
  command
      .add_option("--errata-pattern", settings->errata,
                  "What the url of every release matches that is not a pre-release")
      ->type_name("REGEX");
  command.add_flag("--no-promql", settings->no_promql, "Do not look into queries");
  command.add_flag("--no-remarks", settings->no_info, "Only errors and warnings");
  choice(*command.add_option("-o,--output", settings->output, "The form of the findings"),
         {"text", "json", "github"})
      .default_str("text");
  on_chosen(command, invocation, std::move(settings), run_lint);
}

}  // namespace fairway::cli
