#include "apiserver/sweep.hpp"

#include <boost/asio/this_coro.hpp>

#include "async/task_group.hpp"

namespace fairway::apiserver {
namespace {

constexpr std::size_t kAtOnce = 128;

Task<void> remove_one(Objects& objects, const Resource& resource, store::EntryPtr entry, bool& all_gone) {
  const store::Key& key = entry->key;
  auto gone =
      co_await objects.remove({key.cluster, &resource, key.ns, key.name}, {.propagation = "Background"});
  const bool is_gone = gone ? gone->is_removed : gone.error().code == 404;
  if (!is_gone) all_gone = false;
  co_return Result<void>{};
}

}  // namespace

boost::asio::awaitable<bool> sweep(Objects& objects, const Resource& resource,
                                   std::vector<store::EntryPtr> entries) {
  bool all_gone = true;
  for (std::size_t start = 0; start < entries.size(); start += kAtOnce) {
    async::TaskGroup group(co_await boost::asio::this_coro::executor);
    const std::size_t end = std::min(entries.size(), start + kAtOnce);
    for (std::size_t i = start; i < end; ++i) {
      group.spawn("sweep", remove_one(objects, resource, std::move(entries[i]), all_gone));
    }
    // A cancelled sweep still waits for the writes that are on their way: they refer to what is here.
    if (!(co_await group.join())) co_await group.stop();
    if (co_await async::is_cancelled()) co_return false;
  }
  co_return all_gone;
}

}  // namespace fairway::apiserver
