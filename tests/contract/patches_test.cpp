// JSON patches and merge patches, and what is common to all patches.
#include <fmt/format.h>

#include "harness.hpp"

namespace fairway::contract {
namespace {

class Patches : public ContractTest {
 protected:
  Answer json_patch(std::string_view name, const Body& patch) {
    return api().patch(at("configmaps", name), kJsonPatch, patch);
  }
};

CONTRACT(Patches, JsonAdd, "JSON patch add puts a member, or replaces it") {
  create("configmaps", config_map("a", "{data: {k: v}}"));
  const Answer written =
      json_patch("a", R"([{op: add, path: /data/num, value: m}, {op: add, path: /data/k, value: w}])");
  ASSERT_TRUE(answered(written, 200));
  EXPECT_EQ(written.text("/data"), R"({"k":"w","num":"m"})");
}

CONTRACT(Patches, JsonRemove, "JSON patch remove takes a member away") {
  create("configmaps", config_map("a", "{data: {k: v, num: m}}"));
  EXPECT_EQ(json_patch("a", "[{op: remove, path: /data/k}]").text("/data"), R"({"num":"m"})");
}

CONTRACT(Patches, JsonReplace, "JSON patch replace changes what is there") {
  create("configmaps", config_map("a", "{data: {k: v}}"));
  EXPECT_EQ(json_patch("a", "[{op: replace, path: /data/k, value: w}]").text("/data/k"), "w");
}

CONTRACT(Patches, JsonMoveAndCopy, "JSON patch move and copy take their value from elsewhere in the object") {
  create("configmaps", config_map("a", "{data: {k: v}}"));
  const Answer written = json_patch("a", R"([{op: copy, from: /data/k, path: /data/copied},
                                             {op: move, from: /data/k, path: /data/moved}])");
  ASSERT_TRUE(answered(written, 200));
  EXPECT_EQ(written.text("/data/copied"), "v");
  EXPECT_EQ(written.text("/data/moved"), "v");
  EXPECT_EQ(written.text("/data/k"), "<absent>");
}

CONTRACT(Patches, JsonArrays, "JSON patch inserts into an array at an index and appends with -") {
  create("configmaps", config_map("a", "{metadata: {finalizers: [example.com/b]}}"));
  const Answer written = json_patch("a", R"([{op: add, path: /metadata/finalizers/0, value: example.com/a},
                                             {op: add, path: /metadata/finalizers/-, value: example.com/c}])");
  EXPECT_EQ(written.text("/metadata/finalizers"), R"(["example.com/a","example.com/b","example.com/c"])");
  EXPECT_TRUE(answered(api().merge(at("configmaps", "a"), "{metadata: {finalizers: null}}"), 200));
}

CONTRACT(Patches, JsonEscapes, "JSON patch paths write / in a key as ~1 and ~ as ~0") {
  create("configmaps", config_map("a", "{metadata: {annotations: {example.com/k: v}}}"));
  const Answer written =
      json_patch("a", "[{op: replace, path: /metadata/annotations/example.com~1k, value: w}]");
  EXPECT_EQ(written.text("/metadata/annotations/example.com~1k"), "w");
}

CONTRACT(Patches, JsonTestGuards, "a JSON patch whose test fails changes nothing: 422") {
  create("configmaps", config_map("a", "{data: {k: v}}"));
  const Answer wrong = json_patch("a", R"([{op: add, path: /data/num, value: m},
                                           {op: test, path: /data/k, value: other}])");
  EXPECT_TRUE(
      refused(wrong, 422, "Invalid", "the server rejected our request due to an error in our request"));
  EXPECT_EQ(api().get(at("configmaps", "a")).text("/data"), R"({"k":"v"})");
  EXPECT_TRUE(answered(json_patch("a", R"([{op: test, path: /data/k, value: v},
                                           {op: add, path: /data/num, value: m}])"),
                       200));
}

