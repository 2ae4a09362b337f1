// Releases from outside, as an image's metadata or as a list: never crash, and what is read is written back
// the same.
#include <string_view>

#include "graph/builder.hpp"
#include "graph/document.hpp"
#include "graph/release.hpp"
#include "graph/view.hpp"

#include "fuzzer.hpp"

FAIRWAY_FUZZER(release_metadata, text) {
  using namespace fairway;
  if (text.size() > 1 << 16) return;
  if (auto metadata = graph::read_release_metadata(text))
    graph::make_release(*std::move(metadata), "amd64", "r@sha256:0");
  const auto list = graph::read_releases(text);
  if (!list) return;
  const std::string written = graph::to_jsonl(list->releases);
  const auto again = graph::read_releases(written);
  FAIRWAY_CHECK(again && graph::to_jsonl(again->releases) == written,
                "releases changed on their way through a file");
  static const auto kData = *graph::read_graph_data({{"version", "1.1.0"}, {"raw/metadata.json", "{}"}}).data;
  const auto build = graph::build_graph(list->releases, kData);
  if (!build) return;
  const auto document = graph::read_document(graph::render_whole(*build->graph, graph::AllowedRules::all()));
  FAIRWAY_CHECK(document.has_value(), "the whole graph does not read back");
}
