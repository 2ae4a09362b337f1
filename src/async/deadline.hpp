// with_deadline: a task that ends by a given time. At the deadline the task is cancelled, run to its end, and
// its result replaced by Timeout; a result that came in time stands. The caller's own cancellation reaches
// it.
//
//   auto answer = co_await async::with_deadline(clock, clock.steady() + 5s, fetch(url));
#pragma once

#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/use_awaitable.hpp>

#include "async/task.hpp"
#include "base/clock.hpp"
#include "base/text.hpp"

namespace fairway::async {

namespace detail {

template <class T>
Task<T> quiet(Task<T> task) {
  co_await boost::asio::this_coro::throw_if_cancelled(false);
  co_return co_await std::move(task);
}

}  // namespace detail

template <class T>
Task<T> with_deadline(TimerClock& clock, SteadyTime deadline, Task<T> task) {
  namespace asio = boost::asio;
  if (co_await is_cancelled()) co_return cancelled();
  const Duration allowed = deadline - clock.steady();
  const auto executor = co_await asio::this_coro::executor;
  asio::cancellation_signal signal;
  bool expired = false;
  const auto timer = clock.call_at(deadline, [&] {
    expired = true;
    signal.emit(asio::cancellation_type::terminal);
  });
  auto own = co_await asio::this_coro::cancellation_state;
  if (own.slot().is_connected()) own.slot().assign([&](asio::cancellation_type type) { signal.emit(type); });
  auto result = co_await asio::co_spawn(executor, detail::quiet(std::move(task)),
                                        asio::bind_cancellation_slot(signal.slot(), asio::use_awaitable));
  if (own.slot().is_connected()) own.slot().clear();
  if (expired && !result && result.error().code == ErrorCode::Cancelled) {
    co_return fail(ErrorCode::Timeout, "no answer within " + format_duration(allowed));
  }
  co_return result;
}

}  // namespace fairway::async
