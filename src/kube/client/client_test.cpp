#include "kube/client/client.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kube/client/api.hpp"
#include "kube/client/discovery.hpp"
#include "kube/client/testing/manual_loop.hpp"
#include "kube/client/testing/scripted_transport.hpp"

namespace fairway::kube {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::json_response;
using testing::ManualLoop;
using testing::ScriptedStream;
using testing::ScriptedTransport;
using testing::StreamScript;

const GroupVersionResource kConfigMaps{"", "v1", "configmaps"};

struct WidgetSpec {
  std::int32_t size = 0;
  json::Object unknown = {};
};
BOOST_DESCRIBE_STRUCT(WidgetSpec, (), (size, unknown))
struct Widget {
  ObjectMeta metadata;
  WidgetSpec spec = {};
  json::Object unknown = {};
};
BOOST_DESCRIBE_STRUCT(Widget, (), (metadata, spec, unknown))
ResourceType resource_type(const Widget*) {
  return {.kind = {"example.test", "v1", "Widget"}, .resource = "widgets", .is_namespaced = true};
}

struct ClientTest : ::testing::Test {
  ManualLoop manual;
  std::function<Result<http::Response>(const http::ClientRequest&)> answer = [](const http::ClientRequest&) {
    return json_response(200, "{}");
  };
  ScriptedTransport::Open open;
  std::shared_ptr<ScriptedTransport> peer = std::make_shared<ScriptedTransport>(
      manual.clock, [this](const http::ClientRequest& request) { return answer(request); },
      [this](const http::ClientRequest& request) { return open(request); });
  metrics::Registry registry;

