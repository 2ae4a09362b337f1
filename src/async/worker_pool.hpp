// WorkerPool: named threads for work that blocks or computes for long (SQLite, large evaluations, processes).
//
// run() hands a function to the pool and gives its value back on the caller's event loop. The function owns
// all that it touches. A cancelled caller still waits for the function, because what runs cannot be taken
// back; work that is queued when the pool is destroyed is still done first.
#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/async_result.hpp>
#include <boost/asio/dispatch.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <functional>
#include <memory>
#include <string>
#include <type_traits>

#include "async/task.hpp"

namespace fairway::async {

class WorkerPool {
 public:
  // Threads in the background give way to all others of the process: for work that nobody waits for.
  enum class Urgency { Usual, Background };
  WorkerPool(std::string name, std::size_t threads, Urgency urgency = Urgency::Usual);
  ~WorkerPool();
  WorkerPool(const WorkerPool&) = delete;
  WorkerPool& operator=(const WorkerPool&) = delete;

  template <class F, class R = std::invoke_result_t<F>>
  boost::asio::awaitable<R> run(F work);

  std::size_t queued() const;

 private:
  struct Impl;
  void submit(std::function<void()> job);
  std::unique_ptr<Impl> impl_;
};

template <class F, class R>
boost::asio::awaitable<R> WorkerPool::run(F work) {
  namespace asio = boost::asio;
  const auto executor = co_await asio::this_coro::executor;
  auto slot = std::make_shared<std::optional<R>>();
  co_await asio::async_initiate<decltype(asio::use_awaitable), void()>(
      [&](auto handler) {
        auto shared = std::make_shared<decltype(handler)>(std::move(handler));
        submit([slot, shared, executor, work = std::move(work)]() mutable {
          slot->emplace(work());
          asio::post(executor, [shared]() mutable { std::move (*shared)(); });
        });
      },
      asio::use_awaitable);
  co_return *std::move(*slot);
}

}  // namespace fairway::async
