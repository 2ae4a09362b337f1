// EventRecorder: tells users what a controller does, as Events about the objects concerned.
//
// record() never waits and never fails: events are for people, and no work may depend on them. run() sends
// them in order; what does not fit into the queue, and what the server keeps refusing, is dropped and
// counted. Belongs to one event loop.
#pragma once

#include <deque>
#include <string>

#include "async/notify.hpp"
#include "async/task.hpp"
#include "base/metrics.hpp"
#include "kube/client/client.hpp"
#include "kube/runtime/event_correlator.hpp"

namespace fairway::kube {

struct EventRecorderOptions {
  EventOptions events;
  std::size_t max_queued = 1000;
  int max_retries = 5;
  BackoffPolicy backoff = {.first = std::chrono::seconds(1), .cap = std::chrono::seconds(30)};
  metrics::Registry* metrics = nullptr;  // fairway_events_total by outcome; none when null
};

class EventRecorder {
 public:
  EventRecorder(Client& client, EventRecorderOptions options);

  void record(EventNote note);
  void normal(const json::Object& about, std::string reason, std::string message);
  void warning(const json::Object& about, std::string reason, std::string message);

  // Sends until cancelled.
  Task<void> run();
  std::size_t queued() const { return queue_.size(); }

 private:
  Task<void> send(EventVerdict verdict);
  Task<void> try_once(EventVerdict verdict);
  Resource place_of(const ObjectKey& key) const;
  void count(std::string outcome);

  Client& client_;
  EventRecorderOptions options_;
  EventCorrelator correlator_;
  Random random_{1};
  std::deque<EventVerdict> queue_;
  async::Notify queued_;
};

}  // namespace fairway::kube
