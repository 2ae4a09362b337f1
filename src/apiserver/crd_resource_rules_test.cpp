#include "apiserver/crd_resource_rules.hpp"

#include <functional>
#include <gtest/gtest.h>

#include "apiserver/catalog.hpp"
#include "json/testing/objects.hpp"

namespace fairway::apiserver {
namespace {

using json::Object;
using json::Value;

constexpr std::string_view kValid = R"(
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: widgets.example.com}
spec:
  group: example.com
  scope: Namespaced
  names: {plural: widgets, kind: Widget, shortNames: [wd], categories: [all]}
  versions:
  - name: v1
    served: true
    storage: true
    subresources: {status: {}, scale: {specReplicasPath: .spec.replicas, statusReplicasPath: .status.replicas}}
    additionalPrinterColumns: [{name: Color, type: string, jsonPath: .spec.color}]
    selectableFields: [{jsonPath: .spec.color}]
    schema:
      openAPIV3Schema:
        type: object
        properties:
          spec: {type: object, properties: {color: {type: string}, sizes: {type: array, items: {type: string}}}}
          status: {type: object, x-kubernetes-preserve-unknown-fields: true}
)";

Object prepared(Object crd) {
  default_crd(crd);
  prepare_crd_create(crd);
  return crd;
}

Object valid() {
  return prepared(json::test_value(kValid).as_object());
}
Object& version(Object& crd, std::size_t i) {
  return crd.at("spec").at("versions").at(i).as_object();
}

std::vector<std::string> texts(const json::FieldErrors& errors) {
  std::vector<std::string> out;
  for (const auto& each : errors) out.push_back(each.text());
  return out;
}

TEST(CrdRules, TheProductsOwnDefinitionsAreValid) {
  ASSERT_FALSE(product_crds().empty());
  for (const Object& crd : product_crds()) {
    EXPECT_EQ(texts(validate_crd(prepared(crd))), std::vector<std::string>{})
        << json::serialize(crd.at("metadata"));
  }
}

struct Case {
  std::string name;
  std::function<void(Object& crd)> change;
  std::vector<std::string> errors;
};

void PrintTo(const Case& each, std::ostream* out) {
  *out << each.name;
}

class CrdRulesTest : public testing::TestWithParam<Case> {};

TEST_P(CrdRulesTest, Refuses) {
  Object crd = valid();
  GetParam().change(crd);
  EXPECT_EQ(texts(validate_crd(crd)), GetParam().errors);
}

constexpr std::string_view kLabelRule =
    "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic "
    "character, "
    "and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is "
    "'[a-z]([-a-z0-9]*[a-z0-9])?')";

std::string invalid(std::string_view path, std::string_view value, std::string_view detail) {
  return std::string(path) + ": Invalid value: \"" + std::string(value) + "\": " + std::string(detail);
}

