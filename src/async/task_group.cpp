#include "async/task_group.hpp"

#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/post.hpp>
#include <fmt/format.h>

#include "async/exceptions.hpp"
#include "base/log.hpp"

namespace fairway::async {

namespace asio = boost::asio;

asio::awaitable<void> without_cancellation_throws(asio::awaitable<void> body) {
  co_await asio::this_coro::throw_if_cancelled(false);
  co_await std::move(body);
}

void rethrow_as_abort(std::exception_ptr error) {
  if (!error) return;
  try {
    std::rethrow_exception(error);
  } catch (const std::exception& exception) {
    abort_because(fmt::format("an exception left a task: {}", exception.what()), __FILE__, __LINE__);
  }
}

struct TaskGroup::Running {
  asio::cancellation_signal signal;
};

TaskGroup::TaskGroup(asio::any_io_executor executor, FailureHandler on_failure)
    : executor_(std::move(executor)), on_failure_(std::move(on_failure)) {}

TaskGroup::~TaskGroup() {
  FAIRWAY_CHECK(tasks_.empty(), "a TaskGroup was destroyed with tasks in it");
}

TaskGroup::TaskId TaskGroup::spawn(std::string name, Task<void> task) {
  if (stopping_) return kRefused;
  const TaskId id = next_id_++;
  auto& running = tasks_.emplace(id, std::make_unique<Running>()).first->second;
  asio::co_spawn(executor_, without_cancellation_throws(run(std::move(name), std::move(task))),
                 asio::bind_cancellation_slot(running->signal.slot(), [this, id](std::exception_ptr error) {
                   rethrow_as_abort(error);
                   tasks_.erase(id);
                   if (tasks_.empty()) ended_.notify();
                 }));
  return id;
}

asio::awaitable<void> TaskGroup::run(std::string name, Task<void> task) {
  const auto result = co_await std::move(task);
  if (result || result.error().code == ErrorCode::Cancelled) co_return;
  if (on_failure_) {
    on_failure_(name, result.error());
  } else {
    log::error("a task failed", {{"task", name}, {"error", result.error().describe()}});
  }
}

void TaskGroup::cancel(TaskId id) {
  const auto found = tasks_.find(id);
  if (found != tasks_.end()) found->second->signal.emit(asio::cancellation_type::terminal);
}

void TaskGroup::cancel() {
  stopping_ = true;
  for (auto& [id, running] : tasks_) running->signal.emit(asio::cancellation_type::terminal);
}

asio::awaitable<void> TaskGroup::stop() {
  cancel();
  // The stopping task's own cancellation must not leave the others behind.
  while (!tasks_.empty()) {
    if (!(co_await ended_.wait())) co_await asio::post(executor_, asio::use_awaitable);
  }
}

Task<void> TaskGroup::join() {
  while (!tasks_.empty()) FAIRWAY_CO_CHECKED(co_await ended_.wait());
  co_return Result<void>{};
}

}  // namespace fairway::async
