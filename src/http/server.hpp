// Server: HTTP/1.1 over TCP or TLS on one event loop.
//
// The server reads one whole request (within its limits and deadlines), calls the handler, and sends what the
// handler gives. A handler that streams is cancelled when its client goes away. Slow, oversized, malformed or
// half-open clients get a 4xx or are cut off; memory, of a connection and of all of them, is bounded by the
// limits.
//
//   auto server = http::Server::listen(loop.executor(), loop.clock(), {.port = 8080}, handler);
#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "async/task.hpp"
#include "base/clock.hpp"
#include "http/message.hpp"
#include "http/tls.hpp"

namespace fairway::http {

struct ServerLimits {
  std::size_t max_header_bytes = 64 * 1024;
  std::size_t max_body_bytes = 3 * 1024 * 1024;
  std::size_t max_total_body_bytes = 256 * 1024 * 1024;  // of all requests at a time; above it they get a 503
  std::size_t max_connections = 10'000;
  Duration handshake_timeout = std::chrono::seconds(10);
  Duration header_timeout =
      std::chrono::seconds(15);  // from the first byte of a request to the end of its header
  Duration body_timeout = std::chrono::seconds(60);   // for the whole body
  Duration write_timeout = std::chrono::seconds(30);  // for each block of an answer
  Duration idle_timeout = std::chrono::seconds(180);  // between two requests
};

struct ServerOptions {
  std::string address = "127.0.0.1";
  std::uint16_t port = 0;  // 0: any free one
  ServerLimits limits = {};
  std::shared_ptr<TlsContext> tls = {};  // none: plain HTTP
};

class Connection;

// How a handler answers: with one whole response, or a head and then pieces until finish().
class ResponseWriter {
 public:
  explicit ResponseWriter(Connection& connection) : connection_(connection) {}

  Task<void> send(Response response);
  // The status and headers of an answer of unknown length (chunked); the response's own body is its first
  // piece.
  Task<void> start(Response head);
  Task<void> write(Body pieces);
  Task<void> finish();

  bool has_started() const { return started_; }
  bool has_finished() const { return finished_; }
  int status() const { return status_; }
  std::uint64_t body_bytes() const { return body_bytes_; }

 private:
  Connection& connection_;
  bool started_ = false;
  bool finished_ = false;
  int status_ = 0;
  std::uint64_t body_bytes_ = 0;
};

using Handler = std::function<Task<void>(const Request&, ResponseWriter&)>;
// What is said to a request that the server itself refuses (400, 408, 413, 431, 503).
using RefusalBody = std::function<Response(int status, std::string_view message)>;

class Server {
 public:
  static Result<std::unique_ptr<Server>> listen(boost::asio::any_io_executor executor, TimerClock& clock,
                                                ServerOptions options, Handler handler,
                                                RefusalBody refusal = {});
  ~Server();
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  std::uint16_t port() const;
  std::size_t connections() const;
  // New connections use the new certificates; the open ones are left alone.
  void set_tls(std::shared_ptr<TlsContext> tls);
  // Accepts no more, ends streams and idle connections, and gives requests in progress the time to finish.
  boost::asio::awaitable<void> stop(Duration grace = std::chrono::seconds(5));

 private:
  struct Impl;
  explicit Server(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace fairway::http