const std::vector<Case> kCases{
    {"Nothing", [](Object&) {}, {}},
    {"Name",
     [](Object& crd) { crd["metadata"].as_object()["name"] = "widgets.example.org"; },
     {invalid("metadata.name", "widgets.example.org", "must be spec.names.plural+\".\"+spec.group")}},
    {"GroupWithoutDot",
     [](Object& crd) {
       crd["spec"].as_object()["group"] = "example";
       crd["metadata"].as_object()["name"] = "widgets.example";
     },
     {invalid("spec.group", "example", "should be a domain with at least one dot")}},
    {"Scope",
     [](Object& crd) { crd["spec"].as_object()["scope"] = "Galaxy"; },
     {"spec.scope: Unsupported value: \"Galaxy\": supported values: \"Cluster\", \"Namespaced\""}},
    {"NoScope", [](Object& crd) { crd["spec"].as_object().erase("scope"); }, {"spec.scope: Required value"}},
    {"Kind",
     [](Object& crd) { crd["spec"].at("names").as_object()["kind"] = "Wid get"; },
     {invalid("spec.names.kind", "Wid get",
              "may have mixed case, but should otherwise match: " + std::string(kLabelRule))}},
    {"ListKind",
     [](Object& crd) { crd["spec"].at("names").as_object()["listKind"] = "Widget"; },
     {invalid("spec.names.listKind", "Widget", "kind and listKind may not be the same")}},
    {"ShortName",
     [](Object& crd) { crd["spec"].at("names").at("shortNames").as_array()[0] = "W"; },
     {invalid("spec.names.shortNames[0]", "W", kLabelRule)}},
    {"Category",
     [](Object& crd) { crd["spec"].at("names").at("categories").as_array()[0] = "1all"; },
     {invalid("spec.names.categories[0]", "1all", kLabelRule)}},
    {"NoSingular",
     [](Object& crd) { crd["spec"].at("names").as_object().erase("singular"); },
     {"spec.names.singular: Required value"}},
    {"VersionName",
     [](Object& crd) {
       version(crd, 0)["name"] = "1.0";
       crd["status"].at("storedVersions").as_array()[0] = "1.0";
     },
     {invalid("spec.versions[0].name", "1.0", kLabelRule)}},
    {"NoSchema",
     [](Object& crd) {
       version(crd, 0).erase("schema");
       version(crd, 0).erase("selectableFields");
     },
     {"spec.versions[0].schema.openAPIV3Schema: Required value: schemas are required"}},
    {"SchemaOfTheOnlyVersion",
     [](Object& crd) {
       version(crd, 0)["schema"]
           .at("openAPIV3Schema")
           .at("properties")
           .at("spec")
           .at("properties")
           .as_object()["x"] = Object{};
     },
     {"spec.validation.openAPIV3Schema.properties[spec].properties[x].type: Required value: must not be "
      "empty for "
      "specified object fields"}},
    {"SchemaOfOneOfTwoVersions",
     [](Object& crd) {
       Object other = version(crd, 0);
       other["name"] = "v2";
       other["storage"] = false;
       other["schema"] = json::test_value(
           "{openAPIV3Schema: {type: object, properties: {spec: {type: object, properties: {"
           "color: {type: string}, x: {type: array}}}}}}");
       crd["spec"].at("versions").as_array().push_back(other);
     },
     {"spec.versions[1].schema.openAPIV3Schema.properties[spec].properties[x].items: Required value: must be "
      "specified"}},
    {"DefaultOfTheWrongType",
     [](Object& crd) {
       version(crd, 0)["schema"]
           .at("openAPIV3Schema")
           .at("properties")
           .at("spec")
           .at("properties")
           .at("color")
           .as_object()["default"] = 5;
     },
     {"spec.validation.openAPIV3Schema.properties[spec].properties[color].default: Invalid value: "
      "\"integer\":  in body must be of type string: \"integer\""}},
    {"ListMapKeys",
     [](Object& crd) {
       version(crd, 0)["schema"]
           .at("openAPIV3Schema")
           .at("properties")
           .at("spec")
           .at("properties")
           .as_object()["x"] = json::test_value(
           "{type: array, x-kubernetes-list-type: map, x-kubernetes-list-map-keys: [k], items: {type: "
           "object, "
           "properties: {k: {type: string}}}}");
     },
     {"spec.validation.openAPIV3Schema.properties[spec].properties[x].items.properties[k].default: Required "
      "value: "
      "this property is in x-kubernetes-list-map-keys, so it must have a default or be a required property"}},
    {"Columns",
     [](Object& crd) {
       version(crd, 0)["additionalPrinterColumns"] = json::test_value(
           "[{name: A, type: text, jsonPath: .a}, {name: '', type: string, jsonPath: a}, {name: C, type: "
           "integer, "
           "format: int, jsonPath: ''}]");
     },
     {invalid("spec.additionalPrinterColumns[0].type", "text",
              "must be one of boolean,date,integer,number,string"),
      "spec.additionalPrinterColumns[1].name: Required value",
      invalid("spec.additionalPrinterColumns[1].JSONPath", "a", "must be a simple json path starting with ."),
      invalid("spec.additionalPrinterColumns[2].format", "int",
              "must be one of byte,date,date-time,double,float,int32,int64,password"),
      "spec.additionalPrinterColumns[2].JSONPath: Required value"}},
    {"Scale",
     [](Object& crd) {
       version(crd, 0)["subresources"] = json::test_value(
           "{scale: {specReplicasPath: .status.replicas, statusReplicasPath: replicas, labelSelectorPath: "
           ".metadata.x}}");
     },
     {invalid("spec.subresources.scale.specReplicasPath", ".status.replicas",
              "should be a json path under .spec"),
      invalid("spec.subresources.scale.statusReplicasPath", "replicas",
              "must be a simple json path starting with ."),
      invalid("spec.subresources.scale.labelSelectorPath", ".metadata.x",
              "should be a json path under either .spec or .status")}},
    {"SelectableFields",
     [](Object& crd) {
       version(crd, 0)["selectableFields"] = json::test_value(
           "[{jsonPath: .spec.nothing}, {jsonPath: .spec.sizes}, {jsonPath: '.spec.sizes[0]'}, {jsonPath: "
           "spec.color}, {jsonPath: .spec.color}, {jsonPath: .spec.color}, {jsonPath: ''}]");
     },
     {invalid("spec.selectableFields[0].jsonPath", ".spec.nothing",
              "is an invalid path: does not refer to a valid field"),
      invalid("spec.selectableFields[1].jsonPath", ".spec.sizes",
              "must point to a field of type string, boolean or integer. Enum string fields and strings with "
              "formats "
              "are allowed."),
      invalid("spec.selectableFields[2].jsonPath", ".spec.sizes[0]",
              "is an invalid path: array notation is not allowed"),
      invalid("spec.selectableFields[3].jsonPath", "spec.color",
              "is an invalid path: expected [ or . but got: spec"),
      "spec.selectableFields[5].jsonPath: Duplicate value: \".spec.color\"",
      "spec.selectableFields[6].jsonPath: Required value"}},
    {"Warning",
     [](Object& crd) { version(crd, 0)["deprecationWarning"] = "old"; },
     {invalid("spec.versions[0].deprecationWarning", "old", "can only be set for deprecated versions")}},
    {"UnprintableWarning",
     [](Object& crd) {
       version(crd, 0)["deprecated"] = true;
       version(crd, 0)["deprecationWarning"] = "\xc3\xa4\xe2\x80\x8bx";
     },
     {invalid("spec.versions[0].deprecationWarning", "\xc3\xa4\\u200bx",
              "must only contain printable UTF-8 characters; non-printable character found at index 2")}},
    {"Conversion",
     [](Object& crd) {
       crd["spec"].as_object()["conversion"] =
           json::test_value("{strategy: Webhook, webhook: {conversionReviewVersions: [v1]}}");
     },
     {invalid("spec.conversion.strategy", "Webhook",
              "this server does not call conversion webhooks: use None, with versions that differ in their "
              "schemas "
              "only")}},
    {"UnusedWebhook",
     [](Object& crd) {
       crd["spec"].as_object()["conversion"] =
           json::test_value("{strategy: None, webhook: {conversionReviewVersions: [v1]}}");
     },
     {"spec.conversion.conversionReviewVersions: Forbidden: should not be set when strategy is not set to "
      "Webhook"}},
    {"PreserveUnknownFields",
     [](Object& crd) { crd["spec"].as_object()["preserveUnknownFields"] = true; },
     {"spec.preserveUnknownFields: Invalid value: true: cannot set to true, set "
      "x-kubernetes-preserve-unknown-fields "
      "to true in spec.versions[*].schema instead"}},
    {"ProtectedGroup",
     [](Object& crd) {
       crd["spec"].as_object()["group"] = "x.k8s.io";
       crd["metadata"].as_object()["name"] = "widgets.x.k8s.io";
     },
     {"metadata.annotations[api-approved.kubernetes.io]: Required value: protected groups must have approval "
      "annotation "
      "\"api-approved.kubernetes.io\", see https://github.com/kubernetes/enhancements/pull/1111"}},
    {"ApprovedGroup",
     [](Object& crd) {
       crd["spec"].as_object()["group"] = "x.k8s.io";
       crd["metadata"] = json::test_value(
           "{name: widgets.x.k8s.io, annotations: {api-approved.kubernetes.io: 'https://a.b/1'}}");
     },
     {}},
};

