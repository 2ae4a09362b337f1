#include "kube/core/request.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace fairway::kube {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;

const GroupVersionResource kPods{"", "v1", "pods"};
const GroupVersionResource kDeployments{"apps", "v1", "deployments"};
const Resource kWeb{kDeployments, "prod", "web"};

TEST(Resource, HasThePathsOfKubernetes) {
  EXPECT_EQ((Resource{kPods}.path()), "/api/v1/pods");
  EXPECT_EQ((Resource{kPods, "prod"}.path()), "/api/v1/namespaces/prod/pods");
  EXPECT_EQ((Resource{kPods, "prod", "x"}.path()), "/api/v1/namespaces/prod/pods/x");
  EXPECT_EQ((Resource{kDeployments, "prod", "web", "status"}.path()),
            "/apis/apps/v1/namespaces/prod/deployments/web/status");
  EXPECT_EQ((Resource{{"", "v1", "nodes"}, "", "n1"}.path()), "/api/v1/nodes/n1");
}

TEST(Resource, NoNameReachesAnotherPath) {
  EXPECT_EQ((Resource{kPods, "prod", "a b?x=1#é:"}.path()),
            "/api/v1/namespaces/prod/pods/a%20b%3Fx%3D1%23%C3%A9%3A");
  EXPECT_EQ((Resource{kPods, "prod", "../secrets"}.path().error().message),
            R"(invalid name "../secrets": may not contain '/')");
  EXPECT_FALSE((Resource{kPods, "prod", ".."}.path().has_value()));
  EXPECT_FALSE((Resource{kPods, "a%2fb", "x"}.path().has_value()));
  EXPECT_EQ((Resource{kPods, ".", "x"}.path().error().message), R"(invalid namespace ".": may not be '.')");
}

TEST(Request, Gets) {
  const auto request = get_request(kWeb, {.resource_version = "7"});
  ASSERT_TRUE(request.has_value());
  EXPECT_EQ(*request, (ApiRequest{.method = "GET",
                                  .path_and_query =
                                      "/apis/apps/v1/namespaces/prod/deployments/web?resourceVersion=7"}));
  EXPECT_EQ(request->accept, "application/json");
  EXPECT_EQ(get_request({kDeployments, "prod"}).error().message,
            "expected the name of one of deployments.apps, found none");
}

TEST(Request, Lists) {
  EXPECT_EQ(list_request({kPods})->path_and_query, "/api/v1/pods");
  EXPECT_EQ(
      list_request({kPods, "prod"}, {.label_selector = "app in (a,b)",
                                     .field_selector = "metadata.name=x",
                                     .resource_version = "0",
                                     .resource_version_match = "NotOlderThan",
                                     .limit = 500,
                                     .continue_ = "t=",
                                     .timeout = 30s})
          ->path_and_query,
      "/api/v1/namespaces/prod/pods?labelSelector=app%20in%20%28a%2Cb%29&fieldSelector=metadata.name%3Dx&"
      "resourceVersion=0&resourceVersionMatch=NotOlderThan&limit=500&continue=t%3D&timeoutSeconds=30");
  EXPECT_THAT(list_request(kWeb).error().message, HasSubstr("found the name \"web\": leave it out"));
}

TEST(Request, Watches) {
  EXPECT_EQ(watch_request({kPods}, {.resource_version = "5", .timeout = 290s})->path_and_query,
            "/api/v1/pods?watch=true&allowWatchBookmarks=true&resourceVersion=5&timeoutSeconds=290");
  EXPECT_EQ(
      watch_request(
          {kPods},
          {.resource_version_match = "NotOlderThan", .allow_bookmarks = true, .send_initial_events = true})
          ->path_and_query,
      "/api/v1/"
      "pods?watch=true&allowWatchBookmarks=true&resourceVersionMatch=NotOlderThan&sendInitialEvents=true");
  EXPECT_EQ(watch_request({kPods}, {.allow_bookmarks = false, .send_initial_events = false})->path_and_query,
            "/api/v1/pods?watch=true&sendInitialEvents=false");
}

TEST(Request, Writes) {
  const json::Object object{{"kind", "Deployment"}};
  const auto created =
      create_request({kDeployments, "prod"}, object,
                     {.dry_run = true, .field_manager = "fairway", .field_validation = "Strict"});
  ASSERT_TRUE(created.has_value());
  EXPECT_EQ(*created,
            (ApiRequest{.method = "POST",
                        .path_and_query =
                            "/apis/apps/v1/namespaces/prod/deployments?dryRun=All&fieldManager=fairway&"
                            "fieldValidation=Strict",
                        .content_type = "application/json",
                        .body = R"({"kind":"Deployment"})"}));
  EXPECT_FALSE(create_request(kWeb, object).has_value());
  EXPECT_EQ(create_request({kPods, "prod", "x", "eviction"}, object)->path_and_query,
            "/api/v1/namespaces/prod/pods/x/eviction");
  EXPECT_EQ(update_request(kWeb, object)->method, "PUT");
  EXPECT_FALSE(update_request({kDeployments, "prod"}, object).has_value());
}

