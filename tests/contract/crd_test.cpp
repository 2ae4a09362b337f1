// Definitions: what is accepted, how they come to be served, how they go.
#include <fmt/format.h>

#include "harness.hpp"

namespace fairway::contract {
namespace {

class Definitions : public ContractTest {
 protected:
  static constexpr std::string_view kAll = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
  Answer offer(const Value& crd) { return api().post(with(kAll, {{"dryRun", "All"}}), crd); }
  // A change of the definition that other writers may get in between of.
  Answer change(const Body& patch) { return api().merge(crd_path(), patch); }
};

CONTRACT(Definitions, BecomeEstablished,
         "a definition gets the conditions NamesAccepted and Established, and its accepted names") {
  define();
  const Answer found = api().get(crd_path());
  const Value* conditions = find_at(found.json, "/status/conditions");
  for (const char* type : {"NamesAccepted", "Established"}) {
    const Value* condition = element(conditions, "type", type);
    ASSERT_NE(condition, nullptr) << found.body;
    EXPECT_EQ(text_at(*condition, "/status"), "True");
    EXPECT_NE(text_at(*condition, "/lastTransitionTime"), "<absent>");
  }
  EXPECT_EQ(found.text("/status/acceptedNames/plural"), "widgets");
  EXPECT_EQ(found.text("/status/acceptedNames/kind"), "Widget");
  EXPECT_EQ(found.text("/status/storedVersions"), R"(["v1"])");
}

CONTRACT(Definitions, ServeTheirObjects,
         "objects of an established definition are created, read, listed and deleted") {
  define();
  create_widget(widget("a", "{spec: {num: 1}}"));
  EXPECT_EQ(api().get(widgets("a")).text("/spec/num"), "1");
  EXPECT_EQ(names_of(api().get(widgets()).json), Names{"a"});
  ASSERT_TRUE(answered(api().remove(widgets("a")), 200));
  EXPECT_TRUE(
      refused(api().get(widgets("a")), 404, "NotFound", fmt::format(R"(widgets.{} "a" not found)", group())));
}

CONTRACT(Definitions, HaveDefaults, "singular and listKind have defaults, conversion is None") {
  Value crd = widget_crd();
  erase(crd, "/spec/names/singular");
  erase(crd, "/spec/names/listKind");
  const Answer made = offer(crd);
  ASSERT_TRUE(answered(made, 201));
  EXPECT_EQ(made.text("/spec/names/singular"), "widget");
  EXPECT_EQ(made.text("/spec/names/listKind"), "WidgetList");
  EXPECT_EQ(made.text("/spec/conversion/strategy"), "None");
}

CONTRACT(Definitions, AreNamedByPluralAndGroup, "a definition's name is its plural and its group") {
  Value crd = widget_crd();
  set(crd, "/metadata/name", "other.example.com");
  const Answer made = offer(crd);
  EXPECT_TRUE(refused(made, 422, "Invalid"));
  EXPECT_TRUE(
      has_cause(made, "FieldValueInvalid", "metadata.name", R"(must be spec.names.plural+"."+spec.group)"));
}

CONTRACT(Definitions, NeedASchema, "every version has a schema") {
  Value crd = widget_crd();
  erase(crd, "/spec/versions/0/schema");
  const Answer made = offer(crd);
  EXPECT_TRUE(refused(made, 422, "Invalid", "schemas are required"));
  EXPECT_TRUE(has_cause(made, "FieldValueRequired", "spec.versions[0].schema.openAPIV3Schema"));
}

CONTRACT(Definitions, MustBeStructural, "a schema gives the type of every field") {
  const Answer made = offer(widget_crd("{type: object, properties: {num: {minimum: 1}}}"));
  EXPECT_TRUE(
      refused(made, 422, "Invalid",
              "openAPIV3Schema.properties[spec].properties[num].type: Required value: must not be empty for "
              "specified object fields"));
}

CONTRACT(Definitions, MustBeObjectsAtTheRoot, "the root of a schema is an object") {
  Value crd = widget_crd();
  set(crd, "/spec/versions/0/schema/openAPIV3Schema", "{type: string}");
  EXPECT_TRUE(refused(offer(crd), 422, "Invalid", "must be object at the root"));
}

CONTRACT(Definitions, HaveNoReferences, "a schema has no $ref") {
  EXPECT_TRUE(refused(offer(widget_crd("{type: object, properties: {num: {$ref: '#/definitions/x'}}}")), 422,
                      "Invalid", "$ref"));
}

CONTRACT(Definitions, HaveNoUniqueItems, "a schema has no uniqueItems: lists of type set take its place") {
  EXPECT_TRUE(refused(
      offer(widget_crd(
          "{type: object, properties: {l: {type: array, uniqueItems: true, items: {type: string}}}}")),
      422, "Invalid", "uniqueItems cannot be set to true since the runtime complexity becomes quadratic"));
}

CONTRACT(Definitions, KeepPropertiesAndAdditionalApart,
         "properties and additionalProperties exclude each other") {
  EXPECT_TRUE(refused(offer(widget_crd(R"({type: object, properties: {num: {type: string}},
                                           additionalProperties: {type: string}})")),
                      422, "Invalid", "additionalProperties"));
}

CONTRACT(Definitions, CheckTheirDefaults, "a default must fit its own schema") {
  EXPECT_TRUE(refused(offer(widget_crd("{type: object, properties: {num: {type: integer, default: text}}}")),
                      422, "Invalid", "properties[num].default"));
}

CONTRACT(Definitions, CheckTheirPatterns, "a pattern must be a regular expression") {
  EXPECT_TRUE(refused(offer(widget_crd("{type: object, properties: {num: {type: string, pattern: '('}}}")),
                      422, "Invalid", "properties[num].pattern"));
}

CONTRACT(Definitions, CheckListMapKeys, "list-map keys are required fields of the items or have defaults") {
  EXPECT_TRUE(
      refused(offer(widget_crd(R"({type: object, properties: {l: {type: array, x-kubernetes-list-type: map,
                                            x-kubernetes-list-map-keys: [k], items: {type: object, properties:
                                            {k: {type: string}}}}}})")),
              422, "Invalid", "so it must have a default or be a required property"));
}

