#include "async/notify.hpp"

#include <algorithm>
#include <boost/asio/as_tuple.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <tuple>

namespace fairway::async {

namespace asio = boost::asio;

// One suspended task. Asio's timer serves as the thing to suspend on: it never expires by itself, and
// cancelling it wakes the task, be it by notify(), by the clock or by the task's own cancellation.
class Notify::Waiter {
 public:
  explicit Waiter(const asio::any_io_executor& executor)
      : timer_(executor, asio::steady_timer::time_point::max()) {}

  enum class Reason { Cancelled, Notified, TimedOut };

  asio::awaitable<Reason> suspend() {
    std::ignore = co_await timer_.async_wait(asio::as_tuple(asio::use_awaitable));
    co_return reason_;
  }
  void wake(Reason reason) {
    reason_ = reason;
    timer_.cancel();
  }

 private:
  asio::steady_timer timer_;
  Reason reason_ = Reason::Cancelled;
};

Notify::Notify() = default;
Notify::~Notify() {
  for (Waiter* waiter : waiters_) waiter->wake(Waiter::Reason::Cancelled);
}

void Notify::notify() {
  // A woken task runs later, from the loop; until then nothing of it may be touched from here again.
  for (Waiter* waiter : std::exchange(waiters_, {})) waiter->wake(Waiter::Reason::Notified);
}

Task<void> Notify::wait() {
  if (co_await is_cancelled()) co_return cancelled();
  Waiter waiter(co_await asio::this_coro::executor);
  waiters_.push_back(&waiter);
  const auto reason = co_await waiter.suspend();
  if (reason == Waiter::Reason::Notified) co_return Result<void>{};
  std::erase(waiters_, &waiter);
  co_return cancelled();
}

Task<void> Notify::wait_until(TimerClock& clock, SteadyTime deadline) {
  if (co_await is_cancelled()) co_return cancelled();
  if (clock.steady() >= deadline) co_return fail(ErrorCode::Timeout, "the deadline is already past");
  Waiter waiter(co_await asio::this_coro::executor);
  waiters_.push_back(&waiter);
  const auto timer = clock.call_at(deadline, [this, &waiter] {
    // A notify() that came first has taken the waiter off the list, and its word stands.
    if (std::erase(waiters_, &waiter) > 0) waiter.wake(Waiter::Reason::TimedOut);
  });
  const auto reason = co_await waiter.suspend();
  if (reason == Waiter::Reason::Notified) co_return Result<void>{};
  if (reason == Waiter::Reason::TimedOut) co_return fail(ErrorCode::Timeout, "the wait reached its deadline");
  std::erase(waiters_, &waiter);
  co_return cancelled();
}

Task<void> sleep_until(TimerClock& clock, SteadyTime when) {
  Notify never;
  auto waited = co_await never.wait_until(clock, when);
  if (!waited && waited.error().code == ErrorCode::Timeout) co_return Result<void>{};
  co_return waited;
}

Task<void> sleep_for(TimerClock& clock, Duration duration) {
  return sleep_until(clock, clock.steady() + duration);
}

}  // namespace fairway::async
