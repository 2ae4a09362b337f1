// Rollouts that wait for others. Pure.
//
// A blocker is done when it succeeded; by annotation, when it has ended in any way. Rollouts that wait for
// each other are told so: they would wait for ever.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "fleet/types.hpp"
#include "kube/core/object.hpp"

namespace fairway::fleet {

// A rollout's blockers, theirs, and so on, as far as they exist.
using Rollouts = std::map<kube::ObjectKey, std::shared_ptr<const ClusterGroupUpgrade>>;

struct BlockingVerdict {
  std::string reason = {};  // of condition Progressing; empty: nothing blocks
  std::string message = {};
};
BlockingVerdict judge_blockers(const ClusterGroupUpgrade& rollout, const Rollouts& others);

// Where the rollout asks for it, only clusters that are complete in all blockers; their order stays.
bool filters_clusters(const ClusterGroupUpgrade& rollout);
std::vector<std::string> complete_in_blockers(const ClusterGroupUpgrade& rollout, const Rollouts& others,
                                              const std::vector<std::string>& clusters);

}  // namespace fairway::fleet
