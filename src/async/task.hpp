// Task: a coroutine that ends in a Result. Cancellation is an error like any other (ErrorCode::Cancelled).
//
// A Task runs on the event loop that it was spawned on and starts when it is awaited or given to a TaskGroup.
// Every function of this project that waits checks for cancellation first, so a cancelled task runs to its
// end through its ordinary error path. A task takes its arguments by value or refers to something that its
// owner keeps alive; a capturing lambda is never a coroutine (the coroutine lint says so).
#pragma once

#include <boost/asio/awaitable.hpp>
#include <boost/asio/this_coro.hpp>

#include "base/result.hpp"

namespace fairway {

template <class T>
using Task = boost::asio::awaitable<Result<T>>;

namespace async {

inline std::unexpected<Error> cancelled() {
  return fail(ErrorCode::Cancelled, "the task was cancelled");
}

// Whether the running task has been asked to end.
inline boost::asio::awaitable<bool> is_cancelled() {
  const auto state = co_await boost::asio::this_coro::cancellation_state;
  co_return state.cancelled() != boost::asio::cancellation_type::none;
}

}  // namespace async
}  // namespace fairway
