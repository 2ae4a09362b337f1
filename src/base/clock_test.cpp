#include "base/clock.hpp"

#include <atomic>
#include <functional>
#include <gtest/gtest.h>
#include <thread>
#include <vector>

namespace fairway {
namespace {

using std::chrono::hours;
using std::chrono::seconds;

TEST(ManualClock, MovesOnlyWhenTold) {
  ManualClock clock(WallTime{seconds{100}});
  const SteadyTime start = clock.steady();
  EXPECT_EQ(clock.now(), WallTime{seconds{100}});
  clock.advance(seconds{5});
  EXPECT_EQ(clock.now(), WallTime{seconds{105}});
  EXPECT_EQ(clock.steady() - start, seconds{5});
}

TEST(ManualClock, JumpsTheWallClockAlone) {
  ManualClock clock(WallTime{seconds{100}});
  const SteadyTime start = clock.steady();
  clock.jump_wall(-hours{1});
  EXPECT_EQ(clock.now(), WallTime{seconds{100} - hours{1}});
  EXPECT_EQ(clock.steady(), start);
}

TEST(ManualClock, FiresInOrderOfTimeThenOfRegistration) {
  ManualClock clock;
  std::vector<int> fired;
  const auto at = [&](int second, int id) {
    return clock.call_at(clock.steady() + seconds{second}, [&fired, id] { fired.push_back(id); });
  };
  const auto c = at(3, 3), a = at(1, 1), b = at(1, 2), d = at(9, 4);
  EXPECT_EQ(clock.pending(), 4U);
  clock.advance(seconds{3});
  EXPECT_EQ(fired, (std::vector{1, 2, 3}));
  EXPECT_EQ(clock.pending(), 1U);
}

TEST(ManualClock, ShowsEachCallbackItsOwnTime) {
  ManualClock clock(WallTime{});
  const SteadyTime start = clock.steady();
  std::vector<Duration> seen;
  std::vector<std::unique_ptr<Timer>> timers;
  for (int second : {1, 4}) {
    timers.push_back(clock.call_at(start + seconds{second}, [&] { seen.push_back(clock.steady() - start); }));
  }
  clock.advance(seconds{10});
  EXPECT_EQ(seen, (std::vector<Duration>{seconds{1}, seconds{4}}));
  EXPECT_EQ(clock.now(), WallTime{seconds{10}});
}

TEST(ManualClock, NeverFiresInline) {
  ManualClock clock;
  bool fired = false;
  const auto timer = clock.call_at(clock.steady() - seconds{1}, [&] { fired = true; });
  EXPECT_FALSE(fired);
  clock.advance(Duration::zero());
  EXPECT_TRUE(fired);
}

TEST(ManualClock, DestroyingATimerCancelsIt) {
  ManualClock clock;
  bool fired = false;
  auto timer = clock.call_at(clock.steady() + seconds{1}, [&] { fired = true; });
  timer.reset();
  EXPECT_EQ(clock.pending(), 0U);
  clock.advance(seconds{2});
  EXPECT_FALSE(fired);
}

TEST(ManualClock, ACallbackMayDestroyItsOwnTimerAndOthers) {
  ManualClock clock;
  std::vector<int> fired;
  std::unique_ptr<Timer> own, other;
  own = clock.call_at(clock.steady() + seconds{1}, [&] {
    fired.push_back(1);
    own.reset();
    other.reset();
  });
  other = clock.call_at(clock.steady() + seconds{1}, [&] { fired.push_back(2); });
  clock.advance(seconds{5});
  EXPECT_EQ(fired, std::vector{1});
}

TEST(ManualClock, TimersAddedByCallbacksRunInTheSameAdvance) {
  ManualClock clock;
  const SteadyTime start = clock.steady();
  std::vector<Duration> seen;
  std::vector<std::unique_ptr<Timer>> timers;
  std::function<void()> tick = [&] {
    seen.push_back(clock.steady() - start);
    timers.push_back(clock.call_at(clock.steady() + seconds{2}, tick));
  };
  timers.push_back(clock.call_at(start + seconds{2}, tick));
  clock.advance(seconds{7});
  EXPECT_EQ(seen, (std::vector<Duration>{seconds{2}, seconds{4}, seconds{6}}));
  EXPECT_EQ(clock.next(), start + seconds{8});
}

TEST(ManualClock, AdvancesToTheNextTimer) {
  ManualClock clock;
  const SteadyTime start = clock.steady();
  EXPECT_EQ(clock.next(), std::nullopt);
  EXPECT_FALSE(clock.advance_to_next());
  int fired = 0;
  const auto soon = clock.call_at(start + seconds{3}, [&] { ++fired; });
  const auto later = clock.call_at(start + seconds{7}, [&] { ++fired; });
  EXPECT_TRUE(clock.advance_to_next());
  EXPECT_EQ(clock.steady(), start + seconds{3});
  EXPECT_EQ(fired, 1);
  EXPECT_TRUE(clock.advance_to_next());
  EXPECT_EQ(clock.steady(), start + seconds{7});
  EXPECT_FALSE(clock.advance_to_next());
}

TEST(ManualClock, TakesTimersFromSeveralThreads) {
  ManualClock clock;
  std::atomic<int> fired = 0;
  std::vector<std::unique_ptr<Timer>> timers(400);
  {
    std::vector<std::jthread> threads;
    for (std::size_t thread = 0; thread < 4; ++thread) {
      threads.emplace_back([&, thread] {
        for (std::size_t i = 0; i < 100; ++i) {
          timers[thread * 100 + i] = clock.call_at(clock.steady() + seconds{1}, [&] { ++fired; });
        }
      });
    }
  }
  clock.advance(seconds{1});
  EXPECT_EQ(fired, 400);
}

TEST(SystemClock, SteadyNeverGoesBackAndWallIsOfThisCentury) {
  const SystemClock clock;
  const SteadyTime before = clock.steady();
  EXPECT_LE(before, clock.steady());
  EXPECT_GT(clock.now(), WallTime{seconds{1'600'000'000}});
}

}  // namespace
}  // namespace fairway
