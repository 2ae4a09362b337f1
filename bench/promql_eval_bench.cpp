// One query of a real risk on 10,000 series: evaluated here, and asked of a local Prometheus over its API, on
// the same samples in the same run. Ours includes parsing the query and writing the JSON answer.
//
//   promql_eval_bench [SERIES]
#include <algorithm>
#include <fcntl.h>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <functional>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>

#include "base/clock.hpp"
#include "base/text.hpp"
#include "json/value.hpp"
#include "promql/evaluator.hpp"
#include "promql/exposition.hpp"
#include "promql/parser.hpp"
#include "promql/result_format.hpp"

#include "store_bench_socket.hpp"

extern char** environ;

namespace fairway::bench {
namespace {

constexpr promql::Millis kNow = 1'700'000'000'000;
constexpr double kTargetRatio = 3;

// Does any container run an image of a registry of AWS, on AWS? As the risk AWSECRLegacyCredProvider asks.
constexpr std::string_view kQuery = R"(
topk(1,
  cluster_infrastructure_provider{_id="",type="AWS"}
  or
  0 * cluster_infrastructure_provider{_id=""}
)
* on () group_left (namespace, pod, container, image)
topk(1,
  kube_pod_container_info{_id="",image=~".*[.]dkr[.]ecr(?:-fips)?[.].*[.]amazonaws[.]com(?:[.]cn)?[/@:].*"}
  or on ()
  0 * topk(1, kube_pod_container_info{_id=""})
))";

std::string make_metrics(std::size_t series) {
  std::string text = fmt::format("cluster_infrastructure_provider{{type=\"AWS\"}} 1 {}\n", kNow / 1000);
  for (std::size_t i = 0; i < series; ++i) {
    text += fmt::format(
        "kube_pod_container_info{{namespace=\"ns-{}\",pod=\"pod-{}\",container=\"main\","
        "image=\"quay.io/team-{}/service-{}:v1.{}\",image_id=\"sha256:{:064x}\"}} 1 {}\n",
        i % 97, i, i % 31, i % 211, i % 7, i * 2654435761U, kNow / 1000);
  }
  return text + "# EOF\n";
}

pid_t spawn(std::vector<std::string> words) {
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  for (const int output : {1, 2}) posix_spawn_file_actions_addopen(&files, output, "/dev/null", O_WRONLY, 0);
  pid_t process = -1;
  const int code = ::posix_spawnp(&process, arguments[0], &files, nullptr, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&files);
  return code == 0 ? process : -1;
}

Result<std::string> ask(Connection& connection, const std::string& path) {
  FAIRWAY_CHECKED(connection.send(fmt::format("GET {} HTTP/1.1\r\nHost: prometheus\r\n\r\n", path)));
  FAIRWAY_TRY(const std::string_view head, connection.peek_until("\r\n\r\n"));
  const std::string lower = to_lower(head);
  const std::size_t at = lower.find("content-length:");
  const auto size =
      at == std::string::npos
          ? std::nullopt
          : parse_unsigned(trim(std::string_view(lower).substr(at + 15, lower.find('\r', at) - at - 15)));
  if (!size || !lower.starts_with("http/1.1 200")) {
    return fail(ErrorCode::Unavailable, fmt::format("expected 200 with a length, found {}", quoted(head)));
  }
  const std::size_t head_size = head.size();
  FAIRWAY_TRY(const std::string_view whole, connection.peek(head_size + *size));
  std::string body(whole.substr(head_size, *size));
  connection.drop(head_size + *size);
  return body;
}

// A Prometheus with these samples; ends with its owner.
class Prometheus {
 public:
  static Result<Prometheus> start(const std::filesystem::path& folder, const std::string& metrics) {
    std::ofstream(folder / "metrics.om") << metrics;
    std::ofstream(folder / "prometheus.yml") << "global: {}\n";
    const std::string data = folder / "data";
    const pid_t loading =
        spawn({"promtool", "tsdb", "create-blocks-from", "openmetrics", folder / "metrics.om", data});
    int status = 1;
    if (loading < 0 || ::waitpid(loading, &status, 0) < 0 || status != 0) {
      return fail(ErrorCode::NotFound, "expected promtool in the path: install prometheus");
    }
    const std::uint16_t port = free_port();
    Prometheus prometheus(
        spawn({"prometheus", fmt::format("--config.file={}", (folder / "prometheus.yml").string()),
               "--storage.tsdb.path=" + data, fmt::format("--web.listen-address=127.0.0.1:{}", port),
               "--storage.tsdb.retention.time=100y"}),
        port);
    if (prometheus.process_ < 0) return fail(ErrorCode::NotFound, "expected prometheus in the path");
    for (int i = 0; i < 600; ++i) {
      if (const auto connection = Connection::open(port)) {
        if (ask(**connection, "/-/ready")) return prometheus;
      }
      ::poll(nullptr, 0, 50);
    }
    return fail(ErrorCode::Timeout, "expected prometheus to be ready within 30 s");
  }

