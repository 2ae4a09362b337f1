// Graph data from outside: never crashes, and what is accepted gives a sound graph.
//
// The input is a tree: files after lines `=== PATH`. Version and raw metadata are added where they are
// missing.
#include <algorithm>
#include <string_view>

#include "base/text.hpp"
#include "graph/builder.hpp"
#include "graph/document.hpp"
#include "graph/lint.hpp"
#include "graph/promote.hpp"
#include "graph/view.hpp"

#include "fuzzer.hpp"

namespace {

using namespace fairway;

graph::SourceFiles files_in(std::string_view text) {
  graph::SourceFiles files{{"version", "1.1.0"}, {"raw/metadata.json", "{}"}};
  for (std::string_view line : split(text, '\n')) {
    if (line.starts_with("=== ")) {
      files.push_back({std::string(line.substr(4)), ""});
    } else {
      files.back().text += line;
      files.back().text += '\n';
    }
  }
  // A tree has a path once; the first of two stands.
  graph::SourceFiles distinct;
  for (graph::SourceFile& file : files) {
    const bool is_known = std::ranges::find(distinct, file.path, &graph::SourceFile::path) != distinct.end();
    if (!is_known) distinct.push_back(std::move(file));
  }
  return distinct;
}

std::vector<graph::Release> releases() {
  std::vector<graph::Release> all;
  const std::vector<std::string> versions{"4.6.1", "4.6.2", "4.7.0", "4.7.4"};
  for (const char* arch : {"amd64", "s390x"}) {
    for (std::size_t i = 0; i < versions.size(); ++i) {
      graph::ReleaseMetadata metadata{.version = *SemVer::parse(versions[i])};
      metadata.previous.assign(versions.begin(), versions.begin() + static_cast<std::ptrdiff_t>(i));
      all.push_back(*graph::make_release(std::move(metadata), arch, "r@sha256:" + versions[i] + arch));
    }
  }
  return all;
}

void check(const graph::Graph& built) {
  graph::ViewRenderer renderer(built, graph::AllowedRules::none());
  const graph::Outcomes outcomes(built, graph::AllowedRules::none());
  for (graph::ChannelId channel = 0; channel < built.channels().size(); ++channel) {
    for (graph::ArchId arch = 0; arch < built.architectures().size(); ++arch) {
      const std::string body = renderer.render(channel, arch);
      FAIRWAY_CHECK(body == graph::to_json(graph::document_of(built, channel, arch, outcomes)),
                    "an answer differs from its values");
      const auto document = graph::read_document(body);
      FAIRWAY_CHECK(document && graph::to_json(*document) == body, "an answer does not read back");
    }
  }
}

}  // namespace

FAIRWAY_FUZZER(graph_data, text) {
  if (text.size() > 1 << 16) return;
  const graph::SourceFiles files = files_in(text);
  const auto reading = graph::read_graph_data(files);
  FAIRWAY_CHECK(reading.data.has_value() != graph::any_refuses(reading.findings),
                "a refusal and data, or neither");
  static const std::vector<graph::Release> kReleases = releases();
  graph::lint(files, {.releases = kReleases});
  if (!reading.data) return;
  graph::decide_promotions(*reading.data, {.now = {}});
  if (const auto build = graph::build_graph(kReleases, *reading.data)) check(*build->graph);
}
