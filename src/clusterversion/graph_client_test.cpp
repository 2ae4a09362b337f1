// The update service on loopback, the cluster's own API as a scripted peer.
#include "clusterversion/graph_client.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "async/notify.hpp"
#include "base/text.hpp"
#include "http/certificates.hpp"
#include "http/test_server.hpp"
#include "kube/client/testing/scripted_transport.hpp"

namespace fairway::clusterversion {
namespace {

using namespace std::chrono_literals;
using kube::testing::json_response;
using kube::testing::ScriptedTransport;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using ::testing::StartsWith;

constexpr std::string_view kGraph =
    R"({"nodes":[{"version":"4.6.23","payload":"r@sha256:23"},{"version":"4.6.43","payload":"r@sha256:43"}],
        "edges":[[0,1]]})";

// The versions that are offered, or the failure as the condition tells it.
std::string text_of(const Result<GraphOutcome>& outcome) {
  if (!outcome) return "error: " + outcome.error().describe();
  if (!*outcome) return outcome->error().reason + ": " + outcome->error().message;
  std::vector<std::string> versions;
  for (const Release& update : (*outcome)->updates) versions.push_back(update.version);
  return join(versions, " ");
}

std::string config_map(std::string_view bundle) {
  return json::serialize(json::Object{{"data", json::Object{{"ca-bundle.crt", json::String(bundle)}}}});
}

class GraphClientTest : public ::testing::Test {
 protected:
  explicit GraphClientTest(std::shared_ptr<http::TlsContext> tls = {})
      : server([this](const http::Request& request,
                      http::ResponseWriter& writer) { return answer(request, writer); },
               {}, std::move(tls)) {}

  std::string fetch(const std::string& url) {
    GraphClient client(settings, server.loop.executor(), cluster(), pool);
    GraphRequest request{.url = url, .question = {.version = "4.6.23", .channel = "stable-4.6"}};
    return text_of(server.loop.block_on(client.fetch(request)));
  }
  std::string url(const std::string& path) const { return server.url("").origin() + path; }

  kube::Client& cluster() {
    if (!cluster_)
      cluster_ = std::make_unique<kube::Client>(api, server.loop.clock(),
                                                *http::Url::parse("https://api.example:6443"));
    return *cluster_;
  }
  Result<http::Response> answer_of_cluster(const http::ClientRequest& request) const {
    const auto found = objects.find(request.url.path);
    if (found != objects.end()) return found->second;
    return json_response(404, R"({"kind":"Status","status":"Failure","reason":"NotFound","code":404})");
  }
  void set_proxy(const std::string& proxy) {
    objects["/apis/config.openshift.io/v1/proxies/cluster"] =
        json_response(200, R"({"status":{"httpProxy":")" + proxy + R"("}})");
  }
  void set_bundle(std::string_view bundle) {
    objects["/api/v1/namespaces/openshift-config-managed/configmaps/trusted-ca-bundle"] =
        json_response(200, config_map(bundle));
  }

  Task<void> answer(const http::Request& request, http::ResponseWriter& writer) {
    asked.push_back(request);
    return writer.send(respond(request));
  }

  GraphClientSettings settings{.user_agent = "fairway/test"};
  std::map<std::string, http::Response> objects;  // of the cluster, by path
  std::vector<http::Request> asked;
  std::function<http::Response(const http::Request&)> respond = [](const http::Request&) {
    return http::Response{200, {}, std::string(kGraph)};
  };
  async::WorkerPool pool{"graph-test", 1};
  http::testing::TestServer server;
  std::shared_ptr<ScriptedTransport> api = std::make_shared<ScriptedTransport>(
      server.loop.clock(), [this](const http::ClientRequest& request) { return answer_of_cluster(request); });

 private:
  std::unique_ptr<kube::Client> cluster_;
};

TEST_F(GraphClientTest, Case1SaysWhoAsksAndForWhat) {
  EXPECT_EQ(fetch(url("/graph?arch=amd64&channel=stable-4.6")), "4.6.43");
  ASSERT_THAT(asked, SizeIs(1));
  EXPECT_EQ(asked[0].method, "GET");
  EXPECT_EQ(asked[0].target, "/graph?arch=amd64&channel=stable-4.6");
  EXPECT_EQ(asked[0].headers.find("accept"), "application/json");
  EXPECT_EQ(asked[0].headers.find("user-agent"), "fairway/test");
}

