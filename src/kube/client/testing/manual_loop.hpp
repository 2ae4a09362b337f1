// ManualLoop: an event loop on a ManualClock, for component tests that never wait.
//
// Time moves only in advance() and run(), and always in single steps from timer to timer, with everything
// that is ready run in between: what a test sees does not depend on the machine.
#pragma once

#include <functional>
#include <optional>

#include "async/event_loop.hpp"
#include "async/task_group.hpp"
#include "base/clock.hpp"

namespace fairway::kube::testing {

class ManualLoop {
 public:
  // Runs all that is ready.
  void settle();
  // Lets that much time pass.
  void advance(Duration by);
  // Lets time pass, timer by timer, until the condition holds; false when nothing is left that could change
  // it, or when `most` is over.
  bool advance_until(const std::function<bool()>& done, Duration most = std::chrono::hours(24));

  // Runs one task to its end, letting time pass as it needs; a task that waits for nothing is Internal.
  template <class T>
  Result<T> run(Task<T> task) {
    std::optional<Result<T>> result;
    async::TaskGroup group(loop.executor());
    group.spawn("test", keep(std::move(task), result));
    const bool ended = advance_until([&] { return result.has_value(); });
    group.cancel();
    advance_until([&] { return group.size() == 0; });
    if (!ended) return fail(ErrorCode::Internal, "the task waits for something that never comes");
    return *std::move(result);
  }

  async::EventLoop loop;
  ManualClock clock;

 private:
  template <class T>
  static Task<void> keep(Task<T> task, std::optional<Result<T>>& into) {
    into = co_await std::move(task);
    co_return Result<void>{};
  }
};

}  // namespace fairway::kube::testing
