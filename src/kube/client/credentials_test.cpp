#include "kube/client/credentials.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "async/event_loop.hpp"
#include "async/task_group.hpp"
#include "async/worker_pool.hpp"
#include "base/text.hpp"
#include "json/value.hpp"
#include "kube/client/testing/scripted_transport.hpp"
#include "kube/client/testing/temp_dir.hpp"
#include "kube/client/transport.hpp"

namespace fairway::kube {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;
using testing::json_response;
using testing::ScriptedTransport;
using testing::TempDir;

constexpr const char* kV1 = "client.authentication.k8s.io/v1";

ClientConfig config_with(Authentication authentication) {
  ClientConfig config{.name = "x", .server = *http::Url::parse("https://h:6443/clusters/hub")};
  config.authentication = std::move(authentication);
  return config;
}

ExecPlugin plugin() {
  return {.api_version = kV1,
          .command = "login",
          .args = {"--now"},
          .env = {{"A", "b"}},
          .interactive_mode = "Never"};
}

std::string exec_output(std::string_view status) {
  return std::string(R"({"apiVersion":"client.authentication.k8s.io/v1","kind":"ExecCredential","status":)") +
         std::string(status) + "}";
}

struct CredentialsTest : ::testing::Test {
  async::EventLoop loop;
  ManualClock clock;
  std::vector<Command> commands;
  std::function<Result<ProcessResult>()> printed;

  static Task<ProcessResult> run_scripted(CredentialsTest& test, Command command) {
    FAIRWAY_CO_CHECKED(co_await async::sleep_for(test.loop.clock(), Duration::zero()));
    test.commands.push_back(std::move(command));
    co_return test.printed();
  }
  RunCommand runner() {
    return [this](Command command) { return run_scripted(*this, std::move(command)); };
  }
  std::string authorization(Credentials& credentials) {
    auto current = loop.block_on(credentials.current());
    return current ? (*current)->authorization : current.error().describe();
  }
};

TEST_F(CredentialsTest, TokensAndPasswords) {
  Credentials token(config_with({.token = "t"}), clock);
  EXPECT_EQ(authorization(token), "Bearer t");
  Credentials basic(config_with({.username = "u", .password = "p"}), clock);
  EXPECT_EQ(authorization(basic), "Basic " + encode_base64("u:p"));
  Credentials none(config_with({}), clock);
  EXPECT_EQ(authorization(none), "");
  EXPECT_FALSE(none.forget(*loop.block_on(none.current())));
}

TEST_F(CredentialsTest, ATokenFileIsReadAgainEveryMinute) {
  TempDir dir;
  const std::string path = dir.write("token", "one\n");
  Credentials credentials(config_with({.token_file = path}), clock);
  EXPECT_EQ(authorization(credentials), "Bearer one");
  dir.write("token", "two");
  clock.advance(59s);
  EXPECT_EQ(authorization(credentials), "Bearer one");
  clock.advance(1s);
  EXPECT_EQ(authorization(credentials), "Bearer two");
  std::filesystem::remove(path);
  clock.advance(61s);
  EXPECT_EQ(authorization(credentials), "Bearer two") << "a file that is gone for a moment";
  dir.write("token", "three");
  EXPECT_TRUE(credentials.forget(*loop.block_on(credentials.current())));
  EXPECT_EQ(authorization(credentials), "Bearer three") << "after a refusal the file is read at once";
}

TEST_F(CredentialsTest, AMissingTokenFileFallsBackToTheToken) {
  Credentials fallback(config_with({.token = "t", .token_file = "/nonexistent/token"}), clock);
  EXPECT_EQ(authorization(fallback), "Bearer t");
  Credentials nothing(config_with({.token_file = "/nonexistent/token"}), clock);
  EXPECT_THAT(authorization(nothing), HasSubstr("cannot read \"/nonexistent/token\""));
}

TEST_F(CredentialsTest, APluginIsToldWhatItNeeds) {
  ClientConfig config = config_with({.exec = plugin()});
  config.authority.text = "ca";
  config.authentication.exec->provide_cluster_info = true;
  printed = [] { return ProcessResult{.output = exec_output(R"({"token":"t"})")}; };
  Credentials credentials(config, clock, runner());
  EXPECT_EQ(authorization(credentials), "Bearer t");
  ASSERT_EQ(commands.size(), 1U);
  EXPECT_EQ(commands[0].program, "login");
  EXPECT_EQ(commands[0].arguments, std::vector<std::string>{"--now"});
  EXPECT_EQ(commands[0].environment.at(0).second, "b");
  EXPECT_EQ(commands[0].environment.at(1).first, "KUBERNETES_EXEC_INFO");
  EXPECT_EQ(*json::parse(commands[0].environment.at(1).second),
            *json::parse(R"({"apiVersion":"client.authentication.k8s.io/v1","kind":"ExecCredential","spec":{
              "cluster":{"server":"https://h:6443/clusters/hub","certificate-authority-data":"Y2E="},
              "interactive":false}})"));
}

