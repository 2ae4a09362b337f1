#include "json/schema_rules.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "json/schema_testing.hpp"

namespace fairway::json {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using testing_support::json;
using testing_support::texts;

struct RuleCase {
  const char* name;
  const char*
      schema;  // of one field of spec, or of the root when it has "properties" or "at the root" says so
  std::vector<std::string> errors;
};

void PrintTo(const RuleCase& rule, std::ostream* out) {
  *out << rule.name;
}

std::string named(const testing::TestParamInfo<RuleCase>& info) {
  return info.param.name;
}

class FieldRule : public testing::TestWithParam<RuleCase> {};

TEST_P(FieldRule, IsEnforcedInTheWordsOfTheApi) {
  const std::string text = R"({"type":"object","properties":{"x":)" + std::string(GetParam().schema) + "}}";
  std::vector<std::string> expected;
  for (const std::string& error : GetParam().errors) expected.push_back("s.properties[x]" + error);
  EXPECT_EQ(texts(check_custom_resource_schema(json(text), "s")), expected) << text;
}

INSTANTIATE_TEST_SUITE_P(
    Accepted, FieldRule,
    testing::Values(
        RuleCase{"IntOrString", R"({"x-kubernetes-int-or-string":true})", {}},
        RuleCase{"IntOrStringAnyOf",
                 R"({"x-kubernetes-int-or-string":true,"anyOf":[{"type":"integer"},{"type":"string"}]})",
                 {}},
        RuleCase{
            "IntOrStringAllOf",
            R"({"x-kubernetes-int-or-string":true,"allOf":[{"anyOf":[{"type":"integer"},{"type":"string"}]},{"maximum":5}]})",
            {}},
        RuleCase{"PreserveUnknown", R"({"x-kubernetes-preserve-unknown-fields":true})", {}},
        RuleCase{
            "Embedded",
            R"({"type":"object","x-kubernetes-embedded-resource":true,"x-kubernetes-preserve-unknown-fields":true})",
            {}},
        RuleCase{"AdditionalTrueBesideProperties",
                 R"({"type":"object","properties":{"a":{"type":"string"}},"additionalProperties":true})",
                 {}},
        RuleCase{"Default", R"({"type":"string","default":"a","pattern":"^a"})", {}},
        RuleCase{
            "Validations", R"({"type":"string","x-kubernetes-validations":[{"rule":"self != ''"}]})", {}}),
    named);

INSTANTIATE_TEST_SUITE_P(
    Structure, FieldRule,
    testing::Values(
        RuleCase{
            "TypeMissing", "{}", {".type: Required value: must not be empty for specified object fields"}},
        RuleCase{
            "TypeUnknown",
            R"({"type":"text"})",
            {R"(.type: Unsupported value: "text": supported values: "array", "boolean", "integer", "number", "object", "string")"}},
        RuleCase{"ItemsMissing", R"({"type":"array"})", {".items: Required value: must be specified"}},
        RuleCase{"ItemTypeMissing",
                 R"({"type":"array","items":{}})",
                 {".items.type: Required value: must not be empty for specified array items"}},
        RuleCase{
            "MapTypeMissing",
            R"({"type":"object","additionalProperties":{}})",
            {".additionalProperties.type: Required value: must not be empty for specified object fields"}},
        RuleCase{"NestedType",
                 R"({"type":"string","anyOf":[{"type":"string"}]})",
                 {".anyOf[0].type: Forbidden: must be empty to be structural"}},
        RuleCase{"NestedMany",
                 R"({"type":"string","not":{"default":1,"title":"t","description":"d","nullable":true}})",
                 {".not.default: Forbidden: must be undefined to be structural",
                  ".not.description: Forbidden: must be empty to be structural",
                  ".not.nullable: Forbidden: must be false to be structural",
                  ".not.title: Forbidden: must be empty to be structural"}},
        RuleCase{"NestedExtensions",
                 R"({"type":"array","items":{"type":"string"},"allOf":[{"x-kubernetes-list-type":"set",
                    "x-kubernetes-validations":[{"rule":"true"}]}]})",
                 {".allOf[0].type: Required value: must be array if x-kubernetes-list-type "
                  "is specified",
                  ".allOf[0].x-kubernetes-list-type: Forbidden: must be undefined to be structural",
                  ".allOf[0].x-kubernetes-validations: Forbidden: must be empty to be structural"}},
        RuleCase{"IntOrStringPreserve",
                 R"({"x-kubernetes-int-or-string":true,"x-kubernetes-preserve-unknown-fields":true})",
                 {".x-kubernetes-preserve-unknown-fields: Invalid value: true: must be false if "
                  "x-kubernetes-int-or-string is true"}},
        RuleCase{
            "EmbeddedNeedsObject",
            R"({"type":"string","x-kubernetes-embedded-resource":true,"x-kubernetes-preserve-unknown-fields":true})",
            {".type: Invalid value: \"string\": must be object if x-kubernetes-embedded-resource is true"}},
        RuleCase{"EmbeddedNeedsProperties",
                 R"({"type":"object","x-kubernetes-embedded-resource":true})",
                 {".properties: Required value: must not be empty if x-kubernetes-embedded-resource is true "
                  "without "
                  "x-kubernetes-preserve-unknown-fields"}},
        RuleCase{
            "Pattern",
            R"({"type":"string","pattern":"a(b"})",
            {".pattern: Invalid value: \"a(b\": must be a valid regular expression, but isn't: error parsing "
             "regexp: missing closing ): `a(b`"}}),
    named);

