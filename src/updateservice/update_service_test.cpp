// The whole service on loopback, from files to answers.
#include "updateservice/update_service.hpp"

#include <filesystem>
#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "graph/graph_testing.hpp"
#include "http/client.hpp"
#include "http/compression.hpp"
#include "json/value.hpp"

namespace fairway::updateservice {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using ::testing::StartsWith;

class UpdateServiceTest : public ::testing::Test {
 protected:
  UpdateServiceTest() {
    std::string name = (fs::temp_directory_path() / "fairway-us-XXXXXX").string();
    root = ::mkdtemp(name.data());
    write("data/version", "1.1.0\n");
    write("data/raw/metadata.json", "{}");
    write("data/channels/stable-4.7.yaml",
          graph::testing::channel("stable-4.7", {"4.6.23", "4.7.4", "4.7.5"}));
    write("data/blocked-edges/4.7.4.yaml", graph::testing::risk("4.7.4", ".*", "VSphereHW"));
    const std::vector releases{graph::testing::release("4.6.23"),
                               graph::testing::release("4.7.4", {"4.6.23"}),
                               graph::testing::release("4.7.5", {"4.7.4"})};
    write("releases.jsonl", to_jsonl(releases));
    settings.graph_data = *GraphDataPlace::parse((root / "data").string());
    settings.releases = *ReleasePlace::parse((root / "releases.jsonl").string());
    settings.service.prefix = "/api";
  }
  ~UpdateServiceTest() override {
    if (service) EXPECT_TRUE(loop.block_on(stop(*service)));
    fs::remove_all(root);
  }

  static Task<void> stop(UpdateService& running) {
    co_await running.stop();
    co_return Result<void>{};
  }
  void write(const std::string& path, std::string_view text) {
    fs::create_directories((root / path).parent_path());
    std::ofstream(root / path, std::ios::binary) << text;
  }
  void start() {
    auto started = UpdateService::start(loop, settings);
    ASSERT_TRUE(started) << started.error().describe();
    service = *std::move(started);
  }
  void start_ready() {
    start();
    loop.run_until([&] { return service->has_graph(); });
  }
  http::Response send(std::string method, std::uint16_t port, std::string target,
                      http::Headers headers = {}) {
    http::ClientRequest request{.method = std::move(method), .headers = std::move(headers)};
    request.url = http::Url{"http", "127.0.0.1", port, std::move(target), ""};
    auto response = loop.block_on(client.send(std::move(request)));
    EXPECT_TRUE(response) << (response ? "" : response.error().describe());
    return response ? *std::move(response) : http::Response{};
  }
  http::Response get(const std::string& target, http::Headers headers = {}) {
    return send("GET", service->port(), "/api" + target, std::move(headers));
  }
  std::string status(const std::string& target) {
    return send("GET", service->status_port(), target).body.to_string();
  }
  static std::string header(const http::Response& response, std::string_view name) {
    return std::string(response.headers.find(name).value_or(""));
  }
  // Asks until the answer is as wanted; the test's timeout is the limit.
  void await(const std::function<bool()>& is_so) {
    while (!is_so()) loop.run_until_idle();
  }