INSTANTIATE_TEST_SUITE_P(Cases, CrdRulesTest, testing::ValuesIn(kCases),
                         [](const auto& info) { return info.param.name; });

TEST(CrdRules, VersionsAreUniqueAndOneIsStored) {
  Object crd = valid();
  Object other = version(crd, 0);
  crd["spec"].at("versions").as_array().push_back(other);
  const auto errors = validate_crd(crd);
  ASSERT_EQ(errors.size(), 3u);
  EXPECT_EQ(errors[0].detail, "must contain unique version names");
  EXPECT_EQ(errors[1].detail, "must have exactly one version marked as storage version");
  EXPECT_EQ(errors[1].field, "spec.versions");
  EXPECT_EQ(errors[2].field, "status.storedVersions");
}

TEST(CrdRules, HostileShapesAreAnswered) {
  for (const std::string_view text :
       {"{}", "{spec: 3}", "{spec: {versions: {}}}", "{spec: {versions: [3, {}]}}",
        "{spec: {names: [], versions: [{schema: 3}]}, status: []}",
        "{spec: {versions: [{schema: {openAPIV3Schema: 3}, subresources: {scale: 4}}]}}",
        "{spec: {versions: [{additionalPrinterColumns: [5], selectableFields: [6]}]}}"}) {
    Object crd = json::test_value(text).as_object();
    EXPECT_FALSE(validate_crd(crd).empty()) << text;
    EXPECT_FALSE(validate_crd_update(valid(), crd).empty()) << text;
    Object filled = prepared(crd);
    EXPECT_FALSE(validate_crd(filled).empty()) << text;
  }
}

