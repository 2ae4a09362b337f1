#include "kube/runtime/work_queue.hpp"

#include <algorithm>

namespace fairway::kube {
namespace {

// A wall clock that jumps is noticed within this time.
constexpr Duration kWallCheck = std::chrono::seconds(30);

double seconds(Duration duration) {
  return std::chrono::duration<double>(duration).count();
}

}  // namespace

// The names and buckets of client-go's work queues, so that existing dashboards work.
struct WorkQueue::Metrics {
  Metrics(metrics::Registry& registry, const std::string& name)
      : labels{name, name},
        depth(registry.gauge("workqueue_depth", "Current depth of workqueue by workqueue", kLabels)
                  .with(labels)),
        adds(registry.counter("workqueue_adds_total", "Total number of adds handled by workqueue", kLabels)
                 .with(labels)),
        retries(
            registry
                .counter("workqueue_retries_total", "Total number of retries handled by workqueue", kLabels)
                .with(labels)),
        queued(registry
                   .histogram("workqueue_queue_duration_seconds",
                              "How long in seconds an item stays in workqueue before being requested",
                              kBuckets, kLabels)
                   .with(labels)),
        worked(registry
                   .histogram("workqueue_work_duration_seconds",
                              "How long in seconds processing an item from workqueue takes.", kBuckets,
                              kLabels)
                   .with(labels)),
        unfinished(
            registry
                .gauge(
                    "workqueue_unfinished_work_seconds",
                    "How many seconds of work has been done that is in progress and hasn't been observed by "
                    "work_duration. Large values indicate stuck threads.",
                    kLabels)
                .with(labels)),
        longest(registry
                    .gauge("workqueue_longest_running_processor_seconds",
                           "How many seconds has the longest running processor for workqueue been running.",
                           kLabels)
                    .with(labels)) {}

  inline static const std::vector<std::string> kLabels = {"name", "controller"};
  inline static const std::vector<double> kBuckets = metrics::exponential_buckets(1e-8, 10, 12);

