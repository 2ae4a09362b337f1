// Watcher: moves bytes for the state machine of watcher_state.hpp.
//
// run() lists and watches one collection until it is cancelled and hands every event, in order, to the sink,
// on the event loop. Problems are reported and dealt with; they never end it.
#pragma once

#include <functional>
#include <memory>

#include "async/task.hpp"
#include "base/metrics.hpp"
#include "kube/client/client.hpp"
#include "kube/runtime/watcher_state.hpp"

namespace fairway::kube {

class Watcher {
 public:
  using Sink = std::function<void(WatcherEvent)>;
  using ProblemHandler = std::function<void(const Error&)>;

  // `collection` has no name. Without a handler problems are logged.
  Watcher(Client& client, Resource collection, WatcherOptions options, Sink sink,
          ProblemHandler on_problem = {});

  Task<void> run();

 private:
  Task<WatcherInput> perform(WatcherCommand command);
  Task<WatcherInput> list(ListOptions options);
  Task<WatcherInput> open(WatchOptions options);
  Task<WatcherInput> read();
  void report(const Error& error) const;

  Client& client_;
  Resource collection_;
  WatcherOptions options_;
  Sink sink_;
  ProblemHandler on_problem_;
  std::unique_ptr<WatchStream> stream_;
  SteadyTime opened_{};
};

}  // namespace fairway::kube
