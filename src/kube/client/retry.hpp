// When a request may be sent again, and after which pause. Pure.
//
// A write is repeated only when the server itself says that it did not process it (429 or 503 with
// Retry-After). A read may be repeated whenever the server could not answer. Everything else is for the
// caller to judge, who knows what the request was for.
#pragma once

#include <optional>
#include <string_view>

#include "base/clock.hpp"
#include "base/result.hpp"
#include "http/message.hpp"
#include "kube/client/backoff.hpp"

namespace fairway::kube {

struct RetryPolicy {
  int max_retries = 8;
  BackoffPolicy backoff = {.first = std::chrono::milliseconds(100), .cap = std::chrono::seconds(10)};
  // A server that asks for more patience than this gets it from the caller instead.
  Duration longest_pause = std::chrono::seconds(30);
};

// Retry-After in seconds; dates are not used by Kubernetes and count as none.
std::optional<Duration> retry_after(const http::Headers& headers);

// After `failures` attempts, of which the last ended so; nothing when it must not be sent again.
std::optional<Duration> pause_before_retry(const RetryPolicy& policy, std::string_view method,
                                           const Result<http::Response>& outcome, int failures,
                                           Random& random);

}  // namespace fairway::kube
