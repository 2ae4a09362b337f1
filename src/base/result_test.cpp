#include "base/result.hpp"

#include <algorithm>
#include <array>
#include <gtest/gtest.h>
#include <memory>

namespace fairway {
namespace {

constexpr std::array kCodes{ErrorCode::NotFound,    ErrorCode::AlreadyExists, ErrorCode::Conflict,
                            ErrorCode::Gone,        ErrorCode::Invalid,       ErrorCode::Forbidden,
                            ErrorCode::Unavailable, ErrorCode::Timeout,       ErrorCode::Cancelled,
                            ErrorCode::Unsupported, ErrorCode::Internal};

Result<int> half(int number) {
  if (number % 2 != 0) return fail(ErrorCode::Invalid, "expected an even number, found an odd one");
  return number / 2;
}

Result<int> quarter(int number) {
  FAIRWAY_TRY(const int once, half(number));
  FAIRWAY_TRY(const int twice, half(once));
  return twice;
}

Result<void> check_even(int number) {
  FAIRWAY_CHECKED(half(number));
  return {};
}

Result<std::unique_ptr<int>> boxed(int number) {
  FAIRWAY_TRY(const int value, half(number));
  return std::make_unique<int>(value);
}

TEST(Result, TryGivesTheValueOrReturnsTheError) {
  EXPECT_EQ(quarter(12), 3);
  EXPECT_EQ(quarter(7).error().code, ErrorCode::Invalid);
  EXPECT_EQ(quarter(6).error().message, "expected an even number, found an odd one");
}

TEST(Result, TryMovesValuesThatCannotBeCopied) {
  const auto outer = []() -> Result<int> {
    FAIRWAY_TRY(const std::unique_ptr<int> value, boxed(8));
    return *value;
  };
  EXPECT_EQ(outer(), 4);
}

TEST(Result, TryAssignsToWhatExists) {
  const auto outer = []() -> Result<int> {
    int value = 0;
    FAIRWAY_TRY(value, half(10));
    return value;
  };
  EXPECT_EQ(outer(), 5);
}

TEST(Result, CheckedReturnsTheErrorOnly) {
  EXPECT_TRUE(check_even(2).has_value());
  EXPECT_FALSE(check_even(3).has_value());
}

TEST(Error, DescribesThePlacesOutermostFirst) {
  const Error error =
      Error{ErrorCode::Invalid, "expected a mapping"}.within("line 3").within("reading \"a.yaml\"");
  EXPECT_EQ(error.describe(), "reading \"a.yaml\": line 3: expected a mapping");
  EXPECT_EQ(error.context, (std::vector<std::string>{"line 3", "reading \"a.yaml\""}));
  EXPECT_EQ((Error{ErrorCode::Gone, "gone"}.describe()), "gone");
}

TEST(Error, WithinLeavesTheOriginalAlone) {
  const Error error{ErrorCode::Timeout, "no answer", {}, std::chrono::milliseconds{5}};
  const Error placed = error.within("dialling");
  EXPECT_TRUE(error.context.empty());
  EXPECT_EQ(placed.code, ErrorCode::Timeout);
  EXPECT_EQ(placed.retry_after, std::chrono::milliseconds{5});
  EXPECT_NE(error, placed);
}

TEST(ErrorCode, EveryOneHasItsOwnName) {
  std::vector<std::string_view> names;
  for (ErrorCode code : kCodes) names.push_back(to_string(code));
  std::ranges::sort(names);
  EXPECT_EQ(std::ranges::unique(names).begin(), names.end());
  EXPECT_EQ(to_string(ErrorCode::AlreadyExists), "AlreadyExists");
}

TEST(RetryOf, IsDecidedForEveryCode) {
  const std::vector<std::pair<ErrorCode, Retry>> expected = {
      {ErrorCode::NotFound, Retry::Never},      {ErrorCode::AlreadyExists, Retry::Never},
      {ErrorCode::Conflict, Retry::Reread},     {ErrorCode::Gone, Retry::Restart},
      {ErrorCode::Invalid, Retry::Never},       {ErrorCode::Forbidden, Retry::Never},
      {ErrorCode::Unavailable, Retry::Backoff}, {ErrorCode::Timeout, Retry::Backoff},
      {ErrorCode::Cancelled, Retry::Never},     {ErrorCode::Unsupported, Retry::Never},
      {ErrorCode::Internal, Retry::Backoff}};
  ASSERT_EQ(expected.size(), kCodes.size());
  for (const auto& [code, retry] : expected) EXPECT_EQ(retry_of(code), retry) << to_string(code);
}

TEST(CheckDeathTest, AbortsWithTheReasonInEveryBuild) {
  EXPECT_DEATH(FAIRWAY_CHECK(1 + 1 == 3, "arithmetic failed"), "impossible state: arithmetic failed");
}

}  // namespace
}  // namespace fairway
