#include "apiserver/discovery_documents.hpp"

#include <algorithm>
#include <gtest/gtest.h>

#include "apiserver/crd_resource.hpp"
#include "json/testing/objects.hpp"

namespace fairway::apiserver {
namespace {

using json::Array;
using json::Object;
using json::Value;

constexpr std::string_view kBoats = R"(
metadata: {name: boats.harbour.example.com}
spec:
  group: harbour.example.com
  scope: Namespaced
  names: {plural: boats, singular: boat, kind: Boat, listKind: BoatList, shortNames: [bt]}
  versions:
  - &version
    name: v1
    served: true
    storage: true
    subresources: {status: {}, scale: {specReplicasPath: .spec.n, statusReplicasPath: .status.n}}
    schema: {openAPIV3Schema: {type: object}}
  - {name: v1beta1, served: true, storage: false, schema: {openAPIV3Schema: {type: object}}}
)";

std::shared_ptr<const Catalog> catalog() {
  return Catalog::make({*resource_of_crd(json::test_value(kBoats).as_object())});
}

const Object* entry(const Object& list, std::string_view key, std::string_view name) {
  for (const Value& each : list.at("resources").as_array()) {
    if (json::get_string(each.as_object(), {key}) == name) return &each.as_object();
  }
  return nullptr;
}

TEST(Discovery, CoreVersions) {
  EXPECT_EQ(api_versions("10.0.0.1:6443"),
            json::test_value(
                "{kind: APIVersions, versions: [v1], serverAddressByClientCIDRs: [{clientCIDR: 0.0.0.0/0, "
                "serverAddress: '10.0.0.1:6443'}]}"));
}

TEST(Discovery, GroupsInOrderWithTheirPreferredVersion) {
  const Object list = api_group_list(*catalog());
  EXPECT_EQ(list.at("kind"), "APIGroupList");
  std::vector<std::string> names;
  for (const Value& each : list.at("groups").as_array()) names.emplace_back(each.at("name").as_string());
  ASSERT_FALSE(names.empty());
  EXPECT_EQ(names.front(), "apps");
  EXPECT_EQ(names.back(), "harbour.example.com");
  EXPECT_EQ(std::ranges::find(names, ""), names.end());
  EXPECT_EQ(
      list.at("groups").as_array().back(),
      json::test_value(
          "{name: harbour.example.com, versions: [{groupVersion: harbour.example.com/v1, version: v1}, "
          "{groupVersion: harbour.example.com/v1beta1, version: v1beta1}], preferredVersion: {groupVersion: "
          "harbour.example.com/v1, version: v1}}"));
}

TEST(Discovery, OneGroup) {
  EXPECT_EQ(
      api_group(*catalog(), "apps"),
      json::test_value(
          "{kind: APIGroup, apiVersion: v1, name: apps, versions: [{groupVersion: apps/v1, version: v1}], "
          "preferredVersion: {groupVersion: apps/v1, version: v1}}")
          .as_object());
  EXPECT_FALSE(api_group(*catalog(), "nope").has_value());
  EXPECT_FALSE(api_group(*catalog(), "").has_value());
}

TEST(Discovery, ResourcesOfTheCoreGroup) {
  const auto list = api_resource_list(*catalog(), "", "v1");
  ASSERT_TRUE(list.has_value());
  EXPECT_EQ(list->at("groupVersion"), "v1");
  EXPECT_FALSE(list->contains("apiVersion"));
  ASSERT_TRUE(entry(*list, "name", "pods"));
  EXPECT_EQ(*entry(*list, "name", "pods"),
            json::test_value(
                "{name: pods, singularName: pod, namespaced: true, kind: Pod, verbs: [create, delete, "
                "deletecollection, get, list, patch, update, watch], shortNames: [po], categories: [all]}"));
  EXPECT_EQ(
      *entry(*list, "name", "serviceaccounts/token"),
      json::test_value(
          "{name: serviceaccounts/token, singularName: '', namespaced: true, group: authentication.k8s.io, "
          "version: v1, kind: TokenRequest, verbs: [create]}"));
  EXPECT_EQ(*entry(*list, "name", "namespaces/finalize"),
            json::test_value(
                "{name: namespaces/finalize, singularName: '', namespaced: false, kind: Namespace, verbs: "
                "[update]}"));
}

TEST(Discovery, ResourcesOfAGroup) {
  const auto list = api_resource_list(*catalog(), "apps", "v1");
  ASSERT_TRUE(list.has_value());
  EXPECT_EQ(list->at("apiVersion"), "v1");
  EXPECT_EQ(list->at("groupVersion"), "apps/v1");
  std::vector<std::string> names;
  for (const Value& each : list->at("resources").as_array()) names.emplace_back(each.at("name").as_string());
  EXPECT_EQ(names, (std::vector<std::string>{"deployments", "deployments/scale", "deployments/status"}));
  EXPECT_EQ(list->at("resources").at(1),
            json::test_value("{name: deployments/scale, singularName: '', namespaced: true, "
                             "group: autoscaling, version: v1, kind: "
                             "Scale, verbs: [get, patch, update]}"));
  EXPECT_EQ(list->at("resources").at(2),
            json::test_value("{name: deployments/status, singularName: '', namespaced: "
                             "true, kind: Deployment, verbs: [get, patch, "
                             "update]}"));
  EXPECT_FALSE(api_resource_list(*catalog(), "apps", "v1beta1").has_value());
}

TEST(Discovery, ResourcesOfACustomGroupInEachVersion) {
  const auto list = api_resource_list(*catalog(), "harbour.example.com", "v1");
  ASSERT_TRUE(list.has_value());
  ASSERT_EQ(list->at("resources").as_array().size(), 3u);
  EXPECT_EQ(list->at("resources").at(0),
            json::test_value("{name: boats, singularName: boat, namespaced: true, kind: "
                             "Boat, verbs: [delete, deletecollection, get, "
                             "list, patch, create, update, watch], shortNames: [bt]}"));
  EXPECT_EQ(list->at("resources").at(1).at("name"), "boats/status");
  EXPECT_EQ(list->at("resources").at(2).at("name"), "boats/scale");
  EXPECT_EQ(
      api_resource_list(*catalog(), "harbour.example.com", "v1beta1")->at("resources").as_array().size(), 1u);
}

TEST(Discovery, AggregatedSaysTheSame) {
  for (const std::string_view version : {"v2", "v2beta1"}) {
    const Object groups = aggregated_discovery(*catalog(), false, version);
    EXPECT_EQ(groups.at("kind"), "APIGroupDiscoveryList");
    EXPECT_EQ(groups.at("apiVersion"), Value("apidiscovery.k8s.io/" + std::string(version)));
    const Value& apps = groups.at("items").at(0);
    EXPECT_EQ(apps.at("metadata"), json::test_value("{name: apps}"));
    EXPECT_EQ(apps.at("versions").at(0).at("freshness"), "Current");
    EXPECT_EQ(
        apps.at("versions").at(0).at("resources").at(0),
        json::test_value(
            "{resource: deployments, responseKind: {group: apps, version: v1, kind: Deployment}, scope: "
            "Namespaced, "
            "singularResource: deployment, verbs: [create, delete, deletecollection, get, list, patch, "
            "update, "
            "watch], shortNames: [deploy], categories: [all], subresources: [{subresource: scale, "
            "responseKind: "
            "{group: autoscaling, version: v1, kind: Scale}, verbs: [get, patch, update]}, {subresource: "
            "status, "
            "responseKind: {group: apps, version: v1, kind: Deployment}, verbs: [get, patch, update]}]}"));
  }
  const Object core = aggregated_discovery(*catalog(), true, "v2");
  ASSERT_EQ(core.at("items").as_array().size(), 1u);
  EXPECT_EQ(core.at("items").at(0).at("metadata"), Object{});
  EXPECT_EQ(core.at("items").at(0).at("versions").at(0).at("version"), "v1");
}

TEST(Discovery, EveryResourceStandsInBothForms) {
  std::size_t separate = 0, aggregated = 0;
  const auto all = catalog();
  for (const auto& group : all->groups()) {
    for (const std::string& version : group.versions) {
      for (const Value& each : api_resource_list(*all, group.name, version)->at("resources").as_array()) {
        if (each.at("name").as_string().find('/') == json::String::npos) ++separate;
      }
    }
  }
  for (const bool core : {true, false}) {
    const Object document = aggregated_discovery(*all, core, "v2");
    for (const Value& item : document.at("items").as_array()) {
      for (const Value& version : item.at("versions").as_array())
        aggregated += version.at("resources").as_array().size();
    }
  }
  EXPECT_EQ(separate, aggregated);
  EXPECT_EQ(separate, all->resources().size() + 1);  // boats in two versions
}

TEST(Discovery, VersionAndPaths) {
  const Object version = version_info();
  for (const std::string_view key : {"major", "minor", "gitVersion", "gitCommit", "gitTreeState", "buildDate",
                                     "goVersion", "compiler", "platform"}) {
    EXPECT_TRUE(version.contains(key)) << key;
  }
  EXPECT_TRUE(json::get_string(version, {"gitVersion"})->starts_with(kubernetes_version()));
  const Array paths = root_paths(*catalog()).at("paths").as_array();
  for (const std::string_view path :
       {"/api", "/api/v1", "/apis", "/apis/apps", "/apis/apps/v1", "/openapi/v3", "/version"}) {
    EXPECT_NE(std::ranges::find(paths, Value(path)), paths.end()) << path;
  }
}

TEST(Discovery, HashesChangeWithTheText) {
  EXPECT_EQ(document_hash("a"), document_hash("a"));
  EXPECT_NE(document_hash("a"), document_hash("b"));
  EXPECT_EQ(document_hash("").size(), 16u);
}

}  // namespace
}  // namespace fairway::apiserver
