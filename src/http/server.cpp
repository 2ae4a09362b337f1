#include "http/server.hpp"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <fmt/format.h>
#include <map>

#include "async/notify.hpp"
#include "async/task_group.hpp"
#include "base/log.hpp"
#include "base/text.hpp"
#include "http/connection.hpp"
#include "http/pauses.hpp"

namespace fairway::http {

namespace asio = boost::asio;
using asio::ip::tcp;
using boost::system::error_code;

struct Server::Impl {
  Impl(asio::any_io_executor executor, TimerClock& clock, ServerOptions given, Handler handler,
       RefusalBody refusal)
      : options(std::move(given)),
        shared(std::make_shared<Connection::Shared>(
            Connection::Shared{clock, options.limits, std::move(handler), std::move(refusal)})),
        acceptor(executor),
        tasks(executor) {}

  ServerOptions options;
  std::shared_ptr<Connection::Shared> shared;
  tcp::acceptor acceptor;
  async::TaskGroup tasks;
  std::map<Connection*, async::TaskGroup::TaskId> open;

  Result<void> bind();
  Task<void> accept_loop();
  void admit(tcp::socket socket);
  Task<void> run(std::shared_ptr<Connection> connection);
  Task<void> monitor(std::shared_ptr<Connection> connection);
};

Result<void> Server::Impl::bind() {
  error_code error;
  const auto address = asio::ip::make_address(options.address, error);
  if (error) {
    return fail(ErrorCode::Invalid,
                fmt::format("expected an IP address to listen on, found {}", quoted(options.address)));
  }
  const tcp::endpoint endpoint(address, options.port);
  acceptor.open(endpoint.protocol(), error);
  if (!error) acceptor.set_option(asio::socket_base::reuse_address(true), error);
  if (!error) acceptor.bind(endpoint, error);
  if (!error) acceptor.listen(4096, error);
  if (!error) return {};
  return fail(ErrorCode::Unavailable,
              fmt::format("cannot listen on {}:{}: {}; is another process using the port?", options.address,
                          options.port, error.message()));
}

Task<void> Server::Impl::accept_loop() {
  while (acceptor.is_open()) {
    if (co_await async::is_cancelled()) co_return async::cancelled();
    auto [error, socket] = co_await acceptor.async_accept(asio::as_tuple(asio::use_awaitable));
    if (!error) {
      admit(std::move(socket));
    } else if (error != asio::error::operation_aborted && error != asio::error::connection_aborted) {
      // Out of descriptors or memory: connections end by themselves, so wait a little and go on.
      log::warning("cannot accept connections", {{"error", error.message()}});
      FAIRWAY_CO_CHECKED(co_await async::sleep_for(shared->clock, kAcceptPause));
    }
  }
  co_return Result<void>{};
}

void Server::Impl::admit(tcp::socket socket) {
  if (open.size() >= options.limits.max_connections) {
    log::warning("connection refused: too many are open", {{"limit", fmt::to_string(open.size())}});
    return;
  }
  error_code error;
  const auto remote = socket.remote_endpoint(error);
  if (error) return;
  Peer peer{remote.address().to_string(), remote.port(), std::nullopt};
  auto stream = options.tls ? make_tls_server_stream(std::move(socket), options.tls)
                            : make_plain_stream(std::move(socket));
  auto connection = std::make_shared<Connection>(shared, std::move(stream), std::move(peer));
  connection->set_stream_hooks([this, weak = std::weak_ptr(connection)] {
    if (auto self = weak.lock()) tasks.spawn("stream monitor", monitor(std::move(self)));
  });
  Connection* key = connection.get();
  const auto id = tasks.spawn("connection", run(std::move(connection)));
  if (id != async::TaskGroup::kRefused) open.emplace(key, id);
}

Task<void> Server::Impl::run(std::shared_ptr<Connection> connection) {
  auto served = co_await connection->serve();
  open.erase(connection.get());
  co_return served;
}

Task<void> Server::Impl::monitor(std::shared_ptr<Connection> connection) {
  auto watched = co_await connection->watch_for_end();
  if (const auto found = open.find(connection.get()); found != open.end()) tasks.cancel(found->second);
  co_return watched;
}

Result<std::unique_ptr<Server>> Server::listen(asio::any_io_executor executor, TimerClock& clock,
                                               ServerOptions options, Handler handler, RefusalBody refusal) {
  auto impl = std::make_unique<Impl>(std::move(executor), clock, std::move(options), std::move(handler),
                                     std::move(refusal));
  FAIRWAY_CHECKED(impl->bind());
  impl->tasks.spawn("accept", impl->accept_loop());
  return std::unique_ptr<Server>(new Server(std::move(impl)));
}

Server::Server(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Server::~Server() = default;

std::uint16_t Server::port() const {
  return impl_->acceptor.local_endpoint().port();
}
std::size_t Server::connections() const {
  return impl_->open.size();
}
void Server::set_tls(std::shared_ptr<TlsContext> tls) {
  impl_->options.tls = std::move(tls);
}

asio::awaitable<void> Server::stop(Duration grace) {
  error_code ignored;
  impl_->acceptor.close(ignored);
  for (const auto& [connection, id] : impl_->open) {
    connection->close_after_this_request();
    if (connection->phase() == Connection::Phase::Idle) connection->close();
    if (connection->phase() == Connection::Phase::Streaming) impl_->tasks.cancel(id);
  }
  const auto timer = impl_->shared->clock.call_at(impl_->shared->clock.steady() + grace, [this] {
    for (const auto& [connection, id] : impl_->open) connection->close();
    impl_->tasks.cancel();
  });
  while (!(co_await impl_->tasks.join())) {
    if (co_await async::is_cancelled()) break;
  }
  co_await impl_->tasks.stop();
}

}  // namespace fairway::http
