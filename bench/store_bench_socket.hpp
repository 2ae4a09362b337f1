// A blocking connection over loopback, and ports that are free; only what the benchmark's clients need.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "base/result.hpp"

namespace fairway::bench {

class Connection {
 public:
  static Result<std::shared_ptr<Connection>> open(std::uint16_t port);
  ~Connection();
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  Result<void> send(std::string_view bytes);
  // At least so many bytes; they stay until drop().
  Result<std::string_view> peek(std::size_t bytes);
  // Everything up to and with the end mark.
  Result<std::string_view> peek_until(std::string_view end);
  void drop(std::size_t bytes);

 private:
  explicit Connection(int socket) : socket_(socket) {}
  Result<void> receive();

  int socket_;
  std::string received_;
};

std::uint16_t free_port();

}  // namespace fairway::bench
