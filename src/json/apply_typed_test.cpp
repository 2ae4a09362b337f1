#include "json/apply_typed.hpp"

#include <gtest/gtest.h>

#include "json/schema_testing.hpp"

namespace fairway::json {
namespace {

using testing_support::compiled_part;
using testing_support::json;

const Schema& sample() {
  static const auto kSample = compiled_part(R"({"type":"object","properties":{
    "num": {"type":"integer"}, "str": {"type":"string"}, "flag": {"type":"boolean"},
    "when": {"type":"string","format":"date-time"},
    "nested": {"type":"object","properties":{"a":{"type":"integer"},"b":{"type":"string"}}},
    "atomicList": {"type":"array","items":{"type":"string"}},
    "set": {"type":"array","items":{"type":"string"},"x-kubernetes-list-type":"set"},
    "list": {"type":"array","x-kubernetes-list-type":"map","x-kubernetes-list-map-keys":["name"],
      "items":{"type":"object","properties":{"name":{"type":"string"},"v":{"type":"integer"},
        "sub":{"type":"object","properties":{"x":{"type":"integer"}}}}}},
    "ports": {"type":"array","x-kubernetes-list-type":"map","x-kubernetes-list-map-keys":["port","protocol"],
      "items":{"type":"object","properties":{"port":{"type":"integer"},"protocol":{"type":"string","default":"TCP"}}}},
    "patched": {"type":"array","x-kubernetes-patch-strategy":"merge","x-kubernetes-patch-merge-key":"id",
      "items":{"type":"object","properties":{"id":{"type":"string"},"v":{"type":"integer"}}}},
    "map": {"type":"object","additionalProperties":{"type":"string"}},
    "atomicMap": {"type":"object","x-kubernetes-map-type":"atomic","additionalProperties":{"type":"string"}},
    "any": {"x-kubernetes-preserve-unknown-fields":true}}})");
  return *kSample;
}

struct SetCase {
  const char* name;
  const char* value;
  const char* fields;
};

void PrintTo(const SetCase& each, std::ostream* out) {
  *out << each.name;
}

class ToFieldSet : public testing::TestWithParam<SetCase> {};

TEST_P(ToFieldSet, HoldsEveryFieldThatTheValueMentions) {
  EXPECT_EQ(serialize(to_field_set(sample(), json(GetParam().value)).encode()), GetParam().fields);
}

INSTANTIATE_TEST_SUITE_P(
    Table, ToFieldSet,
    testing::Values(
        SetCase{"Scalars", R"({"str":"a","num":1})", R"({"f:num":{},"f:str":{}})"},
        SetCase{"Struct", R"({"nested":{"a":1}})", R"({"f:nested":{"f:a":{}}})"},
        SetCase{"EmptyStruct", R"({"nested":{}})", R"({"f:nested":{}})"},
        SetCase{"Null", R"({"nested":null,"num":null})", R"({"f:nested":{},"f:num":{}})"},
        SetCase{"AtomicList", R"({"atomicList":["a","b"]})", R"({"f:atomicList":{}})"},
        SetCase{"Set", R"({"set":["b","a"]})", R"({"f:set":{"v:\"a\"":{},"v:\"b\"":{}}})"},
        SetCase{"EmptySet", R"({"set":[]})", "{}"},
        SetCase{"ListMap", R"({"list":[{"name":"a","v":1}]})",
                R"({"f:list":{"k:{\"name\":\"a\"}":{".":{},"f:name":{},"f:v":{}}}})"},
        SetCase{"KeyDefault", R"({"ports":[{"port":80}]})",
                R"({"f:ports":{"k:{\"port\":80,\"protocol\":\"TCP\"}":{".":{},"f:port":{}}}})"},
        SetCase{"PatchMergeKey", R"({"patched":[{"id":"x","v":1}]})",
                R"({"f:patched":{"k:{\"id\":\"x\"}":{".":{},"f:id":{},"f:v":{}}}})"},
        SetCase{"Map", R"({"map":{"k":"v"}})", R"({"f:map":{"f:k":{}}})"},
        SetCase{"AtomicMap", R"({"atomicMap":{"k":"v"}})", R"({"f:atomicMap":{}})"},
        SetCase{"DeducedMap", R"({"any":{"a":{"b":1},"l":[1,2],"e":{}}})",
                R"({"f:any":{"f:a":{".":{},"f:b":{}},"f:e":{},"f:l":{}}})"},
        SetCase{"DeducedScalar", R"({"any":5})", R"({"f:any":{}})"},
        SetCase{"RepeatedItemsAreOneLeaf", R"({"list":[{"name":"a","v":1},{"name":"a","v":2},{"name":"b"}]})",
                R"({"f:list":{"k:{\"name\":\"a\"}":{},"k:{\"name\":\"b\"}":{".":{},"f:name":{}}}})"}),
    [](const auto& info) { return info.param.name; });

