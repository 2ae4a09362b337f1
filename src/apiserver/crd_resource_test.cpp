#include "apiserver/crd_resource.hpp"

#include <algorithm>
#include <gtest/gtest.h>

#include "json/schema_prune.hpp"
#include "json/testing/objects.hpp"

namespace fairway::apiserver {
namespace {

constexpr std::string_view kWidgets = R"(
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: widgets.example.com}
spec:
  group: example.com
  scope: Namespaced
  names: {plural: widgets, singular: widget, kind: Widget, listKind: WidgetList, shortNames: [wd], categories: [all]}
  versions:
  - name: v1beta1
    served: true
    storage: false
    deprecated: true
    schema:
      openAPIV3Schema: {type: object, properties: {spec: {type: object, properties: {size: {type: integer}}}}}
  - name: v1
    served: true
    storage: true
    subresources:
      status: {}
      scale: {specReplicasPath: .spec.replicas, statusReplicasPath: .status.replicas, labelSelectorPath: .status.selector}
    selectableFields: [{jsonPath: .spec.color}]
    additionalPrinterColumns:
    - {name: Color, type: string, jsonPath: .spec.color, priority: 1}
    - {name: Age, type: date, jsonPath: .metadata.creationTimestamp, description: Since when.}
    schema:
      openAPIV3Schema:
        type: object
        properties:
          spec:
            type: object
            properties:
              color: {type: string, default: red}
              replicas: {type: integer}
          status:
            type: object
            properties: {replicas: {type: integer}, selector: {type: string}}
)";

TEST(CrdResource, ReadsNamesVersionsAndSubresources) {
  const auto made = resource_of_crd(json::test_object(kWidgets));
  ASSERT_TRUE(made.has_value()) << made.error().describe();
  const Resource& widgets = **made;
  EXPECT_TRUE(widgets.is_custom);
  EXPECT_TRUE(widgets.is_namespaced);
  EXPECT_EQ(widgets.group_resource(), "widgets.example.com");
  EXPECT_EQ(widgets.stored_as, "example.com/widgets");
  EXPECT_EQ(widgets.list_kind, "WidgetList");
  EXPECT_EQ(widgets.short_names, std::vector<std::string>{"wd"});
  EXPECT_EQ(widgets.categories, std::vector<std::string>{"all"});
  ASSERT_EQ(widgets.versions.size(), 2u);
  EXPECT_EQ(widgets.versions[0].name, "v1");
  EXPECT_EQ(widgets.storage_version().name, "v1");
  EXPECT_TRUE(widgets.versions[0].has_status);
  ASSERT_TRUE(widgets.versions[0].scale);
  EXPECT_EQ(widgets.versions[0].scale->label_selector, ".status.selector");
  EXPECT_EQ(widgets.versions[0].field_selectors, std::vector<std::string>{"spec.color"});
  EXPECT_FALSE(widgets.versions[1].has_status);
  EXPECT_TRUE(widgets.has_verb("create"));
}

TEST(CrdResource, CompilesTheSchemaOfEachVersion) {
  const auto made = resource_of_crd(json::test_object(kWidgets));
  ASSERT_TRUE(made.has_value());
  json::Value value =
      json::test_object("{apiVersion: example.com/v1, kind: Widget, metadata: {name: a}, spec: {size: 3}}");
  json::Value old = value;
  json::prune(*(*made)->version("v1")->schema, value);
  json::apply_defaults(*(*made)->version("v1")->schema, value);
  EXPECT_EQ(json::get_string(value.as_object(), {"spec", "color"}), "red");
  EXPECT_FALSE(json::find(value.as_object(), {"spec", "size"}));
  json::prune(*(*made)->version("v1beta1")->schema, old);
  EXPECT_EQ(json::get_int(old.as_object(), {"spec", "size"}), 3);
}

TEST(CrdResource, ColumnsBeginWithTheNameAndEndWithTheAgeWhenNoneAreWritten) {
  const auto made = resource_of_crd(json::test_object(kWidgets));
  ASSERT_TRUE(made.has_value());
  const auto& written = (*made)->version("v1")->columns;
  ASSERT_EQ(written.size(), 3u);
  EXPECT_EQ(written[0].name, "Name");
  EXPECT_EQ(written[0].format, "name");
  EXPECT_EQ(written[1].description, "Custom resource definition column (in JSONPath format): .spec.color");
  EXPECT_EQ(written[1].priority, 1);
  EXPECT_EQ(written[2].description, "Since when.");
  const auto& plain = (*made)->version("v1beta1")->columns;
  ASSERT_EQ(plain.size(), 2u);
  EXPECT_EQ(plain[1].name, "Age");
  EXPECT_EQ(plain[1].type, "date");
}

