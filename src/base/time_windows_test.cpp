#include "base/time_windows.hpp"

#include <gtest/gtest.h>
#include <string>

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