  metrics::LabelValues labels;
  metrics::Gauge& depth;
  metrics::Counter& adds;
  metrics::Counter& retries;
  metrics::Histogram& queued;
  metrics::Histogram& worked;
  metrics::Gauge& unfinished;
  metrics::Gauge& longest;
  metrics::Registry::Collector collector;
};

WorkQueue::WorkQueue(TimerClock& clock, WorkQueueOptions options)
    : clock_(clock), options_(std::move(options)) {
  if (options_.metrics == nullptr) return;
  metrics_ = std::make_unique<Metrics>(*options_.metrics, options_.name);
  metrics_->collector = options_.metrics->on_collect([this] { collect(); });
}

WorkQueue::~WorkQueue() = default;

void WorkQueue::collect() {
  double total = 0;
  double longest = 0;
  for (const auto& [key, since] : in_progress_) {
    const double running = seconds(clock_.steady() - since);
    total += running;
    longest = std::max(longest, running);
  }
  metrics_->unfinished.set(total);
  metrics_->longest.set(longest);
}

void WorkQueue::add(const ObjectKey& key) {
  if (is_shut_down_) return;
  make_ready(key);
}

void WorkQueue::make_ready(const ObjectKey& key) {
  Entry& entry = entries_[key];
  clear_due(key, entry);
  if (entry.is_ready || entry.is_wanted_again) return;
  if (metrics_) metrics_->adds.add();
  if (in_progress_.contains(key)) {
    entry.is_wanted_again = true;
    return;
  }
  push_ready(key, entry);
  changed_.notify();
}

void WorkQueue::push_ready(const ObjectKey& key, Entry& entry) {
  entry.is_ready = true;
  entry.ready_since = clock_.steady();
  ready_.push_back(key);
  if (metrics_) metrics_->depth.set(static_cast<double>(ready_.size()));
}

void WorkQueue::clear_due(const ObjectKey& key, Entry& entry) {
  if (entry.steady_due) by_steady_.erase({*entry.steady_due, key});
  if (entry.wall_due) by_wall_.erase({*entry.wall_due, key});
  entry.steady_due.reset();
  entry.wall_due.reset();
}

void WorkQueue::add_at(const ObjectKey& key, WallTime when) {
  if (is_shut_down_) return;
  if (when <= clock_.now()) return add(key);
  Entry& entry = entries_[key];
  if (entry.is_ready || entry.is_wanted_again) return;
  if (entry.wall_due && *entry.wall_due <= when) return;
  if (entry.wall_due) by_wall_.erase({*entry.wall_due, key});
  entry.wall_due = when;
  by_wall_.emplace(when, key);
  arm();
}

void WorkQueue::add_after(const ObjectKey& key, Duration pause) {
  if (is_shut_down_) return;
  if (pause <= Duration::zero()) return add(key);
  Entry& entry = entries_[key];
  if (entry.is_ready || entry.is_wanted_again) return;
  const SteadyTime when = clock_.steady() + pause;
  if (entry.steady_due && *entry.steady_due <= when) return;
  if (entry.steady_due) by_steady_.erase({*entry.steady_due, key});
  entry.steady_due = when;
  by_steady_.emplace(when, key);
  arm();
}

Duration WorkQueue::add_after_failure(const ObjectKey& key, Duration at_least) {
  if (is_shut_down_) return Duration::zero();
  const Duration pause = std::max(at_least, options_.backoff.pause(++entries_[key].failures));
  if (metrics_) metrics_->retries.add();
  add_after(key, pause);
  return pause;
}

void WorkQueue::forget(const ObjectKey& key) {
  const auto found = entries_.find(key);
  if (found == entries_.end()) return;
  found->second.failures = 0;
  drop_if_idle(key);
}

int WorkQueue::failures(const ObjectKey& key) const {
  const auto found = entries_.find(key);
  return found == entries_.end() ? 0 : found->second.failures;
}

void WorkQueue::drop_if_idle(const ObjectKey& key) {
  const auto found = entries_.find(key);
  if (found == entries_.end()) return;
  const Entry& entry = found->second;
  const bool is_idle = !entry.is_ready && !entry.is_wanted_again && !entry.steady_due && !entry.wall_due &&
                       entry.failures == 0 && !in_progress_.contains(key);
  if (is_idle) entries_.erase(found);
}

void WorkQueue::arm() {
  std::optional<SteadyTime> when;
  if (!by_steady_.empty()) when = by_steady_.begin()->first;
  if (!by_wall_.empty()) {
    const Duration left =
        std::clamp(Duration(by_wall_.begin()->first - clock_.now()), Duration::zero(), kWallCheck);
    const SteadyTime look = clock_.steady() + left;
    when = when ? std::min(*when, look) : look;
  }
  if (!when) {
    timer_.reset();
    armed_for_.reset();
    return;
  }
  if (armed_for_ && *armed_for_ <= *when) return;
  armed_for_ = when;
  timer_ = clock_.call_at(*when, [this] {
    armed_for_.reset();
    move_due();
    arm();
  });
}

void WorkQueue::move_due() {
  std::vector<ObjectKey> due;
  for (const auto& [when, key] : by_steady_) {
    if (when > clock_.steady()) break;
    due.push_back(key);
  }
  for (const auto& [when, key] : by_wall_) {
    if (when > clock_.now()) break;
    due.push_back(key);
  }
  for (const ObjectKey& key : due) make_ready(key);
}

Task<ObjectKey> WorkQueue::next() {
  while (ready_.empty()) {
    if (is_shut_down_) co_return async::cancelled();
    FAIRWAY_CO_CHECKED(co_await changed_.wait());
  }
  if (co_await async::is_cancelled()) co_return async::cancelled();
  ObjectKey key = std::move(ready_.front());
  ready_.pop_front();
  Entry& entry = entries_[key];
  entry.is_ready = false;
  in_progress_.emplace(key, clock_.steady());
  if (metrics_) {
    metrics_->depth.set(static_cast<double>(ready_.size()));
    metrics_->queued.observe(seconds(clock_.steady() - entry.ready_since));
  }
  co_return key;
}

void WorkQueue::done(const ObjectKey& key) {
  const auto running = in_progress_.find(key);
  FAIRWAY_CHECK(running != in_progress_.end(), "a key is done that was not in progress");
  if (metrics_) metrics_->worked.observe(seconds(clock_.steady() - running->second));
  in_progress_.erase(running);
  Entry& entry = entries_[key];
  if (std::exchange(entry.is_wanted_again, false)) {
    clear_due(key, entry);
    push_ready(key, entry);
  } else {
    drop_if_idle(key);
  }
  changed_.notify();
}

void WorkQueue::shut_down() {
  is_shut_down_ = true;
  timer_.reset();
  armed_for_.reset();
  by_steady_.clear();
  by_wall_.clear();
  for (auto& [key, entry] : entries_) {
    entry.steady_due.reset();
    entry.wall_due.reset();
  }
  changed_.notify();
}

Task<void> WorkQueue::drain() {
  shut_down();
  while (!in_progress_.empty() || !ready_.empty()) FAIRWAY_CO_CHECKED(co_await changed_.wait());
  co_return Result<void>{};
}

}  // namespace fairway::kube
