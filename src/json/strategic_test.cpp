#include "json/strategic.hpp"

#include <gtest/gtest.h>

#include "json/schema_testing.hpp"

namespace fairway::json {
namespace {

using testing_support::compiled_part;
using testing_support::json;
using testing_support::object;

const Schema& pod() {
  static const auto kPod = compiled_part(R"({"type":"object","properties":{
    "metadata": {"type":"object","properties":{
      "labels": {"type":"object","additionalProperties":{"type":"string"}},
      "finalizers": {"type":"array","items":{"type":"string"},"x-kubernetes-patch-strategy":"merge"}}},
    "spec": {"type":"object","properties":{
      "containers": {"type":"array","x-kubernetes-patch-strategy":"merge","x-kubernetes-patch-merge-key":"name",
        "items": {"type":"object","properties":{
          "name": {"type":"string"}, "image": {"type":"string"},
          "args": {"type":"array","items":{"type":"string"}},
          "env": {"type":"array","x-kubernetes-patch-strategy":"merge","x-kubernetes-patch-merge-key":"name",
            "items":{"type":"object","properties":{"name":{"type":"string"},"value":{"type":"string"}}}}}}},
      "volumes": {"type":"array","x-kubernetes-patch-strategy":"merge,retainKeys","x-kubernetes-patch-merge-key":"name",
        "items": {"type":"object"}},
      "tolerations": {"type":"array","items":{"type":"object"}},
      "strategy": {"type":"object","x-kubernetes-patch-strategy":"retainKeys"},
      "selector": {"type":"object","x-kubernetes-patch-strategy":"replace"},
      "nokey": {"type":"array","x-kubernetes-patch-strategy":"merge","items":{"type":"object"}}}}}})");
  return *kPod;
}

struct PatchCase {
  const char* name;
  const char* original;
  const char* patch;
  const char* result;  // or the error
};

void PrintTo(const PatchCase& each, std::ostream* out) {
  *out << each.name;
}

std::string patch_case_name(const testing::TestParamInfo<PatchCase>& info) {
  return info.param.name;
}

class Patch : public testing::TestWithParam<PatchCase> {};

TEST_P(Patch, GivesWhatTheApiGives) {
  const auto result = strategic_merge(pod(), object(GetParam().original), object(GetParam().patch));
  EXPECT_EQ(result ? serialize(*result) : "error: " + result.error().message, GetParam().result);
  if (!result) EXPECT_EQ(result.error().code, ErrorCode::Invalid);
}

INSTANTIATE_TEST_SUITE_P(
    Maps, Patch,
    testing::Values(
        PatchCase{"Merges", R"({"metadata":{"labels":{"a":"1","b":"2"}}})",
                  R"({"metadata":{"labels":{"b":"3","c":"4"}}})",
                  R"({"metadata":{"labels":{"a":"1","b":"3","c":"4"}}})"},
        PatchCase{"NullDeletes", R"({"metadata":{"labels":{"a":"1","b":"2"}}})",
                  R"({"metadata":{"labels":{"a":null,"x":null}}})", R"({"metadata":{"labels":{"b":"2"}}})"},
        PatchCase{"AddedWithoutNulls", R"({})", R"({"metadata":{"labels":{"a":null,"b":"1"}}})",
                  R"({"metadata":{"labels":{"b":"1"}}})"},
        PatchCase{"PatchReplace", R"({"metadata":{"labels":{"a":"1"}}})",
                  R"({"metadata":{"labels":{"$patch":"replace","b":"2"}}})",
                  R"({"metadata":{"labels":{"b":"2"}}})"},
        PatchCase{"PatchDelete", R"({"metadata":{"labels":{"a":"1"}}})",
                  R"({"metadata":{"labels":{"$patch":"delete"}}})", R"({"metadata":{"labels":{}}})"},
        PatchCase{"PatchDeleteOfTheAbsent", R"({"metadata":{}})",
                  R"({"metadata":{"labels":{"$patch":"delete"}}})", R"({"metadata":{}})"},
        PatchCase{"PatchUnknown", R"({"metadata":{"labels":{}}})",
                  R"({"metadata":{"labels":{"$patch":"merge","a":"b"}}})",
                  "error: unknown patch type: merge in map: map[$patch:merge a:b]"},
        PatchCase{"ReplaceStrategy", R"({"spec":{"selector":{"a":"1"}}})",
                  R"({"spec":{"selector":{"b":"2"}}})", R"({"spec":{"selector":{"b":"2"}}})"},
        PatchCase{"KindChanges", R"({"spec":{"selector":"x"}})", R"({"spec":{"selector":{"b":"2"}}})",
                  R"({"spec":{"selector":{"b":"2"}}})"},
        PatchCase{"RetainKeys",
                  R"({"spec":{"strategy":{"type":"RollingUpdate","rollingUpdate":{"maxSurge":1}}}})",
                  R"({"spec":{"strategy":{"$retainKeys":["type"],"type":"Recreate"}}})",
                  R"({"spec":{"strategy":{"type":"Recreate"}}})"},
        PatchCase{"RetainKeysMustCoverThePatch", R"({"spec":{"strategy":{"type":"a"}}})",
                  R"({"spec":{"strategy":{"$retainKeys":["x"],"type":"Recreate"}}})",
                  "error: invalid patch format of retainKeys"},
        PatchCase{"RetainKeysIsAList", R"({"spec":{"strategy":{"type":"a"}}})",
                  R"({"spec":{"strategy":{"$retainKeys":"type"}}})",
                  "error: invalid patch format of retainKeys"}),
    patch_case_name);

