// A watcher and its cache against a peer that misbehaves: whatever happens, the cache ends up as the server,
// and the handlers have heard of every state that lasted.
#include "kube/runtime/watcher.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "async/task_group.hpp"
#include "kube/client/testing/manual_loop.hpp"
#include "kube/runtime/cache.hpp"
#include "kube/runtime/testing/scripted_api.hpp"

namespace fairway::kube {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using testing::ManualLoop;
using testing::ScriptedApi;

const GroupVersionResource kType{"", "v1", "configmaps"};

json::Object config_map(std::string_view name, std::int64_t value) {
  return *json::parse_object(fmt::format(
      R"({{"apiVersion":"v1","kind":"ConfigMap","metadata":{{"name":"{}","namespace":"ns"}},"data":{{"v":"{}"}}}})",
      name, value));
}

// name=value of all objects.
std::map<std::string, std::string> content(const std::vector<json::Object>& objects) {
  std::map<std::string, std::string> values;
  for (const auto& each : objects) {
    values[std::string(name_of(each))] = std::string(json::get_string(each, {"data", "v"}).value_or("")) +
                                         "@" + std::string(resource_version_of(each));
  }
  return values;
}

// A server, a watcher and its cache.
struct World {
  explicit World(std::uint64_t seed = 1) : api(manual.clock, seed) {}
  ~World() {
    group.cancel();
    manual.settle();
    EXPECT_EQ(group.size(), 0U);
  }
  World(const World&) = delete;
  World& operator=(const World&) = delete;

  ManualLoop manual;
  ScriptedApi api;
  std::unique_ptr<Client> client;
  ObjectCache cache;
  std::vector<std::string> told;
  // What the handlers were told, put together again: must always be what the cache has.
  std::map<std::string, std::string> followed;
  ObjectCache::Subscription subscription;
  std::vector<std::string> problems;
  std::unique_ptr<Watcher> watcher;
  async::TaskGroup group{manual.loop.executor()};

