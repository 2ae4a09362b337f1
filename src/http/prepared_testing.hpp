// What the tests of PreparedServer share: a client that writes what it likes, and a server with a few
// answers.
#pragma once

#include <arpa/inet.h>
#include <atomic>
#include <gtest/gtest.h>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <sys/socket.h>
#include <unistd.h>
#include <utility>
#include <vector>

#include "base/text.hpp"
#include "http/prepared_server.hpp"

namespace fairway::http::testing {

inline constexpr std::size_t kLargeSize = 357'000;

inline std::string pattern(std::size_t size) {
  std::string bytes(size, '\0');
  for (std::size_t i = 0; i < size; ++i) bytes[i] = static_cast<char>(i * 31 + i / 251);
  return bytes;
}

struct RawAnswer {
  std::string head;
  std::string body;

  int status() const { return head.size() > 12 ? static_cast<int>(*parse_unsigned(head.substr(9, 3))) : 0; }
  std::string header(std::string_view name) const {
    for (const std::string_view line : split(head, '\n')) {
      const std::size_t colon = line.find(':');
      if (colon != std::string_view::npos && equals_ignoring_case(line.substr(0, colon), name))
        return std::string(trim(line.substr(colon + 1)));
    }
    return "";
  }
};

// Blocks; what the server never says would end with the time of the test.
class RawSocket {
 public:
  struct Given {};
  RawSocket(std::uint16_t port, int socket, Given) : socket_(socket) { connect(port); }
  explicit RawSocket(std::uint16_t port, int receive_buffer = 0)
      : socket_(::socket(AF_INET, SOCK_STREAM, 0)) {
    if (receive_buffer > 0)
      ::setsockopt(socket_, SOL_SOCKET, SO_RCVBUF, &receive_buffer, sizeof receive_buffer);
    connect(port);
  }
  ~RawSocket() { close(); }
  RawSocket(RawSocket&& other) noexcept
      : socket_(std::exchange(other.socket_, -1)),
        is_connected_(other.is_connected_),
        received_(std::move(other.received_)) {}
  RawSocket& operator=(RawSocket&&) = delete;

  bool is_connected() const { return is_connected_; }
  bool send(std::string_view bytes) const {
    while (!bytes.empty()) {
      const auto sent = ::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
      if (sent <= 0) return false;
      bytes.remove_prefix(static_cast<std::size_t>(sent));
    }
    return true;
  }
  void end() const { ::shutdown(socket_, SHUT_WR); }
  void close() {
    if (socket_ >= 0) ::close(std::exchange(socket_, -1));
  }
  // As a client that is killed: the server gets a reset.
  void reset() {
    const linger at_once{1, 0};
    ::setsockopt(socket_, SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
    close();
  }

  // The next answer; without a head when the server has closed.
  RawAnswer read(bool has_body = true) {
    RawAnswer answer;
    std::size_t end = 0;
    while ((end = received_.find("\r\n\r\n")) == std::string::npos)
      if (!receive()) return answer;
    answer.head = received_.substr(0, end + 4);
    received_.erase(0, end + 4);
    const std::size_t size = has_body ? parse_unsigned(answer.header("Content-Length")).value_or(0) : 0;
    while (received_.size() < size)
      if (!receive()) break;
    answer.body = received_.substr(0, size);
    received_.erase(0, size);
    return answer;
  }
  // At least so many bytes of what comes, which stay unread for read().
  void await(std::size_t bytes) {
    while (received_.size() < bytes && receive()) {
    }
  }
  // All until the server closes.
  std::string drain() {
    while (receive()) {
    }
    return std::exchange(received_, {});
  }

 private:
  void connect(std::uint16_t port) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    is_connected_ = ::connect(socket_, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0;
  }
  bool receive() {
    char buffer[16 * 1024];
    const auto got = ::recv(socket_, buffer, sizeof buffer, 0);
    if (got <= 0) return false;
    received_.append(buffer, static_cast<std::size_t>(got));
    return true;
  }

  int socket_;
  bool is_connected_ = false;
  std::string received_;
};

inline std::string get(std::string_view target, std::string_view fields = "") {
  return std::string("GET ").append(target).append(" HTTP/1.1\r\nHost: x\r\n").append(fields).append("\r\n");
}

struct Answered {
  std::string method, target, user_agent, peer;
  int status = 0;
  std::uint64_t bytes = 0;
  Duration duration{};
  bool is_complete = false;
};

// /small /large /204 /304 answer at once; /later keeps its Responder for the test; /never drops it; /block
// holds the server's thread until the gate is opened; every other path repeats what the handler saw.
class PreparedFixture {
 public:
  explicit PreparedFixture(PreparedServerOptions options = {}) {
    small_ = PreparedAnswer::make(200, {{"Content-Type", "text/plain"}}, PreparedBody::make("hello"));
    large_ = PreparedAnswer::make(200, {}, PreparedBody::make(pattern(kLargeSize)));
    options.on_answer = [this](const RequestLog& log) {
      const std::lock_guard lock(mutex_);
      answered_.push_back({std::string(log.method), std::string(log.target), std::string(log.user_agent),
                           log.peer.to_string(), log.status, log.bytes, log.duration, log.is_complete});
    };
    server_ = *PreparedServer::listen(
        clock, std::move(options),
        [this](const RequestView& request, Responder responder) { handle(request, std::move(responder)); });
  }

