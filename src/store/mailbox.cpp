#include "store/mailbox.hpp"

#include <utility>

namespace fairway::store {

void Mailbox::push(Job job) {
  {
    std::lock_guard lock(mutex_);
    jobs_.push_back(std::move(job));
    if (std::exchange(is_posted_, true)) return;
  }
  post();
}

void Mailbox::post() {
  post_([mailbox = weak_from_this()] {
    if (const auto alive = mailbox.lock()) alive->run_batch();
  });
}

void Mailbox::run_batch() {
  std::size_t count = 0;
  {
    std::lock_guard lock(mutex_);
    count = jobs_.size();
  }
  for (; count > 0; --count) {
    Job job = take();
    if (!job) break;  // a job before it has drained the mailbox
    job();
  }
  {
    std::lock_guard lock(mutex_);
    is_posted_ = !jobs_.empty();
    if (!is_posted_) return;
  }
  post();
}

void Mailbox::drain() {
  while (Job job = take()) job();
}

Job Mailbox::take() {
  std::lock_guard lock(mutex_);
  if (jobs_.empty()) return {};
  Job job = std::move(jobs_.front());
  jobs_.pop_front();
  return job;
}

}  // namespace fairway::store
