// Storage-version migration on the real API server: what is rewritten, what is left, and what others do
// meanwhile.
#include "cli/device_rewrite.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "apiserver/server.hpp"
#include "async/event_loop.hpp"
#include "json/testing/objects.hpp"
#include "kube/client/client_config.hpp"
#include "kube/client/kubeconfig.hpp"
#include "kube/client/testing/scripted_transport.hpp"
#include "kube/client/transport.hpp"

namespace fairway::cli {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

const kube::ResourceType kDefinitions{.kind = {"apiextensions.k8s.io", "v1", "CustomResourceDefinition"},
                                      .resource = "customresourcedefinitions",
                                      .is_namespaced = false};
const kube::ResourceType kWidgets{.kind = {"example.test", "v1alpha1", "Widget"}, .resource = "widgets"};
constexpr const char* kName = "widgets.example.test";

// `schema` is of v1, which is stored if `newest`; v1alpha1 is served all the time.
json::Object definition(
    bool newest, std::string_view schema = "{type: object, x-kubernetes-preserve-unknown-fields: true}") {
  return json::test_object(fmt::format(
      "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\n"
      "metadata: {{name: widgets.example.test}}\n"
      "spec:\n  group: example.test\n  scope: Namespaced\n"
      "  names: {{plural: widgets, singular: widget, kind: Widget, listKind: WidgetList}}\n"
      "  versions:\n"
      "  - name: v1alpha1\n    served: true\n    storage: {}\n"
      "    schema: {{openAPIV3Schema: {{type: object, x-kubernetes-preserve-unknown-fields: true}}}}\n"
      "  - name: v1\n    served: true\n    storage: {}\n    schema: {{openAPIV3Schema: {}}}\n",
      !newest, newest, schema));
}

// Lets the test act between a request and its sending.
class Interference final : public http::Transport {
 public:
  explicit Interference(std::shared_ptr<http::Transport> next) : next_(std::move(next)) {}

  Task<http::Response> send(http::ClientRequest request) override {
    ++counts_[request.method];
    if (before_) {
      const auto act = before_(request);
      if (act.answer) co_return *act.answer;
      if (act.first) FAIRWAY_CO_CHECKED(co_await next_->send(*act.first));
    }
    co_return co_await next_->send(std::move(request));
  }
  Task<std::unique_ptr<http::ResponseStream>> open(http::ClientRequest request) override {
    return next_->open(std::move(request));
  }

  struct Act {
    std::optional<http::ClientRequest> first = {};      // sent before the request
    std::optional<Result<http::Response>> answer = {};  // instead of the server's
  };
  std::function<Act(const http::ClientRequest&)> before_ = {};
  std::map<std::string, int> counts_ = {};

 private:
  std::shared_ptr<http::Transport> next_;
};

Task<void> stop(apiserver::ApiServer& server) {
  co_await server.stop(Duration::zero());
  co_return Result<void>{};
}

class DeviceRewriteTest : public ::testing::Test {
 protected:
  DeviceRewriteTest() {
    server_ = loop_.block_on(apiserver::ApiServer::start(loop_, {.install_product_crds = false})).value();
    const auto kubeconfig = kube::parse_kubeconfig(server_->kubeconfig(), "the server's").value();
    const auto config = kube::resolve_context(kubeconfig).value();
    transport_ =
        std::make_shared<Interference>(kube::make_transport(loop_.executor(), loop_.clock(), config).value());
    client_ = std::make_unique<kube::Client>(transport_, loop_.clock(), config.server,
                                             kube::ClientOptions{.requests_per_second = 0});
  }
  ~DeviceRewriteTest() override { EXPECT_TRUE(loop_.block_on(stop(*server_))); }

  template <class T>
  T wait_for(Task<T> task) {
    auto result = loop_.block_on(std::move(task));
    EXPECT_TRUE(result) << result.error().describe();
    return std::move(result).value();
  }

