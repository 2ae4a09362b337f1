#include "console/console.hpp"

#include <array>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "async/event_loop.hpp"
#include "async/notify.hpp"
#include "json/value.hpp"

namespace fairway::console {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

constexpr std::array<std::pair<std::string_view, std::string_view>, 2> kPages{{
    {"assets/console-1A2B3C4D.js", "start()"},
    {"index.html", "<!doctype html>"},
}};

constexpr const char* kGraph = R"({"version":1,
  "nodes":[{"version":"4.6.23","payload":"a"},{"version":"4.7.4","payload":"b"}],"edges":[[0,1]],"conditionalEdges":[]})";

constexpr const char* kBlock =
    "to: 4.7.4\nfrom: 4[.]6[.].*\nurl: https://example.com\nname: New\nmessage: it breaks\n"
    "matchingRules:\n- type: PromQL\n  promql:\n    promql: broken\n";

// Behind the console: one server that plays a cluster and the update service, and remembers what it was
// asked.
class Behind {
 public:
  explicit Behind(async::EventLoop& loop)
      : server_(*http::Server::listen(loop.executor(), loop.clock(), {},
                                      [this](const http::Request& request, http::ResponseWriter& writer) {
                                        return serve(request, writer);
                                      })) {}

  Upstream upstream(const std::string& path, std::shared_ptr<http::Transport> transport) const {
    return {.name = "it",
            .server = {"http", "127.0.0.1", server_->port(), path, ""},
            .transport = std::move(transport)};
  }
  boost::asio::awaitable<void> stop() { return server_->stop(Duration::zero()); }

  std::vector<http::Request> asked = {};
  int version_status = 200;
  async::Notify go_on;

 private:
  Task<void> serve(const http::Request& request, http::ResponseWriter& writer) {
    asked.push_back(request);
    const std::string_view target = request.target;
    if (target.starts_with("/updates/graph")) co_return co_await writer.send(json_of(200, kGraph));
    if (target.ends_with("/clusterversions/version")) {
      co_return co_await writer.send(
          json_of(version_status,
                  version_status == 200
                      ? R"({"spec":{"channel":"stable-4.7"},"status":{"desired":{"version":"4.6.23"}}})"
                      : R"({"kind":"Status","message":"not for you"})"));
    }
    if (target.ends_with("watch=1")) {
      FAIRWAY_CO_CHECKED(co_await writer.start({.headers = {{"Content-Type", "application/json"}}}));
      FAIRWAY_CO_CHECKED(co_await writer.write({"{\"type\":\"ADDED\"}\n"}));
      FAIRWAY_CO_CHECKED(co_await go_on.wait());
      FAIRWAY_CO_CHECKED(co_await writer.write({"{\"type\":\"DELETED\"}\n"}));
      co_return co_await writer.finish();
    }
    http::Response told = json_of(200, "{}");
    told.headers.set("Set-Cookie", "a=b");
    told.headers.set("Audit-Id", "7");
    co_return co_await writer.send(std::move(told));
  }

  static http::Response json_of(int status, std::string body) {
    return {.status = status, .headers = {{"Content-Type", "application/json"}}, .body = std::move(body)};
  }

  std::unique_ptr<http::Server> server_;
};

class ConsoleTest : public ::testing::Test {
 protected:
  ConsoleTest()
      : behind_(loop_),
        client_(std::make_shared<http::Client>(loop_.executor(), loop_.clock(), http::ClientOptions{})),
        console_(settings(), pool_),
        server_(*http::Server::listen(loop_.executor(), loop_.clock(), {},
                                      [this](const http::Request& request, http::ResponseWriter& writer) {
                                        return console_.serve(request, writer);
                                      })) {}
  ~ConsoleTest() override { (void)loop_.block_on(stop()); }

  ConsoleSettings settings() {
    ConsoleSettings settings{.version = "1.2.3", .pages = kPages};
    const auto explain = [this](Verdict kind) {
      return [this, kind](const promql::Expr&) -> Result<Explained> {
        ++evaluations_;
        return Explained{.verdict = {.kind = kind}, .tree = {.expr = "broken"}};
      };
    };
    settings.clusters.push_back({.name = "ill",
                                 .api = behind_.upstream("/clusters/ill", client_),
                                 .explain = explain(Verdict::Applies)});
    settings.clusters.push_back({.name = "well",
                                 .api = behind_.upstream("/clusters/well", client_),
                                 .explain = explain(Verdict::DoesNotApply)});
    settings.clusters.push_back({.name = "dark", .api = behind_.upstream("/clusters/dark/", client_)});
    settings.clusters.push_back(
        {.name = "gone",
         .api = {.name = "gone", .server = {"http", "127.0.0.1", 1, "", ""}, .transport = client_}});
    settings.updates = behind_.upstream("/updates", client_);
    return settings;
  }

