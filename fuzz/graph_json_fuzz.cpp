// A graph's JSON from anyone: never crashes, and one reading is enough to bring it into its final form.
#include <string_view>

#include "graph/audit.hpp"
#include "graph/diff.hpp"
#include "graph/document.hpp"
#include "graph/path.hpp"
#include "graph/show.hpp"

#include "fuzzer.hpp"

FAIRWAY_FUZZER(graph_json, text) {
  using namespace fairway;
  if (text.size() > 1 << 16) return;
  const auto document = graph::read_document(text);
  if (!document) return;
  const std::string written = graph::to_json(*document);
  const auto again = graph::read_document(written);
  FAIRWAY_CHECK(again && graph::to_json(*again) == written,
                "a graph changed on its way through its final form");
  FAIRWAY_CHECK(graph::diff(*document, *again).is_empty(), "a graph differs from itself");
  graph::audit(*document);
  graph::to_dot(*document);
  graph::to_mermaid(*document);
  if (document->nodes.size() < 2) return;
  graph::PathRequest request{
      .from = document->nodes.front().text, .to = document->nodes.back().text, .channels = {"c-1", "c-2"}};
  graph::find_path(*document, request);
  request.channels.clear();
  request.objective = graph::PathRequest::Objective::FewestRisks;
  graph::find_path(*document, request);
}