  void make_widgets(int count) {
    wait_for(client_->create(kDefinitions.in(""), definition(false)));
    for (int i = 0; i < count; ++i) {
      json::Object widget{{"apiVersion", "example.test/v1alpha1"},
                          {"kind", "Widget"},
                          {"metadata", json::Object{{"name", fmt::format("w{:03}", i)}}},
                          {"spec", json::Object{{"size", i}}}};
      while (true) {  // a definition is served a moment after it was made
        const auto made = loop_.block_on(client_->create(kWidgets.in("default"), widget));
        if (made) break;
        ASSERT_EQ(made.error().code, ErrorCode::NotFound) << made.error().describe();
      }
    }
    transport_->counts_.clear();
  }

  Result<void> run(RewriteRequest request) {
    report_.clear();
    DeviceRewrite rewrite(*client_, std::move(request), report_);
    return loop_.block_on(rewrite.run());
  }
  RewriteRequest to_v1(std::int64_t page_size = 10) {
    return {.definitions = {definition(true)}, .page_size = page_size};
  }
  std::string stored_versions() {
    const auto found = wait_for(client_->get(kDefinitions.in("", kName)));
    return json::serialize(*json::find(found, {"status", "storedVersions"}));
  }
  // Of a request to this object.
  static bool is_put_of(const http::ClientRequest& request, std::string_view name) {
    return request.method == "PUT" && request.url.path.find(fmt::format("/{}", name)) != std::string::npos;
  }

