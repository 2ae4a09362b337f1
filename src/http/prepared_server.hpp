// PreparedServer: HTTP/1.1 for answers that are made beforehand, as cheap as a web server of static files.
//
// Each thread has its own listening socket, epoll and connections; on the way of a request there is no lock
// and, once a connection is open, no allocation. The handler chooses the answer, at once or later from any
// thread; the server adds Date and Connection, leaves the body out for HEAD and keeps pipelined answers in
// order. Slow, oversized, malformed or half-open clients get a 4xx or are cut off; request bodies are
// skipped. Threads of the server take no signals; SIGPIPE need not be ignored on its account.
//
//   auto server = PreparedServer::listen(clock, {.port = 8080}, [&](const RequestView& request, Responder
//   out) {
//     out.send({answers.find(request.path)});
//   });
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "base/clock.hpp"
#include "base/result.hpp"
#include "http/prepared.hpp"
#include "http/prepared_request.hpp"

namespace fairway::http {

class PreparedMailbox;

// Which request of which connection of a thread.
struct ExchangeId {
  std::uint32_t slot = 0;
  std::uint32_t generation = 0;  // of the slot, which several connections use one after the other
  std::uint32_t request = 0;

  bool operator==(const ExchangeId&) const = default;
};

// The right to answer one request, once. Destroyed without an answer, it answers 500. It may outlive the
// connection and the server; the answer is then dropped.
class Responder {
 public:
  Responder(std::shared_ptr<PreparedMailbox> mailbox, ExchangeId exchange);
  Responder(Responder&&) noexcept = default;
  Responder& operator=(Responder&& other) noexcept;
  ~Responder();

  // From any thread.
  void send(PreparedReply reply);

 private:
  std::shared_ptr<PreparedMailbox> mailbox_;  // none once it has answered
  ExchangeId exchange_;
};

// Called on the server's threads, on several at a time; must not block.
using PreparedHandler = std::function<void(const RequestView&, Responder)>;

// One answer, for access logs and metrics. The views are valid during the call.
struct RequestLog {
  std::string_view method;  // empty, like the target, when the request could not be read so far
  std::string_view target;
  std::string_view user_agent;
  const PeerAddress& peer;
  int status = 0;
  std::uint64_t bytes = 0;   // of the body, as many as the kernel took
  Duration duration{};       // from the whole request to the last byte of the answer
  bool is_complete = false;  // false: the client went away or was too slow
};

struct PreparedServerOptions {
  std::string address = "127.0.0.1";  // IPv4 or IPv6; "::" is both
  std::uint16_t port = 0;             // 0: any free one
  std::size_t threads = 1;
  std::size_t max_header_bytes = 16 * 1024;
  std::size_t max_body_bytes = 64 * 1024;
  std::size_t max_connections = 10'000;  // of all threads; those above it get a 503
  Duration header_timeout =
      std::chrono::seconds(15);  // from a request's first byte, or the connection, to its end
  Duration idle_timeout = std::chrono::seconds(75);       // between two requests
  Duration write_timeout = std::chrono::seconds(30);      // without any progress
  Duration handler_timeout = std::chrono::seconds(60);    // then the client gets a 503
  std::function<void(const RequestLog&)> on_answer = {};  // on the server's threads; must not block
  // What is said to a request that the server itself refuses; the connection is closed after it.
  std::function<PreparedReply(int status, std::string_view message)> refusal = {};
};

class PreparedServer {
 public:
  static Result<std::unique_ptr<PreparedServer>> listen(const Clock& clock, PreparedServerOptions options,
                                                        PreparedHandler handler);
  ~PreparedServer();  // as stop() without grace
  PreparedServer(const PreparedServer&) = delete;
  PreparedServer& operator=(const PreparedServer&) = delete;

  std::uint16_t port() const;
  std::size_t connections() const;
  // Accepts no more, closes idle connections, gives requests in progress the time to finish, and waits for
  // that. Not from the handler.
  void stop(Duration grace = std::chrono::seconds(5));
  // Looks at the clock now: for tests, whose ManualClock wakes nobody.
  void poke();

 private:
  struct Impl;
  explicit PreparedServer(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace fairway::http