struct CompareCase {
  const char* name;
  const char* before;
  const char* after;
  const char* added;
  const char* modified;
  const char* removed;
};

void PrintTo(const CompareCase& each, std::ostream* out) {
  *out << each.name;
}

class Compare : public testing::TestWithParam<CompareCase> {};

TEST_P(Compare, SaysWhatWasAddedModifiedAndRemoved) {
  const Comparison found = compare(sample(), json(GetParam().before), json(GetParam().after));
  EXPECT_EQ(serialize(found.added.encode()), GetParam().added);
  EXPECT_EQ(serialize(found.modified.encode()), GetParam().modified);
  EXPECT_EQ(serialize(found.removed.encode()), GetParam().removed);
}

INSTANTIATE_TEST_SUITE_P(
    Table, Compare,
    testing::Values(CompareCase{"Same", R"({"num":1,"map":{"a":"b"}})", R"({"map":{"a":"b"},"num":1.0})",
                                "{}", "{}", "{}"},
                    CompareCase{"Scalars", R"({"num":1,"str":"a"})", R"({"num":2,"flag":true})",
                                R"({"f:flag":{}})", R"({"f:num":{}})", R"({"f:str":{}})"},
                    CompareCase{"AddedStruct", "{}", R"({"nested":{"a":1}})",
                                R"({"f:nested":{".":{},"f:a":{}}})", "{}", "{}"},
                    CompareCase{"RemovedItem", R"({"list":[{"name":"a","v":1},{"name":"b"}]})",
                                R"({"list":[{"name":"b"}]})", "{}", "{}",
                                R"({"f:list":{"k:{\"name\":\"a\"}":{".":{},"f:name":{},"f:v":{}}}})"},
                    CompareCase{"OrderIsNoChange", R"({"set":["a","b"],"list":[{"name":"a"},{"name":"b"}]})",
                                R"({"set":["b","a"],"list":[{"name":"b"},{"name":"a"}]})", "{}", "{}", "{}"},
                    CompareCase{"AtomicList", R"({"atomicList":["a","b"]})", R"({"atomicList":["b","a"]})",
                                "{}", R"({"f:atomicList":{}})", "{}"},
                    CompareCase{"AtomicMap", R"({"atomicMap":{"a":"b"}})",
                                R"({"atomicMap":{"a":"b","c":"d"}})", "{}", R"({"f:atomicMap":{}})", "{}"},
                    CompareCase{"KindChanges", R"({"any":1})", R"({"any":{"a":2}})",
                                R"({"f:any":{"f:a":{}}})", R"({"f:any":{}})", "{}"},
                    CompareCase{"EmptyAndNull", R"({"nested":{}})", R"({"nested":null})", "{}",
                                R"({"f:nested":{}})", "{}"},
                    CompareCase{"DuplicatesAppear", R"({"list":[{"name":"a","v":1}]})",
                                R"({"list":[{"name":"a","v":1},{"name":"a","v":2}]})",
                                R"({"f:list":{"k:{\"name\":\"a\"}":{}}})", "{}",
                                R"({"f:list":{"k:{\"name\":\"a\"}":{".":{},"f:name":{},"f:v":{}}}})"},
                    CompareCase{"DuplicatesChange", R"({"list":[{"name":"a","v":1},{"name":"a","v":2}]})",
                                R"({"list":[{"name":"a","v":1},{"name":"a","v":3}]})", "{}",
                                R"({"f:list":{"k:{\"name\":\"a\"}":{}}})", "{}"}),
    [](const auto& info) { return info.param.name; });

struct MergeCase {
  const char* name;
  const char* live;
  const char* patch;
  const char* merged;
};

void PrintTo(const MergeCase& each, std::ostream* out) {
  *out << each.name;
}

class Merge : public testing::TestWithParam<MergeCase> {};

TEST_P(Merge, AddsThePatchToTheLiveValue) {
  EXPECT_EQ(serialize(merge_typed(sample(), json(GetParam().live), json(GetParam().patch))),
            GetParam().merged);
}

