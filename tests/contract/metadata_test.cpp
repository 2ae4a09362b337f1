// Names, labels, annotations, and what of metadata belongs to the server.
#include <fmt/format.h>

#include "base/text.hpp"

#include "harness.hpp"

namespace fairway::contract {
namespace {

using Metadata = ContractTest;

CONTRACT(Metadata, NamesAreSubdomains, "a name is a lowercase RFC 1123 subdomain: 422, the field named") {
  for (const char* name : {"Upper", "under_score", "-dash", "dash-", "a..b"}) {
    SCOPED_TRACE(name);
    const Answer made = api().post(at("configmaps"), config_map(name));
    EXPECT_TRUE(refused(made, 422, "Invalid", fmt::format(R"(ConfigMap "{}" is invalid)", name)));
    EXPECT_TRUE(has_cause(made, "FieldValueInvalid", "metadata.name",
                          "a lowercase RFC 1123 subdomain must consist of"));
    EXPECT_EQ(made.text("/details/kind"), "ConfigMap");
    EXPECT_EQ(made.text("/details/name"), name);
  }
}

CONTRACT(Metadata, NamesHaveAtMost253Characters, "a name has at most 253 characters") {
  EXPECT_TRUE(answered(api().post(at("configmaps"), config_map(std::string(253, 'a'))), 201));
  const Answer made = api().post(at("configmaps"), config_map(std::string(254, 'a')));
  EXPECT_TRUE(refused(made, 422, "Invalid"));
  EXPECT_TRUE(has_cause(made, "FieldValueInvalid", "metadata.name", "must be no more than 253"));
}

CONTRACT(Metadata, ServiceNamesAreLabels, "a service's name is a DNS label") {
  const Answer made = api().post(at("services"), service("a_b"));
  EXPECT_TRUE(refused(made, 422, "Invalid"));
  // DNS-1035 until recently, RFC 1123 in newer servers.
  EXPECT_TRUE(has_cause(made, "FieldValueInvalid", "metadata.name", "label must consist of"));
}

CONTRACT(Metadata, ANameIsNeeded, "an object without name and generateName is 422, metadata.name required") {
  const Answer made = api().post(at("configmaps"), "{apiVersion: v1, kind: ConfigMap}");
  EXPECT_TRUE(
      refused(made, 422, "Invalid", "metadata.name: Required value: name or generateName is required"));
  EXPECT_TRUE(has_cause(made, "FieldValueRequired", "metadata.name", "name or generateName is required"));
}

CONTRACT(Metadata, TheServerStampsNewObjects,
         "uid and creationTimestamp are set by the server, whatever the client says") {
  const Value made = create(
      "configmaps", config_map("a", R"({metadata: {uid: mine, creationTimestamp: '2001-01-01T00:00:00Z',
      deletionTimestamp: '2001-01-01T00:00:00Z', generation: 7, selfLink: /mine}})"));
  EXPECT_NE(uid_of(made), "mine");
  EXPECT_EQ(uid_of(made).size(), 36U);
  EXPECT_TRUE(parse_rfc3339(text_at(made, "/metadata/creationTimestamp")).has_value());
  EXPECT_FALSE(text_at(made, "/metadata/creationTimestamp").starts_with("2001"));
  EXPECT_EQ(text_at(made, "/metadata/deletionTimestamp"), "<absent>");
  EXPECT_EQ(text_at(made, "/metadata/selfLink"), "<absent>");
}

CONTRACT(Metadata, CreationTimestampStays,
         "an update cannot change creationTimestamp: the change is ignored") {
  Value made = create("configmaps", config_map("a"));
  const std::string stamp = text_at(made, "/metadata/creationTimestamp");
  set(made, "/metadata/creationTimestamp", "'2001-01-01T00:00:00Z'");
  const Answer written = api().put(at("configmaps", "a"), made);
  ASSERT_TRUE(answered(written, 200));
  EXPECT_EQ(written.text("/metadata/creationTimestamp"), stamp);
}

CONTRACT(Metadata, AnUpdateMayLeaveStampsOut,
         "uid and creationTimestamp may be left out of an update and stay") {
  const Value made = create("configmaps", config_map("a"));
  const Answer written = api().put(at("configmaps", "a"), config_map("a", "{data: {k: v}}"));
  ASSERT_TRUE(answered(written, 200));
  EXPECT_EQ(uid_of(written.json), uid_of(made));
  EXPECT_EQ(written.text("/metadata/creationTimestamp"), text_at(made, "/metadata/creationTimestamp"));
}

CONTRACT(Metadata, NobodySetsADeletionTimestamp,
         "an update cannot set deletionTimestamp: the field is immutable") {
  Value made = create("configmaps", config_map("a"));
  set(made, "/metadata/deletionTimestamp", "'2001-01-01T00:00:00Z'");
  const Answer written = api().put(at("configmaps", "a"), made);
  EXPECT_TRUE(refused(written, 422, "Invalid", "metadata.deletionTimestamp"));
  EXPECT_TRUE(contains(written.text("/message"), "field is immutable"));
}

CONTRACT(Metadata, LabelValuesAreChecked, "a label's value has at most 63 characters of its alphabet") {
  const Answer made = api().post(at("configmaps"), config_map("a", "{metadata: {labels: {k: 'no blanks'}}}"));
  EXPECT_TRUE(refused(made, 422, "Invalid"));
  EXPECT_TRUE(has_cause(made, "FieldValueInvalid", "metadata.labels",
                        "a valid label must be an empty string or consist of alphanumeric characters"));
  const Answer longer =
      api().post(at("configmaps"),
                 config_map("a", fmt::format("{{metadata: {{labels: {{k: {}}}}}}}", std::string(64, 'v'))));
  EXPECT_TRUE(has_cause(longer, "FieldValueInvalid", "metadata.labels", "must be no more than 63"));
}

CONTRACT(Metadata, LabelKeysAreChecked, "a label's key is a qualified name") {
  const Answer made = api().post(at("configmaps"), config_map("a", "{metadata: {labels: {-bad: v}}}"));
  EXPECT_TRUE(
      refused(made, 422, "Invalid", R"(metadata.labels: Invalid value: "-bad": name part must consist of)"));
  const Answer prefix = api().post(at("configmaps"), config_map("a", "{metadata: {labels: {UP/k: v}}}"));
  EXPECT_TRUE(has_cause(prefix, "FieldValueInvalid", "metadata.labels",
                        "prefix part a lowercase RFC 1123 subdomain must consist of"));
}

CONTRACT(Metadata, AnnotationKeysAreChecked, "an annotation's key is a qualified name, its value any text") {
  const Answer made = api().post(at("configmaps"), config_map("a", "{metadata: {annotations: {'b ad': v}}}"));
  EXPECT_TRUE(refused(made, 422, "Invalid"));
  EXPECT_TRUE(has_cause(made, "FieldValueInvalid", "metadata.annotations", "name part must consist of"));
  EXPECT_TRUE(answered(
      api().post(at("configmaps"), config_map("b", R"({metadata: {annotations: {Upper: "{ü} \n x"}}})")),
      201));
}

CONTRACT(Metadata, AnnotationsAreBounded, "annotations have at most 256 KiB together") {
  Value object = config_map("a");
  set(object, "/metadata/annotations/big", Value(std::string(256 * 1024, 'x')));
  const Answer made = api().post(at("configmaps"), object);
  EXPECT_TRUE(refused(made, 422, "Invalid", "262144 bytes"));
  EXPECT_TRUE(has_cause(made, "FieldValueTooLong", "metadata.annotations"));
}

CONTRACT(Metadata, AnnotationValuesAreTexts, "an annotation's value is a string: a number is 400") {
  EXPECT_TRUE(refused(api().post(at("configmaps"), config_map("a", "{metadata: {annotations: {k: 7}}}")), 400,
                      "BadRequest"));
}

CONTRACT(Metadata, SeveralErrorsAreToldTogether, "all wrong fields are told at once, a cause for each") {
  const Answer made = api().post(
      at("configmaps"), config_map("Bad", "{metadata: {labels: {k: 'no blanks'}}, data: {'b ad': v}}"));
  EXPECT_TRUE(refused(made, 422, "Invalid", "is invalid: ["));
  EXPECT_TRUE(has_cause(made, "FieldValueInvalid", "metadata.name"));
  EXPECT_TRUE(has_cause(made, "FieldValueInvalid", "metadata.labels"));
  EXPECT_TRUE(has_cause(made, "FieldValueInvalid", "data[b ad]"));
}

CONTRACT(Metadata, NothingEmptyIsKept,
         "empty labels, annotations, finalizers and owners are the same as none") {
  define();
  const char* empty = "{metadata: {labels: {}, annotations: {}, finalizers: [], ownerReferences: []}}";
  for (const Value& made :
       {create("configmaps", config_map("a", empty)), create_widget(widget("a", empty))}) {
    for (const char* field : {"labels", "annotations", "finalizers", "ownerReferences"}) {
      EXPECT_EQ(text_at(made, std::string("/metadata/") + field), "<absent>") << field;
    }
  }
}

CONTRACT(Metadata, OwnersAreNamedWhole, "an ownerReference has apiVersion, kind, name and uid") {
  const Answer made = api().post(at("configmaps"), config_map("a", R"({metadata: {ownerReferences:
      [{apiVersion: v1, kind: ConfigMap, name: owner, uid: ''}]}})"));
  EXPECT_TRUE(refused(made, 422, "Invalid"));
  EXPECT_TRUE(has_cause(made, "FieldValueInvalid", "metadata.ownerReferences.uid", "must not be empty"));
}

