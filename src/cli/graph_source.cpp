#include "cli/graph_source.hpp"

#include <algorithm>
#include <array>
#include <filesystem>
#include <fmt/format.h>
#include <iostream>
#include <iterator>
#include <ostream>

#include "async/files.hpp"
#include "async/process.hpp"
#include "base/clock.hpp"
#include "base/text.hpp"
#include "cli/options.hpp"
#include "graph/builder.hpp"
#include "updateservice/graph_data_source.hpp"
#include "updateservice/release_files.hpp"
#include "updateservice/source_tree.hpp"

namespace fairway::cli {
namespace {

namespace fs = std::filesystem;
using updateservice::GraphDataPlace;

constexpr std::array<std::string_view, 4> kArchives{".tar", ".tar.gz", ".tgz", ".tar.zst"};

// Whether a source is graph data, as opposed to somebody's graph.
bool is_graph_data_source(const std::string& source) {
  std::error_code ignored;
  if (fs::is_directory(source, ignored)) return true;
  const auto place = GraphDataPlace::parse(source);
  if (place && place->kind != GraphDataPlace::Kind::Path) return true;
  return std::ranges::any_of(kArchives, [&](std::string_view ending) { return source.ends_with(ending); });
}

std::string named(std::string_view name, std::span<const std::string> known) {
  const auto near = nearest(name, known);
  return near ? fmt::format("; did you mean {}?", *near) : "";
}

}  // namespace

Result<std::string> read_text_file(const std::string& path) {
  if (path == "-") return std::string(std::istreambuf_iterator<char>(std::cin), {});
  return read_file(path, updateservice::kMostSourceBytes);
}

Result<std::vector<graph::Release>> read_release_file(const std::string& path) {
  FAIRWAY_TRY(graph::ReleaseList list, updateservice::read_release_files(path));
  return std::move(list.releases);
}

Result<graph::SourceFiles> read_tree(const std::string& source) {
  FAIRWAY_TRY(const GraphDataPlace place, GraphDataPlace::parse(source));
  if (place.kind == GraphDataPlace::Kind::Path) {
    FAIRWAY_TRY(updateservice::GraphDataFiles data, updateservice::read_graph_data_path(place.path));
    return std::move(data.files);
  }
  if (place.kind == GraphDataPlace::Kind::Git) {
    const SystemClock clock;
    SystemProcess process(clock);
    FAIRWAY_TRY(updateservice::GraphDataFiles data,
                updateservice::read_graph_data_git(process, place.path, place.revision));
    return std::move(data.files);
  }
  return fail(
      ErrorCode::Unsupported,
      fmt::format(
          "expected a folder, an archive or git:FOLDER@REVISION, found the image {}: extract it, or ask "
          "the service that serves it (/graph-data)",
          quoted(source)));
}

std::string releases_path(const GraphChoice& choice) {
  if (!choice.releases.empty()) return choice.releases;
  const auto place = GraphDataPlace::parse(choice.source);
  return (fs::path(place ? place->path : choice.source) / "releases.jsonl").string();
}

void add_releases_option(CLI::App& command, std::string& releases) {
  command
      .add_option("--releases", releases,
                  "The releases, one JSON object a line; releases.jsonl in the folder by default")
      ->type_name("FILE");
}

void add_graph_options(CLI::App& command, GraphChoice& choice) {
  add_releases_option(command, choice.releases);
  command
      .add_option("--channel", choice.channel,
                  "The channel, as a client would ask for it; all releases by default")
      ->type_name("NAME");
  command.add_option("--arch", choice.arch, "The architecture")->type_name("NAME")->default_str(choice.arch);
}

void add_json_option(CLI::App& command, std::string& output) {
  fairway::cli::choice(*command.add_option("-o,--output", output, "For programs instead of people"),
                       {"json"});
}

Result<LoadedGraph> load_graph(const graph::SourceFiles& files, const std::string& releases,
                               std::ostream& err) {
  auto reading = graph::read_graph_data(files);
  if (!reading.data) return std::unexpected(graph::refusal(reading.findings));
  FAIRWAY_TRY(const auto list, read_release_file(releases));
  FAIRWAY_TRY(auto build, graph::build_graph(list, *reading.data));
  for (const graph::Finding& alert : build.alerts) err << to_text(alert) << '\n';
  return LoadedGraph{*std::move(reading.data), std::move(build.graph)};
}

Result<LoadedGraph> load_graph(const GraphChoice& choice, std::ostream& err) {
  FAIRWAY_TRY(const auto files, read_tree(choice.source));
  return load_graph(files, releases_path(choice), err);
}

Result<graph::Document> select_document(const graph::Graph& graph, const GraphChoice& choice) {
  const auto arch = graph.find_architecture(choice.arch);
  if (!arch) {
    return fail(ErrorCode::NotFound,
                fmt::format("expected an architecture that there are releases for ({}), found {}",
                            join(graph.architectures(), ", "), quoted(choice.arch)));
  }
  std::optional<graph::ChannelId> channel;
  if (!choice.channel.empty()) {
    channel = graph.find_channel(choice.channel);
    if (!channel) {
      return fail(ErrorCode::NotFound,
                  fmt::format("expected a channel of the graph, found {}{}", quoted(choice.channel),
                              named(choice.channel, graph.channels())));
    }
  }
  return graph::document_of(graph, channel, *arch, graph::Outcomes(graph, graph::AllowedRules::all()));
}

Result<graph::Document> load_document(const GraphChoice& choice, std::ostream& err) {
  if (is_graph_data_source(choice.source)) {
    FAIRWAY_TRY(const LoadedGraph loaded, load_graph(choice, err));
    return select_document(*loaded.graph, choice);
  }
  FAIRWAY_TRY(const std::string text, read_text_file(choice.source));
  auto document = graph::read_document(text);
  if (!document)
    return std::unexpected(
        std::move(document).error().within(fmt::format("while reading {}", quoted(choice.source))));
  return document;
}

}  // namespace fairway::cli
