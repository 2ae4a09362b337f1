// Watches: events in order, resuming, selections, ends.
#include <algorithm>
#include <fmt/format.h>

#include "harness.hpp"

namespace fairway::contract {
namespace {

class Watches : public ContractTest {
 protected:
  Watch watch_secrets(Query query = {}) { return api().watch(with(at("secrets"), query)); }
  // A change of the object; its new version.
  std::string touch(std::string_view name, std::string_view value) {
    const Answer written = api().merge(
        at("secrets", name), fmt::format("{{metadata: {{annotations: {{touched: '{}'}}}}}}", value));
    EXPECT_TRUE(answered(written, 200));
    return version_of(written.json);
  }
  std::string now() { return version_of(api().get(at("secrets")).json); }
};

CONTRACT(Watches, TellWhatHappensAfterAVersion,
         "a watch from a version tells each later change once, in order") {
  create("secrets", secret("old"));
  Watch watch = watch_secrets({{"resourceVersion", now()}});
  ASSERT_EQ(watch.status(), 200);
  create("secrets", secret("a"));
  touch("a", "1");
  create("secrets", secret("b"));
  ASSERT_TRUE(answered(api().remove(at("secrets", "a")), 200));
  EXPECT_EQ(watch.take(4), (Names{"ADDED a", "MODIFIED a", "ADDED b", "DELETED a"}));
}

CONTRACT(Watches, AlsoTellThePast, "a watch from an older version first tells what has happened since") {
  const std::string since = now();
  create("secrets", secret("a"));
  touch("a", "1");
  ASSERT_TRUE(answered(api().remove(at("secrets", "a")), 200));
  Watch watch = watch_secrets({{"resourceVersion", since}});
  EXPECT_EQ(watch.take(3), (Names{"ADDED a", "MODIFIED a", "DELETED a"}));
}

CONTRACT(Watches, WithoutAVersionBeginWithTheState,
         "a watch without a version begins with the present objects as ADDED") {
  create("secrets", secret("a"));
  create("secrets", secret("b"));
  Watch watch = watch_secrets();
  Names present = watch.take(2);
  std::ranges::sort(present);
  EXPECT_EQ(present, (Names{"ADDED a", "ADDED b"}));
  touch("a", "1");
  EXPECT_EQ(watch.take(1), Names{"MODIFIED a"});
}

CONTRACT(Watches, FromZeroBeginWithTheState, "a watch from version 0 begins with present objects as ADDED") {
  const Value made = create("secrets", secret("a"));
  Watch watch = watch_secrets({{"resourceVersion", "0"}});
  // A server may begin with a state that is a little old, and then tells what is missing as changes.
  const WatchEvent event = watch.next();
  EXPECT_EQ(event.type, "ADDED");
  EXPECT_EQ(event.object, made);
}

CONTRACT(Watches, CarryTheObject, "an event carries the whole object as a get at that version shows it") {
  Watch watch = watch_secrets({{"resourceVersion", now()}});
  const Value made = create("secrets", secret("a", "{metadata: {labels: {x: yy}}, stringData: {k: v}}"));
  const WatchEvent event = watch.next();
  EXPECT_EQ(event.type, "ADDED");
  EXPECT_EQ(event.object, made);
  EXPECT_EQ(event.text("/kind"), "Secret");
  EXPECT_EQ(event.text("/apiVersion"), "v1");
}

CONTRACT(Watches, HaveGrowingVersions, "the versions of a watch's events grow") {
  Watch watch = watch_secrets({{"resourceVersion", now()}});
  create("secrets", secret("a"));
  create("secrets", secret("b"));
  touch("a", "1");
  unsigned long long last = 0;
  for (int i = 0; i < 3; ++i) {
    const unsigned long long version = std::stoull(watch.next().version());
    EXPECT_GT(version, last);
    last = version;
  }
}

CONTRACT(Watches, ResumeWithoutGapOrDuplicate,
         "a watch from the last event's version goes on with the very next change") {
  Watch first = watch_secrets({{"resourceVersion", now()}});
  create("secrets", secret("a"));
  create("secrets", secret("b"));
  EXPECT_EQ(first.take(1), Names{"ADDED a"});
  const WatchEvent last = first.next();
  EXPECT_EQ(last.name(), "b");
  touch("a", "1");
  create("secrets", secret("c"));
  ASSERT_TRUE(answered(api().remove(at("secrets", "b")), 200));
  Watch second = watch_secrets({{"resourceVersion", last.version()}});
  EXPECT_EQ(second.take(3), (Names{"MODIFIED a", "ADDED c", "DELETED b"}));
}

CONTRACT(Watches, GoOnFromAList, "a watch from a list's version misses nothing that the list did not have") {
  create("secrets", secret("a"));
  const Answer list = api().get(at("secrets"));
  touch("a", "1");
  Watch watch = watch_secrets({{"resourceVersion", version_of(list.json)}});
  create("secrets", secret("b"));
  EXPECT_EQ(watch.take(2), (Names{"MODIFIED a", "ADDED b"}));
}

CONTRACT(Watches, DeletedCarriesTheLastState,
         "DELETED carries the last state under the version of the deletion") {
  create("secrets", secret("a"));
  const std::string last = touch("a", "final");
  Watch watch = watch_secrets({{"resourceVersion", last}});
  ASSERT_TRUE(answered(api().remove(at("secrets", "a")), 200));
  const WatchEvent event = watch.next();
  EXPECT_EQ(event.type, "DELETED");
  EXPECT_EQ(event.text("/metadata/annotations/touched"), "final");
  EXPECT_GT(std::stoull(event.version()), std::stoull(last));
}

CONTRACT(Watches, EnteringTheSelection, "an object that comes into the selection is ADDED") {
  create("secrets", secret("a"));
  Watch watch = watch_secrets({{"resourceVersion", now()}, {"labelSelector", "pick=me"}});
  ASSERT_TRUE(answered(api().merge(at("secrets", "a"), "{metadata: {labels: {pick: me}}}"), 200));
  EXPECT_EQ(watch.take(1), Names{"ADDED a"});
}

CONTRACT(Watches, LeavingTheSelection,
         "an object that leaves the selection is DELETED, as it was, under the version of its leaving") {
  create("secrets", secret("a", "{metadata: {labels: {pick: me}}}"));
  Watch watch = watch_secrets({{"resourceVersion", now()}, {"labelSelector", "pick=me"}});
  const Answer left = api().merge(at("secrets", "a"), "{metadata: {labels: {pick: other}}}");
  const WatchEvent event = watch.next();
  EXPECT_EQ(event.type, "DELETED");
  EXPECT_EQ(event.text("/metadata/labels/pick"), "me");
  EXPECT_EQ(event.version(), version_of(left.json));
}

CONTRACT(Watches, OutsideTheSelection, "changes outside of the selection are not told") {
  Watch watch = watch_secrets({{"resourceVersion", now()}, {"labelSelector", "pick=me"}});
  create("secrets", secret("other"));
  touch("other", "1");
  ASSERT_TRUE(answered(api().remove(at("secrets", "other")), 200));
  create("secrets", secret("mine", "{metadata: {labels: {pick: me}}}"));
  EXPECT_EQ(watch.take(1), Names{"ADDED mine"});
}

CONTRACT(Watches, OfOneName, "fieldSelector metadata.name=NAME watches one object") {
  create("secrets", secret("a"));
  Watch watch = watch_secrets({{"resourceVersion", now()}, {"fieldSelector", "metadata.name=a"}});
  create("secrets", secret("b"));
  touch("b", "1");
  touch("a", "1");
  ASSERT_TRUE(answered(api().remove(at("secrets", "a")), 200));
  EXPECT_EQ(watch.take(2), (Names{"MODIFIED a", "DELETED a"}));
}

CONTRACT(Watches, OfOneNamespace, "a watch of one namespace does not tell of others") {
  const std::string other = unique("contract");
  ASSERT_TRUE(answered(api().post("/api/v1/namespaces", object("v1", "Namespace", other)), 201));
  Watch watch = watch_secrets({{"resourceVersion", now()}});
  const std::string elsewhere = fmt::format("/api/v1/namespaces/{}/secrets", other);
  ASSERT_TRUE(answered(api().post(elsewhere, secret("stranger")), 201));
  create("secrets", secret("mine"));
  EXPECT_EQ(watch.take(1), Names{"ADDED mine"});
  EXPECT_TRUE(answered(api().remove("/api/v1/namespaces/" + other), 200));
}

CONTRACT(Watches, OfAllNamespaces, "a watch without a namespace in its path tells of all") {
  const std::string mine = "case=" + group();
  Watch watch = api().watch(with("/api/v1/secrets", {{"resourceVersion", now()}, {"labelSelector", mine}}));
  create("secrets", secret("a", fmt::format("{{metadata: {{labels: {{case: {}}}}}}}", group())));
  EXPECT_EQ(watch.take(1), Names{"ADDED a"});
}

CONTRACT(Watches, EndAfterTheirTimeout, "timeoutSeconds ends a watch in good order") {
  create("secrets", secret("a"));
  Watch watch = watch_secrets({{"timeoutSeconds", "1"}});
  EXPECT_EQ(watch.take(1), Names{"ADDED a"});
  EXPECT_EQ(watch.next().type, "");
}

CONTRACT(Watches, FromTooLongAgo,
         "a watch from a version that is no longer kept gets an ERROR event: 410 Expired") {
  std::string since = now();
  // A real server forgets by time; no server in use still has its first version.
  const bool has_forgotten = forget_history();
  if (!has_forgotten) since = "1";
  Watch watch = watch_secrets({{"resourceVersion", since}, {"timeoutSeconds", "2"}});
  ASSERT_EQ(watch.status(), 200);
  const WatchEvent event = watch.next();
  if (!has_forgotten && event.type != "ERROR")
    GTEST_SKIP() << "this server is too young to have forgotten anything";
  EXPECT_EQ(event.type, "ERROR");
  EXPECT_EQ(event.text("/kind"), "Status");
  EXPECT_EQ(event.text("/code"), "410");
  EXPECT_EQ(event.text("/reason"), "Expired");
  EXPECT_TRUE(contains(event.text("/message"), "too old resource version"));
  EXPECT_EQ(watch.next().type, "");
}

CONTRACT(Watches, FromNonsense, "a watch from something that is not a version is refused") {
  Watch watch = watch_secrets({{"resourceVersion", "newest"}});
  const Answer refusal = watch.rest();
  EXPECT_TRUE(refusal.status == 400 || refusal.status == 422) << refusal.body;
}

CONTRACT(Watches, WithWrongSelectors, "a watch with a selector that cannot be read is 400, not a stream") {
  EXPECT_TRUE(refused(watch_secrets({{"labelSelector", "a in"}}).rest(), 400, "BadRequest"));
  EXPECT_TRUE(refused(watch_secrets({{"fieldSelector", "spec.nosuch=1"}}).rest(), 400, "BadRequest"));
}

CONTRACT(Watches, OfCustomObjects, "custom objects are watched like built-in ones, with kind and version") {
  define();
  const Answer list = api().get(widgets());
  Watch watch = api().watch(with(widgets(), {{"resourceVersion", version_of(list.json)}}));
  create_widget(widget("a"));
  const WatchEvent added = watch.next();
  EXPECT_EQ(added.type, "ADDED");
  EXPECT_EQ(added.text("/apiVersion"), group() + "/v1");
  EXPECT_EQ(added.text("/kind"), "Widget");
  ASSERT_TRUE(answered(api().merge(widgets("a", "status"), "{status: {num: 1}}"), 200));
  EXPECT_EQ(watch.next().text("/status/num"), "1");
}

CONTRACT(Watches, ManyTellTheSame, "each of several watches hears every change once") {
  const std::string since = now();
  std::vector<Watch> watches;
  for (int i = 0; i < 5; ++i) watches.push_back(watch_secrets({{"resourceVersion", since}}));
  Names expected;
  for (int i = 0; i < 20; ++i) {
    create("secrets", secret(fmt::format("s{}", i)));
    expected.push_back(fmt::format("ADDED s{}", i));
  }
  for (Watch& watch : watches) EXPECT_EQ(watch.take(20), expected);
}

}  // namespace
}  // namespace fairway::contract
