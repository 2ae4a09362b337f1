// WatchStream: the events of one watch request, as they arrive.
//
// next() gives one event after the other; nothing at the orderly end of the response. An ERROR event is the
// Error that it tells of (Gone: the version is too old, list again). A connection that breaks in the middle
// of an event is Unavailable, silence beyond the read timeout is Timeout: both can be resumed from the last
// version seen. Destroying the stream closes the connection.
#pragma once

#include <memory>
#include <optional>

#include "async/task.hpp"
#include "base/clock.hpp"
#include "http/client.hpp"
#include "kube/core/watch_event.hpp"

namespace fairway::kube {

class WatchStream {
 public:
  WatchStream(std::unique_ptr<http::ResponseStream> response, Duration read_timeout,
              WatchDecoder decoder = WatchDecoder())
      : response_(std::move(response)), read_timeout_(read_timeout), decoder_(std::move(decoder)) {}

  Task<std::optional<WatchEvent>> next();

 private:
  std::unique_ptr<http::ResponseStream> response_;
  Duration read_timeout_;
  WatchDecoder decoder_;
};

}  // namespace fairway::kube
