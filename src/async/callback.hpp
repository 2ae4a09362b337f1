// await_callback: waits for an operation that reports by callback, as a Task.
//
//   auto change = co_await async::await_callback<ChangePtr>([&](auto done) { store.submit(write,
//   std::move(done)); });
//
// The callback runs exactly once, on the loop, and not before `start` has returned. What was started cannot
// be taken back: a cancelled task still waits for it.
#pragma once

#include <boost/asio/async_result.hpp>
#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <functional>
#include <memory>
#include <optional>

#include "async/task.hpp"

namespace fairway::async {

template <class T, class Start>
Task<T> await_callback(Start start) {
  namespace asio = boost::asio;
  std::optional<Result<T>> outcome;
  auto token = asio::bind_cancellation_slot(asio::cancellation_slot(), asio::use_awaitable);
  co_await asio::async_initiate<decltype(token), void()>(
      [&](auto handler) {
        auto shared = std::make_shared<decltype(handler)>(std::move(handler));
        start(std::move_only_function<void(Result<T>)>([shared, &outcome](Result<T> result) {
          outcome = std::move(result);
          std::move (*shared)();
        }));
      },
      token);
  co_return *std::move(outcome);
}

}  // namespace fairway::async