CONTRACT(Definitions, HaveOneStorageVersion, "exactly one version is the storage version") {
  Value crd = widget_crd();
  set(crd, "/spec/versions/0/storage", "false");
  EXPECT_TRUE(refused(offer(crd), 422, "Invalid", "must have exactly one version marked as storage version"));
}

CONTRACT(Definitions, HaveDistinctVersions, "a version's name stands once") {
  Value crd = widget_crd();
  Value second = *find_at(crd, "/spec/versions/0");
  set(second, "/storage", "false");
  crd.at("spec").at("versions").as_array().push_back(second);
  const Answer made = offer(crd);
  EXPECT_TRUE(refused(made, 422, "Invalid", "must contain unique version names"));
}

CONTRACT(Definitions, HaveAScope, "scope is Namespaced or Cluster") {
  Value crd = widget_crd();
  set(crd, "/spec/scope", "Galaxy");
  const Answer made = offer(crd);
  EXPECT_TRUE(refused(made, 422, "Invalid"));
  EXPECT_TRUE(has_cause(made, "FieldValueNotSupported", "spec.scope", R"(Unsupported value: "Galaxy")"));
}

CONTRACT(Definitions, PruneByThemselves, "preserveUnknownFields: true is of the past and refused") {
  Value crd = widget_crd();
  set(crd, "/spec/preserveUnknownFields", "true");
  const Answer made = offer(crd);
  EXPECT_TRUE(
      refused(made, 422, "Invalid", "cannot set to true, set x-kubernetes-preserve-unknown-fields to true"));
  EXPECT_TRUE(has_cause(made, "FieldValueInvalid", "spec.preserveUnknownFields"));
}

