#include "clusterversion/query_schedule.hpp"

#include <gtest/gtest.h>

namespace fairway::clusterversion {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;

// Asks whatever is due, on a clock of its own.
class Asking {
 public:
  explicit Asking(QueryPacing pacing = {.fast_first_round = false}) : schedule(pacing) {}

  // Looks at this time after the start; what is due is asked and takes `takes`. The query, or "-".
  std::string look(Duration at, QueryOutcome outcome = true, Duration takes = {}) {
    SteadyTime when = kStart.steady + at;
    const auto query = schedule.next(wanted, when);
    if (!query) return "-";
    schedule.begin(*query, wanted, {when, kStart.wall + at});
    schedule.record(*query, std::move(outcome), {when + takes, kStart.wall + at + takes});
    return *query;
  }

  static constexpr Moment kStart{SteadyTime(hours(3)), WallTime(hours(480000))};
  QuerySchedule schedule;
  std::vector<std::string> wanted = {"q1"};
};

constexpr auto kJustAfter = milliseconds(1);

TEST(QuerySchedule, Case48AnyTwoQueriesArePaused) {
  Asking asking;
  asking.wanted = {"q1", "q2"};
  EXPECT_EQ(asking.look({}), "q1");
  EXPECT_EQ(asking.look(seconds(1)), "-");
  const auto until = asking.schedule.paused_until("q2", Asking::kStart.steady + seconds(1));
  ASSERT_TRUE(until);
  EXPECT_EQ(throttled_until(*until), "evaluation is throttled until 00:10:00Z");
  EXPECT_EQ(asking.look(minutes(10)), "-") << "at the very end of the pause it still holds";
  EXPECT_EQ(asking.schedule.next_time(asking.wanted, Asking::kStart.steady + minutes(10)),
            Asking::kStart.steady + minutes(10) + kJustAfter);
  EXPECT_EQ(asking.look(minutes(10) + kJustAfter), "q2");
}

TEST(QuerySchedule, Case50TheSameQueryAfterAnHour) {
  Asking asking;
  EXPECT_EQ(asking.look({}), "q1");
  for (int i = 11; i < 60; i += 11) EXPECT_EQ(asking.look(minutes(i)), "-") << i;
  EXPECT_EQ(asking.schedule.next_time(asking.wanted, Asking::kStart.steady + minutes(55)),
            Asking::kStart.steady + minutes(60));
  EXPECT_EQ(asking.look(minutes(60)), "q1");
}

TEST(QuerySchedule, Case51NobodyStarves) {
  Asking asking;
  asking.wanted = {"q1", "q2", "q3"};
  std::string order;
  for (int i = 0; i < 7; ++i) order += asking.look((minutes(20) + kJustAfter) * i) + " ";
  EXPECT_EQ(order, "q1 q2 q3 q1 q2 q3 q1 ");
}

TEST(QuerySchedule, Case52ErrorsAreKeptUnlessNobodyJudged) {
  Asking parse_error;
  parse_error.look({}, std::unexpected(QueryFailure{"bad_data: …"}));
  EXPECT_EQ(parse_error.look(minutes(59)), "-");
  EXPECT_EQ(parse_error.schedule.find("q1")->error().why, "bad_data: …");
  EXPECT_EQ(parse_error.look(minutes(60)), "q1");

  Asking unreachable;
  unreachable.look({}, std::unexpected(QueryFailure{"refused", false}));
  EXPECT_EQ(unreachable.look(minutes(10)), "-");
  EXPECT_EQ(unreachable.look(minutes(10) + kJustAfter), "q1");
}

TEST(QuerySchedule, Case53OldAnswersAreForgotten) {
  Asking asking;
  asking.look({});
  asking.schedule.expire(Asking::kStart.steady + hours(24));
  EXPECT_NE(asking.schedule.find("q1"), nullptr);
  asking.schedule.expire(Asking::kStart.steady + hours(24) + kJustAfter);
  EXPECT_EQ(asking.schedule.find("q1"), nullptr);
  EXPECT_TRUE(asking.schedule.is_overfull(145));
  EXPECT_FALSE(asking.schedule.is_overfull(144));
}

TEST(QuerySchedule, Case54TheFirstRoundIsFast) {
  Asking asking{QueryPacing{}};
  asking.wanted = {"q1", "q2", "q3", "q4", "q5", "q6", "q7", "q8"};
  std::string order;
  for (Duration at{}; at <= seconds(8); at += kJustAfter) {
    const std::string asked = asking.look(at);
    if (asked != "-") order += asked + " ";
  }
  EXPECT_EQ(order, "q1 q2 q3 q4 q5 q6 q7 q8 ");
  asking.wanted.push_back("q9");
  EXPECT_EQ(asking.look(minutes(9)), "-") << "it was not wanted in the first round";
  EXPECT_EQ(asking.look(minutes(20)), "q9");
  for (int i = 21; i < 60; ++i) EXPECT_EQ(asking.look(minutes(i)), "-") << i;
}

TEST(QuerySchedule, Case54TheFirstRoundEndsByItself) {
  Asking asking{QueryPacing{}};
  asking.wanted = {"q1", "q2"};
  EXPECT_EQ(asking.look({}), "q1");
  asking.wanted = {"q1", "q2", "q3"};
  EXPECT_EQ(asking.look(minutes(11)), "q2");
  EXPECT_EQ(asking.look(minutes(12)), "-");
}

TEST(QuerySchedule, Case55ThePauseCountsFromTheEnd) {
  Asking asking;
  asking.wanted = {"q1", "q2"};
  EXPECT_EQ(asking.look({}, true, minutes(4)), "q1");
  EXPECT_EQ(asking.look(minutes(13)), "-");
  EXPECT_EQ(asking.look(minutes(14) + kJustAfter), "q2");
}

TEST(QuerySchedule, Case56AfterARestartTheFirstQueryIsAskedAtOnce) {
  EXPECT_EQ(Asking().look({}), "q1");
}

TEST(QuerySchedule, Case57ThePauseIsASetting) {
  Asking asking{QueryPacing{.between = seconds(1), .fast_first_round = false}};
  asking.wanted = {"q1", "q2", "q3"};
  EXPECT_EQ(asking.look({}), "q1");
  EXPECT_EQ(asking.look(seconds(1) + kJustAfter), "q2");
  EXPECT_EQ(asking.look(seconds(2) + 2 * kJustAfter), "q3");
}

TEST(QuerySchedule, OneIsUnderWayAtATime) {
  Asking asking;
  asking.wanted = {"q1", "q2"};
  asking.schedule.begin("q1", asking.wanted, Asking::kStart);
  EXPECT_TRUE(asking.schedule.is_busy());
  EXPECT_EQ(asking.look(hours(2)), "-");
  EXPECT_FALSE(asking.schedule.next_time(asking.wanted, Asking::kStart.steady + hours(2)));
}

}  // namespace
}  // namespace fairway::clusterversion
