#include "kube/runtime/runtime.hpp"

#include <fmt/format.h>

#include "base/log.hpp"

namespace fairway::kube {

Runtime::Runtime(Client& client, RuntimeOptions options)
    : client_(client),
      options_(std::move(options)),
      events_(client, {.events = {.component = options_.name, .api = options_.event_api},
                       .metrics = options_.metrics}) {
  if (!options_.leader_election) return;
  LeaderElectionOptions election = *options_.leader_election;
  if (election.metrics == nullptr) election.metrics = options_.metrics;
  election_ = std::make_unique<LeaderElection>(client_, std::move(election));
}

Runtime::~Runtime() {
  FAIRWAY_CHECK(running_ == nullptr, "a Runtime was destroyed while it runs");
}

void Runtime::add_informer(const CacheId& id, std::unique_ptr<CacheBase> cache) {
  const auto& [type_index, type, selection] = id;
  CacheBase* sink = cache.get();
  const WatcherOptions options{.label_selector = selection.label_selector,
                               .field_selector = selection.field_selector,
                               .seed = options_.seed + informers_.size()};
  auto watcher = std::make_unique<Watcher>(client_, type.in(selection.namespace_), options,
                                           [sink](WatcherEvent event) { sink->receive(std::move(event)); });
  Watcher& started = *watcher;
  informers_.emplace(id, Informer{type, std::move(cache), std::move(watcher)});
  if (running_ != nullptr) running_->spawn("watching " + type.resource, started.run());
}

Controller& Runtime::add_controller(ControllerOptions options, Controller::Reconcile reconcile) {
  FAIRWAY_CHECK(running_ == nullptr, "controllers are added before the Runtime runs");
  if (options.metrics == nullptr) options.metrics = options_.metrics;
  controllers_.push_back(
      std::make_unique<Controller>(client_.clock(), std::move(options), std::move(reconcile)));
  return *controllers_.back();
}

Task<void> Runtime::run() {
  async::TaskGroup group(co_await boost::asio::this_coro::executor);
  running_ = &group;
  group.spawn("events", events_.run());
  for (auto& [id, informer] : informers_)
    group.spawn("watching " + informer.type.resource, informer.watcher->run());
  auto ended = election_ ? co_await contend() : co_await lead();
  // Cancelled or not, the end of the tasks is waited for.
  co_await boost::asio::this_coro::reset_cancellation_state();
  co_await group.stop();
  running_ = nullptr;
  co_return ended;
}

// Leads whenever it can; ends only when cancelled.
Task<void> Runtime::contend() {
  for (;;) {
    auto ended = co_await election_->run([this] { return lead(); });
    if (co_await async::is_cancelled()) co_return async::cancelled();
    if (!ended && ended.error().code == ErrorCode::Cancelled) co_return ended;
    if (!ended)
      log::warning("leadership was lost",
                   {{"component", options_.name}, {"error", ended.error().describe()}});
  }
}

Task<void> Runtime::lead() {
  log::info("starting the controllers", {{"component", options_.name}});
  is_leading_ = true;
  async::TaskGroup group(co_await boost::asio::this_coro::executor);
  async::Notify never;
  for (auto& controller : controllers_) group.spawn(controller->name(), controller->run());
  auto ended = co_await never.wait();
  co_await boost::asio::this_coro::reset_cancellation_state();
  co_await group.stop();
  is_leading_ = false;
  co_return ended;
}

Health Runtime::health() const {
  Health health{.is_ready = true, .is_leader = is_leading_};
  for (const auto& [id, informer] : informers_) {
    if (!informer.cache->has_synced()) {
      health.is_ready = false;
      health.waiting_for.push_back(informer.type.gvr().group_resource().to_string());
    }
    for (const auto& [key, error] : informer.cache->undecodable()) {
      health.undecodable.push_back(fmt::format("{}: {}", key.to_string(), error.describe()));
    }
  }
  return health;
}

}  // namespace fairway::kube
