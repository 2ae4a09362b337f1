// Mailbox: the way back to the event loop.
//
// Jobs pushed from any thread run on the loop, one at a time, in the order of the pushes. At most one wake-up
// is on its way at any time. The store owns it through a shared_ptr; a wake-up that arrives after the store
// is gone finds nobody and does nothing.
#pragma once

#include <deque>
#include <functional>
#include <memory>
#include <mutex>

namespace fairway::store {

using Job = std::move_only_function<void()>;
// Runs the job on the event loop soon, never inline. Called from any thread.
using Post = std::function<void(Job)>;

class Mailbox : public std::enable_shared_from_this<Mailbox> {
 public:
  explicit Mailbox(Post post) : post_(std::move(post)) {}

  void push(Job job);
  // On the loop, at the end: runs jobs until there are none, those included that they push themselves.
  void drain();

 private:
  void post();
  void run_batch();
  Job take();

  Post post_;
  std::mutex mutex_;
  std::deque<Job> jobs_;
  bool is_posted_ = false;
};

}  // namespace fairway::store
