#include "clusterversion/retrieval.hpp"

#include <gtest/gtest.h>

namespace fairway::clusterversion {
namespace {

using std::chrono::hours;
using std::chrono::minutes;
using std::chrono::seconds;

constexpr std::string_view kClusterId = "0F0C3C2E-7C3B-4F0E-9F54-2D3A1B6E7C11";

ClusterVersionSpec spec() {
  return {.cluster_id = std::string(kClusterId), .channel = "stable-4.6", .upstream = "http://h/g"};
}
const Release kCurrent{.version = "4.6.23", .image = "r@sha256:23"};

std::string url_of(const ClusterVersionSpec& wanted, const Release& current = kCurrent,
                   const RetrievalSettings& settings = {}) {
  const auto request = graph_request(wanted, current, settings);
  return request ? request->url : request.error().reason + ": " + request.error().message;
}

TEST(Retrieval, Case1And2TheRequest) {
  EXPECT_EQ(
      url_of(spec()),
      "http://h/g?arch=amd64&channel=stable-4.6&id=0f0c3c2e-7c3b-4f0e-9f54-2d3a1b6e7c11&version=4.6.23");
  auto with_query = spec();
  with_query.upstream = "http://h/g?x=1&b=a%20b";
  EXPECT_EQ(
      url_of(with_query),
      "http://h/"
      "g?arch=amd64&b=a+b&channel=stable-4.6&id=0f0c3c2e-7c3b-4f0e-9f54-2d3a1b6e7c11&version=4.6.23&x=1");
}

TEST(Retrieval, Case3MultiAsksForMulti) {
  auto multi = spec();
  multi.desired_update = DesiredUpdate{.architecture = "Multi", .version = "4.6.23"};
  const auto request = graph_request(multi, kCurrent, {});
  ASSERT_TRUE(request);
  EXPECT_NE(request->url.find("arch=multi"), std::string::npos);
  EXPECT_TRUE(request->question.wants_multi);
  EXPECT_FALSE(request->question.is_multi);
}

TEST(Retrieval, Case4To6WhatKeepsFromAsking) {
  auto no_channel = spec();
  no_channel.channel = "";
  EXPECT_EQ(url_of(no_channel), "NoChannel: The update channel has not been configured.");
  auto bad_id = spec();
  bad_id.cluster_id = "abc";
  EXPECT_EQ(url_of(bad_id), "InvalidID: invalid cluster ID: invalid UUID length: 3");
  EXPECT_EQ(url_of(spec(), {.version = "foo"}),
            "InvalidCurrentVersion: The current cluster version is not a valid semantic version and cannot "
            "be used to "
            "calculate upgrades.");
  EXPECT_EQ(url_of(spec(), {}),
            "NoCurrentVersion: The cluster version does not have a semantic version assigned and cannot "
            "calculate valid "
            "upgrades.");
  EXPECT_EQ(url_of(spec(), kCurrent, {.architecture = ""}),
            "NoArchitecture: Architecture has not been configured.");
  auto bad_url = spec();
  bad_url.upstream = "nonsense";
  EXPECT_EQ(url_of(bad_url),
            "InvalidURI: failed to parse update service URL: parse \"nonsense\": invalid URI for request");
}

TEST(Retrieval, TheOperatorsServiceCountsFirst) {
  EXPECT_EQ(effective_service(spec(), {.update_service = "http://mine/"}), "http://mine/");
  EXPECT_EQ(effective_service(spec(), {}), "http://h/g");
  auto unset = spec();
  unset.upstream = "";
  EXPECT_EQ(effective_service(unset, {}), kDefaultUpdateService);
}

// A cluster that asks, on a clock of its own.
class Asking {
 public:
  FetchDecision decide() const {
    return when_to_fetch(state, *graph_request(wanted, current, settings), settings, now.steady);
  }
  // What decide() asks for is done, with this outcome. Whether it was asked for at all.
  bool look(std::expected<GraphAnswer, RetrievalFailure> outcome) {
    const FetchDecision decision = decide();
    if (!decision.is_due) return false;
    begin_fetch(state, *graph_request(wanted, current, settings), now);
    end_fetch(state, std::move(outcome), decision.failure_clears, {}, now);
    return true;
  }
  void pass(Duration time) {
    now.steady += time;
    now.wall += time;
  }
  std::string condition() const {
    const auto made = retrieved_updates(state);
    return made.status + " " + made.reason + " " + made.message;
  }

