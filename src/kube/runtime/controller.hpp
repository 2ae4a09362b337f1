// Controller: keeps the world as its reconcile function wants it, one key at a time, with several workers.
//
// Sources turn changes of cached objects into keys; a key is all that a reconcile is told, and it looks up
// the rest (level-triggered: what happened meanwhile does not matter, only what is). A reconcile says when it
// wants to look again. What becomes of an error is decided by retry_of(code): what may go away by itself is
// tried again with growing pauses, or after the pause that the server asked for; what stays wrong is not
// repeated until something changes or, in case the change is one that nobody tells us of (a permission),
// until `revisit_after` is over.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "async/task.hpp"
#include "base/clock.hpp"
#include "base/metrics.hpp"
#include "kube/runtime/cache.hpp"
#include "kube/runtime/work_queue.hpp"

namespace fairway::kube {

struct ReconcileResult {
  std::optional<WallTime> wake_at = {};
  std::string reason = {};  // of the time; for the log
};

struct ControllerOptions {
  std::string name;
  std::size_t workers = 1;
  Duration timeout = std::chrono::minutes(5);  // of one reconcile
  Duration revisit_after = std::chrono::minutes(10);
  BackoffPolicy backoff = {
      .first = std::chrono::milliseconds(5), .cap = std::chrono::seconds(1000), .jitter = 0};
  metrics::Registry* metrics = nullptr;  // controller_runtime_* and workqueue_*; none when null
};

class Controller {
 public:
  using Reconcile = std::function<Task<ReconcileResult>(ObjectKey)>;
  template <class T>
  using Mapper = std::function<std::vector<ObjectKey>(const T&)>;

  Controller(TimerClock& clock, ControllerOptions options, Reconcile reconcile);
  ~Controller();
  Controller(const Controller&) = delete;
  Controller& operator=(const Controller&) = delete;

  // Changes of the cache's objects make the mapped keys due: of the object as it was and as it is. Without a
  // mapper, the object's own key.
  template <class T>
  void watch(Cache<T>& cache, Mapper<T> to_keys = {});

  // Waits until all watched caches have synced and reconciles until cancelled. May be run again afterwards.
  Task<void> run();

  void enqueue(const ObjectKey& key) { queue_.add(key); }
  const std::string& name() const { return options_.name; }
  const WorkQueue& queue() const { return queue_; }
  // Whether all watched caches have synced.
  bool is_ready() const;

 private:
  struct Metrics;

  Task<void> work();
  Task<void> reconcile_one(ObjectKey key);
  void settle_success(const ObjectKey& key, const ReconcileResult& result);
  void settle_failure(const ObjectKey& key, const Error& error);

  TimerClock& clock_;
  ControllerOptions options_;
  Reconcile reconcile_;
  WorkQueue queue_;
  std::unique_ptr<Metrics> metrics_;
  std::vector<CacheBase*> caches_;
  std::vector<std::shared_ptr<void>> subscriptions_;
};

template <class T>
void Controller::watch(Cache<T>& cache, Mapper<T> to_keys) {
  caches_.push_back(&cache);
  subscriptions_.push_back(cache.on_change([this, to_keys = std::move(to_keys)](const Change<T>& change) {
    if (!to_keys) return queue_.add(change.key);
    for (const auto* object : {change.before.get(), change.after.get()}) {
      if (object == nullptr) continue;
      for (const ObjectKey& key : to_keys(*object)) queue_.add(key);
    }
  }));
}

// The owner of that kind that controls the object, in the object's namespace; for owners that are
// cluster-scoped, without a namespace.
Controller::Mapper<json::Object> to_controller_owner(GroupKind kind, bool is_namespaced = true);

}  // namespace fairway::kube
