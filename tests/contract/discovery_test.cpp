// What clients find out before they begin: groups, resources, versions, schemas.
#include <algorithm>
#include <fmt/format.h>

#include "harness.hpp"

namespace fairway::contract {
namespace {

class Discovery : public ContractTest {
 protected:
  // v2 since Kubernetes 1.30, v2beta1 before.
  Answer aggregated(std::string_view path) {
    return api().get(
        path,
        {{"Accept",
          "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList,"
          "application/json;g=apidiscovery.k8s.io;v=v2beta1;as=APIGroupDiscoveryList,application/json"}});
  }
  // The group's entry of the aggregated form.
  static const Value* group_of(const Answer& list, std::string_view name) {
    const Value* items = find_at(list.json, "/items");
    if (items == nullptr || !items->is_array()) return nullptr;
    for (const Value& item : items->get_array()) {
      if (text_at(item, "/metadata/name") == name) return &item;
    }
    return nullptr;
  }
  static bool has(const Value* array, std::string_view text) {
    if (array == nullptr || !array->is_array()) return false;
    return std::ranges::any_of(array->get_array(),
                               [&](const Value& value) { return text_at(value, "") == text; });
  }
};

CONTRACT(Discovery, CoreVersions, "/api tells the versions of the core group") {
  const Answer found = api().get("/api");
  ASSERT_TRUE(answered(found, 200));
  EXPECT_EQ(found.text("/kind"), "APIVersions");
  EXPECT_EQ(found.text("/versions"), R"(["v1"])");
}

CONTRACT(Discovery, Groups, "/apis tells the groups with their versions") {
  const Answer found = api().get("/apis");
  EXPECT_EQ(found.text("/kind"), "APIGroupList");
  const Value* apps = element(find_at(found.json, "/groups"), "name", "apps");
  ASSERT_NE(apps, nullptr);
  EXPECT_EQ(text_at(*apps, "/preferredVersion/groupVersion"), "apps/v1");
  for (const char* group : {"apiextensions.k8s.io", "authorization.k8s.io", "coordination.k8s.io",
                            "events.k8s.io", "rbac.authorization.k8s.io"}) {
    EXPECT_NE(element(find_at(found.json, "/groups"), "name", group), nullptr) << group;
  }
}

CONTRACT(Discovery, OneGroup, "/apis/GROUP tells one group, 404 for one that nobody has") {
  const Answer found = api().get("/apis/apps");
  EXPECT_EQ(found.text("/kind"), "APIGroup");
  EXPECT_EQ(found.text("/name"), "apps");
  EXPECT_EQ(found.text("/versions/0/groupVersion"), "apps/v1");
  EXPECT_TRUE(answered(api().get("/apis/nosuch.example.com"), 404));
}

CONTRACT(Discovery, Resources, "/api/v1 tells resources with kind, scope, verbs and short names") {
  const Answer found = api().get("/api/v1");
  EXPECT_EQ(found.text("/kind"), "APIResourceList");
  EXPECT_EQ(found.text("/groupVersion"), "v1");
  const Value* config_maps = element(find_at(found.json, "/resources"), "name", "configmaps");
  ASSERT_NE(config_maps, nullptr);
  EXPECT_EQ(text_at(*config_maps, "/kind"), "ConfigMap");
  EXPECT_EQ(text_at(*config_maps, "/singularName"), "configmap");
  EXPECT_EQ(text_at(*config_maps, "/namespaced"), "true");
  EXPECT_EQ(text_at(*config_maps, "/shortNames"), R"(["cm"])");
  for (const char* verb :
       {"create", "delete", "deletecollection", "get", "list", "patch", "update", "watch"}) {
    EXPECT_TRUE(has(find_at(*config_maps, "/verbs"), verb)) << verb;
  }
  const Value* namespaces = element(find_at(found.json, "/resources"), "name", "namespaces");
  ASSERT_NE(namespaces, nullptr);
  EXPECT_EQ(text_at(*namespaces, "/namespaced"), "false");
}

CONTRACT(Discovery, Subresources,
         "subresources are told as RESOURCE/SUBRESOURCE, with the kind that they have") {
  const Answer found = api().get("/apis/apps/v1");
  const Value* resources = find_at(found.json, "/resources");
  const Value* deployments = element(resources, "name", "deployments");
  ASSERT_NE(deployments, nullptr);
  EXPECT_TRUE(has(find_at(*deployments, "/categories"), "all"));
  const Value* status = element(resources, "name", "deployments/status");
  ASSERT_NE(status, nullptr);
  EXPECT_EQ(text_at(*status, "/kind"), "Deployment");
  const Value* scale = element(resources, "name", "deployments/scale");
  ASSERT_NE(scale, nullptr);
  EXPECT_EQ(text_at(*scale, "/kind"), "Scale");
  EXPECT_EQ(text_at(*scale, "/group"), "autoscaling");
  EXPECT_EQ(text_at(*scale, "/version"), "v1");
}

CONTRACT(Discovery, CustomResources,
         "a definition's resources are told with its names, and disappear with it") {
  define();
  const std::string path = fmt::format("/apis/{}/v1", group());
  Answer found;
  EXPECT_TRUE(api().eventually([&] {
    found = api().get(path);
    return found.status == 200 && element(find_at(found.json, "/resources"), "name", "widgets") != nullptr;
  }));
  const Value* widgets = element(find_at(found.json, "/resources"), "name", "widgets");
  ASSERT_NE(widgets, nullptr);
  EXPECT_EQ(text_at(*widgets, "/kind"), "Widget");
  EXPECT_EQ(text_at(*widgets, "/singularName"), "widget");
  EXPECT_EQ(text_at(*widgets, "/shortNames"), R"(["wdg"])");
  EXPECT_NE(element(find_at(found.json, "/resources"), "name", "widgets/status"), nullptr);
  EXPECT_TRUE(api().eventually(
      [&] { return element(find_at(api().get("/apis").json, "/groups"), "name", group()) != nullptr; }));
  ASSERT_TRUE(answered(api().remove(crd_path()), 200));
  EXPECT_TRUE(api().eventually([&] { return api().get(path).status == 404; }));
  EXPECT_TRUE(api().eventually(
      [&] { return element(find_at(api().get("/apis").json, "/groups"), "name", group()) == nullptr; }));
}

CONTRACT(Discovery, Aggregated,
         "aggregated discovery tells all groups, versions and resources in one answer") {
  const Answer found = aggregated("/apis");
  ASSERT_TRUE(answered(found, 200));
  EXPECT_EQ(found.text("/kind"), "APIGroupDiscoveryList");
  EXPECT_TRUE(found.text("/apiVersion").starts_with("apidiscovery.k8s.io/v2"));
  EXPECT_TRUE(contains(found.header("Content-Type"), "as=APIGroupDiscoveryList"));
  const Value* apps = group_of(found, "apps");
  ASSERT_NE(apps, nullptr);
  const Value* version = element(find_at(*apps, "/versions"), "version", "v1");
  ASSERT_NE(version, nullptr);
  const Value* deployments = element(find_at(*version, "/resources"), "resource", "deployments");
  ASSERT_NE(deployments, nullptr);
  EXPECT_EQ(text_at(*deployments, "/responseKind/kind"), "Deployment");
  EXPECT_EQ(text_at(*deployments, "/scope"), "Namespaced");
  EXPECT_EQ(text_at(*deployments, "/singularResource"), "deployment");
  EXPECT_TRUE(has(find_at(*deployments, "/verbs"), "watch"));
  EXPECT_NE(element(find_at(*deployments, "/subresources"), "subresource", "scale"), nullptr);
}

CONTRACT(Discovery, AggregatedCore,
         "aggregated discovery of /api tells the core group, whose name is empty") {
  const Answer found = aggregated("/api");
  EXPECT_EQ(found.text("/kind"), "APIGroupDiscoveryList");
  const Value* resources = find_at(found.json, "/items/0/versions/0/resources");
  const Value* namespaces = element(resources, "resource", "namespaces");
  ASSERT_NE(namespaces, nullptr) << found.body.substr(0, 500);
  EXPECT_EQ(text_at(*namespaces, "/scope"), "Cluster");
}

CONTRACT(Discovery, AggregatedCustomResources, "aggregated discovery tells definitions too") {
  define();
  Answer found;
  EXPECT_TRUE(api().eventually([&] {
    found = aggregated("/apis");
    return group_of(found, group()) != nullptr;
  }));
  const Value* mine = group_of(found, group());
  ASSERT_NE(mine, nullptr);
  EXPECT_EQ(text_at(*mine, "/versions/0/resources/0/resource"), "widgets");
  EXPECT_EQ(text_at(*mine, "/versions/0/resources/0/responseKind/kind"), "Widget");
  EXPECT_EQ(text_at(*mine, "/versions/0/resources/0/shortNames"), R"(["wdg"])");
}

CONTRACT(Discovery, Version, "/version tells major, minor and gitVersion") {
  const Answer found = api().get("/version");
  ASSERT_TRUE(answered(found, 200));
  EXPECT_EQ(found.text("/major"), "1");
  EXPECT_GE(std::stoi(found.text("/minor")), 20);
  EXPECT_TRUE(found.text("/gitVersion").starts_with("v1.")) << found.body;
}

CONTRACT(Discovery, OpenApi3, "/openapi/v3 tells where the schemas of each group version are") {
  const Answer index = api().get("/openapi/v3");
  ASSERT_TRUE(answered(index, 200));
  const std::string where = index.text("/paths/api~1v1/serverRelativeURL");
  ASSERT_TRUE(contains(where, "/openapi/v3/api/v1"));
  EXPECT_NE(index.text("/paths/apis~1apps~1v1/serverRelativeURL"), "<absent>");
  const Answer document = api().get_from_host(where);
  ASSERT_TRUE(answered(document, 200));
  EXPECT_TRUE(document.text("/openapi").starts_with("3.0"));
  const Value* schema = find_at(document.json, "/components/schemas/io.k8s.api.core.v1.ConfigMap");
  ASSERT_NE(schema, nullptr);
  EXPECT_NE(text_at(*schema, "/properties/data"), "<absent>");
  EXPECT_EQ(text_at(*schema, "/x-kubernetes-group-version-kind/0/kind"), "ConfigMap");
  EXPECT_NE(document.text("/paths/~1api~1v1~1namespaces~1{namespace}~1configmaps"), "<absent>");
}

CONTRACT(Discovery, OpenApi3OfDefinitions,
         "/openapi/v3 has the schemas of definitions, with their descriptions") {
  define(widget_crd("{type: object, properties: {num: {type: integer, description: How many.}}}"));
  const std::string entry = fmt::format("/paths/apis~1{}~1v1/serverRelativeURL", group());
  std::string where;
  ASSERT_TRUE(api().eventually([&] {
    where = api().get("/openapi/v3").text(entry);
    return where != "<absent>";
  }));
  const Answer document = api().get_from_host(where);
  ASSERT_TRUE(answered(document, 200));
  const Value* schemas = find_at(document.json, "/components/schemas");
  ASSERT_NE(schemas, nullptr);
  bool is_there = false;
  for (const auto& [name, schema] : schemas->as_object()) {
    if (text_at(schema, "/x-kubernetes-group-version-kind/0/kind") != "Widget") continue;
    is_there = true;
    EXPECT_EQ(text_at(schema, "/properties/spec/properties/num/description"), "How many.");
  }
  EXPECT_TRUE(is_there) << document.body.substr(0, 2000);
}

CONTRACT(Discovery, OpenApi2, "/openapi/v2 is there in JSON for older clients") {
  const Answer document = api().get("/openapi/v2");
  ASSERT_TRUE(answered(document, 200));
  EXPECT_EQ(document.text("/swagger"), "2.0");
}

CONTRACT(Discovery, Health, "/livez, /readyz and /healthz say ok") {
  for (const char* path : {"/livez", "/readyz", "/healthz"}) {
    const Answer found = api().get(path);
    EXPECT_TRUE(answered(found, 200)) << path;
    EXPECT_EQ(found.body, "ok") << path;
  }
}

}  // namespace
}  // namespace fairway::contract
