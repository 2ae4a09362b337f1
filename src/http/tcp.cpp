#include "http/tcp.hpp"

#include <array>
#include <boost/asio/as_tuple.hpp>
#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <fmt/format.h>

#include "async/deadline.hpp"
#include "async/notify.hpp"
#include "async/task_group.hpp"
#include "base/log.hpp"
#include "base/text.hpp"
#include "http/pauses.hpp"
#include "http/stream.hpp"

namespace fairway::http {

namespace asio = boost::asio;
using asio::ip::tcp;
using boost::system::error_code;

namespace {

constexpr std::size_t kRelayBlock = 16 * 1024;

TcpEndpoint endpoint_of(const tcp::endpoint& endpoint) {
  return {endpoint.address().to_string(), endpoint.port()};
}

Result<tcp::endpoint> parse(const TcpEndpoint& endpoint) {
  error_code error;
  const auto address = asio::ip::make_address(endpoint.address, error);
  if (!error) return tcp::endpoint(address, endpoint.port);
  return fail(ErrorCode::Invalid, fmt::format("expected an IP address, found {}", quoted(endpoint.address)));
}

Task<void> connect_socket(std::shared_ptr<tcp::socket> socket, tcp::endpoint to) {
  if (co_await async::is_cancelled()) co_return async::cancelled();
  auto state = co_await asio::this_coro::cancellation_state;
  bool is_stopped = false;
  if (state.slot().is_connected()) {
    state.slot().assign([socket, &is_stopped](asio::cancellation_type) {
      is_stopped = true;
      error_code ignored;
      socket->close(ignored);
    });
  }
  auto token = asio::bind_cancellation_slot(asio::cancellation_slot(), asio::as_tuple(asio::use_awaitable));
  const auto [error] = co_await socket->async_connect(to, std::move(token));
  if (state.slot().is_connected()) state.slot().clear();
  if (is_stopped) co_return async::cancelled();
  if (!error) co_return Result<void>{};
  co_return fail(ErrorCode::Unavailable,
                 fmt::format("cannot connect to {}: {}", endpoint_of(to).to_string(), error.message()));
}

// One direction of a relay. The end of what is read ends what is written, and nothing else.
Task<void> pump(TcpStream& from, TcpStream& to, Watchdog& watchdog, Duration idle, std::uint64_t& moved) {
  std::array<char, kRelayBlock> block;
  for (;;) {
    FAIRWAY_CO_TRY(const std::size_t count, co_await from.read_some(block));
    if (count == 0) break;
    watchdog.arm(idle);
    FAIRWAY_CO_CHECKED(co_await to.write({block.data(), count}));
    watchdog.arm(idle);
    moved += count;
  }
  to.shutdown_send();
  co_return Result<void>{};
}

}  // namespace

std::string TcpEndpoint::to_string() const {
  const bool is_v6 = address.find(':') != std::string::npos;
  return is_v6 ? fmt::format("[{}]:{}", address, port) : fmt::format("{}:{}", address, port);
}

TcpStream::TcpStream(std::unique_ptr<ByteStream> stream, TcpEndpoint local, TcpEndpoint peer)
    : stream_(std::move(stream)), local_(std::move(local)), peer_(std::move(peer)) {}
TcpStream::~TcpStream() = default;

Task<std::unique_ptr<TcpStream>> TcpStream::connect(TimerClock& clock, TcpEndpoint to, Duration timeout,
                                                    std::string from) {
  FAIRWAY_CO_TRY(const tcp::endpoint target, parse(to));
  auto socket = std::make_shared<tcp::socket>(co_await asio::this_coro::executor);
  error_code error;
  socket->open(target.protocol(), error);
  if (!error && !from.empty()) {
    FAIRWAY_CO_TRY(const tcp::endpoint own, parse({from, 0}));
    socket->bind(own, error);
  }
  if (error) {
    co_return fail(ErrorCode::Unavailable,
                   fmt::format("cannot open a connection to {}: {}", to.to_string(), error.message()));
  }
  FAIRWAY_CO_CHECKED(
      co_await async::with_deadline(clock, clock.steady() + timeout, connect_socket(socket, target)));
  const TcpEndpoint local = endpoint_of(socket->local_endpoint(error));
  co_return std::make_unique<TcpStream>(make_plain_stream(std::move(*socket)), local, std::move(to));
}

Task<std::size_t> TcpStream::read_some(std::span<char> into) {
  return stream_->read_some(into);
}
Task<void> TcpStream::write(std::string_view bytes) {
  return stream_->write(bytes);
}
void TcpStream::shutdown_send() {
  stream_->shutdown_send();
}
void TcpStream::close() {
  stream_->close();
}

Task<std::uint64_t> relay(TimerClock& clock, TcpStream& left, TcpStream& right, Duration idle) {
  const auto close_both = [&] {
    left.close();
    right.close();
  };
  Watchdog watchdog(clock, close_both);
  watchdog.arm(idle);
  std::optional<Error> failure;
  std::uint64_t moved = 0;
  async::TaskGroup ways(co_await asio::this_coro::executor, [&](const std::string&, const Error& error) {
    if (!failure) failure = error;
    close_both();
  });
  ways.spawn("there", pump(left, right, watchdog, idle, moved));
  ways.spawn("back", pump(right, left, watchdog, idle, moved));
  const auto ended = co_await ways.join();
  // Cancelled or not, the end of the tasks is waited for.
  co_await asio::this_coro::reset_cancellation_state();
  co_await ways.stop();
  if (!ended) co_return std::unexpected(ended.error());
  if (watchdog.has_expired())
    co_return fail(ErrorCode::Timeout, fmt::format("nothing moved for {}", format_duration(idle)));
  if (failure) co_return std::unexpected(*failure);
  co_return moved;
}

struct TcpListener::Impl {
  Impl(asio::any_io_executor executor, TimerClock& its_clock, Limits its_limits, Serve its_serve)
      : clock(its_clock),
        limits(its_limits),
        serve(std::move(its_serve)),
        acceptor(executor),
        tasks(executor, [](const std::string&, const Error& error) {
          log::debug("a connection ended early", {{"error", error.describe()}});
        }) {}

