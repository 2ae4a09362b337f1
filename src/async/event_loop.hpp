// EventLoop: one thread's event loop, its clock, and the way to hand it work from other threads.
//
// The loop runs until stop() or, with run_until_idle(), until nothing is ready. Everything that a loop's
// tasks share needs no lock, because only the loop's thread touches it; post() is the one door for other
// threads.
#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>
#include <functional>
#include <memory>

#include "async/task.hpp"
#include "base/clock.hpp"

namespace fairway::async {

class EventLoop {
 public:
  EventLoop();
  ~EventLoop();
  EventLoop(const EventLoop&) = delete;
  EventLoop& operator=(const EventLoop&) = delete;

  boost::asio::any_io_executor executor() const;
  // The real clock, whose timers fire on this loop. Destroy its timers on the loop's thread.
  TimerClock& clock();

  void run();
  // Runs what is ready and returns; for tests on a ManualClock.
  void run_until_idle();
  // Runs, waiting where needed, until `done` holds. For tests and start-up.
  void run_until(const std::function<bool()>& done);
  void stop();
  void post(std::move_only_function<void()> work);

  // Runs one task to its end on this loop, from outside of it.
  template <class T>
  Result<T> block_on(Task<T> task);

  // Calls back once for each of these signals until the loop ends.
  void on_signals(std::initializer_list<int> signals, std::function<void(int)> handler);

 private:
  struct Impl;
  void start(boost::asio::awaitable<void> body);

  template <class T>
  static boost::asio::awaitable<void> store_result(Task<T> task, std::optional<Result<T>>& into) {
    into = co_await std::move(task);
  }

  std::unique_ptr<Impl> impl_;
};

template <class T>
Result<T> EventLoop::block_on(Task<T> task) {
  std::optional<Result<T>> result;
  start(store_result(std::move(task), result));
  run_until([&] { return result.has_value(); });
  return *std::move(result);
}

}  // namespace fairway::async
