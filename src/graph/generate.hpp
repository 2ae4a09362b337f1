// generate_tree: graph data and releases of any size, made up but lifelike.
//
// The same options always give the same tree, on every machine. It has what real trees have: channels that
// contain one another and overlap with the minor version before, release candidates, blocks for everyone, by
// risk and by the client's id, anchored and unanchored patterns. It passes the lint. For tests, benchmarks
// and for trying things out.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "graph/release.hpp"
#include "graph/source_file.hpp"

namespace fairway::graph {

struct GenerateOptions {
  std::uint64_t seed = 1;
  std::size_t minors = 4;    // 4.1 to 4.N
  std::size_t patches = 10;  // releases of each, release candidates not counted
  std::size_t risks = 8;     // names of risks; each blocks a run of targets
  std::size_t targeted = 1;  // blocks that the service decides by the client's id
  std::vector<std::string> architectures = {"amd64", "arm64"};
};

struct GeneratedTree {
  SourceFiles files;
  std::vector<Release> releases;
};

GeneratedTree generate_tree(const GenerateOptions& options);

// The same releases for each of the architectures; payloads differ.
std::vector<Release> for_architectures(const std::vector<Release>& releases,
                                       const std::vector<std::string>& architectures);

}  // namespace fairway::graph
