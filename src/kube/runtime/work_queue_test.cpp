#include "kube/runtime/work_queue.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kube/client/testing/manual_loop.hpp"

namespace fairway::kube {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::ManualLoop;

const ObjectKey kA{"ns", "a"};
const ObjectKey kB{"ns", "b"};

struct WorkQueueTest : ::testing::Test {
  ManualLoop manual;
  metrics::Registry registry;
  WorkQueue queue{manual.clock, {.name = "q", .metrics = &registry}};

  // The next key if there is one now.
  std::string take() {
    if (queue.ready() == 0) return "-";
    const auto key = manual.run(queue.next());
    return key ? key->name : "?";
  }
};

TEST_F(WorkQueueTest, GivesKeysInTheirOrderAndEachOnce) {
  queue.add(kA);
  queue.add(kB);
  queue.add(kA);
  EXPECT_EQ(take(), "a");
  EXPECT_EQ(take(), "b");
  EXPECT_EQ(take(), "-");
}

TEST_F(WorkQueueTest, AKeyIsNeverGivenToTwoWorkers) {
  queue.add(kA);
  EXPECT_EQ(take(), "a");
  queue.add(kA);
  queue.add(kA);
  EXPECT_EQ(take(), "-") << "it is still in progress";
  queue.done(kA);
  EXPECT_EQ(take(), "a") << "what was added meanwhile is not lost";
  queue.done(kA);
  EXPECT_EQ(take(), "-");
}

TEST_F(WorkQueueTest, WakesAtTheExactTime) {
  queue.add_at(kA, manual.clock.now() + 90min);
  queue.add_after(kB, 1s);
  manual.advance(1s - 1ns);
  EXPECT_EQ(take(), "-");
  manual.advance(1ns);
  EXPECT_EQ(take(), "b");
  manual.advance(90min - 1s - 1ns);
  EXPECT_EQ(take(), "-");
  manual.advance(1ns);
  EXPECT_EQ(take(), "a");
  EXPECT_EQ(queue.waiting(), 0U);
  EXPECT_EQ(manual.clock.pending(), 0U);
}

TEST_F(WorkQueueTest, OfSeveralTimesTheEarliestCounts) {
  queue.add_at(kA, manual.clock.now() + 10s);
  queue.add_at(kA, manual.clock.now() + 5s);
  queue.add_at(kA, manual.clock.now() + 20s);
  queue.add_after(kA, 7s);
  manual.advance(5s);
  EXPECT_EQ(take(), "a");
  queue.done(kA);
  manual.advance(1h);
  EXPECT_EQ(take(), "-") << "a later time is what the next reconcile asks for, not the last one";
  queue.add_at(kA, manual.clock.now() + 10s);
  queue.add(kA);
  EXPECT_EQ(take(), "a");
  queue.done(kA);
  manual.advance(1h);
  EXPECT_EQ(take(), "-");
}

TEST_F(WorkQueueTest, ATimeThatComesWhileTheKeyIsInProgressIsNotLost) {
  queue.add(kA);
  EXPECT_EQ(take(), "a");
  queue.add_at(kA, manual.clock.now() + 1s);
  manual.advance(2s);
  EXPECT_EQ(take(), "-");
  queue.done(kA);
  EXPECT_EQ(take(), "a");
}

TEST_F(WorkQueueTest, FollowsTheWallClockWhenItJumps) {
  queue.add_at(kA, manual.clock.now() + 10h);
  manual.clock.jump_wall(11h);
  manual.advance(30s);
  EXPECT_EQ(take(), "a") << "the time has come, noticed within half a minute";
  queue.done(kA);
  queue.add_at(kA, manual.clock.now() + 1min);
  manual.clock.jump_wall(-1h);
  manual.advance(1h);
  EXPECT_EQ(take(), "-");
  manual.advance(1min);
  EXPECT_EQ(take(), "a");
  queue.done(kA);
  queue.add_after(kA, 10s);
  manual.clock.jump_wall(-1h);
  manual.advance(10s);
  EXPECT_EQ(take(), "a") << "pauses are measured, not read off the wall clock";
}

TEST_F(WorkQueueTest, FailuresOfAKeyPauseItLongerAndLonger) {
  std::vector<Duration> pauses;
  for (int i = 0; i < 20; ++i) {
    pauses.push_back(queue.add_after_failure(kA));
    manual.advance(pauses.back());
    EXPECT_EQ(take(), "a");
    queue.done(kA);
  }
  EXPECT_EQ(pauses[0], 5ms);
  EXPECT_EQ(pauses[1], 10ms);
  EXPECT_EQ(pauses[10], 5120ms);
  EXPECT_EQ(pauses[19], 1000s);
  EXPECT_EQ(queue.add_after_failure(kB), 5ms) << "another key has its own count";
  EXPECT_EQ(queue.failures(kA), 20);
  queue.forget(kA);
  EXPECT_EQ(queue.failures(kA), 0);
  EXPECT_EQ(queue.add_after_failure(kA, 3s), 3s) << "as long as the server asked for";
}

Task<void> record(WorkQueue& queue, std::vector<std::string>& into) {
  for (;;) {
    auto key = co_await queue.next();
    into.push_back(key ? key->name : std::string(to_string(key.error().code)));
    if (!key) co_return Result<void>{};
    queue.done(*key);
  }
}

TEST_F(WorkQueueTest, WaitingWorkersWakeAndEndWithTheQueue) {
  std::vector<std::string> seen;
  async::TaskGroup workers(manual.loop.executor());
  workers.spawn("one", record(queue, seen));
  workers.spawn("two", record(queue, seen));
  manual.settle();
  queue.add(kA);
  queue.add(kB);
  manual.settle();
  EXPECT_THAT(seen, ElementsAre("a", "b"));
  queue.add_after(kA, 1s);
  queue.add(kB);
  queue.shut_down();
  queue.add(kA);
  manual.advance(1h);
  EXPECT_THAT(seen, ElementsAre("a", "b", "b", "Cancelled", "Cancelled"))
      << "what is ready is still done; what waits and what comes later is not";
  EXPECT_EQ(workers.size(), 0U);
}

TEST_F(WorkQueueTest, DrainWaitsForWhatIsInProgress) {
  queue.add(kA);
  EXPECT_EQ(take(), "a");
  manual.loop.post([&] { manual.loop.post([&] { queue.done(kA); }); });
  EXPECT_TRUE(manual.run(queue.drain()));
  EXPECT_EQ(queue.in_progress(), 0U);
}

TEST_F(WorkQueueTest, ShowsClientGosMetrics) {
  queue.add(kA);
  queue.add(kB);
  EXPECT_THAT(registry.expose(), HasSubstr(R"(workqueue_depth{name="q",controller="q"} 2)"));
  manual.advance(2s);
  take();
  manual.advance(3s);
  take();
  manual.advance(4s);
  const std::string text = registry.expose();
  EXPECT_THAT(text, HasSubstr(R"(workqueue_depth{name="q",controller="q"} 0)"));
  EXPECT_THAT(text, HasSubstr(R"(workqueue_adds_total{name="q",controller="q"} 2)"));
  EXPECT_THAT(text, HasSubstr(R"(workqueue_queue_duration_seconds_sum{name="q",controller="q"} 7)"));
  EXPECT_THAT(text, HasSubstr(R"(workqueue_unfinished_work_seconds{name="q",controller="q"} 11)"));
  EXPECT_THAT(text, HasSubstr(R"(workqueue_longest_running_processor_seconds{name="q",controller="q"} 7)"));
  queue.add_after_failure(kA);
  queue.done(kA);
  EXPECT_THAT(registry.expose(),
              HasSubstr(R"(workqueue_work_duration_seconds_sum{name="q",controller="q"} 7)"));
  EXPECT_THAT(registry.expose(), HasSubstr(R"(workqueue_retries_total{name="q",controller="q"} 1)"));
}

}  // namespace
}  // namespace fairway::kube
