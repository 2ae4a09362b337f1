#include "http/client.hpp"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/connect.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/read_until.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/write.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/string_body.hpp>
#include <fmt/format.h>
#include <map>
#include <vector>

#include "async/deadline.hpp"
#include "base/text.hpp"
#include "http/read_buffer.hpp"
#include "http/stream.hpp"

namespace fairway::http {
namespace {

namespace asio = boost::asio;
namespace beast_http = boost::beast::http;
using asio::ip::tcp;
using boost::system::error_code;
using Parser = beast_http::response_parser<beast_http::string_body>;

constexpr std::size_t kAnswerBlock = 32 * 1024;
constexpr std::uint32_t kHeaderLimit = 256 * 1024;

std::string request_text(const ClientRequest& request, const ClientOptions& options, bool absolute_target) {
  std::string text;
  const std::string path = request.url.path.empty() ? "/" : request.url.path;
  fmt::format_to(std::back_inserter(text), "{} {}{} HTTP/1.1\r\nHost: {}\r\n", request.method,
                 absolute_target ? request.url.origin() : "", path, request.url.authority());
  if (!request.headers.find("user-agent")) text += "User-Agent: " + options.user_agent + "\r\n";
  for (const auto& [name, value] : request.headers)
    text.append(name).append(": ").append(value).append("\r\n");
  const bool carries_body = request.method != "GET" && request.method != "HEAD";
  if (!request.body.empty() || carries_body) {
    fmt::format_to(std::back_inserter(text), "Content-Length: {}\r\n", request.body.size());
  }
  return text + "\r\n" + request.body;
}

bool is_header_safe(const ClientRequest& request) {
  const auto is_clean = [](std::string_view text) {
    return text.find_first_of("\r\n") == std::string_view::npos;
  };
  for (const auto& [name, value] : request.headers) {
    if (!is_clean(name) || !is_clean(value)) return false;
  }
  return is_clean(request.url.path) && is_clean(request.method) &&
         request.url.path.find(' ') == std::string::npos;
}

// Asks a proxy for a connection to the target. The target's first bytes come only after ours, so the answer's
// head is all there is to read.
Task<void> open_tunnel(tcp::socket& socket, const Url& proxy, const Url& target) {
  const auto token = asio::as_tuple(asio::use_awaitable);
  std::string ask = fmt::format("CONNECT {0} HTTP/1.1\r\nHost: {0}\r\n", target.authority());
  if (!proxy.user_info.empty()) {
    const auto user_info = percent_decode(proxy.user_info).value_or(proxy.user_info);
    ask += "Proxy-Authorization: Basic " + encode_base64(user_info) + "\r\n";
  }
  ask += "\r\n";
  auto [write_error, written] = co_await asio::async_write(socket, asio::buffer(ask), token);
  std::string answer;
  auto [read_error, count] = co_await asio::async_read_until(socket, asio::dynamic_buffer(answer, 8 * 1024),
                                                             std::string_view("\r\n\r\n"), token);
  if (co_await async::is_cancelled()) co_return async::cancelled();
  if (write_error || read_error) {
    co_return fail(ErrorCode::Unavailable,
                   fmt::format("the proxy {} closed the connection", proxy.authority()));
  }
  const std::string_view status_line = std::string_view(answer).substr(0, answer.find("\r\n"));
  const auto words = split_words(status_line);
  if (words.size() < 2 || words[1] != "200") {
    co_return fail(ErrorCode::Unavailable, fmt::format("the proxy {} refused the connection to {}: {}",
                                                       proxy.authority(), target.authority(), status_line));
  }
  co_return Result<void>{};
}

// One connection to a server, and the answer that is being read from it.
class Exchange {
 public:
  Exchange(TimerClock& clock, std::unique_ptr<ByteStream> stream)
      : stream_(std::move(stream)), watchdog_(clock, [this] { stream_->close(); }) {}

  ByteStream& stream() { return *stream_; }
  Watchdog& watchdog() { return watchdog_; }
  bool was_used() const { return used_; }
  bool has_answer_begun() const { return answer_begun_; }

  Task<void> send(const std::string& text) { return stream_->write(text); }

  // Begins to read an answer; true once its head is complete.
  Task<void> read_head(bool is_head_request, std::optional<std::uint64_t> body_limit) {
    used_ = true;
    answer_begun_ = false;
    parser_.emplace();
    parser_->header_limit(kHeaderLimit);
    if (body_limit) {
      parser_->body_limit(*body_limit);
    } else {
      parser_->body_limit(boost::none);
    }
    if (is_head_request) parser_->skip(true);
    while (!parser_->is_header_done()) FAIRWAY_CO_CHECKED(co_await advance());
    // 100 Continue and its like announce another answer.
    if (parser_->get().result_int() < 200) co_return co_await read_head(is_head_request, body_limit);
    co_return Result<void>{};
  }

  // Reads on until there is some body or the answer is whole.
  Task<std::string> read_body() {
    while (parser_->get().body().empty() && !parser_->is_done()) FAIRWAY_CO_CHECKED(co_await advance());
    co_return std::exchange(parser_->get().body(), {});
  }

