// Writes to etcd over gRPC: just enough of HTTP/2 for one unary call after the other.
//
// Headers are sent without compression state, answers are recognised by their frames: a call has succeeded
// when a DATA frame (the response) comes before the trailers, which a failed call has alone.
#include <array>
#include <fmt/format.h>

#include "store_bench.hpp"
#include "store_bench_socket.hpp"

namespace fairway::bench {
namespace {

enum : std::uint8_t {
  kData = 0,
  kHeaders = 1,
  kReset = 3,
  kSettings = 4,
  kPing = 6,
  kGoAway = 7,
  kWindowUpdate = 8
};
enum : std::uint8_t { kEndStream = 1, kAck = 1, kEndHeaders = 4 };

void put_number(std::string& out, std::uint32_t number, int bytes) {
  for (int shift = 8 * (bytes - 1); shift >= 0; shift -= 8) out.push_back(static_cast<char>(number >> shift));
}

std::string frame(std::uint8_t type, std::uint8_t flags, std::uint32_t stream, std::string_view payload) {
  std::string out;
  put_number(out, static_cast<std::uint32_t>(payload.size()), 3);
  out.push_back(static_cast<char>(type));
  out.push_back(static_cast<char>(flags));
  put_number(out, stream, 4);
  return out.append(payload);
}

// RFC 7541: indexed fields of the static table, and literals that no side remembers.
std::string put_call_headers() {
  const auto text = [](std::string_view value) {
    return std::string(1, static_cast<char>(value.size())) + std::string(value);
  };
  return std::string("\x83\x86") +                                        // :method POST, :scheme http
         "\x04" + text("/etcdserverpb.KV/Put") + "\x01" + text("etcd") +  // :path, :authority
         "\x0f\x10" + text("application/grpc") + std::string(1, '\0') + text("te") + text("trailers");
}

void put_bytes_field(std::string& out, char tag, std::string_view bytes) {
  out.push_back(tag);
  std::size_t size = bytes.size();
  for (; size >= 0x80; size >>= 7) out.push_back(static_cast<char>(0x80 | (size & 0x7f)));
  out.push_back(static_cast<char>(size));
  out.append(bytes);
}

// A PutRequest, with gRPC's prefix: not compressed, length.
std::string put_message(const std::string& key, const std::string& value) {
  std::string message;
  put_bytes_field(message, 0x0a, key);
  put_bytes_field(message, 0x12, value);
  std::string out(1, '\0');
  put_number(out, static_cast<std::uint32_t>(message.size()), 4);
  return out + message;
}

class GrpcClient {
 public:
  explicit GrpcClient(std::shared_ptr<Connection> connection) : connection_(std::move(connection)) {}

  Result<void> open() {
    std::string window;
    put_number(window, 0x7fff0000 - 65'535, 4);  // answers are small; this lasts for the whole run
    return connection_->send("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + frame(kSettings, 0, 0, "") +
                             frame(kWindowUpdate, 0, 0, window));
  }

  Result<void> put(const std::string& key, const std::string& value) {
    const std::uint32_t stream = std::exchange(next_stream_, next_stream_ + 2);
    FAIRWAY_CHECKED(connection_->send(frame(kHeaders, kEndHeaders, stream, put_call_headers()) +
                                      frame(kData, kEndStream, stream, put_message(key, value))));
    bool has_response = false;
    for (;;) {
      FAIRWAY_TRY(const Frame got, read_frame());
      has_response = has_response || (got.type == kData && got.stream == stream);
      if (got.type == kReset || got.type == kGoAway)
        return fail(ErrorCode::Unavailable, "etcd has ended the call");
      if (got.type != kHeaders || got.stream != stream || (got.flags & kEndStream) == 0) continue;
      if (has_response) return {};
      return fail(ErrorCode::Unavailable, "etcd has refused the write");
    }
  }

 private:
  struct Frame {
    std::uint8_t type = 0;
    std::uint8_t flags = 0;
    std::uint32_t stream = 0;
  };

  Result<Frame> read_frame() {
    constexpr std::size_t kHead = 9;
    FAIRWAY_TRY(std::string_view bytes, connection_->peek(kHead));
    const auto byte = [&bytes](std::size_t at) { return static_cast<std::uint8_t>(bytes[at]); };
    const std::size_t size = (std::size_t{byte(0)} << 16) | (std::size_t{byte(1)} << 8) | byte(2);
    const Frame got{.type = byte(3),
                    .flags = byte(4),
                    .stream = (std::uint32_t{byte(5)} << 24) | (std::uint32_t{byte(6)} << 16) |
                              (std::uint32_t{byte(7)} << 8) | byte(8)};
    FAIRWAY_TRY(bytes, connection_->peek(kHead + size));
    const std::string payload(bytes.substr(kHead, size));
    connection_->drop(kHead + size);
    const bool is_question = (got.type == kSettings || got.type == kPing) && (got.flags & kAck) == 0;
    if (is_question)
      FAIRWAY_CHECKED(
          connection_->send(frame(got.type, kAck, 0, got.type == kPing ? payload : std::string())));
    return got;
  }

  std::shared_ptr<Connection> connection_;
  std::uint32_t next_stream_ = 1;
};

}  // namespace

Result<Measured> Etcd::measure_grpc(const Load& load) const {
  return measure_writers(load, [this]() -> Result<Put> {
    FAIRWAY_TRY(auto connection, Connection::open(port_));
    auto client = std::make_shared<GrpcClient>(std::move(connection));
    FAIRWAY_CHECKED(client->open());
    return [client](const std::string& key, const std::string& value) { return client->put(key, value); };
  });
}

}  // namespace fairway::bench
