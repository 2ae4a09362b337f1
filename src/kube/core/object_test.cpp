#include "kube/core/object.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unordered_set>

namespace fairway::kube {
namespace {

json::Object object(std::string_view text) {
  auto parsed = json::parse_object(text);
  EXPECT_TRUE(parsed.has_value()) << text;
  return parsed ? *std::move(parsed) : json::Object{};
}

json::Object deployment() {
  return object(R"({"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"web","namespace":"prod",
    "uid":"u-1","resourceVersion":"42","generation":3,"creationTimestamp":"2024-02-29T12:00:00Z",
    "labels":{"app":"web"},"annotations":{"note":"x"},"finalizers":["a/b"],
    "ownerReferences":[{"apiVersion":"v1","kind":"Thing","name":"t","uid":"u-0"},
                       {"apiVersion":"v1","kind":"Boss","name":"b","uid":"u-9","controller":true}]}})");
}

TEST(Object, ReadsItsMetadata) {
  const json::Object web = deployment();
  EXPECT_EQ(api_version_of(web), "apps/v1");
  EXPECT_EQ(kind_of(web), "Deployment");
  EXPECT_EQ(gvk_of(web), (GroupVersionKind{"apps", "v1", "Deployment"}));
  EXPECT_EQ(name_of(web), "web");
  EXPECT_EQ(namespace_of(web), "prod");
  EXPECT_EQ(uid_of(web), "u-1");
  EXPECT_EQ(resource_version_of(web), "42");
  EXPECT_EQ(generation_of(web), 3);
  EXPECT_EQ(creation_timestamp_of(web), WallTime{std::chrono::seconds{1709208000}});
  EXPECT_EQ(deletion_timestamp_of(web), std::nullopt);
  EXPECT_FALSE(is_being_deleted(web));
  EXPECT_EQ(key_of(web).to_string(), "prod/web");
  EXPECT_EQ(label(web, "app"), "web");
  EXPECT_EQ(label(web, "absent"), std::nullopt);
  EXPECT_EQ(annotation(web, "note"), "x");
}

TEST(Object, MissingFieldsAreEmpty) {
  for (const char* text :
       {"{}", R"({"metadata":null})", R"({"metadata":[]})", R"({"metadata":{"name":1,"labels":1}})"}) {
    const json::Object empty = object(text);
    EXPECT_EQ(name_of(empty), "");
    EXPECT_EQ(generation_of(empty), 0);
    EXPECT_EQ(label(empty, "a"), std::nullopt);
    EXPECT_FALSE(has_finalizer(empty, "a"));
    EXPECT_TRUE(owner_references_of(empty).empty());
    EXPECT_FALSE(is_owned_by(empty, ""));
    EXPECT_FALSE(is_being_deleted(empty));
  }
}

TEST(Object, KeyOfAClusterScopedObjectIsItsName) {
  EXPECT_EQ(key_of(object(R"({"metadata":{"name":"n"}})")).to_string(), "n");
  const std::unordered_set<ObjectKey> keys = {{"a", "b"}, {"b", "a"}, {"", "b"}, {"a", "b"}};
  EXPECT_EQ(keys.size(), 3U);
}

TEST(Object, ChangesLabelsAndAnnotations) {
  json::Object web = deployment();
  EXPECT_FALSE(set_label(web, "app", "web"));
  EXPECT_TRUE(set_label(web, "tier", "front"));
  EXPECT_EQ(label(web, "tier"), "front");
  EXPECT_TRUE(remove_label(web, "tier"));
  EXPECT_FALSE(remove_label(web, "tier"));
  EXPECT_TRUE(remove_annotation(web, "note"));
  EXPECT_EQ(json::find(web, {"metadata", "annotations"}), nullptr);
  EXPECT_TRUE(set_annotation(web, "note", "z"));
  json::Object bare;
  EXPECT_TRUE(set_label(bare, "a", "b"));
  EXPECT_EQ(json::serialize(bare), R"({"metadata":{"labels":{"a":"b"}}})");
}