  std::unique_ptr<Client> client(ClientOptions options = {}) {
    options.metrics = &registry;
    options.retry.backoff.jitter = 0;
    return std::make_unique<Client>(peer, manual.clock, *http::Url::parse("https://h:6443/clusters/hub/"),
                                    options);
  }
  // Answers with these, one after the other; the last one stays.
  void script(std::vector<Result<http::Response>> answers) {
    answer = [answers, next = std::size_t{0}](const http::ClientRequest&) mutable {
      return answers[std::min(next++, answers.size() - 1)];
    };
  }
};

TEST_F(ClientTest, KeepsTheBasePathAndSaysWhoAsks) {
  auto kube = client({.user_agent = "fairway/1"});
  ASSERT_TRUE(manual.run(kube->get({kConfigMaps, "apps", "one"})));
  ASSERT_TRUE(manual.run(kube->update_status({kConfigMaps, "apps", "one"}, {{"kind", "ConfigMap"}})));
  EXPECT_THAT(
      peer->asked(),
      ElementsAre("GET /clusters/hub/api/v1/namespaces/apps/configmaps/one",
                  "PUT /clusters/hub/api/v1/namespaces/apps/configmaps/one/status?fieldManager=fairway"));
  const auto& request = peer->requests()[1];
  EXPECT_EQ(request.headers.find("user-agent"), "fairway/1");
  EXPECT_EQ(request.headers.find("accept"), "application/json");
  EXPECT_EQ(request.headers.find("content-type"), "application/json");
  EXPECT_EQ(request.body, R"({"kind":"ConfigMap"})");
}

TEST_F(ClientTest, EveryVerb) {
  auto kube = client();
  const Resource one{kConfigMaps, "apps", "one"};
  const Resource all{kConfigMaps, "apps"};
  ASSERT_TRUE(manual.run(kube->create(all, {}, {.field_manager = "me"})));
  ASSERT_TRUE(manual.run(kube->patch(one, PatchKind::Merge, json::Object{})));
  ASSERT_TRUE(manual.run(kube->apply(one, {}, {.force = true})));
  ASSERT_TRUE(manual.run(kube->remove(one, {.uid = "u"})));
  ASSERT_TRUE(manual.run(kube->remove_collection(all, {}, {.label_selector = "a=b"})));
  const std::string base = "/clusters/hub/api/v1/namespaces/apps/configmaps";
  EXPECT_THAT(peer->asked(),
              ElementsAre("POST " + base + "?fieldManager=me", "PATCH " + base + "/one?fieldManager=fairway",
                          "PATCH " + base + "/one?fieldManager=fairway&force=true", "DELETE " + base + "/one",
                          "DELETE " + base + "?labelSelector=a%3Db"));
  EXPECT_EQ(peer->requests()[2].headers.find("content-type"), "application/apply-patch+yaml");
  EXPECT_THAT(peer->requests()[3].body, HasSubstr(R"("uid":"u")"));
}

TEST_F(ClientTest, ErrorsAreTheServersStatusInTheirPlace) {
  script(
      {json_response(409, R"({"kind":"Status","apiVersion":"v1","status":"Failure","reason":"AlreadyExists",
                                 "message":"configmaps \"one\" already exists","code":409})"),
       json_response(404, "not json"),
       json_response(429,
                     R"({"kind":"Status","status":"Failure","reason":"TooManyRequests","message":"slow down",
                                 "details":{"retryAfterSeconds":7},"code":429})")});
  auto kube = client({.retry = {.max_retries = 0}});
  const auto exists = manual.run(kube->create({kConfigMaps, "apps"}, {}));
  ASSERT_FALSE(exists);
  EXPECT_EQ(exists.error().code, ErrorCode::AlreadyExists);
  EXPECT_EQ(exists.error().describe(),
            "POST /clusters/hub/api/v1/namespaces/apps/configmaps: configmaps \"one\" already exists");
  EXPECT_EQ(manual.run(kube->get({kConfigMaps, "apps", "one"})).error().code, ErrorCode::NotFound);
  const auto busy = manual.run(kube->create({kConfigMaps, "apps"}, {}));
  EXPECT_EQ(busy.error().code, ErrorCode::Unavailable);
  EXPECT_EQ(busy.error().retry_after, 7s);
}

TEST_F(ClientTest, AnAnswerThatIsNoJsonObjectIsTheServersDefect) {
  script({json_response(200, "[]")});
  auto kube = client();
  EXPECT_EQ(manual.run(kube->get({kConfigMaps, "apps", "one"})).error().code, ErrorCode::Internal);
}

TEST_F(ClientTest, ReadsAreRepeatedWithGrowingPauses) {
  script({fail(ErrorCode::Unavailable, "cut"), json_response(503, ""),
          json_response(200, R"({"kind":"ConfigMap"})")});
  auto kube = client({.retry = {.backoff = {.first = 100ms}}});
  const SteadyTime start = manual.clock.steady();
  const auto got = manual.run(kube->get({kConfigMaps, "apps", "one"}));
  ASSERT_TRUE(got) << got.error().describe();
  EXPECT_EQ(kind_of(*got), "ConfigMap");
  EXPECT_EQ(manual.clock.steady() - start, 300ms);
  EXPECT_EQ(peer->requests().size(), 3U);
}

TEST_F(ClientTest, WritesAreRepeatedOnlyWhenTheServerSaysThatItDidNotProcessThem) {
  script({json_response(503, ""), json_response(200, "{}")});
  auto kube = client();
  EXPECT_EQ(manual.run(kube->create({kConfigMaps, "apps"}, {})).error().code, ErrorCode::Unavailable);
  EXPECT_EQ(peer->requests().size(), 1U);
  auto refused = json_response(429, "");
  refused.headers.add("Retry-After", "3");
  script({refused, refused, json_response(201, "{}")});
  const SteadyTime start = manual.clock.steady();
  EXPECT_TRUE(manual.run(kube->create({kConfigMaps, "apps"}, {})));
  EXPECT_EQ(manual.clock.steady() - start, 6s);
}

Task<void> get_many(Client& kube, int count) {
  for (int i = 0; i < count; ++i) FAIRWAY_CO_CHECKED(co_await kube.get({kConfigMaps, "apps", "one"}));
  co_return Result<void>{};
}

TEST_F(ClientTest, NeverFasterThanTheRateLimit) {
  auto kube = client({.requests_per_second = 10, .burst = 5});
  const SteadyTime start = manual.clock.steady();
  ASSERT_TRUE(manual.run(get_many(*kube, 5)));
  EXPECT_EQ(manual.clock.steady() - start, 0s);
  ASSERT_TRUE(manual.run(get_many(*kube, 5)));
  EXPECT_EQ(manual.clock.steady() - start, 500ms);
  EXPECT_THAT(registry.expose(),
              HasSubstr(R"(rest_client_requests_total{code="200",host="h:6443",method="GET"} 10)"));
}

TEST_F(ClientTest, ListsAllPagesAndTellsItemsWhatTheyAre) {
  answer = [](const http::ClientRequest& request) {
    const bool is_second = request.url.path.contains("continue=next");
    EXPECT_EQ(request.url.path.contains("resourceVersion="), !is_second) << "the token carries the version";
    return json_response(
        200, is_second ? R"({"kind":"ConfigMapList","apiVersion":"v1","metadata":{"resourceVersion":"9"},
                                              "items":[{"metadata":{"name":"b"}}]})"
                       : R"({"kind":"ConfigMapList","apiVersion":"v1",
                                              "metadata":{"resourceVersion":"8","continue":"next"},
                                              "items":[{"metadata":{"name":"a"}}, 5]})");
  };
  auto kube = client({.page_size = 1});
  const auto list = manual.run(kube->list_all({kConfigMaps}, {.resource_version = "0"}));
  ASSERT_TRUE(list) << list.error().describe();
  ASSERT_EQ(list->items.size(), 2U);
  EXPECT_EQ(name_of(list->items[1]), "b");
  EXPECT_EQ(kind_of(list->items[0]), "ConfigMap");
  EXPECT_EQ(api_version_of(list->items[0]), "v1");
  EXPECT_EQ(list->metadata.resource_version, "9");
}

