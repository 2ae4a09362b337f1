#include "json/field_set.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "json/apply_typed.hpp"
#include "json/schema_testing.hpp"

namespace fairway::json {
namespace {

using ::testing::HasSubstr;
using testing_support::compiled_part;
using testing_support::json;

FieldSet set(std::string_view fields) {
  auto decoded = FieldSet::decode(json(fields));
  EXPECT_TRUE(decoded.has_value()) << fields;
  return decoded ? *std::move(decoded) : FieldSet();
}

struct ElementCase {
  const char* encoded;
  const char* text;
};

class Elements : public testing::TestWithParam<ElementCase> {};

TEST_P(Elements, AreReadAndWrittenUnchanged) {
  const auto element = PathElement::decode(GetParam().encoded);
  ASSERT_TRUE(element.has_value());
  EXPECT_EQ(element->encode(), GetParam().encoded);
  EXPECT_EQ(element->text(), GetParam().text);
}

INSTANTIATE_TEST_SUITE_P(
    Kinds, Elements,
    testing::Values(ElementCase{"f:replicas", ".replicas"}, ElementCase{"f:a.b/c", ".a.b/c"},
                    ElementCase{"f:", "."}, ElementCase{R"(k:{"name":"x"})", R"([name="x"])"},
                    ElementCase{R"(k:{"port":80,"protocol":"TCP"})", R"([port=80,protocol="TCP"])"},
                    ElementCase{R"(v:"x")", R"([="x"])"}, ElementCase{"v:1", "[=1]"},
                    ElementCase{"v:1.5", "[=1.5]"}, ElementCase{"v:true", "[=true]"},
                    ElementCase{"i:12", "[12]"}, ElementCase{R"(v:"a\u003cb\u0026c")", R"([="a<b&c"])"}));

TEST(Elements, KeyFieldsAreSorted) {
  EXPECT_EQ(PathElement::decode(R"(k:{"b":1,"a":2})")->encode(), R"(k:{"a":2,"b":1})");
}

TEST(Elements, RefuseWhatTheyCannotBe) {
  EXPECT_EQ(PathElement::decode("x:y").error().code, ErrorCode::Unsupported);
  EXPECT_THAT(PathElement::decode("f").error().message, HasSubstr("key must be 2 characters long"));
  EXPECT_THAT(PathElement::decode("name").error().message, HasSubstr("missing colon"));
  EXPECT_EQ(PathElement::decode("k:[1]").error().code, ErrorCode::Invalid);
  EXPECT_EQ(PathElement::decode("v:{").error().code, ErrorCode::Invalid);
  EXPECT_EQ(PathElement::decode("i:x").error().code, ErrorCode::Invalid);
}

TEST(Elements, AreOrderedByKindThenByContent) {
  const std::vector<std::string> sorted{
      "f:a",          "f:b",     R"(k:{"a":1})", R"(k:{"a":2})", R"(k:{"a":2,"b":1})",
      R"(k:{"b":0})", "v:1",     "v:1.5",        "v:2",          R"(v:"a")",
      R"(v:"b")",     "v:false", "v:true",       "v:[1]",        R"(v:{"a":1})",
      "v:null",       "i:3",     "i:12"};
  for (std::size_t i = 0; i + 1 < sorted.size(); ++i) {
    EXPECT_LT(*PathElement::decode(sorted[i]), *PathElement::decode(sorted[i + 1])) << sorted[i];
  }
}

// As structured-merge-diff writes it.
constexpr std::string_view kDeployment =
    R"({"f:metadata":{"f:labels":{".":{},"f:app":{}}},"f:spec":{"f:replicas":{},"f:template":{"f:spec":{)"
    R"("f:containers":{"k:{\"name\":\"web\"}":{".":{},"f:image":{},"f:ports":{)"
    R"("k:{\"containerPort\":80,\"protocol\":\"TCP\"}":{".":{},"f:containerPort":{}}}}},)"
    R"("f:finalizers":{"v:\"a\"":{},"v:\"b\"":{}}}}}})";

TEST(FieldSetCodec, IsByteCompatible) {
  EXPECT_EQ(serialize(set(kDeployment).encode()), kDeployment);
  EXPECT_EQ(serialize(FieldSet().encode()), "{}");
}

