// The API server as its clients see it: the real binary in a process of its own, over TLS on loopback.
//
//   FAIRWAY=build/fairway server_bench [OBJECTS] [WATCHERS] [WRITES]
//
// Start time, writes a second by one and by 64 writers, the time to list all objects, whether every watcher
// gets every event once, and the memory of the server's process.
#include <fcntl.h>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <signal.h>
#include <sstream>
#include <sys/wait.h>
#include <unistd.h>

#include "async/event_loop.hpp"
#include "async/task_group.hpp"
#include "base/text.hpp"
#include "http/client.hpp"
#include "json/value.hpp"

namespace fairway {
namespace {

using namespace std::chrono_literals;

std::string read_file(const std::filesystem::path& path) {
  std::ifstream file(path);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

double seconds(Duration duration) {
  return std::chrono::duration<double>(duration).count();
}

[[noreturn]] void give_up(const std::string& why) {
  fmt::print(stderr, "server_bench: {}\n", why);
  std::exit(1);
}

// The server, started on a free port and ended with this object.
class ServerProcess {
 public:
  ServerProcess(const std::string& binary, const std::filesystem::path& folder) : folder_(folder) {
    const std::string kubeconfig = folder / "kubeconfig";
    pid_ = ::fork();
    if (pid_ == 0) {
      const int null = ::open("/dev/null", O_WRONLY);
      ::dup2(null, STDERR_FILENO);
      ::dup2(null, STDOUT_FILENO);
      ::execl(binary.c_str(), "fairway", "apiserver", "--listen", "127.0.0.1:0", "--data",
              (folder / "data").c_str(), "--write-kubeconfig", kubeconfig.c_str(), nullptr);
      ::_exit(127);
    }
    while (!std::filesystem::exists(kubeconfig) || std::filesystem::file_size(kubeconfig) == 0) {
      int status = 0;
      if (::waitpid(pid_, &status, WNOHANG) == pid_) give_up("the server ended at once");
      ::usleep(1000);  // measures a real process from outside: NOLINT(clock)
    }
    const std::string text = read_file(kubeconfig);
    const auto at = text.find("https://127.0.0.1:");
    port_ = static_cast<std::uint16_t>(
        *parse_unsigned(text.substr(at + 18, text.find_first_not_of("0123456789", at + 18) - at - 18)));
  }
  ~ServerProcess() {
    ::kill(pid_, SIGTERM);
    ::waitpid(pid_, nullptr, 0);
  }

  http::Url url(std::string path) const { return {"https", "127.0.0.1", port_, std::move(path), ""}; }
  std::shared_ptr<http::TlsContext> tls() const {
    return *http::make_client_context({.ca_pem = read_file(folder_ / "data/pki/ca.crt"),
                                       .certificate_pem = read_file(folder_ / "data/pki/admin.crt"),
                                       .key_pem = read_file(folder_ / "data/pki/admin.key")});
  }
  double resident_mib() const {
    const std::string status = read_file(fmt::format("/proc/{}/status", pid_));
    const auto at = status.find("VmRSS:");
    return static_cast<double>(*parse_unsigned(split_words(status.substr(at + 6))[0])) / 1024;
  }

 private:
  std::filesystem::path folder_;
  pid_t pid_ = -1;
  std::uint16_t port_ = 0;
};

struct Bench {
  async::EventLoop loop;
  ServerProcess& server;
  http::Client client;
  int failures = 0;
  std::size_t events = 0;
  std::size_t watching = 0;

  explicit Bench(ServerProcess& its_server)
      : server(its_server),
        client(loop.executor(), loop.clock(), {.tls = its_server.tls(), .max_idle_connections = 2048}) {}

  static std::string object(const std::string& name, std::size_t padding) {
    return fmt::format(
        R"({{"apiVersion":"v1","kind":"ConfigMap","metadata":{{"name":"{}"}},"data":{{"value":"{}"}}}})",
        name, std::string(padding, 'x'));
  }

  Task<void> write_some(std::string prefix, std::size_t count, std::size_t padding) {
    for (std::size_t i = 0; i < count; ++i) {
      http::ClientRequest request{"POST",
                                  server.url("/api/v1/namespaces/default/configmaps"),
                                  {{"Content-Type", "application/json"}},
                                  object(fmt::format("{}-{}", prefix, i), padding)};
      auto answer = co_await client.send(std::move(request));
      if (!answer || answer->status != 201) ++failures;
    }
    co_return Result<void>{};
  }

  Task<void> watch(std::size_t expected, std::uint64_t since) {
    http::ClientRequest request{
        "GET", server.url(fmt::format("/api/v1/namespaces/default/configmaps?watch=true&resourceVersion={}",
                                      since))};
    FAIRWAY_CO_TRY(auto stream, co_await client.open(std::move(request)));
    ++watching;
    std::size_t seen = 0;
    while (seen < expected) {
      FAIRWAY_CO_TRY(const std::string piece, co_await stream->read(60s));
      if (piece.empty()) break;
      const auto lines = static_cast<std::size_t>(std::ranges::count(piece, '\n'));
      seen += lines;
      events += lines;
    }
    co_return Result<void>{};
  }

  double timed(const std::function<void(async::TaskGroup&)>& spawn) {
    async::TaskGroup group(loop.executor());
    const SteadyTime start = loop.clock().steady();
    spawn(group);
    (void)loop.block_on(group.join());
    return seconds(loop.clock().steady() - start);
  }
};

double list_seconds(Bench& bench, std::size_t& bytes) {
  const SteadyTime start = bench.loop.clock().steady();
  const auto answer = bench.loop.block_on(
      bench.client.send({"GET", bench.server.url("/api/v1/namespaces/default/configmaps")}));
  if (!answer || answer->status != 200) give_up("the list failed");
  bytes = answer->body.size();
  return seconds(bench.loop.clock().steady() - start);
}

int run(const std::string& binary, std::size_t objects, std::size_t watchers, std::size_t writes) {
  SystemClock clock;
  std::string pattern = (std::filesystem::temp_directory_path() / "server-bench-XXXXXX").string();
  const std::filesystem::path folder = mkdtemp(pattern.data());
  {
    const SteadyTime start = clock.steady();
    ServerProcess server(binary, folder);
    fmt::print("ready after (first start)        {:8.3f} s\n", seconds(clock.steady() - start));
    Bench bench(server);
    const double one =
        bench.timed([&](auto& group) { group.spawn("w", bench.write_some("one", 500, 1024)); });
    fmt::print("durable writes/s, 1 writer       {:8.0f}\n", 500 / one);
    const double many = bench.timed([&](auto& group) {
      for (int i = 0; i < 64; ++i) group.spawn("w", bench.write_some(fmt::format("many-{}", i), 100, 1024));
    });
    fmt::print("durable writes/s, 64 writers     {:8.0f}\n", 6400 / many);
    bench.timed([&](auto& group) {
      const std::size_t present = 500 + 6400;
      const std::size_t more = objects > present ? objects - present : 0;
      for (int i = 0; i < 64; ++i)
        group.spawn("w", bench.write_some(fmt::format("fill-{}", i), more / 64 + 1, 2048));
    });
    std::size_t bytes = 0;
    double best = 1e9;
    for (int i = 0; i < 5; ++i) best = std::min(best, list_seconds(bench, bytes));
    fmt::print("list of {} objects ({:.1f} MiB) {:8.3f} s\n", objects, static_cast<double>(bytes) / 1048576,
               best);
    fmt::print("resident memory                  {:8.1f} MiB\n", server.resident_mib());
    const auto head = bench.loop.block_on(
        bench.client.send({"GET", server.url("/api/v1/namespaces/default/configmaps?limit=1")}));
    const auto parsed = json::parse_object(head->body.to_string());
    const std::uint64_t since = *parse_unsigned(*json::get_string(*parsed, {"metadata", "resourceVersion"}));
    async::TaskGroup watches(bench.loop.executor());
    for (std::size_t i = 0; i < watchers; ++i) watches.spawn("watch", bench.watch(writes, since));
    bench.loop.run_until([&] { return bench.watching == watchers; });
    const SteadyTime fan_start = clock.steady();
    bench.timed([&](auto& group) {
      for (int i = 0; i < 10; ++i)
        group.spawn("w", bench.write_some(fmt::format("fan-{}", i), writes / 10, 256));
    });
    (void)bench.loop.block_on(watches.join());
    const double fan = seconds(clock.steady() - fan_start);
    fmt::print("{} watchers x {} writes: {} of {} events in {:.1f} s, {:.0f} events/s\n", watchers, writes,
               bench.events, watchers * writes, fan, static_cast<double>(bench.events) / fan);
    fmt::print("resident memory with watchers    {:8.1f} MiB\n", server.resident_mib());
    fmt::print("failed requests                  {:8}\n", bench.failures);
  }
  {
    const SteadyTime start = clock.steady();
    std::filesystem::remove(folder / "kubeconfig");
    const ServerProcess server(binary, folder);
    fmt::print("ready after (restart)            {:8.3f} s\n", seconds(clock.steady() - start));
  }
  std::filesystem::remove_all(folder);
  return 0;
}

}  // namespace
}  // namespace fairway

int main(int count, char** arguments) {
  const auto number = [&](int index, std::size_t fallback) {
    return count > index
               ? static_cast<std::size_t>(fairway::parse_unsigned(arguments[index]).value_or(fallback))
               : fallback;
  };
  const char* binary = std::getenv("FAIRWAY");
  if (binary == nullptr) fairway::give_up("set FAIRWAY to the binary under test");
  ::signal(SIGPIPE, SIG_IGN);
  return fairway::run(binary, number(1, 10'000), number(2, 1'000), number(3, 1'000));
}