TEST_F(ClientTest, AListThatExpiresHalfwayIsAskedForAtOnce) {
  answer = [](const http::ClientRequest& request) {
    if (request.url.path.contains("continue=")) return json_response(410, "");
    const bool is_paged = request.url.path.contains("limit=");
    return json_response(200, is_paged
                                  ? R"({"metadata":{"resourceVersion":"8","continue":"n"},"items":[{"a":1}]})"
                                  : R"({"metadata":{"resourceVersion":"9"},"items":[{"a":1},{"a":2}]})");
  };
  auto kube = client();
  const auto list = manual.run(kube->list_all({kConfigMaps}));
  ASSERT_TRUE(list);
  EXPECT_EQ(list->items.size(), 2U);
  EXPECT_EQ(list->metadata.resource_version, "9");
  EXPECT_EQ(peer->requests().size(), 3U);
}

Task<std::string> read_events(Client& kube, WatchOptions options) {
  FAIRWAY_CO_TRY(auto stream, co_await kube.watch({kConfigMaps}, std::move(options)));
  std::string seen;
  for (;;) {
    auto event = co_await stream->next();
    if (!event) co_return seen + "(" + std::string(to_string(event.error().code)) + ")";
    if (!*event) co_return seen + "(end)";
    seen += std::string(to_string((*event)->type)) + " " + std::string(name_of((*event)->object)) + " ";
  }
}

TEST_F(ClientTest, AWatchIsDecodedFromWhateverPiecesArrive) {
  const std::string added = encode_watch_event(WatchEvent::Type::Added, R"({"metadata":{"name":"a"}})");
  const std::string deleted = encode_watch_event(WatchEvent::Type::Deleted, R"({"metadata":{"name":"b"}})");
  const std::string expired =
      R"({"type":"ERROR","object":{"kind":"Status","status":"Failure","reason":"Expired","code":410}})";
  const auto watch = [&](std::vector<std::string> pieces, std::optional<Error> cut, bool ends = true) {
    auto script = std::make_shared<StreamScript>();
    for (auto& piece : pieces) script->push(piece);
    if (cut) script->cut(*cut);
    if (ends) script->end();
    open = [this, script](const http::ClientRequest&) {
      return std::make_unique<ScriptedStream>(manual.clock, 200, http::Headers{}, script);
    };
    auto kube = client();
    auto events = manual.run(read_events(*kube, {.timeout = 60s}));
    EXPECT_TRUE(script->is_closed());
    return events.value_or("failed");
  };
  EXPECT_EQ(watch({added.substr(0, 5), added.substr(5) + deleted}, {}), "ADDED a DELETED b (end)");
  EXPECT_EQ(watch({added, expired + "\n"}, {}), "ADDED a (Gone)");
  EXPECT_EQ(watch({added, deleted.substr(0, 9)}, {}), "ADDED a (Unavailable)")
      << "the end in the middle of an event";
  EXPECT_EQ(watch({added}, Error{ErrorCode::Unavailable, "cut"}), "ADDED a (Unavailable)");
  EXPECT_EQ(watch({"nonsense\n"}, {}), "(Internal)");
  const SteadyTime start = manual.clock.steady();
  EXPECT_EQ(watch({added}, {}, false), "ADDED a (Timeout)") << "silence";
  EXPECT_EQ(manual.clock.steady() - start, 75s);
}

TEST_F(ClientTest, AWatchThatIsRefusedSaysWhy) {
  open = [this](const http::ClientRequest&) {
    auto script = std::make_shared<StreamScript>();
    script->push(R"({"kind":"Status","status":"Failure","reason":"Expired","message":"too old","code":410})");
    script->end();
    return std::make_unique<ScriptedStream>(manual.clock, 410, http::Headers{}, script);
  };
  auto kube = client();
  const auto refused = manual.run(kube->watch({kConfigMaps}, {.resource_version = "1"}));
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::Gone);
  EXPECT_EQ(refused.error().message, "too old");
  EXPECT_THAT(peer->asked().at(0),
              HasSubstr("configmaps?watch=true&allowWatchBookmarks=true&resourceVersion=1"));
}

