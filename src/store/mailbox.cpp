#include "store/mailbox.hpp"

#include <utility>

namespace fairway::store {

void Mailbox::push(Job job) {
  {
    std::lock_guard lock(mutex_);
    jobs_.push_back(std::move(job));
    if (std::exchange(is_posted_, true)) return;
  }
  post_([mailbox = weak_from_this()] {
    if (const auto alive = mailbox.lock()) alive->drain();
  });
}

void Mailbox::drain() {
  while (Job job = take()) job();
}

Job Mailbox::take() {
  std::lock_guard lock(mutex_);
  if (jobs_.empty()) {
    is_posted_ = false;
    return {};
  }
  Job job = std::move(jobs_.front());
  jobs_.pop_front();
  return job;
}

}  // namespace fairway::store
