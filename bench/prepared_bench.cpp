// PreparedServer beside nginx: the same bytes, each server on one core, the load from the other.
//
//   prepared_bench [--seconds N] [--rounds N] [--only NAME]
//
// Rounds alternate between the two, because a machine is not equally fast all the time. wrk may need more of
// its core than the server of its own; then both serve as many requests as wrk can ask for, and the
// processor time of a request tells more than the number of requests.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fcntl.h>
#include <fmt/format.h>
#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

#include "base/text.hpp"
#include "http/prepared_server.hpp"

#include "nginx_peer.hpp"
#include "store_bench_socket.hpp"
#include "wrk.hpp"

namespace fairway::bench {
namespace {

constexpr int kServerCore = 0;
constexpr int kLoadCore = 1;
constexpr std::string_view kTag = "\"6543c0a1-56d28\"";

struct Case {
  std::string name;
  std::size_t bytes;
  bool is_not_modified = false;
};

const std::vector<Case> kCases = {{"1k", 1'000},        {"gzip-9k", 9'000},   {"20k", 20'000},
                                  {"gzip-40k", 40'000}, {"gzip-73k", 73'000}, {"75k", 75'000},
                                  {"357k", 357'000},    {"304", 1'000, true}};

[[noreturn]] void give_up(const std::string& why) {
  fmt::print(stderr, "prepared_bench: {}\n", why);
  std::exit(1);
}

std::string bytes_of(const Case& its) {
  std::string bytes(its.bytes, '\0');
  std::uint32_t state = 1;
  for (char& c : bytes) c = static_cast<char>('0' + (state = state * 1'664'525 + 1'013'904'223) % 64);
  return bytes;
}

// A process of its own, so that its processor time is its own too.
class OurServer {
 public:
  OurServer() {
    int pipe[2];
    if (::pipe(pipe) != 0) give_up("cannot make a pipe");
    pid_ = ::fork();
    if (pid_ == 0) serve(pipe[1]);
    if (::read(pipe[0], &port_, sizeof port_) != sizeof port_) give_up("our server did not start");
    ::close(pipe[0]);
    ::close(pipe[1]);
  }
  ~OurServer() {
    ::kill(pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
  }
  std::uint16_t port() const { return port_; }
  pid_t pid() const { return pid_; }

 private:
  [[noreturn]] static void serve(int ready) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    cpu_set_t cores;
    CPU_ZERO(&cores);
    CPU_SET(kServerCore, &cores);
    ::sched_setaffinity(0, sizeof cores, &cores);
    std::map<std::string, http::PreparedReply, std::less<>> answers;
    const http::Headers headers = {{"Content-Type", "application/json"},
                                   {"Last-Modified", "Thu, 02 Nov 2023 15:35:29 GMT"},
                                   {"ETag", std::string(kTag)},
                                   {"Vary", "Accept-Encoding"}};
    for (const Case& its : kCases)
      answers["/" + its.name] = {
          http::PreparedAnswer::make(200, headers, http::PreparedBody::make(bytes_of(its)))};
    const http::PreparedReply not_modified = {http::PreparedAnswer::make(304, headers)};
    const http::PreparedReply not_found = {http::PreparedAnswer::make(404, {})};
    SystemClock clock;
    auto server =
        http::PreparedServer::listen(clock, {}, [&](const http::RequestView& request, http::Responder out) {
          const auto found = answers.find(request.path);
          if (found == answers.end()) return out.send(not_found);
          out.send(request.header("if-none-match") == kTag ? not_modified : found->second);
        });
    if (!server) give_up(server.error().describe());
    const std::uint16_t port = (*server)->port();
    if (::write(ready, &port, sizeof port) != sizeof port) give_up("nobody waits for the port");
    for (;;) ::pause();
  }

  pid_t pid_ = -1;
  std::uint16_t port_ = 0;
};

std::string tag_of(std::uint16_t port, const std::string& path) {
  auto connection = Connection::open(port);
  if (!connection || !(*connection)->send("GET " + path + " HTTP/1.1\r\nHost: x\r\n\r\n"))
    give_up("cannot ask for " + path);
  const auto head = (*connection)->peek_until("\r\n\r\n");
  if (!head) give_up(head.error().describe());
  const std::size_t at = head->find("ETag: ");
  if (at == std::string_view::npos) give_up("no ETag in an answer");
  return std::string(head->substr(at + 6, head->find('\r', at) - at - 6));
}

std::vector<std::string> conditional(const std::string& tag) {
  return tag.empty() ? std::vector<std::string>{} : std::vector{"If-None-Match: " + tag};
}

Round wrk(WrkRun run) {
  run.core = kLoadCore;
  auto round = run_wrk(run);
  if (!round) give_up(round.error().describe());
  return *round;
}

void measure(const Case& its, const OurServer& ours, const NginxPeer& nginx, int rounds, int seconds) {
  const std::string path = "/" + its.name;
  const std::string our_tag = its.is_not_modified ? tag_of(ours.port(), path) : "";
  const std::string nginx_tag = its.is_not_modified ? tag_of(nginx.port(), path) : "";
  std::vector<Round> of_us, of_nginx;
  std::vector<double> ratios, cpu_ratios;
  for (int i = 0; i < rounds; ++i) {
    of_us.push_back(wrk({.port = ours.port(),
                         .server = ours.pid(),
                         .target = path,
                         .headers = conditional(our_tag),
                         .seconds = seconds}));
    of_nginx.push_back(wrk({.port = nginx.port(),
                            .server = nginx.pid(),
                            .target = path,
                            .headers = conditional(nginx_tag),
                            .seconds = seconds}));
    ratios.push_back(of_us.back().per_second / of_nginx.back().per_second);
    cpu_ratios.push_back(of_nginx.back().cpu_microseconds / of_us.back().cpu_microseconds);
  }
  fmt::print("{:>9} {:>10.0f} {:>10.0f} {:>7.2f}   {:>8.2f} {:>8.2f} {:>7.2f}   {:>4.0f}% {:>4.0f}%\n",
             its.name, median(of_us, &Round::per_second), median(of_nginx, &Round::per_second),
             median(ratios), median(of_us, &Round::cpu_microseconds),
             median(of_nginx, &Round::cpu_microseconds), median(cpu_ratios),
             median(of_us, &Round::busy) * 100, median(of_nginx, &Round::busy) * 100);
  std::fflush(stdout);
}

int run(int rounds, int seconds, std::string_view only) {
  std::map<std::string, std::string> files;
  for (const Case& its : kCases) files[its.name] = bytes_of(its);
  const OurServer ours;
  auto nginx = NginxPeer::start(files, kServerCore);
  if (!nginx) give_up(nginx.error().describe());
  fmt::print("{:>9} {:>10} {:>10} {:>7}   {:>8} {:>8} {:>7}   {}\n", "case", "ours/s", "nginx/s", "ratio",
             "ours us", "nginx us", "ratio", "core in use");
  for (const Case& its : kCases)
    if (only.empty() || its.name == only) measure(its, ours, **nginx, rounds, seconds);
  return 0;
}

}  // namespace
}  // namespace fairway::bench

int main(int count, char** arguments) {
  int seconds = 2;
  int rounds = 5;
  std::string_view only;
  if (count % 2 == 0)
    fairway::bench::give_up("usage: prepared_bench [--seconds N] [--rounds N] [--only NAME]");
  for (int i = 1; i + 1 < count; i += 2) {
    const std::string_view name = arguments[i];
    const auto number = static_cast<int>(fairway::parse_unsigned(arguments[i + 1]).value_or(0));
    if (name == "--only") {
      only = arguments[i + 1];
    } else if (name == "--seconds" && number > 0) {
      seconds = number;
    } else if (name == "--rounds" && number > 0) {
      rounds = number;
    } else {
      fairway::bench::give_up(fmt::format("unknown option {}", fairway::quoted(name)));
    }
  }
  return fairway::bench::run(rounds, seconds, only);
}
