// Source trees: graph data as files on disk. They block; a service reads them on a worker.
#pragma once

#include <string>
#include <string_view>

#include "base/result.hpp"
#include "graph/source_file.hpp"

namespace fairway::updateservice {

// More than any file of graph data or list of releases has.
inline constexpr std::size_t kMostSourceBytes = 256 * 1024 * 1024;

// Whether a path within a tree means something to the graph: version, raw, channels, internal-channels,
// blocked-edges.
bool is_graph_data(std::string_view path);

// Those files of a folder, in order. NotFound when there is no such folder.
Result<graph::SourceFiles> read_tree(const std::string& folder);

// Twelve hexadecimal digits that name the content of files that are in order.
std::string content_tag(const graph::SourceFiles& files);

}  // namespace fairway::updateservice
