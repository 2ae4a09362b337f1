// Worker: the one place where the log is used after the start, and where writes become groups.
//
// With a thread of its own it commits whatever has been queued while the last commit was under way, as one
// transaction; between groups it does one bounded step of one task (reading history, backup, compaction) and
// the checkpoints. Without a thread (a store in memory) the same turns run on the event loop, so that a test
// sees the same order every time. After a failed commit it drops all writes until resume(): they were decided
// on a state that never came to be.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "base/result.hpp"
#include "store/log_file.hpp"
#include "store/mailbox.hpp"
#include "store/types.hpp"

namespace fairway::store {

class Worker : public std::enable_shared_from_this<Worker> {
 public:
  struct CommitReport {
    Result<std::size_t>
        durable;  // the oldest so many queued writes; an error: the oldest and all behind it failed
    Revision reserved = 0;
    std::uint64_t file_bytes = 0;
  };
  using Report = std::function<void(CommitReport)>;  // called in the worker
  // One bounded step; true when finished. It hands its own result over. When stopping, it must finish.
  using Task = std::move_only_function<bool(LogFile& log, bool is_stopping)>;
  enum class Place { OwnThread, EventLoop };

  Worker(std::unique_ptr<LogFile> log, Place place, std::shared_ptr<Mailbox> mailbox, Report report);
  ~Worker();

  // These are called on the event loop.
  void write(std::vector<ChangePtr> changes);
  void resume();
  void run(Task task);
  // Commits what is queued, ends the tasks, closes the log.
  Result<void> stop(Revision handed_out);

 private:
  void wake();
  void run_thread();
  // One group of writes, one step of a task, or both; false when there was nothing to do.
  bool turn();
  bool commit_group();
  bool step_task();
  std::vector<ChangePtr> take_group();
  bool has_work() const { return (!writes_.empty() && !has_failed_) || !tasks_.empty(); }

  std::unique_ptr<LogFile> log_;
  const Place place_;
  const std::shared_ptr<Mailbox> mailbox_;
  const Report report_;

  std::mutex mutex_;
  std::condition_variable work_;
  std::deque<ChangePtr> writes_;
  std::deque<Task> tasks_;
  bool has_failed_ = false;
  bool is_stopping_ = false;
  bool is_turn_pushed_ = false;
  std::thread thread_;
};

}  // namespace fairway::store
