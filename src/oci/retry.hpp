// Retries of this folder's requests, all of which only read: when, how often, after which pause.
//
// A registry that says when to come back is believed within bounds; one that asks for more patience than
// longest_pause gets it from the caller instead, who finds the wish in Error::retry_after.
#pragma once

#include <optional>

#include "async/notify.hpp"
#include "async/task.hpp"
#include "base/clock.hpp"
#include "base/result.hpp"
#include "http/message.hpp"

namespace fairway::oci {

struct RetryPolicy {
  int tries = 3;
  Duration first_pause = std::chrono::milliseconds(500);  // doubles with every failure
  Duration longest_pause = std::chrono::seconds(30);
};

// The pause before trying again after `failures` tries; nothing when that would not help.
std::optional<Duration> pause_before_retry(const RetryPolicy& policy, const Error& error, int failures);

// Retry-After in seconds; a date counts as none.
std::optional<std::chrono::milliseconds> retry_after(const http::Headers& headers);

// Runs the tasks that `make` makes until one succeeds or trying again would not help.
template <class Make>
auto with_retries(TimerClock& clock, RetryPolicy policy, Make make) -> decltype(make()) {
  for (int failures = 1;; ++failures) {
    auto outcome = co_await make();
    if (outcome) co_return outcome;
    const auto pause = pause_before_retry(policy, outcome.error(), failures);
    if (!pause) co_return outcome;
    FAIRWAY_CO_CHECKED(co_await async::sleep_for(clock, *pause));
  }
}

}  // namespace fairway::oci
