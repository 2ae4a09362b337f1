#include "http/stream.hpp"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/ssl/error.hpp>
#include <boost/asio/ssl/host_name_verification.hpp>
#include <boost/asio/ssl/stream.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/write.hpp>
#include <fmt/format.h>
#include <sys/socket.h>

#include "http/tls_context.hpp"

namespace fairway::http {
namespace {

namespace asio = boost::asio;
namespace ssl = boost::asio::ssl;
using asio::ip::tcp;
using boost::system::error_code;

bool is_orderly_end(const error_code& error) {
  return error == asio::error::eof || error == ssl::error::stream_truncated;
}

std::unexpected<Error> stream_error(const error_code& error, bool was_cancelled) {
  if (was_cancelled) return async::cancelled();
  return fail(ErrorCode::Unavailable, fmt::format("the connection failed: {}", error.message()));
}

template <class Stream>
class AsioStream : public ByteStream {
 public:
  template <class... Args>
  explicit AsioStream(Args&&... args) : stream_(std::make_shared<Stream>(std::forward<Args>(args)...)) {
    error_code ignored;
    socket().set_option(tcp::no_delay(true), ignored);
  }

  ~AsioStream() override {
    error_code ignored;
    stream_->lowest_layer().close(ignored);
  }

  Task<std::size_t> read_some(std::span<char> into) override {
    const auto [error, count, stopped] = co_await guarded([&](auto token) {
      return stream_->async_read_some(asio::buffer(into.data(), into.size()), std::move(token));
    });
    if (is_orderly_end(error)) co_return 0;
    if (error) co_return stream_error(error, stopped);
    co_return count;
  }

  Task<void> write(std::string_view bytes) override {
    const auto [error, count, stopped] = co_await guarded([&](auto token) {
      return asio::async_write(*stream_, asio::buffer(bytes.data(), bytes.size()), kLargeBlocks,
                               std::move(token));
    });
    if (error) co_return stream_error(error, stopped);
    co_return Result<void>{};
  }

  void close() override {
    error_code ignored;
    socket().close(ignored);
  }

  void shutdown_send() override {
    error_code ignored;
    socket().shutdown(tcp::socket::shutdown_send, ignored);
  }

  bool is_stale() override {
    char byte;
    const auto got = ::recv(socket().native_handle(), &byte, 1, MSG_PEEK | MSG_DONTWAIT);
    return !(got < 0 && (errno == EAGAIN || errno == EWOULDBLOCK));
  }

 protected:
  auto& socket() { return stream_->lowest_layer(); }

  struct Outcome {
    error_code error;
    std::size_t count;
    bool stopped;
  };

  // Runs one operation; the task's cancellation closes the socket, which ends the operation for sure.
  template <class Start>
  asio::awaitable<Outcome> guarded(Start start) {
    const std::shared_ptr<Stream> kept = stream_;
    auto state = co_await asio::this_coro::cancellation_state;
    bool stopped = false;
    if (state.slot().is_connected()) {
      state.slot().assign([kept = stream_, &stopped](asio::cancellation_type) {
        stopped = true;
        error_code ignored;
        kept->lowest_layer().close(ignored);
      });
    }
    auto token = asio::bind_cancellation_slot(asio::cancellation_slot(), asio::as_tuple(asio::use_awaitable));
    const auto result = co_await start(std::move(token));
    if (state.slot().is_connected()) state.slot().clear();
    std::size_t count = 0;
    if constexpr (std::tuple_size_v<std::remove_const_t<decltype(result)>> > 1) count = std::get<1>(result);
    co_return Outcome{std::get<0>(result), count, stopped};
  }

  // Asio hands at most 64 KiB to a stream at once unless told otherwise.
  static constexpr auto kLargeBlocks = [](const error_code& error, std::size_t) -> std::size_t {
    return error ? 0 : 1024 * 1024;
  };

  // Shared with the operations on it: one that is under way when its owner goes ends before the stream does.
  std::shared_ptr<Stream> stream_;
};

class PlainStream final : public AsioStream<tcp::socket> {
 public:
  using AsioStream::AsioStream;
  Task<void> handshake() override { co_return Result<void>{}; }
  std::optional<CertificateIdentity> peer_certificate() const override { return std::nullopt; }
};

class TlsStream final : public AsioStream<ssl::stream<tcp::socket>> {
 public:
  TlsStream(tcp::socket socket, std::shared_ptr<TlsContext> context, ssl::stream_base::handshake_type side)
      : AsioStream(std::move(socket), context->context), context_(std::move(context)), side_(side) {}

  Task<void> handshake() override {
    const auto [error, count, stopped] =
        co_await guarded([&](auto token) { return stream_->async_handshake(side_, std::move(token)); });
    if (!error) co_return Result<void>{};
    if (stopped) co_return async::cancelled();
    const long verdict = SSL_get_verify_result(stream_->native_handle());
    if (side_ == ssl::stream_base::client && verdict != X509_V_OK) {
      co_return fail(ErrorCode::Forbidden, fmt::format("the server's certificate is not trusted: {}",
                                                       X509_verify_cert_error_string(verdict)));
    }
    co_return fail(ErrorCode::Unavailable, fmt::format("the TLS handshake failed: {}", error.message()));
  }

  std::optional<CertificateIdentity> peer_certificate() const override {
    return peer_identity(stream_->native_handle());
  }

  void verify_as(const std::string& host) {
    SSL_set_tlsext_host_name(stream_->native_handle(), host.c_str());
    if (!context_->insecure) stream_->set_verify_callback(ssl::host_name_verification(host));
  }

 private:
  std::shared_ptr<TlsContext> context_;
  ssl::stream_base::handshake_type side_;
};

}  // namespace

std::unique_ptr<ByteStream> make_plain_stream(tcp::socket socket) {
  return std::make_unique<PlainStream>(std::move(socket));
}

std::unique_ptr<ByteStream> make_tls_server_stream(tcp::socket socket, std::shared_ptr<TlsContext> context) {
  return std::make_unique<TlsStream>(std::move(socket), std::move(context), ssl::stream_base::server);
}

std::unique_ptr<ByteStream> make_tls_client_stream(tcp::socket socket, std::shared_ptr<TlsContext> context,
                                                   const std::string& host) {
  const std::string name = context->server_name.empty() ? host : context->server_name;
  auto stream = std::make_unique<TlsStream>(std::move(socket), std::move(context), ssl::stream_base::client);
  stream->verify_as(name);
  return stream;
}

void Watchdog::arm(Duration allowed) {
  deadline_ = clock_.steady() + allowed;
  // A timer that is due earlier finds out then that there is more time, and waits on.
  if (!scheduled_ || *scheduled_ > *deadline_) schedule(*deadline_);
}

void Watchdog::schedule(SteadyTime when) {
  scheduled_ = when;
  timer_ = clock_.call_at(when, [this] { fire(); });
}

void Watchdog::fire() {
  scheduled_.reset();
  if (!deadline_) return;
  if (clock_.steady() < *deadline_) return schedule(*deadline_);
  expired_ = true;
  deadline_.reset();
  on_expiry_();
}

}  // namespace fairway::http
