// Spec 2.4, against a real HTTP server on loopback.
#include "clusterversion/prometheus_queries.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "async/notify.hpp"
#include "async/task_group.hpp"
#include "base/text.hpp"
#include "http/certificates.hpp"
#include "http/test_server.hpp"
#include "kube/client/testing/temp_dir.hpp"

namespace fairway::clusterversion {
namespace {

using namespace std::chrono_literals;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::SizeIs;
using ::testing::StartsWith;

std::string vector_of(std::string_view value) {
  return fmt::format(
      R"({{"status":"success","data":{{"resultType":"vector","result":[{{"metric":{{}},"value":[1,"{}"]}}]}}}})",
      value);
}

// "match", "no match", or the failure, with a mark when nobody judged the query.
std::string text_of(const QueryOutcome& outcome) {
  if (outcome) return *outcome ? "match" : "no match";
  return outcome.error().why + (outcome.error().was_judged ? "" : " (not judged)");
}

// A port of this machine on which nobody listens.
std::uint16_t closed_port() {
  const http::testing::TestServer gone(
      [](const http::Request&, http::ResponseWriter& writer) { return writer.send({}); });
  return gone.port();
}

class PrometheusQueriesTest : public ::testing::Test {
 protected:
  std::string ask(const std::string& query = "up") {
    if (access.urls.empty()) access.urls = {server.url("")};
    PrometheusQueries queries(access, server.loop.executor(), server.loop.clock());
    const auto outcome = server.loop.block_on(queries.ask(query));
    return outcome ? text_of(*outcome) : outcome.error().describe();
  }
  std::string answered_with(int status, std::string body) {
    respond = [status, body](const http::Request&) { return http::Response{status, {}, body}; };
    return ask();
  }

  Task<void> answer(const http::Request& request, http::ResponseWriter& writer) {
    asked.push_back(request);
    return writer.send(respond(request));
  }

