// The watcher as a state machine without I/O: list, watch, follow, and what to do when anything of that
// fails.
//
//   WatcherStep step(options, state, input) → the next state, the events for the cache, and the one thing to
//   do next.
//
// What it guarantees to whoever applies the events in order: between InitStart and InitDone come all objects
// of one consistent list, to be taken over at InitDone as a whole; after that every change once and in order.
// After a failure the watch resumes from the last version seen, so that nothing is lost; only when the server
// no longer has that version (410), or keeps sending what cannot be read, everything is listed anew. Pauses
// grow with failures that follow each other without any progress.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "base/clock.hpp"
#include "base/result.hpp"
#include "json/value.hpp"
#include "kube/client/backoff.hpp"
#include "kube/client/client.hpp"
#include "kube/core/watch_event.hpp"
#include "kube/core/wire.hpp"

namespace fairway::kube {

struct WatcherOptions {
  std::string label_selector = {};
  std::string field_selector = {};
  std::int64_t page_size = 500;
  // How long a watch is asked to last, at most; the machine asks for between four fifths of it and all of it,
  // so that many watchers do not come back at once.
  std::chrono::seconds watch_timeout = std::chrono::seconds(290);
  BackoffPolicy backoff = {};
  std::uint64_t seed = 1;
  ManagedFields managed_fields = ManagedFields::LeftOut;  // no controller decides by them
};

namespace watcher {

// For the cache.
struct InitStart {};
struct InitObject {
  json::Object object;
};
struct InitDone {};
struct Applied {
  json::Object object;
};
struct Deleted {
  json::Object object;
};

// What has happened.
struct Begin {};  // also: the pause is over
struct Listed {
  ObjectList page;
};
struct ListFailed {
  Error error;
};
struct Opened {};
struct Received {
  WatchEvent event;
};
struct Ended {  // the response came to its orderly end
  Duration lasted;
};
struct Failed {
  Error error;
  Duration lasted = Duration::zero();  // how long it went well
};

// What to do next.
struct DoList {
  ListOptions options;
};
struct DoWatch {
  WatchOptions options;
};
struct DoRead {};
struct DoPause {
  Duration duration;
};

}  // namespace watcher

using WatcherEvent = std::variant<watcher::InitStart, watcher::InitObject, watcher::InitDone,
                                  watcher::Applied, watcher::Deleted>;
using WatcherInput = std::variant<watcher::Begin, watcher::Listed, watcher::ListFailed, watcher::Opened,
                                  watcher::Received, watcher::Ended, watcher::Failed>;
using WatcherCommand = std::variant<watcher::DoList, watcher::DoWatch, watcher::DoRead, watcher::DoPause>;

struct WatcherState {
  enum class Phase { Listing, Watching };

  Phase phase = Phase::Listing;
  std::string continue_ = {};   // Listing: what the next page begins with; empty: the first one
  bool lists_at_once = false;   // Listing: without pages, because pages expired under us
  std::string version = {};     // Watching: the last version seen
  bool has_progressed = false;  // Watching: since this watch was opened
  int failures = 0;             // in a row, without progress
  int unreadable = 0;           // of those, how many because of what could not be read
  Random random = Random(1);
};

struct WatcherStep {
  WatcherState state;
  std::vector<WatcherEvent> events = {};
  WatcherCommand command = watcher::DoRead{};
  std::optional<Error> problem = {};  // to be reported; the machine has already dealt with it
};

WatcherStep step(const WatcherOptions& options, WatcherState state, WatcherInput input);

}  // namespace fairway::kube
