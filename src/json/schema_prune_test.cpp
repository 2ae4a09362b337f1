#include "json/schema_prune.hpp"

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

struct PruneCase {
  const char* name;
  const char* schema;  // of spec
  const char* before;
  const char* after;
  std::vector<std::string> unknown;
};

void PrintTo(const PruneCase& each, std::ostream* out) {
  *out << each.name;
}

class Prune : public testing::TestWithParam<PruneCase> {};

TEST_P(Prune, RemovesWhatTheSchemaDoesNotName) {
  const auto schema =
      compiled(R"({"type":"object","properties":{"spec":)" + std::string(GetParam().schema) + "}}");
  Value value = Object{{"spec", json(GetParam().before)}};
  std::vector<std::string> unknown;
  prune(*schema, value, &unknown);
  EXPECT_EQ(serialize(value.at("spec")), GetParam().after);
  EXPECT_EQ(unknown, GetParam().unknown);
  Value again = value;
  prune(*schema, again);
  EXPECT_EQ(again, value);
}

INSTANTIATE_TEST_SUITE_P(
    Table, Prune,
    testing::Values(
        PruneCase{
            "Fields",
            R"({"type":"object","properties":{"a":{"type":"string"},"b":{"type":"object","properties":{"c":{"type":"string"}}}}})",
            R"({"z":1,"a":"x","b":{"y":2,"c":"d"},"w":3})",
            R"({"a":"x","b":{"c":"d"}})",
            {"spec.b.y", "spec.w", "spec.z"}},
        PruneCase{"Items",
                  R"({"type":"array","items":{"type":"object","properties":{"a":{"type":"string"}}}})",
                  R"([{"a":"x"},{"a":"y","b":1}])",
                  R"([{"a":"x"},{"a":"y"}])",
                  {"spec[1].b"}},
        PruneCase{
            "MapValues",
            R"({"type":"object","additionalProperties":{"type":"object","properties":{"a":{"type":"string"}}}})",
            R"({"k":{"a":"x","b":1}})",
            R"({"k":{"a":"x"}})",
            {"spec.k.b"}},
        PruneCase{"AnyMapKeepsScalarsOnly",
                  R"({"type":"object","additionalProperties":true})",
                  R"({"k":1,"m":{"n":2}})",
                  R"({"k":1,"m":{}})",
                  {"spec.m.n"}},
        PruneCase{
            "Preserved",
            R"({"type":"object","x-kubernetes-preserve-unknown-fields":true,"properties":{"a":{"type":"object","properties":{"b":{"type":"string"}}}}})",
            R"({"x":{"y":[{"z":1}]},"a":{"b":"c","d":1}})",
            R"({"x":{"y":[{"z":1}]},"a":{"b":"c"}})",
            {"spec.a.d"}},
        PruneCase{
            "PreservedList",
            R"({"type":"array","x-kubernetes-preserve-unknown-fields":true,"items":{"type":"object","properties":{"a":{"type":"object"}}}})",
            R"([{"x":1,"a":{"b":1}}])",
            R"([{"x":1,"a":{}}])",
            {"spec[0].a.b"}},
        PruneCase{
            "EmbeddedKeepsItsMeta",
            R"({"type":"object","x-kubernetes-embedded-resource":true,"properties":{"a":{"type":"string"}}})",
            R"({"apiVersion":"v1","kind":"K","metadata":{"name":"n","bogus":1},"b":1})",
            R"({"apiVersion":"v1","kind":"K","metadata":{"name":"n"}})",
            {"spec.b", "spec.metadata.bogus"}},
        PruneCase{"ScalarsWhereObjectsAreExpectedStay",
                  R"({"type":"object","properties":{"a":{"type":"object"}}})",
                  R"({"a":5})",
                  R"({"a":5})",
                  {}}),
    [](const auto& info) { return info.param.name; });

TEST(PruneRoot, KnowsTheMetaFieldsOfAResource) {
  const auto schema = compiled(R"({"type":"object","properties":{"spec":{"type":"object"}}})");
  Value value = json(R"({"apiVersion":"v1","kind":"K","metadata":{"name":"n","labels":{"a":"b"},
      "managedFields":[{"manager":"m","fieldsV1":{"f:spec":{}}}],"extra":1},"spec":{},"status":{}})");
  std::vector<std::string> unknown;
  prune(*schema, value, &unknown);
  EXPECT_EQ(serialize(value), R"({"apiVersion":"v1","kind":"K","metadata":{"name":"n","labels":{"a":"b"},)"
                              R"("managedFields":[{"manager":"m","fieldsV1":{"f:spec":{}}}]},"spec":{}})");
  EXPECT_THAT(unknown, ElementsAre("metadata.extra", "status"));
  EXPECT_EQ(unknown_field_text(unknown[0]), R"(unknown field "metadata.extra")");
}

