// fairway graph simulate: what a change of graph data would do to a recorded fleet.
#include <algorithm>
#include <filesystem>
#include <fmt/format.h>
#include <map>
#include <optional>
#include <ostream>

#include "base/text.hpp"
#include "cli/command.hpp"
#include "cli/graph_queries.hpp"
#include "cli/graph_source.hpp"
#include "graph/simulate.hpp"

namespace fairway::cli {
namespace {

struct GraphSimulateSettings {
  GraphChoice graph;
  std::string change;
  std::vector<std::string> removed;
  std::string fleet;
  std::string output;
  bool with_service = false;
};

bool is_whole_tree(const graph::SourceFiles& files) {
  return std::ranges::find(files, "version", &graph::SourceFile::path) != files.end();
}

// The tree with the change's files in the place of its own.
Result<graph::SourceFiles> changed_tree(graph::SourceFiles files, const GraphSimulateSettings& settings) {
  if (!settings.change.empty()) {
    FAIRWAY_TRY(graph::SourceFiles change, read_tree(settings.change));
    if (is_whole_tree(change)) {
      files = std::move(change);
    } else {
      if (change.empty()) {
        return fail(ErrorCode::Invalid, fmt::format("expected changed files in {} where they stand in the "
                                                    "tree, such as blocked-edges/4.7.4-Name.yaml; found none",
                                                    quoted(settings.change)));
      }
      for (graph::SourceFile& file : change) {
        std::erase_if(files, [&](const graph::SourceFile& old) { return old.path == file.path; });
        files.push_back(std::move(file));
      }
    }
  }
  for (const std::string& path : settings.removed) {
    if (std::erase_if(files, [&](const graph::SourceFile& file) { return file.path == path; }) == 0) {
      return fail(ErrorCode::NotFound,
                  fmt::format("expected a file of the tree to leave out, found {}", quoted(path)));
    }
  }
  return files;
}

// Metrics are read when a cluster is first asked about; a fleet's files need not fit into memory together.
class Recordings {
 public:
  explicit Recordings(const std::string& fleet_file)
      : folder_(std::filesystem::path(fleet_file).parent_path()) {}

  graph::RiskVerdict judge(const graph::FleetMember& member, std::string_view query) {
    if (member.metrics.empty()) return graph::RiskVerdict::Unknown;
    if (member.metrics != current_) load(member);
    return metrics_ ? metrics_->judge(query) : graph::RiskVerdict::Unknown;
  }

  const std::map<std::string, std::string>& problems() const { return problems_; }

 private:
  void load(const graph::FleetMember& member) {
    current_ = member.metrics;
    metrics_.reset();
    auto read = RecordedMetrics::read((folder_ / member.metrics).string());
    if (read) {
      metrics_ = *std::move(read);
    } else {
      problems_.emplace(member.metrics, read.error().describe());
    }
  }

  std::filesystem::path folder_;
  std::string current_;
  std::optional<RecordedMetrics> metrics_;
  std::map<std::string, std::string> problems_;
};

Result<void> run_simulate(const GraphSimulateSettings& settings, Invocation& invocation) {
  if (settings.change.empty() && settings.removed.empty()) {
    return fail(ErrorCode::Invalid,
                "expected --change or --remove: without a change there is nothing to compare");
  }
  FAIRWAY_TRY(const auto files, read_tree(settings.graph.source));
  FAIRWAY_TRY(const auto changed, changed_tree(files, settings));
  const std::string releases = releases_path(settings.graph);
  FAIRWAY_TRY(const LoadedGraph before, load_graph(files, releases, invocation.err));
  FAIRWAY_TRY(const LoadedGraph after, load_graph(changed, releases, invocation.err));
  FAIRWAY_TRY(const std::string text, read_text_file(settings.fleet));
  auto fleet = graph::read_fleet(text);
  if (!fleet)
    return std::unexpected(
        std::move(fleet).error().within(fmt::format("while reading {}", quoted(settings.fleet))));
  Recordings recordings(settings.fleet);
  graph::FleetJudge judge;
  judge.on_cluster = [&](const graph::FleetMember& member, std::string_view query) {
    return recordings.judge(member, query);
  };
  if (settings.with_service) {
    // The service allows what its query gives 1 for, which on a cluster is "applies".
    judge.by_service = [&](const graph::FleetMember& member, std::string_view query) {
      return recordings.judge(member, query) == graph::RiskVerdict::Applies;
    };
  }
  const graph::Simulation simulation = graph::simulate(*before.graph, *after.graph, *fleet, judge);
  for (const auto& [file, problem] : recordings.problems())
    invocation.err << fmt::format("warning: {}\n", problem);
  if (settings.output == "json") {
    invocation.out << json::serialize_pretty(to_json(simulation)) << '\n';
  } else {
    invocation.out << to_text(simulation);
  }
  invocation.verdict = simulation.stranded > 0 ? 1 : 0;
  return {};
}

constexpr const char* kGraphSimulateDescription =
    "Try a change of graph data on a recorded fleet\n"
    "\n"
    "Says which clusters lose which updates, for which they become unknown, and which would be stranded, "
    "before anyone\n"
    "merges the change. FLEET has one JSON object a line: id, version, channel, arch, and metrics, a file "
    "with what the\n"
    "cluster's endpoint exposed (relative to FLEET). Ends with 1 when a cluster would be stranded.";

}  // namespace

void add_graph_simulate(CLI::App& graph, Invocation& invocation) {
  CLI::App& command = *graph.add_subcommand("simulate", kGraphSimulateDescription);
  command.group(kSubcommands);
  command.footer(
      "fairway graph simulate ./graph-data --change ./my-change --fleet fleet.jsonl\nfairway graph simulate "
      "./graph-data --remove blocked-edges/4.7.4.yaml --fleet fleet.jsonl");
  auto settings = std::make_shared<GraphSimulateSettings>();
  command.add_option("DIR", settings->graph.source, "The graph data")->type_name("DIR")->required();
  command
      .add_option("--change", settings->change,
                  "A folder with new or changed files where they stand in the tree, or a whole tree")
      ->type_name("DIR");
  command.add_option("--remove", settings->removed, "A file of the tree to leave out; repeatable")
      ->type_name("PATH")
      ->take_all()
      ->allow_extra_args(false);
  command.add_option("--fleet", settings->fleet, "The clusters, one JSON object a line")
      ->type_name("FILE")
      ->required();
  command.add_flag("--service-queries", settings->with_service,
                   "Evaluate clusters.promql on the recorded metrics, too; otherwise it allows everyone");
  add_releases_option(command, settings->graph.releases);
  add_json_option(command, settings->output);
  on_chosen(command, invocation, std::move(settings), run_simulate);
}

}  // namespace fairway::cli
