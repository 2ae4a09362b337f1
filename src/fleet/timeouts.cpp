#include "fleet/timeouts.hpp"

#include <algorithm>

namespace fairway::fleet {

Duration rollout_timeout(const RemediationStrategy& strategy) {
  constexpr std::int64_t kLongest = 52'560'000;
  return std::chrono::minutes(std::clamp<std::int64_t>(strategy.timeout, 0, kLongest));
}

Duration batch_timeout(Duration timeout, Duration elapsed, std::size_t batch, std::size_t batches) {
  const Duration remaining = timeout - elapsed;
  if (batch >= batches) return remaining;
  return remaining / static_cast<std::int64_t>(batches - (batch - 1));
}

Deadlines deadlines_of(const RemediationStrategy& strategy, const ClusterGroupUpgradeStatus& status) {
  const RolloutProgress& progress = status.status;
  if (!progress.started_at) return {};
  const Duration timeout = rollout_timeout(strategy);
  Deadlines made{.rollout = just_after(*progress.started_at, timeout)};
  const auto batch = static_cast<std::size_t>(std::max<std::int64_t>(progress.current_batch, 1));
  const std::size_t batches = status.remediation_plan.size();
  if (!progress.current_batch_started_at || batch >= batches) return made;
  const WallTime started = *progress.current_batch_started_at;
  made.batch = just_after(started, batch_timeout(timeout, started - *progress.started_at, batch, batches));
  return made;
}

}  // namespace fairway::fleet
