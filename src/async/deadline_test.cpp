#include "async/deadline.hpp"

#include <gtest/gtest.h>

#include "async/event_loop.hpp"
#include "async/notify.hpp"
#include "async/task_group.hpp"

namespace fairway::async {
namespace {

using namespace std::chrono_literals;

Task<int> wait_then_answer(Notify& notify) {
  FAIRWAY_CO_CHECKED(co_await notify.wait());
  co_return 7;
}

Task<int> deadline_around(TimerClock& clock, Notify& notify) {
  return with_deadline(clock, clock.steady() + 5s, wait_then_answer(notify));
}

TEST(Deadline, AnAnswerInTimeStands) {
  EventLoop loop;
  ManualClock clock;
  Notify notify;
  loop.post([&] { loop.post([&] { notify.notify(); }); });
  EXPECT_EQ(loop.block_on(deadline_around(clock, notify)), 7);
  EXPECT_EQ(clock.pending(), 0U);
}

TEST(Deadline, AtTheDeadlineTheTaskIsCancelledAndTheResultIsTimeout) {
  EventLoop loop;
  ManualClock clock;
  Notify notify;
  loop.post([&] { loop.post([&] { clock.advance(5s); }); });
  const auto result = loop.block_on(deadline_around(clock, notify));
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code, ErrorCode::Timeout);
  EXPECT_EQ(result.error().message, "no answer within 5s");
}

Task<void> record(TimerClock& clock, Notify& notify, std::optional<ErrorCode>& code) {
  auto result = co_await deadline_around(clock, notify);
  if (!result) code = result.error().code;
  co_return Result<void>{};
}

TEST(Deadline, TheCallersCancellationReachesTheTask) {
  EventLoop loop;
  ManualClock clock;
  Notify notify;
  std::optional<ErrorCode> code;
  TaskGroup group(loop.executor());
  group.spawn("deadline", record(clock, notify, code));
  loop.run_until_idle();
  EXPECT_EQ(group.size(), 1U);
  group.cancel();
  loop.run_until_idle();
  EXPECT_EQ(code, ErrorCode::Cancelled);
  EXPECT_EQ(group.size(), 0U);
}

}  // namespace
}  // namespace fairway::async
