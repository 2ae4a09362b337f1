#include "base/time_windows.hpp"

#include <gtest/gtest.h>
#include <string>
#include <vector>

#include "base/text.hpp"

namespace fairway {
namespace {

WallTime at(const char* text) {
  return parse_rfc3339(text).value();
}

struct Opening {
  const char* windows;
  const char* now;
  const char* opens;  // the same as `now`: open
};

// 2026-11-16 is a Monday.
class Windows : public ::testing::TestWithParam<Opening> {};
INSTANTIATE_TEST_SUITE_P(
    Openings, Windows,
    ::testing::Values(
        Opening{"02:00-04:00", "2026-11-16T01:59:59Z", "2026-11-16T02:00:00Z"},
        Opening{"02:00-04:00", "2026-11-16T02:00:00Z", "2026-11-16T02:00:00Z"},
        Opening{"02:00-04:00", "2026-11-16T03:59:59Z", "2026-11-16T03:59:59Z"},
        Opening{"02:00-04:00", "2026-11-16T04:00:00Z", "2026-11-17T02:00:00Z"},
        // over midnight, and of the day on which it opens
        Opening{"22:00-04:00", "2026-11-16T03:00:00Z", "2026-11-16T03:00:00Z"},
        Opening{"Mon 22:00-04:00", "2026-11-16T03:00:00Z", "2026-11-16T22:00:00Z"},
        Opening{"Mon 22:00-04:00", "2026-11-17T03:59:00Z", "2026-11-17T03:59:00Z"},
        Opening{"Mon 22:00-04:00", "2026-11-17T04:00:00Z", "2026-11-23T22:00:00Z"},
        // whole days, ranges over the end of a week, any case
        Opening{"Sat,Sun 00:00-24:00", "2026-11-16T00:00:00Z", "2026-11-21T00:00:00Z"},
        Opening{"Sat,Sun 00:00-24:00", "2026-11-22T23:59:59Z", "2026-11-22T23:59:59Z"},
        Opening{"fri-mon 10:00-11:00", "2026-11-16T11:00:00Z", "2026-11-20T10:00:00Z"},
        // the nearest of several
        Opening{"Sun 02:00-03:00; Wed 02:00-03:00", "2026-11-16T12:00:00Z", "2026-11-18T02:00:00Z"},
        Opening{"Wed 02:00-03:00;Sun 02:00-03:00", "2026-11-18T03:00:00Z", "2026-11-22T02:00:00Z"},
        // one that covers the other keeps it open
        Opening{"00:00-24:00; 02:00-03:00", "2026-11-16T12:00:00Z", "2026-11-16T12:00:00Z"}));

TEST_P(Windows, OpenWhenTheySay) {
  const auto windows = TimeWindows::parse(GetParam().windows);
  ASSERT_TRUE(windows) << windows.error().describe();
  const WallTime now = at(GetParam().now);
  const WallTime opens = at(GetParam().opens);
  EXPECT_EQ(format_rfc3339(windows->opens(now)), format_rfc3339(opens));
  EXPECT_EQ(windows->is_open(now), now == opens);
}

struct Weekly {
  std::vector<std::string> days;
  const char* start;
  const char* length;
  const char* zone;
  const char* now;
  const char* opens;
  const char* closes;  // from then on; the same as `opens` when it is closed
};

class WeeklyWindows : public ::testing::TestWithParam<Weekly> {};
INSTANTIATE_TEST_SUITE_P(
    Windows, WeeklyWindows,
    ::testing::Values(
        Weekly{{"Sat"},
               "01:00",
               "4h",
               "UTC",
               "2026-11-16T00:00:00Z",
               "2026-11-21T01:00:00Z",
               "2026-11-21T05:00:00Z"},
        Weekly{{}, "23:00", "2h", "", "2026-11-16T00:30:00Z", "2026-11-16T00:30:00Z", "2026-11-16T01:00:00Z"},
        // an offset can move it to the day before or after
        Weekly{{"Mon"},
               "01:00",
               "1h",
               "+02:00",
               "2026-11-15T22:59:59Z",
               "2026-11-15T23:00:00Z",
               "2026-11-16T00:00:00Z"},
        Weekly{{"Sun"},
               "20:00",
               "2h",
               "-07:00",
               "2026-11-16T03:00:00Z",
               "2026-11-16T03:00:00Z",
               "2026-11-16T05:00:00Z"},
        // longer than a day
        Weekly{{"Fri"},
               "18:00",
               "60h",
               "Z",
               "2026-11-22T12:00:00Z",
               "2026-11-22T12:00:00Z",
               "2026-11-23T06:00:00Z"}));

TEST_P(WeeklyWindows, OpenAndClose) {
  const Weekly& asked = GetParam();
  const auto windows =
      TimeWindows::weekly(asked.days, asked.start, parse_duration(asked.length).value(), asked.zone);
  ASSERT_TRUE(windows) << windows.error().describe();
  const WallTime opens = windows->opens(at(asked.now));
  EXPECT_EQ(format_rfc3339(opens), asked.opens);
  EXPECT_EQ(format_rfc3339(windows->closes(opens).value()), asked.closes);
}

TEST(WeeklyWindow, SaysWhatItCannotRead) {
  using std::chrono::hours;
  const std::vector<std::string> none;
  const std::vector<std::string> odd = {"Funday"};
  EXPECT_FALSE(TimeWindows::weekly(odd, "01:00", hours(1), "UTC"));
  EXPECT_FALSE(TimeWindows::weekly(none, "24:00", hours(1), "UTC"));
  EXPECT_FALSE(TimeWindows::weekly(none, "01:00", hours(0), "UTC"));
  EXPECT_FALSE(TimeWindows::weekly(none, "01:00", hours(169), "UTC"));
  const auto zone = TimeWindows::weekly(none, "01:00", hours(1), "Mars/Olympus");
  ASSERT_FALSE(zone);
  EXPECT_NE(zone.error().message.find("Mars/Olympus"), std::string::npos);
}

TEST(SeveralWindows, CloseWhenTheLastOneDoes) {
  auto windows = TimeWindows::parse("01:00-03:00; 02:00-05:00").value();
  EXPECT_EQ(format_rfc3339(windows.closes(at("2026-11-16T01:30:00Z")).value()), "2026-11-16T05:00:00Z");
  EXPECT_EQ(windows.closes(at("2026-11-16T06:00:00Z")), at("2026-11-16T06:00:00Z"));
  windows.add(TimeWindows::parse("05:00-06:00").value());
  EXPECT_EQ(format_rfc3339(windows.closes(at("2026-11-16T01:30:00Z")).value()), "2026-11-16T06:00:00Z");
  EXPECT_EQ(TimeWindows::parse("00:00-24:00")->closes(at("2026-11-16T06:00:00Z")), std::nullopt);
}

class UnreadableWindows : public ::testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(Texts, UnreadableWindows,
                         ::testing::Values("", "always", "02:00", "02:00-", "2:00-4:00", "02:00-25:00",
                                           "02:60-03:00", "24:00-01:00", "02:00-02:00", "Someday 02:00-03:00",
                                           "Mon- 02:00-03:00", "02:00-03:00;", "Mon,, 02:00-03:00",
                                           "-1:00-03:00", "02:00-03:00 Mon"));

TEST_P(UnreadableWindows, AreErrorsThatSayHow) {
  const auto windows = TimeWindows::parse(GetParam());
  ASSERT_FALSE(windows);
  EXPECT_EQ(windows.error().code, ErrorCode::Invalid);
  EXPECT_TRUE(windows.error().message.contains("Sat,Sun 22:00-04:00")) << windows.error().message;
}

}  // namespace
}  // namespace fairway
