#include "apiserver/openapi_documents.hpp"

#include <gtest/gtest.h>
#include <set>

#include "apiserver/crd_resource.hpp"
#include "json/testing/objects.hpp"

namespace fairway::apiserver {
namespace {

using json::Array;
using json::Object;
using json::Value;

constexpr std::string_view kDescribedBoats = R"(
metadata: {name: boats.harbour.example.com}
spec:
  group: harbour.example.com
  scope: Namespaced
  names: {plural: boats, singular: boat, kind: Boat, listKind: BoatList}
  versions:
  - name: v1
    served: true
    storage: true
    subresources: {status: {}, scale: {specReplicasPath: .spec.n, statusReplicasPath: .status.n}}
    selectableFields: [{jsonPath: .spec.name}]
    schema:
      openAPIV3Schema:
        description: A boat.
        type: object
        required: [spec]
        properties:
          spec:
            type: object
            required: [size, name]
            properties:
              size: {x-kubernetes-int-or-string: true, anyOf: [{type: integer}, {type: string}]}
              name: {type: string, nullable: true, minLength: 1, enum: [a, b]}
              open: {type: object, x-kubernetes-preserve-unknown-fields: true, properties: {a: {type: string}}}
              list: {type: array, x-kubernetes-list-type: map, x-kubernetes-list-map-keys: [k], items: {type: object,
                required: [k], properties: {k: {type: string}}}}
              inner: {type: object, x-kubernetes-embedded-resource: true, properties: {spec: {type: object}}}
              free: {type: array, x-kubernetes-preserve-unknown-fields: true, items: {type: string}}
)";

std::shared_ptr<const Catalog> described_catalog() {
  static const auto kCatalog =
      Catalog::make({*resource_of_crd(json::test_value(kDescribedBoats).as_object())});
  return kCatalog;
}

const Object& schema_of(const Object& document, std::string_view name) {
  return document.at("components").at("schemas").at(name).as_object();
}

void collect_references(const Value& value, std::set<std::string>& out) {
  if (const Object* object = value.if_object()) {
    for (const auto& [key, member] : *object) {
      if (key == "$ref" && member.is_string()) out.emplace(json::view(member.get_string()));
      collect_references(member, out);
    }
  } else if (const Array* array = value.if_array()) {
    for (const Value& each : *array) collect_references(each, out);
  }
}

void expect_closed(const Object& document, const Object& schemas, std::string_view prefix) {
  std::set<std::string> references;
  collect_references(Value(document), references);
  EXPECT_FALSE(references.empty());
  for (const std::string& each : references) {
    ASSERT_TRUE(each.starts_with(prefix)) << each;
    EXPECT_TRUE(schemas.contains(each.substr(prefix.size()))) << each;
  }
}

TEST(OpenApi, EveryReferenceLeadsSomewhere) {
  for (const auto& group : described_catalog()->groups()) {
    for (const std::string& version : group.versions) {
      SCOPED_TRACE(group.name + "/" + version);
      const auto document = openapi_v3(*described_catalog(), group.name, version);
      ASSERT_TRUE(document.has_value());
      expect_closed(*document, document->at("components").at("schemas").as_object(), "#/components/schemas/");
    }
  }
  const Object v2 = openapi_v2(*described_catalog());
  expect_closed(v2, v2.at("definitions").as_object(), "#/definitions/");
}

TEST(OpenApi, KindsAreFoundByTheirGroupVersionKind) {
  const auto document = openapi_v3(*described_catalog(), "", "v1");
  ASSERT_TRUE(document.has_value());
  const Value gvk = json::test_value("{group: '', version: v1, kind: Pod}");
  EXPECT_EQ(schema_of(*document, "io.k8s.api.core.v1.Pod").at("x-kubernetes-group-version-kind"), Array{gvk});
  const Value& item = document->at("paths").at("/api/v1/namespaces/{namespace}/pods/{name}");
  for (const std::string_view method : {"get", "put", "patch", "delete"}) {
    EXPECT_EQ(item.at(method).at("x-kubernetes-group-version-kind"), gvk) << method;
  }
  EXPECT_EQ(item.at("patch").at("x-kubernetes-action"), "patch");
  EXPECT_EQ(item.at("get").at("operationId"), "readCoreV1NamespacedPod");
  EXPECT_EQ(document->at("paths").at("/api/v1/pods").at("get").at("operationId"),
            "listCoreV1PodForAllNamespaces");
  EXPECT_EQ(document->at("paths").at("/api/v1/namespaces/{namespace}/pods").at("delete").at("operationId"),
            "deleteCoreV1CollectionNamespacedPod");
  EXPECT_TRUE(document->at("paths").as_object().contains("/api/v1/namespaces/{name}/status"));
  EXPECT_EQ(document->at("paths")
                .at("/api/v1/namespaces/{namespace}/serviceaccounts/{name}/token")
                .at("post")
                .at("x-kubernetes-group-version-kind")
                .at("kind"),
            "TokenRequest");
}

// kubectl decides by these whether the server can check fields and run dry, and which patch it may send.
TEST(OpenApi, PatchesSayWhatTheySupport) {
  const auto parameters = [](const Value& operation) {
    std::set<std::string> names;
    for (const Value& each : operation.at("parameters").as_array()) {
      EXPECT_EQ(each.at("in"), "query");
      names.emplace(json::view(each.at("name").as_string()));
    }
    return names;
  };
  const auto core = openapi_v3(*described_catalog(), "", "v1");
  const Value& pods = core->at("paths").at("/api/v1/namespaces/{namespace}/pods/{name}").at("patch");
  EXPECT_EQ(parameters(pods), (std::set<std::string>{"dryRun", "fieldManager", "fieldValidation", "force"}));
  EXPECT_TRUE(
      pods.at("requestBody").at("content").as_object().contains("application/strategic-merge-patch+json"));
  const auto custom = openapi_v3(*described_catalog(), "harbour.example.com", "v1");
  const Value& boats =
      custom->at("paths").at("/apis/harbour.example.com/v1/namespaces/{namespace}/boats/{name}").at("patch");
  EXPECT_TRUE(parameters(boats).contains("fieldValidation"));
  EXPECT_FALSE(
      boats.at("requestBody").at("content").as_object().contains("application/strategic-merge-patch+json"));
}

TEST(OpenApi, ReferencesWithNeighboursAreWrappedInVersion3) {
  const auto document = openapi_v3(*described_catalog(), "", "v1");
  const Value& metadata = schema_of(*document, "io.k8s.api.core.v1.Pod").at("properties").at("metadata");
  EXPECT_FALSE(metadata.as_object().contains("$ref"));
  EXPECT_EQ(
      metadata.at("allOf"),
      json::test_value("[{$ref: '#/components/schemas/io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta'}]"));
  EXPECT_EQ(schema_of(*document, "io.k8s.apimachinery.pkg.api.resource.Quantity").at("oneOf"),
            json::test_value("[{type: string}, {type: number}]"));
  EXPECT_EQ(schema_of(*document, "io.k8s.apimachinery.pkg.util.intstr.IntOrString").at("format"),
            "int-or-string");
  const Value& containers =
      schema_of(*document, "io.k8s.api.core.v1.PodSpec").at("properties").at("containers");
  EXPECT_EQ(containers.at("x-kubernetes-patch-merge-key"), "name");
}

TEST(OpenApi, CustomSchemasAreAsWrittenInVersion3) {
  const auto document = openapi_v3(*described_catalog(), "harbour.example.com", "v1");
  const Object& boat = schema_of(*document, "com.example.harbour.v1.Boat");
  EXPECT_EQ(boat.at("description"), "A boat.");
  EXPECT_EQ(boat.at("x-kubernetes-selectable-fields"), json::test_value("[{fieldPath: spec.name}]"));
  EXPECT_EQ(boat.at("x-kubernetes-group-version-kind"),
            json::test_value("[{group: harbour.example.com, kind: Boat, version: v1}]"));
  const Value& spec = boat.at("properties").at("spec").at("properties");
  EXPECT_EQ(spec.at("name"), json::test_value("{type: string, nullable: true, minLength: 1, enum: [a, b]}"));
  EXPECT_TRUE(spec.at("size").as_object().contains("anyOf"));
  EXPECT_TRUE(spec.at("inner").at("properties").as_object().contains("metadata"));
  EXPECT_TRUE(boat.at("properties").at("metadata").as_object().contains("allOf"));
  EXPECT_EQ(schema_of(*document, "com.example.harbour.v1.BoatList").at("properties").at("items").at("items"),
            json::test_value("{$ref: '#/components/schemas/com.example.harbour.v1.Boat'}"));
  EXPECT_TRUE(
      document->at("components").at("schemas").as_object().contains("io.k8s.api.autoscaling.v1.Scale"));
  EXPECT_TRUE(document->at("paths").as_object().contains(
      "/apis/harbour.example.com/v1/namespaces/{namespace}/boats/{name}/scale"));
}

TEST(OpenApi, Version2LeavesOutWhatOldClientsMisread) {
  const Object document = openapi_v2(*described_catalog());
  const Value& boat = document.at("definitions").at("com.example.harbour.v1.Boat");
  const Value& spec = boat.at("properties").at("spec");
  EXPECT_EQ(spec.at("required"), json::test_value("[size]"));
  EXPECT_EQ(spec.at("properties").at("size"), json::test_value("{x-kubernetes-int-or-string: true}"));
  EXPECT_EQ(spec.at("properties").at("name"), json::test_value("{minLength: 1, enum: [a, b]}"));
  EXPECT_EQ(spec.at("properties").at("open"),
            json::test_value("{type: object, x-kubernetes-preserve-unknown-fields: true}"));
  EXPECT_EQ(spec.at("properties").at("free"),
            json::test_value("{x-kubernetes-preserve-unknown-fields: true}"));
  EXPECT_EQ(spec.at("properties").at("list").at("items").at("required"), json::test_value("[k]"));
  EXPECT_EQ(boat.at("properties").at("metadata").at("$ref"),
            "#/definitions/io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta");
  EXPECT_EQ(document.at("definitions").at("io.k8s.apimachinery.pkg.api.resource.Quantity").at("type"),
            "string");
  const Value& patch = document.at("paths").at("/api/v1/namespaces/{namespace}/pods/{name}").at("patch");
  EXPECT_EQ(patch.at("parameters").at(0).at("in"), "body");
  EXPECT_EQ(patch.at("parameters").at(1).at("name"), "dryRun");
}

TEST(OpenApi, TheIndexNamesEveryDocumentByItsHash) {
  OpenApiDocuments documents;
  const Object index = documents.index(*described_catalog(), "/clusters/edge");
  EXPECT_EQ(index.at("paths").as_object().size(), 9u);
  const auto document = documents.version_3(*described_catalog(), "apis/apps/v1");
  ASSERT_TRUE(document.has_value());
  EXPECT_EQ(index.at("paths").at("apis/apps/v1").at("serverRelativeURL"),
            Value("/clusters/edge/openapi/v3/apis/apps/v1?hash=" + document->hash));
  EXPECT_TRUE(index.at("paths").as_object().contains("api/v1"));
  for (const std::string_view path : {"apis/apps/v2", "apis/apps", "api", "", "api/v1/x", "apis//v1"}) {
    EXPECT_FALSE(documents.version_3(*described_catalog(), path).has_value()) << path;
  }
  EXPECT_TRUE(json::parse(*document->text).has_value());
}

TEST(OpenApi, CatalogsShareTheDocumentsOfCommonResources) {
  OpenApiDocuments documents;
  const auto other = Catalog::make({});
  EXPECT_EQ(documents.version_3(*described_catalog(), "api/v1")->text,
            documents.version_3(*other, "api/v1")->text);
  EXPECT_NE(documents.version_2(*described_catalog()).hash, documents.version_2(*other).hash);
  EXPECT_EQ(documents.version_2(*other).text, documents.version_2(*Catalog::make({})).text);
}

TEST(OpenApi, AChangedDefinitionHasANewDocument) {
  OpenApiDocuments documents;
  Object crd = json::test_value(kDescribedBoats).as_object();
  const auto hash_of = [&] {
    const auto made = Catalog::make({*resource_of_crd(crd)});
    return documents.version_3(*made, "apis/harbour.example.com/v1")->hash;
  };
  const std::string before = hash_of();
  EXPECT_EQ(hash_of(), before);
  crd.at("spec").at("versions").at(0).at("schema").at("openAPIV3Schema").as_object()["description"] =
      "A ship.";
  EXPECT_NE(hash_of(), before);
}

}  // namespace
}  // namespace fairway::apiserver