  async::EventLoop loop;
  http::Client client{loop.executor(), loop.clock(), {}};
  fs::path root;
  UpdateServiceSettings settings;
  std::unique_ptr<UpdateService> service;
};

TEST_F(UpdateServiceTest, Case1To4ServesTheGraphAsTheClientWantsIt) {
  start_ready();
  const auto json = get("/graph?channel=stable-4.7&arch=amd64", {{"Accept", "application/json"}});
  EXPECT_EQ(json.status, 200);
  EXPECT_EQ(header(json, "Content-Type"), "application/json");
  EXPECT_THAT(json.body.to_string(), StartsWith(R"({"version":1,"nodes":[{"version":"4.6.23")"));
  EXPECT_THAT(json.body.to_string(),
              HasSubstr(R"("edges":[[1,2]],"conditionalEdges":[{"edges":[{"from":"4.6.23","to":"4.7.4"}])"));
  const auto plain = get("/v1/graph?channel=stable-4.7");
  EXPECT_EQ(header(plain, "Content-Type"), "application/vnd.redhat.cincinnati.v1+json");
  EXPECT_EQ(plain.body.to_string(), json.body.to_string());
}

TEST_F(UpdateServiceTest, Case5To13RefusalsHaveAKindAndAreCounted) {
  start_ready();
  struct Case {
    std::string target;
    http::Headers headers;
    int status;
    std::string kind;
  };
  const Case cases[] = {
      {"/graph?channel=a", {{"Accept", "app/anything-really"}}, 406, "invalid_content_type"},
      {"/graph", {}, 400, "missing_params"},
      {"/graph?channel=invalid:channel", {}, 400, "invalid_params"},
      {"/graph?channel=a&arch=AMD64", {}, 400, "invalid_params"},
      {"/explain?from=4.6.23", {}, 400, "missing_params"},
      {"/path?from=4.6.23&to=9.9.9", {}, 404, "does_not_exist"},
      {"/diff?channel=stable-4.7&with=stable-4.8", {}, 404, "does_not_exist"},
      {"/diff?channel=stable-4.7&since=HEAD", {}, 400, "invalid_params"},
      {"/signatures/md5=aa/signature-1", {}, 400, "invalid_params"},
      {"/signatures/sha256=aa/signature-1", {}, 404, "does_not_exist"}};
  for (const Case& c : cases) {
    const auto response = get(c.target, c.headers);
    EXPECT_EQ(response.status, c.status) << c.target;
    EXPECT_EQ(header(response, "Content-Type"), "application/json") << c.target;
    EXPECT_THAT(response.body.to_string(), StartsWith(R"({"kind":")" + c.kind + "\"")) << c.target;
  }
  EXPECT_THAT(
      status("/metrics"),
      HasSubstr(R"(cincinnati_pe_graph_response_errors_total{code="406",kind="invalid_content_type"} 1)"));
}

TEST_F(UpdateServiceTest, Case19To22MethodsOriginsAndCodings) {
  start_ready();
  EXPECT_EQ(get("/nope").status, 404);
  EXPECT_EQ(get("/nope").body.size(), 0U);
  EXPECT_EQ(send("GET", service->port(), "/graph?channel=stable-4.7").status, 404);
  const auto post = send("POST", service->port(), "/api/graph");
  EXPECT_EQ(post.status, 405);
  EXPECT_EQ(header(post, "Allow"), "GET, HEAD");
  const auto head = send("HEAD", service->port(), "/api/graph?channel=stable-4.7");
  EXPECT_EQ(head.status, 200);
  EXPECT_EQ(head.body.size(), 0U);
  const auto from_page = get("/graph?channel=stable-4.7", {{"Origin", "example.com"}});
  EXPECT_EQ(header(from_page, "Access-Control-Allow-Origin"), "example.com");
  const auto preflight = send("OPTIONS", service->port(), "/api/graph",
                              {{"Origin", "example.com"}, {"Access-Control-Request-Method", "GET"}});
  EXPECT_EQ(preflight.status, 200);
  EXPECT_EQ(header(preflight, "Access-Control-Allow-Methods"), "GET, HEAD");
  const std::string body = get("/graph?channel=stable-4.7").body.to_string();
  http::Response packed;
  await([&] {
    packed = get("/graph?channel=stable-4.7", {{"Accept-Encoding", "gzip"}});
    return header(packed, "Content-Encoding") == "gzip";
  });
  EXPECT_EQ(*http::gunzip(packed.body.to_string(), 1 << 20), body);
  EXPECT_EQ(get("/graph?channel=stable-4.7",
                {{"Accept-Encoding", "gzip"}, {"If-None-Match", header(packed, "ETag")}})
                .status,
            304);
}

