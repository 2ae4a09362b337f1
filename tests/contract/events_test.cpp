// Events: two API groups that show the same objects.
#include <fmt/format.h>

#include "harness.hpp"

namespace fairway::contract {
namespace {

class Events : public ContractTest {
 protected:
  std::string modern(std::string_view name = "") {
    return fmt::format("/apis/events.k8s.io/v1/namespaces/{}/events{}{}", ns(), name.empty() ? "" : "/",
                       name);
  }
  Value core_event(std::string_view name) {
    return object("v1", "Event", name,
                  fmt::format(R"(
type: Warning
reason: Testing
message: it was tested
count: 3
firstTimestamp: '2024-01-02T03:04:05Z'
lastTimestamp: '2024-01-02T03:05:05Z'
source: {{component: contract, host: here}}
involvedObject: {{apiVersion: v1, kind: Secret, namespace: {}, name: s}}
)",
                              ns()));
  }
};

CONTRACT(Events, OfTheCoreGroupShowInTheOther,
         "an event of the core group is shown by events.k8s.io, its fields under their new names") {
  const Value made = create("events", core_event("e"));
  const Answer shown = api().get(modern("e"));
  ASSERT_TRUE(answered(shown, 200));
  EXPECT_EQ(shown.text("/apiVersion"), "events.k8s.io/v1");
  EXPECT_EQ(uid_of(shown.json), uid_of(made));
  EXPECT_EQ(version_of(shown.json), version_of(made));
  EXPECT_EQ(shown.text("/note"), "it was tested");
  EXPECT_EQ(shown.text("/reason"), "Testing");
  EXPECT_EQ(shown.text("/regarding/kind"), "Secret");
  EXPECT_EQ(shown.text("/deprecatedCount"), "3");
  EXPECT_EQ(shown.text("/deprecatedSource/component"), "contract");
  EXPECT_EQ(shown.text("/deprecatedLastTimestamp"), "2024-01-02T03:05:05Z");
  EXPECT_EQ(shown.text("/message"), "<absent>");
}

CONTRACT(Events, OfTheOtherGroupShowInCore, "an event of events.k8s.io is shown by the core group") {
  const Answer made = api().post(modern(), object("events.k8s.io/v1", "Event", "e",
                                                  fmt::format(R"(
type: Normal
reason: Testing
action: Test
note: it was tested
eventTime: '2024-01-02T03:04:05.000000Z'
reportingController: example.com/contract
reportingInstance: contract-0
regarding: {{apiVersion: v1, kind: Secret, namespace: {}, name: s}}
)",
                                                              ns())));
  ASSERT_TRUE(answered(made, 201));
  const Answer shown = api().get(at("events", "e"));
  EXPECT_EQ(shown.text("/apiVersion"), "v1");
  EXPECT_EQ(uid_of(shown.json), uid_of(made.json));
  EXPECT_EQ(shown.text("/message"), "it was tested");
  EXPECT_EQ(shown.text("/involvedObject/kind"), "Secret");
  EXPECT_EQ(shown.text("/reportingComponent"), "example.com/contract");
}

CONTRACT(Events, AreListedByBoth, "both groups list the same events") {
  create("events", core_event("e"));
  const Answer list = api().get(with(modern(), {{"fieldSelector", "regarding.name=s"}}));
  ASSERT_TRUE(answered(list, 200));
  EXPECT_EQ(list.text("/kind"), "EventList");
  EXPECT_EQ(list.text("/apiVersion"), "events.k8s.io/v1");
  EXPECT_EQ(names_of(list.json), Names{"e"});
  EXPECT_EQ(list.text("/items/0/note"), "it was tested");
}

CONTRACT(Events, AreWatchedByBoth, "a watch of one group tells of events of the other") {
  const std::string since = version_of(api().get(modern()).json);
  Watch watch = api().watch(with(modern(), {{"resourceVersion", since}}));
  create("events", core_event("e"));
  const WatchEvent event = watch.next();
  EXPECT_EQ(event.type, "ADDED");
  EXPECT_EQ(event.text("/apiVersion"), "events.k8s.io/v1");
  EXPECT_EQ(event.text("/note"), "it was tested");
}

CONTRACT(Events, AreChangedByBoth, "a change through one group shows in the other") {
  create("events", core_event("e"));
  ASSERT_TRUE(answered(api().merge(at("events", "e"), "{count: 4}"), 200));
  EXPECT_EQ(api().get(modern("e")).text("/deprecatedCount"), "4");
}

CONTRACT(Events, StandBesideTheirObject, "an event is in the namespace of the object that it is about") {
  Value event = core_event("e");
  set(event, "/involvedObject/namespace", "other");
  const Answer made = api().post(at("events"), event);
  EXPECT_TRUE(refused(made, 422, "Invalid"));
  EXPECT_TRUE(
      has_cause(made, "FieldValueInvalid", "involvedObject.namespace", "does not match event.namespace"));
}

}  // namespace
}  // namespace fairway::contract
