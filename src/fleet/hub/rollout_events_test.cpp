#include "fleet/hub/rollout_events.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "async/task_group.hpp"
#include "base/text.hpp"
#include "kube/client/testing/manual_loop.hpp"
#include "kube/runtime/testing/scripted_api.hpp"

namespace fairway::fleet {
namespace {

using namespace std::chrono_literals;
using kube::testing::ManualLoop;
using kube::testing::ScriptedApi;
using ::testing::HasSubstr;
using ::testing::SizeIs;

// A server that takes ten milliseconds for each request.
class SlowTransport : public http::Transport {
 public:
  SlowTransport(TimerClock& clock, std::shared_ptr<http::Transport> next)
      : clock_(clock), next_(std::move(next)) {}

  Task<http::Response> send(http::ClientRequest request) override {
    FAIRWAY_CO_CHECKED(co_await async::sleep_for(clock_, 10ms));
    co_return co_await next_->send(std::move(request));
  }
  Task<std::unique_ptr<http::ResponseStream>> open(http::ClientRequest request) override {
    return next_->open(std::move(request));
  }

 private:
  TimerClock& clock_;
  std::shared_ptr<http::Transport> next_;
};

struct RolloutEventsTest : ::testing::Test {
  RolloutEventsTest() {
    rollout.metadata.name = "rollout";
    rollout.metadata.namespace_ = "ns";
    rollout.metadata.uid = "u";
    group.spawn("events", events.run());
  }
  void TearDown() override {
    group.cancel();
    manual.settle();
  }
  void tell(int count) {
    for (int i = 0; i < count; ++i) events.tell(rollout, cluster_started_event("rollout", "member1"));
  }
  std::vector<json::Object> sent() const { return api.all({"events.k8s.io", "v1", "events"}); }

  bool is_busy = false;
  ManualLoop manual;
  ScriptedApi api{manual.clock};
  metrics::Registry registry;
  kube::Client client{std::make_shared<SlowTransport>(manual.clock, api.transport()),
                      manual.clock,
                      *http::Url::parse("http://api"),
                      {.requests_per_second = 0, .retry = {.max_retries = 0}}};
  RolloutEvents events{client, registry, [this] { return is_busy; }};
  ClusterGroupUpgrade rollout;
  async::TaskGroup group{manual.loop.executor()};
};

TEST_F(RolloutEventsTest, SaysWhatHappenedAndWhen) {
  const std::string told = format_rfc3339_micro(manual.clock.now());
  tell(1);
  manual.advance(10ms);
  ASSERT_THAT(sent(), SizeIs(1));
  const json::Object event = sent().front();
  EXPECT_TRUE(kube::name_of(event).starts_with("rollout.")) << kube::name_of(event);
  EXPECT_EQ(json::get_string(event, {"regarding", "name"}), "rollout");
  EXPECT_EQ(json::get_string(event, {"regarding", "uid"}), "u");
  EXPECT_EQ(json::get_string(event, {"related", "name"}), "member1");
  EXPECT_EQ(json::get_string(event, {"eventTime"}), told) << "when it happened, not when it was sent";
}

TEST_F(RolloutEventsTest, EachIsOneOfItsOwn) {
  tell(50);
  manual.advance(1s);
  EXPECT_THAT(sent(), SizeIs(50)) << "equal ones too";
}

TEST_F(RolloutEventsTest, RestsWhileRolloutsWait) {
  is_busy = true;
  tell(1000);
  manual.advance(10ms);
  EXPECT_THAT(sent(), SizeIs(1));
  manual.advance(39ms);
  EXPECT_THAT(sent(), SizeIs(1)) << "a quarter of the time at most";
  manual.advance(1ms);
  EXPECT_THAT(sent(), SizeIs(2));
  is_busy = false;
  manual.advance(2s);
  EXPECT_THAT(sent(), SizeIs(::testing::Gt(700))) << "several side by side when nobody waits";
  manual.advance(2s);
  EXPECT_THAT(sent(), SizeIs(1000));
}

TEST_F(RolloutEventsTest, ALongQueueIsSentFasterAllTheSame) {
  is_busy = true;
  tell(60'000);
  manual.advance(400ms);
  EXPECT_THAT(sent(), SizeIs(90)) << "one that rests, and two that do not";
  tell(60'000);
  EXPECT_THAT(registry.expose(), HasSubstr(R"(fairway_rollout_events_total{outcome="overflow"} 19907)"))
      << "what does not fit is counted";
}

TEST_F(RolloutEventsTest, NoRestIsLong) {
  is_busy = true;
  api.faults.failing = 1;
  tell(2);
  ASSERT_TRUE(manual.advance_until([this] { return events.queued() == 1; }));
  manual.advance(10s);  // the first of them is tried five times
  api.faults.failing = 0;
  manual.advance(600ms);
  EXPECT_EQ(events.queued(), 0U);
}

TEST_F(RolloutEventsTest, WhatIsNeverAcceptedIsGivenUp) {
  api.faults.failing = 1;
  tell(1);
  manual.advance(1min);
  EXPECT_THAT(registry.expose(), HasSubstr(R"(fairway_rollout_events_total{outcome="refused"} 1)"));
  api.faults.failing = 0;
  tell(1);
  manual.advance(10ms);
  EXPECT_THAT(registry.expose(), HasSubstr(R"(fairway_rollout_events_total{outcome="sent"} 1)"));
  EXPECT_EQ(events.queued(), 0U);
}

}  // namespace
}  // namespace fairway::fleet
