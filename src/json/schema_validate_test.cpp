#include "json/schema_validate.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "json/schema_testing.hpp"

namespace fairway::json {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using testing_support::compiled;
using testing_support::compiled_part;
using testing_support::json;
using testing_support::texts;

struct ValueCase {
  const char* name;
  const char* schema;  // of the field spec.x
  const char* value;
  std::vector<std::string> errors;
};

void PrintTo(const ValueCase& each, std::ostream* out) {
  *out << each.name;
}

std::string value_case_name(const testing::TestParamInfo<ValueCase>& info) {
  return info.param.name;
}

class FieldValue : public testing::TestWithParam<ValueCase> {};

TEST_P(FieldValue, IsJudgedInTheWordsOfTheApi) {
  const auto schema =
      compiled(R"({"type":"object","properties":{"spec":{"type":"object","properties":{"x":)" +
               std::string(GetParam().schema) + "}}}}");
  const Value value = json(R"({"spec":{"x":)" + std::string(GetParam().value) + "}}");
  EXPECT_EQ(texts(validate(*schema, value)), GetParam().errors);
}

INSTANTIATE_TEST_SUITE_P(
    Types, FieldValue,
    testing::Values(
        ValueCase{"Integer", R"({"type":"integer"})", "3", {}},
        ValueCase{"WholeDoubleIsInteger", R"({"type":"integer"})", "3.0", {}},
        ValueCase{"Fraction",
                  R"({"type":"integer"})",
                  "3.5",
                  {"spec.x: Invalid value: \"number\": spec.x in body must be of type integer: \"number\""}},
        ValueCase{"IntegerIsNumber", R"({"type":"number"})", "3", {}},
        ValueCase{"Text",
                  R"({"type":"integer"})",
                  R"("3")",
                  {"spec.x: Invalid value: \"string\": spec.x in body must be of type integer: \"string\""}},
        ValueCase{"Null",
                  R"({"type":"string"})",
                  "null",
                  {"spec.x: Invalid value: \"null\": spec.x in body must be of type string: \"null\""}},
        ValueCase{"Nullable", R"({"type":"string","nullable":true})", "null", {}},
        ValueCase{"IntOrStringText", R"({"x-kubernetes-int-or-string":true})", R"("10%")", {}},
        ValueCase{"IntOrStringBoolean",
                  R"({"x-kubernetes-int-or-string":true})",
                  "true",
                  {"spec.x: Invalid value: \"boolean\": spec.x in body must be of type integer,string: "
                   "\"boolean\""}},
        ValueCase{"Object",
                  R"({"type":"object"})",
                  "[]",
                  {"spec.x: Invalid value: \"array\": spec.x in body must be of type object: \"array\""}},
        ValueCase{
            "TooBigForInteger",
            R"({"type":"integer"})",
            "18446744073709551615",
            {"spec.x: Invalid value: \"integer\": spec.x in body must be of type integer: \"integer\""}}),
    value_case_name);

INSTANTIATE_TEST_SUITE_P(
    Scalars, FieldValue,
    testing::Values(
        ValueCase{"Minimum",
                  R"({"type":"integer","minimum":0})",
                  "-1",
                  {"spec.x: Invalid value: -1: spec.x in body should be greater than or equal to 0"}},
        ValueCase{"ExclusiveMinimum",
                  R"({"type":"number","minimum":0,"exclusiveMinimum":true})",
                  "0.0",
                  {"spec.x: Invalid value: 0: spec.x in body should be greater than 0"}},
        ValueCase{"Maximum",
                  R"({"type":"number","maximum":2.5})",
                  "3.25",
                  {"spec.x: Invalid value: 3.25: spec.x in body should be less than or equal to 2.5"}},
        ValueCase{"ExclusiveMaximum",
                  R"({"type":"integer","maximum":5,"exclusiveMaximum":true})",
                  "5",
                  {"spec.x: Invalid value: 5: spec.x in body should be less than 5"}},
        ValueCase{"MultipleOf",
                  R"({"type":"integer","multipleOf":3})",
                  "4",
                  {"spec.x: Invalid value: 4: spec.x in body should be a multiple of 3"}},
        ValueCase{"MultipleOfFraction", R"({"type":"number","multipleOf":0.1})", "0.3", {}},
        ValueCase{"MultipleOfHalf",
                  R"({"type":"number","multipleOf":0.5})",
                  "0.75",
                  {"spec.x: Invalid value: 0.75: spec.x in body should be a multiple of 0.5"}},
        ValueCase{"MaxLengthInCodePoints", R"({"type":"string","maxLength":2})", R"("é€")", {}},
        ValueCase{"TooLong",
                  R"({"type":"string","maxLength":2})",
                  R"("abc")",
                  {"spec.x: Too long: may not be more than 2 bytes"}},
        ValueCase{"TooShort",
                  R"({"type":"string","minLength":2})",
                  R"("€")",
                  {"spec.x: Invalid value: \"€\": spec.x in body should be at least 2 chars long"}},
        ValueCase{"Pattern",
                  R"({"type":"string","pattern":"^[a-z]+$"})",
                  R"("A1")",
                  {"spec.x: Invalid value: \"A1\": spec.x in body should match '^[a-z]+$'"}},
        ValueCase{"PatternMatchesAPart", R"({"type":"string","pattern":"b"})", R"("abc")", {}},
        ValueCase{"Format",
                  R"({"type":"string","format":"date-time"})",
                  R"("yesterday")",
                  {"spec.x: Invalid value: \"yesterday\": spec.x in body must be of type date-time: "
                   "\"yesterday\""}},
        ValueCase{"FormatOfAnotherKind",
                  R"({"type":"string","format":"uuid"})",
                  "5",
                  {"spec.x: Invalid value: \"int64\": spec.x in body must be of type uuid: \"int64\""}},
        ValueCase{"UnknownFormat", R"({"type":"string","format":"color"})", R"("?")", {}},
        ValueCase{"NumberFormatIsNotCheckedInCustomResources",
                  R"({"type":"integer","format":"int32"})",
                  "5000000000",
                  {}},
        ValueCase{"Enum",
                  R"({"type":"string","enum":["a","b"]})",
                  R"("x")",
                  {R"(spec.x: Unsupported value: "x": supported values: "a", "b")"}},
        ValueCase{"EnumOfNumbers",
                  R"({"type":"integer","enum":[1,2]})",
                  "3",
                  {R"(spec.x: Unsupported value: 3: supported values: "1", "2")"}},
        ValueCase{"EnumByValue", R"({"type":"number","enum":[1]})", "1.0", {}}),
    value_case_name);

INSTANTIATE_TEST_SUITE_P(
    Containers, FieldValue,
    testing::Values(
        ValueCase{"Required",
                  R"({"type":"object","properties":{"a":{"type":"string"}},"required":["a","b"]})",
                  "{}",
                  {"spec.x.a: Required value", "spec.x.b: Required value"}},
        ValueCase{"MinProperties",
                  R"({"type":"object","minProperties":2,"additionalProperties":{"type":"string"}})",
                  R"({"a":"b"})",
                  {"spec.x: Invalid value: 2: spec.x in body should have at least 2 properties"}},
        ValueCase{"MaxProperties",
                  R"({"type":"object","maxProperties":1,"additionalProperties":{"type":"string"}})",
                  R"({"a":"b","c":"d"})",
                  {"spec.x: Too many: 2: must have at most 1 item"}},
        ValueCase{
            "MapValues",
            R"({"type":"object","additionalProperties":{"type":"string"}})",
            R"({"a":1})",
            {"spec.x.a: Invalid value: \"integer\": spec.x.a in body must be of type string: \"integer\""}},
        ValueCase{"ForbiddenProperty",
                  R"({"type":"object","additionalProperties":false})",
                  R"({"a":1})",
                  {"spec.x: Invalid value: \"a\": spec.x.a in body is a forbidden property"}},
        ValueCase{"Items",
                  R"({"type":"array","items":{"type":"object","properties":{"n":{"type":"integer"}}}})",
                  R"([{"n":1},{"n":"a"}])",
                  {"spec.x[1].n: Invalid value: \"string\": spec.x[1].n in body must be of type integer: "
                   "\"string\""}},
        ValueCase{"MinItems",
                  R"({"type":"array","items":{"type":"string"},"minItems":2})",
                  R"(["a"])",
                  {"spec.x: Invalid value: 1: spec.x in body should have at least 2 items"}},
        ValueCase{"MaxItems",
                  R"({"type":"array","items":{"type":"string"},"maxItems":1})",
                  R"(["a","b"])",
                  {"spec.x: Too many: 2: must have at most 1 item"}},
        ValueCase{"SetDuplicate",
                  R"({"type":"array","items":{"type":"string"},"x-kubernetes-list-type":"set"})",
                  R"(["a","b","a","a"])",
                  {"spec.x[2]: Duplicate value: \"a\""}},
        ValueCase{
            "MapDuplicate",
            R"({"type":"array","x-kubernetes-list-type":"map","x-kubernetes-list-map-keys":["n","p"],"items":{
               "type":"object","required":["n"],"properties":{"n":{"type":"string"},"p":{"type":"integer","default":1}}}})",
            R"([{"n":"a","p":1},{"n":"a","p":2},{"n":"a","p":1.0}])",
            {"spec.x[2]: Duplicate value: map[string]interface {}{\"n\":\"a\", \"p\":1}"}},
        ValueCase{
            "Embedded",
            R"({"type":"object","x-kubernetes-embedded-resource":true,"x-kubernetes-preserve-unknown-fields":true})",
            R"({"apiVersion":"","kind":"Bad_Kind","metadata":{"labels":{"a":1}}})",
            {"spec.x.metadata.labels.a: Invalid value: \"integer\": spec.x.metadata.labels.a in body must be "
             "of "
             "type string: \"integer\"",
             "spec.x.apiVersion: Invalid value: \"\": must not be empty",
             "spec.x.kind: Invalid value: \"Bad_Kind\": may have mixed case, but should otherwise match: a "
             "DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an "
             "alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', "
             "regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')"}}),
    value_case_name);