INSTANTIATE_TEST_SUITE_P(
    Lists, Patch,
    testing::Values(
        PatchCase{
            "ByKey", R"({"spec":{"containers":[{"name":"a","image":"1"},{"name":"b","image":"2"}]}})",
            R"({"spec":{"containers":[{"name":"b","image":"3"},{"name":"c"}]}})",
            R"({"spec":{"containers":[{"name":"a","image":"1"},{"name":"b","image":"3"},{"name":"c"}]}})"},
        PatchCase{
            "Nested", R"({"spec":{"containers":[{"name":"a","env":[{"name":"X","value":"1"}]}]}})",
            R"({"spec":{"containers":[{"name":"a","env":[{"name":"Y","value":"2"}]}]}})",
            R"({"spec":{"containers":[{"name":"a","env":[{"name":"Y","value":"2"},{"name":"X","value":"1"}]}]}})"},
        PatchCase{
            "DeleteItem", R"({"spec":{"containers":[{"name":"a"},{"name":"b"}]}})",
            R"({"spec":{"containers":[{"name":"a","$patch":"delete"},{"name":"x","$patch":"delete"}]}})",
            R"({"spec":{"containers":[{"name":"b"}]}})"},
        PatchCase{"ReplaceList", R"({"spec":{"containers":[{"name":"a"},{"name":"b"}]}})",
                  R"({"spec":{"containers":[{"name":"c"},{"$patch":"replace"}]}})",
                  R"({"spec":{"containers":[{"name":"c"}]}})"},
        PatchCase{"AddedListDropsDirectives", R"({"spec":{}})",
                  R"({"spec":{"containers":[{"name":"a","image":null},{"name":"b","$patch":"delete"}]}})",
                  R"({"spec":{"containers":[{"name":"a"}]}})"},
        PatchCase{"WithoutStrategyReplaces", R"({"spec":{"tolerations":[{"key":"a"},{"key":"b"}]}})",
                  R"({"spec":{"tolerations":[{"key":"c"}]}})", R"({"spec":{"tolerations":[{"key":"c"}]}})"},
        PatchCase{"MissingKey", R"({"spec":{"containers":[{"name":"a"}]}})",
                  R"({"spec":{"containers":[{"image":"x"}]}})",
                  "error: map: map[image:x] does not contain declared merge key: name"},
        PatchCase{"MixedKinds", R"({"spec":{"containers":[{"name":"a"}]}})",
                  R"({"spec":{"containers":["b"]}})",
                  "error: list element types are not identical: [[map[name:a]] [b]]"},
        PatchCase{"ListsOfLists", R"({"spec":{"containers":[{"name":"a"}]}})",
                  R"({"spec":{"containers":[["b"]]}})", "error: lists of lists are not supported"},
        PatchCase{"NoMergeKey", R"({"spec":{"nokey":[{"a":1}]}})", R"({"spec":{"nokey":[{"b":1}]}})",
                  "error: cannot merge lists without merge key for []interface {}"},
        PatchCase{"MergeDirectiveInList", R"({"spec":{"containers":[{"name":"a"}]}})",
                  R"({"spec":{"containers":[{"name":"a","$patch":"merge"}]}})",
                  "error: merging lists cannot yet be specified in the patch"},
        PatchCase{
            "RetainKeysOfItems", R"({"spec":{"volumes":[{"name":"v","hostPath":{"path":"/"}}]}})",
            R"({"spec":{"volumes":[{"$retainKeys":["name","emptyDir"],"name":"v","emptyDir":{},"hostPath":null}]}})",
            R"({"spec":{"volumes":[{"name":"v","emptyDir":{}}]}})"}),
    patch_case_name);