  http::ClientRequest request(const std::string& target, http::Headers headers = {}) const {
    return {.url = {"http", "127.0.0.1", server_->port(), target, ""}, .headers = std::move(headers)};
  }
  http::Response ask(http::ClientRequest request) {
    auto answer = loop_.block_on(client_->send(std::move(request)));
    EXPECT_TRUE(answer) << (answer ? "" : answer.error().describe());
    return answer.value_or(http::Response{.status = 0});
  }
  http::Response get(const std::string& target, http::Headers headers = {{"Authorization", "Bearer t"}}) {
    return ask(request(target, std::move(headers)));
  }
  http::Response post(const std::string& target, std::string body) {
    auto asked = request(target, {{"Authorization", "Bearer t"}});
    asked.method = "POST";
    asked.body = std::move(body);
    return ask(std::move(asked));
  }
  static std::string text(const http::Response& answer) { return answer.body.to_string(); }

  using Verdict = promql::Verdict::Kind;
  async::EventLoop loop_;
  async::WorkerPool pool_{"console", 1};
  Behind behind_;
  std::shared_ptr<http::Client> client_;
  std::atomic<int> evaluations_ = 0;
  Console console_;
  std::unique_ptr<http::Server> server_;

 private:
  Task<void> stop() {
    co_await server_->stop(Duration::zero());
    co_await behind_.stop();
    co_return Result<void>{};
  }
};

TEST_F(ConsoleTest, PagesRunNothingThatIsNotTheirs) {
  const auto page = get("/", {});
  EXPECT_EQ(page.status, 200);
  EXPECT_EQ(text(page), "<!doctype html>");
  EXPECT_EQ(page.headers.find("Content-Type"), "text/html; charset=utf-8");
  const std::string policy(page.headers.find("Content-Security-Policy").value_or(""));
  EXPECT_THAT(policy, HasSubstr("default-src 'none'"));
  EXPECT_THAT(policy, HasSubstr("frame-ancestors 'none'"));
  EXPECT_THAT(policy, Not(HasSubstr("unsafe")));
}

TEST_F(ConsoleTest, AssetsAreKeptAndPagesAskedForAgain) {
  EXPECT_THAT(std::string(*get("/assets/console-1A2B3C4D.js").headers.find("Cache-Control")),
              HasSubstr("immutable"));
  const auto page = get("/");
  EXPECT_EQ(page.headers.find("Cache-Control"), "no-cache");
  EXPECT_EQ(get("/", {{"If-None-Match", std::string(*page.headers.find("ETag"))}}).status, 304);
  EXPECT_EQ(get("/assets/other.js").status, 404);
  EXPECT_EQ(get("/../../etc/passwd").status, 404);
}

TEST_F(ConsoleTest, TellsWhatThereIs) {
  EXPECT_EQ(
      text(get("/console.json", {})),
      R"({"version":"1.2.3","updateService":true,"clusters":[)"
      R"({"name":"ill","isHub":false,"hasMetrics":true},{"name":"well","isHub":false,"hasMetrics":true},)"
      R"({"name":"dark","isHub":false,"hasMetrics":false},{"name":"gone","isHub":false,"hasMetrics":false}]})");
}

TEST_F(ConsoleTest, AClusterIsAskedWithTheUsersTokenAndNothingElse) {
  const auto answer =
      get("/clusters/dark/api/v1/namespaces?limit=5&x=%2F", {{"Authorization", "Bearer t"},
                                                             {"Accept", "application/json"},
                                                             {"Cookie", "a=b"},
                                                             {"Impersonate-User", "admin"},
                                                             {"X-Remote-User", "admin"},
                                                             {"X-Forwarded-For", "10.0.0.1"}});
  EXPECT_EQ(answer.status, 200);
  EXPECT_EQ(answer.headers.find("Audit-Id"), "7");
  EXPECT_FALSE(answer.headers.find("Set-Cookie"));
  ASSERT_EQ(behind_.asked.size(), 1);
  const http::Request& asked = behind_.asked.front();
  EXPECT_EQ(asked.target, "/clusters/dark/api/v1/namespaces?limit=5&x=%2F");
  EXPECT_EQ(asked.headers.find("Authorization"), "Bearer t");
  EXPECT_EQ(asked.headers.find("Accept"), "application/json");
  for (const char* kept_back : {"Cookie", "Impersonate-User", "X-Remote-User", "X-Forwarded-For"})
    EXPECT_FALSE(asked.headers.find(kept_back)) << kept_back;
}