TEST(Object, ChangesFinalizers) {
  json::Object web = deployment();
  EXPECT_TRUE(has_finalizer(web, "a/b"));
  EXPECT_FALSE(add_finalizer(web, "a/b"));
  EXPECT_TRUE(add_finalizer(web, "c/d"));
  EXPECT_TRUE(remove_finalizer(web, "a/b"));
  EXPECT_FALSE(remove_finalizer(web, "a/b"));
  EXPECT_EQ(json::serialize(*json::find(web, {"metadata", "finalizers"})), R"(["c/d"])");
  EXPECT_TRUE(remove_finalizer(web, "c/d"));
  EXPECT_EQ(json::find(web, {"metadata", "finalizers"}), nullptr);
}

TEST(Object, KnowsItsOwners) {
  json::Object web = deployment();
  EXPECT_EQ(owner_references_of(web).size(), 2U);
  EXPECT_EQ(controller_of(web)->name, "b");
  EXPECT_TRUE(is_owned_by(web, "u-0"));
  EXPECT_FALSE(is_owned_by(web, "u-2"));
}

TEST(Object, HasOneController) {
  const json::Object owner =
      object(R"({"apiVersion":"x/v1","kind":"Owner","metadata":{"name":"o","uid":"u-5"}})");
  json::Object child = object(R"({"kind":"Child","metadata":{"name":"c"}})");
  EXPECT_EQ(set_owner(child, controller_reference(owner)), true);
  EXPECT_EQ(set_owner(child, controller_reference(owner)), false);
  EXPECT_EQ(
      json::serialize(*json::find(child, {"metadata", "ownerReferences"})),
      R"([{"apiVersion":"x/v1","kind":"Owner","name":"o","uid":"u-5","controller":true,"blockOwnerDeletion":true}])");
  json::Object web = deployment();
  const auto refused = set_owner(web, controller_reference(owner));
  ASSERT_FALSE(refused.has_value());
  EXPECT_EQ(refused.error().code, ErrorCode::Conflict);
  EXPECT_EQ(refused.error().message, R"(expected Deployment "web" to have no controller, found Boss "b")");
  OwnerReference plain = controller_reference(owner);
  plain.controller.reset();
  EXPECT_EQ(set_owner(web, plain), true);
  EXPECT_EQ(owner_references_of(web).size(), 3U);
}

TEST(ObjectMeta, RoundTripsWithWhatItDoesNotKnow) {
  const std::string text =
      R"({"name":"web","namespace":"prod","uid":"u","resourceVersion":"4","generation":2,)"
      R"("creationTimestamp":"2024-02-29T12:00:00Z","labels":{"a":"b"},"finalizers":["f"],)"
      R"("managedFields":[{"manager":"kubectl"}],"selfLink":"/x"})";
  const auto meta = json::from_json<ObjectMeta>(*json::parse(text));
  ASSERT_TRUE(meta.has_value()) << meta.error().describe();
  EXPECT_EQ(meta->namespace_, "prod");
  EXPECT_EQ(json::serialize(json::to_json(*meta)), text);
  EXPECT_EQ(json::serialize(json::to_json(ObjectMeta{})), "{}");
}

TEST(ObjectMeta, IsReadFromAnObject) {
  EXPECT_EQ(metadata_of(deployment())->owner_references.size(), 2U);
  EXPECT_EQ(metadata_of(json::Object{}), ObjectMeta{});
  EXPECT_EQ(metadata_of(object(R"({"metadata":{"generation":"x"}})")).error().describe(),
            R"(metadata: generation: expected an integer, found "x")");
}

TEST(ObjectReference, PointsToTheObject) {
  EXPECT_EQ(json::serialize(json::to_json(reference_to(deployment()))),
            R"({"kind":"Deployment","namespace":"prod","name":"web","uid":"u-1","apiVersion":"apps/v1",)"
            R"("resourceVersion":"42"})");
}

TEST(LabelSelector, IsWrittenAsKubernetesDoes) {
  const std::string text =
      R"({"matchLabels":{"a":"b"},"matchExpressions":[{"key":"k","operator":"In","values":["x"]},)"
      R"({"key":"e","operator":"Exists"}]})";
  const auto selector = json::from_json<LabelSelector>(*json::parse(text));
  ASSERT_TRUE(selector.has_value());
  EXPECT_EQ(json::serialize(json::to_json(*selector)), text);
}

}  // namespace
}  // namespace fairway::kube
