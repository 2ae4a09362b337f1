// Pruning, defaulting, and changes of a schema.
#include <fmt/format.h>

#include "harness.hpp"

namespace fairway::contract {
namespace {

using Schemas = ContractTest;

CONTRACT(Schemas, PruneUnknownFields, "fields that the schema does not have are dropped") {
  define(
      widget_crd("{type: object, properties: {num: {type: integer}, deep: {type: object, properties: {k: "
                 "{type: string}}}}}"));
  const Value made =
      create_widget(widget("a", "{spec: {num: 1, extra: x, deep: {k: v, extra: x}}, extra: x}"));
  EXPECT_EQ(*find_at(made, "/spec"), yaml("{deep: {k: v}, num: 1}"));
  EXPECT_EQ(text_at(made, "/extra"), "<absent>");
}

CONTRACT(Schemas, PreserveWhereTold,
         "x-kubernetes-preserve-unknown-fields keeps what is below, but not what is specified") {
  define(widget_crd(R"(
type: object
properties:
  free: {type: object, x-kubernetes-preserve-unknown-fields: true,
         properties: {known: {type: object, properties: {k: {type: string}}}}}
)"));
  const Value made =
      create_widget(widget("a", "{spec: {free: {any: {deep: [1]}, known: {k: v, extra: x}}, extra: x}}"));
  EXPECT_EQ(text_at(made, "/spec/free/any"), R"({"deep":[1]})");
  EXPECT_EQ(text_at(made, "/spec/free/known"), R"({"k":"v"})");
  EXPECT_EQ(text_at(made, "/spec/extra"), "<absent>");
}

CONTRACT(Schemas, MapsKeepTheirKeys, "additionalProperties are a map with any keys, its values pruned") {
  define(widget_crd(R"({type: object, properties: {m: {type: object, additionalProperties:
                        {type: object, properties: {k: {type: string}}}}}})"));
  const Value made = create_widget(widget("a", "{spec: {m: {x: {k: v, extra: e}, z: {}}}}"));
  EXPECT_EQ(text_at(made, "/spec/m"), R"({"x":{"k":"v"},"z":{}})");
}

CONTRACT(Schemas, MetadataIsKeptToItsFields,
         "unknown fields of metadata are dropped, known ones keep their types") {
  define();
  EXPECT_EQ(text_at(create_widget(widget("a", "{metadata: {nosuch: x}}")), "/metadata/nosuch"), "<absent>");
  EXPECT_EQ(api().post(widgets(), widget("b", "{metadata: {labels: {k: 7}}}")).status, 400);
}

CONTRACT(Schemas, EmbeddedResources,
         "x-kubernetes-embedded-resource wants apiVersion and kind and keeps metadata") {
  define(widget_crd(R"({type: object, properties: {inner: {type: object, x-kubernetes-embedded-resource: true,
                        x-kubernetes-preserve-unknown-fields: true}}})"));
  const Value made = create_widget(
      widget("a", "{spec: {inner: {apiVersion: v1, kind: X, metadata: {name: inner}, any: 1}}}"));
  EXPECT_EQ(text_at(made, "/spec/inner/metadata/name"), "inner");
  EXPECT_EQ(text_at(made, "/spec/inner/any"), "1");
  const Answer wrong = api().post(widgets(), widget("b", "{spec: {inner: {metadata: {name: inner}}}}"));
  EXPECT_TRUE(refused(wrong, 422, "Invalid"));
  EXPECT_TRUE(has_cause(wrong, "FieldValueRequired", "spec.inner.kind"));
}

