#include "async/worker_pool.hpp"

#include <gtest/gtest.h>
#include <thread>

#include "async/event_loop.hpp"

namespace fairway::async {
namespace {

Task<std::thread::id> where(WorkerPool& pool) {
  co_return co_await pool.run([] { return std::this_thread::get_id(); });
}

Task<int> failing(WorkerPool& pool) {
  co_return co_await pool.run([]() -> Result<int> { return fail(ErrorCode::Invalid, "no"); });
}

TEST(WorkerPool, RunsElsewhereAndReturnsHere) {
  EventLoop loop;
  WorkerPool pool("test", 2);
  const auto thread = loop.block_on(where(pool));
  ASSERT_TRUE(thread);
  EXPECT_NE(*thread, std::this_thread::get_id());
}

TEST(WorkerPool, ErrorsAreValues) {
  EventLoop loop;
  WorkerPool pool("test", 1);
  const auto result = loop.block_on(failing(pool));
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code, ErrorCode::Invalid);
}

}  // namespace
}  // namespace fairway::async