INSTANTIATE_TEST_SUITE_P(
    Branches, FieldValue,
    testing::Values(
        ValueCase{"AnyOf", R"({"type":"integer","anyOf":[{"minimum":10},{"maximum":1}]})", "1", {}},
        ValueCase{"AnyOfNone",
                  R"({"type":"integer","anyOf":[{"minimum":10},{"maximum":1}]})",
                  "5",
                  {"<nil>: Invalid value: \"\": \"spec.x\" must validate at least one schema (anyOf)",
                   "spec.x: Invalid value: 5: spec.x in body should be greater than or equal to 10"}},
        ValueCase{
            "OneOfTwo",
            R"({"type":"integer","oneOf":[{"minimum":1},{"minimum":2}]})",
            "5",
            {"<nil>: Invalid value: \"\": \"spec.x\" must validate one and only one schema (oneOf). Found 2 "
             "valid alternatives"}},
        ValueCase{"OneOfNone",
                  R"({"type":"object","properties":{"a":{"type":"string"},"b":{"type":"string"}},
                     "oneOf":[{"required":["a"]},{"required":["b"]}]})",
                  "{}",
                  {"<nil>: Invalid value: \"\": \"spec.x\" must validate one and only one schema (oneOf). "
                   "Found none "
                   "valid",
                   "spec.x.a: Required value"}},
        ValueCase{"AllOf",
                  R"({"type":"integer","allOf":[{"minimum":1},{"maximum":3}]})",
                  "5",
                  {"spec.x: Invalid value: 5: spec.x in body should be less than or equal to 3",
                   "<nil>: Invalid value: \"\": \"spec.x\" must validate all the schemas (allOf)"}},
        ValueCase{"Not",
                  R"({"type":"string","not":{"enum":["a"]}})",
                  R"("a")",
                  {"<nil>: Invalid value: \"\": \"spec.x\" must not validate the schema (not)"}},
        ValueCase{"NearestAlternativeIsReported",
                  R"({"type":"string","anyOf":[{"pattern":"^a"},{"format":"date"}]})",
                  R"("x")",
                  {"<nil>: Invalid value: \"\": \"spec.x\" must validate at least one schema (anyOf)",
                   "spec.x: Invalid value: \"x\": spec.x in body must be of type date: \"x\""}}),
    value_case_name);

