// What a failed rollout teaches the rest of the fleet: a block of graph data against the release that it
// rolled out, for somebody to review. Pure.
//
// The block is conditional: clusters are told the risk and the reason instead of not being offered the
// release at all. Without a query it applies everywhere; with one, where the query says so.
#pragma once

#include <string>

#include "fleet/policies.hpp"
#include "fleet/types.hpp"

namespace fairway::fleet {

struct BlockChoice {
  std::string from = ".*";  // versions that are kept from it: a regular expression
  std::string url = {};     // where to read more
  std::string promql = {};  // which clusters it is about; empty: all
};

struct LearnedBlock {
  std::string file;  // below blocked-edges/
  json::Object content;
};

// An error when the rollout has not failed, or does not roll out one release by its version.
Result<LearnedBlock> learn_block(const ClusterGroupUpgrade& rollout, const Policies& policies,
                                 const BlockChoice& choice);

}  // namespace fairway::fleet
