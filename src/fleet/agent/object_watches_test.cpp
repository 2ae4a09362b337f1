// Watches of the objects that policies are about, against a scripted server.
#include "fleet/agent/object_watches.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "kube/client/testing/manual_loop.hpp"
#include "kube/runtime/testing/scripted_api.hpp"

namespace fairway::fleet::agent {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::UnorderedElementsAre;

const kube::ResourceType kMaps{.kind = {"", "v1", "ConfigMap"}, .resource = "configmaps"};
const kube::ResourceType kPods{.kind = {"", "v1", "Pod"}, .resource = "pods"};
const kube::ObjectKey kOne{"policies", "one"};
const kube::ObjectKey kTwo{"policies", "two"};

json::Object object(const kube::ResourceType& type, std::string_view ns, std::string_view name,
                    int value = 0) {
  return *json::parse_object(fmt::format(
      R"({{"apiVersion":"v1","kind":"{}","metadata":{{"name":"{}","namespace":"{}"}},"data":{{"v":"{}"}}}})",
      type.kind.kind, name, ns, value));
}

boost::asio::awaitable<void> stopping(ObjectWatches& watches) {
  co_await watches.stop();
}
Task<void> stop(ObjectWatches& watches) {
  co_await stopping(watches);
  co_return Result<void>{};
}

class WatchingObjects : public ::testing::Test {
 protected:
  void TearDown() override { EXPECT_TRUE(manual_.run(stop(watches_))); }

  void put(const kube::ResourceType& type, std::string_view ns, std::string_view name, int value = 0) {
    api_.put(type.gvr(), object(type, ns, name, value));
  }
  std::vector<std::string> woken() {
    manual_.settle();
    return std::exchange(woken_, {});
  }

  kube::testing::ManualLoop manual_;
  kube::testing::ScriptedApi api_{manual_.clock};
  kube::Client client_{api_.transport(), manual_.clock, *http::Url::parse("http://api"),
                       kube::ClientOptions{.requests_per_second = 0, .retry = {.max_retries = 0}}};
  std::vector<std::string> woken_;
  ObjectWatches watches_{client_, manual_.loop.executor(),
                         [this](const kube::ObjectKey& key) { woken_.push_back(key.name); }};
};

TEST_F(WatchingObjects, OneWatchAKindForAsLongAsSomebodyWantsIt) {
  watches_.set(kOne, {{kMaps, "ns", "a"}});
  watches_.set(kTwo, {{kMaps, "ns", "b"}, {kPods, "ns", ""}});
  manual_.settle();
  EXPECT_EQ(watches_.size(), 2U);
  EXPECT_EQ(api_.counts.watches, 2);
  watches_.forget(kTwo);
  manual_.settle();
  EXPECT_EQ(watches_.size(), 1U);
  watches_.forget(kOne);
  manual_.settle();
  EXPECT_EQ(watches_.size(), 0U);
  put(kMaps, "ns", "a");
  EXPECT_THAT(woken(), IsEmpty());
  watches_.set(kOne, {{kMaps, "ns", "a"}});
  EXPECT_THAT(woken(), ElementsAre("one")) << "a watch that starts anew tells of what is there";
}

TEST_F(WatchingObjects, WakesWhomItConcerns) {
  watches_.set(kOne, {{kMaps, "ns", "a"}});
  watches_.set(kTwo, {{kMaps, "ns", ""}});
  EXPECT_THAT(woken(), IsEmpty());
  put(kMaps, "ns", "a");
  EXPECT_THAT(woken(), UnorderedElementsAre("one", "two"));
  put(kMaps, "ns", "b");
  EXPECT_THAT(woken(), ElementsAre("two"));
  put(kMaps, "other", "a");
  EXPECT_THAT(woken(), IsEmpty());
  api_.remove(kMaps.gvr(), {"ns", "a"});
  EXPECT_THAT(woken(), UnorderedElementsAre("one", "two"));
  manual_.advance(30s);
  EXPECT_THAT(woken(), IsEmpty()) << "at rest";
}

TEST_F(WatchingObjects, GivesWhatIsThereWhenItIsKnown) {
  put(kMaps, "ns", "a", 7);
  watches_.add(kOne, {{kMaps, "ns", "a"}});
  const auto cache = manual_.run(watches_.objects(kMaps));
  ASSERT_TRUE(cache) << cache.error().describe();
  const auto found = (*cache)->get({"ns", "a"});
  ASSERT_TRUE(found);
  EXPECT_EQ(json::get_string(*found, {"data", "v"}), "7");
  EXPECT_FALSE(manual_.run(watches_.objects(kPods))) << "nobody asked for them";
}

TEST_F(WatchingObjects, AServerThatIsAwayIsAnErrorAndThenIsNot) {
  api_.faults.failing = 1;
  watches_.add(kOne, {{kMaps, "ns", "a"}});
  EXPECT_FALSE(manual_.run(watches_.objects(kMaps)));
  api_.faults.failing = 0;
  put(kMaps, "ns", "a");
  EXPECT_TRUE(manual_.run(watches_.objects(kMaps)));
  EXPECT_THAT(woken(), ElementsAre("one"));
}

}  // namespace
}  // namespace fairway::fleet::agent