TEST(CrdResource, APathThatCannotBeEvaluatedLeavesItsColumn) {
  json::Object crd = json::test_object(kWidgets);
  crd.at("spec").at("versions").at(1).at("additionalPrinterColumns").at(0).at("jsonPath") = "..color";
  const auto made = resource_of_crd(crd);
  ASSERT_TRUE(made.has_value()) << made.error().describe();
  ASSERT_EQ((*made)->version("v1")->columns.size(), 3u);
  EXPECT_FALSE((*made)->version("v1")->columns[1].path.has_value());
}

TEST(CrdResource, DeprecationNamesTheVersionToUse) {
  json::Object crd = json::test_object(kWidgets);
  EXPECT_EQ((*resource_of_crd(crd))->version("v1beta1")->deprecation_warning,
            "example.com/v1beta1 Widget is deprecated; use example.com/v1 Widget");
  EXPECT_EQ((*resource_of_crd(crd))->version("v1")->deprecation_warning, "");
  auto& versions = crd.at("spec").at("versions").as_array();
  versions[1].as_object()["deprecated"] = true;
  EXPECT_EQ((*resource_of_crd(crd))->version("v1beta1")->deprecation_warning,
            "example.com/v1beta1 Widget is deprecated");
  versions[0].as_object()["deprecationWarning"] = "go away";
  EXPECT_EQ((*resource_of_crd(crd))->version("v1beta1")->deprecation_warning, "go away");
}

TEST(CrdResource, AcceptedNamesWinOverWantedOnes) {
  json::Object crd = json::test_object(kWidgets);
  crd["status"] = json::test_object(
      "{acceptedNames: {plural: widgets, singular: widget, kind: Widget, listKind: WidgetList}}");
  EXPECT_TRUE((*resource_of_crd(crd))->short_names.empty());
}

TEST(CrdResource, ATerminatingResourceTakesNothingNew) {
  json::Object crd = json::test_object(kWidgets);
  crd["status"] = json::test_object(
      "{conditions: [{type: Terminating, status: 'True'}, {type: Established, status: 'True'}]}");
  const auto made = resource_of_crd(crd);
  ASSERT_TRUE(made.has_value());
  EXPECT_FALSE((*made)->has_verb("create"));
  EXPECT_FALSE((*made)->has_verb("update"));
  EXPECT_TRUE((*made)->has_verb("delete"));
  EXPECT_TRUE(is_established(crd));
  EXPECT_FALSE(is_established(json::test_object(kWidgets)));
}

TEST(CrdResource, RefusesWhatItCannotServe) {
  const auto error_of = [](auto&& change) {
    json::Object crd = json::test_object(kWidgets);
    change(crd.at("spec").as_object());
    const auto made = resource_of_crd(crd);
    return made ? std::string("none") : made.error().describe();
  };
  EXPECT_NE(error_of([](json::Object& spec) {
              spec.at("versions").at(1).as_object()["storage"] = false;
            }).find("no version is the storage version"),
            std::string::npos);
  EXPECT_NE(error_of([](json::Object& spec) {
              spec.at("versions").at(0).as_object().erase("schema");
            }).find("version \"v1beta1\" has no schema"),
            std::string::npos);
  EXPECT_NE(error_of([](json::Object& spec) {
              spec.at("versions").at(0).at("schema").at("openAPIV3Schema").as_object()["type"] = "array";
            }).find("must be object at the root"),
            std::string::npos);
  EXPECT_FALSE(resource_of_crd({}).has_value());
}

TEST(CrdResource, TheCacheSharesEqualDefinitions) {
  ResourceCache cache;
  json::Object crd = json::test_object(kWidgets);
  const auto first = cache.resource(crd);
  crd["metadata"].as_object()["resourceVersion"] = "7";
  const auto second = cache.resource(crd);
  ASSERT_TRUE(first.has_value() && second.has_value());
  EXPECT_EQ(first->get(), second->get());
  crd.at("spec").at("names").as_object().erase("shortNames");
  const auto third = cache.resource(crd);
  ASSERT_TRUE(third.has_value());
  EXPECT_NE(first->get(), third->get());
  EXPECT_TRUE((*third)->short_names.empty());
}

}  // namespace
}  // namespace fairway::apiserver
