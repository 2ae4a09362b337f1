// GraphData: a graph-data tree, read: version, raw metadata, channels, blocks.
//
// read_graph_data() takes the files of a tree in any order and reports everything at once. `data` is there
// only when nothing refuses; otherwise the caller keeps the last good one and shows the findings. The rest of
// the findings are the lint of single files; checks across files are lint.hpp's.
//
//   version                  SemVer, major 1; a minor above 2 is newer than us, and said so
//   raw/metadata.json        required: {"4.1.0":{"key":"value"}}, {} for nothing
//   channels/*.yaml          channel.hpp; internal-channels/*.yaml feed others
//   blocked-edges/**         block.hpp; whatever looks like a block counts, wherever it stands
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/semver.hpp"
#include "graph/block.hpp"
#include "graph/channel.hpp"
#include "graph/finding.hpp"
#include "graph/patterns.hpp"
#include "graph/release.hpp"
#include "graph/source_file.hpp"

namespace fairway::graph {

struct GraphData {
  SemVer version;
  std::map<std::string, Metadata, std::less<>> raw;  // by version without build part
  std::vector<Channel> channels;                     // by file
  std::vector<Block> blocks;                         // by file
  Patterns patterns;
};

struct GraphDataReading {
  std::optional<GraphData> data;
  Findings findings;  // sorted
};

GraphDataReading read_graph_data(const SourceFiles& files);

// The findings that refuse, as one error.
Error refusal(std::span<const Finding> findings);

}  // namespace fairway::graph