  RetrievalSettings settings = {.interval = minutes(3)};
  ClusterVersionSpec wanted = spec();
  Release current = kCurrent;
  RetrievalState state;
  Moment now{SteadyTime(hours(5)), WallTime(hours(500000))};
};

GraphAnswer one_update() {
  return {.current = kCurrent, .updates = {{.version = "4.6.43", .image = "r@sha256:43"}}};
}
std::unexpected<RetrievalFailure> down() {
  return std::unexpected(
      cannot_retrieve("ResponseFailed", "unexpected HTTP status: 503 Service Unavailable"));
}
std::unexpected<RetrievalFailure> refused() {
  return std::unexpected(cannot_retrieve("RemoteFailed", "connection refused"));
}

TEST(Retrieval, Case7TheFirstFailure) {
  Asking asking;
  EXPECT_EQ(asking.condition(), "False  ");
  EXPECT_TRUE(asking.look(down()));
  EXPECT_EQ(asking.condition(),
            "False ResponseFailed Unable to retrieve available updates: unexpected HTTP status: 503 Service "
            "Unavailable");
  EXPECT_EQ(asking.state.offer, nullptr);
}

TEST(Retrieval, Case8And9OldUpdatesOutliveFailuresForADay) {
  Asking asking;
  EXPECT_TRUE(asking.look(one_update()));
  EXPECT_EQ(asking.condition(), "True  ");
  asking.pass(minutes(3));
  EXPECT_TRUE(asking.look(down()));
  ASSERT_NE(asking.state.offer, nullptr);
  EXPECT_EQ(asking.condition().substr(0, 20), "False ResponseFailed");
  while (asking.now.steady < SteadyTime(hours(5 + 24))) {
    ASSERT_NE(asking.state.offer, nullptr);
    asking.pass(minutes(3));
    EXPECT_TRUE(asking.look(down()));
  }
  EXPECT_EQ(asking.state.offer, nullptr);
}

// The reference asks at every event once a day has passed without success; the interval holds for us.
TEST(Retrieval, Case9AlsoAfterADayTheIntervalHolds) {
  Asking asking;
  asking.look(one_update());
  asking.pass(hours(25));
  EXPECT_TRUE(asking.look(down()));
  asking.pass(seconds(1));
  EXPECT_FALSE(asking.look(down()));
}

TEST(Retrieval, Case10AChangedChannelStartsOver) {
  Asking asking;
  asking.look(one_update());
  asking.wanted.channel = "fast-4.6";
  asking.pass(seconds(1));
  EXPECT_TRUE(asking.look(refused()));
  EXPECT_EQ(asking.state.offer, nullptr);
  EXPECT_EQ(asking.condition(),
            "False RemoteFailed Unable to retrieve available updates: connection refused");
}

TEST(Retrieval, Case11AVersionThatIsNotThereClears) {
  Asking asking;
  asking.look(one_update());
  asking.pass(minutes(3));
  asking.look(std::unexpected(cannot_retrieve("VersionNotFound", "x")));
  EXPECT_EQ(asking.state.offer, nullptr);
}

TEST(Retrieval, ArchitectureServiceAndVersionStartOverToo) {
  Asking asking;
  asking.look(one_update());
  asking.wanted.upstream = "http://other/";
  EXPECT_TRUE(asking.decide().is_due && asking.decide().failure_clears);
  asking.look(one_update());
  asking.current.version = "4.6.43";
  EXPECT_TRUE(asking.decide().is_due);
  begin_fetch(asking.state, *graph_request(asking.wanted, asking.current, asking.settings), asking.now);
  EXPECT_EQ(asking.state.offer, nullptr) << "updates of 4.6.23 are none of 4.6.43";
}

TEST(Retrieval, Case19FiftyEventsInAMinuteAskOnce) {
  Asking asking;
  int asked = 0;
  for (int i = 0; i < 50; ++i) {
    asked += asking.look(one_update()) ? 1 : 0;
    asking.pass(seconds(1));
  }
  EXPECT_EQ(asked, 1);
  ASSERT_TRUE(asking.decide().next);
  EXPECT_EQ(*asking.decide().next, SteadyTime(hours(5) + minutes(3)));
}

TEST(Retrieval, Case20TheIntervalIsDrawnFromTwoToFourMinutes) {
  EXPECT_EQ(retrieval_interval(0), seconds(120));
  EXPECT_LT(retrieval_interval(1), seconds(240));
  EXPECT_EQ(retrieval_interval(0.5), seconds(180));
}

TEST(Retrieval, OneRequestAtATimeUnlessItIsForSomethingElse) {
  Asking asking;
  begin_fetch(asking.state, *graph_request(asking.wanted, asking.current, asking.settings), asking.now);
  asking.pass(hours(1));
  EXPECT_FALSE(asking.decide().is_due);
  asking.wanted.channel = "fast-4.6";
  EXPECT_TRUE(asking.decide().is_due);
}

}  // namespace
}  // namespace fairway::clusterversion
