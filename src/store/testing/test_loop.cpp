#include "store/testing/test_loop.hpp"

#include <utility>

namespace fairway::store {

Post TestLoop::poster() {
  return [this](Job job) {
    // Notified under the lock: the loop may be gone as soon as it has run the job.
    std::lock_guard lock(mutex_);
    jobs_.push_back(std::move(job));
    posted_.notify_one();
  };
}

void TestLoop::run_until(const std::function<bool()>& is_done) {
  while (!is_done()) {
    std::unique_lock lock(mutex_);
    posted_.wait(lock, [this] { return !jobs_.empty(); });
    Job job = std::move(jobs_.front());
    jobs_.pop_front();
    lock.unlock();
    job();
  }
}

std::size_t TestLoop::run_ready() {
  for (std::size_t count = 0;; ++count) {
    std::unique_lock lock(mutex_);
    if (jobs_.empty()) return count;
    Job job = std::move(jobs_.front());
    jobs_.pop_front();
    lock.unlock();
    job();
  }
}

}  // namespace fairway::store
