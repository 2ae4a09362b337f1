// build_graph: releases and graph data to a Graph.
//
// Pure and independent of the order in which releases and files come. Steps: releases become nodes
// (neighbours that do not exist become abstract ones), their neighbours edges; raw metadata and channels are
// joined on; edges are added, checked for cycles, and given their reasons. What is left out on the way is
// reported as alerts, because somebody should know.
#pragma once

#include <memory>
#include <span>

#include "base/result.hpp"
#include "graph/finding.hpp"
#include "graph/graph.hpp"
#include "graph/graph_data.hpp"
#include "graph/release.hpp"

namespace fairway::graph {

struct BuildOptions {
  // One version with two digests, or a cycle: leave out what is in doubt and say so; otherwise refuse to
  // build.
  bool exclude_conflicts = true;
  // Leave out releases whose metadata has release.remove = "true".
  bool drop_removed = false;
};

struct Build {
  std::shared_ptr<const Graph> graph;
  Findings alerts;
};

// Invalid, with all reasons, when metadata cannot be understood, or on a conflict that is not to be excluded.
Result<Build> build_graph(std::span<const Release> releases, const GraphData& data,
                          const BuildOptions& options = {});

}  // namespace fairway::graph
