#include "kube/client/retry.hpp"

#include <gtest/gtest.h>

namespace fairway::kube {
namespace {

using namespace std::chrono_literals;

struct Case {
  std::string what;
  std::string method;
  Result<http::Response> outcome;
  std::optional<Duration> pause;
};

TEST(Retry, OnlyWhereTheMethodOrTheErrorAllowsIt) {
  const RetryPolicy policy{.backoff = {.first = 100ms, .cap = 1s, .jitter = 0}};
  const auto answer = [](int status, http::Headers headers = {}) {
    return http::Response{status, std::move(headers), {}};
  };
  const auto error = [](ErrorCode code) -> Result<http::Response> { return fail(code, "x"); };
  const std::vector<Case> cases = {
      {"success", "GET", answer(200), {}},
      {"a read that was refused", "GET", answer(404), {}},
      {"a read, server unavailable", "GET", answer(503), 100ms},
      {"a read, gateway timeout", "GET", answer(504), 100ms},
      {"a read, server's defect", "GET", answer(500), {}},
      {"a read, overloaded without a wish", "GET", answer(429), 100ms},
      {"a read, connection lost", "GET", error(ErrorCode::Unavailable), 100ms},
      {"a read, no answer", "GET", error(ErrorCode::Timeout), 100ms},
      {"a read, cancelled", "GET", error(ErrorCode::Cancelled), {}},
      {"a read, certificate refused", "GET", error(ErrorCode::Forbidden), {}},
      {"a write, server unavailable", "POST", answer(503), {}},
      {"a write, overloaded without a wish", "POST", answer(429), {}},
      {"a write, not processed", "POST", answer(429, {{"Retry-After", "2"}}), 2s},
      {"a write, server starting", "PUT", answer(503, {{"Retry-After", "1"}}), 1s},
      {"a write, server's defect with a wish", "PATCH", answer(500, {{"Retry-After", "1"}}), {}},
      {"a write, connection lost", "DELETE", error(ErrorCode::Unavailable), {}},
      {"more patience than we have", "GET", answer(429, {{"Retry-After", "600"}}), {}},
      {"a wish shorter than our own pause", "GET", answer(429, {{"Retry-After", "0"}}), 100ms},
      {"a date", "POST", answer(429, {{"Retry-After", "Wed, 21 Oct 2015 07:28:00 GMT"}}), {}},
  };
  for (const Case& each : cases) {
    Random random(1);
    EXPECT_EQ(pause_before_retry(policy, each.method, each.outcome, 1, random), each.pause) << each.what;
  }
}

TEST(Retry, PausesGrowAndEnd) {
  const RetryPolicy policy{.max_retries = 3, .backoff = {.first = 100ms, .cap = 250ms, .jitter = 0}};
  Random random(1);
  const Result<http::Response> outcome = http::Response{503, {}, {}};
  EXPECT_EQ(pause_before_retry(policy, "GET", outcome, 2, random), 200ms);
  EXPECT_EQ(pause_before_retry(policy, "GET", outcome, 3, random), 250ms);
  EXPECT_EQ(pause_before_retry(policy, "GET", outcome, 4, random), std::nullopt);
}

}  // namespace
}  // namespace fairway::kube
