#include "http/prepared_server.hpp"

#include <arpa/inet.h>
#include <cerrno>
#include <cstring>
#include <fmt/format.h>
#include <netinet/tcp.h>
#include <system_error>
#include <unistd.h>
#include <utility>

#include "base/text.hpp"
#include "http/prepared_worker.hpp"

namespace fairway::http {
namespace {

constexpr int kBacklog = 4096;

struct Address {
  sockaddr_storage storage{};
  socklen_t size = 0;

  void set_port(std::uint16_t port);
  std::uint16_t port() const;
};

void Address::set_port(std::uint16_t port) {
  const std::uint16_t number = htons(port);
  const std::size_t at =
      storage.ss_family == AF_INET6 ? offsetof(sockaddr_in6, sin6_port) : offsetof(sockaddr_in, sin_port);
  std::memcpy(reinterpret_cast<char*>(&storage) + at, &number, sizeof number);
}

std::uint16_t Address::port() const {
  std::uint16_t number = 0;
  const std::size_t at =
      storage.ss_family == AF_INET6 ? offsetof(sockaddr_in6, sin6_port) : offsetof(sockaddr_in, sin_port);
  std::memcpy(&number, reinterpret_cast<const char*>(&storage) + at, sizeof number);
  return ntohs(number);
}

Result<Address> parse_address(const std::string& text, std::uint16_t port) {
  Address address;
  sockaddr_in v4{};
  sockaddr_in6 v6{};
  if (::inet_pton(AF_INET, text.c_str(), &v4.sin_addr) == 1) {
    v4.sin_family = AF_INET;
    address.size = sizeof v4;
    std::memcpy(&address.storage, &v4, sizeof v4);
  } else if (::inet_pton(AF_INET6, text.c_str(), &v6.sin6_addr) == 1) {
    v6.sin6_family = AF_INET6;
    address.size = sizeof v6;
    std::memcpy(&address.storage, &v6, sizeof v6);
  } else {
    return fail(ErrorCode::Invalid,
                fmt::format("expected an IPv4 or IPv6 address to listen on, found {}", quoted(text)));
  }
  address.set_port(port);
  return address;
}

// A descriptor that is closed unless it is released.
class Socket {
 public:
  explicit Socket(int number) : number_(number) {}
  ~Socket() {
    if (number_ >= 0) ::close(number_);
  }
  Socket(Socket&& other) noexcept : number_(other.release()) {}
  Socket& operator=(Socket&&) = delete;

  int get() const { return number_; }
  int release() { return std::exchange(number_, -1); }
  bool set(int level, int option, int value) const {
    return ::setsockopt(number_, level, option, &value, sizeof value) == 0;
  }

 private:
  int number_;
};

// Gives the address its port when that was open. Accepted sockets inherit TCP_NODELAY, which saves a call
// each.
Result<Socket> open_listener(Address& address, const PreparedServerOptions& options, bool is_shared) {
  Socket socket(::socket(address.storage.ss_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  const bool is_v6 = address.storage.ss_family == AF_INET6;
  const bool is_open =
      socket.get() >= 0 && socket.set(SOL_SOCKET, SO_REUSEADDR, 1) &&
      (!is_shared || socket.set(SOL_SOCKET, SO_REUSEPORT, 1)) &&
      (!is_v6 || socket.set(IPPROTO_IPV6, IPV6_V6ONLY, 0)) && socket.set(IPPROTO_TCP, TCP_NODELAY, 1) &&
      ::bind(socket.get(), reinterpret_cast<const sockaddr*>(&address.storage), address.size) == 0 &&
      ::listen(socket.get(), kBacklog) == 0 &&
      ::getsockname(socket.get(), reinterpret_cast<sockaddr*>(&address.storage), &address.size) == 0;
  if (is_open) return socket;
  const int error = errno;
  return fail(error == EADDRINUSE ? ErrorCode::AlreadyExists : ErrorCode::Unavailable,
              fmt::format("cannot listen on {} port {}: {}", options.address, address.port(),
                          std::generic_category().message(error)));
}

}  // namespace

struct PreparedServer::Impl {
  PreparedShared shared;
  std::uint16_t port = 0;
  std::vector<std::unique_ptr<PreparedWorker>> workers = {};
};

PreparedServer::PreparedServer(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}

PreparedServer::~PreparedServer() {
  stop(Duration::zero());
}

Result<std::unique_ptr<PreparedServer>> PreparedServer::listen(const Clock& clock,
                                                               PreparedServerOptions options,
                                                               PreparedHandler handler) {
  FAIRWAY_TRY(Address address, parse_address(options.address, options.port));
  const std::size_t threads = std::max<std::size_t>(options.threads, 1);
  // Sockets that share a port would also share it with another server that does so. One that does not share
  // finds out whether the port is free.
  if (threads > 1 && options.port != 0) FAIRWAY_CHECKED(open_listener(address, options, false));
  std::vector<Socket> listeners;
  for (std::size_t i = 0; i < threads; ++i) {
    FAIRWAY_TRY(Socket listener, open_listener(address, options, threads > 1));
    listeners.push_back(std::move(listener));
  }
  std::unique_ptr<Impl> impl(new Impl{{clock, std::move(options), std::move(handler)}, address.port()});
  std::unique_ptr<PreparedServer> server(new PreparedServer(std::move(impl)));
  for (Socket& listener : listeners) {
    FAIRWAY_TRY(auto worker, PreparedWorker::start(server->impl_->shared, listener.release()));
    server->impl_->workers.push_back(std::move(worker));
  }
  return server;
}

std::uint16_t PreparedServer::port() const {
  return impl_->port;
}

std::size_t PreparedServer::connections() const {
  return impl_->shared.connections;
}

void PreparedServer::stop(Duration grace) {
  const SteadyTime deadline = impl_->shared.clock.steady() + grace;
  for (const auto& worker : impl_->workers) worker->begin_stop(deadline);
  for (const auto& worker : impl_->workers) worker->join();
}

void PreparedServer::poke() {
  for (const auto& worker : impl_->workers) worker->poke();
}

}  // namespace fairway::http
