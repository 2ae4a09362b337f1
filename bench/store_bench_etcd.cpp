// etcd as a peer: its process, and writes through its JSON gateway.
#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <utility>
#include <vector>

#include "base/text.hpp"

#include "store_bench.hpp"
#include "store_bench_socket.hpp"

extern char** environ;

namespace fairway::bench {
namespace {

// Sends one request and reads its answer, which has a length; gives the body.
Result<std::string> ask(Connection& connection, const std::string& request) {
  FAIRWAY_CHECKED(connection.send(request));
  FAIRWAY_TRY(const std::string_view head, connection.peek_until("\r\n\r\n"));
  const std::size_t head_size = head.size();
  const std::string lower = to_lower(head);
  const std::size_t at = lower.find("content-length:");
  if (at == std::string::npos)
    return fail(ErrorCode::Internal, fmt::format("expected an answer with a length, found {}", quoted(head)));
  const std::size_t end = lower.find("\r\n", at);
  const auto size = parse_unsigned(trim(std::string_view(lower).substr(at + 15, end - at - 15)));
  if (!size || !lower.starts_with("http/1.1 200"))
    return fail(ErrorCode::Unavailable, fmt::format("expected 200, found {}", quoted(head)));
  FAIRWAY_TRY(const std::string_view whole, connection.peek(head_size + *size));
  std::string body(whole.substr(head_size, *size));
  connection.drop(head_size + *size);
  return body;
}

Result<void> wait_until_ready(std::uint16_t port) {
  constexpr int kTries = 200;
  constexpr int kPauseMilliseconds = 50;
  for (int i = 0; i < kTries; ++i) {
    if (const auto connection = Connection::open(port))
      if (ask(**connection, "GET /health HTTP/1.1\r\nHost: etcd\r\n\r\n")) return {};
    ::poll(nullptr, 0, kPauseMilliseconds);
  }
  return fail(ErrorCode::Timeout, "expected etcd to be ready within 10 s");
}

}  // namespace

Result<Etcd> Etcd::start(const std::string& directory) {
  const std::uint16_t port = free_port();
  const std::string clients = fmt::format("http://127.0.0.1:{}", port);
  const std::string peers = fmt::format("http://127.0.0.1:{}", free_port());
  std::vector<std::string> words = {"etcd",
                                    "--data-dir",
                                    directory,
                                    "--listen-client-urls",
                                    clients,
                                    "--advertise-client-urls",
                                    clients,
                                    "--listen-peer-urls",
                                    peers,
                                    "--initial-advertise-peer-urls",
                                    peers,
                                    "--initial-cluster",
                                    "default=" + peers,
                                    "--log-level",
                                    "error",
                                    "--quota-backend-bytes",
                                    "8000000000"};
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  for (const int output : {1, 2}) posix_spawn_file_actions_addopen(&files, output, "/dev/null", O_WRONLY, 0);
  pid_t process = -1;
  const int code = ::posix_spawnp(&process, "etcd", &files, nullptr, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&files);
  if (code != 0) return fail(ErrorCode::NotFound, "expected etcd in the path: install etcd-server");
  Etcd etcd(process, port);
  FAIRWAY_CHECKED(wait_until_ready(port));
  return etcd;
}

Etcd::Etcd(Etcd&& other) noexcept : process_(std::exchange(other.process_, -1)), port_(other.port_) {}

Etcd::~Etcd() {
  if (process_ < 0) return;
  ::kill(process_, SIGTERM);
  ::waitpid(process_, nullptr, 0);
}

Result<Measured> Etcd::measure_gateway(const Load& load) const {
  return measure_writers(load, [this]() -> Result<Put> {
    FAIRWAY_TRY(auto connection, Connection::open(port_));
    return [connection](const std::string& key, const std::string& value) -> Result<void> {
      const std::string body =
          fmt::format(R"({{"key":"{}","value":"{}"}})", encode_base64(key), encode_base64(value));
      FAIRWAY_TRY(
          const std::string answer,
          ask(*connection, fmt::format("POST /v3/kv/put HTTP/1.1\r\nHost: etcd\r\n"
                                       "Content-Type: application/json\r\nContent-Length: {}\r\n\r\n{}",
                                       body.size(), body)));
      if (answer.find("\"revision\"") != std::string::npos) return {};
      return fail(ErrorCode::Internal, fmt::format("expected a revision, found {}", quoted(answer)));
    };
  });
}

}  // namespace fairway::bench