  bool is_done() const { return parser_->is_done(); }
  bool may_be_kept() const { return parser_->is_done() && parser_->keep_alive() && buffer_.empty(); }
  int status() const { return static_cast<int>(parser_->get().result_int()); }
  Headers headers() const {
    Headers headers;
    for (const auto& field : parser_->get())
      headers.add(std::string(field.name_string()), std::string(field.value()));
    return headers;
  }

 private:
  // Feeds the parser with what was received, or receives more.
  Task<void> advance() {
    if (!buffer_.empty()) {
      error_code error;
      parser_->eager(parser_->is_header_done());
      const std::size_t used = parser_->put(asio::buffer(buffer_.bytes()), error);
      buffer_.use(used);
      if (error && error != beast_http::error::need_more) {
        co_return fail(error == beast_http::error::body_limit ? ErrorCode::Invalid : ErrorCode::Unavailable,
                       fmt::format("the server's answer cannot be read: {}", error.message()));
      }
      if (used > 0) co_return Result<void>{};
    }
    auto count = co_await stream_->read_some(buffer_.room(kAnswerBlock));
    if (!count) co_return std::unexpected(timed(std::move(count).error()));
    if (*count > 0) {
      buffer_.add(*count);
      answer_begun_ = true;
      co_return Result<void>{};
    }
    // The parser takes no end before a beginning.
    if (!parser_->got_some())
      co_return fail(ErrorCode::Unavailable, "the server closed the connection without an answer");
    error_code error;
    parser_->put_eof(error);
    if (!error && parser_->is_done()) co_return Result<void>{};
    co_return fail(ErrorCode::Unavailable, "the server closed the connection in the middle of its answer");
  }

  Error timed(Error error) const {
    if (!watchdog_.has_expired()) return error;
    return Error{ErrorCode::Timeout, "the server did not answer in time"};
  }

  std::unique_ptr<ByteStream> stream_;
  Watchdog watchdog_;
  std::optional<Parser> parser_;
  ReadBuffer buffer_;
  bool used_ = false;
  bool answer_begun_ = false;
};

}  // namespace

struct Client::Impl : std::enable_shared_from_this<Client::Impl> {
  Impl(asio::any_io_executor given, TimerClock& its_clock, ClientOptions its_options)
      : executor(std::move(given)), clock(its_clock), options(std::move(its_options)) {}

  asio::any_io_executor executor;
  TimerClock& clock;
  ClientOptions options;
  std::map<std::string, std::vector<std::unique_ptr<Exchange>>> idle;

  bool uses_plain_proxy(const Url& url) const { return options.proxy && !url.is_tls(); }