  PreparedServer& server() { return *server_; }
  void drop_server() { server_.reset(); }
  RawSocket connect(int receive_buffer = 0) const { return RawSocket(server_->port(), receive_buffer); }
  RawAnswer ask(const std::string& text, bool has_body = true) const {
    RawSocket socket = connect();
    socket.send(text);
    return socket.read(has_body);
  }
  void advance(Duration by) {
    clock.advance(by);
    server_->poke();
  }
  std::vector<Answered> answered() {
    const std::lock_guard lock(mutex_);
    return answered_;
  }
  // Waits, without a time of its own, until so many requests for /later have come.
  void await_later(std::size_t count) {
    while (later_count_ < count) later_count_.wait(later_count_.load());
  }
  void await_block() { is_blocked_.wait(false); }
  void open_gate() {
    is_gate_open_ = true;
    is_gate_open_.notify_all();
  }
  Responder take_later() {
    const std::lock_guard lock(mutex_);
    Responder responder = std::move(later_.front());
    later_.erase(later_.begin());
    return responder;
  }
  std::shared_ptr<const PreparedAnswer> small() const { return small_; }

  ManualClock clock;

 private:
  void handle(const RequestView& request, Responder responder) {
    if (request.path == "/small") return responder.send({small_});
    if (request.path == "/large") return responder.send({large_});
    if (request.path == "/204") return responder.send({PreparedAnswer::make(204, {}, small_body())});
    if (request.path == "/304") return responder.send({PreparedAnswer::make(304, {}, small_body())});
    if (request.path == "/never") return;
    if (request.path == "/block") {
      is_blocked_ = true;
      is_blocked_.notify_all();
      is_gate_open_.wait(false);
      return responder.send({small_});
    }
    if (request.path == "/later") {
      {
        const std::lock_guard lock(mutex_);
        later_.push_back(std::move(responder));
      }
      ++later_count_;
      later_count_.notify_all();
      return;
    }
    const std::string seen = std::string(request.method) + "|" + std::string(request.target) + "|" +
                             std::string(request.path) + "|" + std::string(request.query) + "|" +
                             std::string(request.header("x-test")) + "|" + request.peer.to_string();
    PreparedReply reply{PreparedAnswer::make(200, {}, PreparedBody::make(seen))};
    if (request.has_header("Origin"))
      reply.more_headers = "Access-Control-Allow-Origin: " + std::string(request.header("origin")) + "\r\n";
    responder.send(std::move(reply));
  }
  static std::shared_ptr<const PreparedBody> small_body() { return PreparedBody::make("hello"); }

  std::shared_ptr<const PreparedAnswer> small_;
  std::shared_ptr<const PreparedAnswer> large_;
  std::mutex mutex_;
  std::vector<Answered> answered_;
  std::vector<Responder> later_;
  std::atomic<std::size_t> later_count_ = 0;
  std::atomic<bool> is_blocked_ = false;
  std::atomic<bool> is_gate_open_ = false;
  std::unique_ptr<PreparedServer> server_;
};

}  // namespace fairway::http::testing