TEST(Request, Patches) {
  const auto request =
      patch_request(kWeb, PatchKind::Merge, json::Object{{"a", nullptr}}, {.field_manager = "f"});
  ASSERT_TRUE(request.has_value());
  EXPECT_EQ(request->method, "PATCH");
  EXPECT_EQ(request->content_type, "application/merge-patch+json");
  EXPECT_EQ(request->body, R"({"a":null})");
  EXPECT_EQ(request->path_and_query, "/apis/apps/v1/namespaces/prod/deployments/web?fieldManager=f");
  EXPECT_EQ(request->accept, "application/json");
  EXPECT_EQ(patch_request(kWeb, PatchKind::Merge, {}, {.answer = Answer::Metadata})->accept,
            "application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io,application/json");
  EXPECT_EQ(create_request({kPods, "prod"}, {}, {.answer = Answer::Metadata})->accept, kAcceptMetadata);
  EXPECT_TRUE(create_request({kPods, "prod"}, {}, {.answer = Answer::Metadata})->is_answer_read);
  EXPECT_EQ(create_request({kPods, "prod"}, {}, {.answer = Answer::Nothing})->accept, kAcceptMetadata);
  EXPECT_FALSE(create_request({kPods, "prod"}, {}, {.answer = Answer::Nothing})->is_answer_read);
  EXPECT_EQ(patch_request(kWeb, PatchKind::Json, json::Array{})->content_type, "application/json-patch+json");
  EXPECT_EQ(patch_request(kWeb, PatchKind::Strategic, json::Object{})->content_type,
            "application/strategic-merge-patch+json");
}

TEST(Request, Applies) {
  const auto request = apply_request(kWeb, {{"kind", "Deployment"}}, "fairway", true, true);
  ASSERT_TRUE(request.has_value());
  EXPECT_EQ(request->content_type, "application/apply-patch+yaml");
  EXPECT_EQ(request->path_and_query,
            "/apis/apps/v1/namespaces/prod/deployments/web?dryRun=All&fieldManager=fairway&force=true");
  EXPECT_FALSE(apply_request(kWeb, {}, "").has_value());
}

TEST(Request, Deletes) {
  EXPECT_EQ(delete_request(kWeb)->body, R"({"kind":"DeleteOptions","apiVersion":"v1"})");
  const auto request = delete_request(kWeb, {.dry_run = true,
                                             .grace_period_seconds = 0,
                                             .propagation = Propagation::Foreground,
                                             .uid = "u",
                                             .resource_version = "9"});
  EXPECT_EQ(
      request->body,
      R"({"kind":"DeleteOptions","apiVersion":"v1","gracePeriodSeconds":0,"propagationPolicy":"Foreground",)"
      R"("preconditions":{"uid":"u","resourceVersion":"9"},"dryRun":["All"]})");
  EXPECT_EQ(request->path_and_query, "/apis/apps/v1/namespaces/prod/deployments/web");
  EXPECT_EQ(delete_collection_request({kPods, "prod"}, {}, {.label_selector = "a=b"})->path_and_query,
            "/api/v1/namespaces/prod/pods?labelSelector=a%3Db");
  EXPECT_FALSE(delete_collection_request(kWeb).has_value());
}

TEST(PatchKind, IsKnownByItsMediaType) {
  EXPECT_EQ(patch_kind_of("application/json-patch+json"), PatchKind::Json);
  EXPECT_EQ(patch_kind_of("Application/Merge-Patch+JSON; charset=utf-8"), PatchKind::Merge);
  EXPECT_EQ(patch_kind_of("application/strategic-merge-patch+json"), PatchKind::Strategic);
  EXPECT_EQ(patch_kind_of("application/apply-patch+yaml"), PatchKind::Apply);
  EXPECT_EQ(patch_kind_of("application/json"), std::nullopt);
}

TEST(Propagation, HasNames) {
  EXPECT_EQ(to_string(Propagation::Background), "Background");
  EXPECT_EQ(to_string(Propagation::Orphan), "Orphan");
}

}  // namespace
}  // namespace fairway::kube