TEST_F(ConsoleTest, WhatAClusterIsNotAsked) {
  EXPECT_EQ(get("/clusters/dark/api", {}).status, 401);
  EXPECT_EQ(get("/clusters/other/api").status, 404);
  auto deletion = request("/clusters/dark/api/v1/namespaces/a", {{"Authorization", "Bearer t"}});
  deletion.method = "DELETE";
  EXPECT_EQ(ask(deletion).status, 405);
  auto change = request("/updates/graph");
  change.method = "POST";
  EXPECT_EQ(ask(change).status, 405);
  EXPECT_THAT(behind_.asked, IsEmpty());
}

TEST_F(ConsoleTest, AClusterThatIsAwayIsNamed) {
  const auto answer = get("/clusters/gone/api");
  EXPECT_EQ(answer.status, 502);
  EXPECT_THAT(text(answer), HasSubstr("gone cannot be reached at http://127.0.0.1:1"));
}

TEST_F(ConsoleTest, AWatchComesThroughAsItHappens) {
  auto stream = loop_.block_on(
      client_->open(request("/clusters/ill/api/v1/pods?watch=1", {{"Authorization", "Bearer t"}})));
  ASSERT_TRUE(stream);
  EXPECT_EQ(loop_.block_on((*stream)->read(std::chrono::seconds(60))), "{\"type\":\"ADDED\"}\n");
  behind_.go_on.notify();
  EXPECT_EQ(loop_.block_on((*stream)->read(std::chrono::seconds(60))), "{\"type\":\"DELETED\"}\n");
  EXPECT_EQ(loop_.block_on((*stream)->read(std::chrono::seconds(60))), "");
}

TEST_F(ConsoleTest, WhyIsToldToThoseWhoMayReadTheCluster) {
  const auto answer = get("/why?cluster=ill&query=broken%20%3D%3D%201");
  EXPECT_EQ(answer.status, 200);
  const auto told = json::parse_object(text(answer));
  EXPECT_EQ(json::get_string(*told, {"verdict"}), "Applies");
  EXPECT_EQ(json::get_string(*told, {"tree", "expr"}), "broken");
  EXPECT_EQ(behind_.asked.front().headers.find("Authorization"), "Bearer t");

  evaluations_ = 0;
  EXPECT_EQ(get("/why?cluster=ill&query=broken", {}).status, 401);
  behind_.version_status = 403;
  const auto refused = get("/why?cluster=ill&query=broken");
  EXPECT_EQ(refused.status, 403);
  EXPECT_THAT(text(refused), HasSubstr("not for you"));
  EXPECT_EQ(evaluations_, 0);
}

TEST_F(ConsoleTest, WhyNotTold) {
  EXPECT_EQ(get("/why?cluster=other&query=up").status, 404);
  EXPECT_THAT(text(get("/why?cluster=dark&query=up")), HasSubstr("cannot be read here"));
  const auto bad = get("/why?cluster=ill&query=sum(");
  EXPECT_EQ(bad.status, 400);
  EXPECT_THAT(text(bad), HasSubstr("parse error"));
}

TEST_F(ConsoleTest, WhatIfTellsWhomABlockWouldTouch) {
  const auto answer = post("/what-if", kBlock);
  ASSERT_EQ(answer.status, 200) << text(answer);
  const auto told = json::parse_object(text(answer));
  EXPECT_EQ(json::get_string(*told, {"block", "name"}), "New");
  std::vector<std::string> rows;
  for (const json::Value& row : *json::get_array(*told, {"clusters"})) {
    const json::Object& each = row.get_object();
    const json::Array* updates = json::get_array(each, {"updates"});
    rows.push_back(std::string(*json::get_string(each, {"name"})) + " " +
                   std::string(*json::get_string(each, {"verdict"})) +
                   (updates->empty() ? "" : " " + json::serialize(updates->front().get_object())));
  }
  EXPECT_THAT(
      rows,
      ::testing::ElementsAre(
          R"(ill Applies {"version":"4.7.4","before":"recommended","after":"not recommended","risks":["New"]})",
          R"(dark Unknown {"version":"4.7.4","before":"recommended","after":"unknown","risks":["New"]})",
          "gone Unknown"));
  EXPECT_EQ(json::find(*told, {"untouched"})->to_number<int>(), 1) << "well";
}

TEST_F(ConsoleTest, WhatIfRefusesABlockThatCannotBeRead) {
  EXPECT_EQ(post("/what-if", "from: .*\n").status, 400);
  EXPECT_EQ(get("/what-if").status, 405);
  behind_.version_status = 401;
  EXPECT_EQ(post("/what-if", kBlock).status, 401);
}

}  // namespace
}  // namespace fairway::console