TEST(FieldSetCodec, SortsWhatOthersWroteInAnyOrder) {
  EXPECT_EQ(
      serialize(
          set(R"({"v:1":{},"f:b":{"f:y":{},"f:x":{},".":{}},"i:0":{},"f:a":{},"k:{\"n\":1}":{}})").encode()),
      R"({"f:a":{},"f:b":{".":{},"f:x":{},"f:y":{}},"k:{\"n\":1}":{},"v:1":{},"i:0":{}})");
}

TEST(FieldSetCodec, DropsUnknownKindsAndRefusesNonsense) {
  EXPECT_EQ(set(R"({"f:a":{},"q:new":{"f:b":{}}})").text(), ".a");
  EXPECT_FALSE(FieldSet::decode(json("[]")).has_value());
  EXPECT_FALSE(FieldSet::decode(json(R"({"f:a":1})")).has_value());
  Value deep = Object{};
  for (int i = 0; i < 600; ++i) deep = Object{{"f:a", std::move(deep)}};
  EXPECT_THAT(FieldSet::decode(deep).error().message, HasSubstr("nested too deep"));
}

TEST(FieldSetPaths, ListMembersOfALevelBeforeWhatIsBelow) {
  EXPECT_EQ(set(R"({"f:a":{".":{},"f:z":{}},"f:b":{},"f:c":{"f:y":{}}})").text(), ".a\n.b\n.a.z\n.c.y");
}

TEST(FieldSetPaths, AreFoundAndCounted) {
  const FieldSet fields = set(R"({"f:a":{".":{},"f:b":{}},"f:c":{"f:d":{}}})");
  const auto f = [](const char* name) { return PathElement::field(name); };
  EXPECT_EQ(fields.size(), 3u);
  EXPECT_TRUE(fields.has({f("a")}));
  EXPECT_TRUE(fields.has({f("a"), f("b")}));
  EXPECT_FALSE(fields.has({f("c")}));
  EXPECT_TRUE(fields.has({f("c"), f("d")}));
  EXPECT_FALSE(fields.has({}));
  EXPECT_FALSE(fields.has({f("x"), f("y")}));
  EXPECT_EQ(fields.children(f("c")).text(), ".d");
  EXPECT_TRUE(fields.children(f("x")).empty());
}

TEST(FieldSetPaths, AreInsertedInOrder) {
  FieldSet fields;
  const auto f = [](const char* name) { return PathElement::field(name); };
  fields.insert({f("b"), f("c")});
  fields.insert({f("a")});
  fields.insert({f("b")});
  fields.insert({f("b")});
  EXPECT_EQ(serialize(fields.encode()), R"({"f:a":{},"f:b":{".":{},"f:c":{}}})");
  EXPECT_EQ(fields, set(R"({"f:b":{"f:c":{},".":{}},"f:a":{}})"));
}

struct Operation {
  const char* name;
  FieldSet (FieldSet::*run)(const FieldSet&) const;
  const char* left;
  const char* right;
  const char* result;
};

void PrintTo(const Operation& each, std::ostream* out) {
  *out << each.name;
}

class Operations : public testing::TestWithParam<Operation> {};

TEST_P(Operations, FollowTheRulesOfPaths) {
  const Operation& op = GetParam();
  EXPECT_EQ(serialize((set(op.left).*op.run)(set(op.right)).encode()), op.result);
}

INSTANTIATE_TEST_SUITE_P(
    Table, Operations,
    testing::Values(Operation{"Union", &FieldSet::unite, R"({"f:a":{},"f:b":{"f:x":{}}})",
                              R"({"f:b":{".":{},"f:y":{}},"f:c":{}})",
                              R"({"f:a":{},"f:b":{".":{},"f:x":{},"f:y":{}},"f:c":{}})"},
                    Operation{"UnionWithNothing", &FieldSet::unite, "{}", R"({"f:a":{}})", R"({"f:a":{}})"},
                    Operation{"Intersection", &FieldSet::intersect, R"({"f:a":{},"f:b":{".":{},"f:x":{}}})",
                              R"({"f:a":{"f:z":{}},"f:b":{"f:x":{},"f:y":{}}})", R"({"f:b":{"f:x":{}}})"},
                    Operation{"DifferenceOfLeaves", &FieldSet::subtract,
                              R"({"f:a":{},"f:b":{"f:x":{},"f:y":{}}})", R"({"f:a":{},"f:b":{"f:x":{}}})",
                              R"({"f:b":{"f:y":{}}})"},
                    Operation{"DifferenceKeepsChildrenOfAParent", &FieldSet::subtract,
                              R"({"f:a":{".":{},"f:b":{}}})", R"({"f:a":{}})", R"({"f:a":{"f:b":{}}})"},
                    Operation{"DifferenceKeepsAParent", &FieldSet::subtract, R"({"f:a":{".":{},"f:b":{}}})",
                              R"({"f:a":{"f:b":{}}})", R"({"f:a":{}})"},
                    Operation{"RecursiveDifferenceTakesChildren", &FieldSet::subtract_recursively,
                              R"({"f:a":{".":{},"f:b":{}},"f:c":{"f:d":{},"f:e":{}}})",
                              R"({"f:a":{},"f:c":{"f:d":{}}})", R"({"f:c":{"f:e":{}}})"},
                    Operation{"RecursiveDifferenceOfNothing", &FieldSet::subtract_recursively,
                              R"({"f:a":{"f:b":{}}})", "{}", R"({"f:a":{"f:b":{}}})"}),
    [](const auto& info) { return info.param.name; });

TEST(FieldSetLeaves, LeadNowhereElse) {
  EXPECT_EQ(serialize(set(R"({"f:a":{".":{},"f:b":{}},"f:c":{}})").leaves().encode()),
            R"({"f:a":{"f:b":{}},"f:c":{}})");
}

TEST(FieldSetNamedFields, AreStructFieldsAndNotMapEntries) {
  const auto schema = compiled_part(R"({"type":"object","properties":{
      "spec":{"type":"object","properties":{"n":{"type":"integer"}}},
      "map":{"type":"object","additionalProperties":{"type":"object","properties":{"x":{"type":"integer"}}}}}})");
  EXPECT_EQ(
      serialize(
          set(R"({"f:map":{"f:k":{"f:x":{}}},"f:spec":{"f:n":{}}})").with_named_fields(*schema).encode()),
      R"({"f:map":{".":{},"f:k":{"f:x":{}}},"f:spec":{".":{},"f:n":{}}})");
}

}  // namespace
}  // namespace fairway::json
