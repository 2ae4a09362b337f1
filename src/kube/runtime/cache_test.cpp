#include "kube/runtime/cache.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/text.hpp"
#include "kube/client/testing/manual_loop.hpp"

namespace fairway::kube {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using testing::ManualLoop;

json::Object object(std::string_view name, std::string_view version, std::string_view labels = "{}",
                    std::string_view uid = "u", std::string_view ns = "ns") {
  return *json::parse_object(fmt::format(
      R"({{"metadata":{{"name":"{}","namespace":"{}","uid":"{}","resourceVersion":"{}","labels":{}}}}})",
      name, ns, uid, version, labels));
}

template <class T>
void replace(Cache<T>& cache, std::vector<json::Object> objects) {
  cache.receive(watcher::InitStart{});
  for (auto& each : objects) cache.receive(watcher::InitObject{std::move(each)});
  cache.receive(watcher::InitDone{});
}

std::string names(const std::vector<ObjectCache::Pointer>& objects) {
  std::string text;
  for (const auto& each : objects) text += std::string(name_of(*each)) + " ";
  return text;
}

struct CacheTest : ::testing::Test {
  ObjectCache cache;
  std::vector<std::string> told;
  ObjectCache::Subscription subscription = cache.on_change([this](const Change<json::Object>& change) {
    const auto version = [](const ObjectCache::Pointer& each) {
      return each ? std::string(resource_version_of(*each)) : "-";
    };
    told.push_back(change.key.name + ":" + version(change.before) + ">" + version(change.after));
  });
  std::vector<std::string> take_told() { return std::exchange(told, {}); }
};

TEST_F(CacheTest, AListIsTakenOverAsAWhole) {
  replace(cache, {object("a", "1"), object("b", "2")});
  EXPECT_THAT(take_told(), ElementsAre("a:->1", "b:->2"));
  cache.receive(watcher::InitStart{});
  cache.receive(watcher::InitObject{object("b", "3")});
  cache.receive(watcher::InitObject{object("c", "4")});
  EXPECT_EQ(names(cache.all()), "a b ") << "half a list is visible";
  EXPECT_THAT(take_told(), IsEmpty());
  cache.receive(watcher::InitDone{});
  EXPECT_EQ(names(cache.all()), "b c ");
  EXPECT_THAT(take_told(), ElementsAre("a:1>-", "b:2>3", "c:->4"));
}

TEST_F(CacheTest, AListThatStartsOverForgetsItsFirstHalf) {
  cache.receive(watcher::InitStart{});
  cache.receive(watcher::InitObject{object("a", "1")});
  replace(cache, {object("b", "2")});
  EXPECT_EQ(names(cache.all()), "b ");
}

TEST_F(CacheTest, HandlersHearOnlyOfWhatIsDifferent) {
  replace(cache, {object("a", "1")});
  take_told();
  replace(cache, {object("a", "1")});
  cache.receive(watcher::Applied{object("a", "1")});
  EXPECT_THAT(take_told(), IsEmpty());
  cache.receive(watcher::Applied{object("a", "2")});
  cache.receive(watcher::Deleted{object("a", "3")});
  cache.receive(watcher::Deleted{object("a", "3")});
  EXPECT_THAT(take_told(), ElementsAre("a:1>2", "a:2>-"));
}

TEST_F(CacheTest, AnObjectMadeAnewIsADeletionAndAnAddition) {
  replace(cache, {object("a", "1", "{}", "first")});
  take_told();
  cache.receive(watcher::Applied{object("a", "5", "{}", "second")});
  EXPECT_THAT(take_told(), ElementsAre("a:1>-", "a:->5"));
  replace(cache, {object("a", "9", "{}", "third")});
  EXPECT_THAT(take_told(), ElementsAre("a:5>-", "a:->9"));
}

TEST_F(CacheTest, ALateHandlerHearsOfWhatIsThereAndAnEndedOneOfNothing) {
  replace(cache, {object("a", "1")});
  int late = 0;
  auto handle = cache.on_change([&](const auto&) { ++late; });
  EXPECT_EQ(late, 1);
  handle.reset();
  cache.receive(watcher::Applied{object("a", "2")});
  EXPECT_EQ(late, 1);
}

TEST_F(CacheTest, AHandlerSeesTheNewStateAndMayEndItself) {
  std::vector<std::size_t> sizes;
  ObjectCache::Subscription once;
  once = cache.on_change([&](const auto&) {
    sizes.push_back(cache.size());
    once.reset();
  });
  replace(cache, {object("a", "1"), object("b", "1")});
  EXPECT_THAT(sizes, ElementsAre(2U));
}

TEST_F(CacheTest, ASubscriptionMayOutliveItsCache) {
  ObjectCache::Subscription kept;
  {
    ObjectCache gone;
    kept = gone.on_change([](const auto&) {});
  }
  kept.reset();
}

TEST_F(CacheTest, WhatAReaderHoldsNeverChanges) {
  replace(cache, {object("a", "1")});
  const auto held = cache.get({"ns", "a"});
  cache.receive(watcher::Applied{object("a", "2")});
  EXPECT_EQ(resource_version_of(*held), "1");
  EXPECT_EQ(resource_version_of(*cache.get({"ns", "a"})), "2");
  EXPECT_EQ(cache.get({"ns", "z"}), nullptr);
}

TEST_F(CacheTest, SelectsByLabelsAndNamespace) {
  replace(cache, {object("a", "1", R"({"app":"web","tier":"front"})"), object("b", "1", R"({"app":"web"})"),
                  object("c", "1", R"({"app":"db"})"), object("d", "1", R"({"app":"web"})", "u", "other")});
  const auto select = [&](std::string_view text, std::string_view ns = {}) {
    return names(cache.select(*Selector::parse(text), ns));
  };
  EXPECT_EQ(select("app=web"), "a b d ");
  EXPECT_EQ(select("app=web", "ns"), "a b ");
  EXPECT_EQ(select("app=web,tier=front"), "a ");
  EXPECT_EQ(select("app=web,!tier"), "b d ");
  EXPECT_EQ(select("app in (db,cache)"), "c ");
  EXPECT_EQ(select("app=none"), "");
  EXPECT_EQ(select("", "other"), "d ");
  EXPECT_EQ(names(cache.all("ns")), "a b c ");
  cache.receive(watcher::Applied{object("b", "2", R"({"app":"db"})")});
  EXPECT_EQ(select("app=web"), "a d ");
  EXPECT_EQ(select("app=db"), "b c ");
  cache.receive(watcher::Deleted{object("a", "3")});
  EXPECT_EQ(select("tier=front"), "");
}

TEST_F(CacheTest, IndexesFollowTheObjects) {
  replace(cache, {object("a", "1", R"({"uses":"x,y"})")});
  cache.add_index("uses", [](const json::Object& each) {
    std::vector<std::string> values;
    for (auto part : split(label(each, "uses").value_or(""), ',')) values.emplace_back(part);
    return values;
  });
  const auto uses = [&](std::string_view value) { return names(cache.by_index("uses", value)); };
  EXPECT_EQ(uses("x"), "a ") << "objects from before the index are in it";
  cache.receive(watcher::Applied{object("b", "2", R"({"uses":"y"})")});
  EXPECT_EQ(uses("y"), "a b ");
  cache.receive(watcher::Applied{object("a", "3", R"({"uses":"z,z"})")});
  EXPECT_EQ(uses("x"), "");
  EXPECT_EQ(uses("y"), "b ");
  EXPECT_EQ(uses("z"), "a ");
  replace(cache, {object("a", "3", R"({"uses":"z"})")});
  EXPECT_EQ(uses("y"), "");
  EXPECT_EQ(cache.keys_by_index("uses", "z").size(), 1U);
}

TEST_F(CacheTest, WaitsUntilItHasSynced) {
  ManualLoop manual;
  EXPECT_FALSE(cache.has_synced());
  manual.loop.post([&] { manual.loop.post([&] { replace(cache, {}); }); });
  EXPECT_TRUE(manual.run(cache.wait_synced()));
  EXPECT_TRUE(cache.has_synced());
}

struct Widget {
  ObjectMeta metadata;
  std::int32_t size = 0;
  json::Object unknown = {};
};
BOOST_DESCRIBE_STRUCT(Widget, (), (metadata, size, unknown))
ResourceType resource_type(const Widget*) {
  return {.kind = {"example.test", "v1", "Widget"}, .resource = "widgets"};
}

json::Object widget(std::string_view version, json::Value size) {
  json::Object made = object("w", version);
  made["size"] = std::move(size);
  return made;
}

TEST(TypedCache, DecodesOnceAndKeepsTheLastGoodValueOfWhatItCannotDecode) {
  Cache<Widget> cache;
  std::vector<std::string> told;
  const auto subscription = cache.on_change([&](const Change<Widget>& change) {
    told.push_back(change.after ? std::to_string(change.after->size) : "deleted");
  });
  replace(cache, {widget("1", 5)});
  cache.receive(watcher::Applied{widget("2", "large")});
  EXPECT_EQ(cache.get({"ns", "w"})->size, 5);
  ASSERT_EQ(cache.undecodable().size(), 1U);
  EXPECT_EQ(cache.undecodable().begin()->second.describe(),
            "Widget ns/w: size: expected an integer, found \"large\"");
  replace(cache, {widget("3", "large")});
  EXPECT_EQ(cache.get({"ns", "w"})->size, 5) << "an unreadable object is not a deleted one";
  cache.receive(watcher::Applied{widget("4", 6)});
  EXPECT_THAT(cache.undecodable(), IsEmpty());
  cache.receive(watcher::Applied{widget("5", "large")});
  cache.receive(watcher::Deleted{widget("6", "large")});
  EXPECT_THAT(cache.undecodable(), IsEmpty());
  EXPECT_THAT(told, ElementsAre("5", "6", "deleted"));
}

}  // namespace
}  // namespace fairway::kube
