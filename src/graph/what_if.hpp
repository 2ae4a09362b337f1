// what_if: what a block that is not merged would do to one cluster, judged on the graph that is served to it.
//
// The whole tree need not be at hand, as for simulate(): a block only ever takes away, so the served graph
// and the block are enough. What the service would decide by the cluster's id (clusters.promql) cannot be
// told here, and is Unknown. Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "graph/document.hpp"
#include "graph/simulate.hpp"
#include "graph/verdict.hpp"

namespace fairway::graph {

// A block alone, with the pattern of its `from`.
struct LoneBlock {
  Block block;
  Patterns patterns;
  Findings findings;  // what is odd about it, though it can be read
};

// Invalid, with all findings, where it cannot be used.
Result<LoneBlock> read_lone_block(std::string_view yaml);

// Whether the block speaks about updates from this version at all.
bool concerns(const LoneBlock& lone, std::string_view version, std::string_view arch);

// The updates of a cluster at `version` that would not be what they are now. Empty where the version is not
// in the graph, or nothing changes.
std::vector<UpdateChange> what_if(const Document& served, std::string_view version, std::string_view arch,
                                  const LoneBlock& lone, const QueryJudge& judge);

}  // namespace fairway::graph
