// Backstage: where server threads send what they cannot answer at once.
//
// Tasks run on the control loop, computations on its worker pool. The number of both together is bounded;
// above it the caller answers with what it has.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <string>

#include "async/event_loop.hpp"
#include "async/task_group.hpp"
#include "async/worker_pool.hpp"
#include "base/metrics.hpp"

namespace fairway::updateservice {

class Backstage {
 public:
  using Start = std::move_only_function<boost::asio::awaitable<void>()>;

  // All outlive it; it outlives what was started.
  Backstage(async::EventLoop& loop, async::TaskGroup& tasks, async::WorkerPool& pool, std::size_t most,
            metrics::Gauge& waiting);

  // From any thread. False, and nothing happens, when too much is under way.
  bool start(std::string name, Start task);
  bool compute(std::string name, std::move_only_function<void()> work);

  async::WorkerPool& pool() { return pool_; }

 private:
  Task<void> run(Start task);
  boost::asio::awaitable<void> run_on_pool(std::shared_ptr<std::move_only_function<void()>> work);

  async::EventLoop& loop_;
  async::TaskGroup& tasks_;
  async::WorkerPool& pool_;
  std::size_t most_;
  metrics::Gauge& waiting_;
  std::atomic<std::size_t> under_way_ = 0;
};

}  // namespace fairway::updateservice
