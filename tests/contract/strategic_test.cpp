// Strategic merge patches of built-in kinds.
#include "harness.hpp"

namespace fairway::contract {
namespace {

class Strategic : public ContractTest {
 protected:
  Answer patch_deployment(const Body& patch) {
    return api().patch(at("deployments", "a"), kStrategicPatch, patch);
  }
  static std::string image_of(const Answer& answer, std::string_view container) {
    const Value* found = element(find_at(answer.json, "/spec/template/spec/containers"), "name", container);
    return found == nullptr ? "<absent>" : text_at(*found, "/image");
  }
};

CONTRACT(Strategic, MergesMaps,
         "a strategic merge patch merges objects and removes nulls, as a merge patch does") {
  create("configmaps", config_map("a", "{data: {k: v, gone: x}}"));
  const Answer written = api().patch(at("configmaps", "a"), kStrategicPatch, "{data: {num: m, gone: null}}");
  EXPECT_EQ(written.text("/data"), R"({"k":"v","num":"m"})");
}

CONTRACT(Strategic, MergesListsByKey, "containers are merged by name: one is changed, one added, none lost") {
  create("deployments", deployment("a"));
  const Answer written = patch_deployment(R"(
spec:
  template:
    spec:
      containers:
      - {name: side, image: 'registry.example.com/side:1'}
      - {name: main, image: 'registry.example.com/main:2'}
)");
  ASSERT_TRUE(answered(written, 200));
  EXPECT_EQ(image_of(written, "main"), "registry.example.com/main:2");
  EXPECT_EQ(image_of(written, "side"), "registry.example.com/side:1");
  EXPECT_EQ(find_at(written.json, "/spec/template/spec/containers")->get_array().size(), 2U);
}

CONTRACT(Strategic, MergesNestedLists,
         "lists inside of merged elements are merged too: env by name, ports by containerPort") {
  create("deployments", deployment("a", R"({spec: {template: {spec: {containers: [{name: main, image: 'x:1',
      env: [{name: ONE, value: '1'}], ports: [{containerPort: 80}]}]}}}})"));
  const Answer written = patch_deployment(R"({spec: {template: {spec: {containers: [{name: main,
      env: [{name: TWO, value: '2'}], ports: [{containerPort: 81}]}]}}}})");
  ASSERT_TRUE(answered(written, 200));
  const Value* main = find_at(written.json, "/spec/template/spec/containers/0");
  ASSERT_NE(main, nullptr);
  EXPECT_EQ(find_at(*main, "/env")->get_array().size(), 2U);
  EXPECT_EQ(find_at(*main, "/ports")->get_array().size(), 2U);
  EXPECT_EQ(text_at(*main, "/image"), "x:1");
}

CONTRACT(Strategic, DeletesElements, "$patch: delete removes the element of a list with that key") {
  create("deployments", deployment("a", R"({spec: {template: {spec: {containers:
      [{name: main, image: 'x:1'}, {name: side, image: 'y:1'}]}}}})"));
  const Answer written =
      patch_deployment(R"({spec: {template: {spec: {containers: [{name: side, $patch: delete}]}}}})");
  ASSERT_TRUE(answered(written, 200));
  EXPECT_EQ(image_of(written, "main"), "x:1");
  EXPECT_EQ(image_of(written, "side"), "<absent>");
}

CONTRACT(Strategic, ReplacesLists, "$patch: replace in a list puts the patch's elements in place of all") {
  create("deployments", deployment("a"));
  const Answer written = patch_deployment(
      R"({spec: {template: {spec: {containers: [{name: only, image: 'z:1'}, {$patch: replace}]}}}})");
  ASSERT_TRUE(answered(written, 200));
  EXPECT_EQ(image_of(written, "only"), "z:1");
  EXPECT_EQ(image_of(written, "main"), "<absent>");
}

CONTRACT(Strategic, ReplacesMaps, "$patch: replace in an object puts the patch in place of all of it") {
  create("configmaps", config_map("a", "{data: {k: v, num: m}}"));
  const Answer written =
      api().patch(at("configmaps", "a"), kStrategicPatch, "{data: {$patch: replace, only: x}}");
  ASSERT_TRUE(answered(written, 200));
  EXPECT_EQ(written.text("/data"), R"({"only":"x"})");
}

CONTRACT(Strategic, MergesServicePorts, "service ports are merged by port") {
  create("services", service("a"));
  const Answer written = api().patch(at("services", "a"), kStrategicPatch,
                                     "{spec: {ports: [{name: tls, port: 443}, {name: http, port: 80}]}}");
  ASSERT_TRUE(answered(written, 200));
  const Value* ports = find_at(written.json, "/spec/ports");
  ASSERT_NE(ports, nullptr);
  EXPECT_EQ(ports->get_array().size(), 2U);
  const Value* http = element(ports, "port", "80");
  ASSERT_NE(http, nullptr);
  EXPECT_EQ(text_at(*http, "/name"), "http");
}

CONTRACT(Strategic, MergesPrimitiveLists,
         "finalizers are merged as a set, and $deleteFromPrimitiveList removes from it") {
  create("configmaps", config_map("a", "{metadata: {finalizers: [example.com/a]}}"));
  const Answer added =
      api().patch(at("configmaps", "a"), kStrategicPatch, "{metadata: {finalizers: [example.com/b]}}");
  ASSERT_TRUE(answered(added, 200));
  EXPECT_EQ(find_at(added.json, "/metadata/finalizers")->get_array().size(), 2U);
  const Answer removed =
      api().patch(at("configmaps", "a"), kStrategicPatch,
                  "{metadata: {$deleteFromPrimitiveList/finalizers: [example.com/a, example.com/b]}}");
  ASSERT_TRUE(answered(removed, 200));
  EXPECT_EQ(removed.text("/metadata/finalizers"), "<absent>");
}

CONTRACT(Strategic, ReplacesAtomicLists, "a list without a merge key is replaced: a container's args") {
  create("deployments", deployment("a", R"({spec: {template: {spec: {containers:
      [{name: main, image: 'x:1', args: [one, two]}]}}}})"));
  const Answer written =
      patch_deployment(R"({spec: {template: {spec: {containers: [{name: main, args: [three]}]}}}})");
  EXPECT_EQ(written.text("/spec/template/spec/containers/0/args"), R"(["three"])");
}

CONTRACT(Strategic, NeedsTheMergeKey, "an element without its merge key is refused") {
  create("deployments", deployment("a"));
  const Answer written = patch_deployment(R"({spec: {template: {spec: {containers: [{image: 'x:1'}]}}}})");
  // Kubernetes has answered this with 400, 422 and 500 in different versions.
  EXPECT_GE(written.status, 400);
  EXPECT_TRUE(contains(written.body, "does not contain declared merge key"));
}

CONTRACT(Strategic, IsNotForCustomObjects,
         "a strategic merge patch of a custom object is 415, with the types that it takes") {
  define();
  create_widget(widget("a"));
  EXPECT_TRUE(
      refused(api().patch(widgets("a"), kStrategicPatch, "{spec: {num: 1}}"), 415, "UnsupportedMediaType",
              "accepted media types include: application/json-patch+json, application/merge-patch+json, "
              "application/apply-patch+yaml"));
}

}  // namespace
}  // namespace fairway::contract
