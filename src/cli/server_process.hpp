// A process that serves until it is asked to stop: what every server of ours needs of its process.
//
// Ctrl-C or SIGTERM asks for the end; a second one ends the process at once. SIGHUP asks to read everything
// again.
#pragma once

#include <csignal>
#include <functional>

#include "async/event_loop.hpp"

namespace fairway::cli {

// The signals that ask for the end. The first is remembered; the second does not wait for anything.
class StopRequest {
 public:
  // Without `on_hangup`, SIGHUP keeps its usual meaning.
  explicit StopRequest(async::EventLoop& loop, std::function<void()> on_hangup = {});
  StopRequest(const StopRequest&) = delete;
  StopRequest& operator=(const StopRequest&) = delete;

  bool is_made() const { return is_made_; }

 private:
  void hear();

  bool is_made_ = false;
};

// Threads that start while this lives leave the signals to the main thread, which then hears them in the
// order in which they came.
class SignalsForMainThread {
 public:
  SignalsForMainThread();
  ~SignalsForMainThread();
  SignalsForMainThread(const SignalsForMainThread&) = delete;
  SignalsForMainThread& operator=(const SignalsForMainThread&) = delete;

 private:
  sigset_t before_{};
};

// Each connection is a file: a shell's usual 1,024 are too few for a fleet.
void raise_open_file_limit();

}  // namespace fairway::cli