TEST(Validate, ChecksMetadataByItsOwnSchemaAndTheRestrictions) {
  const auto schema = compiled(R"({"type":"object","properties":{"metadata":{"type":"object","properties":
      {"name":{"type":"string","maxLength":3}}}}})");
  EXPECT_THAT(texts(validate(*schema, json(R"({"metadata":{"name":"abcd"}})"))),
              ElementsAre("metadata.name: Too long: may not be more than 3 bytes"));
  EXPECT_THAT(
      texts(validate(*schema, json(R"({"metadata":{"labels":{"a":true}}})"))),
      ElementsAre("metadata.labels.a: Invalid value: \"boolean\": metadata.labels.a in body must be of type "
                  "string: \"boolean\""));
}

TEST(Validate, NumbersOfBuiltInKindsFitTheirFormat) {
  const auto schema =
      compiled_part(R"({"type":"object","properties":{"n":{"type":"integer","format":"int32"}}})");
  EXPECT_THAT(validate(*schema, json(R"({"n":2147483647})")), IsEmpty());
  EXPECT_THAT(
      texts(validate(*schema, json(R"({"n":2147483648})"))),
      ElementsAre("n: Invalid value: 2147483648: n in body must be of type integer with format int32"));
}

TEST(Validate, UniqueItemsOfBuiltInKinds) {
  const auto schema = compiled_part(R"({"type":"array","uniqueItems":true})");
  EXPECT_THAT(validate(*schema, json(R"([{"a":1},{"a":2}])")), IsEmpty());
  EXPECT_THAT(texts(validate(*schema, json(R"([{"a":1,"b":2},{"b":2,"a":1.0}])"))),
              ElementsAre("<nil>: Invalid value: \"\":  in body shouldn't contain duplicates"));
}

