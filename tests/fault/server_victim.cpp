// server_victim: the API server under concurrent writers and a watch, all of them killed together.
//
//   FAIRWAY=build/fairway server_victim --dir DIR --seed N --run TEXT --resume REVISION [--writes N]
//   [--die-at N]
//
// The server is a child of this process and dies with its group; with --die-at the server is killed first, in
// the middle of its work, after so many lines. The lines that it prints are those of history.hpp. A deletion
// has no room for a token: it is known by the one of the object that it deletes, and its acknowledgement
// names no revision.
#include <array>
#include <csignal>
#include <cstdlib>
#include <fcntl.h>
#include <fmt/format.h>
#include <fstream>
#include <map>
#include <random>
#include <spawn.h>
#include <sstream>
#include <string>
#include <sys/wait.h>
#include <unistd.h>

#include "async/event_loop.hpp"
#include "async/task_group.hpp"
#include "base/text.hpp"
#include "http/client.hpp"
#include "json/value.hpp"
#include "tests/fault/history.hpp"
#include "tests/fault/victim.hpp"

extern char** environ;

namespace fairway::fault {
namespace {

using namespace std::chrono_literals;
using json::get_string;

constexpr std::size_t kWriters = 8;
constexpr std::size_t kKeysPerWriter = 4;
constexpr std::string_view kConfigMaps = "/api/v1/namespaces/default/configmaps";
constexpr std::string_view kSelector = "labelSelector=fault%3Dyes";

std::string read_file(const std::string& path) {
  std::ifstream file(path);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

class Server {
 public:
  explicit Server(const std::string& directory) : directory_(directory) {
    std::array<int, 2> ends{};
    FAIRWAY_CHECK(::pipe2(ends.data(), O_CLOEXEC) == 0, "no pipe can be made");
    const char* binary = std::getenv("FAIRWAY");
    FAIRWAY_CHECK(binary != nullptr, "FAIRWAY does not name the binary under test");
    std::vector<std::string> words{binary, "apiserver", "--listen", "127.0.0.1:0", "--data", directory_};
    std::vector<char*> pointers;
    for (std::string& word : words) pointers.push_back(word.data());
    pointers.push_back(nullptr);
    posix_spawn_file_actions_t files;
    posix_spawn_file_actions_init(&files);
    posix_spawn_file_actions_adddup2(&files, ends[1], STDOUT_FILENO);
    const std::string log = directory_ + ".log";
    posix_spawn_file_actions_addopen(&files, STDERR_FILENO, log.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
    FAIRWAY_CHECK(::posix_spawn(&process_, binary, &files, nullptr, pointers.data(), environ) == 0,
                  "the server cannot be started");
    posix_spawn_file_actions_destroy(&files);
    ::close(ends[1]);
    port_ = told_port(ends[0]);
    ::close(ends[0]);
  }

  bool is_up() const { return port_ != 0; }
  http::Url url(std::string path) const { return {"https", "127.0.0.1", port_, std::move(path), ""}; }
  std::shared_ptr<http::TlsContext> tls() const {
    return *http::make_client_context({.ca_pem = read_file(directory_ + "/pki/ca.crt"),
                                       .certificate_pem = read_file(directory_ + "/pki/admin.crt"),
                                       .key_pem = read_file(directory_ + "/pki/admin.key")});
  }
  // Gives the exit status.
  int end(int signal) {
    ::kill(process_, signal);
    int status = 0;
    ::waitpid(process_, &status, 0);
    return status;
  }

 private:
  // It says where it listens as soon as it does.
  static std::uint16_t told_port(int descriptor) {
    std::string line;
    for (char byte = 0; ::read(descriptor, &byte, 1) == 1 && byte != '\n';) line += byte;
    const std::size_t colon = line.rfind(':');
    const auto port = parse_unsigned(colon == std::string::npos ? "" : line.substr(colon + 1));
    return static_cast<std::uint16_t>(port.value_or(0));
  }

  std::string directory_;
  pid_t process_ = -1;
  std::uint16_t port_ = 0;
};

struct Known {
  std::string revision;
  std::string token;
};

class Victim {
 public:
  Victim(Server& server, const Arguments& arguments)
      : server_(server),
        client_(loop_.executor(), loop_.clock(), {.tls = server.tls(), .max_idle_connections = kWriters + 2}),
        random_(number(arguments, "--seed", 1)),
        run_(arguments.at("--run")),
        resume_(number(arguments, "--resume", 0)),
        writes_(number(arguments, "--writes", ~std::uint64_t{0})),
        die_at_(number(arguments, "--die-at", 0)) {}

  Result<void> run() {
    FAIRWAY_CHECKED(loop_.block_on(list()));
    async::TaskGroup group(loop_.executor());
    // The last run has nothing to write: the watch tells what there is and ends.
    group.spawn("watch", watch(writes_ == 0 ? "&timeoutSeconds=1" : ""));
    for (std::size_t writer = 0; writer < kWriters; ++writer) group.spawn("writer", write_all(writer));
    return loop_.block_on(group.join());
  }

 private:
  void report(const std::string& line) {
    print(line);
    if (++lines_ != die_at_) return;
    server_.end(SIGKILL);
    ::raise(SIGKILL);
  }

  Task<json::Object> ask(http::ClientRequest request) {
    FAIRWAY_CO_TRY(const http::Response response, co_await client_.send(std::move(request)));
    if (response.status >= 300) {
      co_return fail(
          response.status == 409 || response.status == 404 ? ErrorCode::Conflict : ErrorCode::Unavailable,
          response.body.to_string());
    }
    co_return json::parse_object(response.body.to_string());
  }

  Task<void> list() {
    FAIRWAY_CO_TRY(const json::Object page,
                   co_await ask({"GET", server_.url(fmt::format("{}?{}", kConfigMaps, kSelector))}));
    const auto& items = page.at("items").as_array();
    report(fmt::format("list {} {}", *get_string(page, {"metadata", "resourceVersion"}), items.size()));
    for (const json::Value& item : items) {
      const Known seen = note(item.as_object());
      report(fmt::format("item {} {} {}", name_of(item.as_object()), seen.revision, seen.token));
    }
    co_return Result<void>{};
  }

  static std::string name_of(const json::Object& object) {
    return std::string(get_string(object, {"metadata", "name"}).value_or(""));
  }
  Known note(const json::Object& object) {
    return known_[name_of(object)] = {
               std::string(get_string(object, {"metadata", "resourceVersion"}).value_or("")),
               std::string(get_string(object, {"data", "token"}).value_or(""))};
  }

  Task<void> watch(std::string extra) {
    const std::string path = fmt::format("{}?{}&watch=true&resourceVersion={}{}", kConfigMaps, kSelector,
                                         std::max<std::uint64_t>(resume_, 1), extra);
    FAIRWAY_CO_TRY(const auto stream, co_await client_.open({"GET", server_.url(path)}));
    std::string pending;
    for (;;) {
      FAIRWAY_CO_TRY(const std::string piece, co_await stream->read(60s));
      if (piece.empty()) co_return Result<void>{};
      pending += piece;
      std::size_t start = 0;
      for (std::size_t end = 0; (end = pending.find('\n', start)) != std::string::npos; start = end + 1) {
        FAIRWAY_CO_CHECKED(see(std::string_view(pending).substr(start, end - start)));
      }
      pending.erase(0, start);
    }
  }

  Result<void> see(std::string_view line) {
    FAIRWAY_TRY(const json::Object event, json::parse_object(line));
    const std::string type(get_string(event, {"type"}).value_or(""));
    if (type == "ERROR") return fail(ErrorCode::Gone, std::string(line));
    const json::Object& object = event.at("object").as_object();
    const Deed deed = type == "ADDED" ? Deed::Created : type == "DELETED" ? Deed::Deleted : Deed::Updated;
    const std::string token(get_string(object, {"data", "token"}).value_or(""));
    report(fmt::format("saw {} {} {} {} 0", *get_string(object, {"metadata", "resourceVersion"}),
                       to_string(deed), name_of(object), deed == Deed::Deleted ? deletion_of(token) : token));
    return {};
  }
  static std::string deletion_of(const std::string& token) { return "deletion-of-" + token; }

  Task<void> write_all(std::size_t writer) {
    while (attempts_ < writes_) {
      const std::string key = fmt::format("writer{}-k{}", writer, random_() % kKeysPerWriter);
      auto done =
          may_delete(key) && random_() % 5 == 0 ? co_await remove(key, known_.at(key)) : co_await put(key);
      if (!done && done.error().code != ErrorCode::Conflict) co_return done;
    }
    co_return Result<void>{};
  }

  // What this run has written: nobody before it can have tried to delete that.
  bool may_delete(const std::string& key) const {
    const auto found = known_.find(key);
    return found != known_.end() && found->second.token.starts_with(run_ + "-");
  }

  Task<void> put(std::string key) {
    const std::string token = fmt::format("{}-{}", run_, ++attempts_);
    report(fmt::format("try {} {}", key, token));
    const auto found = known_.find(key);
    const bool is_new = found == known_.end();
    json::Object metadata{{"name", key}, {"labels", json::Object{{"fault", "yes"}}}};
    if (!is_new) metadata["resourceVersion"] = found->second.revision;
    const json::Object body{
        {"apiVersion", "v1"},
        {"kind", "ConfigMap"},
        {"metadata", std::move(metadata)},
        {"data", json::Object{{"token", token}, {"filling", std::string(random_() % 4000, 'x')}}}};
    const std::string path = is_new ? std::string(kConfigMaps) : fmt::format("{}/{}", kConfigMaps, key);
    FAIRWAY_CO_TRY(const json::Object written, co_await ask({is_new ? "POST" : "PUT",
                                                             server_.url(path),
                                                             {{"Content-Type", "application/json"}},
                                                             json::serialize(body)}));
    report(
        fmt::format("ack {} {} {} {}", note(written).revision, is_new ? "created" : "updated", key, token));
    co_return Result<void>{};
  }

  Task<void> remove(std::string key, Known what) {
    ++attempts_;
    report(fmt::format("try {} {}", key, deletion_of(what.token)));
    const std::string body =
        json::serialize(json::Object{{"preconditions", json::Object{{"resourceVersion", what.revision}}}});
    FAIRWAY_CO_TRY([[maybe_unused]] const json::Object gone,
                   co_await ask({"DELETE",
                                 server_.url(fmt::format("{}/{}", kConfigMaps, key)),
                                 {{"Content-Type", "application/json"}},
                                 body}));
    known_.erase(key);
    co_return Result<void>{};
  }

  Server& server_;
  async::EventLoop loop_;
  http::Client client_;
  std::mt19937_64 random_;
  std::string run_;
  std::uint64_t resume_;
  std::uint64_t writes_;
  std::uint64_t die_at_;
  std::uint64_t attempts_ = 0;
  std::uint64_t lines_ = 0;
  std::map<std::string, Known> known_;
};

int run(const Arguments& arguments) {
  Server server(arguments.at("--dir"));
  if (!server.is_up()) {
    print("failed open: " + read_file(arguments.at("--dir") + ".log"));
    return 2;
  }
  const Result<void> ran = Victim(server, arguments).run();
  if (!ran) print("failed run: " + ran.error().describe());
  const int status = server.end(SIGTERM);
  if (status != 0) print(fmt::format("failed close: the server ended with status {}", status));
  if (!ran || status != 0) return 2;
  print("closed");
  return 0;
}

}  // namespace
}  // namespace fairway::fault

int main(int argc, char** argv) {
  ::signal(SIGPIPE, SIG_IGN);
  return fairway::fault::victim_main(argc, argv, fairway::fault::run);
}