CONTRACT(Definitions, AcceptRules, "rules in CEL are accepted in a schema") {
  EXPECT_TRUE(answered(offer(widget_crd(R"(
type: object
properties: {min: {type: integer}, max: {type: integer}}
x-kubernetes-validations:
- {rule: '!has(self.min) || !has(self.max) || self.min <= self.max', message: min is at most max}
)")),
                       201));
}

CONTRACT(Definitions, KeepTheirScope, "the scope of a definition cannot be changed") {
  define();
  const Answer written = change("{spec: {scope: Cluster}}");
  EXPECT_TRUE(refused(written, 422, "Invalid"));
  EXPECT_TRUE(has_cause(written, "FieldValueInvalid", "spec.scope", "field is immutable"));
}

CONTRACT(Definitions, CanBeClusterScoped,
         "objects of a cluster-scoped definition are outside of namespaces") {
  Value crd = widget_crd();
  set(crd, "/spec/scope", "Cluster");
  define(crd);
  const std::string all = fmt::format("/apis/{}/v1/widgets", group());
  const Answer made = api().post(all, widget("a"));
  ASSERT_TRUE(answered(made, 201));
  EXPECT_EQ(made.text("/metadata/namespace"), "<absent>");
  EXPECT_TRUE(answered(api().get(all + "/a"), 200));
  EXPECT_TRUE(answered(api().get(widgets()), 404));
}

CONTRACT(Definitions, NamesAreTakenOnce,
         "a kind that another definition of the group has is not accepted: no objects are served") {
  define();
  Value second = widget_crd();
  set(second, "/metadata/name", Value("gadgets." + group()));
  set(second, "/spec/names", "{plural: gadgets, singular: gadget, kind: Widget, listKind: GadgetList}");
  ASSERT_TRUE(answered(api().post(kAll, second), 201));
  const std::string path = fmt::format("{}/gadgets.{}", kAll, group());
  Answer found;
  EXPECT_TRUE(api().eventually([&] {
    found = api().get(path);
    const Value* accepted = element(find_at(found.json, "/status/conditions"), "type", "NamesAccepted");
    return accepted != nullptr && text_at(*accepted, "/status") == "False";
  })) << found.body;
  const Value* accepted = element(find_at(found.json, "/status/conditions"), "type", "NamesAccepted");
  ASSERT_NE(accepted, nullptr);
  EXPECT_EQ(text_at(*accepted, "/message"), R"("Widget" is already in use)");
  EXPECT_TRUE(answered(api().get(fmt::format("/apis/{}/v1/gadgets", group())), 404));
  EXPECT_TRUE(answered(api().remove(path), 200));
}

CONTRACT(Definitions, GoWithTheirObjects, "deleting a definition deletes its objects and ends their API") {
  define();
  create_widget(widget("a"));
  ASSERT_TRUE(answered(api().remove(crd_path()), 200));
  EXPECT_TRUE(api().eventually([&] { return api().get(crd_path()).status == 404; }));
  EXPECT_TRUE(api().eventually([&] { return api().get(widgets()).status == 404; }));
  define();
  EXPECT_EQ(names_of(api().get(widgets()).json), Names{});
}

CONTRACT(Definitions, AnswerWhileObjectsGo,
         "a definition that is deleted waits for objects with finalizers, and takes no new ones") {
  define();
  create_widget(widget("a", "{metadata: {finalizers: [example.com/hold]}}"));
  ASSERT_TRUE(answered(api().remove(crd_path()), 200));
  EXPECT_TRUE(api().eventually([&] {
    const Answer held = api().get(widgets("a"));
    return held.text("/metadata/deletionTimestamp") != "<absent>";
  }));
  EXPECT_EQ(api().get(crd_path()).text("/metadata/finalizers"),
            R"(["customresourcecleanup.apiextensions.k8s.io"])");
  Answer made;
  EXPECT_TRUE(api().eventually([&] {
    made = api().post(with(widgets(), {{"dryRun", "All"}}), widget("b"));
    return made.status != 201;
  }));
  EXPECT_TRUE(refused(made, 405, "MethodNotAllowed",
                      "create not allowed while custom resource definition is terminating"));
  ASSERT_TRUE(answered(api().merge(widgets("a"), "{metadata: {finalizers: null}}"), 200));
  EXPECT_TRUE(api().eventually([&] { return api().get(crd_path()).status == 404; }));
}

CONTRACT(Definitions, ShowTheirColumns,
         "additionalPrinterColumns are the columns of a Table, after the name") {
  Value crd = widget_crd();
  set(crd, "/spec/versions/0/additionalPrinterColumns", R"([
      {name: Size, type: integer, jsonPath: .spec.size, description: How large it is.},
      {name: Ready, type: string, jsonPath: '.status.conditions[?(@.type=="Ready")].status', priority: 1}])");
  define(crd);
  create_widget(widget("a", "{spec: {size: 3}}"));
  const Answer table = api().get(widgets(), {{"Accept", "application/json;as=Table;v=v1;g=meta.k8s.io"}});
  ASSERT_TRUE(answered(table, 200));
  EXPECT_EQ(table.text("/columnDefinitions/0/name"), "Name");
  EXPECT_EQ(table.text("/columnDefinitions/1/name"), "Size");
  EXPECT_EQ(table.text("/columnDefinitions/1/description"), "How large it is.");
  EXPECT_EQ(table.text("/columnDefinitions/2/name"), "Ready");
  EXPECT_EQ(table.text("/columnDefinitions/2/priority"), "1");
  EXPECT_EQ(table.text("/columnDefinitions/3"), "<absent>");
  EXPECT_EQ(table.text("/rows/0/cells"), R"(["a",3,null])");
}

CONTRACT(Definitions, ShowTheAgeByDefault, "without columns of its own a definition shows name and age") {
  define();
  create_widget(widget("a"));
  const Answer table = api().get(widgets(), {{"Accept", "application/json;as=Table;v=v1;g=meta.k8s.io"}});
  EXPECT_EQ(table.text("/columnDefinitions/0/name"), "Name");
  EXPECT_EQ(table.text("/columnDefinitions/1/name"), "Age");
  EXPECT_EQ(table.text("/rows/0/cells/0"), "a");
}

}  // namespace
}  // namespace fairway::contract
