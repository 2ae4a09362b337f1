#include "kube/runtime/controller.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "async/notify.hpp"
#include "kube/client/testing/manual_loop.hpp"

namespace fairway::kube {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::ManualLoop;

json::Object object(std::string_view name, std::string_view version, std::string_view owner = {}) {
  auto made = *json::parse_object(fmt::format(
      R"({{"metadata":{{"name":"{}","namespace":"ns","uid":"u","resourceVersion":"{}"}}}})", name, version));
  if (!owner.empty()) {
    EXPECT_TRUE(set_owner(made, {.api_version = "example.test/v1",
                                 .kind = "Widget",
                                 .name = std::string(owner),
                                 .uid = std::string(owner),
                                 .controller = true}));
  }
  return made;
}

struct ControllerTest : ::testing::Test {
  ManualLoop manual;
  metrics::Registry registry;
  ObjectCache cache;
  std::vector<std::string> runs;
  std::function<Result<ReconcileResult>(const ObjectKey&)> answer = [](const ObjectKey&) {
    return ReconcileResult{};
  };
  Duration takes = Duration::zero();
  async::TaskGroup group{manual.loop.executor()};

  static Task<ReconcileResult> reconcile(ControllerTest& test, ObjectKey key) {
    test.runs.push_back(key.name);
    if (test.takes > Duration::zero())
      FAIRWAY_CO_CHECKED(co_await async::sleep_for(test.manual.clock, test.takes));
    co_return test.answer(key);
  }
  std::unique_ptr<Controller> make(ControllerOptions options = {.name = "test"}) {
    options.metrics = &registry;
    return std::make_unique<Controller>(manual.clock, options,
                                        [this](ObjectKey key) { return reconcile(*this, std::move(key)); });
  }
  void synced(std::vector<json::Object> objects = {}) {
    cache.receive(watcher::InitStart{});
    for (auto& each : objects) cache.receive(watcher::InitObject{std::move(each)});
    cache.receive(watcher::InitDone{});
  }
  std::vector<std::string> take_runs() { return std::exchange(runs, {}); }
  void TearDown() override {
    group.cancel();
    manual.settle();
    EXPECT_EQ(group.size(), 0U);
  }
};

TEST_F(ControllerTest, BeginsOnceItsCachesHaveSynced) {
  auto controller = make();
  controller->watch(cache);
  controller->enqueue({"ns", "early"});
  group.spawn("controller", controller->run());
  manual.settle();
  EXPECT_THAT(take_runs(), IsEmpty());
  EXPECT_FALSE(controller->is_ready());
  synced({object("a", "1")});
  manual.settle();
  EXPECT_THAT(take_runs(), ElementsAre("early", "a"));
  EXPECT_TRUE(controller->is_ready());
  cache.receive(watcher::Applied{object("a", "2")});
  cache.receive(watcher::Deleted{object("a", "3")});
  manual.settle();
  EXPECT_THAT(take_runs(), ElementsAre("a")) << "two changes, one look";
  group.cancel();
  manual.settle();
}

TEST_F(ControllerTest, MapsToOwnersOldAndNew) {
  auto controller = make();
  controller->watch<json::Object>(cache, to_controller_owner({"example.test", "Widget"}));
  synced({object("a", "1", "one"), object("unowned", "1")});
  group.spawn("controller", controller->run());
  manual.settle();
  EXPECT_THAT(take_runs(), ElementsAre("one"));
  cache.receive(watcher::Applied{object("a", "2", "two")});
  manual.settle();
  EXPECT_THAT(take_runs(), ElementsAre("one", "two")) << "the former owner must learn of it too";
  group.cancel();
  manual.settle();
}

TEST_F(ControllerTest, WakesExactlyWhenToldAndOnce) {
  auto controller = make();
  answer = [&](const ObjectKey&) {
    return ReconcileResult{.wake_at = manual.clock.now() + 1h, .reason = "a soak time ends"};
  };
  group.spawn("controller", controller->run());
  controller->enqueue({"ns", "a"});
  manual.advance(1h - 1ns);
  EXPECT_THAT(take_runs(), ElementsAre("a"));
  manual.advance(1ns);
  EXPECT_THAT(take_runs(), ElementsAre("a"));
  group.cancel();
  manual.settle();
}

TEST_F(ControllerTest, ErrorsAreRetriedAsTheirCodeSays) {
  auto controller = make();
  group.spawn("controller", controller->run());
  answer = [](const ObjectKey&) { return fail(ErrorCode::Unavailable, "down"); };
  controller->enqueue({"ns", "a"});
  manual.advance(36ms);  // tries at 0, 5, 15 and 35 ms
  EXPECT_EQ(take_runs().size(), 4U);
  answer = [](const ObjectKey&) { return ReconcileResult{}; };
  manual.advance(1h);
  EXPECT_EQ(take_runs().size(), 1U);
  EXPECT_EQ(controller->queue().failures({"ns", "a"}), 0);

  answer = [](const ObjectKey&) { return fail(ErrorCode::Invalid, "stays wrong"); };
  controller->enqueue({"ns", "b"});
  manual.advance(10min - 1ns);
  EXPECT_THAT(take_runs(), ElementsAre("b")) << "the same call gives the same answer";
  manual.advance(1ns);
  EXPECT_THAT(take_runs(), ElementsAre("b")) << "unless something changed that nobody tells us of";

  answer = [](const ObjectKey&) -> Result<ReconcileResult> {
    return std::unexpected(Error{ErrorCode::Unavailable, "busy", {}, 30s});
  };
  controller->enqueue({"ns", "c"});
  manual.advance(29s);
  EXPECT_THAT(take_runs(), ElementsAre("c"));
  manual.advance(1s);
  EXPECT_THAT(take_runs(), ElementsAre("c"));
  group.cancel();
  manual.settle();
}

TEST_F(ControllerTest, WorkersRunSideBySideButNeverOnOneKey) {
  auto controller = make({.name = "test", .workers = 2});
  takes = 10s;
  group.spawn("controller", controller->run());
  for (const char* name : {"a", "b", "c"}) controller->enqueue({"ns", name});
  manual.advance(1s);
  EXPECT_THAT(take_runs(), ElementsAre("a", "b"));
  controller->enqueue({"ns", "a"});
  manual.advance(10s);
  EXPECT_THAT(take_runs(), ElementsAre("c", "a"));
  EXPECT_THAT(registry.expose(), HasSubstr(R"(controller_runtime_active_workers{controller="test"} 2)"));
  manual.advance(10s);
  group.cancel();
  manual.settle();
}

TEST_F(ControllerTest, AReconcileHasADeadline) {
  auto controller = make({.name = "test", .timeout = 3s});
  takes = 1h;
  group.spawn("controller", controller->run());
  controller->enqueue({"ns", "a"});
  manual.advance(3s);
  EXPECT_THAT(registry.expose(),
              HasSubstr(R"(controller_runtime_reconcile_errors_total{controller="test"} 1)"));
  manual.advance(5ms);
  EXPECT_THAT(take_runs(), ElementsAre("a", "a"));
  group.cancel();
  manual.settle();
}

TEST_F(ControllerTest, WhatWasInProgressAtTheEndIsDoneByTheNextRun) {
  auto controller = make();
  takes = 10s;
  const auto first = group.spawn("controller", controller->run());
  controller->enqueue({"ns", "a"});
  manual.advance(1s);
  group.cancel(first);
  manual.settle();
  EXPECT_EQ(group.size(), 0U);
  EXPECT_EQ(controller->queue().in_progress(), 0U);
  take_runs();
  group.spawn("controller", controller->run());
  manual.advance(10s);
  EXPECT_THAT(take_runs(), ElementsAre("a"));
  group.cancel();
  manual.settle();
}

TEST_F(ControllerTest, ShowsControllerRuntimesMetrics) {
  auto controller = make({.name = "test", .workers = 3});
  group.spawn("controller", controller->run());
  takes = 2s;
  controller->enqueue({"ns", "a"});
  manual.advance(2s);
  answer = [](const ObjectKey&) { return fail(ErrorCode::Forbidden, "no"); };
  controller->enqueue({"ns", "a"});
  manual.advance(2s);
  const std::string text = registry.expose();
  EXPECT_THAT(text, HasSubstr(R"(controller_runtime_reconcile_total{controller="test",result="success"} 1)"));
  EXPECT_THAT(text, HasSubstr(R"(controller_runtime_reconcile_total{controller="test",result="error"} 1)"));
  EXPECT_THAT(text,
              HasSubstr(R"(controller_runtime_reconcile_total{controller="test",result="requeue_after"} 0)"));
  EXPECT_THAT(text, HasSubstr(R"(controller_runtime_terminal_reconcile_errors_total{controller="test"} 1)"));
  EXPECT_THAT(text, HasSubstr(R"(controller_runtime_reconcile_time_seconds_sum{controller="test"} 4)"));
  EXPECT_THAT(text, HasSubstr(R"(controller_runtime_max_concurrent_reconciles{controller="test"} 3)"));
  EXPECT_THAT(text, HasSubstr(R"(workqueue_adds_total{name="test",controller="test"} 2)"));
  group.cancel();
  manual.settle();
}

}  // namespace
}  // namespace fairway::kube
