#include "async/event_loop.hpp"

#include <csignal>
#include <gtest/gtest.h>
#include <thread>

#include "async/notify.hpp"

namespace fairway::async {
namespace {

Task<int> answer() {
  co_return 42;
}
Task<int> failing() {
  co_return fail(ErrorCode::NotFound, "nothing there");
}

TEST(EventLoop, BlockOnGivesTheValue) {
  EventLoop loop;
  EXPECT_EQ(loop.block_on(answer()), 42);
}

TEST(EventLoop, BlockOnGivesTheError) {
  EventLoop loop;
  const auto result = loop.block_on(failing());
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code, ErrorCode::NotFound);
}

TEST(EventLoop, PostFromAnotherThreadRunsOnTheLoop) {
  EventLoop loop;
  std::thread::id ran_on;
  std::thread other([&] {
    loop.post([&] {
      ran_on = std::this_thread::get_id();
      loop.stop();
    });
  });
  loop.run();
  other.join();
  EXPECT_EQ(ran_on, std::this_thread::get_id());
}

TEST(EventLoop, ClockFiresInOrderAndADestroyedTimerNeverFires) {
  EventLoop loop;
  std::string fired;
  const SteadyTime now = loop.clock().steady();
  const auto second = loop.clock().call_at(now + std::chrono::milliseconds(2), [&] { fired += "b"; });
  const auto first = loop.clock().call_at(now + std::chrono::milliseconds(1), [&] { fired += "a"; });
  auto never = loop.clock().call_at(now, [&] { fired += "x"; });
  never.reset();
  loop.run_until([&] { return fired.size() == 2; });
  EXPECT_EQ(fired, "ab");
}

TEST(EventLoop, EachHandlerHearsItsOwnSignals) {
  EventLoop loop;
  std::string heard;
  loop.on_signals({SIGUSR1}, [&](int) { heard += "1"; });
  loop.on_signals({SIGUSR2}, [&](int) { heard += "2"; });
  ::raise(SIGUSR1);
  loop.run_until([&] { return heard.size() == 1; });
  ::raise(SIGUSR2);
  ::raise(SIGUSR1);
  loop.run_until([&] { return heard.size() == 3; });
  EXPECT_EQ(heard.front(), '1');
  EXPECT_NE(heard.find('2'), std::string::npos);
}

TEST(Sleep, FollowsTheManualClock) {
  EventLoop loop;
  ManualClock clock;
  const SteadyTime start = clock.steady();
  loop.post([&] { loop.post([&] { clock.advance(std::chrono::hours(2)); }); });
  EXPECT_TRUE(loop.block_on(sleep_for(clock, std::chrono::hours(1))));
  EXPECT_EQ(clock.steady() - start, std::chrono::hours(2));
  EXPECT_EQ(clock.pending(), 0U);
}

TEST(Sleep, ATimeAlreadyPastEndsAtOnce) {
  EventLoop loop;
  ManualClock clock;
  EXPECT_TRUE(loop.block_on(sleep_until(clock, clock.steady())));
}

}  // namespace
}  // namespace fairway::async
