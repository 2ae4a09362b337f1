#include "store/ring.hpp"

#include <gtest/gtest.h>

#include "store/testing/store_fixture.hpp"
#include "store/window.hpp"

namespace fairway::store {
namespace {

ChangePtr change_at(Revision revision, const std::string& resource = "/configmaps", std::size_t bytes = 1) {
  auto now = std::make_shared<const Entry>(Entry{.key = key_of("a", "default", resource),
                                                 .revision = revision,
                                                 .create_revision = revision,
                                                 .value = text_of(std::string(bytes, 'x'))});
  return std::make_shared<const Change>(Change{ChangeKind::Created, revision, std::move(now), nullptr});
}

TEST(Ring, FindsTheNextChangeOfAScope) {
  Ring ring(10, 1 << 20);
  ring.restart(0);
  ring.push(change_at(3));
  ring.push(change_at(5, "/secrets"));
  ring.push(change_at(8));
  EXPECT_EQ(ring.next({}, 0)->revision, 3U);
  EXPECT_EQ(ring.next({}, 3)->revision, 5U);
  EXPECT_EQ(ring.next({"hub", "/configmaps"}, 3)->revision, 8U);
  EXPECT_EQ(ring.next({"hub", "/secrets"}, 5), nullptr);
  EXPECT_EQ(ring.next({}, 8), nullptr);
}

TEST(Ring, ForgetsTheOldestByNumber) {
  Ring ring(2, 1 << 20);
  ring.restart(10);
  EXPECT_TRUE(ring.covers(10));
  EXPECT_FALSE(ring.covers(9));
  for (const Revision revision : {11U, 15U, 16U}) ring.push(change_at(revision));
  EXPECT_EQ(ring.size(), 2U);
  EXPECT_FALSE(ring.covers(10));
  EXPECT_TRUE(ring.covers(11));
}

TEST(Ring, ForgetsTheOldestByBytes) {
  Ring ring(100, 10'000);
  ring.restart(0);
  ring.push(change_at(1, "/configmaps", 4000));
  ring.push(change_at(2, "/configmaps", 4000));
  EXPECT_TRUE(ring.covers(0));
  ring.push(change_at(3, "/configmaps", 4000));
  EXPECT_FALSE(ring.covers(0));
  EXPECT_TRUE(ring.covers(1));
  ring.push(change_at(4, "/configmaps", 20'000));
  EXPECT_EQ(ring.size(), 0U);
  EXPECT_EQ(ring.bytes(), 0U);
  EXPECT_FALSE(ring.covers(3));
  EXPECT_TRUE(ring.covers(4));
}

using std::chrono::minutes;

SteadyTime at(int minute) {
  return SteadyTime{minutes(minute)};
}

TEST(Window, DropsByNumber) {
  Window window({.max_changes = 32, .max_age = minutes(1000)});
  for (Revision revision = 1; revision <= 32; ++revision) window.note(revision, at(0));
  EXPECT_EQ(window.take_due(at(0)), std::nullopt);
  for (Revision revision = 33; revision <= 50; ++revision) window.note(revision, at(0));
  const auto due = window.take_due(at(0));
  ASSERT_TRUE(due.has_value());
  EXPECT_LE(*due, 18U);  // the newest 32 stay
  EXPECT_GE(*due, 16U);  // and hardly more
  EXPECT_EQ(window.take_due(at(0)), std::nullopt);
}

TEST(Window, DropsByAge) {
  Window window({.max_changes = 1000, .max_age = minutes(16)});
  for (int minute = 1; minute <= 20; ++minute) window.note(static_cast<Revision>(minute), at(minute));
  EXPECT_EQ(window.take_due(at(20)), 4U);
  EXPECT_EQ(window.take_due(at(20)), std::nullopt);
  EXPECT_EQ(window.take_due(at(60)), 20U);
}

TEST(Window, HistoryFromBeforeTheStartCountsByNumberAndAgesFromTheStart) {
  const HistoryMark marks[] = {{.revision = 300, .newer = 50}, {.revision = 200, .newer = 150}};
  Window by_number({.max_changes = 100, .max_age = minutes(60)});
  by_number.start(marks, 400, at(5));
  EXPECT_EQ(by_number.take_due(at(5)), 200U);
  EXPECT_EQ(by_number.take_due(at(64)), std::nullopt);
  EXPECT_EQ(by_number.take_due(at(65)), 400U);
}

}  // namespace
}  // namespace fairway::store
