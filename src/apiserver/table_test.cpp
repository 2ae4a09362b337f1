#include "apiserver/table.hpp"

#include <gtest/gtest.h>

#include "apiserver/crd_resource.hpp"
#include "apiserver/events_view.hpp"
#include "json/testing/objects.hpp"

namespace fairway::apiserver {
namespace {

using json::Array;
using json::Object;
using json::Value;

const WallTime kNow{std::chrono::seconds(1'704'070'800)};  // 2024-01-01T01:00:00Z

const Catalog& builtin_catalog() {
  static const auto kCatalog = Catalog::make({});
  return *kCatalog;
}

TableMaker maker(std::string_view group, std::string_view plural, TableOptions options = {.now = kNow}) {
  const Resource* resource = builtin_catalog().find(group, plural);
  return {*resource, resource->storage_version(), std::move(options)};
}

TEST(Table, DescribesItsColumns) {
  const Object table = maker("", "namespaces").table({}, {.resource_version = "5"});
  EXPECT_EQ(table.at("kind"), "Table");
  EXPECT_EQ(table.at("apiVersion"), "meta.k8s.io/v1");
  EXPECT_EQ(table.at("metadata"), json::test_object("{resourceVersion: '5'}"));
  EXPECT_EQ(table.at("rows"), Array{});
  ASSERT_EQ(table.at("columnDefinitions").as_array().size(), 3u);
  EXPECT_EQ(
      table.at("columnDefinitions").at(0),
      json::test_object(
          "{name: Name, type: string, format: name, description: Name of the namespace., priority: 0}"));
}

TEST(Table, EveryListedResourceShowsAnEmptyObject) {
  for (const ResourcePtr& each : builtin_catalog().resources()) {
    if (!each->is_stored()) continue;
    const TableMaker rows(*each, each->storage_version(), {.now = kNow});
    EXPECT_EQ(rows.row({}).at("cells").as_array().size(), rows.column_definitions().size()) << each->plural;
  }
}

TEST(Table, RowsCarryAsMuchOfTheObjectAsIsAskedFor) {
  const Object source = json::test_object(
      "{apiVersion: v1, kind: Namespace, metadata: {name: a, uid: u, resourceVersion: '9'}, status: {phase: "
      "Active}}");
  const auto row_with = [&](IncludeObject include, std::string version) {
    return maker("", "namespaces",
                 {.meta_version = std::move(version), .include_object = include, .now = kNow})
        .row(source);
  };
  EXPECT_EQ(row_with(IncludeObject::None, "v1").at("object"), Value());
  EXPECT_EQ(row_with(IncludeObject::Object, "v1").at("object"), Value(source));
  EXPECT_EQ(row_with(IncludeObject::Metadata, "v1beta1").at("object"),
            json::test_object(
                "{kind: PartialObjectMetadata, apiVersion: meta.k8s.io/v1beta1, metadata: {name: a, uid: u, "
                "resourceVersion: '9'}}"));
  EXPECT_EQ(row_with(IncludeObject::None, "v1").at("cells"), (Array{"a", "Active", "<unknown>"}));
}

TEST(Table, ATableOfOneObjectHasItsVersion) {
  const Object table = maker("", "namespaces", {.meta_version = "v1beta1", .now = kNow})
                           .table_of(json::test_object("{metadata: {name: a, resourceVersion: '9'}}"), false);
  EXPECT_EQ(table.at("apiVersion"), "meta.k8s.io/v1beta1");
  EXPECT_EQ(table.at("metadata"), json::test_object("{resourceVersion: '9'}"));
  EXPECT_EQ(table.at("columnDefinitions"), Value());
  EXPECT_EQ(table.at("rows").as_array().size(), 1u);
}

TEST(Table, ListMetadataShowsOnlyWhatIsKnown) {
  EXPECT_EQ(ListMetadata{}.to_object(), Object{});
  EXPECT_EQ((ListMetadata{"7", "token", 12}.to_object()),
            json::test_object("{resourceVersion: '7', continue: token, remainingItemCount: 12}"));
}

TEST(Table, CompletedPodsSaySo) {
  const auto condition = [](std::string_view phase) {
    const Object row = maker("", "pods").row(Object{{"status", Object{{"phase", phase}}}});
    return row.contains("conditions") ? row.at("conditions") : Value();
  };
  EXPECT_EQ(condition("Running"), Value());
  EXPECT_EQ(condition("Succeeded").at(0),
            json::test_object("{type: Completed, status: 'True', reason: Succeeded, "
                              "message: The pod has completed successfully.}"));
  EXPECT_EQ(condition("Failed").at(0),
            json::test_object("{type: Completed, status: 'True', reason: Failed, message: The pod failed.}"));
  const Object other = maker("", "namespaces").row(json::test_object("{status: {phase: Failed}}"));
  EXPECT_FALSE(other.contains("conditions"));
}

TEST(Table, BothFormsOfAnEventShowTheSame) {
  const Object event = json::test_object(R"(
apiVersion: v1
kind: Event
metadata: {name: web.17}
involvedObject: {kind: Pod, name: web, fieldPath: 'spec.containers{web}'}
reason: Pulled
message: ' Image is there. '
source: {component: kubelet, host: node-1}
firstTimestamp: '2024-01-01T00:00:00Z'
lastTimestamp: '2024-01-01T00:58:00Z'
count: 3
type: Normal
)");
  const Array expected{
      "2m",  "Normal", "Pulled", "pod/web", "spec.containers{web}", "kubelet, node-1", "Image is there.",
      "60m", 3,        "web.17"};
  EXPECT_EQ(maker("", "events").row(event).at("cells"), Value(expected));
  const Object shown =
      maker("events.k8s.io", "events", {.include_object = IncludeObject::Object, .now = kNow})
          .row(to_events_view(event));
  EXPECT_EQ(shown.at("cells"), Value(expected));
  EXPECT_EQ(shown.at("object").at("apiVersion"), "events.k8s.io/v1");
}

TEST(Table, PartialMetadata) {
  const Object source = json::test_object("{apiVersion: v1, kind: Pod, metadata: {name: a}, spec: {}}");
  EXPECT_EQ(
      partial_metadata(source),
      json::test_object("{kind: PartialObjectMetadata, apiVersion: meta.k8s.io/v1, metadata: {name: a}}"));
  const Object list = partial_metadata_list(Array{partial_metadata(source)}, {.resource_version = "3"});
  EXPECT_EQ(list.at("kind"), "PartialObjectMetadataList");
  EXPECT_EQ(list.at("metadata").at("resourceVersion"), "3");
  EXPECT_EQ(list.at("items").at(0).at("metadata").at("name"), "a");
  EXPECT_EQ(partial_metadata({}).at("metadata"), Object{});
}

TEST(Table, IncludeObject) {
  EXPECT_EQ(parse_include_object(""), IncludeObject::Metadata);
  EXPECT_EQ(parse_include_object("Object"), IncludeObject::Object);
  EXPECT_EQ(parse_include_object("None"), IncludeObject::None);
  EXPECT_EQ(parse_include_object("Metadata"), IncludeObject::Metadata);
  EXPECT_EQ(parse_include_object("metadata"), std::nullopt);
}

}  // namespace
}  // namespace fairway::apiserver
