// TCP without HTTP: listeners, connections and a relay between two of them, for what forwards bytes.
//
// Everything belongs to one event loop. Cancelling a task that waits on a stream closes the stream. A
// listener owns the tasks of its connections: stop() accepts no more, ends all of them and waits for their
// end.
//
//   auto listener = TcpListener::listen(executor, clock, {"127.0.0.1", 8080}, {}, serve);
#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "async/task.hpp"
#include "base/clock.hpp"

namespace fairway::http {

class ByteStream;

struct TcpEndpoint {
  std::string address;  // of IPv4 or IPv6, not a name
  std::uint16_t port = 0;

  std::string to_string() const;  // with brackets around an IPv6 address
  bool operator==(const TcpEndpoint&) const = default;
};

class TcpStream {
 public:
  // Unavailable when nobody answers there, Timeout when nothing does. `from` chooses the own address.
  static Task<std::unique_ptr<TcpStream>> connect(TimerClock& clock, TcpEndpoint to, Duration timeout,
                                                  std::string from = {});
  TcpStream(std::unique_ptr<ByteStream> stream, TcpEndpoint local, TcpEndpoint peer);
  ~TcpStream();
  TcpStream(const TcpStream&) = delete;
  TcpStream& operator=(const TcpStream&) = delete;

  const TcpEndpoint& local() const { return local_; }
  const TcpEndpoint& peer() const { return peer_; }
  Task<std::size_t> read_some(std::span<char> into);  // 0 at the peer's orderly end
  Task<void> write(std::string_view bytes);           // all of them
  // Nothing more is sent; what the peer sends is still read.
  void shutdown_send();
  void close();

 private:
  std::unique_ptr<ByteStream> stream_;
  TcpEndpoint local_;
  TcpEndpoint peer_;
};

// Moves bytes both ways until both sides have ended, each in its own time; at most a block of each direction
// is held here. Ends both when one fails or nothing moves for `idle`. Gives the bytes of both ways.
Task<std::uint64_t> relay(TimerClock& clock, TcpStream& left, TcpStream& right, Duration idle);

class TcpListener {
 public:
  using Serve = std::function<Task<void>(std::unique_ptr<TcpStream>)>;
  struct Limits {
    std::size_t max_connections = 10'000;
  };

  // Forbidden when the port needs more rights, Unavailable when it cannot be had for another reason.
  static Result<std::unique_ptr<TcpListener>> listen(boost::asio::any_io_executor executor, TimerClock& clock,
                                                     TcpEndpoint at, Limits limits, Serve serve);
  ~TcpListener();
  TcpListener(const TcpListener&) = delete;
  TcpListener& operator=(const TcpListener&) = delete;

  TcpEndpoint local() const;
  std::size_t connections() const;
  boost::asio::awaitable<void> stop();

 private:
  struct Impl;
  explicit TcpListener(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace fairway::http
