#include "oci/retry.hpp"

#include <gtest/gtest.h>

namespace fairway::oci {
namespace {

using namespace std::chrono_literals;

Error error(ErrorCode code, std::optional<std::chrono::milliseconds> wish = {}) {
  return {.code = code, .message = "x", .retry_after = wish};
}

TEST(Retry, OnlyWhatMayPass) {
  const RetryPolicy policy{.tries = 4, .first_pause = 1s, .longest_pause = 3s};
  EXPECT_EQ(pause_before_retry(policy, error(ErrorCode::Unavailable), 1), 1s);
  EXPECT_EQ(pause_before_retry(policy, error(ErrorCode::Timeout), 2), 2s);
  EXPECT_EQ(pause_before_retry(policy, error(ErrorCode::Timeout), 3), 3s) << "bounded";
  EXPECT_EQ(pause_before_retry(policy, error(ErrorCode::Unavailable), 4), std::nullopt) << "four tries";
  for (const ErrorCode code : {ErrorCode::NotFound, ErrorCode::Forbidden, ErrorCode::Invalid,
                               ErrorCode::Cancelled, ErrorCode::Unsupported, ErrorCode::Internal}) {
    EXPECT_EQ(pause_before_retry(policy, error(code), 1), std::nullopt) << to_string(code);
  }
}

TEST(Retry, TheRegistrysWishCountsWithinBounds) {
  const RetryPolicy policy{.tries = 3, .first_pause = 1s, .longest_pause = 30s};
  EXPECT_EQ(pause_before_retry(policy, error(ErrorCode::Unavailable, 7s), 1), 7s);
  EXPECT_EQ(pause_before_retry(policy, error(ErrorCode::Unavailable, 0s), 1), 1s)
      << "never less than our own";
  EXPECT_EQ(pause_before_retry(policy, error(ErrorCode::Unavailable, 31s), 1), std::nullopt);
}

TEST(Retry, ReadsTheHeader) {
  EXPECT_EQ(retry_after({{"Retry-After", " 5 "}}), 5s);
  EXPECT_EQ(retry_after({{"Retry-After", "99999999999"}}), 24h);
  EXPECT_EQ(retry_after({{"Retry-After", "Wed, 21 Oct 2015 07:28:00 GMT"}}), std::nullopt);
  EXPECT_EQ(retry_after({}), std::nullopt);
}

}  // namespace
}  // namespace fairway::oci
