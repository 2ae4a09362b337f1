#include "http/connection.hpp"

#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/string_body.hpp>
#include <fmt/format.h>

#include "base/log.hpp"
#include "base/text.hpp"
#include "http/pauses.hpp"

namespace fairway::http {
namespace {

namespace beast_http = boost::beast::http;
using boost::system::error_code;
using Parser = beast_http::request_parser<beast_http::string_body>;

constexpr std::size_t kRequestBlock = 16 * 1024;
constexpr std::size_t kWriteBlock = 64 * 1024;
constexpr std::size_t kLingerBytes = 8 * 1024 * 1024;

using Refused = Connection::Refused;

Refused body_too_large(const ServerLimits& limits) {
  return {413, fmt::format("the request body is larger than {} bytes", limits.max_body_bytes)};
}

Refused refusal_of(const error_code& error, const ServerLimits& limits) {
  if (error == beast_http::error::header_limit) {
    return {431, fmt::format("the request header is larger than {} bytes", limits.max_header_bytes)};
  }
  if (error == beast_http::error::body_limit) return body_too_large(limits);
  if (error == beast_http::error::bad_version) return {505, "only HTTP/1.1 and HTTP/1.0 are spoken here"};
  return {400, fmt::format("the request is malformed: {}", error.message())};
}

Request to_request(Parser&& parser, const Peer& peer) {
  auto message = parser.release();
  Request request;
  request.method = std::string(message.method_string());
  request.target = std::string(message.target());
  for (const auto& field : message)
    request.headers.add(std::string(field.name_string()), std::string(field.value()));
  request.body = std::move(message.body());
  request.peer = peer;
  return request;
}

}  // namespace

Connection::Connection(std::shared_ptr<Shared> shared, std::unique_ptr<ByteStream> stream, Peer peer)
    : shared_(std::move(shared)),
      stream_(std::move(stream)),
      peer_(std::move(peer)),
      watchdog_(shared_->clock, [this] { stream_->close(); }) {}

Connection::~Connection() {
  hold_body(0);
}

bool Connection::hold_body(std::size_t bytes) {
  const std::size_t others = shared_->body_bytes - held_bytes_;
  if (bytes > 0 && others + bytes > shared_->limits.max_total_body_bytes) return false;
  shared_->body_bytes = others + bytes;
  held_bytes_ = bytes;
  return true;
}

Task<void> Connection::serve() {
  watchdog_.arm(shared_->limits.handshake_timeout);
  if (auto greeted = co_await stream_->handshake(); !greeted) {
    log::debug("handshake failed", {{"peer", peer_.address}, {"error", greeted.error().describe()}});
    co_return Result<void>{};
  }
  peer_.certificate = stream_->peer_certificate();
  while (keep_alive_) {
    phase_ = Phase::Idle;
    hold_body(0);
    auto request = co_await receive();
    if (!request || !*request) break;
    phase_ = Phase::Busy;
    watchdog_.disarm();
    ResponseWriter writer(*this);
    auto handled = co_await shared_->handler(**request, writer);
    if (writer.has_finished()) continue;
    keep_alive_ = false;
    if (writer.has_started()) break;  // the client sees an answer cut short, not one that looks whole
    const std::string why = handled ? "the handler gave no answer" : handled.error().describe();
    log::error("request failed",
               {{"method", (*request)->method}, {"target", (*request)->target}, {"error", why}});
    co_await refuse({500, "internal error"});
  }
  stream_->close();
  co_return Result<void>{};
}

Task<std::optional<Request>> Connection::receive() {
  const ServerLimits& limits = shared_->limits;
  Parser parser;
  parser.header_limit(static_cast<std::uint32_t>(limits.max_header_bytes));
  parser.body_limit(limits.max_body_bytes);
  bool seen_header = false;
  watchdog_.arm(buffer_.empty() ? limits.idle_timeout : limits.header_timeout);
  while (!parser.is_done()) {
    error_code error = beast_http::error::need_more;
    if (!buffer_.empty()) {
      error = {};
      parser.eager(seen_header);
      const std::size_t used = parser.put(boost::asio::buffer(buffer_.bytes()), error);
      buffer_.use(used);
    }
    if (error && error != beast_http::error::need_more) {
      co_await refuse(refusal_of(error, limits));
      co_return std::nullopt;
    }
    // The announced length counts from the start: room is there for all of a body or for none of it.
    const std::uint64_t announced = parser.is_header_done() ? parser.content_length().value_or(0) : 0;
    if (announced <= limits.max_body_bytes &&
        !hold_body(std::max<std::size_t>(announced, parser.get().body().size()))) {
      co_await refuse(
          {503, fmt::format("the bodies of all requests together are larger than {} bytes; try again",
                            limits.max_total_body_bytes)});
      co_return std::nullopt;
    }
    if (parser.is_header_done() && !seen_header) {
      seen_header = true;
      keep_alive_ = parser.get().keep_alive() && keep_alive_;
      is_http10_ = parser.get().version() < 11;
      is_head_request_ = parser.get().method() == beast_http::verb::head;
      if (const auto length = parser.content_length(); length && *length > limits.max_body_bytes) {
        co_await refuse(body_too_large(limits));
        co_return std::nullopt;
      }
      watchdog_.arm(limits.body_timeout);
      if (equals_ignoring_case(parser.get()[beast_http::field::expect], "100-continue")) {
        FAIRWAY_CO_CHECKED(co_await stream_->write("HTTP/1.1 100 Continue\r\n\r\n"));
      }
      continue;
    }
    if (parser.is_done()) break;
    if (!error && !buffer_.empty()) continue;
    auto count = co_await stream_->read_some(buffer_.room(kRequestBlock));
    if (!count || *count == 0) co_return std::nullopt;
    buffer_.add(*count);
    if (phase_ == Phase::Idle && !seen_header) {
      phase_ = Phase::Busy;
      watchdog_.arm(limits.header_timeout);
    }
  }
  co_return to_request(std::move(parser), peer_);
}

Task<void> Connection::refuse(Refused why) {
  keep_alive_ = false;
  hold_body(0);
  Response response;
  if (shared_->refusal) {
    response = shared_->refusal(why.status, why.message);
  } else {
    response = {why.status, {{"Content-Type", "text/plain; charset=utf-8"}}, why.message + "\n"};
  }
  if (why.status == 503) response.headers.add("Retry-After", "1");
  ResponseWriter writer(*this);
  FAIRWAY_CO_CHECKED(co_await writer.send(std::move(response)));
  // The client may still be sending; if we closed now, it might never see the answer.
  stream_->shutdown_send();
  watchdog_.arm(kLingerTime);
  scratch_.resize(kRequestBlock);
  for (std::size_t drained = 0; drained < kLingerBytes;) {
    auto count = co_await stream_->read_some({scratch_.data(), scratch_.size()});
    if (!count || *count == 0) break;
    drained += *count;
  }
  co_return Result<void>{};
}

// Reads while a stream is being sent, only to learn that the client has gone.
Task<void> Connection::watch_for_end() {
  char ignored[512];
  for (;;) {
    auto count = co_await stream_->read_some(ignored);
    if (!count || *count == 0) co_return Result<void>{};
  }
}

std::string Connection::head_text(const Response& response, std::optional<std::size_t> length) const {
  std::string text;
  text.reserve(256);
  fmt::format_to(std::back_inserter(text), "HTTP/1.1 {} {}\r\n", response.status,
                 reason_phrase(response.status));
  for (const auto& [name, value] : response.headers) {
    text.append(name).append(": ").append(value).append("\r\n");
  }
  const bool has_no_body = response.status == 204 || response.status == 304 || response.status < 200;
  if (length && !has_no_body) fmt::format_to(std::back_inserter(text), "Content-Length: {}\r\n", *length);
  if (!length && !is_http10_) text += "Transfer-Encoding: chunked\r\n";
  if (!keep_alive_) text += "Connection: close\r\n";
  if (keep_alive_ && is_http10_) text += "Connection: keep-alive\r\n";
  return text + "\r\n";
}

// Small pieces travel together; a large one is sent from where it lies.
Task<void> Connection::write_message(const std::string& head, const Body& body, bool chunked) {
  watchdog_.arm(shared_->limits.write_timeout);
  scratch_ = head;
  const std::size_t size = body.size();
  if (chunked && size > 0) fmt::format_to(std::back_inserter(scratch_), "{:x}\r\n", size);
  for (const Text& piece : body.pieces) {
    if (piece->size() < kWriteBlock && scratch_.size() + piece->size() <= kWriteBlock) {
      scratch_ += *piece;
      continue;
    }
    if (!scratch_.empty()) FAIRWAY_CO_CHECKED(co_await stream_->write(scratch_));
    scratch_.clear();
    watchdog_.arm(shared_->limits.write_timeout);
    if (piece->size() < kWriteBlock) {
      scratch_ = *piece;
      continue;
    }
    for (std::string_view rest = *piece; !rest.empty();) {
      const std::string_view block = rest.substr(0, 16 * kWriteBlock);
      FAIRWAY_CO_CHECKED(co_await stream_->write(block));
      watchdog_.arm(shared_->limits.write_timeout);
      rest.remove_prefix(block.size());
    }
  }
  if (chunked && size > 0) scratch_ += "\r\n";
  if (!scratch_.empty()) FAIRWAY_CO_CHECKED(co_await stream_->write(scratch_));
  watchdog_.disarm();
  co_return Result<void>{};
}

Task<void> ResponseWriter::send(Response response) {
  FAIRWAY_CHECK(!started_, "a second answer to one request");
  started_ = true;
  status_ = response.status;
  body_bytes_ = response.body.size();
  const std::string head = connection_.head_text(response, body_bytes_);
  FAIRWAY_CO_CHECKED(
      co_await connection_.write_message(head, connection_.is_head_request_ ? Body() : response.body, false));
  finished_ = true;
  co_return Result<void>{};
}

Task<void> ResponseWriter::start(Response head) {
  FAIRWAY_CHECK(!started_, "a second answer to one request");
  started_ = true;
  status_ = head.status;
  // While a stream is sent the connection is also read, to notice the client's end; it cannot be used again.
  connection_.keep_alive_ = false;
  connection_.phase_ = Connection::Phase::Streaming;
  const std::string text = connection_.head_text(head, std::nullopt);
  body_bytes_ += head.body.size();
  FAIRWAY_CO_CHECKED(co_await connection_.write_message(text, head.body, !connection_.is_http10_));
  if (connection_.on_stream_start_) connection_.on_stream_start_();
  co_return Result<void>{};
}

Task<void> ResponseWriter::write(Body pieces) {
  FAIRWAY_CHECK(started_ && !finished_, "a piece outside of a streamed answer");
  body_bytes_ += pieces.size();
  FAIRWAY_CO_CHECKED(co_await connection_.write_message({}, pieces, !connection_.is_http10_));
  co_return Result<void>{};
}

Task<void> ResponseWriter::finish() {
  if (!connection_.is_http10_) FAIRWAY_CO_CHECKED(co_await connection_.write_message("0\r\n\r\n", {}, false));
  finished_ = true;
  co_return Result<void>{};
}

}  // namespace fairway::http
