#include "store/worker.hpp"

#include <algorithm>
#include <iterator>
#include <pthread.h>
#include <utility>

#include "base/log.hpp"

namespace fairway::store {
namespace {

// A group's bounds: how much work the first write of a burst may have to wait for.
constexpr std::size_t kMaxGroupWrites = 1024;
constexpr std::size_t kMaxGroupBytes = 8 << 20;

}  // namespace

Worker::Worker(std::unique_ptr<LogFile> log, Place place, std::shared_ptr<Mailbox> mailbox, Report report)
    : log_(std::move(log)), place_(place), mailbox_(std::move(mailbox)), report_(std::move(report)) {
  if (place_ != Place::OwnThread) return;
  thread_ = std::thread([this] { run_thread(); });
  pthread_setname_np(thread_.native_handle(), "fairway-store");
}

Worker::~Worker() {
  FAIRWAY_CHECK(!thread_.joinable(), "a store's worker was destroyed before it was stopped");
}

void Worker::write(std::vector<ChangePtr> changes) {
  {
    std::lock_guard lock(mutex_);
    std::ranges::move(changes, std::back_inserter(writes_));
  }
  wake();
}

void Worker::resume() {
  std::lock_guard lock(mutex_);
  writes_.clear();
  has_failed_ = false;
}

void Worker::run(Task task) {
  {
    std::lock_guard lock(mutex_);
    tasks_.push_back(std::move(task));
  }
  wake();
}

void Worker::wake() {
  if (place_ == Place::OwnThread) {
    work_.notify_one();
  } else if (!std::exchange(is_turn_pushed_, true)) {
    mailbox_->push([worker = weak_from_this()] {
      const auto alive = worker.lock();
      if (!alive) return;
      alive->is_turn_pushed_ = false;
      if (alive->turn()) alive->wake();
    });
  }
}

Result<void> Worker::stop(Revision handed_out) {
  {
    std::lock_guard lock(mutex_);
    is_stopping_ = true;
  }
  if (thread_.joinable()) {
    work_.notify_one();
    thread_.join();
  }
  while (turn()) continue;
  return log_->close(handed_out);
}

void Worker::run_thread() {
  for (;;) {
    {
      std::unique_lock lock(mutex_);
      work_.wait(lock, [this] { return is_stopping_ || has_work(); });
      if (is_stopping_) return;
    }
    turn();
  }
}

bool Worker::turn() {
  const bool has_committed = commit_group();
  const bool has_stepped = step_task();
  bool is_idle = false;
  {
    std::lock_guard lock(mutex_);
    is_idle = !has_work();
  }
  // A failure is logged there and tried again: what is committed is durable without it.
  if (has_committed || has_stepped) static_cast<void>(log_->checkpoint_if_due(is_idle));
  return has_committed || has_stepped;
}

std::vector<ChangePtr> Worker::take_group() {
  std::lock_guard lock(mutex_);
  std::vector<ChangePtr> group;
  if (has_failed_) return group;
  std::size_t bytes = 0;
  while (!writes_.empty() && group.size() < kMaxGroupWrites && bytes < kMaxGroupBytes) {
    bytes += writes_.front()->now->value->size();
    group.push_back(std::move(writes_.front()));
    writes_.pop_front();
  }
  return group;
}

bool Worker::commit_group() {
  const std::vector<ChangePtr> group = take_group();
  if (group.empty()) return false;
  const Result<void> committed = log_->append(group);
  if (committed) {
    report_({.durable = group.size(), .reserved = log_->reserved(), .file_bytes = log_->file_bytes()});
    return true;
  }
  {
    std::lock_guard lock(mutex_);
    has_failed_ = true;
  }
  log::error("commit failed", {{"error", committed.error().describe()}});
  report_({.durable = std::unexpected(committed.error()),
           .reserved = log_->reserved(),
           .file_bytes = log_->file_bytes()});
  return true;
}

bool Worker::step_task() {
  Task task;
  bool is_stopping = false;
  {
    std::lock_guard lock(mutex_);
    if (tasks_.empty()) return false;
    task = std::move(tasks_.front());
    tasks_.pop_front();
    is_stopping = is_stopping_;
  }
  if (task(*log_, is_stopping)) return true;
  std::lock_guard lock(mutex_);
  tasks_.push_back(std::move(task));
  return true;
}

}  // namespace fairway::store
