#include "kube/runtime/runtime.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kube/client/testing/manual_loop.hpp"
#include "kube/runtime/testing/scripted_api.hpp"

namespace fairway::kube {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using testing::ManualLoop;
using testing::ScriptedApi;

const ResourceType kConfigMaps{.kind = {"", "v1", "ConfigMap"}, .resource = "configmaps"};
const ResourceType kNodes{.kind = {"", "v1", "Node"}, .resource = "nodes", .is_namespaced = false};

struct Widget {
  ObjectMeta metadata;
  std::int32_t size = 0;
  json::Object unknown = {};
};
BOOST_DESCRIBE_STRUCT(Widget, (), (metadata, size, unknown))
ResourceType resource_type(const Widget*) {
  return {.kind = {"example.test", "v1", "Widget"}, .resource = "widgets"};
}

json::Object object(std::string_view name) {
  return *json::parse_object(
      fmt::format(R"({{"metadata":{{"name":"{}","namespace":"ns"}},"size":1}})", name));
}

struct Copy {
  Copy(ManualLoop& loop, ScriptedApi& api, std::string name, bool elects)
      : client(api.transport(), loop.clock, *http::Url::parse("http://api"), {.requests_per_second = 0}),
        runtime(client, options(name, elects)),
        identity(std::move(name)),
        group(loop.loop.executor()) {}

  static RuntimeOptions options(const std::string& name, bool elects) {
    RuntimeOptions options{.name = "test"};
    if (elects) options.leader_election = {.lease = {"ns", "lease"}, .identity = name};
    return options;
  }
  static Task<ReconcileResult> reconcile(Copy& self, ObjectKey key) {
    self.seen.push_back(self.identity + ":" + key.name);
    co_return ReconcileResult{};
  }
  Controller& add() {
    return runtime.add_controller({.name = "test"},
                                  [this](ObjectKey key) { return reconcile(*this, std::move(key)); });
  }
  void start() { id = group.spawn("runtime", runtime.run()); }
  void stop(ManualLoop& loop) {
    group.cancel(id);
    loop.settle();
    EXPECT_FALSE(runtime.is_running());
  }

  Client client;
  Runtime runtime;
  std::string identity;
  std::vector<std::string> seen;
  async::TaskGroup group;
  async::TaskGroup::TaskId id = 0;
};

struct RuntimeTest : ::testing::Test {
  ManualLoop manual;
  ScriptedApi api{manual.clock};
};

TEST_F(RuntimeTest, SharesCachesByTypeAndSelection) {
  Copy copy(manual, api, "a", false);
  ObjectCache& all = copy.runtime.cache(kConfigMaps);
  EXPECT_EQ(&all, &copy.runtime.cache(kConfigMaps));
  EXPECT_NE(&all, &copy.runtime.cache(kConfigMaps, {.namespace_ = "ns"}));
  EXPECT_NE(&all, &copy.runtime.cache(kConfigMaps, {.label_selector = "a=b"}));
  EXPECT_NE(&all, &copy.runtime.cache(kNodes));
  EXPECT_EQ(&copy.runtime.cache<Widget>(), &copy.runtime.cache<Widget>());
}

TEST_F(RuntimeTest, RunsUntilItIsStoppedAndMayRunAgain) {
  api.put(kConfigMaps.gvr(), object("a"));
  Copy copy(manual, api, "x", false);
  copy.add().watch(copy.runtime.cache(kConfigMaps));
  copy.start();
  EXPECT_FALSE(copy.runtime.health().is_ready);
  EXPECT_THAT(copy.runtime.health().waiting_for, ElementsAre("configmaps"));
  manual.settle();
  EXPECT_TRUE(copy.runtime.health().is_ready);
  EXPECT_TRUE(copy.runtime.health().is_leader);
  EXPECT_THAT(copy.seen, ElementsAre("x:a"));
  copy.stop(manual);
  EXPECT_FALSE(copy.runtime.health().is_leader);
  api.put(kConfigMaps.gvr(), object("b"));
  manual.advance(1h);
  EXPECT_THAT(copy.seen, ElementsAre("x:a"));
  copy.start();
  manual.settle();
  EXPECT_THAT(copy.seen, ElementsAre("x:a", "x:b"));
  copy.stop(manual);
}

TEST_F(RuntimeTest, ACacheThatIsAskedForLateStartsAtOnce) {
  api.put(kNodes.gvr(), *json::parse_object(R"({"metadata":{"name":"n"}})"));
  Copy copy(manual, api, "x", false);
  copy.start();
  manual.settle();
  ObjectCache& nodes = copy.runtime.cache(kNodes);
  manual.settle();
  EXPECT_EQ(nodes.size(), 1U);
  copy.stop(manual);
}

TEST_F(RuntimeTest, OnlyTheLeaderReconcilesButAllAreReady) {
  api.put(kConfigMaps.gvr(), object("a"));
  Copy one(manual, api, "one", true);
  Copy two(manual, api, "two", true);
  for (Copy* copy : {&one, &two}) {
    copy->add().watch(copy->runtime.cache(kConfigMaps));
    copy->start();
    manual.advance(100ms);
  }
  manual.advance(1min);
  EXPECT_TRUE(one.runtime.health().is_leader);
  EXPECT_FALSE(two.runtime.health().is_leader);
  EXPECT_TRUE(two.runtime.health().is_ready) << "a warm standby";
  EXPECT_THAT(one.seen, ElementsAre("one:a"));
  EXPECT_THAT(two.seen, IsEmpty());
  one.stop(manual);
  manual.advance(10s);
  EXPECT_TRUE(two.runtime.health().is_leader);
  EXPECT_THAT(two.seen, ElementsAre("two:a")) << "the new leader looks at everything";
  two.stop(manual);
}

TEST_F(RuntimeTest, WhoLosesTheLeaseStopsAndBecomesACandidateAgain) {
  Copy copy(manual, api, "one", true);
  copy.add().watch(copy.runtime.cache(kConfigMaps));
  copy.start();
  manual.advance(5s);
  EXPECT_TRUE(copy.runtime.health().is_leader);
  api.faults.failing = 1;
  manual.advance(15s);
  EXPECT_FALSE(copy.runtime.health().is_leader);
  api.faults.failing = 0;
  api.put(kConfigMaps.gvr(), object("late"));
  manual.advance(2min);
  EXPECT_TRUE(copy.runtime.health().is_leader);
  EXPECT_THAT(copy.seen, ElementsAre("one:late"));
  copy.stop(manual);
}

TEST_F(RuntimeTest, TellsOfObjectsThatItCannotRead) {
  auto broken = object("w");
  broken["size"] = "large";
  api.put({"example.test", "v1", "widgets"}, broken);
  Copy copy(manual, api, "x", false);
  copy.runtime.cache<Widget>();
  copy.start();
  manual.settle();
  EXPECT_THAT(copy.runtime.health().undecodable,
              ElementsAre("ns/w: Widget ns/w: size: expected an integer, found \"large\""));
  copy.stop(manual);
}

}  // namespace
}  // namespace fairway::kube
