#include "kube/client/backoff.hpp"

#include <gtest/gtest.h>
#include <set>

namespace fairway::kube {
namespace {

using namespace std::chrono_literals;

TEST(Backoff, GrowsToItsCap) {
  const BackoffPolicy policy{.first = 800ms, .cap = 30s, .factor = 2, .jitter = 0};
  const std::vector<Duration> expected = {0s, 800ms, 1600ms, 3200ms, 6400ms, 12800ms, 25600ms, 30s, 30s};
  for (int failures = 0; failures < 9; ++failures) {
    EXPECT_EQ(policy.pause(failures), expected[static_cast<std::size_t>(failures)]) << failures;
  }
  EXPECT_EQ(policy.pause(1'000'000), 30s);
}

TEST(Backoff, JitterAddsAtMostItsShareAndFollowsTheSeed) {
  const BackoffPolicy policy{.first = 1s, .cap = 8s, .factor = 2, .jitter = 0.5};
  Random random(7);
  std::set<Duration> seen;
  for (int i = 0; i < 100; ++i) {
    const Duration pause = policy.pause(3, random);
    EXPECT_GE(pause, 4s);
    EXPECT_LT(pause, 6s);
    seen.insert(pause);
  }
  EXPECT_GT(seen.size(), 90U);
  Random one(3);
  Random same(3);
  EXPECT_EQ(policy.pause(2, one), policy.pause(2, same));
  EXPECT_EQ(one, same);
}

TEST(Backoff, AHugeCapDoesNotOverflow) {
  const BackoffPolicy policy{.first = 1h, .cap = Duration::max(), .factor = 10, .jitter = 0};
  EXPECT_EQ(policy.pause(100), Duration::max());
}

TEST(TokenBucket, AllowsTheBurstThenTheRate) {
  TokenBucket bucket(2, 3);
  SteadyTime now{};
  EXPECT_TRUE(bucket.try_take(now) && bucket.try_take(now) && bucket.try_take(now));
  EXPECT_FALSE(bucket.try_take(now));
  now += 499ms;
  EXPECT_FALSE(bucket.try_take(now));
  now += 1ms;
  EXPECT_TRUE(bucket.try_take(now));
  now += 1h;
  EXPECT_TRUE(bucket.is_full(now));
  EXPECT_TRUE(bucket.try_take(now) && bucket.try_take(now) && bucket.try_take(now));
  EXPECT_FALSE(bucket.try_take(now)) << "more than the burst was saved up";
}

TEST(TokenBucket, ReservationsQueueUp) {
  TokenBucket bucket(10, 1);
  const SteadyTime now{};
  EXPECT_EQ(bucket.reserve(now), 0s);
  EXPECT_EQ(bucket.reserve(now), 100ms);
  EXPECT_EQ(bucket.reserve(now), 200ms);
  bucket.restore();
  EXPECT_EQ(bucket.reserve(now), 200ms);
  EXPECT_EQ(bucket.reserve(now + 300ms), 0s);
}

}  // namespace
}  // namespace fairway::kube
