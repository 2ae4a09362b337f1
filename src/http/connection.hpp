// One connection of the server. Not for use outside this folder.
#pragma once

#include <memory>
#include <string>

#include "http/read_buffer.hpp"
#include "http/server.hpp"
#include "http/stream.hpp"

namespace fairway::http {

class Connection {
 public:
  struct Shared {  // what all connections of a server have in common
    TimerClock& clock;
    ServerLimits limits;
    Handler handler;
    RefusalBody refusal;
    std::size_t body_bytes = 0;  // held by the requests of all connections
  };

  Connection(std::shared_ptr<Shared> shared, std::unique_ptr<ByteStream> stream, Peer peer);
  ~Connection();

  // Until the client is done, has failed, or was refused.
  Task<void> serve();

  struct Refused {
    int status;
    std::string message;
  };

  enum class Phase { Idle, Busy, Streaming };
  Phase phase() const { return phase_; }
  void close_after_this_request() { keep_alive_ = false; }
  void close() { stream_->close(); }
  // Called when a stream begins: watches for the client to go, and then calls `cancel`.
  void set_stream_hooks(std::function<void()> on_stream_start) {
    on_stream_start_ = std::move(on_stream_start);
  }
  Task<void> watch_for_end();

 private:
  friend class ResponseWriter;
  struct Received;

  // Counts this connection's body against the limit of all; false when there is no room for it.
  bool hold_body(std::size_t bytes);
  // The next request; nothing when the connection is to be closed.
  Task<std::optional<Request>> receive();
  Task<void> refuse(Refused why);
  Task<void> write_message(const std::string& head, const Body& body, bool chunked);
  std::string head_text(const Response& response, std::optional<std::size_t> length) const;

  std::shared_ptr<Shared> shared_;
  std::unique_ptr<ByteStream> stream_;
  Peer peer_;
  Watchdog watchdog_;
  ReadBuffer buffer_;  // received and not yet parsed
  std::string scratch_;
  std::size_t held_bytes_ = 0;
  Phase phase_ = Phase::Idle;
  bool keep_alive_ = true;
  bool is_head_request_ = false;
  bool is_http10_ = false;
  std::function<void()> on_stream_start_;
};

}  // namespace fairway::http