INSTANTIATE_TEST_SUITE_P(
    Keywords, FieldRule,
    testing::Values(
        RuleCase{"UniqueItems",
                 R"({"type":"array","items":{"type":"string"},"uniqueItems":true})",
                 {".uniqueItems: Forbidden: uniqueItems cannot be set to true since the runtime complexity "
                  "becomes "
                  "quadratic"}},
        RuleCase{"Reference", R"({"$ref":"#/definitions/x"})", {".$ref: Forbidden: $ref is not supported"}},
        RuleCase{"PreserveFalse",
                 R"({"type":"object","x-kubernetes-preserve-unknown-fields":false})",
                 {".x-kubernetes-preserve-unknown-fields: Invalid value: false: must be true or undefined"}},
        RuleCase{
            "Exclusive",
            R"({"type":"object","properties":{"a":{"type":"string"}},"additionalProperties":{"type":"string"}})",
            {".additionalProperties: Forbidden: additionalProperties and properties are mutual exclusive"}},
        RuleCase{
            "ListTypeUnknown",
            R"({"type":"array","items":{"type":"string"},"x-kubernetes-list-type":"bag"})",
            {R"(.x-kubernetes-list-type: Unsupported value: "bag": supported values: "atomic", "set", "map")"}},
        RuleCase{"ListTypeOnObject",
                 R"({"type":"object","x-kubernetes-list-type":"set"})",
                 {".type: Invalid value: \"object\": must be array if x-kubernetes-list-type is specified"}},
        RuleCase{"MapTypeOnString",
                 R"({"type":"string","x-kubernetes-map-type":"atomic"})",
                 {".type: Invalid value: \"string\": must be object if x-kubernetes-map-type is specified"}},
        RuleCase{"KeysMissing",
                 R"({"type":"array","items":{"type":"object"},"x-kubernetes-list-type":"map"})",
                 {".x-kubernetes-list-map-keys: Required value: must not be empty if x-kubernetes-list-type "
                  "is map"}},
        RuleCase{"KeysWithoutMap",
                 R"({"type":"array","items":{"type":"object"},"x-kubernetes-list-map-keys":["a"]})",
                 {".x-kubernetes-list-type: Required value: must be map if x-kubernetes-list-map-keys is "
                  "non-empty"}},
        RuleCase{
            "KeyUnknown",
            R"({"type":"array","items":{"type":"object"},"x-kubernetes-list-type":"map","x-kubernetes-list-map-keys":["a"]})",
            {".x-kubernetes-list-map-keys: Invalid value: []interface {}{\"a\"}: entries must all be names "
             "of "
             "item properties"}},
        RuleCase{"KeyOptional",
                 R"({"type":"array","items":{"type":"object","properties":{"a":{"type":"string"}}},
                    "x-kubernetes-list-type":"map","x-kubernetes-list-map-keys":["a"]})",
                 {".items.properties[a].default: Required value: this property is in "
                  "x-kubernetes-list-map-keys, so "
                  "it must have a default or be a required property"}},
        RuleCase{
            "SetOfGranularObjects",
            R"({"type":"array","items":{"type":"object"},"x-kubernetes-list-type":"set"})",
            {".items.x-kubernetes-map-type: Invalid value: \"null\": must be atomic as item of a list with "
             "x-kubernetes-list-type=set"}},
        RuleCase{
            "SetOfNullable",
            R"({"type":"array","items":{"type":"string","nullable":true},"x-kubernetes-list-type":"set"})",
            {".items.nullable: Forbidden: cannot be nullable when x-kubernetes-list-type is set"}},
        RuleCase{"EmptyRule",
                 R"({"type":"string","x-kubernetes-validations":[{"message":"m"}]})",
                 {".x-kubernetes-validations[0].rule: Required value: rule is not specified"}}),
    named);

