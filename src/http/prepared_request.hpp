// RequestParser: HTTP/1.1 requests out of bytes, for servers that answer from what is prepared. Pure: no I/O,
// no clock, and no allocation once it has seen a few requests.
//
// The caller holds the bytes; the parser remembers offsets, so the bytes may move between two calls. Each
// byte of a header is looked at once, however slowly they come. Bodies are counted and skipped. What two
// servers could read in two ways (two lengths, a length and chunks, a bare line feed, a folded line) is
// refused; bytes from 0x80 on are accepted in targets and values.
//
//   parser.feed(bytes) == Outcome::Request  →  RequestView(parser, bytes, peer); parser.used() bytes were it
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace fairway::http {

struct RequestLimits {
  std::size_t max_header_bytes = 16 * 1024;  // from the request line to the empty line
  std::size_t max_body_bytes = 64 * 1024;    // a chunked body counts with its framing
};

struct RequestRefusal {
  int status = 400;
  std::string_view message;  // a literal
};

class RequestParser {
 public:
  enum class Outcome { NeedMore, Request, Refusal };

  explicit RequestParser(RequestLimits limits = {}) : limits_(limits) {}

  // For the next request.
  void reset();
  // `bytes` is the request from its first byte on, as far as it is there; more may follow it. After Request
  // or Refusal nothing changes until reset().
  Outcome feed(std::string_view bytes);

  // Of a Request: where it ends in the bytes.
  std::size_t used() const { return position_; }
  const RequestRefusal& refusal() const { return refusal_; }

  // After NeedMore. Only empty lines have come, which may be dropped.
  bool is_blank() const { return stage_ == Stage::Line && line_begin_ > 0 && scanned_ == line_begin_; }
  // The header is whole and the client waits to be told to send the body.
  bool awaits_continue() const { return expects_continue_ && is_in_body(); }
  // The header is whole and its body is not: the caller may drop all that follows the header's bytes.
  bool is_in_body() const { return stage_ > Stage::Fields && stage_ < Stage::Done; }
  std::size_t header_bytes() const { return header_bytes_; }
  void forget_body() { position_ = header_bytes_; }

  bool keeps_alive() const { return keeps_alive_; }
  bool is_http10() const { return is_http10_; }

  struct Span {
    std::uint32_t begin = 0;
    std::uint32_t size = 0;
    std::string_view in(std::string_view bytes) const { return bytes.substr(begin, size); }
  };
  struct Field {
    Span name;
    Span value;
  };
  // Of the request line: empty until it is whole.
  Span method() const { return method_; }
  Span target() const { return target_; }
  Span path() const { return path_; }
  Span query() const { return query_; }
  const std::vector<Field>& fields() const { return fields_; }

 private:
  // In this order a request passes through them.
  enum class Stage {
    Line,
    Fields,
    Length,
    ChunkSize,
    ChunkExtension,
    ChunkSizeEnd,
    ChunkBytes,
    ChunkEnd,
    ChunkEndLine,
    Trailer,
    TrailerLine,
    TrailerLineEnd,
    TrailersEnd,
    Done,
    Refused
  };

  bool refuse(int status, std::string_view message);
  bool next_line(std::string_view bytes);
  bool request_line(std::string_view line);
  bool version(std::string_view text);
  bool split_target(std::string_view target);
  bool field_line(std::string_view line);
  bool known_field(std::string_view name, std::string_view value);
  bool content_length(std::string_view value);
  bool connection(std::string_view value);
  bool end_header();
  bool skip_body(std::string_view bytes);
  bool skip_length(std::string_view bytes);
  bool chunk_byte(char c);
  bool chunk_size_byte(char c);
  Span span_of(std::string_view part) const;

  RequestLimits limits_;
  Stage stage_ = Stage::Line;
  std::size_t line_begin_ = 0;
  std::size_t scanned_ = 0;
  std::size_t position_ = 0;
  std::size_t header_bytes_ = 0;
  const char* base_ = nullptr;  // of the bytes of this call

  Span method_, target_, path_, query_;
  std::vector<Field> fields_;
  bool is_http10_ = false;
  bool keeps_alive_ = true;
  bool asks_close_ = false;
  bool asks_keep_alive_ = false;
  bool expects_continue_ = false;
  bool is_chunked_ = false;
  std::uint32_t hosts_ = 0;
  std::optional<std::uint64_t> length_;

  std::uint64_t body_left_ = 0;   // of the body, or of the current chunk
  std::uint64_t body_bytes_ = 0;  // of a chunked body with its framing
  std::uint32_t size_digits_ = 0;
  RequestRefusal refusal_;
};

// An address of 16 bytes, IPv4 as ::ffff:a.b.c.d: a key for limits by client that needs no allocation.
struct PeerAddress {
  std::array<std::uint8_t, 16> bytes{};
  std::uint16_t port = 0;

  std::string to_string() const;  // 192.0.2.1, 2001:db8::1; without the port
  bool operator==(const PeerAddress&) const = default;
};

// A whole request. All views point into the connection's bytes and are valid while the handler is called.
struct RequestView {
  std::string_view method;
  std::string_view target;
  std::string_view path;   // as it was sent, not decoded; of an absolute target its path
  std::string_view query;  // as it was sent, without the question mark
  const PeerAddress& peer;

  RequestView(const RequestParser& parser, std::string_view bytes, const PeerAddress& peer);

  // The first of that name, compared without regard to case; empty when there is none.
  std::string_view header(std::string_view name) const;
  bool has_header(std::string_view name) const;
  // All values of a list-valued header, as one line would have said them.
  std::string joined(std::string_view name) const;

 private:
  const RequestParser::Field* find(std::string_view name) const;

  const RequestParser& parser_;
  std::string_view bytes_;
};

}  // namespace fairway::http
