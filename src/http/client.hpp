// Client: HTTP/1.1 requests over kept-alive connections, plain or TLS, directly or through a proxy.
//
// Transport is the seam: what sends requests depends on it, and tests give it a scripted peer. send() returns
// the whole answer; open() returns as soon as the head is there, for answers that go on (a watch). Every
// request has a deadline. A status is never an error here: the caller judges it.
#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <memory>
#include <optional>
#include <string>

#include "async/task.hpp"
#include "base/clock.hpp"
#include "http/message.hpp"
#include "http/tls.hpp"

namespace fairway::http {

struct ClientRequest {
  std::string method = "GET";
  Url url = {};
  Headers headers = {};
  std::string body = {};
  Duration timeout =
      std::chrono::seconds(30);  // to the end of the answer, or of its head when it is streamed
  // It changes nothing, so it may be sent again when a kept connection turns out to be closed. GET and HEAD
  // are so by themselves.
  bool is_repeatable = false;
};

// An answer whose body is read piece by piece. Destroying it before its end closes the connection.
class ResponseStream {
 public:
  virtual ~ResponseStream() = default;
  virtual int status() const = 0;
  virtual const Headers& headers() const = 0;
  // The next piece; empty at the end. Timeout when nothing arrives for so long.
  virtual Task<std::string> read(Duration timeout) = 0;
};

class Transport {
 public:
  virtual ~Transport() = default;
  virtual Task<Response> send(ClientRequest request) = 0;
  virtual Task<std::unique_ptr<ResponseStream>> open(ClientRequest request) = 0;
};

struct ClientOptions {
  std::shared_ptr<TlsContext> tls = {};  // needed for https
  std::optional<Url> proxy = {};         // plain HTTP proxy; CONNECT is used for https
  std::size_t max_body_bytes = 256 * 1024 * 1024;
  std::size_t max_idle_connections = 16;  // for each origin
  Duration connect_timeout = std::chrono::seconds(10);
  std::string user_agent = "fairway";
};

class Client final : public Transport {
 public:
  Client(boost::asio::any_io_executor executor, TimerClock& clock, ClientOptions options);
  ~Client() override;
  Client(const Client&) = delete;
  Client& operator=(const Client&) = delete;

  Task<Response> send(ClientRequest request) override;
  Task<std::unique_ptr<ResponseStream>> open(ClientRequest request) override;

  // New connections use the new settings; idle ones are closed.
  void set_tls(std::shared_ptr<TlsContext> tls);

 private:
  struct Impl;
  std::shared_ptr<Impl> impl_;  // streams that are still open refer to it
};

}  // namespace fairway::http
