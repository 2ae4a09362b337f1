// PreparedConnection: one client of a PreparedServer, as a state machine on a socket that never blocks.
//
// It lives on one thread, which tells it what happened and does what it returns: wait, go on in a later turn,
// or close. A turn sends and answers a bounded amount, so that no client keeps the others waiting. Requests
// are answered one at a time, in their order. Between two requests it holds no buffer: bytes are read into
// the thread's one, and only what has to wait for more is kept.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "http/prepared_mailbox.hpp"
#include "http/prepared_request.hpp"
#include "http/prepared_server.hpp"

namespace fairway::http {

// What all threads of a server share.
struct PreparedShared {
  const Clock& clock;
  PreparedServerOptions options;
  PreparedHandler handler;
  std::atomic<std::size_t> connections = 0;

  PreparedReply refusal(int status, std::string_view message) const;
};

// What the connections of one thread share.
struct PreparedThread {
  PreparedThread(PreparedShared& shared, std::shared_ptr<PreparedMailbox> mailbox);
  void read_clock();

  PreparedShared& shared;
  std::shared_ptr<PreparedMailbox> mailbox;
  std::vector<char> scratch;
  RequestParser parser;  // of the request that begins and, nearly always, ends in this turn
  SteadyTime now{};
  bool is_stopping = false;

  // The end of every head: Date, Connection and the empty line. Made anew each second.
  std::string kept_alive;
  std::string kept_alive_http10;
  std::string closed;

 private:
  std::chrono::sys_seconds date_{};
};

// What a connection waits for, each with its own time.
enum class PreparedWait : std::uint8_t { FirstRequest, NextRequest, WholeRequest, Answer, Write, Linger };
constexpr std::size_t kPreparedWaits = 6;

class PreparedConnection {
 public:
  enum class After : std::uint8_t { Wait, GoOn, Close };

  // Takes the socket over.
  PreparedConnection(PreparedThread& thread, int socket, const PeerAddress& peer, ExchangeId id);
  ~PreparedConnection();
  PreparedConnection(const PreparedConnection&) = delete;
  PreparedConnection& operator=(const PreparedConnection&) = delete;

  int socket() const { return socket_; }
  const ExchangeId& id() const { return id_; }
  bool is_idle() const { return phase_ == Phase::Reading && held_.empty(); }

  After on_events(std::uint32_t events);
  After on_reply(const ExchangeId& exchange, PreparedReply reply);
  After on_timeout();
  // What is idle is closed, unless a request has already come.
  After on_stop();
  After go_on();
  After refuse(int status, std::string_view message);

  // What it waits for after a turn, and whether that waiting begins anew.
  PreparedWait wait() const { return wait_; }
  bool takes_new_wait() { return std::exchange(is_new_wait_, false); }

  // The thread's bookkeeping: its place among those that wait for the same, and whether it is to go on.
  struct {
    PreparedConnection* previous = nullptr;
    PreparedConnection* next = nullptr;
    SteadyTime deadline{};
    bool is_waiting = false;
    PreparedWait waits_for{};
    bool is_ready = false;
  } place;

 private:
  enum class Phase : std::uint8_t { Reading, Handling, Writing, Lingering };
  enum class Step : std::uint8_t { GoOn, Blocked, TurnOver, End };
  struct Budget {
    std::size_t requests = 0;
    std::size_t bytes = 0;
  };
  struct LogText {
    std::string method, target, user_agent;
  };

  Step step();
  void settle();
  Step read();
  Step receive();
  void hold();
  Step more_needed(RequestParser& parser);
  Step refuse_request(const RequestParser& parser);
  Step handle(RequestParser& parser);
  void begin_answer(PreparedReply reply);
  void begin_refusal(int status, std::string_view message);
  Step write();
  Step send_text();
  Step send_file();
  Step write_in_sight();
  Step finish_answer();
  Step linger();
  Step drain();
  std::string_view head_end() const;
  void report(bool is_complete);

  PreparedThread& thread_;
  const int socket_;
  const PeerAddress peer_;
  ExchangeId id_;
  Phase phase_ = Phase::Reading;
  PreparedWait wait_ = PreparedWait::FirstRequest;
  bool is_new_wait_ = true;
  bool is_readable_ = false;
  bool is_writable_ = true;
  bool peer_has_ended_ = false;
  bool keeps_alive_ = true;
  bool is_http10_ = false;
  bool is_head_ = false;
  bool is_refused_ = false;
  bool needs_more_ = false;  // what input_ has was parsed and is not whole
  bool has_continued_ = false;
  bool has_begun_head_ = false;
  Budget budget_;

  // The unanswered bytes, from the first one of a request: in the thread's buffer or, between turns, in
  // held_.
  std::string_view input_;
  std::string held_;
  bool is_input_held_ = false;
  std::unique_ptr<RequestParser> parser_;  // of a request that came in pieces
  std::size_t drained_ = 0;

  PreparedReply reply_;
  std::string unsent_head_;
  std::size_t body_sent_ = 0;
  std::size_t body_size_ = 0;

  SteadyTime asked_at_{};
  const RequestView* asked_ = nullptr;  // during its turn; later its log text is in asked_text_
  std::unique_ptr<LogText> asked_text_;
};

}  // namespace fairway::http