TEST_F(UpdateServiceTest, Case26And27BeforeTheFirstGraph) {
  fs::remove(root / "releases.jsonl");
  start();
  await([&] { return status("/readyz?verbose").find("releases.jsonl") != std::string::npos; });
  EXPECT_EQ(send("GET", service->status_port(), "/livez").status, 200);
  EXPECT_EQ(send("GET", service->status_port(), "/readyz").status, 503);
  const auto none = get("/graph?channel=stable-4.7");
  EXPECT_EQ(none.status, 500);
  EXPECT_THAT(none.body.to_string(),
              StartsWith(R"({"kind":"failed_upstream_fetch","value":"failed to fetch upstream graph:)"));
  EXPECT_EQ(get("/graph?channel=UPPER").status, 400);
  EXPECT_THAT(get("/graph-data").body.to_string(), StartsWith(R"({"kind":"file_open_err")"));
}

TEST_F(UpdateServiceTest, Case71ABadChangeKeepsTheLastGoodGraphAndAGoodOneIsServed) {
  start_ready();
  const std::string before = get("/graph?channel=stable-4.7").body.to_string();
  write("data/blocked-edges/bad.yaml", "to: 4.7.5\nfrom: '['\n");
  await([&] { return status("/readyz?verbose").find("[-]refresh") != std::string::npos; });
  EXPECT_EQ(get("/graph?channel=stable-4.7").body.to_string(), before);
  EXPECT_THAT(status("/readyz?verbose"), HasSubstr("bad.yaml"));
  EXPECT_THAT(status("/metrics"), HasSubstr("fairway_update_service_refresh_failing 1"));
  EXPECT_EQ(send("GET", service->status_port(), "/readyz").status, 200);
  write("data/blocked-edges/bad.yaml", "to: 4.7.5\nfrom: .*\n");
  await([&] { return get("/graph?channel=stable-4.7").body.to_string() != before; });
  EXPECT_THAT(get("/graph?channel=stable-4.7").body.to_string(), HasSubstr("\"edges\":[]"));
  EXPECT_THAT(status("/metrics"), HasSubstr("fairway_update_service_refresh_failing 0"));
}

TEST_F(UpdateServiceTest, AnswersQuestionsBeyondTheProtocol) {
  start_ready();
  const auto explained =
      json::parse_object(get("/explain?from=4.6.23&to=4.7.4&channel=stable-4.7").body.to_string());
  ASSERT_TRUE(explained);
  EXPECT_EQ(json::get_string(*explained, {"verdict"}), "Conditional");
  const auto path = get("/path?from=4.6.23&to=4.7.5&fewest=risks&accept=VSphereHW").body.to_string();
  EXPECT_THAT(path, HasSubstr("\"hops\":2"));
  EXPECT_THAT(get("/channels").body.to_string(),
              HasSubstr(R"({"name":"stable-4.7","releases":{"amd64":3}})"));
  EXPECT_THAT(get("/openapi").body.to_string(), HasSubstr("\"/api/graph\""));
  EXPECT_EQ(get("/graph-data").body.to_string().substr(0, 2), "\x1f\x8b");
  EXPECT_EQ(get("/explain?from=a&to=b", {{"Accept", "text/html"}}).status, 406);
}

TEST_F(UpdateServiceTest, TheBuildersPortHasTheWholeGraph) {
  settings.builder_listen = ListenAddress{};
  start_ready();
  const auto whole = send("GET", *service->builder_port(), "/api/graph");
  EXPECT_EQ(whole.status, 200);
  EXPECT_THAT(whole.body.to_string(), StartsWith(R"({"nodes":[{"version":"4.6.23+amd64")"));
  EXPECT_EQ(send("GET", *service->builder_port(), "/api/graph",
                 {{"Accept", "application/vnd.redhat.cincinnati.v1+json"}})
                .status,
            406);
  EXPECT_EQ(send("GET", *service->builder_port(), "/api/explain").status, 404);
}

TEST_F(UpdateServiceTest, AnAddressThatIsTakenIsSaidSo) {
  start_ready();
  UpdateServiceSettings second = settings;
  second.status_listen.port = service->status_port();
  const auto refused = UpdateService::start(loop, second);
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().describe(), HasSubstr(std::to_string(service->status_port())));
}

}  // namespace
}  // namespace fairway::updateservice