TEST_F(ClientTest, DiscoveryRemembersAndAsksAgainForAKindThatItDoesNotKnow) {
  int fetched = 0;
  answer = [&](const http::ClientRequest& request) {
    if (request.url.path.ends_with("/apis/example.test")) {
      return json_response(200, R"({"preferredVersion":{"groupVersion":"example.test/v1","version":"v1"}})");
    }
    if (!request.url.path.ends_with("/apis/example.test/v1")) return json_response(404, "");
    const std::string later =
        fetched++ > 0 ? R"(,{"name":"gadgets","kind":"Gadget","namespaced":false})" : "";
    return json_response(200, R"({"resources":[{"name":"widgets","kind":"Widget","namespaced":true},
        {"name":"widgets/status","kind":"Widget","namespaced":true})" +
                                  later + "]}");
  };
  auto kube = client();
  const auto widget = manual.run(kube->discovery().find({"example.test", "v1", "Widget"}));
  ASSERT_TRUE(widget) << widget.error().describe();
  EXPECT_EQ(widget->resource, "widgets");
  ASSERT_TRUE(manual.run(kube->discovery().find({"example.test", "", "Widget"})));
  EXPECT_EQ(fetched, 1) << "it was known";
  const auto gadget = manual.run(kube->discovery().find({"example.test", "v1", "Gadget"}));
  ASSERT_TRUE(gadget) << gadget.error().describe();
  EXPECT_FALSE(gadget->is_namespaced);
  const auto typo = manual.run(kube->discovery().find({"example.test", "v1", "Wigdet"}));
  EXPECT_EQ(typo.error().code, ErrorCode::NotFound);
  EXPECT_EQ(typo.error().message,
            "the server has no kind \"Wigdet\" in \"example.test/v1\": did you mean Widget?");
  EXPECT_EQ(manual.run(kube->discovery().find({"other.test", "v1", "Widget"})).error().code,
            ErrorCode::NotFound);
  const auto place = manual.run(kube->locate(
      *json::parse_object(R"({"apiVersion":"example.test/v1","kind":"Gadget","metadata":{"name":"g"}})")));
  EXPECT_EQ(*place->path(), "/apis/example.test/v1/gadgets/g");
}

TEST_F(ClientTest, TypedObjectsKeepWhatTheyDoNotKnow) {
  answer = [](const http::ClientRequest& request) {
    return json_response(
        200, request.method == "PUT" ? request.body : R"({"apiVersion":"example.test/v1","kind":"Widget",
        "metadata":{"name":"w","namespace":"apps","resourceVersion":"5","selfLink":"x"},
        "spec":{"size":1,"colour":"red"},"status":{"ready":true}})");
  };
  auto kube = client();
  const Api<Widget> widgets(*kube, "apps");
  auto widget = manual.run(widgets.get("w"));
  ASSERT_TRUE(widget) << widget.error().describe();
  widget->spec.size = 2;
  ASSERT_TRUE(manual.run(widgets.update(*widget)));
  EXPECT_TRUE(json::same_value(*json::parse(peer->requests()[1].body),
                               *json::parse(R"({"apiVersion":"example.test/v1",
      "kind":"Widget","metadata":{"name":"w","namespace":"apps","resourceVersion":"5","selfLink":"x"},
      "spec":{"size":2,"colour":"red"},"status":{"ready":true}})")))
      << peer->requests()[1].body;
  EXPECT_EQ(peer->asked()[1],
            "PUT /clusters/hub/apis/example.test/v1/namespaces/apps/widgets/w?fieldManager=fairway");
}

TEST_F(ClientTest, OneUndecodableObjectDoesNotFailAList) {
  script({json_response(200, R"({"metadata":{"resourceVersion":"9"},"items":[
      {"metadata":{"name":"good"},"spec":{"size":1}}, {"metadata":{"name":"bad"},"spec":{"size":"large"}}]})")});
  auto kube = client();
  const auto list = manual.run(Api<Widget>(*kube).list());
  ASSERT_TRUE(list) << list.error().describe();
  ASSERT_EQ(list->items.size(), 1U);
  EXPECT_EQ(list->items[0].metadata.name, "good");
  ASSERT_EQ(list->undecodable.size(), 1U);
  EXPECT_EQ(list->undecodable[0].key.name, "bad");
  EXPECT_EQ(list->undecodable[0].error.describe(),
            "Widget bad: spec.size: expected an integer, found \"large\"");
}

}  // namespace
}  // namespace fairway::kube