INSTANTIATE_TEST_SUITE_P(
    Primitives, Patch,
    testing::Values(PatchCase{"Merge", R"({"metadata":{"finalizers":["a","b"]}})",
                              R"({"metadata":{"finalizers":["b","c"]}})",
                              R"({"metadata":{"finalizers":["a","b","c"]}})"},
                    PatchCase{"Delete", R"({"metadata":{"finalizers":["a","b","c"]}})",
                              R"({"metadata":{"$deleteFromPrimitiveList/finalizers":["b","x"]}})",
                              R"({"metadata":{"finalizers":["a","c"]}})"},
                    PatchCase{"DeleteFromNothing", R"({"metadata":{}})",
                              R"({"metadata":{"$deleteFromPrimitiveList/finalizers":["b"]}})",
                              R"({"metadata":{}})"},
                    PatchCase{"DeleteNamesNoList", R"({"metadata":{}})",
                              R"({"metadata":{"$deleteFromPrimitiveList":["b"]}})",
                              "error: invalid patch format of primitive list"}),
    patch_case_name);

INSTANTIATE_TEST_SUITE_P(
    Order, Patch,
    testing::Values(
        PatchCase{
            "OfObjects", R"({"spec":{"containers":[{"name":"a"},{"name":"b"},{"name":"c"}]}})",
            R"({"spec":{"$setElementOrder/containers":[{"name":"c"},{"name":"a"}],"containers":[{"name":"c","image":"x"}]}})",
            R"({"spec":{"containers":[{"name":"b"},{"name":"c","image":"x"},{"name":"a"}]}})"},
        PatchCase{"WithoutAList", R"({"metadata":{"finalizers":["a","b","c"]}})",
                  R"({"metadata":{"$setElementOrder/finalizers":["c","b","a"]}})",
                  R"({"metadata":{"finalizers":["c","b","a"]}})"},
        PatchCase{"ServerItemsKeepTheirPlace", R"({"metadata":{"finalizers":["s1","a","s2","b"]}})",
                  R"({"metadata":{"$setElementOrder/finalizers":["b","a","n"],"finalizers":["n"]}})",
                  R"({"metadata":{"finalizers":["s1","s2","b","a","n"]}})"},
        PatchCase{"NewItemsTakeThePlacesOfDeletedOnes",
                  R"({"spec":{"containers":[{"name":"d"},{"name":"e"},{"name":"a"},{"name":"b"}]}})",
                  R"({"spec":{"$setElementOrder/containers":[{"name":"c"}],"containers":[{"name":"c"},
                     {"name":"a","$patch":"delete"},{"name":"b","$patch":"delete"},{"name":"d","$patch":"delete"}]}})",
                  R"({"spec":{"containers":[{"name":"e"},{"name":"c"}]}})"},
        PatchCase{"MustMatchThePatch", R"({"spec":{"containers":[]}})",
                  R"({"spec":{"$setElementOrder/containers":[{"name":"a"}],"containers":[{"name":"b"}]}})",
                  "error: the order in patch list:\n[map[name:b]]\n doesn't match $setElementOrder "
                  "list:\n[map[name:a]]"},
        PatchCase{"IsAList", R"({"spec":{}})", R"({"spec":{"$setElementOrder/containers":"a"}})",
                  "error: expected a []interface {}, but received a string"},
        PatchCase{"NamesNoList", R"({"spec":{}})", R"({"spec":{"$setElementOrder":[]}})",
                  "error: invalid patch format of setElementOrder list"}),
    patch_case_name);

TEST(StrategicMerge, TenThousandItemsAreMergedByIndex) {
  Array live, patch, order;
  for (int i = 0; i < 10'000; ++i)
    live.push_back(Object{{"name", "n" + std::to_string(i)}, {"image", "old"}});
  for (int i = 9'999; i >= 0; --i) {
    patch.push_back(Object{{"name", "n" + std::to_string(i)}, {"image", "new"}});
    order.push_back(Object{{"name", "n" + std::to_string(i)}});
  }
  const auto merged = strategic_merge(
      pod(), Object{{"spec", Object{{"containers", std::move(live)}}}},
      Object{{"spec",
              Object{{"containers", std::move(patch)}, {"$setElementOrder/containers", std::move(order)}}}});
  ASSERT_TRUE(merged.has_value());
  const Array& containers = *get_array(*merged, {"spec", "containers"});
  ASSERT_EQ(containers.size(), 10'000u);
  EXPECT_EQ(serialize(containers.front()), R"({"name":"n9999","image":"new"})");
}

TEST(StrategicMerge, RefusesPatchesThatAreTooDeep) {
  Value live = Object{}, patch = Object{};
  for (int i = 0; i < 600; ++i) {
    live = Object{{"a", std::move(live)}};
    patch = Object{{"a", std::move(patch)}};
  }
  const auto merged = strategic_merge(any_schema(), live.get_object(), patch.get_object());
  ASSERT_FALSE(merged.has_value());
  EXPECT_EQ(merged.error().message, "patch is nested too deep");
}

}  // namespace
}  // namespace fairway::json
