// How long a rollout and its batches may take. Pure; every moment is exact, so that nothing is polled.
//
// A batch has its share of what is left of the whole: remaining time over remaining batches. The last one has
// all that remains, so that only the rollout's own end counts there. Time that the rollout stands still
// counts for nothing, and while it does nothing ends.
#pragma once

#include <optional>

#include "base/clock.hpp"
#include "fleet/types.hpp"

namespace fairway::fleet {

// Something ends strictly after `limit` has passed: this is the first such moment.
inline WallTime just_after(WallTime start, Duration limit) {
  return start + limit + Duration(1);
}

// Minutes of the spec; beyond a hundred years it never ends, which is as good.
Duration rollout_timeout(const RemediationStrategy& strategy);
// `batch` counts from 1; can be negative, which has ended already.
Duration batch_timeout(Duration timeout, Duration elapsed, std::size_t batch, std::size_t batches);

struct Deadlines {
  std::optional<WallTime> rollout =
      {};  // the first moment too late; nothing when it has not started or stands still
  std::optional<WallTime> batch = {};  // nothing for the last batch
};
Deadlines deadlines_of(const RemediationStrategy& strategy, const ClusterGroupUpgradeStatus& status);

}  // namespace fairway::fleet
