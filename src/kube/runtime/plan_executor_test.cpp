#include "kube/runtime/plan_executor.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "async/notify.hpp"
#include "base/log.hpp"
#include "kube/client/testing/manual_loop.hpp"

namespace fairway::kube {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using testing::ManualLoop;

struct StartCluster {
  std::string cluster;
};
std::string describe(const StartCluster& action) {
  return "start " + action.cluster;
}
std::size_t stage_of(const StartCluster& action) {
  return action.cluster.starts_with("late") ? 1 : 0;
}

struct ExecutorTest : ::testing::Test {
  ManualLoop manual;
  std::vector<std::string> story;
  std::map<std::string, std::vector<ErrorCode>> failures;  // of each cluster, to be used up
  Duration takes = 1s;

  static Task<void> start(ExecutorTest& test, StartCluster action) {
    test.story.push_back("+" + action.cluster);
    FAIRWAY_CO_CHECKED(co_await async::sleep_for(test.manual.clock, test.takes));
    auto& planned = test.failures[action.cluster];
    if (!planned.empty()) {
      const ErrorCode code = planned.front();
      planned.erase(planned.begin());
      co_return fail(code, "as told");
    }
    test.story.push_back("-" + action.cluster);
    co_return Result<void>{};
  }
  ExecutionReport execute(std::vector<std::string> clusters, ExecutorOptions options = {}) {
    options.on_step = [this](const StepReport& step) {
      story.push_back(std::string(to_string(step.outcome)) + " " + step.description);
    };
    options.backoff = {.first = 100ms, .cap = 1s, .jitter = 0};
    Plan<StartCluster> plan;
    for (auto& name : clusters) plan.actions.push_back({name});
    PlanExecutor executor(manual.clock, options);
    auto report = manual.run(
        executor.execute<StartCluster>(plan, [this](StartCluster action) { return start(*this, action); }));
    EXPECT_TRUE(report) << report.error().describe();
    return report.value_or(ExecutionReport{});
  }
};

TEST_F(ExecutorTest, OneAfterTheOther) {
  const auto report = execute({"a", "b"});
  EXPECT_THAT(story, ElementsAre("+a", "-a", "done start a", "+b", "-b", "done start b"));
  EXPECT_EQ(report.done(), 2U);
  EXPECT_FALSE(report.error);
}

TEST_F(ExecutorTest, SideBySideUpToItsConcurrency) {
  const SteadyTime start = manual.clock.steady();
  execute({"a", "b", "c"}, {.concurrency = 2});
  EXPECT_THAT(
      story, ElementsAre("+a", "+b", "-a", "done start a", "+c", "-b", "done start b", "-c", "done start c"));
  EXPECT_EQ(manual.clock.steady() - start, 2s);
}

TEST_F(ExecutorTest, ALaterStageWaitsForTheEarlierOne) {
  execute({"late", "a", "b"}, {.concurrency = 3});
  EXPECT_THAT(story, ElementsAre("+a", "+b", "-a", "done start a", "-b", "done start b", "+late", "-late",
                                 "done start late"));
}

TEST_F(ExecutorTest, TheFirstFailureStopsTheRestAndAwaitsWhatRuns) {
  failures["a"] = {ErrorCode::Invalid};
  const auto report = execute({"a", "b", "c"}, {.concurrency = 2});
  EXPECT_THAT(story, ElementsAre("+a", "+b", "failed start a", "-b", "done start b"));
  ASSERT_TRUE(report.error);
  EXPECT_EQ(report.error->describe(), "start a: as told");
  EXPECT_EQ(report.steps[2].outcome, StepReport::Outcome::Skipped);
}

TEST_F(ExecutorTest, RetriesWhatMayPassAndNothingElse) {
  failures["a"] = {ErrorCode::Unavailable, ErrorCode::Timeout};
  failures["b"] = {ErrorCode::Conflict, ErrorCode::Conflict};
  const SteadyTime start = manual.clock.steady();
  const auto report = execute({"a", "b"});
  EXPECT_EQ(report.steps[0].attempts, 3);
  EXPECT_EQ(report.steps[1].attempts, 1) << "a changed world is looked at anew, not acted on again";
  EXPECT_EQ(report.error->code, ErrorCode::Conflict);
  EXPECT_EQ(manual.clock.steady() - start, 4s + 300ms);
}

// A changed world is no error: it is told to those who look closely, and looked at again.
TEST_F(ExecutorTest, AChangeIsNoError) {
  failures["a"] = {ErrorCode::AlreadyExists};
  failures["b"] = {ErrorCode::Invalid};
  std::vector<std::string> told;
  log::Sink before = log::set_sink(
      [&](log::Level level, std::string_view message, const log::Fields&) {
        told.push_back(fmt::format("{}: {}", log::to_string(level), message));
      },
      log::Level::Debug);
  const auto made = execute({"a"});
  ASSERT_TRUE(made.error);
  EXPECT_EQ(made.error->code, ErrorCode::Conflict) << "so that the controller looks again, and soon";
  EXPECT_TRUE(has_met_a_change(made.steps[0]));
  log_step(made.steps[0]);
  const auto wrong = execute({"b"});
  EXPECT_FALSE(has_met_a_change(wrong.steps[0]));
  log_step(wrong.steps[0]);
  log::set_sink(std::move(before));
  EXPECT_THAT(told, ElementsAre("debug: action met a change: it is decided anew", "error: action"));
}

TEST_F(ExecutorTest, GivesUpAfterItsRetries) {
  failures["a"] = std::vector<ErrorCode>(10, ErrorCode::Unavailable);
  const auto report = execute({"a"}, {.max_retries = 2});
  EXPECT_EQ(report.steps[0].attempts, 3);
  EXPECT_EQ(report.error->code, ErrorCode::Unavailable);
}

TEST_F(ExecutorTest, ADryRunReportsAllAndTouchesNothing) {
  const auto report = execute({"a", "b"}, {.is_dry_run = true});
  EXPECT_THAT(story, ElementsAre("planned start a", "planned start b"));
  EXPECT_EQ(report.done(), 0U);
}

TEST(Plan, TheEarliestTimeCountsAndTheTextSaysAll) {
  Plan<StartCluster> plan{.actions = {{"a"}}, .notes = {"b waits for its canary"}};
  const WallTime now{std::chrono::seconds(1'700'000'000)};
  plan.wake(now + 2h, "later");
  plan.wake(now + 1h, "a's timeout");
  plan.wake(now + 3h, "much later");
  set_condition(plan.conditions, {.type = "Progressing", .status = "True", .reason = "InProgress"}, now);
  EXPECT_EQ(to_text(summary(plan)),
            "do:   start a\nsay:  Progressing=True InProgress\nnote: b waits for its canary\n"
            "wake: 2023-11-14T23:13:20Z a's timeout\n");
  EXPECT_EQ(
      json::serialize(to_json(summary(plan))),
      R"({"actions":["start a"],"conditions":[{"type":"Progressing","status":"True",)"
      R"("lastTransitionTime":"2023-11-14T22:13:20Z","reason":"InProgress","message":""}],)"
      R"("notes":["b waits for its canary"],"wakeAt":"2023-11-14T23:13:20Z","wakeReason":"a's timeout"})");
}

}  // namespace
}  // namespace fairway::kube