  void start(std::uint64_t seed = 1, std::int64_t page_size = 3) {
    client = std::make_unique<Client>(
        api.transport(), manual.clock, *http::Url::parse("http://api"),
        ClientOptions{.requests_per_second = 0, .retry = {.max_retries = 0}, .seed = seed});
    subscription = cache.on_change([this](const Change<json::Object>& change) {
      const std::string& name = change.key.name;
      EXPECT_EQ(change.before != nullptr, followed.contains(name)) << "a handler was told of another past";
      if (change.after) {
        followed[name] = content({*change.after})[name];
      } else {
        followed.erase(name);
      }
      told.push_back(
          name + (change.after ? "=" + std::string(*json::get_string(*change.after, {"data", "v"})) : "-"));
    });
    watcher = std::make_unique<Watcher>(
        *client, Resource{kType}, WatcherOptions{.page_size = page_size, .seed = seed},
        [this](WatcherEvent event) { cache.receive(std::move(event)); },
        [this](const Error& error) { problems.push_back(error.message); });
    group.spawn("watcher", watcher->run());
  }
  std::map<std::string, std::string> cached() const {
    std::vector<json::Object> objects;
    for (const auto& each : cache.all()) objects.push_back(*each);
    return content(objects);
  }
  void expect_converged() {
    EXPECT_EQ(cached(), content(api.all(kType)));
    EXPECT_EQ(followed, cached());
  }
};

struct WatcherTest : ::testing::Test, World {};

TEST_F(WatcherTest, ListsInPagesAndFollows) {
  for (int i = 0; i < 7; ++i) api.put(kType, config_map("c" + std::to_string(i), i));
  start();
  manual.settle();
  EXPECT_TRUE(cache.has_synced());
  EXPECT_EQ(cache.size(), 7U);
  EXPECT_EQ(api.counts.lists, 3);
  told.clear();
  api.put(kType, config_map("c0", 10));
  api.remove(kType, {"ns", "c1"});
  api.put(kType, config_map("new", 11));
  manual.settle();
  EXPECT_THAT(told, ElementsAre("c0=10", "c1-", "new=11"));
  expect_converged();
  EXPECT_EQ(api.counts.watches, 1);
}

TEST_F(WatcherTest, AConnectionCutInTheMiddleOfAnEventLosesNothing) {
  start();
  manual.settle();
  api.faults.cut = 1;
  api.put(kType, config_map("a", 1));
  api.faults.cut = 0;
  api.put(kType, config_map("a", 2));
  api.put(kType, config_map("b", 3));
  manual.advance(10s);
  EXPECT_THAT(told, ElementsAre("a=1", "a=2", "b=3"))
      << "resumed where it was cut, nothing lost, nothing twice";
  EXPECT_EQ(api.counts.lists, 1);
  expect_converged();
}

TEST_F(WatcherTest, AServerThatGoesAwayAndForgetsIsListedAnew) {
  for (const char* name : {"a", "b", "c"}) api.put(kType, config_map(name, 1));
  start();
  manual.settle();
  told.clear();
  api.cut_all_watches();
  api.put(kType, config_map("a", 2));
  api.remove(kType, {"ns", "b"});
  api.put(kType, config_map("d", 1));
  api.compact();
  manual.advance(5s);
  EXPECT_THAT(told, ElementsAre("b-", "a=2", "d=1")) << "what is unchanged is not told again";
  expect_converged();
}

TEST_F(WatcherTest, BookmarksSaveAListAfterCompaction) {
  start();
  manual.settle();
  for (int i = 0; i < 5; ++i) api.put({"", "v1", "secrets"}, config_map("other", i));
  api.send_bookmarks();
  manual.settle();
  api.compact();
  api.cut_all_watches();
  manual.advance(5s);
  EXPECT_EQ(api.counts.lists, 1) << "the bookmark moved our version past what is gone";
  api.put(kType, config_map("a", 1));
  manual.settle();
  expect_converged();
}

TEST_F(WatcherTest, ASilentConnectionIsGivenUpAndResumed) {
  start();
  manual.advance(20min);
  EXPECT_GE(api.counts.watches, 4);
  EXPECT_EQ(api.counts.lists, 1);
  api.put(kType, config_map("a", 1));
  manual.settle();
  expect_converged();
}

TEST_F(WatcherTest, AStormOfGoneIsMetWithPauses) {
  api.faults.forgetting = 1;
  start();
  manual.advance(10min);
  EXPECT_LT(api.counts.lists, 30) << "the server is not hammered";
  api.faults.forgetting = 0;
  api.put(kType, config_map("a", 1));
  manual.advance(2min);
  expect_converged();
  EXPECT_TRUE(cache.has_synced());
}

TEST_F(WatcherTest, JumpsOfTheWallClockChangeNothing) {
  start();
  manual.settle();
  manual.clock.jump_wall(-24h * 365);
  api.put(kType, config_map("a", 1));
  manual.advance(1s);
  manual.clock.jump_wall(24h * 3650);
  api.cut_all_watches();
  api.put(kType, config_map("a", 2));
  manual.advance(5s);
  expect_converged();
}

// Everything at once, from many seeds: 10 % of requests failing, connections cut in the middle of events,
// pages and watches that expire, clock jumps, a server that goes away.
void disturb(World& world, Random& random) {
  const std::string name = "c" + std::to_string(random.below(10));
  const std::uint64_t what = random.below(100);
  if (what < 50) {
    world.api.put(kType, config_map(name, static_cast<std::int64_t>(random.below(1000))));
  } else if (what < 65) {
    world.api.remove(kType, {"ns", name});
  } else if (what < 70) {
    world.api.send_bookmarks();
  } else if (what < 73) {
    world.api.compact();
  } else if (what < 76) {
    world.api.cut_all_watches();
  } else if (what < 80) {
    world.manual.clock.jump_wall(random.below(2) == 0 ? 3h : -3h);
  } else {
    world.manual.advance(std::chrono::milliseconds(random.below(3000)));
  }
}

TEST(WatcherUnderFaults, ConvergesFromEverySeed) {
  ScriptedApi::Counts total;
  for (std::uint64_t seed = 1; seed <= 60 && !::testing::Test::HasFailure(); ++seed) {
    SCOPED_TRACE(fmt::format("seed {}", seed));
    World world(seed);
    Random random(seed * 7919);
    for (int i = 0; i < 8; ++i) world.api.put(kType, config_map("c" + std::to_string(i), i));
    world.api.faults = {.failing = 0.1, .overloaded = 0.05, .cut = 0.1, .chopped = 0.3, .forgetting = 0.05};
    world.start(seed);
    for (int i = 0; i < 300; ++i) disturb(world, random);
    world.api.faults = {};
    world.manual.advance(2min);
    world.expect_converged();
    EXPECT_TRUE(world.cache.has_synced());
    total.lists += world.api.counts.lists;
    total.failures += world.api.counts.failures;
    total.cuts += world.api.counts.cuts;
    total.gone += world.api.counts.gone;
  }
  // The faults did happen.
  EXPECT_GT(total.lists, 60);
  EXPECT_GT(total.failures, 60);
  EXPECT_GT(total.cuts, 60);
  EXPECT_GT(total.gone, 60);
}

}  // namespace
}  // namespace fairway::kube
