// WorkQueue: the keys that wait to be reconciled.
//
// A key is given to one worker at a time; adding it again meanwhile gives it out once more afterwards.
// However often a key is added it waits once, and of several times asked for the earliest counts: a reconcile
// looks at everything anew and says itself when it wants to be woken next. Times are exact, and follow the
// wall clock when it jumps. Belongs to one event loop.
//
//   FAIRWAY_CO_TRY(ObjectKey key, co_await queue.next());
//   …
//   queue.done(key);
#pragma once

#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "async/notify.hpp"
#include "async/task.hpp"
#include "base/clock.hpp"
#include "base/metrics.hpp"
#include "kube/client/backoff.hpp"
#include "kube/core/object.hpp"

namespace fairway::kube {

struct WorkQueueOptions {
  std::string name = "queue";
  BackoffPolicy backoff = {
      .first = std::chrono::milliseconds(5), .cap = std::chrono::seconds(1000), .jitter = 0};
  metrics::Registry* metrics = nullptr;  // workqueue_*; none when null
};

class WorkQueue {
 public:
  WorkQueue(TimerClock& clock, WorkQueueOptions options);
  ~WorkQueue();
  WorkQueue(const WorkQueue&) = delete;
  WorkQueue& operator=(const WorkQueue&) = delete;

  void add(const ObjectKey& key);
  // When the wall clock shows that time, however it gets there.
  void add_at(const ObjectKey& key, WallTime when);
  void add_after(const ObjectKey& key, Duration pause);
  // Counts a failure of the key and adds it after the pause that follows from its failures in a row, or after
  // `at_least` if that is longer. Returns the pause.
  Duration add_after_failure(const ObjectKey& key, Duration at_least = Duration::zero());
  // The key succeeded: its failures count no longer.
  void forget(const ObjectKey& key);
  int failures(const ObjectKey& key) const;

  // The next key; Cancelled when the caller is, or after shut_down() when none is left.
  Task<ObjectKey> next();
  // Of a key that next() gave.
  void done(const ObjectKey& key);

  // Takes no more; what is ready is still given out, what waits for its time is dropped.
  void shut_down();
  // The same, and waits until all that was given out is done.
  Task<void> drain();

  std::size_t ready() const { return ready_.size(); }
  std::size_t waiting() const { return by_steady_.size() + by_wall_.size(); }
  std::size_t in_progress() const { return in_progress_.size(); }

 private:
  struct Metrics;
  // What is known of a key that waits, runs or has failed.
  struct Entry {
    bool is_ready = false;
    bool is_wanted_again = false;  // added while in progress
    int failures = 0;
    SteadyTime ready_since{};
    std::optional<SteadyTime> steady_due = {};
    std::optional<WallTime> wall_due = {};
  };

  void make_ready(const ObjectKey& key);
  void push_ready(const ObjectKey& key, Entry& entry);
  void clear_due(const ObjectKey& key, Entry& entry);
  void drop_if_idle(const ObjectKey& key);
  void arm();
  void move_due();
  void collect();

  TimerClock& clock_;
  WorkQueueOptions options_;
  std::unique_ptr<Metrics> metrics_;
  std::map<ObjectKey, Entry> entries_;
  std::deque<ObjectKey> ready_;
  std::map<ObjectKey, SteadyTime> in_progress_;  // and since when
  std::set<std::pair<SteadyTime, ObjectKey>> by_steady_;
  std::set<std::pair<WallTime, ObjectKey>> by_wall_;
  std::unique_ptr<Timer> timer_;
  std::optional<SteadyTime> armed_for_;
  bool is_shut_down_ = false;
  async::Notify changed_;
};

}  // namespace fairway::kube
