// Dry runs: everything is checked, nothing happens.
#include "harness.hpp"

namespace fairway::contract {
namespace {

class DryRun : public ContractTest {
 protected:
  static std::string dry(const std::string& path) { return with(path, {{"dryRun", "All"}}); }
};

CONTRACT(DryRun, Create, "a dry create is answered as if made, and makes nothing") {
  const Answer made = api().post(dry(at("configmaps")), config_map("a", "{data: {k: v}}"));
  ASSERT_TRUE(answered(made, 201));
  EXPECT_EQ(made.text("/data/k"), "v");
  EXPECT_NE(uid_of(made.json), "<absent>");
  EXPECT_NE(made.text("/metadata/creationTimestamp"), "<absent>");
  EXPECT_TRUE(answered(api().get(at("configmaps", "a")), 404));
}

CONTRACT(DryRun, Update, "a dry update shows the result and keeps the object") {
  Value made = create("configmaps", config_map("a", "{data: {k: v}}"));
  set(made, "/data/k", "w");
  const Answer written = api().put(dry(at("configmaps", "a")), made);
  ASSERT_TRUE(answered(written, 200));
  EXPECT_EQ(written.text("/data/k"), "w");
  const Answer kept = api().get(at("configmaps", "a"));
  EXPECT_EQ(kept.text("/data/k"), "v");
  EXPECT_EQ(version_of(kept.json), version_of(made));
}

CONTRACT(DryRun, Patch, "a dry patch shows the result and keeps the object") {
  const Value made = create("configmaps", config_map("a", "{data: {k: v}}"));
  EXPECT_EQ(api().merge(dry(at("configmaps", "a")), "{data: {k: w}}").text("/data/k"), "w");
  EXPECT_EQ(api().get(at("configmaps", "a")).json, made);
}

CONTRACT(DryRun, Apply, "a dry apply shows the result, of a create too, and keeps nothing") {
  const Answer made = api().apply(dry(at("configmaps", "a")), "alice", config_map("a", "{data: {k: v}}"));
  ASSERT_TRUE(answered(made, 201));
  EXPECT_NE(managed_by(made.json, "alice"), nullptr);
  EXPECT_TRUE(answered(api().get(at("configmaps", "a")), 404));
}

CONTRACT(DryRun, Delete, "a dry delete keeps the object, given in the query or in the body") {
  const Value made = create("configmaps", config_map("a"));
  EXPECT_TRUE(answered(api().remove(dry(at("configmaps", "a"))), 200));
  EXPECT_TRUE(answered(api().remove(at("configmaps", "a"), "{dryRun: [All]}"), 200));
  EXPECT_EQ(api().get(at("configmaps", "a")).json, made);
}

CONTRACT(DryRun, DeleteOfACollection, "a dry delete of a collection keeps it") {
  create("secrets", secret("a"));
  EXPECT_TRUE(answered(api().remove(dry(at("secrets"))), 200));
  EXPECT_EQ(names_of(api().get(at("secrets")).json), Names{"a"});
}

CONTRACT(DryRun, WatchersHearNothing, "dry writes are no events of a watch") {
  const Value made = create("secrets", secret("a"));
  Watch watch = api().watch(with(at("secrets"), {{"resourceVersion", version_of(made)}}));
  ASSERT_TRUE(answered(api().post(dry(at("secrets")), secret("b")), 201));
  ASSERT_TRUE(answered(api().merge(dry(at("secrets", "a")), "{metadata: {labels: {x: yy}}}"), 200));
  ASSERT_TRUE(answered(api().remove(dry(at("secrets", "a"))), 200));
  create("secrets", secret("marker"));
  EXPECT_EQ(watch.take(1), Names{"ADDED marker"});
}

CONTRACT(DryRun, ChecksEverything, "a dry write is refused as a real one would be") {
  create("configmaps", config_map("a"));
  EXPECT_TRUE(refused(api().post(dry(at("configmaps")), config_map("a")), 409, "AlreadyExists"));
  EXPECT_TRUE(refused(api().post(dry(at("configmaps")), config_map("Bad")), 422, "Invalid"));
  EXPECT_TRUE(refused(api().merge(dry(at("configmaps", "nobody")), "{}"), 404, "NotFound"));
  EXPECT_TRUE(refused(api().remove(dry(at("configmaps", "nobody"))), 404, "NotFound"));
}

CONTRACT(DryRun, HasOneValue, "a dryRun other than All is 422") {
  const Answer made = api().post(with(at("configmaps"), {{"dryRun", "Some"}}), config_map("a"));
  EXPECT_TRUE(refused(made, 422, "Invalid", "dryRun: Unsupported value"));
  EXPECT_TRUE(has_cause(made, "FieldValueNotSupported", "dryRun"));
  EXPECT_TRUE(answered(api().get(at("configmaps", "a")), 404));
}

CONTRACT(DryRun, OfStatus, "a dry write of status keeps the status") {
  define();
  create_widget(widget("a"));
  EXPECT_EQ(api().merge(dry(widgets("a", "status")), "{status: {num: 1}}").text("/status/num"), "1");
  EXPECT_EQ(api().get(widgets("a")).text("/status"), "<absent>");
}

CONTRACT(DryRun, GeneratesNames, "a dry create with generateName shows a name") {
  const Answer made =
      api().post(dry(at("configmaps")), "{apiVersion: v1, kind: ConfigMap, metadata: {generateName: pre-}}");
  EXPECT_TRUE(made.text("/metadata/name").starts_with("pre-"));
}

CONTRACT(DryRun, OfADefinition, "a dry create of a definition serves nothing") {
  const std::string all = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
  ASSERT_TRUE(answered(api().post(dry(all), widget_crd()), 201));
  EXPECT_TRUE(answered(api().get(crd_path()), 404));
}

}  // namespace
}  // namespace fairway::contract
