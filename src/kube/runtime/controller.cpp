#include "kube/runtime/controller.hpp"

#include <algorithm>
#include <fmt/format.h>

#include "async/deadline.hpp"
#include "async/task_group.hpp"
#include "base/log.hpp"
#include "base/text.hpp"

namespace fairway::kube {

// The names and buckets of controller-runtime, so that existing dashboards and alerts work.
struct Controller::Metrics {
  Metrics(metrics::Registry& registry, const ControllerOptions& options)
      : name(options.name),
        total(registry.counter("controller_runtime_reconcile_total",
                               "Total number of reconciliations per controller", {"controller", "result"})),
        errors(registry
                   .counter("controller_runtime_reconcile_errors_total",
                            "Total number of reconciliation errors per controller", {"controller"})
                   .with({name})),
        terminal(registry
                     .counter("controller_runtime_terminal_reconcile_errors_total",
                              "Total number of terminal reconciliation errors per controller", {"controller"})
                     .with({name})),
        time(registry
                 .histogram("controller_runtime_reconcile_time_seconds",
                            "Length of time per reconciliation per controller",
                            {0.005, 0.01, 0.025, 0.05, 0.1,  0.15, 0.2,  0.25, 0.3, 0.35, 0.4, 0.45, 0.5, 0.6,
                             0.7,   0.8,  0.9,   1.0,  1.25, 1.5,  1.75, 2.0,  2.5, 3.0,  3.5, 4.0,  4.5, 5,
                             6,     7,    8,     9,    10,   15,   20,   25,   30,  40,   50,  60},
                            {"controller"})
                 .with({name})),
        active(registry
                   .gauge("controller_runtime_active_workers",
                          "Number of currently used workers per controller", {"controller"})
                   .with({name})) {
    registry
        .gauge("controller_runtime_max_concurrent_reconciles",
               "Maximum number of concurrent reconciles per controller", {"controller"})
        .with({name})
        .set(static_cast<double>(options.workers));
    for (const char* result : {"success", "error", "requeue_after"}) total.with({name, result}).add(0);
  }

  std::string name;
  metrics::Family<metrics::Counter>& total;
  metrics::Counter& errors;
  metrics::Counter& terminal;
  metrics::Histogram& time;
  metrics::Gauge& active;
};

Controller::Controller(TimerClock& clock, ControllerOptions options, Reconcile reconcile)
    : clock_(clock),
      options_(std::move(options)),
      reconcile_(std::move(reconcile)),
      queue_(clock, {.name = options_.name, .backoff = options_.backoff, .metrics = options_.metrics}),
      metrics_(options_.metrics != nullptr ? std::make_unique<Metrics>(*options_.metrics, options_)
                                           : nullptr) {}

Controller::~Controller() = default;

bool Controller::is_ready() const {
  return std::ranges::all_of(caches_, &CacheBase::has_synced);
}

Task<void> Controller::run() {
  for (CacheBase* cache : caches_) FAIRWAY_CO_CHECKED(co_await cache->wait_synced());
  async::TaskGroup workers(co_await boost::asio::this_coro::executor);
  for (std::size_t i = 0; i < options_.workers; ++i) workers.spawn(options_.name, work());
  auto ended = co_await workers.join();
  // Cancelled or not, the end of the tasks is waited for.
  co_await boost::asio::this_coro::reset_cancellation_state();
  co_await workers.stop();
  co_return ended;
}

Task<void> Controller::work() {
  for (;;) {
    FAIRWAY_CO_TRY(const ObjectKey key, co_await queue_.next());
    if (metrics_) metrics_->active.add(1);
    auto reconciled = co_await reconcile_one(key);
    if (metrics_) metrics_->active.add(-1);
    queue_.done(key);
    if (!reconciled) co_return reconciled;
  }
}

Task<void> Controller::reconcile_one(ObjectKey key) {
  const SteadyTime started = clock_.steady();
  auto result = co_await async::with_deadline(clock_, started + options_.timeout, reconcile_(key));
  if (metrics_) metrics_->time.observe(std::chrono::duration<double>(clock_.steady() - started).count());
  if (result) {
    settle_success(key, *result);
  } else if (result.error().code == ErrorCode::Cancelled && co_await async::is_cancelled()) {
    // We end in the middle; whoever runs the controller next begins with this key.
    queue_.add(key);
    co_return std::unexpected(std::move(result.error()));
  } else {
    settle_failure(key, result.error());
  }
  co_return Result<void>{};
}

void Controller::settle_success(const ObjectKey& key, const ReconcileResult& result) {
  queue_.forget(key);
  if (metrics_) metrics_->total.with({options_.name, result.wake_at ? "requeue_after" : "success"}).add();
  if (!result.wake_at) return;
  queue_.add_at(key, *result.wake_at);
  if (log::is_enabled(log::Level::Debug)) {
    log::debug("waiting", {{"controller", options_.name},
                           {"object", key.to_string()},
                           {"until", format_rfc3339(*result.wake_at)},
                           {"reason", result.reason}});
  }
}

void Controller::settle_failure(const ObjectKey& key, const Error& error) {
  if (metrics_) {
    metrics_->total.with({options_.name, "error"}).add();
    metrics_->errors.add();
  }
  const bool is_terminal = retry_of(error.code) == Retry::Never;
  Duration pause = options_.revisit_after;
  if (is_terminal) {
    if (metrics_) metrics_->terminal.add();
    queue_.forget(key);
    queue_.add_after(key, pause);
  } else {
    // A conflict is read again at once, which for a cache means after the next events: the first pauses are
    // short.
    pause =
        queue_.add_after_failure(key, error.retry_after ? Duration(*error.retry_after) : Duration::zero());
  }
  // One that stays is no passing conflict, and somebody should know.
  const bool is_passing = error.code == ErrorCode::Conflict && pause < std::chrono::seconds(1);
  log::write(is_passing ? log::Level::Debug : log::Level::Error, "a reconcile failed",
             {{"controller", options_.name},
              {"object", key.to_string()},
              {"again_in", format_duration(pause)},
              {"error", error.describe()}});
}

Controller::Mapper<json::Object> to_controller_owner(GroupKind kind, bool is_namespaced) {
  return [kind = std::move(kind), is_namespaced](const json::Object& object) -> std::vector<ObjectKey> {
    const auto owner = controller_of(object);
    if (!owner || owner->kind != kind.kind) return {};
    const auto group_version = GroupVersion::parse(owner->api_version);
    if (!group_version || group_version->group != kind.group) return {};
    return {{is_namespaced ? std::string(namespace_of(object)) : std::string(), owner->name}};
  };
}

}  // namespace fairway::kube