  Task<tcp::socket> connect(std::string host, std::uint16_t port);
  Task<std::unique_ptr<Exchange>> make_exchange(Url url);
  Task<std::unique_ptr<Exchange>> acquire(const Url& url, bool fresh);
  Task<std::unique_ptr<Exchange>> begin(ClientRequest request, std::optional<std::uint64_t> body_limit);
  void release(const Url& url, std::unique_ptr<Exchange> exchange);
};

Task<tcp::socket> Client::Impl::connect(std::string host, std::uint16_t port) {
  tcp::resolver resolver(executor);
  const auto token = asio::as_tuple(asio::use_awaitable);
  auto [resolve_error, endpoints] = co_await resolver.async_resolve(host, fmt::to_string(port), token);
  if (co_await async::is_cancelled()) co_return async::cancelled();
  if (resolve_error) {
    co_return fail(ErrorCode::Unavailable,
                   fmt::format("the host {} cannot be resolved: {}", quoted(host), resolve_error.message()));
  }
  tcp::socket socket(executor);
  auto [error, endpoint] = co_await asio::async_connect(socket, endpoints, token);
  if (co_await async::is_cancelled()) co_return async::cancelled();
  if (error) {
    co_return fail(ErrorCode::Unavailable,
                   fmt::format("cannot connect to {}:{}: {}", host, port, error.message()));
  }
  co_return socket;
}

Task<std::unique_ptr<Exchange>> Client::Impl::make_exchange(Url url) {
  const Url& first = options.proxy ? *options.proxy : url;
  FAIRWAY_CO_TRY(tcp::socket socket, co_await connect(first.host, first.port));
  if (!url.is_tls()) co_return std::make_unique<Exchange>(clock, make_plain_stream(std::move(socket)));
  if (!options.tls)
    co_return fail(ErrorCode::Invalid, "an https URL needs TLS settings, and none were given");
  if (options.proxy) FAIRWAY_CO_CHECKED(co_await open_tunnel(socket, *options.proxy, url));
  auto stream = make_tls_client_stream(std::move(socket), options.tls, url.host);
  FAIRWAY_CO_CHECKED(co_await stream->handshake());
  co_return std::make_unique<Exchange>(clock, std::move(stream));
}

Task<std::unique_ptr<Exchange>> Client::Impl::acquire(const Url& url, bool fresh) {
  auto& kept = idle[url.origin()];
  while (!fresh && !kept.empty()) {
    auto exchange = std::move(kept.back());
    kept.pop_back();
    if (!exchange->stream().is_stale()) co_return exchange;
  }
  auto made =
      co_await async::with_deadline(clock, clock.steady() + options.connect_timeout, make_exchange(url));
  if (!made) co_return std::unexpected(std::move(made.error()).within(url.origin()));
  co_return made;
}

Task<std::unique_ptr<Exchange>> Client::Impl::begin(ClientRequest request,
                                                    std::optional<std::uint64_t> body_limit) {
  if (!is_header_safe(request)) {
    co_return fail(ErrorCode::Invalid,
                   "expected a request without line breaks in its head and blanks in its path");
  }
  const std::string text = request_text(request, options, uses_plain_proxy(request.url));
  const bool is_head = request.method == "HEAD";
  for (bool fresh = false;; fresh = true) {
    FAIRWAY_CO_TRY(auto exchange, co_await acquire(request.url, fresh));
    const bool reused = exchange->was_used();
    exchange->watchdog().arm(request.timeout);
    auto done = co_await exchange->send(text);
    if (done) done = co_await exchange->read_head(is_head, body_limit);
    if (done) co_return exchange;
    if (exchange->watchdog().has_expired()) {
      co_return fail(ErrorCode::Timeout,
                     fmt::format("{} {} got no answer within {}", request.method,
                                 request.url.origin() + request.url.path, format_duration(request.timeout)));
    }
    // A kept connection may have been closed by the server just before we used it. That is no answer; asking
    // once more is safe unless the request may have been carried out.
    const bool is_repeatable = request.is_repeatable || request.method == "GET" || request.method == "HEAD";
    const bool may_repeat =
        reused && !exchange->has_answer_begun() && is_repeatable && done.error().code != ErrorCode::Cancelled;
    if (!may_repeat) co_return std::unexpected(std::move(done.error()).within(request.url.origin()));
  }
}

void Client::Impl::release(const Url& url, std::unique_ptr<Exchange> exchange) {
  exchange->watchdog().disarm();
  auto& kept = idle[url.origin()];
  if (exchange->may_be_kept() && kept.size() < options.max_idle_connections)
    kept.push_back(std::move(exchange));
}

namespace {

class OpenResponse final : public ResponseStream {
 public:
  OpenResponse(std::unique_ptr<Exchange> exchange, std::function<void(std::unique_ptr<Exchange>)> release)
      : exchange_(std::move(exchange)),
        release_(std::move(release)),
        status_(exchange_->status()),
        headers_(exchange_->headers()) {}

  int status() const override { return status_; }
  const Headers& headers() const override { return headers_; }

  Task<std::string> read(Duration timeout) override {
    if (!exchange_) co_return std::string();
    if (co_await async::is_cancelled()) co_return async::cancelled();
    exchange_->watchdog().arm(timeout);
    auto piece = co_await exchange_->read_body();
    if (!piece) {
      exchange_.reset();
      co_return piece;
    }
    exchange_->watchdog().disarm();
    if (piece->empty()) release_(std::move(exchange_));
    co_return piece;
  }

 private:
  std::unique_ptr<Exchange> exchange_;
  std::function<void(std::unique_ptr<Exchange>)> release_;
  int status_;
  Headers headers_;
};

}  // namespace

Client::Client(asio::any_io_executor executor, TimerClock& clock, ClientOptions options)
    : impl_(std::make_shared<Impl>(std::move(executor), clock, std::move(options))) {}
Client::~Client() = default;

void Client::set_tls(std::shared_ptr<TlsContext> tls) {
  impl_->options.tls = std::move(tls);
  impl_->idle.clear();
}

Task<Response> Client::send(ClientRequest request) {
  if (co_await async::is_cancelled()) co_return async::cancelled();
  const Url url = request.url;
  FAIRWAY_CO_TRY(auto exchange, co_await impl_->begin(std::move(request), impl_->options.max_body_bytes));
  std::string body;
  for (;;) {
    auto piece = co_await exchange->read_body();
    if (!piece) co_return std::unexpected(std::move(piece.error()).within(url.origin()));
    if (piece->empty()) break;
    body += *piece;
  }
  Response response{exchange->status(), exchange->headers(), Body(std::move(body))};
  impl_->release(url, std::move(exchange));
  co_return response;
}

Task<std::unique_ptr<ResponseStream>> Client::open(ClientRequest request) {
  if (co_await async::is_cancelled()) co_return async::cancelled();
  const Url url = request.url;
  FAIRWAY_CO_TRY(auto exchange, co_await impl_->begin(std::move(request), std::nullopt));
  exchange->watchdog().disarm();
  auto release = [impl = impl_, url](std::unique_ptr<Exchange> done) { impl->release(url, std::move(done)); };
  co_return std::make_unique<OpenResponse>(std::move(exchange), std::move(release));
}

}  // namespace fairway::http