TEST(CrdRules, ASpecThatStaysIsNotJudgedAgain) {
  Object before = valid();
  version(before, 0)["name"] = "Not A Name";
  EXPECT_FALSE(validate_crd(before).empty());
  Object after = before;
  after["metadata"].get_object()["labels"] = Object{{"a", "b"}};
  EXPECT_EQ(texts(validate_crd_update(before, after)), texts(validate_crd_update(before, before)));
  const auto mentions_versions = [](const auto& errors) {
    return std::ranges::any_of(errors,
                               [](const auto& each) { return each.field.starts_with("spec.versions"); });
  };
  EXPECT_FALSE(mentions_versions(validate_crd_update(before, after)));
  after["spec"].get_object()["names"].get_object()["shortNames"] = json::Array{"w"};
  EXPECT_TRUE(mentions_versions(validate_crd_update(before, after)));
}

TEST(CrdRules, DefaultsNames) {
  const Object crd = valid();
  EXPECT_EQ(json::get_string(crd, {"spec", "names", "singular"}), "widget");
  EXPECT_EQ(json::get_string(crd, {"spec", "names", "listKind"}), "WidgetList");
  EXPECT_EQ(json::get_string(crd, {"spec", "conversion", "strategy"}), "None");
}

TEST(CrdRules, AStorageVersionOnceUsedStaysListed) {
  const Object before = valid();
  Object after = before;
  version(after, 0)["storage"] = false;
  Object newer = version(after, 0);
  newer["name"] = "v2";
  newer["storage"] = true;
  after["spec"].at("versions").as_array().push_back(newer);
  prepare_crd_update(before, after);
  EXPECT_EQ(after.at("status").at("storedVersions"), json::test_value("[v1, v2]"));
  EXPECT_EQ(texts(validate_crd_update(before, after)), std::vector<std::string>{});

  Object gone = after;
  gone["spec"].at("versions").as_array().erase(gone["spec"].at("versions").as_array().begin());
  prepare_crd_update(after, gone);
  EXPECT_EQ(
      texts(validate_crd_update(after, gone)),
      std::vector<std::string>{invalid(
          "status.storedVersions[0]", "v1",
          "missing from spec.versions; v1 was previously a storage version, and must remain in spec.versions "
          "until a storage migration ensures no data remains persisted in v1 and removes v1 from "
          "status.storedVersions")});
}