TEST_F(CredentialsTest, APluginsCredentialLastsUntilItExpires) {
  int runs = 0;
  const std::string expires = format_rfc3339(clock.now() + 1h);
  printed = [&] {
    const std::string until = runs == 0 ? R"(,"expirationTimestamp":")" + expires + "\"" : "";
    return ProcessResult{.output =
                             exec_output(R"({"token":"t)" + std::to_string(runs++) + "\"" + until + "}")};
  };
  Credentials credentials(config_with({.exec = plugin()}), clock, runner());
  EXPECT_EQ(authorization(credentials), "Bearer t0");
  clock.advance(59min);
  EXPECT_EQ(authorization(credentials), "Bearer t0");
  clock.advance(1min);
  EXPECT_EQ(authorization(credentials), "Bearer t1");
  clock.advance(1000h);
  EXPECT_EQ(authorization(credentials), "Bearer t1") << "one without an expiry stays";
  EXPECT_TRUE(credentials.forget(*loop.block_on(credentials.current())));
  EXPECT_EQ(authorization(credentials), "Bearer t2");
}

Task<void> note_authorization(Credentials& credentials, std::vector<std::string>& into) {
  FAIRWAY_CO_TRY(const CredentialPtr current, co_await credentials.current());
  into.push_back(current->authorization);
  co_return Result<void>{};
}

TEST_F(CredentialsTest, ManyRequestsRunThePluginOnce) {
  printed = [] { return ProcessResult{.output = exec_output(R"({"token":"t"})")}; };
  Credentials credentials(config_with({.exec = plugin()}), clock, runner());
  std::vector<std::string> seen;
  async::TaskGroup group(loop.executor());
  for (int i = 0; i < 10; ++i) group.spawn("request", note_authorization(credentials, seen));
  ASSERT_TRUE(loop.block_on(group.join()));
  EXPECT_EQ(seen, std::vector<std::string>(10, "Bearer t"));
  EXPECT_EQ(commands.size(), 1U);
}

TEST_F(CredentialsTest, SaysWhatAPluginDidWrong) {
  const auto error = [&](ProcessResult result) {
    printed = [&] { return result; };
    Credentials credentials(config_with({.exec = plugin()}), clock, runner());
    return authorization(credentials);
  };
  EXPECT_EQ(error({.exit_code = 2, .error_output = "no login\n"}),
            "the credential plugin \"login\": ended with exit code 2: \"no login\"");
  EXPECT_THAT(error({.output = "hello"}), HasSubstr("expected an ExecCredential as JSON"));
  EXPECT_THAT(error({.output = R"({"apiVersion":"v1","kind":"ExecCredential"})"}),
              HasSubstr("found a \"ExecCredential\" of \"v1\""));
  EXPECT_THAT(error({.output = exec_output("null")}), HasSubstr("expected a status"));
  EXPECT_THAT(error({.output = exec_output("{}")}), HasSubstr("found neither"));
  EXPECT_THAT(error({.output = exec_output(R"({"clientKeyData":"k","token":"t"})")}),
              HasSubstr("found only one"));
  EXPECT_THAT(error({.output = exec_output(R"({"token":"t","expirationTimestamp":"2020-01-01T00:00:00Z"})")}),
              HasSubstr("expired at 2020-01-01T00:00:00Z"));
  Credentials not_allowed(config_with({.exec = plugin()}), clock);
  EXPECT_THAT(authorization(not_allowed), HasSubstr("running programs is not allowed here"));
}

