#include "kube/client/retry.hpp"

#include "base/text.hpp"
#include "kube/core/status.hpp"

namespace fairway::kube {
namespace {

constexpr int kTooManyRequests = 429;
constexpr int kUnavailable = 503;

bool may_be_repeated(ErrorCode code) {
  return code == ErrorCode::Unavailable || code == ErrorCode::Timeout;
}

}  // namespace

std::optional<Duration> retry_after(const http::Headers& headers) {
  const auto value = headers.find("retry-after");
  if (!value) return std::nullopt;
  const auto seconds = parse_unsigned(trim(*value));
  constexpr std::uint64_t kDay = 24 * 3600;
  if (!seconds) return std::nullopt;
  return std::chrono::seconds(std::min(*seconds, kDay));
}

std::optional<Duration> pause_before_retry(const RetryPolicy& policy, std::string_view method,
                                           const Result<http::Response>& outcome, int failures,
                                           Random& random) {
  if (failures > policy.max_retries) return std::nullopt;
  const bool is_read = method == "GET" || method == "HEAD";
  if (!outcome) {
    if (!is_read || !may_be_repeated(outcome.error().code)) return std::nullopt;
    return policy.backoff.pause(failures, random);
  }
  const int status = outcome->status;
  if (status < 400) return std::nullopt;
  const bool is_overloaded = status == kTooManyRequests || status == kUnavailable;
  if (const auto asked = retry_after(outcome->headers); asked && is_overloaded) {
    if (*asked > policy.longest_pause) return std::nullopt;
    return std::max(*asked, policy.backoff.pause(failures, random));
  }
  if (is_read && may_be_repeated(error_code_of_http(status))) return policy.backoff.pause(failures, random);
  return std::nullopt;
}

}  // namespace fairway::kube
