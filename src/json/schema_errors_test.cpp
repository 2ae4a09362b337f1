#include "json/schema_errors.hpp"

#include <gtest/gtest.h>

#include "json/schema_testing.hpp"

namespace fairway::json {
namespace {

using testing_support::json;

struct Worded {
  FieldError error;
  const char* text;
  const char* reason;
};

class FieldErrorText : public testing::TestWithParam<Worded> {};

TEST_P(FieldErrorText, IsWhatTheApiWrites) {
  EXPECT_EQ(GetParam().error.text(), GetParam().text);
  EXPECT_EQ(GetParam().error.reason(), GetParam().reason);
}

const std::vector<std::string> kModes{"a", "b"};

INSTANTIATE_TEST_SUITE_P(
    Types, FieldErrorText,
    testing::Values(
        Worded{FieldError::invalid("spec.replicas", -1,
                                   "spec.replicas in body should be greater than or equal to 0"),
               "spec.replicas: Invalid value: -1: spec.replicas in body should be greater than or equal to 0",
               "FieldValueInvalid"},
        Worded{FieldError::not_supported("spec.mode", "x", kModes),
               "spec.mode: Unsupported value: \"x\": supported values: \"a\", \"b\"",
               "FieldValueNotSupported"},
        Worded{FieldError::required("spec.name"), "spec.name: Required value", "FieldValueRequired"},
        Worded{FieldError::required("type", "must not be empty at the root"),
               "type: Required value: must not be empty at the root", "FieldValueRequired"},
        Worded{FieldError::too_long("spec.name", 5), "spec.name: Too long: may not be more than 5 bytes",
               "FieldValueTooLong"},
        Worded{FieldError::too_long("a", 1), "a: Too long: may not be more than 1 byte", "FieldValueTooLong"},
        Worded{FieldError::too_many("spec.list", 3, 2), "spec.list: Too many: 3: must have at most 2 items",
               "FieldValueTooMany"},
        Worded{FieldError::forbidden("spec.x", "must not be used"), "spec.x: Forbidden: must not be used",
               "FieldValueForbidden"},
        Worded{FieldError::type_invalid("a", "string", "a in body must be of type integer: \"string\""),
               "a: Invalid value: \"string\": a in body must be of type integer: \"string\"",
               "FieldValueTypeInvalid"},
        Worded{FieldError::invalid("a", Value(), "is null"), "a: Invalid value: \"null\": is null",
               "FieldValueInvalid"},
        Worded{FieldError::duplicate("a[1]", json(R"({"b":[1,true,null,"x"],"a":1.5})")),
               "a[1]: Duplicate value: map[string]interface {}{\"a\":1.5, \"b\":[]interface {}{1, true, "
               "interface {}(nil), \"x\"}}",
               "FieldValueDuplicate"}));

TEST(FieldErrors, AreDescribedAloneOrAsAListWithoutRepetition) {
  const FieldError one = FieldError::required("a");
  const FieldError two = FieldError::required("b");
  EXPECT_EQ(describe({one}), "a: Required value");
  EXPECT_EQ(describe({one, one}), "a: Required value");
  EXPECT_EQ(describe({one, two, one}), "[a: Required value, b: Required value]");
}

TEST(FieldPaths, AreJoinedAsTheApiDoes) {
  EXPECT_EQ(child_path("", "spec"), "spec");
  EXPECT_EQ(key_path(child_path(index_path("spec.versions", 0), "properties"), "a"),
            "spec.versions[0].properties[a]");
}

struct GoNumber {
  double number;
  const char* text;
};

class GoNumbers : public testing::TestWithParam<GoNumber> {};

TEST_P(GoNumbers, ArePrintedWithTheShortestDigits) {
  EXPECT_EQ(go_number(GetParam().number), GetParam().text);
}

INSTANTIATE_TEST_SUITE_P(Table, GoNumbers,
                         testing::Values(GoNumber{1.5, "1.5"}, GoNumber{3, "3"}, GoNumber{100000, "100000"},
                                         GoNumber{1000000, "1e+06"}, GoNumber{123456789, "1.23456789e+08"},
                                         GoNumber{1e21, "1e+21"}, GoNumber{0.0001, "0.0001"},
                                         GoNumber{0.00001, "1e-05"}, GoNumber{-2.25, "-2.25"}));

TEST(GoText, QuotesAsGoDoes) {
  EXPECT_EQ(go_quoted("a\"\\\n\t\x01\x7f"), R"("a\"\\\n\t\x01\x7f")");
  EXPECT_EQ(go_quoted("é日本"), "\"é日本\"");
  EXPECT_EQ(go_quoted("\u00a0\u200b\u2028"), R"("\u00a0\u200b\u2028")");
  EXPECT_EQ(go_quoted("\xff\xc3"), R"("\xff\xc3")");
}

TEST(GoText, PrintsValues) {
  const Value value = json(R"({"b":["x",1],"a":{"c":null}})");
  EXPECT_EQ(go_plain(value), "map[a:map[c:<nil>] b:[x 1]]");
  EXPECT_EQ(go_type(value), "map[string]interface {}");
  EXPECT_EQ(go_type(json("[]")), "[]interface {}");
  EXPECT_EQ(go_type(json("1.5")), "float64");
}

}  // namespace
}  // namespace fairway::json