TEST(Validate, ReportsAFaultThatTwoBranchesFindOnce) {
  const auto schema = compiled(R"({"type":"object","properties":{"x":{"type":"integer",
      "allOf":[{"minimum":3},{"minimum":3}]}}})");
  EXPECT_THAT(
      texts(validate(*schema, json(R"({"x":1})"))),
      ElementsAre("x: Invalid value: 1: x in body should be greater than or equal to 3",
                  "<nil>: Invalid value: \"\": \"x\" must validate all the schemas (allOf). None validated"));
}

TEST(Validate, IsBoundedOnDeepValues) {
  const Object definitions =
      testing_support::object(R"({"N":{"type":"object","additionalProperties":{"$ref":"#/definitions/N"}}})");
  const auto schema =
      compiled(R"({"$ref":"#/definitions/N"})", {.structural = false, .definitions = &definitions});
  Value deep = Object{};
  for (int i = 0; i < 600; ++i) deep = Object{{"a", std::move(deep)}};
  const FieldErrors errors = validate(*schema, deep);
  ASSERT_EQ(errors.size(), 1u);
  EXPECT_EQ(errors[0].detail, "must not be nested so deep");
}

TEST(Validate, FindsOneDuplicateAmongTenThousandKeys) {
  const auto schema =
      compiled(R"({"type":"object","properties":{"list":{"type":"array","x-kubernetes-list-type":"map",
      "x-kubernetes-list-map-keys":["name"],"items":{"type":"object","required":["name"],
      "properties":{"name":{"type":"string"}}}}}})");
  Array list;
  for (int i = 0; i < 10'000; ++i) list.push_back(Object{{"name", "n" + std::to_string(i)}});
  list.push_back(Object{{"name", "n1234"}});
  EXPECT_THAT(texts(validate(*schema, Object{{"list", std::move(list)}})),
              ElementsAre("list[10000]: Duplicate value: map[string]interface {}{\"name\":\"n1234\"}"));
}

}  // namespace
}  // namespace fairway::json
