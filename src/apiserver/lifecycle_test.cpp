#include "apiserver/lifecycle.hpp"

#include <gtest/gtest.h>

#include "apiserver/crd_resource.hpp"
#include "json/testing/objects.hpp"
#include "kube/core/object.hpp"

namespace fairway::apiserver {
namespace {

using namespace std::chrono_literals;
constexpr WallTime kNow{std::chrono::seconds{1'700'000'000}};

ResourcePtr boats() {
  static const ResourcePtr resource = *resource_of_crd(json::test_object(R"(
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: boats.harbour.test}
spec:
  group: harbour.test
  scope: Namespaced
  names: {kind: Boat, listKind: BoatList, plural: boats, singular: boat}
  versions:
  - name: v1
    served: true
    storage: true
    subresources: {status: {}}
    schema:
      openAPIV3Schema:
        type: object
        properties:
          spec:
            type: object
            properties:
              draught: {type: integer, minimum: 0}
              master: {type: string, default: nobody}
          status: {type: object, properties: {pier: {type: integer}}}
)"));
  return resource;
}

class Lifecycle : public ::testing::Test {
 protected:
  WriteRequest request(std::string subresource = "") const {
    WriteRequest request;
    request.resource = boats().get();
    request.version = &boats()->storage_version();
    request.ns = "sea";
    request.name = "albatross";
    request.subresource = std::move(subresource);
    request.manager = "test";
    request.now = kNow;
    request.uid = "u-1";
    request.name_suffix = "x7k2p";
    return request;
  }
  static json::Object boat(std::string_view rest = "spec: {draught: 2}") {
    return json::test_object(
        "apiVersion: harbour.test/v1\nkind: Boat\nmetadata: {name: albatross, namespace: sea}\n" +
        std::string(rest) + "\n");
  }
  json::Object stored() const {
    json::Object object = prepare_create(request(), boat())->object;
    object["metadata"].get_object()["resourceVersion"] = "7";
    return object;
  }
};

TEST_F(Lifecycle, ANewObjectIsStampedDefaultedAndLosesItsStatus) {
  const auto made = prepare_create(request(), boat("spec: {draught: 2}\nstatus: {pier: 4}"));
  ASSERT_TRUE(made) << made.error().message;
  EXPECT_EQ(kube::uid_of(made->object), "u-1");
  EXPECT_EQ(kube::generation_of(made->object), 1);
  EXPECT_EQ(json::get_string(made->object, {"metadata", "creationTimestamp"}), "2023-11-14T22:13:20Z");
  EXPECT_EQ(json::get_string(made->object, {"spec", "master"}), "nobody");
  EXPECT_FALSE(made->object.contains("status"));
}

TEST_F(Lifecycle, ANameIsGenerated) {
  WriteRequest unnamed = request();
  unnamed.name.clear();
  json::Object object = boat();
  object["metadata"] = json::Object{{"generateName", "boat-"}};
  const auto made = prepare_create(unnamed, object);
  ASSERT_TRUE(made) << made.error().message;
  EXPECT_EQ(kube::name_of(made->object), "boat-x7k2p");
  EXPECT_EQ(kube::namespace_of(made->object), "sea");
}

TEST_F(Lifecycle, WhatIsWrongIsRefusedInKubernetesWords) {
  const auto refusal = [&](json::Object object) {
    const auto made = prepare_create(request(), std::move(object));
    return made ? std::string("accepted") : made.error().message;
  };
  EXPECT_EQ(refusal(boat("spec: {draught: -1}")),
            "Boat.harbour.test \"albatross\" is invalid: spec.draught: Invalid value: -1: spec.draught in "
            "body should be "
            "greater than or equal to 0");
  json::Object elsewhere = boat();
  elsewhere["metadata"].get_object()["namespace"] = "land";
  EXPECT_EQ(refusal(elsewhere),
            "the namespace of the provided object does not match the namespace sent on the request");
  json::Object old = boat();
  old["metadata"].get_object()["resourceVersion"] = "3";
  EXPECT_EQ(refusal(old), "resourceVersion should not be set on objects to be created");
  json::Object labelled = boat();
  labelled["metadata"].get_object()["labels"] = json::Object{{"a b", "c"}};
  EXPECT_NE(refusal(labelled).find("metadata.labels: Invalid value: \"a b\""), std::string::npos);
}

TEST_F(Lifecycle, UnknownFieldsAreDroppedWarnedOfOrRefused) {
  const json::Object object = boat("spec: {draught: 2, sails: 3}");
  WriteRequest how = request();
  how.validation = FieldValidation::Warn;
  EXPECT_EQ(prepare_create(how, object)->warnings, std::vector<std::string>{"unknown field \"spec.sails\""});
  how.validation = FieldValidation::Ignore;
  EXPECT_TRUE(prepare_create(how, object)->warnings.empty());
  how.validation = FieldValidation::Strict;
  ASSERT_FALSE(prepare_create(how, object));
  EXPECT_NE(
      prepare_create(how, object).error().message.find("strict decoding error: unknown field \"spec.sails\""),
      std::string::npos);
}

TEST_F(Lifecycle, GenerationGrowsOnlyWhenTheMeaningChanges) {
  json::Object before = stored();
  json::Object after = before;
  after["metadata"].get_object()["labels"] = json::Object{{"a", "b"}};
  EXPECT_EQ(kube::generation_of(prepare_update(request(), before, after)->object), 1);
  after["spec"].get_object()["draught"] = 3;
  EXPECT_EQ(kube::generation_of(prepare_update(request(), before, after)->object), 2);
}

TEST_F(Lifecycle, StatusAndSpecAreApart) {
  json::Object before = stored();
  json::Object both = before;
  both["spec"].get_object()["draught"] = 9;
  both["status"] = json::Object{{"pier", 4}};
  const auto by_status = prepare_update(request("status"), before, both);
  ASSERT_TRUE(by_status) << by_status.error().message;
  EXPECT_EQ(json::get_int(by_status->object, {"spec", "draught"}), 2);
  EXPECT_EQ(json::get_int(by_status->object, {"status", "pier"}), 4);
  EXPECT_EQ(kube::generation_of(by_status->object), 1);
  const auto by_spec = prepare_update(request(), before, both);
  EXPECT_EQ(json::get_int(by_spec->object, {"spec", "draught"}), 9);
  EXPECT_FALSE(by_spec->object.contains("status"));
}

TEST_F(Lifecycle, AnUpdateNeedsTheNewestVersion) {
  json::Object before = stored();
  json::Object stale = before;
  stale["metadata"].get_object()["resourceVersion"] = "6";
  EXPECT_EQ(prepare_update(request(), before, stale).error().reason, "Conflict");
  json::remove(stale["metadata"].get_object(), "resourceVersion");
  EXPECT_NE(prepare_update(request(), before, stale).error().message.find("must be specified for an update"),
            std::string::npos);
}

TEST_F(Lifecycle, AnUnchangedUpdateIsSeenAsSuch) {
  json::Object before = stored();
  EXPECT_TRUE(is_unchanged(before, prepare_update(request(), before, before)->object));
  json::Object after = before;
  after["spec"].get_object()["draught"] = 3;
  EXPECT_FALSE(is_unchanged(before, prepare_update(request(), before, after)->object));
}

TEST_F(Lifecycle, DeletionWaitsForFinalizers) {
  json::Object object = stored();
  EXPECT_TRUE(std::holds_alternative<RemoveNow>(*decide_delete(*boats(), object, {}, kNow)));
  kube::add_finalizer(object, "harbour.test/keep");
  const auto marked = decide_delete(*boats(), object, {}, kNow);
  ASSERT_TRUE(marked && std::holds_alternative<MarkDeleted>(*marked));
  const json::Object& waiting = std::get<MarkDeleted>(*marked).object;
  EXPECT_TRUE(kube::is_being_deleted(waiting));
  EXPECT_FALSE(is_ready_to_go(*boats(), waiting));
  EXPECT_TRUE(std::holds_alternative<KeepAsIs>(*decide_delete(*boats(), waiting, {}, kNow)));
  json::Object freed = waiting;
  kube::remove_finalizer(freed, "harbour.test/keep");
  EXPECT_TRUE(is_ready_to_go(*boats(), freed));
}

TEST_F(Lifecycle, PropagationPoliciesBecomeFinalizers) {
  const json::Object object = stored();
  const auto finalizers = [&](std::string policy) {
    const auto decision = decide_delete(*boats(), object, {.propagation = std::move(policy)}, kNow);
    const auto* marked = decision ? std::get_if<MarkDeleted>(&*decision) : nullptr;
    return marked ? json::serialize(*json::get_array(marked->object, {"metadata", "finalizers"}))
                  : std::string("none");
  };
  EXPECT_EQ(finalizers("Orphan"), "[\"orphan\"]");
  EXPECT_EQ(finalizers("Foreground"), "[\"foregroundDeletion\"]");
  EXPECT_EQ(finalizers("Background"), "none");
}

TEST_F(Lifecycle, PreconditionsOfADeletionMustHold) {
  const json::Object object = stored();
  EXPECT_EQ(decide_delete(*boats(), object, {.uid = "other"}, kNow).error().code, 409);
  EXPECT_EQ(decide_delete(*boats(), object, {.resource_version = "6"}, kNow).error().code, 409);
  EXPECT_TRUE(decide_delete(*boats(), object, {.uid = "u-1", .resource_version = "7"}, kNow));
}

TEST_F(Lifecycle, NoFinalizerIsAddedToWhatIsBeingDeleted) {
  json::Object object = stored();
  kube::add_finalizer(object, "harbour.test/keep");
  json::Object waiting = std::get<MarkDeleted>(*decide_delete(*boats(), object, {}, kNow)).object;
  json::Object more = waiting;
  kube::add_finalizer(more, "harbour.test/more");
  const auto updated = prepare_update(request(), waiting, more);
  ASSERT_FALSE(updated);
  EXPECT_NE(updated.error().message.find("no new finalizers can be added if the object is being deleted"),
            std::string::npos);
}

}  // namespace
}  // namespace fairway::apiserver
