#include "async/event_loop.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/signal_set.hpp>
#include <boost/asio/steady_timer.hpp>
#include <list>
#include <optional>

#include "async/exceptions.hpp"

namespace fairway::async {
namespace {

namespace asio = boost::asio;

// The machine's clock with timers on an io_context. The callback is held by the timer's handler and dropped
// when the Timer is destroyed, even if the handler is already queued.
class LoopClock final : public TimerClock {
 public:
  explicit LoopClock(asio::io_context& context) : context_(context) {}

  WallTime now() const override { return system_.now(); }
  SteadyTime steady() const override { return system_.steady(); }

  std::unique_ptr<Timer> call_at(SteadyTime when, std::function<void()> fire) override {
    return std::make_unique<LoopTimer>(context_, when.time_since_epoch(), std::move(fire));
  }

 private:
  class LoopTimer final : public Timer {
   public:
    LoopTimer(asio::io_context& context, Duration when, std::function<void()> fire)
        : timer_(context), fire_(std::make_shared<std::function<void()>>(std::move(fire))) {
      using Point = std::chrono::steady_clock::time_point;
      timer_.expires_at(Point(std::chrono::duration_cast<std::chrono::steady_clock::duration>(when)));
      timer_.async_wait([weak = std::weak_ptr(fire_)](const boost::system::error_code& error) {
        const auto callback = weak.lock();
        if (!error && callback) (*callback)();
      });
    }

   private:
    asio::steady_timer timer_;
    std::shared_ptr<std::function<void()>> fire_;
  };

  asio::io_context& context_;
  SystemClock system_;
};

}  // namespace

struct EventLoop::Impl {
  asio::io_context context{1};
  LoopClock clock{context};
  std::list<asio::signal_set> signals;  // one for each handler

  void wait_for_signal(asio::signal_set& heard, const std::shared_ptr<std::function<void(int)>>& handler) {
    heard.async_wait([this, &heard, handler](const boost::system::error_code& error, int signal) {
      if (error) return;
      (*handler)(signal);
      wait_for_signal(heard, handler);
    });
  }
};

EventLoop::EventLoop() : impl_(std::make_unique<Impl>()) {}
EventLoop::~EventLoop() = default;

asio::any_io_executor EventLoop::executor() const {
  return impl_->context.get_executor();
}
TimerClock& EventLoop::clock() {
  return impl_->clock;
}

void EventLoop::run() {
  const auto work = asio::make_work_guard(impl_->context);
  impl_->context.restart();
  impl_->context.run();
}

void EventLoop::run_until_idle() {
  impl_->context.restart();
  impl_->context.poll();
}

void EventLoop::run_until(const std::function<bool()>& done) {
  const auto work = asio::make_work_guard(impl_->context);
  impl_->context.restart();
  while (!done()) impl_->context.run_one();
}

void EventLoop::stop() {
  impl_->context.stop();
}

void EventLoop::post(std::move_only_function<void()> work) {
  asio::post(impl_->context, std::move(work));
}

void EventLoop::start(asio::awaitable<void> body) {
  asio::co_spawn(impl_->context, without_cancellation_throws(std::move(body)), rethrow_as_abort);
}

void EventLoop::on_signals(std::initializer_list<int> signals, std::function<void(int)> handler) {
  asio::signal_set& heard = impl_->signals.emplace_back(impl_->context);
  for (int signal : signals) heard.add(signal);
  impl_->wait_for_signal(heard, std::make_shared<std::function<void(int)>>(std::move(handler)));
}

}  // namespace fairway::async
