#include "cli/server_process.hpp"

#include <sys/resource.h>
#include <unistd.h>

#include "base/log.hpp"
#include "cli/program.hpp"

namespace fairway::cli {

StopRequest::StopRequest(async::EventLoop& loop, std::function<void()> on_hangup) {
  std::signal(SIGPIPE, SIG_IGN);  // a client that goes away is an error of its connection, not of the process
  loop.on_signals({SIGINT, SIGTERM}, [this](int) { hear(); });
  if (on_hangup) loop.on_signals({SIGHUP}, [on_hangup = std::move(on_hangup)](int) { on_hangup(); });
}

void StopRequest::hear() {
  if (is_made_) ::_exit(static_cast<int>(ExitCode::Interrupted));
  is_made_ = true;
  log::info("stopping; once more to stop at once");
}

SignalsForMainThread::SignalsForMainThread() {
  sigset_t signals;
  sigemptyset(&signals);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) sigaddset(&signals, signal);
  ::pthread_sigmask(SIG_BLOCK, &signals, &before_);
}

SignalsForMainThread::~SignalsForMainThread() {
  ::pthread_sigmask(SIG_SETMASK, &before_, nullptr);
}

void raise_open_file_limit() {
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur == limit.rlim_max) return;
  limit.rlim_cur = limit.rlim_max;
  if (::setrlimit(RLIMIT_NOFILE, &limit) != 0) log::warning("could not raise the limit of open files");
}

}  // namespace fairway::cli
