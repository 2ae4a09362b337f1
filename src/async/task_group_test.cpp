#include "async/task_group.hpp"

#include <gtest/gtest.h>

#include "async/event_loop.hpp"

namespace fairway::async {
namespace {

Task<void> wait_forever(Notify& notify, int& ended) {
  auto waited = co_await notify.wait();
  ++ended;
  co_return waited;
}

Task<void> stop_group(TaskGroup& group) {
  co_await group.stop();
  co_return Result<void>{};
}

Task<void> fail_with(ErrorCode code) {
  co_return fail(code, "as told");
}

TEST(TaskGroup, StopCancelsAllAndWaitsForTheirEnd) {
  EventLoop loop;
  Notify never;
  int ended = 0;
  TaskGroup group(loop.executor());
  for (int i = 0; i < 100; ++i) group.spawn("waiter", wait_forever(never, ended));
  loop.run_until_idle();
  EXPECT_EQ(group.size(), 100U);
  EXPECT_TRUE(loop.block_on(stop_group(group)));
  EXPECT_EQ(ended, 100);
  EXPECT_EQ(group.size(), 0U);
  EXPECT_FALSE(group.spawn("late", wait_forever(never, ended)));
}

TEST(TaskGroup, StopBeforeATaskBeganStillEndsIt) {
  EventLoop loop;
  Notify never;
  int ended = 0;
  TaskGroup group(loop.executor());
  group.spawn("waiter", wait_forever(never, ended));
  EXPECT_TRUE(loop.block_on(stop_group(group)));
  EXPECT_EQ(group.size(), 0U);
}

TEST(TaskGroup, FailuresAreHandedOverAndCancellationIsNotOne) {
  EventLoop loop;
  std::vector<std::string> failures;
  TaskGroup group(loop.executor(), [&](const std::string& name, const Error& error) {
    failures.push_back(name + ": " + error.message);
  });
  group.spawn("one", fail_with(ErrorCode::Invalid));
  group.spawn("two", fail_with(ErrorCode::Cancelled));
  loop.run_until_idle();
  EXPECT_EQ(failures, std::vector<std::string>{"one: as told"});
}

TEST(Notify, WakesThoseThatWaitAndOnlyThose) {
  EventLoop loop;
  Notify notify;
  int ended = 0;
  TaskGroup group(loop.executor());
  notify.notify();
  group.spawn("a", wait_forever(notify, ended));
  group.spawn("b", wait_forever(notify, ended));
  loop.run_until_idle();
  EXPECT_EQ(ended, 0);
  notify.notify();
  loop.run_until_idle();
  EXPECT_EQ(ended, 2);
}

TEST(Notify, ATimeoutAndANotifyAtOnceGiveTheFirst) {
  EventLoop loop;
  ManualClock clock;
  Notify notify;
  const auto after_the_wait_began = [&](std::function<void()> act) {
    loop.post([&loop, act = std::move(act)] { loop.post(act); });
  };
  after_the_wait_began([&] {
    notify.notify();
    clock.advance(std::chrono::seconds(10));
  });
  EXPECT_TRUE(loop.block_on(notify.wait_until(clock, clock.steady() + std::chrono::seconds(1))));
  after_the_wait_began([&] {
    clock.advance(std::chrono::seconds(10));
    notify.notify();
  });
  const auto late = loop.block_on(notify.wait_until(clock, clock.steady() + std::chrono::seconds(1)));
  ASSERT_FALSE(late);
  EXPECT_EQ(late.error().code, ErrorCode::Timeout);
}

}  // namespace
}  // namespace fairway::async
