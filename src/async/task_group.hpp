// TaskGroup: the owner of spawned tasks. Nothing in this project is spawned without one.
//
// stop() cancels every task and waits until all have ended, after which what they referred to may go. A
// task's failure is given to the group's handler (Cancelled is not a failure). Destroying a group that still
// has tasks is a defect and aborts.
#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>

#include "async/notify.hpp"
#include "async/task.hpp"

namespace fairway::async {

class TaskGroup {
 public:
  using FailureHandler = std::function<void(const std::string& name, const Error& error)>;

  explicit TaskGroup(boost::asio::any_io_executor executor, FailureHandler on_failure = {});
  ~TaskGroup();
  TaskGroup(const TaskGroup&) = delete;
  TaskGroup& operator=(const TaskGroup&) = delete;

  using TaskId = std::uint64_t;
  static constexpr TaskId kRefused = 0;

  // Starts from the event loop, not inline. After stop() or cancel() new tasks are refused.
  TaskId spawn(std::string name, Task<void> task);
  // Asks one task to end; nothing happens when it already has.
  void cancel(TaskId id);
  // Cancels all and waits for their end; further tasks are refused from here on.
  boost::asio::awaitable<void> stop();
  // Cancels all and returns at once.
  void cancel();
  // Waits until no task is left, without cancelling any.
  Task<void> join();

  std::size_t size() const { return tasks_.size(); }

 private:
  struct Running;
  boost::asio::awaitable<void> run(std::string name, Task<void> task);

  boost::asio::any_io_executor executor_;
  FailureHandler on_failure_;
  TaskId next_id_ = kRefused + 1;
  bool stopping_ = false;
  std::map<TaskId, std::unique_ptr<Running>> tasks_;
  Notify ended_;
};

}  // namespace fairway::async
