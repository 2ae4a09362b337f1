// Forms of an answer: tables, metadata alone, YAML, and what to do with clients that want protobuf.
#include <fmt/format.h>

#include "json/yaml.hpp"

#include "harness.hpp"

namespace fairway::contract {
namespace {

class Output : public ContractTest {
 protected:
  static http::Headers accept(std::string type) { return {{"Accept", std::move(type)}}; }
};

constexpr const char* kTable = "application/json;as=Table;v=v1;g=meta.k8s.io";
constexpr const char* kMetadata = "application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io";

CONTRACT(Output, TableOfAList, "a list as Table has columns, a row for each object and the list's version") {
  create("secrets", secret("a", "{stringData: {k: v, num: m}}"));
  create("secrets", secret("b"));
  const Answer table = api().get(at("secrets"), accept(kTable));
  ASSERT_TRUE(answered(table, 200));
  EXPECT_EQ(table.text("/kind"), "Table");
  EXPECT_EQ(table.text("/apiVersion"), "meta.k8s.io/v1");
  EXPECT_EQ(table.text("/columnDefinitions/0/name"), "Name");
  EXPECT_EQ(table.text("/columnDefinitions/0/format"), "name");
  EXPECT_EQ(table.text("/columnDefinitions/1/name"), "Type");
  EXPECT_EQ(table.text("/columnDefinitions/2/name"), "Data");
  EXPECT_EQ(table.text("/columnDefinitions/3/name"), "Age");
  EXPECT_EQ(table.text("/rows/0/cells/0"), "a");
  EXPECT_EQ(table.text("/rows/0/cells/1"), "Opaque");
  EXPECT_EQ(table.text("/rows/0/cells/2"), "2");
  EXPECT_EQ(table.text("/rows/1/cells/0"), "b");
  EXPECT_GT(std::stoull(version_of(table.json)), 0U);
}

CONTRACT(Output, RowsHaveMetadata, "a row carries the object's metadata, unless asked otherwise") {
  create("secrets", secret("a", "{stringData: {k: v}, metadata: {labels: {x: yy}}}"));
  const Answer table = api().get(at("secrets"), accept(kTable));
  EXPECT_EQ(table.text("/rows/0/object/kind"), "PartialObjectMetadata");
  EXPECT_EQ(table.text("/rows/0/object/apiVersion"), "meta.k8s.io/v1");
  EXPECT_EQ(table.text("/rows/0/object/metadata/labels/x"), "yy");
  EXPECT_EQ(table.text("/rows/0/object/data"), "<absent>");
}

CONTRACT(Output, RowsWithNothingOrAll,
         "includeObject=None leaves the object out of rows, Object puts it in whole") {
  create("secrets", secret("a", "{stringData: {k: v}}"));
  const std::string none =
      api().get(with(at("secrets"), {{"includeObject", "None"}}), accept(kTable)).text("/rows/0/object");
  EXPECT_TRUE(none == "null" || none == "<absent>") << none;
  const Answer all = api().get(with(at("secrets"), {{"includeObject", "Object"}}), accept(kTable));
  EXPECT_EQ(all.text("/rows/0/object/kind"), "Secret");
  EXPECT_EQ(all.text("/rows/0/object/data/k"), "dg==");
}

CONTRACT(Output, TableOfOne, "a get as Table has one row") {
  create("configmaps", config_map("a", "{data: {k: v}}"));
  const Answer table = api().get(at("configmaps", "a"), accept(kTable));
  EXPECT_EQ(table.text("/kind"), "Table");
  EXPECT_EQ(table.text("/rows/0/cells/0"), "a");
  EXPECT_EQ(table.text("/rows/1"), "<absent>");
}

CONTRACT(Output, OldTables, "Table v1beta1 is there for older clients") {
  create("configmaps", config_map("a"));
  const Answer table =
      api().get(at("configmaps", "a"), accept("application/json;as=Table;v=v1beta1;g=meta.k8s.io"));
  EXPECT_EQ(table.text("/kind"), "Table");
  EXPECT_EQ(table.text("/apiVersion"), "meta.k8s.io/v1beta1");
  EXPECT_EQ(table.text("/rows/0/object/apiVersion"), "meta.k8s.io/v1beta1");
}

CONTRACT(Output, TheFirstOfferThatFits, "of several forms in Accept the first that the server has is used") {
  create("configmaps", config_map("a"));
  const std::string offers =
      "application/json;as=Nothing;v=v1;g=meta.k8s.io,application/"
      "json;as=Table;v=v1;g=meta.k8s.io,application/json";
  EXPECT_EQ(api().get(at("configmaps", "a"), accept(offers)).text("/kind"), "Table");
  EXPECT_EQ(api()
                .get(at("configmaps", "a"),
                     accept("application/json;as=Nothing;v=v1;g=meta.k8s.io,application/json"))
                .text("/kind"),
            "ConfigMap");
}

CONTRACT(Output, WatchesAreTablesToo,
         "a watch as Table has a table of one row in each event, the columns in the first") {
  create("secrets", secret("a"));
  Watch watch = api().watch(at("secrets"), accept(kTable));
  const WatchEvent first = watch.next();
  EXPECT_EQ(first.type, "ADDED");
  EXPECT_EQ(first.text("/kind"), "Table");
  EXPECT_EQ(first.text("/columnDefinitions/0/name"), "Name");
  EXPECT_EQ(first.text("/rows/0/cells/0"), "a");
  create("secrets", secret("b"));
  const WatchEvent second = watch.next();
  EXPECT_EQ(second.text("/rows/0/cells/0"), "b");
  EXPECT_EQ(second.text("/rows/0/object/metadata/name"), "b");
}

CONTRACT(Output, MetadataOfOne, "a get as PartialObjectMetadata has metadata and nothing else") {
  const Value made = create("configmaps", config_map("a", "{data: {k: v}}"));
  const Answer found = api().get(at("configmaps", "a"), accept(kMetadata));
  EXPECT_EQ(found.text("/kind"), "PartialObjectMetadata");
  EXPECT_EQ(found.text("/apiVersion"), "meta.k8s.io/v1");
  EXPECT_EQ(found.text("/metadata/uid"), uid_of(made));
  EXPECT_EQ(found.text("/data"), "<absent>");
}

CONTRACT(Output, MetadataOfAList, "a list as PartialObjectMetadataList has metadata of each object") {
  create("secrets", secret("a", "{stringData: {k: v}}"));
  const Answer list =
      api().get(at("secrets"), accept("application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io"));
  EXPECT_EQ(list.text("/kind"), "PartialObjectMetadataList");
  EXPECT_EQ(list.text("/apiVersion"), "meta.k8s.io/v1");
  EXPECT_EQ(names_of(list.json), Names{"a"});
  EXPECT_EQ(list.text("/items/0/data"), "<absent>");
  EXPECT_GT(std::stoull(version_of(list.json)), 0U);
}

CONTRACT(Output, MetadataOfAWatch, "a watch as PartialObjectMetadata has metadata in its events") {
  create("secrets", secret("a", "{stringData: {k: v}}"));
  Watch watch = api().watch(at("secrets"), accept(kMetadata));
  const WatchEvent event = watch.next();
  EXPECT_EQ(event.type, "ADDED");
  EXPECT_EQ(event.text("/kind"), "PartialObjectMetadata");
  EXPECT_EQ(event.name(), "a");
  EXPECT_EQ(event.text("/data"), "<absent>");
}

CONTRACT(Output, WritesTakeFormsToo, "a write is answered in the form that the client accepts") {
  const Answer made = api().post(at("configmaps"), config_map("a", "{data: {k: v}}"), accept(kMetadata));
  ASSERT_TRUE(answered(made, 201));
  EXPECT_EQ(made.text("/kind"), "PartialObjectMetadata");
}

CONTRACT(Output, Yaml, "Accept: application/yaml is answered in YAML") {
  create("configmaps", config_map("a", "{data: {version: '4.10'}}"));
  const Answer found = api().get(at("configmaps", "a"), accept("application/yaml"));
  ASSERT_TRUE(answered(found, 200));
  EXPECT_TRUE(contains(found.header("Content-Type"), "application/yaml"));
  const auto value = json::parse_yaml(found.body);
  ASSERT_TRUE(value.has_value()) << found.body;
  EXPECT_EQ(text_at(*value, "/data/version"), "4.10");
}

CONTRACT(Output, AnythingIsJson, "Accept: */* and no preference are answered in JSON") {
  create("configmaps", config_map("a"));
  for (const char* type : {"*/*", "application/*", "text/html;q=0.5, */*;q=0.1"}) {
    SCOPED_TRACE(type);
    const Answer found = api().get(at("configmaps", "a"), accept(type));
    ASSERT_TRUE(answered(found, 200));
    EXPECT_TRUE(contains(found.header("Content-Type"), "application/json"));
  }
}

CONTRACT(Output, UnknownFormsAreRefused, "an Accept that the server has nothing for is 406 NotAcceptable") {
  create("configmaps", config_map("a"));
  EXPECT_TRUE(refused(api().get(at("configmaps", "a"), accept("text/html")), 406, "NotAcceptable",
                      "only the following media types are accepted: application/json"));
}

CONTRACT(Output, ProtobufFirst,
         "a client that offers protobuf first and JSON second is answered in one of them") {
  create("configmaps", config_map("a"));
  const Answer found =
      api().get(at("configmaps", "a"), accept("application/vnd.kubernetes.protobuf,application/json"));
  ASSERT_TRUE(answered(found, 200));
  // A server without protobuf answers in JSON; kube-apiserver has it for built-in kinds.
  const std::string type = found.header("Content-Type");
  EXPECT_TRUE(type.starts_with("application/json") || type.starts_with("application/vnd.kubernetes.protobuf"))
      << type;
}

CONTRACT(Output, CustomObjectsAreNeverProtobuf,
         "custom objects are answered in JSON to clients that offer protobuf first") {
  define();
  create_widget(widget("a"));
  const Answer found =
      api().get(widgets("a"), accept("application/vnd.kubernetes.protobuf,application/json"));
  ASSERT_TRUE(answered(found, 200));
  EXPECT_EQ(found.text("/kind"), "Widget");
  EXPECT_TRUE(
      refused(api().get(widgets("a"), accept("application/vnd.kubernetes.protobuf")), 406, "NotAcceptable"));
}

CONTRACT(Output, ProtobufBodies, "a protobuf body of a custom object is 415 UnsupportedMediaType") {
  define();
  const Answer made = api().send("POST", widgets(), {{"Content-Type", "application/vnd.kubernetes.protobuf"}},
                                 std::string("k8s\0", 4));
  EXPECT_TRUE(refused(
      made, 415, "UnsupportedMediaType",
      "the body of the request was in an unknown format - accepted media types include: application/json"));
}

CONTRACT(Output, UnknownBodies, "a body of an unknown Content-Type is 415") {
  EXPECT_TRUE(refused(api().send("POST", at("configmaps"), {{"Content-Type", "text/plain"}}, "{}"), 415,
                      "UnsupportedMediaType"));
}

CONTRACT(Output, ErrorsStayStatuses, "an error is a Status, whatever form was asked for") {
  EXPECT_TRUE(refused(api().get(at("configmaps", "nobody"), accept(kTable)), 404, "NotFound"));
  EXPECT_TRUE(refused(api().get(at("configmaps", "nobody"), accept(kMetadata)), 404, "NotFound"));
}

}  // namespace
}  // namespace fairway::contract
