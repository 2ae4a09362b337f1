#include "fleet/timeouts.hpp"

#include <gtest/gtest.h>

namespace fairway::fleet {
namespace {

using std::chrono::minutes;

constexpr WallTime kStart{std::chrono::hours(480000)};

ClusterGroupUpgradeStatus at_batch(std::int64_t batch, minutes started, std::size_t batches) {
  ClusterGroupUpgradeStatus status{.remediation_plan = std::vector<Batch>(batches, Batch{"a"})};
  status.status = {
      .started_at = kStart, .current_batch = batch, .current_batch_started_at = kStart + started};
  return status;
}

// Cases 42, 43 and 44: three batches in 240 minutes.
TEST(Timeouts, ABatchHasItsShareOfWhatIsLeft) {
  EXPECT_EQ(batch_timeout(minutes(240), minutes(0), 1, 3), minutes(80));
  EXPECT_EQ(batch_timeout(minutes(240), minutes(20), 2, 3), minutes(110));
  EXPECT_EQ(batch_timeout(minutes(240), minutes(90), 3, 3), minutes(150));
  EXPECT_EQ(batch_timeout(minutes(100), minutes(0), 1, 3), Duration(minutes(100)) / 3);
  EXPECT_LT(batch_timeout(minutes(10), minutes(30), 1, 2), Duration(0));
}

TEST(Timeouts, Case43DeadlinesAreTheFirstMomentTooLate) {
  const Deadlines ends = deadlines_of({.timeout = 240}, at_batch(2, minutes(20), 3));
  EXPECT_EQ(ends.batch, kStart + minutes(130) + Duration(1));
  EXPECT_EQ(ends.rollout, kStart + minutes(240) + Duration(1));
}

TEST(Timeouts, Case45TheLastBatchEndsWithTheRollout) {
  const Deadlines ends = deadlines_of({.timeout = 60}, at_batch(2, minutes(40), 2));
  EXPECT_EQ(ends.batch, std::nullopt);
  EXPECT_EQ(ends.rollout, kStart + minutes(60) + Duration(1));
}

TEST(Timeouts, Case51AChangedTimeoutMovesBoth) {
  const Deadlines ends = deadlines_of({.timeout = 480}, at_batch(1, minutes(0), 2));
  EXPECT_EQ(ends.batch, kStart + minutes(240) + Duration(1));
  EXPECT_EQ(ends.rollout, kStart + minutes(480) + Duration(1));
}

TEST(Timeouts, WhatHasNotStartedDoesNotEnd) {
  EXPECT_EQ(deadlines_of({}, {}).rollout, std::nullopt);
}

TEST(Timeouts, AbsurdMinutesDoNotOverflow) {
  EXPECT_GT(rollout_timeout({.timeout = INT64_MAX}), minutes(240));
  EXPECT_EQ(rollout_timeout({.timeout = -5}), Duration(0));
}

}  // namespace
}  // namespace fairway::fleet