  Prometheus(Prometheus&& other) noexcept : process_(std::exchange(other.process_, -1)), port_(other.port_) {}
  Prometheus& operator=(Prometheus&&) = delete;
  ~Prometheus() {
    if (process_ < 0) return;
    ::kill(process_, SIGTERM);
    ::waitpid(process_, nullptr, 0);
  }
  std::uint16_t port() const { return port_; }

 private:
  Prometheus(pid_t process, std::uint16_t port) : process_(process), port_(port) {}

  pid_t process_;
  std::uint16_t port_;
};

struct Measured {
  double median_ms = 0;
  std::string value;  // of the only sample
};

Result<Measured> measure(int rounds, const std::function<Result<std::string>()>& answer) {
  const SystemClock clock;
  std::vector<double> times;
  Measured measured;
  for (int i = 0; i < rounds; ++i) {
    const SteadyTime start = clock.steady();
    FAIRWAY_TRY(const std::string text, answer());
    times.push_back(std::chrono::duration<double, std::milli>(clock.steady() - start).count());
    FAIRWAY_TRY(const json::Value value, json::parse(text));
    const auto* data = json::find(value.as_object(), {"data", "result"});
    if (!data || data->as_array().size() != 1) return fail(ErrorCode::Internal, "expected one sample");
    measured.value = json::view(data->at(0).at("value").at(1).as_string());
  }
  std::sort(times.begin(), times.end());
  measured.median_ms = times[times.size() / 2];
  return measured;
}

Result<void> run(std::size_t series) {
  constexpr int kRounds = 101;
  const std::string metrics = make_metrics(series);
  promql::SeriesStore store;
  FAIRWAY_TRY(const auto exposed, promql::read_exposition(metrics));
  FAIRWAY_CHECKED(promql::store_exposition(exposed, kNow, store));
  FAIRWAY_TRY(
      const Measured ours, measure(kRounds, [&]() -> Result<std::string> {
        const auto expr = promql::parse(kQuery);
        if (!expr) return std::unexpected(expr.error().to_error(kQuery));
        FAIRWAY_TRY(const auto result, promql::evaluate_instant(*expr, store, kNow));
        return json::serialize(json::Object{{"status", "success"}, {"data", promql::to_json(result)}});
      }));
  fmt::print("a real query on {} series, median of {}\n", series, kRounds);
  fmt::print("  fairway                 {:8.3f} ms\n", ours.median_ms);

  char folder[] = "/tmp/fairway-bench-XXXXXX";
  if (!::mkdtemp(folder)) return fail(ErrorCode::Internal, "no temporary folder");
  const std::function<void()> remove = [&] { std::filesystem::remove_all(folder); };
  auto prometheus = Prometheus::start(folder, metrics);
  if (!prometheus) {
    remove();
    fmt::print("  not compared: {}\n", prometheus.error().message);
    return {};
  }
  const auto theirs = [&]() -> Result<Measured> {
    FAIRWAY_TRY(const auto connection, Connection::open(prometheus->port()));
    const std::string path =
        fmt::format("/api/v1/query?query={}&time={}", percent_encode(kQuery), kNow / 1000);
    return measure(kRounds, [&] { return ask(*connection, path); });
  }();
  remove();
  FAIRWAY_TRY(const Measured peer, theirs);
  if (peer.value != ours.value) {
    return fail(ErrorCode::Internal, fmt::format("answers differ: {} and {}", ours.value, peer.value));
  }
  const double ratio = peer.median_ms / ours.median_ms;
  fmt::print("  prometheus, its API     {:8.3f} ms\n", peer.median_ms);
  fmt::print("  ratio                   {:8.1f} x faster (target {:.0f} x) {}\n", ratio, kTargetRatio,
             ratio >= kTargetRatio ? "met" : "MISSED");
  return {};
}

}  // namespace
}  // namespace fairway::bench

int main(int count, char** arguments) {
  const auto series = count > 1 ? fairway::parse_unsigned(arguments[1]) : std::uint64_t{10'000};
  if (!series || *series == 0 || *series > 500'000) {
    fmt::print(stderr, "usage: promql_eval_bench [SERIES]\n");
    return 2;
  }
  const auto result = fairway::bench::run(*series);
  if (!result) fmt::print(stderr, "error: {}\n", result.error().describe());
  return result ? 0 : 1;
}
