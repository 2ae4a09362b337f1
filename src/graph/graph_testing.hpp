// What the tests of this folder share: trees and releases in a few words, and answers as values.
#pragma once

#include <gtest/gtest.h>
#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "graph/builder.hpp"
#include "graph/document.hpp"
#include "graph/graph_data.hpp"
#include "graph/outcome.hpp"
#include "graph/view.hpp"

namespace fairway::graph::testing {

using Files = std::initializer_list<std::pair<std::string, std::string>>;

// With version and raw/metadata.json, unless given.
inline SourceFiles tree(Files files) {
  SourceFiles all;
  for (const auto& [path, text] : files) all.push_back({path, text});
  const auto has = [&](std::string_view path) {
    return std::ranges::find(all, path, &SourceFile::path) != all.end();
  };
  if (!has("version")) all.push_back({"version", "1.1.0\n"});
  if (!has("raw/metadata.json")) all.push_back({"raw/metadata.json", "{}"});
  return all;
}

inline GraphData data(Files files) {
  auto reading = read_graph_data(tree(files));
  EXPECT_TRUE(reading.data) << (reading.findings.empty() ? "" : to_text(reading.findings.front()));
  return reading.data ? *std::move(reading.data) : GraphData{};
}

inline Release release(std::string_view version, std::vector<std::string> previous = {},
                       std::string arch = "amd64", std::string digest = "") {
  ReleaseMetadata metadata{.version = *SemVer::parse(version), .previous = std::move(previous)};
  if (digest.empty()) digest = std::string(version) + arch;
  return *make_release(std::move(metadata), std::move(arch), "registry.example.com/release@sha256:" + digest);
}

inline std::shared_ptr<const Graph> graph(std::vector<Release> releases, const GraphData& data) {
  auto build = build_graph(releases, data);
  EXPECT_TRUE(build) << (build ? "" : build.error().describe());
  return build ? build->graph : nullptr;
}

inline std::string channel(std::string_view name, std::initializer_list<std::string_view> versions) {
  std::string text = "name: " + std::string(name) + "\nversions:\n";
  for (std::string_view version : versions) text += "- " + std::string(version) + "\n";
  return text;
}

inline std::string risk(std::string_view to, std::string_view from, std::string_view name,
                        std::string_view rules = "- type: Always\n") {
  return "to: " + std::string(to) + "\nfrom: " + std::string(from) + "\nurl: https://example.com/" +
         std::string(name) + "\nname: " + std::string(name) + "\nmessage: It may hurt.\nmatchingRules:\n" +
         std::string(rules);
}

inline Document view(const Graph& graph, std::string_view channel, std::string_view arch = "amd64",
                     const AllowedRules& allowed = AllowedRules::all()) {
  const auto channel_id = graph.find_channel(channel);
  const auto arch_id = graph.find_architecture(arch);
  if (!channel_id || !arch_id) return {};
  return document_of(graph, channel_id, *arch_id, Outcomes(graph, allowed));
}

// "4.6.1->4.7.4" and "4.6.1-(A, B)->4.7.4", in order.
inline std::vector<std::string> edges(const Document& document) {
  std::vector<std::string> texts;
  for (const Document::Edge& edge : document.edges) {
    std::string middle = "->";
    if (edge.is_conditional()) {
      middle = "-(";
      for (const std::string& name : document.risk_names(edge))
        middle += (middle.size() > 2 ? ", " : "") + name;
      middle += ")->";
    }
    texts.push_back(document.nodes[edge.from].text + middle + document.nodes[edge.to].text);
  }
  return texts;
}

inline std::vector<std::string> ids(const Findings& findings) {
  std::vector<std::string> ids;
  ids.reserve(findings.size());
  for (const Finding& finding : findings) ids.push_back(finding.id);
  return ids;
}

inline std::vector<std::string> versions(const Document& document) {
  std::vector<std::string> texts;
  texts.reserve(document.nodes.size());
  for (const auto& node : document.nodes) texts.push_back(node.text);
  return texts;
}

}  // namespace fairway::graph::testing
