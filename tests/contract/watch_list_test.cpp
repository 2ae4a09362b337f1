// Watches that begin with a list, and bookmarks.
#include <fmt/format.h>

#include "harness.hpp"

namespace fairway::contract {
namespace {

class WatchLists : public ContractTest {
 protected:
  Watch stream(Query more = {}) {
    std::string path = with(at("secrets"), {{"sendInitialEvents", "true"},
                                            {"resourceVersionMatch", "NotOlderThan"},
                                            {"allowWatchBookmarks", "true"}});
    return api().watch(with(path, more));
  }
  // Before Kubernetes 1.32 the feature may be off, and is then refused as a whole.
  static bool is_off(const Watch& watch) { return watch.status() == 422; }
};

constexpr const char* kOff = "the server does not have the WatchList feature on";

CONTRACT(WatchLists, TellTheStateAndSaySo,
         "sendInitialEvents tells the present objects as ADDED and ends them with an annotated BOOKMARK") {
  create("secrets", secret("a"));
  const Value last = create("secrets", secret("b"));
  Watch watch = stream();
  if (is_off(watch)) GTEST_SKIP() << kOff;
  ASSERT_EQ(watch.status(), 200);
  EXPECT_EQ(watch.take(2), (Names{"ADDED a", "ADDED b"}));
  const WatchEvent bookmark = watch.next();
  EXPECT_EQ(bookmark.type, "BOOKMARK");
  EXPECT_EQ(bookmark.text("/metadata/annotations/k8s.io~1initial-events-end"), "true");
  EXPECT_EQ(bookmark.text("/kind"), "Secret");
  EXPECT_EQ(bookmark.text("/metadata/name"), "<absent>");
  EXPECT_GE(std::stoull(bookmark.version()), std::stoull(version_of(last)));
}

CONTRACT(WatchLists, GoOnWithChanges,
         "after the initial events a watch-list goes on with changes, none missing") {
  create("secrets", secret("a"));
  Watch watch = stream();
  if (is_off(watch)) GTEST_SKIP() << kOff;
  EXPECT_EQ(watch.take(1), Names{"ADDED a"});
  EXPECT_EQ(watch.next().type, "BOOKMARK");
  create("secrets", secret("b"));
  ASSERT_TRUE(answered(api().remove(at("secrets", "a")), 200));
  EXPECT_EQ(watch.take(2), (Names{"ADDED b", "DELETED a"}));
}

CONTRACT(WatchLists, OfNothing, "a watch-list of nothing begins with the bookmark") {
  Watch watch = stream();
  if (is_off(watch)) GTEST_SKIP() << kOff;
  EXPECT_EQ(watch.next().text("/metadata/annotations/k8s.io~1initial-events-end"), "true");
}

CONTRACT(WatchLists, HonourSelectors, "the initial events are of what is selected") {
  create("secrets", secret("a"));
  create("secrets", secret("b", "{metadata: {labels: {pick: me}}}"));
  Watch watch = stream({{"labelSelector", "pick=me"}});
  if (is_off(watch)) GTEST_SKIP() << kOff;
  EXPECT_EQ(watch.take(1), Names{"ADDED b"});
  EXPECT_EQ(watch.next().type, "BOOKMARK");
}

CONTRACT(WatchLists, CanBeResumed,
         "a plain watch from the closing bookmark's version goes on without gap or duplicate") {
  create("secrets", secret("a"));
  std::string version;
  {
    Watch watch = stream();
    if (is_off(watch)) GTEST_SKIP() << kOff;
    EXPECT_EQ(watch.take(1), Names{"ADDED a"});
    version = watch.next().version();
  }
  create("secrets", secret("b"));
  Watch watch = api().watch(with(at("secrets"), {{"resourceVersion", version}}));
  EXPECT_EQ(watch.take(1), Names{"ADDED b"});
}

CONTRACT(WatchLists, OfCustomObjects, "custom objects have watch-lists too, and bookmarks of their kind") {
  define();
  create_widget(widget("a"));
  Watch watch = api().watch(with(widgets(), {{"sendInitialEvents", "true"},
                                             {"resourceVersionMatch", "NotOlderThan"},
                                             {"allowWatchBookmarks", "true"}}));
  if (is_off(watch)) GTEST_SKIP() << kOff;
  EXPECT_EQ(watch.take(1), Names{"ADDED a"});
  const WatchEvent bookmark = watch.next();
  EXPECT_EQ(bookmark.type, "BOOKMARK");
  EXPECT_EQ(bookmark.text("/kind"), "Widget");
  EXPECT_EQ(bookmark.text("/apiVersion"), group() + "/v1");
}

CONTRACT(WatchLists, NeedAMatch, "sendInitialEvents without resourceVersionMatch is 422") {
  const Answer refusal =
      api()
          .watch(with(at("secrets"), {{"sendInitialEvents", "true"}, {"allowWatchBookmarks", "true"}}))
          .rest();
  EXPECT_TRUE(refused(refusal, 422, "Invalid", "sendInitialEvents"));
}

CONTRACT(WatchLists, MatchNotOlderThan,
         "sendInitialEvents goes with resourceVersionMatch=NotOlderThan only: 422") {
  const Answer refusal = api()
                             .watch(with(at("secrets"), {{"sendInitialEvents", "true"},
                                                         {"resourceVersionMatch", "Exact"},
                                                         {"resourceVersion", "1"}}))
                             .rest();
  EXPECT_TRUE(refused(refusal, 422, "Invalid"));
}

CONTRACT(WatchLists, MatchIsForThemOnly, "resourceVersionMatch in a plain watch is 422") {
  const Answer refusal =
      api()
          .watch(with(at("secrets"), {{"resourceVersionMatch", "NotOlderThan"}, {"resourceVersion", "1"}}))
          .rest();
  EXPECT_TRUE(refused(refusal, 422, "Invalid", "resourceVersionMatch is forbidden for watch"));
}

CONTRACT(WatchLists, NoInitialEventsWhereNotWanted,
         "sendInitialEvents=false begins with changes, not with the state") {
  create("secrets", secret("old"));
  Watch watch = api().watch(
      with(at("secrets"), {{"sendInitialEvents", "false"}, {"resourceVersionMatch", "NotOlderThan"}}));
  if (is_off(watch)) GTEST_SKIP() << kOff;
  create("secrets", secret("new"));
  EXPECT_EQ(watch.take(1), Names{"ADDED new"});
}

CONTRACT(WatchLists, BookmarksCarryAVersionOnly,
         "a bookmark has kind, apiVersion and resourceVersion, and only who allows them gets them") {
  create("secrets", secret("a"));
  Watch watch = api().watch(with(at("secrets"), {{"allowWatchBookmarks", "true"}, {"timeoutSeconds", "3"}}));
  WatchEvent event = watch.next();
  EXPECT_EQ(event.type, "ADDED");
  // Whether one comes before the end is the server's choice.
  for (event = watch.next(); !event.type.empty(); event = watch.next()) {
    EXPECT_EQ(event.type, "BOOKMARK");
    EXPECT_EQ(event.text("/kind"), "Secret");
    EXPECT_EQ(event.text("/metadata/name"), "<absent>");
    EXPECT_GT(std::stoull(event.version()), 0U);
  }
}

}  // namespace
}  // namespace fairway::contract