TEST(CrdRules, WhatNamesTheStorageIsImmutable) {
  Object before = valid();
  Object after = before;
  after["spec"].as_object()["group"] = "other.com";
  after["spec"].at("names").as_object()["plural"] = "gadgets";
  after["spec"].at("names").as_object()["kind"] = "Gadget";
  after["spec"].as_object()["scope"] = "Cluster";
  EXPECT_EQ(texts(validate_crd_update(before, after)),
            (std::vector<std::string>{invalid("spec.group", "other.com", "field is immutable"),
                                      invalid("spec.names.plural", "gadgets", "field is immutable")}));
  before["status"].as_object()["conditions"] = json::test_value("[{type: Established, status: 'True'}]");
  EXPECT_EQ(texts(validate_crd_update(before, after)),
            (std::vector<std::string>{invalid("spec.scope", "Cluster", "field is immutable"),
                                      invalid("spec.names.kind", "Gadget", "field is immutable"),
                                      invalid("spec.group", "other.com", "field is immutable"),
                                      invalid("spec.names.plural", "gadgets", "field is immutable")}));
}

TEST(CrdRules, StatusAcceptsNamesAndIsEstablished) {
  const WallTime now{std::chrono::seconds(1'700'000'000)};
  Object crd = valid();
  crd["status"] = crd_status(crd, {}, now);
  EXPECT_EQ(json::get_string(crd, {"status", "acceptedNames", "plural"}), "widgets");
  EXPECT_EQ(
      crd.at("status").at("conditions"),
      json::test_value(
          "[{lastTransitionTime: '2023-11-14T22:13:20Z', message: no conflicts found, reason: NoConflicts, "
          "status: 'True', type: NamesAccepted}, {lastTransitionTime: '2023-11-14T22:13:20Z', message: the "
          "initial names have been accepted, reason: InitialNamesAccepted, status: 'True', type: "
          "Established}]"));
  EXPECT_EQ(crd.at("status").at("storedVersions"), json::test_value("[v1]"));
  const Object* const all[] = {&crd};
  EXPECT_EQ(crd_status(crd, all, now + std::chrono::hours(1)), crd.at("status").as_object());
}

TEST(CrdRules, ANameInUseIsNotAccepted) {
  const WallTime now{std::chrono::seconds(1'700'000'000)};
  Object first = valid();
  first["status"] = crd_status(first, {}, now);
  Object second = json::test_value(kValid).as_object();
  second["metadata"].as_object()["name"] = "gadgets.example.com";
  second["spec"].at("names") = json::test_value("{plural: gadgets, kind: Gadget, shortNames: [wd, gd]}");
  second = prepared(second);
  const Object* const all[] = {&first, &second};
  const Object status = crd_status(second, all, now);
  EXPECT_EQ(json::get_string(status, {"acceptedNames", "plural"}), "gadgets");
  EXPECT_FALSE(json::find(status, {"acceptedNames", "shortNames"}));
  EXPECT_EQ(status.at("conditions").at(0).at("reason"), "ShortNamesConflict");
  EXPECT_EQ(status.at("conditions").at(0).at("message"), "\"wd\" is already in use");
  EXPECT_EQ(status.at("conditions").at(1).at("status"), "False");
  EXPECT_EQ(status.at("conditions").at(1).at("reason"), "NotAccepted");
}

}  // namespace
}  // namespace fairway::apiserver
