// What the graph commands read: graph-data trees, release lists, and graphs as JSON.
//
// A graph is given as graph data (a folder, an archive, a Git revision; with releases in a JSON-lines file)
// or as a file with what an update service answered; `-` is stdin. Alerts of the builder go to `err`, since
// the graph is usable all the same.
#pragma once

#include <CLI/App.hpp>
#include <iosfwd>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "graph/document.hpp"
#include "graph/graph.hpp"
#include "graph/graph_data.hpp"
#include "graph/source_file.hpp"

namespace fairway::cli {

// The files of a tree that mean something: of a folder, an archive, or git:FOLDER@REVISION (or @DATE).
Result<graph::SourceFiles> read_tree(const std::string& source);
// A file's text; `-` is stdin.
Result<std::string> read_text_file(const std::string& path);
Result<std::vector<graph::Release>> read_release_file(const std::string& path);

struct GraphChoice {
  std::string source;    // graph data, a file, or -
  std::string releases;  // empty: releases.jsonl in the folder
  std::string channel;   // empty: all
  std::string arch = "amd64";
};

// `--releases`, `--channel` and `--arch`; the positional is the command's own.
void add_graph_options(CLI::App& command, GraphChoice& choice);
void add_releases_option(CLI::App& command, std::string& releases);
// Text for people, unless -o json.
void add_json_option(CLI::App& command, std::string& output);

// Where the releases are: as given, or beside the graph data.
std::string releases_path(const GraphChoice& choice);

struct LoadedGraph {
  graph::GraphData data;
  std::shared_ptr<const graph::Graph> graph;
};
Result<LoadedGraph> load_graph(const graph::SourceFiles& files, const std::string& releases,
                               std::ostream& err);
Result<LoadedGraph> load_graph(const GraphChoice& choice, std::ostream& err);

// What a client would be answered; without a channel, all releases of the architecture.
Result<graph::Document> load_document(const GraphChoice& choice, std::ostream& err);
Result<graph::Document> select_document(const graph::Graph& graph, const GraphChoice& choice);

}  // namespace fairway::cli
