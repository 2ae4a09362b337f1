#include "json/patch.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace fairway::json {
namespace {

using ::testing::HasSubstr;

// The patched document as text, or the error; an error must leave the document as it was.
std::string patched(std::string_view document, std::string_view patch, const PatchLimits& limits = {}) {
  Value value = *parse(document);
  const Value before = value;
  const auto parsed_patch = Patch::parse(*parse(patch), limits);
  if (!parsed_patch) return parsed_patch.error().describe();
  const auto applied = parsed_patch->apply(value);
  if (applied) return serialize(value);
  EXPECT_EQ(applied.error().code, ErrorCode::Invalid);
  EXPECT_EQ(serialize(value), serialize(before)) << patch;
  return applied.error().describe();
}

struct PatchCase {
  const char* name;
  const char* document;
  const char* patch;
  const char* result;
};

class JsonPatch : public testing::TestWithParam<PatchCase> {};

TEST_P(JsonPatch, Applies) {
  const PatchCase& each = GetParam();
  EXPECT_EQ(patched(each.document, each.patch), each.result);
}

// A.n: the examples in appendix A of RFC 6902.
INSTANTIATE_TEST_SUITE_P(
    Rfc6902, JsonPatch,
    testing::Values(
        PatchCase{"A1_add_member", R"({"foo":"bar"})", R"([{"op":"add","path":"/baz","value":"qux"}])",
                  R"({"foo":"bar","baz":"qux"})"},
        PatchCase{"A2_add_element", R"({"foo":["bar","baz"]})",
                  R"([{"op":"add","path":"/foo/1","value":"qux"}])", R"({"foo":["bar","qux","baz"]})"},
        PatchCase{"A3_remove_member", R"({"baz":"qux","foo":"bar"})", R"([{"op":"remove","path":"/baz"}])",
                  R"({"foo":"bar"})"},
        PatchCase{"A4_remove_element", R"({"foo":["bar","qux","baz"]})",
                  R"([{"op":"remove","path":"/foo/1"}])", R"({"foo":["bar","baz"]})"},
        PatchCase{"A5_replace", R"({"baz":"qux","foo":"bar"})",
                  R"([{"op":"replace","path":"/baz","value":"boo"}])", R"({"baz":"boo","foo":"bar"})"},
        PatchCase{"A6_move_value", R"({"foo":{"bar":"baz","waldo":"fred"},"qux":{"corge":"grault"}})",
                  R"([{"op":"move","from":"/foo/waldo","path":"/qux/thud"}])",
                  R"({"foo":{"bar":"baz"},"qux":{"corge":"grault","thud":"fred"}})"},
        PatchCase{"A7_move_element", R"({"foo":["all","grass","cows","eat"]})",
                  R"([{"op":"move","from":"/foo/1","path":"/foo/3"}])",
                  R"({"foo":["all","cows","eat","grass"]})"},
        PatchCase{"A8_test", R"({"baz":"qux","foo":["a",2,"c"]})",
                  R"([{"op":"test","path":"/baz","value":"qux"},{"op":"test","path":"/foo/1","value":2}])",
                  R"({"baz":"qux","foo":["a",2,"c"]})"},
        PatchCase{"A9_test_fails", R"({"baz":"qux"})", R"([{"op":"test","path":"/baz","value":"bar"}])",
                  R"(patch operation 0, test "/baz": expected "\"bar\"", found "\"qux\"")"},
        PatchCase{"A10_nested", R"({"foo":"bar"})",
                  R"([{"op":"add","path":"/child","value":{"grandchild":{}}}])",
                  R"({"foo":"bar","child":{"grandchild":{}}})"},
        PatchCase{"A11_unknown_members", R"({"foo":"bar"})",
                  R"([{"op":"add","path":"/baz","value":"qux","xyz":123}])", R"({"foo":"bar","baz":"qux"})"},
        PatchCase{"A12_missing_target", R"({"foo":"bar"})",
                  R"([{"op":"add","path":"/baz/bat","value":"qux"}])",
                  R"(patch operation 0, add "/baz/bat": expected a value at "/baz", found none)"},
        PatchCase{"A14_escapes", R"({"/":9,"~1":10})", R"([{"op":"test","path":"/~01","value":10}])",
                  R"({"/":9,"~1":10})"},
        PatchCase{"A15_kinds_differ", R"({"/":9,"~1":10})", R"([{"op":"test","path":"/~01","value":"10"}])",
                  R"(patch operation 0, test "/~01": expected "\"10\"", found "10")"},
        PatchCase{"A16_append", R"({"foo":["bar"]})",
                  R"([{"op":"add","path":"/foo/-","value":["abc","def"]}])",
                  R"({"foo":["bar",["abc","def"]]})"}),
    [](const auto& test) { return test.param.name; });

INSTANTIATE_TEST_SUITE_P(
    More, JsonPatch,
    testing::Values(
        PatchCase{"add_replaces_a_member_in_place", R"({"a":1,"b":2})",
                  R"([{"op":"add","path":"/a","value":[]}])", R"({"a":[],"b":2})"},
        PatchCase{"add_null", R"({})", R"([{"op":"add","path":"/a","value":null}])", R"({"a":null})"},
        PatchCase{"add_at_the_end", "[1]", R"([{"op":"add","path":"/1","value":2}])", "[1,2]"},
        PatchCase{"add_beyond_the_end", "[1]", R"([{"op":"add","path":"/2","value":2}])",
                  R"(patch operation 0, add "/2": expected an index from 0 to 1 or '-', found "2")"},
        PatchCase{"add_at_a_negative_index", "[1]", R"([{"op":"add","path":"/-1","value":2}])",
                  R"(patch operation 0, add "/-1": expected an index from 0 to 1 or '-', found "-1")"},
        PatchCase{"add_below_a_scalar", R"({"a":"x"})", R"([{"op":"add","path":"/a/b","value":2}])",
                  R"(patch operation 0, add "/a/b": expected an object or an array at "/a", found a string)"},
        PatchCase{"whole_document", R"({"a":1})", R"([{"op":"replace","path":"","value":[1]}])", "[1]"},
        PatchCase{"add_whole_document", R"({"a":1})", R"([{"op":"add","path":"","value":7}])", "7"},
        PatchCase{"remove_whole_document", R"({"a":1})", R"([{"op":"remove","path":""}])", "null"},
        PatchCase{"remove_missing", R"({"a":1})", R"([{"op":"remove","path":"/b"}])",
                  R"(patch operation 0, remove "/b": expected a value at "/b", found none)"},
        PatchCase{"remove_after_the_end", "[1]", R"([{"op":"remove","path":"/-"}])",
                  R"(patch operation 0, remove "/-": expected a value at "/-", found none)"},
        PatchCase{"replace_missing", R"({"a":1})", R"([{"op":"replace","path":"/b","value":1}])",
                  R"(patch operation 0, replace "/b": expected a value at "/b", found none)"},
        PatchCase{"copy", R"({"a":{"x":1}})",
                  R"([{"op":"copy","from":"/a","path":"/b"},{"op":"remove","path":"/a/x"}])",
                  R"({"a":{},"b":{"x":1}})"},
        PatchCase{"copy_into_itself", R"({"a":{"x":1}})", R"([{"op":"copy","from":"/a","path":"/a/y"}])",
                  R"({"a":{"x":1,"y":{"x":1}}})"},
        PatchCase{"copy_within_an_array", "[1,2]", R"([{"op":"copy","from":"/0","path":"/-"}])", "[1,2,1]"},
        PatchCase{"move_to_where_it_is", R"({"a":1})", R"([{"op":"move","from":"/a","path":"/a"}])",
                  R"({"a":1})"},
        PatchCase{
            "move_into_itself", R"({"a":{"b":1}})", R"([{"op":"move","from":"/a","path":"/a/b"}])",
            R"(patch operation 0, move "/a/b": a value cannot be moved into itself, from "/a" to "/a/b")"},
        PatchCase{"test_ignores_key_order_and_number_form", R"({"a":{"x":1,"z":2}})",
                  R"([{"op":"test","path":"/a","value":{"z":2.0,"x":1}}])", R"({"a":{"x":1,"z":2}})"},
        PatchCase{"test_of_null_needs_a_value", R"({})", R"([{"op":"test","path":"/a","value":null}])",
                  R"(patch operation 0, test "/a": expected a value at "/a", found none)"},
        PatchCase{
            "nothing_changes_when_the_last_fails", R"({"a":1})",
            R"([{"op":"remove","path":"/a"},{"op":"add","path":"/c","value":1},{"op":"remove","path":"/a"}])",
            R"(patch operation 2, remove "/a": expected a value at "/a", found none)"},
        PatchCase{"empty", R"({"a":1})", "[]", R"({"a":1})"},
        PatchCase{"not_an_array", "{}", "{}",
                  "expected a JSON patch, an array of operations, found an object"},
        PatchCase{"not_an_object", "{}", "[1]", "patch operation 0: expected an object, found an integer"},
        PatchCase{
            "unknown_op", "{}", R"([{"op":"test","path":"","value":{}},{"op":"spam","path":"/a"}])",
            R"(patch operation 1: expected "op" to be add, remove, replace, move, copy or test, found "spam")"},
        PatchCase{
            "no_op", "{}", R"([{"path":"/a"}])",
            R"(patch operation 0: expected "op" to be add, remove, replace, move, copy or test, found nothing)"},
        PatchCase{"no_path", "{}", R"([{"op":"remove"}])",
                  R"(patch operation 0: expected "path" to be a JSON pointer, found nothing)"},
        PatchCase{"path_not_text", "{}", R"([{"op":"remove","path":1}])",
                  R"(patch operation 0: expected "path" to be a JSON pointer, found an integer)"},
        PatchCase{
            "path_not_a_pointer", "{}", R"([{"op":"remove","path":"a"}])",
            R"(patch operation 0: expected a JSON pointer that is empty or starts with '/', found "a")"},
        PatchCase{"no_from", "{}", R"([{"op":"move","path":"/a"}])",
                  R"(patch operation 0: expected "from" to be a JSON pointer, found nothing)"},
        PatchCase{"no_value", "{}", R"([{"op":"add","path":"/a"}])",
                  R"(patch operation 0: expected a "value", found nothing)"}),
    [](const auto& test) { return test.param.name; });

TEST(PatchLimits, BoundTheNumberOfOperations) {
  EXPECT_EQ(patched("[]", R"([{"op":"add","path":"/-","value":1},{"op":"add","path":"/-","value":1}])",
                    {.max_operations = 1}),
            "expected a JSON patch of at most 1 operations, found 2");
}

TEST(PatchLimits, BoundWhatCopiesMake) {
  std::string doubling = "[";
  for (int i = 0; i < 60; ++i) {
    doubling += std::string(i == 0 ? "" : ",") + R"({"op":"copy","from":"/a","path":"/a/-"})";
  }
  EXPECT_THAT(patched(R"({"a":[1]})", doubling + "]"), HasSubstr("copies at most 1000000 values"));
}

TEST(PatchLimits, BoundDepth) {
  const std::string deepen = R"([{"op":"copy","from":"","path":"/a/a"}])";
  EXPECT_EQ(patched(R"({"a":{}})", deepen, {.max_depth = 4}), R"({"a":{"a":{"a":{}}}})");
  EXPECT_THAT(patched(R"({"a":{}})", deepen, {.max_depth = 3}), HasSubstr("nested at most 3 deep"));
  EXPECT_THAT(patched("{}", R"([{"op":"add","path":"/a","value":[[]]}])", {.max_depth = 2}),
              HasSubstr("nested at most 2 deep"));
}

std::string merged(std::string_view target, std::string_view patch) {
  Value value = *parse(target);
  apply_merge_patch(value, *parse(patch));
  return serialize(value);
}

// The test cases of RFC 7386, appendix A.
TEST(MergePatch, AppliesAsTheStandardSays) {
  const std::vector<std::array<const char*, 3>> cases = {
      {R"({"a":"b"})", R"({"a":"c"})", R"({"a":"c"})"},
      {R"({"a":"b"})", R"({"b":"c"})", R"({"a":"b","b":"c"})"},
      {R"({"a":"b"})", R"({"a":null})", R"({})"},
      {R"({"a":"b","b":"c"})", R"({"a":null})", R"({"b":"c"})"},
      {R"({"a":["b"]})", R"({"a":"c"})", R"({"a":"c"})"},
      {R"({"a":"c"})", R"({"a":["b"]})", R"({"a":["b"]})"},
      {R"({"a":{"b":"c"}})", R"({"a":{"b":"d","c":null}})", R"({"a":{"b":"d"}})"},
      {R"({"a":[{"b":"c"}]})", R"({"a":[1]})", R"({"a":[1]})"},
      {R"(["a","b"])", R"(["c","d"])", R"(["c","d"])"},
      {R"({"a":"b"})", R"(["c"])", R"(["c"])"},
      {R"({"a":"foo"})", "null", "null"},
      {R"({"a":"foo"})", "\"bar\"", "\"bar\""},
      {R"({"e":null})", R"({"a":1})", R"({"e":null,"a":1})"},
      {R"([1,2])", R"({"a":"b","c":null})", R"({"a":"b"})"},
      {R"({})", R"({"a":{"bb":{"ccc":null}}})", R"({"a":{"bb":{}}})"},
  };
  for (const auto& [target, patch, result] : cases) {
    EXPECT_EQ(merged(target, patch), result) << target << " + " << patch;
  }
}

TEST(MergePatch, KeepsTheOrderOfKeys) {
  EXPECT_EQ(merged(R"({"a":1,"b":2,"c":3})", R"({"b":null,"a":5,"d":4})"), R"({"a":5,"c":3,"d":4})");
}

TEST(MakeMergePatch, SaysOnlyWhatDiffers) {
  const auto made = [](std::string_view before, std::string_view after) {
    return serialize(make_merge_patch(*parse(before), *parse(after)));
  };
  EXPECT_EQ(made(R"({"a":1,"b":{"x":1,"z":2},"c":[1]})", R"({"b":{"z":3,"x":1},"c":[1],"d":{"n":1}})"),
            R"({"a":null,"b":{"z":3},"d":{"n":1}})");
  EXPECT_EQ(made(R"({"a":1,"b":2})", R"({"b":2.0,"a":1})"), "{}");
  EXPECT_EQ(made(R"({"a":{"x":1}})", R"({"a":[1]})"), R"({"a":[1]})");
  EXPECT_EQ(made("1", R"({"a":1})"), R"({"a":1})");
}

TEST(MakeMergePatch, TurnsOneIntoTheOther) {
  const std::vector<const char*> documents = {
      "{}",     R"({"a":1})", R"({"a":{"b":{"c":1}},"d":[1,{"e":2}]})", R"({"a":{"b":2},"f":"x"})",
      R"([1])", "\"x\"",      R"({"a":{"b":{"c":2,"g":[]}}})"};
  for (const char* before : documents) {
    for (const char* after : documents) {
      Value value = *parse(before);
      apply_merge_patch(value, make_merge_patch(value, *parse(after)));
      EXPECT_TRUE(same_value(value, *parse(after))) << before << " → " << after;
    }
  }
}

}  // namespace
}  // namespace fairway::json