INSTANTIATE_TEST_SUITE_P(
    Table, Merge,
    testing::Values(
        MergeCase{"Scalars", R"({"num":1,"str":"a"})", R"({"num":2,"flag":true})",
                  R"({"num":2,"str":"a","flag":true})"},
        MergeCase{"Struct", R"({"nested":{"a":1}})", R"({"nested":{"b":"x"}})",
                  R"({"nested":{"a":1,"b":"x"}})"},
        MergeCase{"AtomicList", R"({"atomicList":["a","b"]})", R"({"atomicList":["c"]})",
                  R"({"atomicList":["c"]})"},
        MergeCase{"AtomicMap", R"({"atomicMap":{"a":"b"}})", R"({"atomicMap":{"c":"d"}})",
                  R"({"atomicMap":{"c":"d"}})"},
        MergeCase{"SetAppends", R"({"set":["a","b"]})", R"({"set":["c"]})", R"({"set":["a","b","c"]})"},
        MergeCase{"SetFollowsThePatchWhereBothSpeak", R"({"set":["a","b","c","d"]})", R"({"set":["c","a"]})",
                  R"({"set":["b","c","d","a"]})"},
        MergeCase{"SetKeepsLiveItemsInPlace", R"({"set":["a","x","b"]})", R"({"set":["a","n","b"]})",
                  R"({"set":["a","x","n","b"]})"},
        MergeCase{"ListMap", R"({"list":[{"name":"a","v":1},{"name":"b"}]})",
                  R"({"list":[{"name":"b","v":2},{"name":"c"}]})",
                  R"({"list":[{"name":"a","v":1},{"name":"b","v":2},{"name":"c"}]})"},
        MergeCase{"EmptyListMap", R"({"list":[]})", R"({"list":[{"name":"c"}]})",
                  R"({"list":[{"name":"c"}]})"},
        MergeCase{"EmptyStays", R"({"nested":{},"set":[]})", R"({"num":1})",
                  R"({"nested":{},"set":[],"num":1})"},
        MergeCase{"NullIsAValue", R"({"num":1})", R"({"num":null})", R"({"num":null})"},
        MergeCase{"Deduced", R"({"any":{"a":{"b":1},"l":[1]}})", R"({"any":{"a":{"c":2},"l":[2]}})",
                  R"({"any":{"a":{"b":1,"c":2},"l":[2]}})"},
        MergeCase{"DeducedKindChanges", R"({"any":{"a":1}})", R"({"any":[1]})", R"({"any":[1]})"},
        MergeCase{"RepeatedLiveItemsAreReplaced",
                  R"({"list":[{"name":"a","v":1},{"name":"a","v":2},{"name":"b"}]})",
                  R"({"list":[{"name":"a","v":3}]})", R"({"list":[{"name":"a","v":3},{"name":"b"}]})"}),
    [](const auto& info) { return info.param.name; });

struct RemoveCase {
  const char* name;
  const char* value;
  const char* fields;
  const char* rest;
};

void PrintTo(const RemoveCase& each, std::ostream* out) {
  *out << each.name;
}

class Remove : public testing::TestWithParam<RemoveCase> {};

TEST_P(Remove, TakesOutTheFieldsOfTheSet) {
  const auto fields = FieldSet::decode(json(GetParam().fields));
  ASSERT_TRUE(fields.has_value());
  EXPECT_EQ(serialize(remove_items(sample(), json(GetParam().value), *fields)), GetParam().rest);
}

INSTANTIATE_TEST_SUITE_P(
    Table, Remove,
    testing::Values(RemoveCase{"Field", R"({"num":1,"str":"a"})", R"({"f:num":{}})", R"({"str":"a"})"},
                    RemoveCase{"Item", R"({"list":[{"name":"a"},{"name":"b","v":1}]})",
                               R"({"f:list":{"k:{\"name\":\"a\"}":{},"k:{\"name\":\"b\"}":{"f:v":{}}}})",
                               R"({"list":[{"name":"b"}]})"},
                    RemoveCase{"SetItem", R"({"set":["a","b"]})", R"({"f:set":{"v:\"a\"":{}}})",
                               R"({"set":["b"]})"},
                    RemoveCase{"LastOfAStruct", R"({"nested":{"a":1},"num":1})", R"({"f:nested":{"f:a":{}}})",
                               R"({"nested":null,"num":1})"},
                    RemoveCase{"Everything", R"({"num":1})", R"({"f:num":{}})", "null"}),
    [](const auto& info) { return info.param.name; });