CONTRACT(Metadata, OneOwnerControls, "at most one ownerReference has controller: true") {
  const Answer made = api().post(at("configmaps"), config_map("a", R"({metadata: {ownerReferences: [
      {apiVersion: v1, kind: ConfigMap, name: x, uid: u1, controller: true},
      {apiVersion: v1, kind: ConfigMap, name: z, uid: u2, controller: true}]}})"));
  EXPECT_TRUE(refused(made, 422, "Invalid", "Only one reference can have Controller set to true"));
  EXPECT_TRUE(has_cause(made, "FieldValueInvalid", "metadata.ownerReferences",
                        R"(Found "true" in references for ConfigMap/x and ConfigMap/z)"));
}

CONTRACT(Metadata, FinalizerNamesAreChecked, "a finalizer is a qualified name") {
  const Answer made = api().post(at("configmaps"), config_map("a", "{metadata: {finalizers: ['-bad-']}}"));
  EXPECT_TRUE(refused(made, 422, "Invalid"));
  EXPECT_TRUE(has_cause(made, "FieldValueInvalid", "metadata.finalizers", "name part must consist of"));
}

CONTRACT(Metadata, ClusterScopedObjectsHaveNoNamespace, "an object without a namespace shows none") {
  const Answer found = api().get("/api/v1/namespaces/" + ns());
  EXPECT_EQ(found.text("/metadata/namespace"), "<absent>");
}

}  // namespace
}  // namespace fairway::contract
