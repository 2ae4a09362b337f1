#include "apiserver/events_view.hpp"

#include <gtest/gtest.h>

#include "json/testing/objects.hpp"

namespace fairway::apiserver {
namespace {

constexpr std::string_view kCore = R"(
apiVersion: v1
kind: Event
metadata: {name: web.17, namespace: prod, managedFields: [{apiVersion: v1, manager: kubelet}]}
involvedObject: {kind: Pod, name: web, namespace: prod, fieldPath: 'spec.containers{web}'}
reason: Pulled
message: Image is there.
source: {component: kubelet, host: node-1}
firstTimestamp: '2024-01-01T00:00:00Z'
lastTimestamp: '2024-01-01T00:01:00Z'
count: 3
type: Normal
eventTime: null
action: Pull
related: {kind: Node, name: node-1}
reportingComponent: kubelet
reportingInstance: node-1
series: {count: 2, lastObservedTime: '2024-01-01T00:01:00.000000Z'}
)";

TEST(EventsView, RenamesWhatTheNewFormCallsOtherwise) {
  const json::Object view = to_events_view(json::test_object(kCore));
  EXPECT_EQ(view, json::test_object(R"(
apiVersion: events.k8s.io/v1
kind: Event
metadata: {name: web.17, namespace: prod, managedFields: [{apiVersion: v1, manager: kubelet}]}
regarding: {kind: Pod, name: web, namespace: prod, fieldPath: 'spec.containers{web}'}
reason: Pulled
note: Image is there.
deprecatedSource: {component: kubelet, host: node-1}
deprecatedFirstTimestamp: '2024-01-01T00:00:00Z'
deprecatedLastTimestamp: '2024-01-01T00:01:00Z'
deprecatedCount: 3
type: Normal
eventTime: null
action: Pull
related: {kind: Node, name: node-1}
reportingController: kubelet
reportingInstance: node-1
series: {count: 2, lastObservedTime: '2024-01-01T00:01:00.000000Z'}
)"));
}

TEST(EventsView, ThereAndBackIsTheSame) {
  EXPECT_EQ(json::serialize(from_events_view(to_events_view(json::test_object(kCore)))),
            json::serialize(json::test_object(kCore)));
  const json::Object odd =
      json::test_object("{apiVersion: v1, message: a, note: b, count: 1, deprecatedCount: 2, extra: x}");
  EXPECT_EQ(json::serialize(from_events_view(to_events_view(odd))), json::serialize(odd));
}

TEST(EventsView, MapsTheFieldsOfSelectors) {
  EXPECT_EQ(core_event_field("regarding.kind"), "involvedObject.kind");
  EXPECT_EQ(core_event_field("reportingController"), "reportingComponent");
  EXPECT_EQ(core_event_field("type"), "type");
  EXPECT_EQ(core_event_field("metadata.name"), "metadata.name");
}

TEST(EventsView, KnowsItsResource) {
  const auto catalog = Catalog::make({});
  EXPECT_TRUE(is_events_view(*catalog->find("events.k8s.io", "events")));
  EXPECT_FALSE(is_events_view(*catalog->find("", "events")));
}

}  // namespace
}  // namespace fairway::apiserver
