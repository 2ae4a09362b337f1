#include "async/worker_pool.hpp"

#include <condition_variable>
#include <deque>
#include <mutex>
#include <pthread.h>
#include <sys/resource.h>
#include <thread>
#include <vector>

namespace fairway::async {
namespace {

// A quarter of a core that others want all of, so that even there the work gets done.
constexpr int kBackground = 5;

}  // namespace

struct WorkerPool::Impl {
  mutable std::mutex mutex;
  std::condition_variable ready;
  std::deque<std::function<void()>> jobs;
  bool stopping = false;
  std::vector<std::thread> threads;

  void work() {
    for (std::unique_lock lock(mutex);;) {
      ready.wait(lock, [this] { return stopping || !jobs.empty(); });
      if (jobs.empty()) return;
      auto job = std::move(jobs.front());
      jobs.pop_front();
      lock.unlock();
      job();
      job = nullptr;
      lock.lock();
    }
  }
};

WorkerPool::WorkerPool(std::string name, std::size_t threads, Urgency urgency)
    : impl_(std::make_unique<Impl>()) {
  for (std::size_t i = 0; i < threads; ++i) {
    impl_->threads.emplace_back([impl = impl_.get(), urgency] {
      // On Linux the priority of "process 0" is that of the calling thread.
      if (urgency == Urgency::Background) ::setpriority(PRIO_PROCESS, 0, kBackground);
      impl->work();
    });
    pthread_setname_np(impl_->threads.back().native_handle(), name.substr(0, 15).c_str());
  }
}

WorkerPool::~WorkerPool() {
  {
    std::lock_guard lock(impl_->mutex);
    impl_->stopping = true;
  }
  impl_->ready.notify_all();
  for (std::thread& thread : impl_->threads) thread.join();
}

std::size_t WorkerPool::queued() const {
  std::lock_guard lock(impl_->mutex);
  return impl_->jobs.size();
}

void WorkerPool::submit(std::function<void()> job) {
  {
    std::lock_guard lock(impl_->mutex);
    impl_->jobs.push_back(std::move(job));
  }
  impl_->ready.notify_one();
}

}  // namespace fairway::async
