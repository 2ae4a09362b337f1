// What the tests of this folder share: a server on a free port, on a loop that the test drives.
#pragma once

#include <memory>

#include "async/event_loop.hpp"
#include "http/client.hpp"
#include "http/server.hpp"

namespace fairway::http::testing {

class TestServer {
 public:
  explicit TestServer(Handler handler, ServerLimits limits = {}, std::shared_ptr<TlsContext> tls = {},
                      TimerClock* clock = nullptr)
      : server_(*Server::listen(loop.executor(), clock ? *clock : loop.clock(),
                                {.limits = limits, .tls = std::move(tls)}, std::move(handler))) {}
  ~TestServer() {
    // What the test leaves in the middle is cut off at once.
    (void)loop.block_on(stop(*server_));
  }

  Url url(const std::string& path, bool tls = false) const {
    return Url{tls ? "https" : "http", "127.0.0.1", server_->port(), path, ""};
  }
  Server& server() { return *server_; }
  std::uint16_t port() const { return server_->port(); }

  async::EventLoop loop;

 private:
  static Task<void> stop(Server& server) {
    co_await server.stop(Duration::zero());
    co_return Result<void>{};
  }

  std::unique_ptr<Server> server_;
};

}  // namespace fairway::http::testing
