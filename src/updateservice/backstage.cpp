#include "updateservice/backstage.hpp"

namespace fairway::updateservice {

Backstage::Backstage(async::EventLoop& loop, async::TaskGroup& tasks, async::WorkerPool& pool,
                     std::size_t most, metrics::Gauge& waiting)
    : loop_(loop), tasks_(tasks), pool_(pool), most_(most), waiting_(waiting) {}

bool Backstage::start(std::string name, Start task) {
  if (under_way_.fetch_add(1) >= most_) {
    under_way_.fetch_sub(1);
    return false;
  }
  waiting_.add(1);
  loop_.post([this, name = std::move(name), task = std::move(task)]() mutable {
    if (tasks_.spawn(std::move(name), run(std::move(task))) != async::TaskGroup::kRefused) return;
    waiting_.add(-1);
    under_way_.fetch_sub(1);
  });
  return true;
}

Task<void> Backstage::run(Start task) {
  co_await task();
  waiting_.add(-1);
  under_way_.fetch_sub(1);
  co_return Result<void>{};
}

boost::asio::awaitable<void> Backstage::run_on_pool(std::shared_ptr<std::move_only_function<void()>> work) {
  co_await pool_.run([work] {
    (*work)();
    return true;
  });
}

bool Backstage::compute(std::string name, std::move_only_function<void()> work) {
  auto shared = std::make_shared<std::move_only_function<void()>>(std::move(work));
  return start(std::move(name), [this, shared = std::move(shared)] { return run_on_pool(shared); });
}

}  // namespace fairway::updateservice