  kube::testing::TempDir temp;
  PrometheusAccess access;
  std::vector<http::Request> asked;
  std::function<http::Response(const http::Request&)> respond = [](const http::Request&) {
    return http::Response{200, {}, vector_of("1")};
  };
  http::testing::TestServer server{
      [this](const http::Request& request, http::ResponseWriter& writer) { return answer(request, writer); }};
};

TEST_F(PrometheusQueriesTest, Case32And33AsksByGetAndReadsTheVerdict) {
  EXPECT_EQ(ask(R"(max(x{type=~"https?"}))"), "match");
  ASSERT_THAT(asked, SizeIs(1));
  EXPECT_EQ(asked[0].method, "GET");
  EXPECT_EQ(asked[0].headers.find("accept"), "application/json");
  EXPECT_FALSE(asked[0].headers.find("authorization"));
  const auto target = http::Target::parse(asked[0].target);
  ASSERT_TRUE(target);
  EXPECT_EQ(target->path, "/api/v1/query");
  EXPECT_EQ(target->query.get("query"), R"(max(x{type=~"https?"}))");
  EXPECT_EQ(answered_with(200, vector_of("0")), "no match");
}

TEST(PrometheusQueryUrl, KeepsTheBaseAndTellsTheTimeInSeconds) {
  const WallTime at = WallTime(1'700'000'000s) + 45ms;
  const auto url = [&](const std::string& base) { return query_url(*http::Url::parse(base), "a b&c", at); };
  const std::string query = "/api/v1/query?query=a%20b%26c&time=1700000000.045";
  EXPECT_EQ(url("http://p.example").path, query);
  EXPECT_EQ(url("http://p.example/").path, query);
  EXPECT_EQ(url("https://p.example/prometheus/").path, "/prometheus" + query);
}

TEST_F(PrometheusQueriesTest, Case38TellsRefusalsApart) {
  EXPECT_EQ(answered_with(403, ""), "executing PromQL query: client_error: client error: 403 (not judged)");
  EXPECT_EQ(answered_with(400, R"({"status":"error","errorType":"bad_data","error":"1:2: parse error"})"),
            "executing PromQL query: bad_data: 1:2: parse error");
  EXPECT_EQ(answered_with(502, "<html>"),
            "executing PromQL query: server_error: server error: 502 (not judged)");
  EXPECT_THAT(answered_with(200, "<html>"), StartsWith("executing PromQL query: bad_response: "));
}

TEST_F(PrometheusQueriesTest, TheTokenIsReadForEveryQuestion) {
  access.token_file = temp.write("token", "first\n");
  EXPECT_EQ(ask(), "match");
  temp.write("token", "second\n");
  EXPECT_EQ(ask(), "match");
  ASSERT_THAT(asked, SizeIs(2));
  EXPECT_EQ(asked[0].headers.find("authorization"), "Bearer first");
  EXPECT_EQ(asked[1].headers.find("authorization"), "Bearer second");
}

TEST_F(PrometheusQueriesTest, WithoutItsTokenNothingIsSent) {
  access.token_file = temp.path("missing");
  EXPECT_THAT(ask(), AllOf(StartsWith("creating PromQL client: "), EndsWith(" (not judged)")));
  EXPECT_THAT(asked, SizeIs(0));
}

TEST_F(PrometheusQueriesTest, WhoCannotBeReachedIsNamed) {
  const std::uint16_t port = closed_port();
  access.urls = {{"http", "127.0.0.1", port, "", ""}};
  EXPECT_THAT(ask("up == 1"),
              AllOf(StartsWith(fmt::format("executing PromQL query: Get "
                                           "\"http://127.0.0.1:{}/api/v1/query?query=up%20%3D%3D%201&time=",
                                           port)),
                    HasSubstr("refused"), EndsWith(" (not judged)")));
}

TEST_F(PrometheusQueriesTest, TheNextServerStandsInForOneWithoutAVerdict) {
  access.urls = {{"http", "127.0.0.1", closed_port(), "", ""},
                 server.url("/broken"),
                 server.url("/good"),
                 server.url("/spare")};
  respond = [](const http::Request& request) {
    if (request.target.starts_with("/broken")) return http::Response{503, {}, ""};
    return http::Response{200, {}, vector_of("0")};
  };
  EXPECT_EQ(ask(), "no match");
  ASSERT_THAT(asked, SizeIs(2)) << "the spare one is not asked";
  EXPECT_THAT(asked[1].target, StartsWith("/good/api/v1/query"));
}

TEST_F(PrometheusQueriesTest, AJudgementIsNotAskedForTwice) {
  access.urls = {server.url("/one"), server.url("/two")};
  EXPECT_EQ(answered_with(422, R"({"status":"error","errorType":"execution","error":"too many"})"),
            "executing PromQL query: execution: too many");
  EXPECT_THAT(asked, SizeIs(1));
}

TEST_F(PrometheusQueriesTest, WhenNoneAnswersTheLastFailureIsTold) {
  access.urls = {server.url("/one"), server.url("/two")};
  respond = [](const http::Request& request) {
    return http::Response{request.target.starts_with("/one") ? 502 : 503, {}, ""};
  };
  EXPECT_EQ(ask(), "executing PromQL query: server_error: server error: 503 (not judged)");
}

TEST_F(PrometheusQueriesTest, AnAnswerWithoutEndIsRefused) {
  EXPECT_THAT(answered_with(200, std::string(5 * 1024 * 1024, ' ')),
              AllOf(StartsWith("executing PromQL query: Get "), EndsWith(" (not judged)")));
}

// Case 58, on a clock that the test moves.
TEST(PrometheusQueriesDeadline, Case58ASilentServerEndsAtTheDeadline) {
  async::Notify never;
  bool was_asked = false;
  const auto wait = [&](const http::Request&, http::ResponseWriter&) -> Task<void> {
    was_asked = true;
    return never.wait();
  };
  http::testing::TestServer server(wait);
  ManualClock clock;
  const SteadyTime begun = clock.steady();
  PrometheusQueries queries({.urls = {server.url("")}}, server.loop.executor(), clock);
  bool has_ended = false;
  const std::function<void()> tick = [&] {
    if (has_ended) return;
    if (was_asked) clock.advance_to_next();
    server.loop.post(tick);
  };
  server.loop.post(tick);
  const auto outcome = server.loop.block_on(queries.ask("up"));
  has_ended = true;
  server.loop.run_until_idle();
  ASSERT_TRUE(outcome) << outcome.error().describe();
  EXPECT_THAT(text_of(*outcome), AllOf(StartsWith("executing PromQL query: Get "),
                                       EndsWith("context deadline exceeded (not judged)")));
  EXPECT_EQ(clock.steady() - begun, 5min);
  never.notify();
}

struct Tls {
  http::KeyPair authority;
  http::KeyPair server;

  Tls() {
    const SystemClock clock;
    const WallTime start = clock.now() - 1h;
    authority = *http::make_authority("test", start, start + 24h);
    server = *http::issue_certificate(authority, {"server", {}, {}, {"127.0.0.1"}, start, start + 24h});
  }
};

TEST(PrometheusQueriesTls, AuthoritiesAreReadForEveryQuestion) {
  const Tls tls;
  const Tls stranger;
  http::testing::TestServer server(
      [](const http::Request&, http::ResponseWriter& writer) {
        return writer.send({200, {}, vector_of("1")});
      },
      {}, *http::make_server_context({tls.server.certificate_pem, tls.server.key_pem, ""}));
  const kube::testing::TempDir temp;
  const std::string file = temp.path("ca.pem");
  PrometheusQueries queries({.urls = {server.url("", true)}, .ca_file = file}, server.loop.executor(),
                            server.loop.clock());
  const auto ask = [&] { return text_of(*server.loop.block_on(queries.ask("up"))); };
  EXPECT_THAT(ask(), AllOf(StartsWith("creating PromQL round-tripper: "), EndsWith(" (not judged)")))
      << "there is no such file yet";
  temp.write("ca.pem", stranger.authority.certificate_pem);
  EXPECT_THAT(ask(), AllOf(StartsWith("executing PromQL query: Get "), EndsWith(" (not judged)")));
  temp.write("ca.pem", tls.authority.certificate_pem);
  EXPECT_EQ(ask(), "match");
}

}  // namespace
}  // namespace fairway::clusterversion