  TimerClock& clock;
  Limits limits;
  Serve serve;
  tcp::acceptor acceptor;
  TcpEndpoint local;
  async::TaskGroup tasks;  // the one that accepts, and one for each connection

  Result<void> bind(const TcpEndpoint& at);
  Task<void> accept_loop();
  void admit(tcp::socket socket);
};

Result<void> TcpListener::Impl::bind(const TcpEndpoint& at) {
  FAIRWAY_TRY(const tcp::endpoint endpoint, parse(at));
  error_code error;
  acceptor.open(endpoint.protocol(), error);
  if (!error) acceptor.set_option(asio::socket_base::reuse_address(true), error);
  if (!error) acceptor.bind(endpoint, error);
  if (!error) acceptor.listen(asio::socket_base::max_listen_connections, error);
  if (!error) {
    local = endpoint_of(acceptor.local_endpoint(error));
    return {};
  }
  const bool is_forbidden = error == asio::error::access_denied;
  return fail(is_forbidden ? ErrorCode::Forbidden : ErrorCode::Unavailable,
              fmt::format("cannot listen on {}: {}", at.to_string(), error.message()));
}

Task<void> TcpListener::Impl::accept_loop() {
  while (acceptor.is_open()) {
    if (co_await async::is_cancelled()) co_return async::cancelled();
    auto [error, socket] = co_await acceptor.async_accept(asio::as_tuple(asio::use_awaitable));
    if (!error) {
      admit(std::move(socket));
    } else if (error != asio::error::operation_aborted && error != asio::error::connection_aborted) {
      // Out of descriptors or memory: connections end by themselves, so wait a little and go on.
      log::warning("cannot accept connections", {{"at", local.to_string()}, {"error", error.message()}});
      FAIRWAY_CO_CHECKED(co_await async::sleep_for(clock, kAcceptPause));
    }
  }
  co_return Result<void>{};
}

void TcpListener::Impl::admit(tcp::socket socket) {
  // One of the tasks accepts.
  if (tasks.size() > limits.max_connections) {
    log::warning("connection refused: too many are open", {{"at", local.to_string()}});
    return;
  }
  error_code error;
  const auto remote = socket.remote_endpoint(error);
  if (error) return;
  auto stream = std::make_unique<TcpStream>(make_plain_stream(std::move(socket)), local, endpoint_of(remote));
  tasks.spawn("connection", serve(std::move(stream)));
}

Result<std::unique_ptr<TcpListener>> TcpListener::listen(asio::any_io_executor executor, TimerClock& clock,
                                                         TcpEndpoint at, Limits limits, Serve serve) {
  auto impl = std::make_unique<Impl>(std::move(executor), clock, limits, std::move(serve));
  FAIRWAY_CHECKED(impl->bind(at));
  impl->tasks.spawn("accept", impl->accept_loop());
  return std::unique_ptr<TcpListener>(new TcpListener(std::move(impl)));
}

TcpListener::TcpListener(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
TcpListener::~TcpListener() = default;

TcpEndpoint TcpListener::local() const {
  return impl_->local;
}
std::size_t TcpListener::connections() const {
  const std::size_t tasks = impl_->tasks.size();
  return tasks == 0 ? 0 : tasks - 1;
}

asio::awaitable<void> TcpListener::stop() {
  error_code ignored;
  impl_->acceptor.close(ignored);
  co_await impl_->tasks.stop();
}

}  // namespace fairway::http
