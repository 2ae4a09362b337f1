// Status apart from spec, and what a generation counts.
#include "harness.hpp"

namespace fairway::contract {
namespace {

using StatusSubresource = ContractTest;
using Generation = ContractTest;

CONTRACT(StatusSubresource, ACreateDropsStatus,
         "with a status subresource, status is dropped from a create") {
  define();
  const Value made = create_widget(widget("a", "{spec: {num: 1}, status: {ready: true}}"));
  EXPECT_EQ(text_at(made, "/status"), "<absent>");
  EXPECT_EQ(text_at(made, "/spec/num"), "1");
}

CONTRACT(StatusSubresource, ASpecWriteKeepsStatus, "a write of the object leaves its status as it is") {
  define();
  Value made = create_widget(widget("a", "{spec: {num: 1}}"));
  ASSERT_TRUE(answered(api().merge(widgets("a", "status"), "{status: {ready: true}}"), 200));
  made = api().get(widgets("a")).json;
  set(made, "/spec/num", "2");
  set(made, "/status", "{ready: false}");
  const Answer written = api().put(widgets("a"), made);
  ASSERT_TRUE(answered(written, 200));
  EXPECT_EQ(written.text("/spec/num"), "2");
  EXPECT_EQ(written.text("/status"), R"({"ready":true})");
}

CONTRACT(StatusSubresource, ASpecPatchKeepsStatus, "a patch of the object cannot change its status") {
  define();
  create_widget(widget("a"));
  ASSERT_TRUE(answered(api().merge(widgets("a", "status"), "{status: {ready: true}}"), 200));
  const Answer written = api().merge(widgets("a"), "{status: {ready: false}, spec: {num: 2}}");
  ASSERT_TRUE(answered(written, 200));
  EXPECT_EQ(written.text("/status/ready"), "true");
  EXPECT_EQ(written.text("/spec/num"), "2");
}

CONTRACT(StatusSubresource, AStatusWriteKeepsSpecAndMetadata,
         "a write of status changes neither spec nor metadata") {
  define();
  Value made = create_widget(widget("a", "{spec: {num: 1}, metadata: {labels: {x: yy}}}"));
  set(made, "/spec/num", "2");
  set(made, "/metadata/labels/x", "z");
  set(made, "/metadata/annotations", "{k: v}");
  set(made, "/metadata/finalizers", "[example.com/hold]");
  set(made, "/status", "{ready: true}");
  const Answer written = api().put(widgets("a", "status"), made);
  ASSERT_TRUE(answered(written, 200));
  EXPECT_EQ(written.text("/status/ready"), "true");
  EXPECT_EQ(written.text("/spec/num"), "1");
  EXPECT_EQ(written.text("/metadata/labels/x"), "yy");
  EXPECT_EQ(written.text("/metadata/annotations"), "<absent>");
  EXPECT_EQ(written.text("/metadata/finalizers"), "<absent>");
  EXPECT_NE(version_of(written.json), version_of(made));
}

CONTRACT(StatusSubresource, StatusCanBeRead, "get of the status subresource gives the whole object") {
  define();
  const Value made = create_widget(widget("a", "{spec: {num: 1}}"));
  EXPECT_EQ(api().get(widgets("a", "status")).json, made);
}

CONTRACT(StatusSubresource, StatusIsValidated, "a write of status is held to the schema: 422") {
  Value crd = widget_crd();
  set(crd, "/spec/versions/0/schema/openAPIV3Schema/properties/status",
      "{type: object, properties: {replicas: {type: integer, minimum: 0}}}");
  define(crd);
  create_widget(widget("a"));
  const Answer written = api().merge(widgets("a", "status"), "{status: {replicas: -1}}");
  EXPECT_TRUE(refused(written, 422, "Invalid"));
  EXPECT_TRUE(
      has_cause(written, "FieldValueInvalid", "status.replicas", "should be greater than or equal to 0"));
}

CONTRACT(StatusSubresource, WithoutItStatusIsAField,
         "without the subresource, status is written with the object") {
  Value crd = widget_crd();
  erase(crd, "/spec/versions/0/subresources");
  define(crd);
  const Value made = create_widget(widget("a", "{status: {ready: true}}"));
  EXPECT_EQ(text_at(made, "/status/ready"), "true");
  EXPECT_TRUE(answered(api().get(widgets("a", "status")), 404));
}

CONTRACT(StatusSubresource, ThereIsNoCreateOfStatus,
         "status is got, updated and patched, never created or deleted") {
  define();
  create_widget(widget("a"));
  EXPECT_TRUE(refused(api().post(widgets("a", "status"), widget("a")), 405, "MethodNotAllowed"));
  EXPECT_TRUE(refused(api().remove(widgets("a", "status")), 405, "MethodNotAllowed"));
  EXPECT_TRUE(answered(api().get(widgets("a")), 200));
}

CONTRACT(StatusSubresource, OfAMissingObject, "a write of status of a missing object is 404") {
  define();
  EXPECT_TRUE(refused(api().merge(widgets("a", "status"), "{status: {ready: true}}"), 404, "NotFound"));
}

CONTRACT(StatusSubresource, BuiltinsKeepStatusApart, "a deployment's status is not written with its spec") {
  const Value made = create("deployments", deployment("a", "{status: {replicas: 7}}"));
  EXPECT_NE(text_at(made, "/status/replicas"), "7");
}

CONTRACT(Generation, StartsAtOne, "a new custom object has generation 1, whatever the client says") {
  define();
  EXPECT_EQ(text_at(create_widget(widget("a", "{metadata: {generation: 9}}")), "/metadata/generation"), "1");
}

CONTRACT(Generation, GrowsWithSpec, "generation grows by one with each change of spec") {
  define();
  create_widget(widget("a", "{spec: {num: 1}}"));
  EXPECT_EQ(api().merge(widgets("a"), "{spec: {num: 2}}").text("/metadata/generation"), "2");
  EXPECT_EQ(api().merge(widgets("a"), "{spec: {num: 3}}").text("/metadata/generation"), "3");
}

CONTRACT(Generation, StaysWithMetadata, "a change of metadata leaves the generation alone") {
  define();
  const Value made = create_widget(widget("a"));
  const Answer written = api().merge(widgets("a"), "{metadata: {labels: {x: yy}, annotations: {k: v}}}");
  EXPECT_EQ(written.text("/metadata/generation"), "1");
  EXPECT_NE(version_of(written.json), version_of(made));
}

CONTRACT(Generation, StaysWithStatus, "a write of status leaves the generation alone") {
  define();
  create_widget(widget("a"));
  EXPECT_EQ(api().merge(widgets("a", "status"), "{status: {num: 1}}").text("/metadata/generation"), "1");
}

CONTRACT(Generation, IsNotForClients, "an update cannot set the generation") {
  define();
  Value made = create_widget(widget("a"));
  set(made, "/metadata/generation", "9");
  EXPECT_EQ(api().put(widgets("a"), made).text("/metadata/generation"), "1");
}

CONTRACT(Generation, CountsStatusWithoutTheSubresource,
         "without a status subresource any change but of metadata counts") {
  Value crd = widget_crd();
  erase(crd, "/spec/versions/0/subresources");
  define(crd);
  create_widget(widget("a"));
  EXPECT_EQ(api().merge(widgets("a"), "{status: {num: 1}}").text("/metadata/generation"), "2");
}

CONTRACT(Generation, OfADeployment, "a deployment's generation counts changes of its spec") {
  EXPECT_EQ(text_at(create("deployments", deployment("a")), "/metadata/generation"), "1");
  EXPECT_EQ(api().merge(at("deployments", "a"), "{metadata: {labels: {x: yy}}}").text("/metadata/generation"),
            "1");
  EXPECT_EQ(api().merge(at("deployments", "a"), "{spec: {paused: true}}").text("/metadata/generation"), "2");
}

}  // namespace
}  // namespace fairway::contract
