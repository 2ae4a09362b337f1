#include "apiserver/catalog.hpp"

#include <algorithm>
#include <gtest/gtest.h>
#include <set>

#include "apiserver/builtin.hpp"
#include "apiserver/crd_resource.hpp"

namespace fairway::apiserver {
namespace {

std::shared_ptr<const Catalog> product_catalog() {
  std::vector<ResourcePtr> custom;
  for (const json::Object& crd : product_crds()) {
    auto made = resource_of_crd(crd);
    EXPECT_TRUE(made.has_value()) << made.error().describe();
    if (made) custom.push_back(*std::move(made));
  }
  return Catalog::make(std::move(custom));
}

ResourcePtr custom(std::string group, std::string plural, std::string kind,
                   std::vector<std::string> versions) {
  auto out = std::make_shared<Resource>();
  out->group = std::move(group);
  out->plural = std::move(plural);
  out->kind = std::move(kind);
  out->is_custom = true;
  for (std::string& each : versions) out->versions.push_back({.name = std::move(each)});
  return out;
}

TEST(Catalog, EmbedsEveryFileOfTheApi) {
  std::set<std::string_view> names;
  for (const auto& [name, text] : embedded_files()) {
    EXPECT_FALSE(text.empty()) << name;
    names.insert(name);
  }
  EXPECT_TRUE(names.contains("builtin/resources.yaml"));
  EXPECT_TRUE(names.contains("crds/ran.openshift.io_clustergroupupgrades.yaml"));
  EXPECT_EQ(names.size(), embedded_files().size());
}

TEST(Catalog, BuiltInResourcesHaveWhatDiscoveryShows) {
  for (const ResourcePtr& each : builtin_resources()) {
    SCOPED_TRACE(each->plural);
    EXPECT_FALSE(each->plural.empty());
    EXPECT_FALSE(each->singular.empty());
    EXPECT_FALSE(each->kind.empty());
    EXPECT_EQ(each->list_kind, each->kind + "List");
    EXPECT_FALSE(each->verbs.empty());
    ASSERT_EQ(each->versions.size(), 1u);
    ASSERT_TRUE(each->storage_version().schema);
    EXPECT_EQ(each->storage_version().schema->type, json::Schema::Type::Object);
    EXPECT_TRUE(each->storage_version().schema->property("metadata"));
    EXPECT_TRUE(builtin_definition(each->definition));
    EXPECT_EQ(each->is_stored(), !each->storage_version().columns.empty());
  }
}

TEST(Catalog, SharesTheNodesOfEqualTypes) {
  const auto catalog = Catalog::make({});
  const auto& pod = *catalog->find("", "pods")->storage_version().schema;
  const auto& deployment = *catalog->find("apps", "deployments")->storage_version().schema;
  const json::Schema* template_spec = deployment.property("spec")->property("template")->property("spec");
  ASSERT_TRUE(template_spec);
  EXPECT_EQ(pod.property("spec")->property("containers")->items,
            template_spec->property("containers")->items);
}

TEST(Catalog, ReadsSubresourcesSelectorsAndScale) {
  const auto catalog = Catalog::make({});
  const Resource& deployments = *catalog->find("apps", "deployments");
  EXPECT_TRUE(deployments.storage_version().has_status);
  ASSERT_TRUE(deployments.storage_version().scale);
  EXPECT_EQ(deployments.storage_version().scale->spec_replicas, ".spec.replicas");
  EXPECT_FALSE(deployments.has_token);
  EXPECT_TRUE(catalog->find("", "serviceaccounts")->has_token);
  const auto& fields = catalog->find("", "pods")->storage_version().field_selectors;
  EXPECT_NE(std::ranges::find(fields, "spec.nodeName"), fields.end());
  EXPECT_EQ(catalog->find("events.k8s.io", "events")->stored_as, "/events");
  EXPECT_EQ(catalog->find("", "events")->stored_as, "/events");
  EXPECT_EQ(deployments.stored_as, "apps/deployments");
  EXPECT_FALSE(catalog->find("authorization.k8s.io", "selfsubjectaccessreviews")->is_stored());
  EXPECT_EQ(subresource_kind("scale").kind, "Scale");
  EXPECT_EQ(subresource_kind("token").group, "authentication.k8s.io");
}

TEST(Catalog, FindsByNameAndKind) {
  const auto catalog = product_catalog();
  ASSERT_TRUE(catalog->find("ran.openshift.io", "clustergroupupgrades"));
  EXPECT_EQ(catalog->find_kind("ran.openshift.io", "ClusterGroupUpgrade"),
            catalog->find("ran.openshift.io", "clustergroupupgrades"));
  EXPECT_FALSE(catalog->find("", "deployments"));
  EXPECT_FALSE(catalog->find_kind("", "Deployment"));
  EXPECT_TRUE(catalog->has_group("config.openshift.io"));
  EXPECT_FALSE(catalog->has_group("openshift.io"));
  EXPECT_TRUE(catalog->has_group_version("apps", "v1"));
  EXPECT_FALSE(catalog->has_group_version("apps", "v1beta1"));
  EXPECT_EQ(catalog->find("apps", "deployments")->group_resource(), "deployments.apps");
  EXPECT_EQ(catalog->find("", "pods")->group_resource(), "pods");
  const Resource& pods = *catalog->find("", "pods");
  EXPECT_EQ(pods.api_version(pods.storage_version()), "v1");
}

TEST(Catalog, OrdersGroupsAndVersionsAsTheRealServer) {
  const auto catalog = Catalog::make({custom("zoo.example.com", "cats", "Cat", {"v1alpha1", "v1"}),
                                      custom("zoo.example.com", "apes", "Ape", {"v2beta1", "v1"}),
                                      custom("art.example.com", "paints", "Paint", {"v1"})});
  std::vector<std::string> groups;
  for (const auto& group : catalog->groups()) groups.push_back(group.name);
  EXPECT_EQ(groups, (std::vector<std::string>{"", "apps", "events.k8s.io", "authentication.k8s.io",
                                              "authorization.k8s.io", "rbac.authorization.k8s.io",
                                              "apiextensions.k8s.io", "coordination.k8s.io",
                                              "art.example.com", "zoo.example.com"}));
  EXPECT_EQ(catalog->groups().back().versions, (std::vector<std::string>{"v1", "v2beta1", "v1alpha1"}));
}

TEST(Catalog, NothingShadowsABuiltInResource) {
  const auto catalog = Catalog::make({custom("apps", "deployments", "Fake", {"v1"})});
  EXPECT_FALSE(catalog->find("apps", "deployments")->is_custom);
  EXPECT_FALSE(catalog->find_kind("apps", "Fake"));
  EXPECT_EQ(catalog->resources().size(), builtin_resources().size());
}

TEST(Catalog, UnservedVersionsAreNotShown) {
  auto hidden = std::make_shared<Resource>(*custom("a.example.com", "things", "Thing", {"v1", "v1beta1"}));
  hidden->versions[1].is_served = false;
  const auto catalog = Catalog::make({hidden});
  EXPECT_EQ(catalog->groups().back().versions, std::vector<std::string>{"v1"});
  EXPECT_TRUE(catalog->find("a.example.com", "things")->version("v1"));
  EXPECT_FALSE(catalog->find("a.example.com", "things")->version("v1beta1"));
}

TEST(Catalog, VersionPreference) {
  const std::vector<std::string_view> ordered{"v10",     "v2",        "v1",        "v11beta2", "v10beta3",
                                              "v3beta1", "v12alpha1", "v11alpha2", "foo1",     "foo10"};
  for (std::size_t i = 0; i + 1 < ordered.size(); ++i) {
    EXPECT_TRUE(is_preferred_version(ordered[i], ordered[i + 1])) << ordered[i];
    EXPECT_FALSE(is_preferred_version(ordered[i + 1], ordered[i])) << ordered[i];
  }
  EXPECT_FALSE(is_preferred_version("v1", "v1"));
}

}  // namespace
}  // namespace fairway::apiserver