TEST(PruneRoot, LeavesFreeFormObjectsOfBuiltInKindsAlone) {
  const auto schema = compiled_part(R"({"type":"object","properties":{"raw":{"type":"object"},"any":{}}})");
  Value value = json(R"({"raw":{"a":{"b":1}},"any":{"c":[{"d":1}]},"x":1})");
  prune(*schema, value);
  EXPECT_EQ(serialize(value), R"({"raw":{"a":{"b":1}},"any":{"c":[{"d":1}]}})");
}

struct DefaultCase {
  const char* name;
  const char* schema;  // of spec
  const char* before;
  const char* after;
};

void PrintTo(const DefaultCase& each, std::ostream* out) {
  *out << each.name;
}

class Defaults : public testing::TestWithParam<DefaultCase> {};

TEST_P(Defaults, FillWhatIsAbsent) {
  const auto schema =
      compiled(R"({"type":"object","properties":{"spec":)" + std::string(GetParam().schema) + "}}");
  Value value = Object{{"spec", json(GetParam().before)}};
  apply_defaults(*schema, value);
  EXPECT_EQ(serialize(value.at("spec")), GetParam().after);
  Value again = value;
  apply_defaults(*schema, again);
  EXPECT_EQ(again, value);
}

INSTANTIATE_TEST_SUITE_P(
    Table, Defaults,
    testing::Values(
        DefaultCase{
            "Absent",
            R"({"type":"object","properties":{"a":{"type":"string","default":"x"},"b":{"type":"string"}}})",
            "{}", R"({"a":"x"})"},
        DefaultCase{"Present", R"({"type":"object","properties":{"a":{"type":"string","default":"x"}}})",
                    R"({"a":"y"})", R"({"a":"y"})"},
        DefaultCase{"NullIsReplaced",
                    R"({"type":"object","properties":{"a":{"type":"string","default":"x"}}})",
                    R"({"a":null})", R"({"a":"x"})"},
        DefaultCase{"NullableStays",
                    R"({"type":"object","properties":{"a":{"type":"string","default":"x","nullable":true}}})",
                    R"({"a":null})", R"({"a":null})"},
        DefaultCase{"NullWithoutDefaultGoes", R"({"type":"object","properties":{"a":{"type":"string"}}})",
                    R"({"a":null})", "{}"},
        DefaultCase{
            "DefaultsOfDefaults",
            R"({"type":"object","properties":{"a":{"type":"object","default":{},"properties":{"b":{"type":"integer","default":1}}}}})",
            "{}", R"({"a":{"b":1}})"},
        DefaultCase{
            "NoParentIsMade",
            R"({"type":"object","properties":{"a":{"type":"object","properties":{"b":{"type":"integer","default":1}}}}})",
            "{}", "{}"},
        DefaultCase{
            "InItemsAndMaps",
            R"({"type":"object","properties":{"l":{"type":"array","items":{"type":"object","properties":{"p":{"type":"integer","default":80}}}},
               "m":{"type":"object","additionalProperties":{"type":"object","properties":{"p":{"type":"integer","default":81}}}}}})",
            R"({"l":[{},{"p":1}],"m":{"k":{}}})", R"({"l":[{"p":80},{"p":1}],"m":{"k":{"p":81}}})"},
        DefaultCase{"NullMapValue", R"({"type":"object","additionalProperties":{"type":"string"}})",
                    R"({"a":null,"b":"c"})", R"({"b":"c"})"},
        DefaultCase{"NullItemsStay", R"({"type":"array","items":{"type":"string"}})", R"([null,"a"])",
                    R"([null,"a"])"}),
    [](const auto& info) { return info.param.name; });

TEST(DefaultsRoot, DropNullsOfMetadata) {
  const auto schema = compiled(R"({"type":"object"})");
  Value value = json(R"({"metadata":{"name":"a","creationTimestamp":null}})");
  apply_defaults(*schema, value);
  EXPECT_EQ(serialize(value), R"({"metadata":{"name":"a"}})");
}

}  // namespace
}  // namespace fairway::json
