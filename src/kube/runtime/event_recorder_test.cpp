#include "kube/runtime/event_recorder.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "async/task_group.hpp"
#include "base/text.hpp"
#include "kube/client/testing/manual_loop.hpp"
#include "kube/runtime/testing/scripted_api.hpp"

namespace fairway::kube {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;
using testing::ManualLoop;
using testing::ScriptedApi;
using ::testing::SizeIs;

const ObjectReference kPod{.kind = "Pod", .namespace_ = "ns", .name = "p", .uid = "u", .api_version = "v1"};
const WallTime kNow{std::chrono::seconds(1'700'000'000)};

EventNote note(std::string message, std::string reason = "Failed") {
  return {.about = kPod, .type = "Warning", .reason = std::move(reason), .message = std::move(message)};
}

TEST(EventCorrelator, ANewEventIsCreatedAndAnEqualOneCounted) {
  EventCorrelator correlator({.component = "fairway"});
  const auto first = std::get<EventCreate>(correlator.correlate(note("boom"), kNow, SteadyTime{})).event;
  EXPECT_EQ(namespace_of(first), "ns");
  EXPECT_TRUE(name_of(first).starts_with("p."));
  EXPECT_EQ(json::get_string(first, {"involvedObject", "uid"}), "u");
  EXPECT_EQ(json::get_string(first, {"source", "component"}), "fairway");
  EXPECT_EQ(json::get_int(first, {"count"}), 1);
  const auto again = std::get<EventUpdate>(correlator.correlate(note("boom"), kNow + 1min, SteadyTime{1min}));
  EXPECT_EQ(again.key.name, name_of(first));
  EXPECT_EQ(json::serialize(again.patch),
            R"({"message":"boom","count":2,"lastTimestamp":"2023-11-14T22:14:20Z"})");
  EXPECT_EQ(json::get_string(again.event, {"firstTimestamp"}), "2023-11-14T22:13:20Z");
}

TEST(EventCorrelator, TheNewerApiHasASeries) {
  EventCorrelator correlator({.component = "fairway", .instance = "pod-0", .api = EventApi::EventsV1});
  const auto first = std::get<EventCreate>(correlator.correlate(note("boom"), kNow, SteadyTime{})).event;
  EXPECT_EQ(api_version_of(first), "events.k8s.io/v1");
  EXPECT_EQ(json::get_string(first, {"regarding", "name"}), "p");
  EXPECT_EQ(json::get_string(first, {"note"}), "boom");
  EXPECT_EQ(json::get_string(first, {"action"}), "Failed") << "the API requires one";
  EXPECT_EQ(json::get_string(first, {"reportingInstance"}), "pod-0");
  EXPECT_FALSE(first.contains("series"));
  const auto again = std::get<EventUpdate>(correlator.correlate(note("boom"), kNow, SteadyTime{}));
  EXPECT_EQ(json::get_int(again.patch, {"series", "count"}), 2);
}

TEST(EventCorrelator, ManySimilarOnesAreCombined) {
  EventCorrelator correlator({.component = "fairway", .burst = 1000});
  for (int i = 0; i < 9; ++i) {
    EXPECT_TRUE(std::holds_alternative<EventCreate>(
        correlator.correlate(note(std::to_string(i)), kNow, SteadyTime{})));
  }
  const auto tenth = std::get<EventCreate>(correlator.correlate(note("9"), kNow, SteadyTime{})).event;
  EXPECT_EQ(json::get_string(tenth, {"message"}), "(combined from similar events): 9");
  const auto eleventh = std::get<EventUpdate>(correlator.correlate(note("10"), kNow, SteadyTime{}));
  EXPECT_EQ(eleventh.key.name, name_of(tenth));
  EXPECT_EQ(json::get_string(eleventh.patch, {"message"}), "(combined from similar events): 10");
  EXPECT_TRUE(
      std::holds_alternative<EventCreate>(correlator.correlate(note("x", "Other"), kNow, SteadyTime{})))
      << "another reason";
  EXPECT_TRUE(std::holds_alternative<EventCreate>(correlator.correlate(note("11"), kNow, SteadyTime{11min})))
      << "after a quiet time they are told one by one again";
}

TEST(EventCorrelator, OneObjectCannotFloodTheServer) {
  EventCorrelator correlator({.component = "fairway"});
  const auto is_sent = [&](SteadyTime now) {
    return !std::holds_alternative<EventDrop>(correlator.correlate(note("boom"), kNow, now));
  };
  for (int i = 0; i < 25; ++i) EXPECT_TRUE(is_sent(SteadyTime{}));
  EXPECT_FALSE(is_sent(SteadyTime{}));
  EXPECT_FALSE(is_sent(SteadyTime{299s}));
  EXPECT_TRUE(is_sent(SteadyTime{300s}));
  EventNote other = note("boom");
  other.about.name = "q";
  EXPECT_FALSE(std::holds_alternative<EventDrop>(correlator.correlate(other, kNow, SteadyTime{300s})));
}

TEST(EventCorrelator, LongMessagesAreShortenedBetweenCharacters) {
  EventCorrelator correlator({.component = "fairway"});
  std::string text = "a";
  while (text.size() < 3000) text += "é";
  const auto event = std::get<EventCreate>(correlator.correlate(note(text), kNow, SteadyTime{})).event;
  const auto message = *json::get_string(event, {"message"});
  EXPECT_LE(message.size(), 1024U);
  EXPECT_TRUE(is_valid_utf8(message));
  EXPECT_TRUE(message.ends_with("..."));
}

TEST(EventCorrelator, WhatItRemembersIsBounded) {
  EventCorrelator correlator({.component = "fairway", .max_remembered = 100});
  for (int i = 0; i < 1000; ++i) {
    EventNote each = note("boom");
    each.about.name = "p" + std::to_string(i);
    const auto steady = SteadyTime{std::chrono::seconds(i)};
    EXPECT_TRUE(std::holds_alternative<EventCreate>(correlator.correlate(each, kNow, steady)));
    EXPECT_TRUE(std::holds_alternative<EventUpdate>(correlator.correlate(each, kNow, steady)))
        << "the newest is kept";
  }
}

struct RecorderTest : ::testing::Test {
  const GroupVersionResource events{"", "v1", "events"};
  ManualLoop manual;
  ScriptedApi api{manual.clock};
  metrics::Registry registry;
  Client client{api.transport(),
                manual.clock,
                *http::Url::parse("http://api"),
                {.requests_per_second = 0, .retry = {.max_retries = 0}}};
  EventRecorder recorder{client, {.events = {.component = "fairway"}, .max_queued = 5, .metrics = &registry}};
  async::TaskGroup group{manual.loop.executor()};

  void start() { group.spawn("events", recorder.run()); }
  void TearDown() override {
    group.cancel();
    manual.settle();
  }
};

TEST_F(RecorderTest, SendsCountsAndMakesAnewWhatHasExpired) {
  start();
  const auto pod =
      *json::parse_object(R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":"p","namespace":"ns"}})");
  recorder.warning(pod, "Failed", "boom");
  recorder.warning(pod, "Failed", "boom");
  manual.settle();
  ASSERT_THAT(api.all(events), SizeIs(1));
  const auto event = api.all(events)[0];
  EXPECT_EQ(json::get_int(event, {"count"}), 2);
  EXPECT_EQ(json::get_string(event, {"type"}), "Warning");
  api.remove(events, key_of(event));
  recorder.warning(pod, "Failed", "boom");
  manual.settle();
  ASSERT_THAT(api.all(events), SizeIs(1));
  EXPECT_EQ(json::get_int(api.all(events)[0], {"count"}), 3);
  recorder.normal(*json::parse_object(R"({"kind":"Node","metadata":{"name":"n"}})"), "Ready", "up");
  manual.settle();
  EXPECT_THAT(api.all(events), SizeIs(2));
  EXPECT_EQ(namespace_of(api.all(events)[0]), "default") << "events of cluster-scoped objects";
}

TEST_F(RecorderTest, SurvivesAServerThatIsAwayAndNeverWaits) {
  api.faults.failing = 1;
  start();
  manual.settle();
  for (int i = 0; i < 10; ++i)
    recorder.record({.about = kPod, .reason = "R", .message = "m" + std::to_string(i)});
  EXPECT_EQ(recorder.queued(), 5U);
  manual.advance(3s);
  api.faults.failing = 0;
  manual.advance(1min);
  EXPECT_EQ(recorder.queued(), 0U);
  EXPECT_THAT(api.all(events), SizeIs(5));
  EXPECT_THAT(registry.expose(),
              HasSubstr(R"(fairway_events_total{component="fairway",outcome="overflow"} 5)"));
}

TEST_F(RecorderTest, GivesUpOnWhatIsNeverAccepted) {
  api.faults.failing = 1;
  start();
  recorder.record(note("boom"));
  manual.advance(10min);
  EXPECT_THAT(registry.expose(),
              HasSubstr(R"(fairway_events_total{component="fairway",outcome="refused"} 1)"));
  EXPECT_EQ(manual.clock.pending(), 0U);
}

}  // namespace
}  // namespace fairway::kube