struct CheckCase {
  const char* name;
  const char* value;
  const char* problem;
};

void PrintTo(const CheckCase& each, std::ostream* out) {
  *out << each.name;
}

class CheckTyped : public testing::TestWithParam<CheckCase> {};

TEST_P(CheckTyped, NamesThePathOfWhatDoesNotFit) {
  const auto checked = check_typed(sample(), json(GetParam().value), Duplicates::Refused);
  EXPECT_EQ(checked ? "fits" : checked.error().message, GetParam().problem);
}

INSTANTIATE_TEST_SUITE_P(
    Table, CheckTyped,
    testing::Values(
        CheckCase{"Fits", R"({"num":1,"when":5,"any":{"x":[{}]},"list":[{"name":"a"}],"nested":null})",
                  "fits"},
        CheckCase{"UnknownField", R"({"nested":{"zzz":1}})", ".nested.zzz: field not declared in schema"},
        CheckCase{"Numeric", R"({"num":"a"})", ".num: expected numeric (int or float), got string"},
        CheckCase{"Text", R"({"str":5})", ".str: expected string, got &value.valueUnstructured{Value:5}"},
        CheckCase{"Boolean", R"({"flag":"x"})", ".flag: expected boolean, got &{x}"},
        CheckCase{"Map", R"({"nested":"x"})", ".nested: expected map, got &{x}"},
        CheckCase{"List", R"({"set":"x"})", ".set: expected list, got &{x}"},
        CheckCase{
            "KeyMissing", R"({"list":[{"v":1}]})",
            ".list: element 0: associative list with keys has an element that omits key field \"name\" (and "
            "doesn't have default value)"},
        CheckCase{"NotAnObject", R"({"list":["a"]})",
                  ".list: element 0: associative list with keys may not have non-map elements"},
        CheckCase{"SetOfObjects", R"({"set":[{}]})",
                  ".set: element 0: associative list without keys has an element that's a map type"},
        CheckCase{"Duplicate", R"({"list":[{"name":"a"},{"name":"a"}]})",
                  ".list: duplicate entries for key [name=\"a\"]"},
        CheckCase{"InAnItem", R"({"list":[{"name":"a","v":"x"}]})",
                  ".list[name=\"a\"].v: expected numeric (int or float), got string"},
        CheckCase{"Several", R"({"num":"a","flag":1})",
                  "errors:\n  .num: expected numeric (int or float), got string\n  .flag: expected boolean, "
                  "got &{1}"}),
    [](const auto& info) { return info.param.name; });

TEST(CheckTypedLive, AllowsDuplicatesThatAreAlreadyStored) {
  EXPECT_TRUE(check_typed(sample(), json(R"({"list":[{"name":"a"},{"name":"a"}]})"), Duplicates::Allowed)
                  .has_value());
}

TEST(Reconcile, PartsOfWhatHasBecomeAtomicGiveWayToTheWhole) {
  const auto fields = FieldSet::decode(json(
      R"({"f:any":{"f:x":{}},"f:atomicList":{"i:0":{}},"f:atomicMap":{"f:a":{}},"f:gone":{"f:x":{}},"f:map":{"f:a":{}}})"));
  ASSERT_TRUE(fields.has_value());
  EXPECT_EQ(
      serialize(reconcile(sample(), *fields).encode()),
      R"({"f:any":{"f:x":{}},"f:atomicList":{},"f:atomicMap":{},"f:gone":{"f:x":{}},"f:map":{"f:a":{}}})");
}

TEST(TypedScale, TenThousandItemsAreIndexed) {
  Array live, patch;
  for (int i = 0; i < 10'000; ++i) {
    live.push_back(Object{{"name", "n" + std::to_string(i)}, {"v", 1}});
    patch.push_back(Object{{"name", "n" + std::to_string(9'999 - i)}, {"v", 2}});
  }
  const Value before = Object{{"list", std::move(live)}};
  const Value after = Object{{"list", std::move(patch)}};
  EXPECT_EQ(compare(sample(), before, after).modified.size(), 10'000u);
  const Value merged = merge_typed(sample(), before, after);
  EXPECT_EQ(serialize(merged.at("list").at(0)), R"({"name":"n9999","v":2})");
  EXPECT_EQ(to_field_set(sample(), merged).size(), 30'000u);
  EXPECT_TRUE(
      remove_items(sample(), merged, to_field_set(sample(), merged)).as_object().at("list").is_null());
}

}  // namespace
}  // namespace fairway::json
