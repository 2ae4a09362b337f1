#include "cli/follow.hpp"

#include <csignal>
#include <fmt/format.h>
#include <utility>

#include "async/notify.hpp"
#include "async/task_group.hpp"
#include "base/text.hpp"

namespace fairway::cli {
namespace {

constexpr Duration kPauseBetweenWatches = std::chrono::seconds(1);

struct Follower {
  async::EventLoop& loop;
  kube::Client& client;
  const kube::Resource& object;
  const ShowObject& show;
  const ExplainError& explain;
};

// A watch that ended so can be taken up again by reading the object.
bool is_passing(ErrorCode code) {
  return code == ErrorCode::Gone || code == ErrorCode::Unavailable || code == ErrorCode::Timeout;
}

// One reading and the watch from there on; false when the watch ended before it was what was waited for.
Task<bool> follow_once(const Follower& follower) {
  auto read = co_await follower.client.get(follower.object);
  if (!read) {
    co_return std::unexpected(follower.explain ? follower.explain(std::move(read).error())
                                               : std::move(read).error());
  }
  FAIRWAY_CO_TRY(const bool is_complete, follower.show(*read));
  if (is_complete) co_return true;
  kube::Resource all = follower.object;
  kube::WatchOptions options{.field_selector = "metadata.name=" + std::exchange(all.name, ""),
                             .resource_version = std::string(kube::resource_version_of(*read))};
  FAIRWAY_CO_TRY(const auto stream, co_await follower.client.watch(std::move(all), std::move(options)));
  for (;;) {
    FAIRWAY_CO_TRY(const auto event, co_await stream->next());
    if (!event) co_return false;
    if (event->type == kube::WatchEvent::Type::Bookmark) continue;
    if (event->type == kube::WatchEvent::Type::Deleted)
      co_return fail(ErrorCode::NotFound, fmt::format("the {} was deleted", kube::kind_of(event->object)));
    FAIRWAY_CO_TRY(const bool is_over, follower.show(event->object));
    if (is_over) co_return true;
  }
}

Task<void> follow(const Follower& follower) {
  for (;;) {
    const auto is_complete = co_await follow_once(follower);
    if (is_complete && *is_complete) co_return Result<void>{};
    if (!is_complete && !is_passing(is_complete.error().code)) co_return std::unexpected(is_complete.error());
    FAIRWAY_CO_CHECKED(co_await async::sleep_for(follower.loop.clock(), kPauseBetweenWatches));
  }
}

}  // namespace

Result<void> follow_object(async::EventLoop& loop, kube::Client& client, const kube::Resource& object,
                           const ShowObject& show, const ExplainError& explain) {
  Result<void> result;
  const Follower follower{loop, client, object, show, explain};
  async::TaskGroup group(loop.executor(), [&result](const std::string&, const Error& error) {
    result = std::unexpected(error);
  });
  group.spawn("watch", follow(follower));
  loop.on_signals({SIGINT, SIGTERM}, [&group](int) { group.cancel(); });
  loop.run_until([&group] { return group.size() == 0; });
  return result;
}

}  // namespace fairway::cli
