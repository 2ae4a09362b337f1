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
  if (!progress.started_at || status.rollout.paused_since) return {};
  const Duration timeout = rollout_timeout(strategy);
  const std::chrono::seconds held(status.rollout.held_seconds);
  Deadlines made{.rollout = just_after(*progress.started_at + held, timeout)};
  const auto batch = static_cast<std::size_t>(std::max<std::int64_t>(progress.current_batch, 1));
  const std::size_t batches = status.remediation_plan.size();
  if (!progress.current_batch_started_at || batch >= batches) return made;
  const WallTime started = *progress.current_batch_started_at;
  const std::chrono::seconds held_since(status.rollout.batch_held_seconds);
  const Duration elapsed = started - *progress.started_at - (held - held_since);
  made.batch = just_after(started + held_since, batch_timeout(timeout, elapsed, batch, batches));
  return made;
}

}  // namespace fairway::fleet
