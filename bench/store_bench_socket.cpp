#include "store_bench_socket.hpp"

#include <arpa/inet.h>
#include <array>
#include <cerrno>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <system_error>
#include <unistd.h>

namespace fairway::bench {
namespace {

std::unexpected<Error> failed(std::string_view doing) {
  return fail(ErrorCode::Unavailable,
              std::string(doing) + " failed: " + std::generic_category().message(errno));
}

sockaddr_in loopback(std::uint16_t port) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  return address;
}

}  // namespace

Result<std::shared_ptr<Connection>> Connection::open(std::uint16_t port) {
  const int socket = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (socket < 0) return failed("making a socket");
  std::shared_ptr<Connection> connection(new Connection(socket));
  const sockaddr_in address = loopback(port);
  if (::connect(socket, reinterpret_cast<const sockaddr*>(&address), sizeof(address)) != 0)
    return failed("connecting");
  const int yes = 1;
  ::setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof(yes));
  return connection;
}

Connection::~Connection() {
  ::close(socket_);
}

Result<void> Connection::send(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t sent = ::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent <= 0) return failed("sending");
    bytes.remove_prefix(static_cast<std::size_t>(sent));
  }
  return {};
}

Result<void> Connection::receive() {
  std::array<char, 16'384> chunk;
  const ssize_t size = ::recv(socket_, chunk.data(), chunk.size(), 0);
  if (size < 0) return failed("receiving");
  if (size == 0) return fail(ErrorCode::Unavailable, "the peer has closed the connection");
  received_.append(chunk.data(), static_cast<std::size_t>(size));
  return {};
}

Result<std::string_view> Connection::peek(std::size_t bytes) {
  while (received_.size() < bytes) FAIRWAY_CHECKED(receive());
  return received_;
}

Result<std::string_view> Connection::peek_until(std::string_view end) {
  for (;;) {
    if (const std::size_t at = received_.find(end); at != std::string::npos)
      return std::string_view(received_).substr(0, at + end.size());
    FAIRWAY_CHECKED(receive());
  }
}

void Connection::drop(std::size_t bytes) {
  received_.erase(0, bytes);
}

std::uint16_t free_port() {
  const int socket = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address = loopback(0);
  socklen_t size = sizeof(address);
  const bool is_bound = ::bind(socket, reinterpret_cast<sockaddr*>(&address), size) == 0 &&
                        ::getsockname(socket, reinterpret_cast<sockaddr*>(&address), &size) == 0;
  ::close(socket);
  FAIRWAY_CHECK(is_bound, "no port is free");
  return ntohs(address.sin_port);
}

}  // namespace fairway::bench
