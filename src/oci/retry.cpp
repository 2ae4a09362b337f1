#include "oci/retry.hpp"

#include <algorithm>

#include "base/text.hpp"

namespace fairway::oci {

std::optional<Duration> pause_before_retry(const RetryPolicy& policy, const Error& error, int failures) {
  const bool may_help = error.code == ErrorCode::Unavailable || error.code == ErrorCode::Timeout;
  if (!may_help || failures >= policy.tries) return std::nullopt;
  if (error.retry_after && *error.retry_after > policy.longest_pause) return std::nullopt;
  Duration pause = policy.first_pause;
  for (int i = 1; i < failures && pause < policy.longest_pause; ++i) pause *= 2;
  pause = std::min(pause, policy.longest_pause);
  return error.retry_after ? std::max<Duration>(pause, *error.retry_after) : pause;
}

std::optional<std::chrono::milliseconds> retry_after(const http::Headers& headers) {
  constexpr std::uint64_t kDay = 24 * 3600;
  const auto value = headers.find("retry-after");
  if (!value) return std::nullopt;
  const auto seconds = parse_unsigned(trim(*value));
  if (!seconds) return std::nullopt;
  return std::chrono::seconds(std::min(*seconds, kDay));
}

}  // namespace fairway::oci