CONTRACT(Patches, JsonPathsMustExist, "a JSON patch that removes or replaces what is not there is 422") {
  create("configmaps", config_map("a", "{data: {k: v}}"));
  for (const char* patch :
       {"[{op: remove, path: /data/nosuch}]", "[{op: replace, path: /data/nosuch, value: x}]",
        "[{op: add, path: /nosuch/deep, value: x}]", "[{op: copy, from: /data/nosuch, path: /data/num}]"}) {
    SCOPED_TRACE(patch);
    EXPECT_TRUE(refused(json_patch("a", patch), 422, "Invalid"));
  }
}

CONTRACT(Patches, JsonMustBeAnArray, "a JSON patch that is not an array of operations is 400") {
  create("configmaps", config_map("a"));
  EXPECT_TRUE(refused(json_patch("a", "{data: {k: v}}"), 400, "BadRequest"));
}

CONTRACT(Patches, JsonIsBounded, "a JSON patch has at most 10,000 operations: 413") {
  create("configmaps", config_map("a"));
  json::Array operations(10'001, yaml("{op: test, path: /kind, value: ConfigMap}"));
  const Answer written = json_patch("a", Value(std::move(operations)));
  EXPECT_TRUE(refused(written, 413, "RequestEntityTooLarge",
                      "The allowed maximum operations in a JSON patch is 10000, got 10001"));
}

CONTRACT(Patches, MergeSetsAndRemoves, "a merge patch sets members and removes those that are null") {
  create("configmaps", config_map("a", "{data: {k: v, gone: x}, metadata: {labels: {x: yy}}}"));
  const Answer written =
      api().merge(at("configmaps", "a"), "{data: {num: m, gone: null}, metadata: {labels: null}}");
  ASSERT_TRUE(answered(written, 200));
  EXPECT_EQ(written.text("/data"), R"({"k":"v","num":"m"})");
  EXPECT_EQ(written.text("/metadata/labels"), "<absent>");
}

CONTRACT(Patches, MergeReplacesArrays, "a merge patch replaces arrays whole") {
  define();
  create_widget(widget("a", "{spec: {list: [1, 2, 3], deep: {a: 1, b: 2}}}"));
  const Answer written = api().merge(widgets("a"), "{spec: {list: [9], deep: {b: null, c: 3}}}");
  EXPECT_EQ(written.text("/spec/list"), "[9]");
  EXPECT_EQ(written.text("/spec/deep"), R"({"a":1,"c":3})");
}

CONTRACT(Patches, MergeMustBeAnObject, "a merge patch that is not an object is 400") {
  create("configmaps", config_map("a"));
  EXPECT_TRUE(refused(api().merge(at("configmaps", "a"), "[1]"), 400, "BadRequest"));
}

CONTRACT(Patches, AContentTypeMayHaveParameters, "the patch's media type may carry a charset") {
  create("configmaps", config_map("a"));
  const Answer written =
      api().patch(at("configmaps", "a"), "application/merge-patch+json; charset=utf-8", "{data: {k: v}}");
  ASSERT_TRUE(answered(written, 200));
  EXPECT_EQ(written.text("/data/k"), "v");
}

CONTRACT(Patches, UnknownTypesAreRefused,
         "a patch of an unknown media type is 415, with those that are known") {
  create("configmaps", config_map("a"));
  for (const char* type : {"application/json", "text/plain"}) {
    SCOPED_TRACE(type);
    const Answer written = api().patch(at("configmaps", "a"), type, "{data: {k: v}}");
    EXPECT_TRUE(refused(written, 415, "UnsupportedMediaType",
                        "accepted media types include: application/json-patch+json"));
  }
}

CONTRACT(Patches, MalformedBodiesAreRefused, "a patch that is not JSON is 400") {
  create("configmaps", config_map("a"));
  for (std::string_view type : {kJsonPatch, kMergePatch, kStrategicPatch}) {
    SCOPED_TRACE(type);
    EXPECT_TRUE(
        refused(api().send("PATCH", at("configmaps", "a"), {{"Content-Type", std::string(type)}}, "{"), 400,
                "BadRequest"));
  }
}

CONTRACT(Patches, OfAMissingObject, "a patch of an object that does not exist is 404") {
  EXPECT_TRUE(refused(api().merge(at("configmaps", "a"), "{data: {k: v}}"), 404, "NotFound"));
  EXPECT_TRUE(refused(json_patch("a", "[]"), 404, "NotFound"));
}

CONTRACT(Patches, AStaleVersionIsRefused, "a patch that names a stale resourceVersion is 409 Conflict") {
  const Value made = create("configmaps", config_map("a"));
  ASSERT_TRUE(answered(api().merge(at("configmaps", "a"), "{data: {k: v}}"), 200));
  const std::string patch =
      fmt::format("{{metadata: {{resourceVersion: '{}'}}, data: {{k: w}}}}", version_of(made));
  EXPECT_TRUE(
      refused(api().merge(at("configmaps", "a"), patch), 409, "Conflict", "the object has been modified"));
  EXPECT_EQ(api().get(at("configmaps", "a")).text("/data/k"), "v");
}

CONTRACT(Patches, AnotherNameIsRefused, "a patch cannot change the name: 400") {
  create("configmaps", config_map("a"));
  EXPECT_TRUE(refused(api().merge(at("configmaps", "a"), "{metadata: {name: b}}"), 400, "BadRequest",
                      "the name of the object (b) does not match the name on the URL (a)"));
  EXPECT_TRUE(answered(api().get(at("configmaps", "b")), 404));
}

CONTRACT(Patches, AnotherUidIsRefused, "a patch cannot change the uid") {
  const Value made = create("configmaps", config_map("a"));
  const Answer written = api().merge(at("configmaps", "a"), "{metadata: {uid: other}}");
  EXPECT_TRUE(written.status == 409 || written.status == 422) << written.body;
  EXPECT_EQ(uid_of(api().get(at("configmaps", "a")).json), uid_of(made));
}

CONTRACT(Patches, TheResultIsValidated, "a patch whose result is invalid is 422 and changes nothing") {
  create("configmaps", config_map("a"));
  const Answer written = api().merge(at("configmaps", "a"), "{metadata: {labels: {k: 'no blanks'}}}");
  EXPECT_TRUE(refused(written, 422, "Invalid"));
  EXPECT_TRUE(has_cause(written, "FieldValueInvalid", "metadata.labels"));
  EXPECT_EQ(api().get(at("configmaps", "a")).text("/metadata/labels"), "<absent>");
}

CONTRACT(Patches, TheResultHasTheKindsTypes, "a patch whose result the kind cannot hold is 422") {
  create("configmaps", config_map("a"));
  EXPECT_TRUE(refused(api().merge(at("configmaps", "a"), "{data: {k: 7}}"), 422, "Invalid"));
}

CONTRACT(Patches, OfCustomObjects, "custom objects take JSON and merge patches") {
  define();
  create_widget(widget("a", "{spec: {num: 1}}"));
  EXPECT_EQ(
      api().patch(widgets("a"), kJsonPatch, "[{op: replace, path: /spec/num, value: 2}]").text("/spec/num"),
      "2");
  EXPECT_EQ(api().merge(widgets("a"), "{spec: {num: 3}}").text("/spec/num"), "3");
}

CONTRACT(Patches, OfStatus, "the status subresource takes patches, which change status only") {
  define();
  create_widget(widget("a", "{spec: {num: 1}}"));
  const Answer written = api().patch(
      widgets("a", "status"), kJsonPatch,
      "[{op: add, path: /status, value: {ready: true}}, {op: replace, path: /spec/num, value: 2}]");
  ASSERT_TRUE(answered(written, 200));
  EXPECT_EQ(written.text("/status/ready"), "true");
  EXPECT_EQ(written.text("/spec/num"), "1");
}

CONTRACT(Patches, ForceIsForApply, "force with a patch that is not an apply is 422") {
  create("configmaps", config_map("a"));
  const Answer written = api().merge(with(at("configmaps", "a"), {{"force", "true"}}), "{data: {k: v}}");
  EXPECT_TRUE(refused(written, 422, "Invalid", "may not be specified for non-apply patch"));
  EXPECT_TRUE(has_cause(written, "FieldValueForbidden", "force"));
}

}  // namespace
}  // namespace fairway::contract
