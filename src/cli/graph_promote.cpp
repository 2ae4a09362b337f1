// fairway graph promote: which versions channels should take from their feeders now.
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <ostream>

#include "base/text.hpp"
#include "cli/command.hpp"
#include "cli/graph_blame.hpp"
#include "cli/graph_source.hpp"
#include "graph/promote.hpp"

namespace fairway::cli {
namespace {

struct GraphPromoteSettings {
  GraphChoice graph;
  std::string since;
  std::string errata;
  std::string at;
  std::string output;
  bool write = false;
};

using Since = std::map<std::pair<std::string, std::string>, WallTime>;

// {"fast": {"4.7.1": "2024-03-01T12:00:00Z"}}
Result<Since> read_since(const std::string& path) {
  FAIRWAY_TRY(const std::string text, read_text_file(path));
  FAIRWAY_TRY(const json::Object channels, json::parse_object(text));
  Since since;
  for (const auto& channel : channels) {
    const json::Object* versions = channel.value().if_object();
    if (versions == nullptr)
      return fail(ErrorCode::Invalid, fmt::format("expected an object of versions for channel {} in {}",
                                                  quoted(std::string(channel.key())), quoted(path)));
    for (const auto& version : *versions) {
      const auto* written = version.value().if_string();
      const auto time = written == nullptr ? std::nullopt : parse_rfc3339(json::view(*written));
      if (!time)
        return fail(ErrorCode::Invalid, fmt::format("expected a time like 2024-03-01T12:00:00Z for {} in {}",
                                                    quoted(std::string(version.key())), quoted(path)));
      since[{std::string(channel.key()), std::string(version.key())}] = *time;
    }
  }
  return since;
}

Result<Since> ask_git(const std::string& folder, const graph::GraphData& data) {
  std::map<std::string, const graph::Channel*> by_name;
  for (const graph::Channel& channel : data.channels) by_name.try_emplace(channel.name, &channel);
  Since since;
  std::map<std::string, bool> asked;
  for (const graph::Channel& channel : data.channels) {
    if (!channel.feeder || !channel.feeder->delay || asked[channel.feeder->name]) continue;
    asked[channel.feeder->name] = true;
    const auto feeder = by_name.find(channel.feeder->name);
    if (feeder == by_name.end()) continue;
    FAIRWAY_TRY(const auto lines, blame_channel(folder, feeder->second->file));
    for (const auto& [version, time] : lines) since[{feeder->first, version}] = time;
  }
  return since;
}

Result<std::set<std::string, std::less<>>> read_versions(const std::string& path) {
  std::set<std::string, std::less<>> versions;
  FAIRWAY_TRY(const std::string text, read_text_file(path));
  for (std::string_view word : split_words(text)) versions.emplace(word);
  return versions;
}

// A file is replaced whole or not at all.
Result<void> replace_file(const std::filesystem::path& path, const std::string& text) {
  const std::filesystem::path next = path.string() + ".new";
  std::ofstream file(next, std::ios::binary);
  file << text;
  file.close();
  std::error_code error;
  if (file) std::filesystem::rename(next, path, error);
  if (!file || error)
    return fail(ErrorCode::Unavailable, fmt::format("cannot write {}", quoted(path.string())));
  return {};
}

Result<void> write_promotions(const std::string& folder, const graph::PromotionPlan& plan) {
  for (const graph::Promotion& promotion : plan.promotions) {
    const auto path = std::filesystem::path(folder) / promotion.file;
    FAIRWAY_TRY(const std::string before, read_text_file(path.string()));
    FAIRWAY_TRY(const SemVer version, SemVer::parse(promotion.version));
    auto after = graph::with_version(before, version);
    if (!after)
      return std::unexpected(std::move(after).error().within(fmt::format("in {}", quoted(path.string()))));
    FAIRWAY_CHECKED(replace_file(path, *after));
  }
  return {};
}

Result<void> run_promote(const GraphPromoteSettings& settings, Invocation& invocation) {
  FAIRWAY_TRY(const auto files, read_tree(settings.graph.source));
  auto reading = graph::read_graph_data(files);
  if (!reading.data) return std::unexpected(graph::refusal(reading.findings));
  graph::PromotionFacts facts{.now = SystemClock().now()};
  if (!settings.at.empty()) {
    const auto time = parse_rfc3339(settings.at);
    if (!time)
      return fail(ErrorCode::Invalid,
                  fmt::format("expected a time like 2024-03-01T12:00:00Z, found {}", quoted(settings.at)));
    facts.now = *time;
  }
  FAIRWAY_TRY(facts.since, settings.since.empty() ? ask_git(settings.graph.source, *reading.data)
                                                  : read_since(settings.since));
  if (!settings.errata.empty()) {
    FAIRWAY_TRY(facts.public_errata, read_versions(settings.errata));
  }
  graph::Document releases;
  if (!settings.graph.releases.empty()) {
    FAIRWAY_TRY(const LoadedGraph loaded, load_graph(files, settings.graph.releases, invocation.err));
    FAIRWAY_TRY(releases, select_document(*loaded.graph, settings.graph));
    facts.releases = &releases;
  }
  const graph::PromotionPlan plan = decide_promotions(*reading.data, facts);
  if (settings.output == "json") {
    invocation.out << json::serialize_pretty(to_json(plan)) << '\n';
  } else {
    invocation.out << to_text(plan);
    for (const graph::Finding& finding : plan.findings) invocation.err << to_text(finding) << '\n';
  }
  if (settings.write) FAIRWAY_CHECKED(write_promotions(settings.graph.source, plan));
  invocation.verdict = count(plan.findings, graph::Severity::Error) > 0 ? 1 : 0;
  return {};
}

constexpr const char* kGraphPromoteDescription =
    "Decide which versions channels take from their feeders\n"
    "\n"
    "A version goes on when it has rested in the feeder for the delay, or its erratum is public. It is kept "
    "back when a\n"
    "risk of the patch before it is neither fixed nor declared for it, and, with --releases, when it could "
    "not be left.\n"
    "Ages come from Git (first-parent blame of the feeder's file) or from --since. Ends with 1 when a guard "
    "keeps a\n"
    "version back. Changes nothing without --write.";

}  // namespace

void add_graph_promote(CLI::App& graph, Invocation& invocation) {
  CLI::App& command = *graph.add_subcommand("promote", kGraphPromoteDescription);
  command.group(kSubcommands);
  command.footer(
      "fairway graph promote ./graph-data\nfairway graph promote ./graph-data --releases releases.jsonl "
      "--public-errata public.txt --write");
  auto settings = std::make_shared<GraphPromoteSettings>();
  command.add_option("DIR", settings->graph.source, "The graph data")->type_name("DIR")->required();
  command.add_option("--releases", settings->graph.releases, "The releases, for the guards about updates")
      ->type_name("FILE");
  command.add_option("--arch", settings->graph.arch, "The architecture that those are checked for")
      ->type_name("NAME")
      ->default_str(settings->graph.arch);
  command
      .add_option("--since", settings->since,
                  "When versions came into feeders, as JSON, instead of asking Git")
      ->type_name("FILE");
  command.add_option("--public-errata", settings->errata, "Versions whose erratum is public, one a line")
      ->type_name("FILE");
  command.add_option("--at", settings->at, "Decide as of this time instead of now")->type_name("TIME");
  command.add_flag("--write", settings->write, "Put the versions into the channels' files");
  add_json_option(command, settings->output);
  on_chosen(command, invocation, std::move(settings), run_promote);
}

}  // namespace fairway::cli
