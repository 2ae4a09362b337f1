// Server-side apply: who owns which fields.
#include <fmt/format.h>

#include "harness.hpp"

namespace fairway::contract {
namespace {

class Apply : public ContractTest {
 protected:
  // Applies data of the config map "a".
  Answer apply_data(std::string manager, std::string_view data, bool force = false) {
    return api().apply(at("configmaps", "a"), std::move(manager),
                       config_map("a", fmt::format("{{data: {}}}", data)), force);
  }
};

CONTRACT(Apply, Creates, "an apply of an object that does not exist creates it: 201") {
  const Answer made = apply_data("alice", "{k: v}");
  ASSERT_TRUE(answered(made, 201));
  EXPECT_EQ(made.text("/data/k"), "v");
  EXPECT_EQ(api().get(at("configmaps", "a")).json, made.json);
}

CONTRACT(Apply, RecordsTheManager,
         "managedFields names manager, operation, version, time and fields of an apply") {
  const Answer made = apply_data("alice", "{k: v}");
  const Value* entry = managed_by(made.json, "alice");
  ASSERT_NE(entry, nullptr) << made.body;
  EXPECT_EQ(text_at(*entry, "/operation"), "Apply");
  EXPECT_EQ(text_at(*entry, "/apiVersion"), "v1");
  EXPECT_EQ(text_at(*entry, "/fieldsType"), "FieldsV1");
  EXPECT_NE(text_at(*entry, "/time"), "<absent>");
  EXPECT_EQ(text_at(*entry, "/fieldsV1"), R"({"f:data":{"f:k":{}}})");
}

CONTRACT(Apply, TwiceIsOnce, "an apply that changes nothing keeps the resourceVersion: 200") {
  const Answer made = apply_data("alice", "{k: v}");
  const Answer again = apply_data("alice", "{k: v}");
  ASSERT_TRUE(answered(again, 200));
  EXPECT_EQ(version_of(again.json), version_of(made.json));
  EXPECT_EQ(again.text("/metadata/managedFields"), made.text("/metadata/managedFields"));
}

CONTRACT(Apply, RemovesWhatIsNoLongerApplied, "a field that its only manager no longer applies is removed") {
  apply_data("alice", "{k: v, num: m}");
  const Answer written = apply_data("alice", "{k: v}");
  ASSERT_TRUE(answered(written, 200));
  EXPECT_EQ(written.text("/data"), R"({"k":"v"})");
}

CONTRACT(Apply, MergesTwoManagers, "two managers apply different fields of one object") {
  apply_data("alice", "{a: '1'}");
  const Answer written = apply_data("bob", "{b: '2'}");
  ASSERT_TRUE(answered(written, 200));
  EXPECT_EQ(written.text("/data"), R"({"a":"1","b":"2"})");
  EXPECT_NE(managed_by(written.json, "alice"), nullptr);
  EXPECT_NE(managed_by(written.json, "bob"), nullptr);
}

CONTRACT(Apply, ConflictsAreTold,
         "another value for another manager's field is 409 with a cause for each field") {
  apply_data("alice", "{k: v, num: m}");
  const Answer conflict = apply_data("bob", "{k: w}");
  EXPECT_TRUE(
      refused(conflict, 409, "Conflict", R"(Apply failed with 1 conflict: conflict with "alice": .data.k)"));
  EXPECT_TRUE(has_cause(conflict, "FieldManagerConflict", ".data.k", R"(conflict with "alice")"));
  EXPECT_EQ(api().get(at("configmaps", "a")).text("/data/k"), "v");
}

CONTRACT(Apply, ManyConflictsAreToldTogether, "all conflicting fields are told at once") {
  apply_data("alice", "{k: v, num: m}");
  const Answer conflict = apply_data("bob", "{k: w, num: o}");
  EXPECT_TRUE(refused(conflict, 409, "Conflict", "Apply failed with 2 conflicts: conflicts with \"alice\":"));
  EXPECT_TRUE(has_cause(conflict, "FieldManagerConflict", ".data.k"));
  EXPECT_TRUE(has_cause(conflict, "FieldManagerConflict", ".data.num"));
}

CONTRACT(Apply, ConflictsWithUpdates,
         "a field that an update wrote conflicts too, and the version of that manager is told") {
  ASSERT_TRUE(answered(
      api().post(with(at("configmaps"), {{"fieldManager", "carol"}}), config_map("a", "{data: {k: v}}")),
      201));
  const Answer conflict = apply_data("bob", "{k: w}");
  EXPECT_TRUE(refused(conflict, 409, "Conflict", R"(conflict with "carol" using v1: .data.k)"));
  EXPECT_TRUE(has_cause(conflict, "FieldManagerConflict", ".data.k", R"(conflict with "carol" using v1)"));
}

CONTRACT(Apply, ForceTakesOver, "force takes the fields over; the other manager owns them no more") {
  apply_data("alice", "{k: v}");
  const Answer forced = apply_data("bob", "{k: w}", true);
  ASSERT_TRUE(answered(forced, 200));
  EXPECT_EQ(forced.text("/data/k"), "w");
  EXPECT_EQ(managed_by(forced.json, "alice"), nullptr);
  EXPECT_TRUE(refused(apply_data("alice", "{k: v}"), 409, "Conflict", R"(conflict with "bob")"));
}

CONTRACT(Apply, TheSameValueIsShared,
         "two managers that apply the same value both own it; it stays until both let go") {
  apply_data("alice", "{k: v}");
  ASSERT_TRUE(answered(apply_data("bob", "{k: v}"), 200));
  EXPECT_EQ(apply_data("alice", "{}").text("/data/k"), "v");
  EXPECT_EQ(apply_data("bob", "{}").text("/data/k"), "<absent>");
}

CONTRACT(Apply, AnUpdateTakesOwnership,
         "an update that changes a field takes it from the manager who applied it") {
  apply_data("alice", "{k: v, num: m}");
  const Answer written =
      api().merge(with(at("configmaps", "a"), {{"fieldManager", "carol"}}), "{data: {k: w}}");
  ASSERT_TRUE(answered(written, 200));
  const Value* carol = managed_by(written.json, "carol");
  ASSERT_NE(carol, nullptr);
  EXPECT_EQ(text_at(*carol, "/operation"), "Update");
  EXPECT_EQ(text_at(*carol, "/fieldsV1"), R"({"f:data":{"f:k":{}}})");
  const Value* alice = managed_by(written.json, "alice");
  ASSERT_NE(alice, nullptr);
  EXPECT_EQ(text_at(*alice, "/fieldsV1/f:data/f:k"), "<absent>");
}

CONTRACT(Apply, UpdatesAreRecordedByProgram,
         "a write without fieldManager is recorded under the program's name in User-Agent") {
  const Answer made =
      api().post(at("configmaps"), config_map("a", "{data: {k: v}}"), {{"User-Agent", "prog/v1.2 (linux)"}});
  const Value* entry = managed_by(made.json, "prog");
  ASSERT_NE(entry, nullptr) << made.body;
  EXPECT_EQ(text_at(*entry, "/operation"), "Update");
  EXPECT_NE(text_at(*entry, "/fieldsV1/f:data/f:k"), "<absent>");
}

CONTRACT(Apply, NeedsAManager, "an apply without fieldManager is 422") {
  const Answer refusal = api().patch(at("configmaps", "a"), kApplyPatch, config_map("a"));
  EXPECT_TRUE(refused(refusal, 422, "Invalid", "fieldManager: Required value: is required for apply patch"));
  EXPECT_TRUE(has_cause(refusal, "FieldValueRequired", "fieldManager"));
}

CONTRACT(Apply, ManagersHaveShortNames, "a fieldManager has at most 128 characters: 422") {
  const Answer refusal = apply_data(std::string(129, 'm'), "{k: v}");
  EXPECT_TRUE(refused(refusal, 422, "Invalid"));
  EXPECT_TRUE(has_cause(refusal, "FieldValueTooLong", "fieldManager"));
}

CONTRACT(Apply, IsWithoutManagedFields, "an applied object must not have managedFields: 400") {
  const Answer made = apply_data("alice", "{k: v}");
  const Answer refusal = api().apply(at("configmaps", "a"), "alice", made.json);
  EXPECT_TRUE(refused(refusal, 400, "BadRequest", "metadata.managedFields must be nil"));
}

CONTRACT(Apply, MustFitThePath, "an applied object has the path's name") {
  const Answer refusal = api().apply(at("configmaps", "a"), "alice", config_map("b"));
  EXPECT_TRUE(refused(refusal, 400, "BadRequest"));
  EXPECT_TRUE(answered(api().get(at("configmaps", "b")), 404));
}

CONTRACT(Apply, NeedsKindAndVersion, "an applied object says its apiVersion and kind") {
  const Answer refusal = api().apply(at("configmaps", "a"), "alice", "{metadata: {name: a}, data: {k: v}}");
  EXPECT_GE(refusal.status, 400);
  EXPECT_LT(refusal.status, 500);
  EXPECT_TRUE(answered(api().get(at("configmaps", "a")), 404));
}

CONTRACT(Apply, TakesYaml, "an applied object is YAML") {
  const Answer made =
      api().send("PATCH", with(at("configmaps", "a"), {{"fieldManager", "alice"}}),
                 {{"Content-Type", std::string(kApplyPatch)}},
                 "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\ndata:\n  version: '4.10'\n");
  ASSERT_TRUE(answered(made, 201));
  EXPECT_EQ(made.text("/data/version"), "4.10");
}

CONTRACT(Apply, AStaleVersionIsRefused,
         "an applied object that names a stale resourceVersion is 409 Conflict") {
  const Answer made = apply_data("alice", "{k: v}");
  ASSERT_TRUE(answered(api().merge(at("configmaps", "a"), "{data: {num: m}}"), 200));
  const Answer stale =
      api().apply(at("configmaps", "a"), "alice",
                  config_map("a", fmt::format("{{data: {{k: w}}, metadata: {{resourceVersion: '{}'}}}}",
                                              version_of(made.json))));
  EXPECT_TRUE(refused(stale, 409, "Conflict", "the object has been modified"));
}

CONTRACT(Apply, LabelsAndAnnotationsAreFields, "labels and annotations are owned key by key") {
  ASSERT_TRUE(answered(
      api().apply(at("configmaps", "a"), "alice", config_map("a", "{metadata: {labels: {x: '1'}}}")), 201));
  ASSERT_TRUE(answered(
      api().apply(at("configmaps", "a"), "bob", config_map("a", "{metadata: {labels: {z: '2'}}}")), 200));
  const Answer written = api().apply(at("configmaps", "a"), "alice", config_map("a"));
  ASSERT_TRUE(answered(written, 200));
  EXPECT_EQ(written.text("/metadata/labels"), R"({"z":"2"})");
}

CONTRACT(Apply, StatusHasItsOwnEntry, "an apply of status is recorded apart, with subresource: status") {
  define();
  ASSERT_TRUE(answered(api().apply(widgets("a"), "alice", widget("a", "{spec: {num: 1}}")), 201));
  const Answer written = api().apply(widgets("a", "status"), "alice", widget("a", "{status: {ready: true}}"));
  ASSERT_TRUE(answered(written, 200));
  EXPECT_EQ(written.text("/status/ready"), "true");
  EXPECT_EQ(written.text("/spec/num"), "1");
  const Value* of_status = managed_by(written.json, "alice", "status");
  ASSERT_NE(of_status, nullptr) << written.body;
  EXPECT_EQ(text_at(*of_status, "/fieldsV1/f:status/f:ready"), "{}");
  EXPECT_NE(managed_by(written.json, "alice"), nullptr);
}

CONTRACT(Apply, StatusIsNotOfTheObject, "status in an apply of the object is neither written nor owned") {
  define();
  const Answer made =
      api().apply(widgets("a"), "alice", widget("a", "{spec: {num: 1}, status: {ready: true}}"));
  ASSERT_TRUE(answered(made, 201));
  EXPECT_EQ(made.text("/status"), "<absent>");
  const Value* entry = managed_by(made.json, "alice");
  ASSERT_NE(entry, nullptr);
  EXPECT_EQ(text_at(*entry, "/fieldsV1/f:status"), "<absent>");
}

CONTRACT(Apply, StatusOfAMissingObject, "an apply of status does not create the object: 404") {
  define();
  EXPECT_TRUE(refused(api().apply(widgets("a", "status"), "alice", widget("a", "{status: {ready: true}}")),
                      404, "NotFound"));
}

CONTRACT(Apply, IsValidated, "an applied object is held to the kind's rules: 422") {
  const Answer refusal = api().apply(at("configmaps", "a"), "alice", config_map("a", "{data: {'b ad': v}}"));
  EXPECT_TRUE(refused(refusal, 422, "Invalid"));
  EXPECT_TRUE(has_cause(refusal, "FieldValueInvalid", "data[b ad]"));
}

CONTRACT(Apply, ManagedFieldsCanBeStripped, "managedFields set to a list of one empty entry are removed") {
  apply_data("alice", "{k: v}");
  const Answer written = api().merge(at("configmaps", "a"), "{metadata: {managedFields: [{}]}}");
  ASSERT_TRUE(answered(written, 200));
  EXPECT_EQ(written.text("/metadata/managedFields"), "<absent>");
}

CONTRACT(Apply, ManagedFieldsCanBePatched, "a JSON patch can test managedFields, and strip them") {
  apply_data("alice", "{k: v}");
  const auto patched = [&](const Body& operations) {
    return api().patch(at("configmaps", "a"), kJsonPatch, operations);
  };
  EXPECT_TRUE(answered(
      patched(R"([{"op": "test", "path": "/metadata/managedFields/0/manager", "value": "alice"}])"), 200));
  EXPECT_TRUE(
      refused(patched(R"([{"op": "test", "path": "/metadata/managedFields/0/manager", "value": "bob"}])"),
              422, "Invalid"));
  const Answer kept = patched(R"([{"op": "replace", "path": "/data/k", "value": "v"}])");
  EXPECT_EQ(kept.text("/metadata/managedFields/0/manager"), "alice");
  const Answer stripped = patched(R"([{"op": "replace", "path": "/metadata/managedFields", "value": [{}]}])");
  ASSERT_TRUE(answered(stripped, 200));
  EXPECT_EQ(stripped.text("/metadata/managedFields"), "<absent>");
}

CONTRACT(Apply, RaisesTheGeneration, "an apply that changes spec raises the generation") {
  define();
  ASSERT_TRUE(answered(api().apply(widgets("a"), "alice", widget("a", "{spec: {num: 1}}")), 201));
  const Answer written = api().apply(widgets("a"), "alice", widget("a", "{spec: {num: 2}}"));
  EXPECT_EQ(written.text("/metadata/generation"), "2");
}

}  // namespace
}  // namespace fairway::contract