CONTRACT(Schemas, FillInDefaults, "defaults are filled in when an object is written") {
  define(widget_crd(R"(
type: object
properties:
  num: {type: integer, default: 3}
  deep: {type: object, default: {}, properties: {k: {type: string, default: v}}}
  list: {type: array, items: {type: object, properties: {flag: {type: boolean, default: true}}}}
)"));
  const Value made = create_widget(widget("a", "{spec: {list: [{}, {flag: false}]}}"));
  EXPECT_EQ(text_at(made, "/spec/num"), "3");
  EXPECT_EQ(text_at(made, "/spec/deep/k"), "v");
  EXPECT_EQ(text_at(made, "/spec/list"), R"([{"flag":true},{"flag":false}])");
}

CONTRACT(Schemas, DefaultsOfMissingParents, "a default is not filled in below a field that is absent") {
  define(widget_crd(
      "{type: object, properties: {deep: {type: object, properties: {k: {type: string, default: v}}}}}"));
  EXPECT_EQ(text_at(create_widget(widget("a", "{spec: {}}")), "/spec"), "{}");
}

CONTRACT(Schemas, NullsBecomeDefaults,
         "null for a field that is not nullable and has a default becomes the default") {
  define(widget_crd(R"({type: object, properties: {num: {type: integer, default: 3},
                        z: {type: integer, default: 4, nullable: true}}})"));
  const Value made = create_widget(widget("a", "{spec: {num: null, z: null}}"));
  EXPECT_EQ(text_at(made, "/spec/num"), "3");
  EXPECT_EQ(text_at(made, "/spec/z"), "null");
}

CONTRACT(Schemas, DefaultsCountAsSpec,
         "defaults are filled in before validation: a required field with one may be left out") {
  define(widget_crd("{type: object, required: [num], properties: {num: {type: integer, default: 3}}}"));
  EXPECT_EQ(text_at(create_widget(widget("a", "{spec: {}}")), "/spec/num"), "3");
}

CONTRACT(Schemas, NewDefaultsShowInOldObjects,
         "a default that is added later is shown in objects that were stored before") {
  define(widget_crd("{type: object, properties: {num: {type: integer}}}"));
  create_widget(widget("a", "{spec: {}}"));
  ASSERT_TRUE(answered(api().patch(crd_path(), kJsonPatch, R"([{op: add,
      path: /spec/versions/0/schema/openAPIV3Schema/properties/spec/properties/num/default, value: 3}])"),
                       200));
  EXPECT_TRUE(api().eventually([&] { return api().get(widgets("a")).text("/spec/num") == "3"; }));
  EXPECT_EQ(api().get(widgets()).text("/items/0/spec/num"), "3");
}

CONTRACT(Schemas, NarrowedSchemasPruneOldObjects,
         "a field that the schema no longer has is not shown any more") {
  define(widget_crd("{type: object, properties: {num: {type: integer}, old: {type: string}}}"));
  create_widget(widget("a", "{spec: {num: 1, old: x}}"));
  ASSERT_TRUE(answered(api().patch(crd_path(), kJsonPatch, R"([{op: remove,
      path: /spec/versions/0/schema/openAPIV3Schema/properties/spec/properties/old}])"),
                       200));
  EXPECT_TRUE(api().eventually([&] { return api().get(widgets("a")).text("/spec/old") == "<absent>"; }));
}

CONTRACT(Schemas, NewRulesHoldForNewWrites, "a rule that is added later holds for the next write") {
  define(widget_crd("{type: object, properties: {num: {type: integer}}}"));
  create_widget(widget("a", "{spec: {num: 1}}"));
  ASSERT_TRUE(answered(api().patch(crd_path(), kJsonPatch, R"([{op: add,
      path: /spec/versions/0/schema/openAPIV3Schema/properties/spec/properties/num/minimum, value: 5}])"),
                       200));
  EXPECT_TRUE(api().eventually([&] {
    return api().post(with(widgets(), {{"dryRun", "All"}}), widget("b", "{spec: {num: 1}}")).status == 422;
  }));
  EXPECT_TRUE(answered(api().get(widgets("a")), 200));
  EXPECT_TRUE(refused(api().merge(widgets("a"), "{spec: {num: 2}}"), 422, "Invalid"));
}

}  // namespace
}  // namespace fairway::contract