TEST_F(CredentialsTest, ARealPluginOnAWorkerPool) {
  async::WorkerPool pool("plugins", 1);
  SystemProcess process(loop.clock());
  ExecPlugin real = plugin();
  real.command = "sh";
  real.args = {"-c",
               "test -n \"$KUBERNETES_EXEC_INFO\" && echo '" + exec_output(R"({"token":"real"})") + "'"};
  Credentials credentials(config_with({.exec = real}), clock, run_on(pool, process));
  EXPECT_EQ(authorization(credentials), "Bearer real");
  real.command = "fairway-no-such-plugin";
  real.install_hint = "install it";
  Credentials absent(config_with({.exec = real}), clock, run_on(pool, process));
  EXPECT_THAT(authorization(absent), HasSubstr("No such file or directory: install it"));
}

TEST_F(CredentialsTest, TheTransportSignsAndRenewsOnceAfter401) {
  int runs = 0;
  printed = [&] {
    const int run = runs++;
    return ProcessResult{.output = exec_output(R"({"token":"t)" + std::to_string(run) +
                                               R"(","clientCertificateData":"c)" + std::to_string(run + 1) +
                                               R"(","clientKeyData":"k"})")};
  };
  auto peer = std::make_shared<ScriptedTransport>(clock, [](const http::ClientRequest& request) {
    return json_response(request.headers.find("authorization") == "Bearer t0" ? 401 : 200, request.body);
  });
  std::vector<std::string> certificates;
  AuthTransport transport(
      peer, std::make_unique<Credentials>(config_with({.exec = plugin()}), clock, runner()),
      {.user = "root", .groups = {"g", "h"}}, [&](const Credential& credential) -> Result<void> {
        certificates.push_back(credential.certificate_pem);
        return {};
      });
  const auto answer = loop.block_on(transport.send({"POST", *http::Url::parse("https://h/x"), {}, "body"}));
  ASSERT_TRUE(answer) << answer.error().describe();
  EXPECT_EQ(answer->status, 200);
  EXPECT_EQ(answer->body.to_string(), "body");
  ASSERT_EQ(peer->requests().size(), 2U);
  EXPECT_EQ(peer->requests()[1].headers.find("authorization"), "Bearer t1");
  EXPECT_EQ(peer->requests()[1].headers.all("impersonate-group").size(), 2U);
  EXPECT_EQ(certificates, (std::vector<std::string>{"c1", "c2"}));
}

TEST_F(CredentialsTest, A401ThatCannotBeHelpedIsGivenBackOnce) {
  auto peer = std::make_shared<ScriptedTransport>(
      clock, [](const http::ClientRequest&) { return json_response(401, ""); });
  AuthTransport transport(peer, std::make_unique<Credentials>(config_with({.token = "t"}), clock));
  EXPECT_EQ(loop.block_on(transport.send({"GET", *http::Url::parse("https://h/x")}))->status, 401);
  EXPECT_EQ(peer->requests().size(), 1U);
}

TEST_F(CredentialsTest, ADryRunIsAskedForInEveryWriteAndNoRead) {
  auto peer = std::make_shared<ScriptedTransport>(
      clock, [](const http::ClientRequest& request) { return json_response(200, request.body); });
  DryRunTransport transport(peer);
  const auto ask = [&](std::string method, std::string path, std::string body = {}) {
    auto answer = loop.block_on(
        transport.send({std::move(method), *http::Url::parse("https://h" + path), {}, std::move(body)}));
    return peer->requests().back().url.path + " " + answer->body.to_string();
  };
  EXPECT_EQ(ask("GET", "/x?watch=1"), "/x?watch=1 ");
  EXPECT_EQ(ask("POST", "/x"), "/x?dryRun=All ");
  EXPECT_EQ(ask("PATCH", "/x?fieldManager=f", "{}"), "/x?fieldManager=f&dryRun=All {}");
  EXPECT_EQ(ask("PUT", "/x?dryRun=All"), "/x?dryRun=All ");
  EXPECT_EQ(ask("DELETE", "/x"), "/x?dryRun=All ");
  EXPECT_EQ(ask("DELETE", "/x", R"({"kind":"DeleteOptions"})"),
            R"(/x?dryRun=All {"kind":"DeleteOptions","dryRun":["All"]})")
      << "a server that is given a body does not look at the query";
}

}  // namespace
}  // namespace fairway::kube
