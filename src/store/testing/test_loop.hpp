// TestLoop: the smallest event loop that a store can be run on, for tests and benchmarks.
//
// Jobs may be posted from any thread and run, in order, in the thread that calls run_until() or run_ready().
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>

#include "store/mailbox.hpp"

namespace fairway::store {

class TestLoop {
 public:
  // Must not be called after the loop is gone.
  Post poster();

  // Runs jobs, waiting for more, until the condition holds; it is looked at before each job.
  void run_until(const std::function<bool()>& is_done);
  // Runs what is there now and what that posts, without waiting; how many that was.
  std::size_t run_ready();

 private:
  std::mutex mutex_;
  std::condition_variable posted_;
  std::deque<Job> jobs_;
};

}  // namespace fairway::store
