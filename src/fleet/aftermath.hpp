// What may follow the end of a rollout, where its controls ask for it: another run, or a rollout that takes
// it back. Pure.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "fleet/types.hpp"

namespace fairway::fleet {

// The status with which the next run begins: the result is in the history, what was reached stays unless all
// clusters are asked for. Nothing when no further run is asked for.
std::optional<ClusterGroupUpgradeStatus> next_run(const ClusterGroupUpgrade& rollout);

// Clusters that this rollout enforced on, those of the last batch first.
std::vector<std::string> touched_clusters(const ClusterGroupUpgradeStatus& status);

// The rollout that takes a finished one back: of the policies that do, over the clusters that were touched.
// Nothing when none is asked for, nobody was touched, or there is one already.
std::optional<ClusterGroupUpgrade> rollback_of(const ClusterGroupUpgrade& rollout);

}  // namespace fairway::fleet
