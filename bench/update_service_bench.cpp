// The update service beside nginx: the same bytes, each server on one core, the load from the other.
//
//   update_service_bench [--seconds N] [--rounds N] [--ids N]
//
// Runs the binary that FAIRWAY names on the real data of ../shared/data for five architectures (a generated
// tree where that is absent). nginx serves what the service answered as files. Cases: a large and a small
// channel, plain and gzip, 304, good and bad requests in turn, answers decided by id with a million known
// ids, and all of that while the data changes all the time. Then the start, memory, and how long a request
// waits at most with and without reloads.
#include <algorithm>
#include <array>
#include <atomic>
#include <csignal>
#include <cstdlib>
#include <fcntl.h>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

#include "base/clock.hpp"
#include "base/text.hpp"
#include "graph/generate.hpp"
#include "graph/release.hpp"
#include "http/prepared_server.hpp"

#include "nginx_peer.hpp"
#include "store_bench_socket.hpp"
#include "wrk.hpp"

namespace fairway::bench {
namespace {

namespace fs = std::filesystem;

constexpr int kServerCore = 0;
constexpr int kLoadCore = 1;
const std::vector<std::string> kArchitectures{"amd64", "arm64", "multi", "ppc64le", "s390x"};

[[noreturn]] void give_up(const std::string& why) {
  fmt::print(stderr, "update_service_bench: {}\n", why);
  std::exit(1);
}

void stay_on(int core) {
  cpu_set_t cores;
  CPU_ZERO(&cores);
  CPU_SET(core, &cores);
  ::sched_setaffinity(0, sizeof cores, &cores);
}

std::string text_of(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

void write(const fs::path& path, std::string_view text) {
  fs::create_directories(path.parent_path());
  std::ofstream(path, std::ios::binary) << text;
}

// A copy of the data that may be changed, with releases for five architectures.
class Data {
 public:
  Data() {
    std::string name = (fs::temp_directory_path() / "fairway-bench-XXXXXX").string();
    root_ = ::mkdtemp(name.data());
    const fs::path shared = fs::path(FAIRWAY_SOURCE_DIR).parent_path() / "shared" / "data";
    if (fs::exists(shared / "graph-data")) {
      fs::copy(shared / "graph-data", tree(), fs::copy_options::recursive);
      const auto list = graph::read_releases(text_of(shared / "releases.jsonl"));
      if (!list) give_up(list.error().describe());
      write(releases(), graph::to_jsonl(graph::for_architectures(list->releases, kArchitectures)));
      large = "candidate-4.14";
      small = "stable-4.2";
      target = "4.18.10";
      targeted = "stable-4.18";
    } else {
      auto made = graph::generate_tree(
          {.seed = 1, .minors = 22, .patches = 60, .risks = 130, .architectures = kArchitectures});
      for (const auto& file : made.files) write(tree() / file.path, file.text);
      write(releases(), graph::to_jsonl(made.releases));
      large = "candidate-4.14";
      small = "stable-4.2";
      target = "4.18.10";
      targeted = "stable-4.18";
    }
  }
  ~Data() { fs::remove_all(root_); }

  fs::path tree() const { return root_ / "graph-data"; }
  fs::path releases() const { return root_ / "releases.jsonl"; }
  fs::path script() const { return root_ / "ids.lua"; }
  void block_by_id() const {
    write(tree() / "blocked-edges" / (target + "-Bench.yaml"),
          fmt::format("to: {}\nfrom: .*\nclusters:\n  promql: max by (_id) (bench)\n", target));
  }
  void change(int round) const {
    write(tree() / "channels" / "bench.yaml",
          fmt::format("name: bench-{}\nversions:\n- {}\n", round % 10, target));
  }

  std::string large, small, targeted, target;

 private:
  fs::path root_;
};

class Service {
 public:
  Service(const Data& data, std::vector<std::string> more) {
    port_ = free_port();
    status_ = free_port();
    std::vector<std::string> words{program(),         "update-service",
                                   "--graph-data",    data.tree().string(),
                                   "--releases",      data.releases().string(),
                                   "--threads",       "1",
                                   "--listen",        fmt::format("127.0.0.1:{}", port_),
                                   "--status-listen", fmt::format("127.0.0.1:{}", status_),
                                   "--client-rate",   "0",
                                   "--log-level",     "warning"};
    words.insert(words.end(), more.begin(), more.end());
    std::vector<char*> arguments;
    for (std::string& word : words) arguments.push_back(word.data());
    arguments.push_back(nullptr);
    const SteadyTime started = clock_.steady();
    pid_ = ::fork();
    if (pid_ == 0) run(arguments);
    while (!is_ready()) {
      if (::waitpid(pid_, nullptr, WNOHANG) != 0) give_up("the service ended before it was ready");
      std::this_thread::sleep_for(std::chrono::milliseconds(5));  // asking all the time would slow it down
    }
    ready_seconds = std::chrono::duration<double>(clock_.steady() - started).count();
  }
  ~Service() {
    ::kill(pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
  }

  std::uint16_t port() const { return port_; }
  pid_t pid() const { return pid_; }
  std::string metrics() const { return get(status_, "/metrics", ""); }

  // Status line, headers and body.
  static std::string get(std::uint16_t port, const std::string& target, const std::string& headers) {
    auto connection = Connection::open(port);
    if (!connection) return "";
    const auto sent =
        (*connection)->send(fmt::format("GET {} HTTP/1.1\r\nHost: x\r\n{}\r\n", target, headers));
    if (!sent) return "";
    const auto head = (*connection)->peek_until("\r\n\r\n");
    if (!head) return "";
    const std::size_t size = head->size();
    const std::size_t at = head->find("Content-Length: ");
    const std::size_t body =
        at == std::string_view::npos ? 0 : std::strtoul(head->data() + at + 16, nullptr, 10);
    const auto all = (*connection)->peek(size + body);
    return all ? std::string(all->substr(0, size + body)) : "";
  }
  std::string body(const std::string& target, const std::string& headers = "") const {
    const std::string answer = get(port_, target, headers);
    if (!answer.starts_with("HTTP/1.1 200")) give_up("no answer to " + target + ": " + answer.substr(0, 200));
    return answer.substr(answer.find("\r\n\r\n") + 4);
  }
  std::string tag(const std::string& target) const {
    const std::string answer = get(port_, target, "");
    const std::size_t at = answer.find("ETag: ");
    return answer.substr(at + 6, answer.find('\r', at) - at - 6);
  }
  // Until the bodies are compressed.
  void wait_for_gzip(const std::string& target) const {
    while (get(port_, target, "Accept-Encoding: gzip\r\n").find("Content-Encoding: gzip") ==
           std::string::npos)
      std::this_thread::yield();
  }
  std::pair<double, double> resident_mib() const {
    std::ifstream file(fmt::format("/proc/{}/status", pid_));
    std::string line;
    double all = 0;
    double shared = 0;
    while (std::getline(file, line)) {
      if (line.starts_with("VmRSS:")) all = std::strtod(line.c_str() + 6, nullptr) / 1024;
      if (line.starts_with("RssShmem:")) shared = std::strtod(line.c_str() + 9, nullptr) / 1024;
    }
    return {all, shared};
  }

  double ready_seconds = 0;

 private:
  static std::string program() {
    const char* named = std::getenv("FAIRWAY");
    if (named == nullptr) give_up("FAIRWAY does not name the binary; use ./dev bench update_service");
    return named;
  }
  [[noreturn]] static void run(const std::vector<char*>& arguments) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    stay_on(kServerCore);
    const int nowhere = ::open("/dev/null", O_WRONLY | O_CLOEXEC);
    ::dup2(nowhere, STDOUT_FILENO);
    ::execv(arguments.front(), arguments.data());
    ::_exit(127);
  }
  bool is_ready() const { return get(status_, "/readyz", "").starts_with("HTTP/1.1 200"); }

  SystemClock clock_;
  std::uint16_t port_ = 0;
  std::uint16_t status_ = 0;
  pid_t pid_ = -1;
};

std::string id_of(std::size_t i) {
  const auto mixed = static_cast<std::uint32_t>(i * 2'654'435'761U);
  return fmt::format("{:08x}-{:04x}-4000-8000-{:012x}", mixed, mixed >> 16, i);
}

// A Prometheus that knows every cluster.
class Telemetry {
 public:
  explicit Telemetry(std::size_t ids) {
    std::string text = R"({"status":"success","data":{"resultType":"vector","result":[)";
    for (std::size_t i = 0; i < ids; ++i)
      text += fmt::format(R"({}{{"metric":{{"_id":"{}"}},"value":[1700000000,"{}"]}})", i == 0 ? "" : ",",
                          id_of(i), i % 2);
    text += "]}}";
    answer_ = http::PreparedAnswer::make(200, {{"Content-Type", "application/json"}},
                                         http::PreparedBody::make(text));
    auto server = http::PreparedServer::listen(
        clock_, {}, [this](const http::RequestView&, http::Responder out) { out.send({answer_}); });
    if (!server) give_up(server.error().describe());
    server_ = *std::move(server);
  }
  std::uint16_t port() const { return server_->port(); }

 private:
  SystemClock clock_;
  std::shared_ptr<const http::PreparedAnswer> answer_;
  std::unique_ptr<http::PreparedServer> server_;
};

struct Options {
  int rounds = 5;
  int seconds = 2;
  std::size_t ids = 1'000'000;
};

struct Case {
  std::string name;
  std::string target;
  std::string file;  // nginx'
  std::vector<std::string> headers = {};
  std::vector<std::string> nginx_headers = {};
  std::string script = {};
  double goal = 0.9;
};

void measure(const Case& its, const Service& ours, const NginxPeer& nginx, const Options& options) {
  std::vector<Round> of_us, of_nginx;
  std::vector<double> ratios, cpu_ratios;
  const auto checked = [](Result<Round> round) {
    if (!round) give_up(round.error().describe());
    return *round;
  };
  for (int i = 0; i < options.rounds; ++i) {
    of_us.push_back(checked(run_wrk({.port = ours.port(),
                                     .server = ours.pid(),
                                     .target = its.target,
                                     .headers = its.headers,
                                     .script = its.script,
                                     .seconds = options.seconds})));
    of_nginx.push_back(checked(run_wrk({.port = nginx.port(),
                                        .server = nginx.pid(),
                                        .target = "/" + its.file,
                                        .headers = its.nginx_headers,
                                        .seconds = options.seconds})));
    ratios.push_back(of_us.back().per_second / of_nginx.back().per_second);
    cpu_ratios.push_back(of_nginx.back().cpu_microseconds / of_us.back().cpu_microseconds);
  }
  fmt::print(
      "{:>22} {:>9.0f} {:>9.0f} {:>6.2f} (goal {:.1f})  {:>8.2f} {:>8.2f} {:>6.2f}   {:>4.0f}% {:>4.0f}%\n",
      its.name, median(of_us, &Round::per_second), median(of_nginx, &Round::per_second), median(ratios),
      its.goal, median(of_us, &Round::cpu_microseconds), median(of_nginx, &Round::cpu_microseconds),
      median(cpu_ratios), median(of_us, &Round::busy) * 100, median(of_nginx, &Round::busy) * 100);
  std::fflush(stdout);
}

// Good and bad requests in turn, as the reference's load test sends them: case 83.
void measure_mix(const Data& data, const Service& ours, const NginxPeer& nginx, const Options& options) {
  const std::pair<std::string, std::string> json{"Accept", "application/json"};
  const std::pair<std::string, std::string> gzip{"Accept-Encoding", "gzip"};
  const std::vector<MixedRequest> mix{
      {fmt::format("/graph?channel={}&arch=amd64", data.targeted), {json, gzip}},
      {fmt::format("/graph?channel={}&arch=arm64", data.large),
       {{"Accept", "application/vnd.redhat.cincinnati.v1+json"}, gzip}},
      {fmt::format("/graph?channel={}", data.small), {json}},
      {"/graph?channel=wrong_channel", {json}},
      {fmt::format("/graph?channel={}", data.small), {{"Accept", "app/anything"}}},
      {"/graph", {json}}};
  // nginx has files for the good ones and refuses the rest by 404.
  const std::vector<MixedRequest> of_nginx{{"/large", {json, gzip}}, {"/large", {json, gzip}},
                                           {"/small", {json}},       {"/none-1", {json}},
                                           {"/none-2", {json}},      {"/none-3", {json}}};
  const auto run = [&](std::uint16_t port, pid_t server, const std::vector<MixedRequest>& requests) {
    auto round = run_wrk_mix({.port = port, .server = server, .target = "/", .seconds = options.seconds},
                             requests, data.script().string());
    if (!round) give_up(round.error().describe());
    return *std::move(round);
  };
  std::vector<double> rates, waits, ratios;
  MixedRound last;
  for (int i = 0; i < options.rounds; ++i) {
    last = run(ours.port(), ours.pid(), mix);
    const MixedRound peer = run(nginx.port(), nginx.pid(), of_nginx);
    if (last.other > 0) give_up(fmt::format("{:.0f} requests of the mix failed", last.other));
    rates.push_back(last.per_second);
    waits.push_back(last.p90_milliseconds);
    ratios.push_back(last.per_second / peer.per_second);
  }
  fmt::print(
      "good and bad in turn: {:.0f} requests/s (goal 10000), 90 % within {:.2f} ms (goal 50), {:.2f} x "
      "nginx; refused "
      "by{}; no other answer\n",
      median(rates), median(waits), median(ratios), last.refusals);
}

// One request after the other on one connection: the longest and the 999th of a thousand, in milliseconds.
std::pair<double, double> waits(const Service& service, const std::string& target, double seconds) {
  SystemClock clock;
  auto connection = Connection::open(service.port());
  if (!connection) give_up("no connection");
  const std::string request = fmt::format("GET {} HTTP/1.1\r\nHost: x\r\n\r\n", target);
  std::vector<double> all;
  const SteadyTime end =
      clock.steady() + std::chrono::duration_cast<Duration>(std::chrono::duration<double>(seconds));
  while (clock.steady() < end) {
    const SteadyTime sent = clock.steady();
    if (!(*connection)->send(request)) give_up("a request failed");
    const auto head = (*connection)->peek_until("\r\n\r\n");
    if (!head || !head->starts_with("HTTP/1.1 200")) give_up("a request failed");
    const std::size_t size = head->size();
    const std::size_t body = std::strtoul(head->data() + head->find("Content-Length: ") + 16, nullptr, 10);
    if (!(*connection)->peek(size + body)) give_up("a request failed");
    (*connection)->drop(size + body);
    all.push_back(std::chrono::duration<double, std::milli>(clock.steady() - sent).count());
  }
  std::ranges::sort(all);
  return {all.back(), all[all.size() * 999 / 1000]};
}

// Changes the data again and again while it lives.
class Changes {
 public:
  explicit Changes(const Data& data)
      : thread_([this, &data] {
          for (int round = 0; !is_over_.load(); ++round) {
            data.change(round);
            std::this_thread::sleep_for(std::chrono::milliseconds(300));
          }
        }) {}
  ~Changes() {
    is_over_ = true;
    thread_.join();
  }

 private:
  std::atomic<bool> is_over_ = false;
  std::thread thread_;
};

double value_of(const std::string& metrics, const std::string& name) {
  const std::size_t at = metrics.find("\n" + name + " ");
  return at == std::string::npos ? 0 : std::strtod(metrics.c_str() + at + name.size() + 2, nullptr);
}

// The longest wait of each round, with and without reloads in turn: a single longest one says more about the
// machine than about the service.
void measure_waits(const Data& data, const Service& service, const std::string& target,
                   const Options& options) {
  const auto reloads = [&] {
    return value_of(service.metrics(), "cincinnati_gb_graph_upstream_scrapes_total");
  };
  constexpr double kSeconds = 4;
  std::vector<double> quiet, quiet_most, reloading, reloading_most;
  const double before = reloads();
  for (int i = 0; i < options.rounds; ++i) {
    const auto alone = waits(service, target, kSeconds);
    quiet.push_back(alone.first);
    quiet_most.push_back(alone.second);
    const Changes changes(data);
    const auto beside = waits(service, target, kSeconds);
    reloading.push_back(beside.first);
    reloading_most.push_back(beside.second);
  }
  fmt::print(
      "\nlongest waits of {} rounds, service on one core: {:.2f} ms (99.9 %: {:.2f}); with reloads, {:.0f} "
      "of them, {:.2f} "
      "ms (99.9 %: {:.2f}): {:.2f} ms more (goal 5)\n",
      options.rounds, median(quiet), median(quiet_most), reloads() - before, median(reloading),
      median(reloading_most), median(reloading) - median(quiet));
}

void measure_plain(const Data& data, const Options& options) {
  const Service service(data, {});
  const std::string large = fmt::format("/graph?channel={}", data.large);
  const std::string small = fmt::format("/graph?channel={}", data.small);
  service.wait_for_gzip(large);
  service.wait_for_gzip(small);
  const std::string gzip = "Accept-Encoding: gzip";
  std::map<std::string, std::string> files{{"large", service.body(large)}, {"small", service.body(small)}};
  files["large.gz"] = service.body(large, gzip + "\r\n");
  files["small.gz"] = service.body(small, gzip + "\r\n");
  const auto nginx = NginxPeer::start(files, kServerCore);
  if (!nginx) give_up(nginx.error().describe());
  const auto name = [&](std::string_view what, const char* file) {
    return fmt::format("{} {:.0f} KB", what, static_cast<double>(files[file].size()) / 1000);
  };
  measure({name("large", "large"), large, "large"}, service, **nginx, options);
  measure({name("large gzip", "large.gz"), large, "large", {gzip}, {gzip}}, service, **nginx, options);
  measure({name("small", "small"), small, "small"}, service, **nginx, options);
  measure({name("small gzip", "small.gz"), small, "small", {gzip}, {gzip}}, service, **nginx, options);
  const std::string nginx_answer = Service::get((*nginx)->port(), "/large", "");
  const std::size_t at = nginx_answer.find("ETag: ");
  const std::string nginx_tag = nginx_answer.substr(at + 6, nginx_answer.find('\r', at) - at - 6);
  measure({"not modified",
           large,
           "large",
           {"If-None-Match: " + service.tag(large)},
           {"If-None-Match: " + nginx_tag}},
          service, **nginx, options);
  measure_mix(data, service, **nginx, options);
  {
    const Changes changes(data);
    measure({"large, reloading", large, "large", {}, {}, {}, 0.0}, service, **nginx, options);
  }
  measure_waits(data, service, small, options);
  const auto [resident, shared] = service.resident_mib();
  fmt::print(
      "ready in {:.2f} s (goal 1); resident {:.0f} MiB (goal 150), of it {:.0f} shared; bodies {:.0f} MiB\n",
      service.ready_seconds, resident, shared,
      value_of(service.metrics(), "fairway_update_service_body_bytes") / (1 << 20));
}

void measure_by_id(const Data& data, const Options& options) {
  const Telemetry telemetry(options.ids);
  data.block_by_id();
  const Service service(data, {"--prometheus", fmt::format("http://127.0.0.1:{}", telemetry.port())});
  const std::string target = fmt::format("/graph?channel={}", data.targeted);
  write(data.script(), fmt::format(R"(local i = 0
request = function()
  i = (i + 1) % {}
  local mixed = (i * 2654435761) % 4294967296
  local id = string.format("%08x-%04x-4000-8000-%012x", mixed, math.floor(mixed / 65536), i)
  return wrk.format("GET", "{}&id=" .. id)
end
)",
                                   std::min<std::size_t>(options.ids, 100'000), target));
  // The first answer waits for the query; then both variants are there.
  const std::string allowed = service.body(target + "&id=" + id_of(1));
  const std::string blocked = service.body(target + "&id=" + id_of(2));
  if (allowed == blocked) give_up("the block by id makes no difference: is the target in the channel?");
  const auto nginx = NginxPeer::start({{"targeted", allowed}}, kServerCore);
  if (!nginx) give_up(nginx.error().describe());
  measure({fmt::format("by id {:.0f} KB", static_cast<double>(allowed.size()) / 1000),
           target,
           "targeted",
           {},
           {},
           data.script().string(),
           0.7},
          service, **nginx, options);
  const std::string metrics = service.metrics();
  fmt::print("{:.0f} ids in {:.1f} MiB; queries asked: {:.0f}; resident {:.0f} MiB\n",
             value_of(metrics, "fairway_update_service_targeted_ids"),
             value_of(metrics, "fairway_update_service_targeted_bytes") / (1 << 20),
             value_of(metrics, "fairway_update_service_targeted_queries_total{result=\"ok\"}"),
             service.resident_mib().first);
}

int run(const Options& options) {
  stay_on(kLoadCore);  // this program asks; only the servers are on the other core
  const Data data;
  fmt::print("{:>22} {:>9} {:>9} {:>6} {:>11} {:>8} {:>8} {:>6}   {}\n", "case", "ours/s", "nginx/s", "ratio",
             "", "ours us", "nginx us", "ratio", "core in use");
  measure_plain(data, options);
  fmt::print("\n");
  measure_by_id(data, options);
  return 0;
}

}  // namespace
}  // namespace fairway::bench

int main(int count, char** arguments) {
  fairway::bench::Options options;
  for (int i = 1; i + 1 < count; i += 2) {
    const std::string_view name = arguments[i];
    const std::size_t number = fairway::parse_unsigned(arguments[i + 1]).value_or(0);
    if (name == "--seconds" && number > 0) options.seconds = static_cast<int>(number);
    if (name == "--rounds" && number > 0) options.rounds = static_cast<int>(number);
    if (name == "--ids" && number > 0) options.ids = number;
  }
  return fairway::bench::run(options);
}
