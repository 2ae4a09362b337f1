#include "kube/runtime/own_writes.hpp"

#include <gtest/gtest.h>

namespace fairway::kube {
namespace {

using std::chrono::milliseconds;

const ObjectKey kWritten{"default", "a"};

struct OwnWritesTest : ::testing::Test {
  ManualClock clock;
  OwnWrites writes{clock, milliseconds(1000)};
  bool is_first_shown = false;
  bool is_second_shown = false;

  void write_both() {
    writes.add(kWritten, [this] { return is_first_shown; });
    writes.add(kWritten, [this] { return is_second_shown; });
  }
};

TEST_F(OwnWritesTest, NothingIsAwaitedWhereNothingWasWritten) {
  write_both();
  EXPECT_EQ(writes.awaited_until({"default", "b"}), std::nullopt);
}

TEST_F(OwnWritesTest, AllHaveToBeShown) {
  write_both();
  EXPECT_TRUE(writes.awaited_until(kWritten));
  is_second_shown = true;
  EXPECT_TRUE(writes.awaited_until(kWritten));
  is_first_shown = true;
  EXPECT_FALSE(writes.awaited_until(kWritten));
  EXPECT_EQ(writes.size(), 0u);
}

TEST_F(OwnWritesTest, WhatWasShownMayChangeAgain) {
  write_both();
  is_first_shown = true;
  EXPECT_TRUE(writes.awaited_until(kWritten));
  is_first_shown = false;
  is_second_shown = true;
  EXPECT_FALSE(writes.awaited_until(kWritten));
}

TEST_F(OwnWritesTest, PatienceEnds) {
  write_both();
  clock.advance(milliseconds(400));
  EXPECT_EQ(writes.awaited_until(kWritten), clock.now() + milliseconds(600));
  clock.advance(milliseconds(600));
  EXPECT_EQ(writes.awaited_until(kWritten), std::nullopt);
  EXPECT_EQ(writes.size(), 0u);
}

TEST_F(OwnWritesTest, PatienceIsOfTheSteadyClock) {
  write_both();
  clock.jump_wall(std::chrono::hours(-1));
  EXPECT_EQ(writes.awaited_until(kWritten), clock.now() + milliseconds(1000));
  clock.jump_wall(std::chrono::hours(2));
  EXPECT_EQ(writes.awaited_until(kWritten), clock.now() + milliseconds(1000));
}

}  // namespace
}  // namespace fairway::kube
