#include "fleet/agent/object_watches.hpp"

#include <fmt/format.h>

#include "base/log.hpp"

namespace fairway::fleet::agent {
namespace {

constexpr Duration kPatience = std::chrono::seconds(30);

bool concerns(const Interest& interest, const kube::ResourceType& type, const kube::ObjectKey& object) {
  return interest.type == type && (interest.namespace_.empty() || interest.namespace_ == object.namespace_) &&
         (interest.name.empty() || interest.name == object.name);
}

}  // namespace

struct ObjectWatches::Watch {
  kube::ResourceType type;
  kube::ObjectCache cache = {};
  kube::ObjectCache::Subscription subscription = {};
  std::unique_ptr<kube::Watcher> watcher = {};
  async::TaskGroup::TaskId task = async::TaskGroup::kRefused;
  std::optional<Error> problem = {};
  async::Notify news = {};
};

ObjectWatches::ObjectWatches(kube::Client& client, boost::asio::any_io_executor executor, Wake wake)
    : client_(client), wake_(std::move(wake)), tasks_(std::move(executor)) {}

ObjectWatches::~ObjectWatches() = default;

void ObjectWatches::add(const kube::ObjectKey& key, const std::set<Interest>& interests) {
  interests_[key].insert(interests.begin(), interests.end());
  for (const Interest& each : interests)
    if (!watches_.contains(each.type)) start(each.type);
}

void ObjectWatches::set(const kube::ObjectKey& key, std::set<Interest> interests) {
  if (interests.empty()) {
    interests_.erase(key);
  } else {
    for (const Interest& each : interests)
      if (!watches_.contains(each.type)) start(each.type);
    interests_[key] = std::move(interests);
  }
  end_unused();
}

void ObjectWatches::start(const kube::ResourceType& type) {
  auto watch = std::make_shared<Watch>();
  watch->type = type;
  // The watch owns the watcher that calls back into it.
  Watch* const raw = watch.get();
  watch->watcher = std::make_unique<kube::Watcher>(
      client_, type.in(""), kube::WatcherOptions{},
      [raw](kube::WatcherEvent event) {
        raw->problem.reset();
        raw->cache.receive(std::move(event));
        raw->news.notify();
      },
      [raw](const Error& error) {
        log::warning("objects cannot be watched",
                     {{"kind", raw->type.kind.to_string()}, {"error", error.describe()}});
        raw->problem = error;
        raw->news.notify();
      });
  watch->subscription = watch->cache.on_change(
      [this, type](const kube::Change<json::Object>& change) { tell(type, change.key); });
  log::info("watching", {{"kind", type.kind.to_string()}});
  watch->task = tasks_.spawn("watching " + type.resource, run(watch));
  watches_.emplace(type, std::move(watch));
}

Task<void> ObjectWatches::run(std::shared_ptr<Watch> watch) {
  co_return co_await watch->watcher->run();
}

void ObjectWatches::end_unused() {
  std::set<kube::ResourceType> used;
  for (const auto& [key, interests] : interests_)
    for (const Interest& each : interests) used.insert(each.type);
  std::erase_if(watches_, [&](auto& each) {
    if (used.contains(each.first)) return false;
    log::info("no longer watching", {{"kind", each.first.kind.to_string()}});
    Watch& watch = *each.second;
    watch.subscription.reset();
    watch.problem = Error{ErrorCode::Cancelled, "the watch has ended"};
    watch.news.notify();
    tasks_.cancel(watch.task);  // which keeps the watch until it has ended
    return true;
  });
}

void ObjectWatches::tell(const kube::ResourceType& type, const kube::ObjectKey& object) {
  for (const auto& [key, interests] : interests_) {
    for (const Interest& each : interests) {
      if (!concerns(each, type, object)) continue;
      wake_(key);
      break;
    }
  }
}

Task<const kube::ObjectCache*> ObjectWatches::objects(kube::ResourceType type) {
  const auto found = watches_.find(type);
  if (found == watches_.end())
    co_return fail(ErrorCode::Internal, fmt::format("nobody watches {}", type.kind.to_string()));
  const std::shared_ptr<Watch> watch = found->second;
  const SteadyTime deadline = client_.clock().steady() + kPatience;
  for (;;) {
    const bool is_refused = watch->problem && retry_of(watch->problem->code) == Retry::Never;
    if (is_refused) co_return std::unexpected(*watch->problem);
    if (watch->cache.has_synced()) co_return &watch->cache;
    const auto waited = co_await watch->news.wait_until(client_.clock(), deadline);
    if (waited) continue;
    if (waited.error().code == ErrorCode::Timeout && watch->problem)
      co_return std::unexpected(*watch->problem);
    co_return std::unexpected(waited.error().within(fmt::format("waiting for {}", type.kind.to_string())));
  }
}

boost::asio::awaitable<void> ObjectWatches::stop() {
  interests_.clear();
  for (auto& [type, watch] : watches_) watch->subscription.reset();
  watches_.clear();
  co_await tasks_.stop();
}

}  // namespace fairway::fleet::agent
