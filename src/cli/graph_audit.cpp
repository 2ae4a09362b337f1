// fairway graph audit: versions that a cluster cannot leave, or only at a risk.
#include <algorithm>
#include <filesystem>
#include <fmt/format.h>
#include <ostream>

#include "base/text.hpp"
#include "cli/command.hpp"
#include "cli/graph_source.hpp"
#include "graph/audit.hpp"

namespace fairway::cli {
namespace {

struct GraphAuditSettings {
  GraphChoice graph;
  std::vector<std::string> channels;
  std::vector<std::string> architectures;
  std::string output;
  bool without_id = false;
  bool check = false;
};

struct Entry {
  std::string channel;
  std::string arch;
  graph::Audit audit;
};

bool is_chosen(const std::vector<std::string>& chosen, const std::string& name) {
  return chosen.empty() || std::ranges::find(chosen, name) != chosen.end();
}

Result<std::vector<Entry>> audit_tree(const GraphAuditSettings& settings, std::ostream& err) {
  FAIRWAY_TRY(const LoadedGraph loaded, load_graph(settings.graph, err));
  const graph::Graph& whole = *loaded.graph;
  for (const std::string& name : settings.channels) {
    if (!whole.find_channel(name))
      return fail(ErrorCode::NotFound,
                  fmt::format("expected a channel of the graph, found {}", quoted(name)));
  }
  const graph::Outcomes outcomes(
      whole, settings.without_id ? graph::AllowedRules::none() : graph::AllowedRules::all());
  std::vector<Entry> entries;
  for (graph::ChannelId channel = 0; channel < whole.channels().size(); ++channel) {
    for (graph::ArchId arch = 0; arch < whole.architectures().size(); ++arch) {
      if (!is_chosen(settings.channels, whole.channels()[channel]) ||
          !is_chosen(settings.architectures, whole.architectures()[arch]))
        continue;
      entries.push_back({whole.channels()[channel], whole.architectures()[arch],
                         graph::audit(document_of(whole, channel, arch, outcomes))});
    }
  }
  return entries;
}

Result<std::vector<Entry>> audit_all(const GraphAuditSettings& settings, std::ostream& err) {
  std::error_code ignored;
  if (std::filesystem::is_directory(settings.graph.source, ignored)) return audit_tree(settings, err);
  FAIRWAY_TRY(const graph::Document document, load_document(settings.graph, err));
  return std::vector<Entry>{{"", "", graph::audit(document)}};
}

void print(const Entry& entry, std::ostream& out) {
  const std::string place = entry.channel.empty() ? "" : fmt::format("{} {}: ", entry.channel, entry.arch);
  const auto line = [&](std::string_view what, const std::vector<std::string>& versions) {
    if (!versions.empty()) out << fmt::format("{}{}: {}\n", place, what, join(versions, ", "));
  };
  line("no exit", entry.audit.without_exit);
  line("no way to the head", entry.audit.cut_off);
  line("only conditional exits", entry.audit.only_conditional);
  line("every way to the head is conditional", entry.audit.head_at_risk);
}

Result<void> run_audit(const GraphAuditSettings& settings, Invocation& invocation) {
  FAIRWAY_TRY(const auto entries, audit_all(settings, invocation.err));
  json::Array array;
  std::size_t stuck = 0;
  for (const Entry& entry : entries) {
    stuck += entry.audit.without_exit.size() + entry.audit.cut_off.size();
    if (settings.output == "json") {
      json::Object object;
      if (!entry.channel.empty()) object = {{"channel", entry.channel}, {"arch", entry.arch}};
      for (const auto& item : to_json(entry.audit)) object[item.key()] = item.value();
      array.push_back(std::move(object));
    } else {
      print(entry, invocation.out);
    }
  }
  if (settings.output == "json") invocation.out << json::serialize_pretty(array) << '\n';
  if (settings.check && stuck > 0) invocation.verdict = 1;
  return {};
}

constexpr const char* kGraphAuditDescription =
    "Find versions that cannot be left\n"
    "\n"
    "For each channel and architecture: versions without any update away from them, versions from which the "
    "channel's\n"
    "newest version is out of reach, and those that only conditional updates lead away from. The newest "
    "version itself\n"
    "does not count. With --check it ends with 1 when a version has no exit or no way to the newest.";

}  // namespace

void add_graph_audit(CLI::App& graph, Invocation& invocation) {
  CLI::App& command = *graph.add_subcommand("audit", kGraphAuditDescription);
  command.group(kSubcommands);
  command.footer(
      "fairway graph audit ./graph-data --channel stable-4.7\n\n# As clients see it that send no id\nfairway "
      "graph audit ./graph-data --without-id");
  auto settings = std::make_shared<GraphAuditSettings>();
  command
      .add_option("GRAPH", settings->graph.source, "A folder with graph data, a graph's JSON, or - for stdin")
      ->type_name("FILE")
      ->required();
  add_releases_option(command, settings->graph.releases);
  command.add_option("--channel", settings->channels, "Only this channel; repeatable")
      ->type_name("NAME")
      ->take_all()
      ->allow_extra_args(false);
  command.add_option("--arch", settings->architectures, "Only this architecture; repeatable")
      ->type_name("NAME")
      ->take_all()
      ->allow_extra_args(false);
  command.add_flag("--without-id", settings->without_id, "As a client that the service cannot know");
  command.add_flag("--check", settings->check, "End with 1 when versions are stuck");
  add_json_option(command, settings->output);
  on_chosen(command, invocation, std::move(settings), run_audit);
}

}  // namespace fairway::cli
