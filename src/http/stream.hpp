// ByteStream: a connection, plain or TLS, as this folder's protocols see it. Not for use outside.
//
// Cancelling a task that waits on a stream closes the stream; so does its Watchdog when the allowed time is
// over. A closed stream fails what is pending on it.
#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <functional>
#include <memory>
#include <span>
#include <string_view>

#include "async/task.hpp"
#include "base/clock.hpp"
#include "http/message.hpp"
#include "http/tls.hpp"

namespace fairway::http {

class ByteStream {
 public:
  virtual ~ByteStream() = default;

  virtual Task<void> handshake() = 0;                             // nothing to do on a plain stream
  virtual Task<std::size_t> read_some(std::span<char> into) = 0;  // 0 at the peer's orderly end
  virtual Task<void> write(std::string_view bytes) = 0;           // all of them
  virtual void close() = 0;
  virtual void shutdown_send() = 0;
  // Whether an idle connection has been ended by the peer, or has bytes that nobody asked for.
  virtual bool is_stale() = 0;
  virtual std::optional<CertificateIdentity> peer_certificate() const = 0;
};

std::unique_ptr<ByteStream> make_plain_stream(boost::asio::ip::tcp::socket socket);
std::unique_ptr<ByteStream> make_tls_server_stream(boost::asio::ip::tcp::socket socket,
                                                   std::shared_ptr<TlsContext> context);
std::unique_ptr<ByteStream> make_tls_client_stream(boost::asio::ip::tcp::socket socket,
                                                   std::shared_ptr<TlsContext> context,
                                                   const std::string& host);

// Ends something when its time is over. Arming again is cheap: one timer serves many deadlines.
class Watchdog {
 public:
  Watchdog(TimerClock& clock, std::function<void()> on_expiry)
      : clock_(clock), on_expiry_(std::move(on_expiry)) {}

  void arm(Duration allowed);
  void disarm() { deadline_.reset(); }
  bool has_expired() const { return expired_; }

 private:
  void schedule(SteadyTime when);
  void fire();

  TimerClock& clock_;
  std::function<void()> on_expiry_;
  std::optional<SteadyTime> deadline_;
  std::optional<SteadyTime> scheduled_;
  std::unique_ptr<Timer> timer_;
  bool expired_ = false;
};

}  // namespace fairway::http