TEST_F(GraphClientTest, Case7AStatusOtherThan200) {
  for (const auto& [status, phrase] : std::map<int, std::string>{
           {503, "503 Service Unavailable"}, {404, "404 Not Found"}, {204, "204 No Content"}}) {
    respond = [code = status](const http::Request&) { return http::Response{code, {}, ""}; };
    EXPECT_EQ(fetch(url("/graph")),
              "ResponseFailed: Unable to retrieve available updates: unexpected HTTP status: " + phrase);
  }
}

TEST_F(GraphClientTest, Case10AServiceThatRefuses) {
  std::string gone;
  {
    const http::testing::TestServer closed(
        [](const http::Request&, http::ResponseWriter& writer) { return writer.send({}); });
    gone = closed.url("/graph").origin() + "/graph";
  }
  EXPECT_THAT(fetch(gone),
              AllOf(StartsWith("RemoteFailed: Unable to retrieve available updates: Get \"" + gone + "\": "),
                    HasSubstr("refused")));
}

TEST_F(GraphClientTest, Case12AnAnswerThatIsNoGraph) {
  respond = [](const http::Request&) { return http::Response{200, {}, "{"}; };
  EXPECT_THAT(fetch(url("/graph")), StartsWith("ResponseInvalid: Unable to retrieve available updates: "));
}

TEST_F(GraphClientTest, AnAnswerWithoutEndIsRefused) {
  settings.most_bytes = 20;
  EXPECT_THAT(fetch(url("/graph")), StartsWith("RemoteFailed: "));
}

TEST_F(GraphClientTest, ANameThatIsNoUrlIsAFailureLikeAnyOther) {
  EXPECT_THAT(fetch("ftp://h/graph"), StartsWith("RemoteFailed: "));
  EXPECT_THAT(fetch(""), StartsWith("RemoteFailed: "));
}

struct Redirect {
  std::string location;  // ORIGIN stands for the server's
  std::string target;    // that is asked next
};

class GraphRedirect : public GraphClientTest, public ::testing::WithParamInterface<Redirect> {};

TEST_P(GraphRedirect, LeadsTo) {
  std::string location = GetParam().location;
  if (const auto at = location.find("ORIGIN"); at != std::string::npos) location.replace(at, 6, url(""));
  if (location.starts_with("//")) location = "//" + server.url("").authority() + location.substr(1);
  respond = [&](const http::Request& request) {
    if (request.target == "/api/graph?id=1") return http::Response{302, {{"Location", location}}, ""};
    return http::Response{200, {}, std::string(kGraph)};
  };
  EXPECT_EQ(fetch(url("/api/graph?id=1")), "4.6.43");
  ASSERT_THAT(asked, SizeIs(2));
  EXPECT_EQ(asked[1].target, GetParam().target);
}

INSTANTIATE_TEST_SUITE_P(
    Places, GraphRedirect,
    ::testing::Values(Redirect{"ORIGIN/v2/graph", "/v2/graph"}, Redirect{"/v2/graph?id=2", "/v2/graph?id=2"},
                      Redirect{"//v2/graph", "/v2/graph"}, Redirect{"other", "/api/other"},
                      Redirect{"?id=2", "/api/graph?id=2"},
                      Redirect{"/login?next=http://h/graph", "/login?next=http://h/graph"}));

TEST_F(GraphClientTest, EveryKindOfRedirectIsFollowed) {
  for (const int status : {301, 302, 303, 307, 308}) {
    respond = [status](const http::Request& request) {
      if (request.target == "/old") return http::Response{status, {{"Location", "/new"}}, ""};
      return http::Response{200, {}, std::string(kGraph)};
    };
    EXPECT_EQ(fetch(url("/old")), "4.6.43") << status;
  }
  respond = [](const http::Request&) { return http::Response{302, {}, ""}; };
  EXPECT_THAT(fetch(url("/old")), HasSubstr("unexpected HTTP status: 302")) << "it does not say where to";
}

TEST_F(GraphClientTest, TenRedirectsAreEnough) {
  int left = 10;
  respond = [&](const http::Request&) {
    if (left-- > 0) return http::Response{302, {{"Location", "/again"}}, ""};
    return http::Response{200, {}, std::string(kGraph)};
  };
  EXPECT_EQ(fetch(url("/graph")), "4.6.43");
  asked.clear();
  left = 11;
  EXPECT_THAT(fetch(url("/graph")),
              AllOf(StartsWith("RemoteFailed: "), HasSubstr("stopped after 10 redirects")));
  EXPECT_THAT(asked, SizeIs(11));
}

