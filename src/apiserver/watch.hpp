// Watch: one client's stream of changes.
//
// Changes are heard from the store, each once and in order, filtered, and put into a bounded queue; a
// coroutine sends what is queued. A client that does not keep up is told to list again (410) and let go; it
// never holds up the others.
#pragma once

#include <optional>
#include <string>

#include "apiserver/objects.hpp"
#include "apiserver/output.hpp"
#include "apiserver/selection.hpp"
#include "async/task.hpp"
#include "base/clock.hpp"
#include "http/server.hpp"

namespace fairway::apiserver {

struct WatchOptions {
  std::optional<store::Revision> since;  // none: the present state first, as added objects
  bool send_initial_events = false;      // the present state first, then a bookmark that says so
  bool allow_bookmarks = false;
  Duration timeout = std::chrono::minutes(45);

  static ApiResult<WatchOptions> parse(const http::Query& query, store::Revision current);
};

struct WatchLimits {
  std::size_t max_queued_bytes = 16 * 1024 * 1024;
  Duration bookmark_interval = std::chrono::minutes(1);
};

Task<void> serve_watch(store::Store& store, TimerClock& clock, store::Scope scope, Selection selection,
                       Presenter presenter, WatchOptions options, WatchLimits limits,
                       http::ResponseWriter& writer);

}  // namespace fairway::apiserver