  async::EventLoop loop_;
  std::unique_ptr<apiserver::ApiServer> server_;
  std::shared_ptr<Interference> transport_;
  std::unique_ptr<kube::Client> client_;
  device::RewriteReport report_;
};

TEST_F(DeviceRewriteTest, RewritesEverythingAndOnlyOnce) {
  make_widgets(25);
  ASSERT_EQ(stored_versions(), R"(["v1alpha1"])");
  std::vector<device::StoragePosition> saved;
  RewriteRequest request = to_v1();
  request.cluster = "hub";
  request.save = [&](const device::StoragePosition& position) -> Result<void> {
    saved.push_back(position);
    return {};
  };
  const auto done = run(request);
  ASSERT_TRUE(done) << done.error().describe();
  EXPECT_EQ(to_text(report_), "Widget: 25 of 25 changed");
  EXPECT_EQ(stored_versions(), R"(["v1"])");
  ASSERT_EQ(saved.size(), 2U) << "after each page but the last";
  EXPECT_EQ(saved[0].cluster, "hub");
  EXPECT_EQ(saved[0].resource, kName);
  EXPECT_NE(saved[0].token, saved[1].token);
  ASSERT_TRUE(run(to_v1()));
  EXPECT_EQ(to_text(report_), "no objects") << "nothing is stored in an older version";
  RewriteRequest again = to_v1();
  again.resources = {kName};
  ASSERT_TRUE(run(again));
  EXPECT_EQ(to_text(report_), "Widget: 0 of 25 changed") << "every one is stored in the new version";
}

TEST_F(DeviceRewriteTest, OthersMayChangeAndDelete) {
  make_widgets(5);
  transport_->before_ = [&, changed = false, deleted = false](const http::ClientRequest& request) mutable {
    Interference::Act act;
    if (is_put_of(request, "w001") && !changed) {
      changed = true;
      act.first = request;
      act.first->method = "PATCH";
      act.first->headers.set("content-type", "application/merge-patch+json");
      act.first->body = R"({"spec":{"size":1000}})";
    }
    if (is_put_of(request, "w002") && !deleted) {
      deleted = true;
      act.first = request;
      act.first->method = "DELETE";
      act.first->body.clear();
    }
    return act;
  };
  const auto done = run(to_v1());
  ASSERT_TRUE(done) << done.error().describe();
  EXPECT_EQ(transport_->counts_["PUT"], 5 + 1 + 1) << "one is put twice, and the definition's status once";
  EXPECT_EQ(transport_->counts_["GET"] > 1, true);
  const auto widget = wait_for(client_->get(kWidgets.in("default", "w001")));
  EXPECT_EQ(json::get_int(widget, {"spec", "size"}), 1000) << "what the other one wrote stays";
  EXPECT_EQ(stored_versions(), R"(["v1"])");
}

TEST_F(DeviceRewriteTest, GoesOnWhereItWasInterrupted) {
  make_widgets(25);
  device::StoragePosition reached;
  RewriteRequest first = to_v1();
  first.save = [&](const device::StoragePosition& position) -> Result<void> {
    if (!reached.token.empty()) return fail(ErrorCode::Unavailable, "the power is cut");
    reached = position;
    return {};
  };
  EXPECT_FALSE(run(first));
  EXPECT_EQ(report_["Widget"].changed, 20U);
  RewriteRequest second = to_v1();
  second.from = reached;
  ASSERT_TRUE(run(second));
  EXPECT_EQ(to_text(report_), "Widget: 5 of 15 changed")
      << "what was not saved is done again, which changes nothing";
  EXPECT_EQ(stored_versions(), R"(["v1"])");
}

TEST_F(DeviceRewriteTest, AForgottenListBeginsAnew) {
  make_widgets(25);
  transport_->before_ = [&](const http::ClientRequest& request) {
    Interference::Act act;
    if (request.url.path.find("continue=old") != std::string::npos)
      act.answer = kube::testing::json_response(
          410, R"({"kind":"Status","apiVersion":"v1","status":"Failure","reason":"Expired","code":410})");
    return act;
  };
  RewriteRequest request = to_v1();
  request.from = {"", kName, "old"};
  const auto done = run(request);
  ASSERT_TRUE(done) << done.error().describe();
  EXPECT_EQ(to_text(report_), "Widget: 25 of 25 changed");
}

TEST_F(DeviceRewriteTest, WhatTheNewSchemaRefusesFailsTheStep) {
  make_widgets(3);
  RewriteRequest request = to_v1();
  request.definitions = {definition(
      true,
      "{type: object, properties: {spec: {type: object, properties: {size: {type: integer, minimum: 1}}}}}")};
  const auto done = run(request);
  ASSERT_FALSE(done);
  EXPECT_THAT(done.error().describe(), HasSubstr("the server refused 1 objects; the first"));
  EXPECT_THAT(done.error().describe(), HasSubstr("default/w000"));
  EXPECT_EQ(to_text(report_), "Widget: 2 of 3 changed, 1 failed");
  EXPECT_EQ(stored_versions(), R"(["v1alpha1","v1"])") << "not everything is in the new version";
}

TEST_F(DeviceRewriteTest, AServerThatCannotAnswerEndsIt) {
  make_widgets(30);
  transport_->before_ = [](const http::ClientRequest& request) {
    Interference::Act act;
    if (request.method == "PUT") act.answer = Result<http::Response>(fail(ErrorCode::Unavailable, "gone"));
    return act;
  };
  const auto done = run(to_v1(30));
  ASSERT_FALSE(done);
  EXPECT_EQ(done.error().code, ErrorCode::Unavailable) << done.error().describe();
  EXPECT_LE(transport_->counts_["PUT"], 16) << "nobody goes on";
}

TEST_F(DeviceRewriteTest, BuiltInKindsByName) {
  RewriteRequest request;
  request.resources = {"namespaces", "clusterroles.rbac.authorization.k8s.io"};
  request.page_size = 3;
  const auto done = run(request);
  ASSERT_TRUE(done) << done.error().describe();
  EXPECT_THAT(to_text(report_), HasSubstr("Namespace: 0 of 4 changed"));
  EXPECT_GT(report_["ClusterRole"].seen, 3U);
  request.resources = {"nothing.example.test"};
  EXPECT_FALSE(run(request));
}

}  // namespace
}  // namespace fairway::cli