TEST_F(GraphClientTest, TheProxyOfTheClusterIsReadForEveryRequest) {
  const std::string far = "http://updates.example/graph?id=1";
  set_proxy("http://127.0.0.1:no");
  EXPECT_THAT(fetch(far), AllOf(StartsWith("RemoteFailed: "), HasSubstr("in the status of Proxy cluster")));
  EXPECT_THAT(asked, IsEmpty()) << "a proxy that is wrong is not gone around";
  set_proxy(url(""));
  EXPECT_EQ(fetch(far), "4.6.43");
  ASSERT_THAT(asked, SizeIs(1));
  EXPECT_EQ(asked[0].target, "http://updates.example:80/graph?id=1");
}

TEST_F(GraphClientTest, WithoutKnowingTheProxyNothingIsSent) {
  objects["/apis/config.openshift.io/v1/proxies/cluster"] = json_response(
      403, R"({"kind":"Status","status":"Failure","reason":"Forbidden","message":"not yours","code":403})");
  EXPECT_THAT(fetch(url("/graph")), AllOf(StartsWith("RemoteFailed: "), HasSubstr("not yours")));
  EXPECT_THAT(asked, IsEmpty());
}

TEST_F(GraphClientTest, AuthoritiesAreOfNoInterestToAPlainService) {
  set_bundle("no certificate");
  EXPECT_EQ(fetch(url("/graph")), "4.6.43");
  EXPECT_THAT(api->asked(), ElementsAre("GET /apis/config.openshift.io/v1/proxies/cluster"));
}

struct Tls {
  http::KeyPair authority;
  std::shared_ptr<http::TlsContext> for_server;

  Tls() {
    const SystemClock clock;
    const WallTime start = clock.now() - 1h;
    authority = *http::make_authority("test", start, start + 24h);
    const auto server =
        *http::issue_certificate(authority, {"server", {}, {}, {"127.0.0.1"}, start, start + 24h});
    for_server = *http::make_server_context({server.certificate_pem, server.key_pem, ""});
  }
};

class GraphClientTlsTest : public Tls, public GraphClientTest {
 protected:
  GraphClientTlsTest() : GraphClientTest(for_server) {}
  std::string fetch_securely() { return fetch(server.url("", true).origin() + "/graph"); }
};

TEST_F(GraphClientTlsTest, TheBundleOfTheClusterIsReadForEveryRequest) {
  EXPECT_THAT(fetch_securely(), StartsWith("RemoteFailed: ")) << "the system does not know this authority";
  set_bundle(Tls().authority.certificate_pem);
  EXPECT_THAT(fetch_securely(), StartsWith("RemoteFailed: ")) << "another authority";
  EXPECT_THAT(asked, IsEmpty());
  set_bundle(authority.certificate_pem);
  EXPECT_EQ(fetch_securely(), "4.6.43");
}

TEST_F(GraphClientTlsTest, ABundleThatCannotBeReadIsSaidToBeSo) {
  set_bundle("-----BEGIN CERTIFICATE-----\nnone\n-----END CERTIFICATE-----\n");
  EXPECT_THAT(fetch_securely(),
              AllOf(StartsWith("RemoteFailed: "), HasSubstr("unable to add ca-bundle.crt certificates")));
}

TEST(GraphClientDeadline, ASilentServiceEndsAtTheDeadline) {
  async::Notify never;
  bool was_asked = false;
  const auto wait = [&](const http::Request&, http::ResponseWriter&) -> Task<void> {
    was_asked = true;
    return never.wait();
  };
  http::testing::TestServer server(wait);
  ManualClock clock;
  const auto api = std::make_shared<ScriptedTransport>(
      clock, [](const http::ClientRequest&) { return json_response(404, "{}"); });
  kube::Client cluster(api, clock, *http::Url::parse("https://api.example"));
  async::WorkerPool pool("graph-test", 1);
  GraphClient client({}, server.loop.executor(), cluster, pool);
  bool has_ended = false;
  const std::function<void()> tick = [&] {
    if (has_ended) return;
    if (was_asked) clock.advance_to_next();
    server.loop.post(tick);
  };
  server.loop.post(tick);
  const std::string outcome =
      text_of(server.loop.block_on(client.fetch({.url = server.url("").origin() + "/graph"})));
  has_ended = true;
  server.loop.run_until_idle();
  EXPECT_THAT(outcome, AllOf(StartsWith("RemoteFailed: "), HasSubstr("no answer within 1h0m0s")));
  never.notify();
}

}  // namespace
}  // namespace fairway::clusterversion