INSTANTIATE_TEST_SUITE_P(
    Defaults, FieldRule,
    testing::Values(
        RuleCase{"OfWrongType",
                 R"({"type":"integer","default":"a"})",
                 {".default: Invalid value: \"string\":  in body must be of type integer: \"string\""}},
        RuleCase{"OutOfBounds",
                 R"({"type":"integer","default":9,"maximum":5})",
                 {".default: Invalid value: 9:  in body should be less than or equal to 5"}},
        RuleCase{"WithUnknownField",
                 R"({"type":"object","properties":{"a":{"type":"string"}},"default":{"b":1}})",
                 {".default: Invalid value: map[string]interface {}{\"b\":1}: must not have unknown fields"}},
        RuleCase{"Incomplete",
                 R"({"type":"object","properties":{"a":{"type":"string"}},"required":["a"],"default":{}})",
                 {".default.a: Required value"}},
        RuleCase{
            "EmbeddedWithoutType",
            R"({"type":"object","x-kubernetes-embedded-resource":true,"x-kubernetes-preserve-unknown-fields":true,
                    "default":{"a":1}})",
            {".default.apiVersion: Required value: must not be empty",
             ".default.kind: Required value: must not be empty"}}),
    named);

std::vector<std::string> root_errors(std::string_view schema, bool status = false) {
  return texts(check_custom_resource_schema(json(schema), "spec.validation.openAPIV3Schema",
                                            {.status_subresource = status}));
}

TEST(RootRules, TheRootIsAnObjectWithoutExtras) {
  EXPECT_THAT(
      root_errors("{}"),
      ElementsAre("spec.validation.openAPIV3Schema.type: Required value: must not be empty at the root"));
  EXPECT_THAT(
      root_errors(R"({"type":"string"})"),
      ElementsAre(
          "spec.validation.openAPIV3Schema.type: Invalid value: \"string\": must be object at the root"));
  EXPECT_THAT(
      root_errors(R"({"type":"object","additionalProperties":true})"),
      ElementsAre("spec.validation.openAPIV3Schema.additionalProperties: Forbidden: must not be used at the "
                  "root"));
  EXPECT_THAT(
      root_errors(R"({"type":"object","nullable":true})"),
      ElementsAre(
          "spec.validation.openAPIV3Schema.nullable: Forbidden: nullable cannot be true at the root"));
}

TEST(RootRules, MetadataMayOnlyRestrictNames) {
  EXPECT_THAT(root_errors(R"({"type":"object","properties":{"metadata":{"type":"object","properties":
                            {"name":{"type":"string","maxLength":10}}}}})"),
              IsEmpty());
  EXPECT_THAT(
      root_errors(R"({"type":"object","properties":{"metadata":{"type":"object","properties":
                            {"labels":{"type":"object"}}}}})"),
      ElementsAre(
          "spec.validation.openAPIV3Schema.properties[metadata]: Forbidden: must not specify anything "
          "other than name and generateName, but metadata is implicitly specified"));
  EXPECT_THAT(root_errors(R"({"type":"object","properties":{"kind":{"type":"integer"}}})"),
              ElementsAre("spec.validation.openAPIV3Schema.properties[kind].type: Invalid value: "
                          "\"integer\": must be string"));
  EXPECT_THAT(
      root_errors(R"({"type":"object","properties":{"apiVersion":{"type":"string","default":"v1"}}})"),
      ElementsAre(
          "spec.validation.openAPIV3Schema.properties[apiVersion].default: Forbidden: must not be set "
          "in top-level apiVersion"));
}

TEST(RootRules, ValueValidationMayNotAddFields) {
  EXPECT_THAT(
      root_errors(R"({"type":"object","anyOf":[{"properties":{"spec":{"minimum":1}}}]})"),
      ElementsAre(
          "spec.validation.openAPIV3Schema.properties[spec]: Required value: because it is defined in "
          "spec.validation.openAPIV3Schema.anyOf[0].properties[spec]"));
  EXPECT_THAT(
      root_errors(R"({"type":"object","not":{"properties":{"metadata":{}}}})"),
      ElementsAre(
          "spec.validation.openAPIV3Schema.not.properties[metadata]: Forbidden: must not be specified "
          "in a nested context",
          "spec.validation.openAPIV3Schema.properties[metadata]: Required value: because it is defined "
          "in spec.validation.openAPIV3Schema.not.properties[metadata]"));
}

TEST(RootRules, AStatusSubresourceLimitsTheRoot) {
  EXPECT_THAT(root_errors(R"({"type":"object","properties":{},"required":["spec"]})", true), IsEmpty());
  const auto errors = root_errors(R"({"type":"object","maxProperties":3})", true);
  ASSERT_EQ(errors.size(), 1u);
  EXPECT_THAT(errors[0],
              ::testing::HasSubstr("fields are allowed at the root of the schema if the status subresource "
                                   "is enabled"));
}

TEST(RootRules, ErrorsOfStructureAreSorted) {
  EXPECT_THAT(
      root_errors(R"({"type":"object","properties":{"b":{},"a":{}}})"),
      ElementsAre("spec.validation.openAPIV3Schema.properties[a].type: Required value: must not be empty for "
                  "specified object fields",
                  "spec.validation.openAPIV3Schema.properties[b].type: Required value: must not be empty for "
                  "specified object fields"));
}

}  // namespace
}  // namespace fairway::json
