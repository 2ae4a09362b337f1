#include "kube/runtime/control_loop.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/log.hpp"
#include "kube/client/testing/manual_loop.hpp"
#include "kube/runtime/testing/scripted_api.hpp"

namespace fairway::kube {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using testing::ManualLoop;
using testing::ScriptedApi;

struct Start {
  std::string cluster;
};
std::string describe(const Start& action) {
  return "start " + action.cluster;
}
std::string event_reason(const Start&) {
  return "Started";
}

struct Seen {
  WallTime now;
};

struct ControlLoopTest : ::testing::Test {
  const GroupVersionResource events{"", "v1", "events"};
  ManualLoop manual;
  ScriptedApi api{manual.clock};
  Client client{api.transport(), manual.clock, *http::Url::parse("http://api"), {.requests_per_second = 0}};
  Runtime runtime{client, {.name = "rollout"}};
  async::TaskGroup group{manual.loop.executor()};
  Plan<Start> plan;
  std::vector<std::string> acted;
  std::optional<Error> failure;
  std::vector<std::string> logged;

  static Task<Seen> observe(ControlLoopTest& test, ObjectKey) { co_return Seen{test.manual.clock.now()}; }
  static Task<void> act(ControlLoopTest& test, Start action) {
    if (test.failure) co_return std::unexpected(*test.failure);
    test.acted.push_back(action.cluster);
    co_return Result<void>{};
  }
  Controller& start(ExecutorOptions execution = {}) {
    auto& controller = add_control_loop<Seen, Start>(
        runtime, {.name = "rollout"},
        {.observe = [this](ObjectKey key) { return observe(*this, std::move(key)); },
         .decide = [this](const Seen&) { return plan; },
         .act = [this](Start action) { return act(*this, std::move(action)); },
         .about =
             [](const Seen&) { return ObjectReference{.kind = "Rollout", .namespace_ = "ns", .name = "r"}; },
         .execution = std::move(execution)});
    group.spawn("runtime", runtime.run());
    controller.enqueue({"ns", "r"});
    manual.settle();
    return controller;
  }
  // type reason message of all Events.
  std::vector<std::string> told() const {
    std::vector<std::string> lines;
    for (const auto& event : api.all(events)) {
      lines.push_back(std::string(*json::get_string(event, {"type"})) + " " +
                      std::string(*json::get_string(event, {"reason"})) + " " +
                      std::string(*json::get_string(event, {"message"})));
    }
    return lines;
  }
  void SetUp() override {
    log::set_sink(
        [this](log::Level, std::string_view message, const log::Fields&) { logged.emplace_back(message); });
  }
  void TearDown() override {
    group.cancel();
    manual.settle();
    log::set_sink({});
  }
};

TEST_F(ControlLoopTest, CarriesOutThePlanTellsOfItAndWakesWhenItSays) {
  plan.actions = {{"a"}};
  plan.wake(manual.clock.now() + 1h, "a soak time");
  start();
  EXPECT_THAT(acted, ElementsAre("a"));
  EXPECT_THAT(told(), ElementsAre("Normal Started start a"));
  plan = {};
  plan.actions = {{"b"}};
  manual.advance(1h);
  EXPECT_THAT(acted, ElementsAre("a", "b"));
}

TEST_F(ControlLoopTest, AFailureIsToldAndRetried) {
  plan.actions = {{"a"}};
  failure = Error{ErrorCode::Invalid, "no such berth"};
  start();
  EXPECT_THAT(told(), ElementsAre("Warning Started start a: no such berth"));
  failure.reset();
  manual.advance(10min);
  EXPECT_THAT(acted, ElementsAre("a"));
}

TEST_F(ControlLoopTest, AChangeIsLookedAtAgainAndNoEventIsMadeOfIt) {
  plan.actions = {{"a"}};
  failure = Error{ErrorCode::Conflict, "someone was faster"};
  start();
  EXPECT_THAT(told(), IsEmpty());
  failure.reset();
  manual.advance(5ms);
  EXPECT_THAT(acted, ElementsAre("a"));
}

TEST_F(ControlLoopTest, ADryRunActsNotAndTellsNoEvents) {
  plan.actions = {{"a"}};
  start({.is_dry_run = true});
  EXPECT_THAT(acted, IsEmpty());
  EXPECT_THAT(told(), IsEmpty());
  EXPECT_THAT(logged, ::testing::Contains("action"));
}

TEST_F(ControlLoopTest, NotesAreLoggedWhenTheyChange) {
  plan.notes = {"waits for its canary"};
  auto& controller = start();
  controller.enqueue({"ns", "r"});
  manual.settle();
  EXPECT_EQ(std::ranges::count(logged, "waits for its canary"), 1);
  plan.notes = {"waits for its soak time"};
  controller.enqueue({"ns", "r"});
  manual.settle();
  EXPECT_EQ(std::ranges::count(logged, "waits for its soak time"), 1);
}

}  // namespace
}  // namespace fairway::kube
