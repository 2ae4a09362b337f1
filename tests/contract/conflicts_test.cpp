// Optimistic concurrency, preconditions, and writes that change nothing.
#include <fmt/format.h>

#include "harness.hpp"

namespace fairway::contract {
namespace {

using Conflicts = ContractTest;
using NoOp = ContractTest;

CONTRACT(Conflicts, AStaleUpdateIsRefused, "a stale resourceVersion is refused with 409 Conflict") {
  const Value first = create("configmaps", config_map("a"));
  ASSERT_TRUE(answered(api().merge(at("configmaps", "a"), "{data: {k: v}}"), 200));
  const Answer written = api().put(at("configmaps", "a"), first);
  EXPECT_TRUE(
      refused(written, 409, "Conflict",
              R"(Operation cannot be fulfilled on configmaps "a": the object has been modified; please )"
              "apply your changes to the latest version and try again"));
  EXPECT_EQ(written.text("/details/name"), "a");
  EXPECT_EQ(written.text("/details/kind"), "configmaps");
  EXPECT_EQ(api().get(at("configmaps", "a")).text("/data/k"), "v");
}

CONTRACT(Conflicts, AStaleUpdateOfACustomObjectIsRefused,
         "custom objects are guarded by resourceVersion too") {
  define();
  Value first = create_widget(widget("a"));
  ASSERT_TRUE(answered(api().merge(widgets("a"), "{spec: {num: 1}}"), 200));
  set(first, "/spec/num", "2");
  EXPECT_TRUE(refused(api().put(widgets("a"), first), 409, "Conflict", "the object has been modified"));
}

CONTRACT(Conflicts, AStaleStatusUpdateIsRefused, "a write of status is guarded by resourceVersion") {
  define();
  Value first = create_widget(widget("a"));
  ASSERT_TRUE(answered(api().merge(widgets("a"), "{spec: {num: 1}}"), 200));
  set(first, "/status/num", "2");
  EXPECT_TRUE(
      refused(api().put(widgets("a", "status"), first), 409, "Conflict", "the object has been modified"));
}

CONTRACT(Conflicts, ASecondCreateIsRefused, "a name that is taken is 409 AlreadyExists") {
  create("configmaps", config_map("a"));
  const Answer made = api().post(at("configmaps"), config_map("a"));
  EXPECT_TRUE(refused(made, 409, "AlreadyExists", R"(configmaps "a" already exists)"));
  EXPECT_EQ(made.text("/details/name"), "a");
}

CONTRACT(Conflicts, UnconditionalUpdatesOfBuiltins, "a config map may be updated without a resourceVersion") {
  create("configmaps", config_map("a"));
  const Answer written = api().put(at("configmaps", "a"), config_map("a", "{data: {k: v}}"));
  ASSERT_TRUE(answered(written, 200));
  EXPECT_EQ(written.text("/data/k"), "v");
}

CONTRACT(Conflicts, CustomObjectsNeedAResourceVersion,
         "an update of a custom object needs its resourceVersion: 422") {
  define();
  create_widget(widget("a"));
  const Answer written = api().put(widgets("a"), widget("a", "{spec: {num: 1}}"));
  EXPECT_TRUE(refused(written, 422, "Invalid", "metadata.resourceVersion: Invalid value:"));
  EXPECT_TRUE(
      has_cause(written, "FieldValueInvalid", "metadata.resourceVersion", "must be specified for an update"));
}

CONTRACT(Conflicts, AnotherUidInAnUpdate, "an update that names another uid is 409 Conflict") {
  Value made = create("configmaps", config_map("a"));
  set(made, "/metadata/uid", "00000000-0000-4000-8000-000000000000");
  erase(made, "/metadata/resourceVersion");
  EXPECT_TRUE(refused(api().put(at("configmaps", "a"), made), 409, "Conflict",
                      "Precondition failed: UID in precondition: 00000000-0000-4000-8000-000000000000"));
}

CONTRACT(Conflicts, DeleteChecksTheUid, "a delete with another uid as precondition is 409 Conflict") {
  const Value made = create("configmaps", config_map("a"));
  const Answer wrong = api().remove(at("configmaps", "a"), "{preconditions: {uid: other}}");
  EXPECT_TRUE(refused(wrong, 409, "Conflict",
                      fmt::format("the UID in the precondition (other) does not match the UID in record ({})",
                                  uid_of(made))));
  EXPECT_TRUE(answered(api().get(at("configmaps", "a")), 200));
  EXPECT_TRUE(answered(
      api().remove(at("configmaps", "a"), fmt::format("{{preconditions: {{uid: {}}}}}", uid_of(made))), 200));
}

CONTRACT(Conflicts, DeleteChecksTheResourceVersion,
         "a delete with a stale resourceVersion as precondition is 409") {
  const Value made = create("configmaps", config_map("a"));
  ASSERT_TRUE(answered(api().merge(at("configmaps", "a"), "{data: {k: v}}"), 200));
  const auto options = [](const std::string& version) {
    return fmt::format("{{preconditions: {{resourceVersion: '{}'}}}}", version);
  };
  EXPECT_TRUE(refused(api().remove(at("configmaps", "a"), options(version_of(made))), 409, "Conflict",
                      "the ResourceVersion in the precondition"));
  const Answer now = api().get(at("configmaps", "a"));
  EXPECT_TRUE(answered(api().remove(at("configmaps", "a"), options(version_of(now.json))), 200));
}

CONTRACT(Conflicts, OfTwoWritersOneWins, "of two updates of the same version exactly one is accepted") {
  Value one = create("configmaps", config_map("a"));
  Value two = one;
  set(one, "/data", "{by: one}");
  set(two, "/data", "{by: two}");
  EXPECT_TRUE(answered(api().put(at("configmaps", "a"), one), 200));
  EXPECT_TRUE(refused(api().put(at("configmaps", "a"), two), 409, "Conflict"));
  EXPECT_EQ(api().get(at("configmaps", "a")).text("/data/by"), "one");
}

CONTRACT(Conflicts, LeasesElectOneLeader, "a lease cannot be taken by two with the same version") {
  Value mine = create("leases", lease("leader"));
  Value theirs = mine;
  set(mine, "/spec/holderIdentity", "mine");
  set(theirs, "/spec/holderIdentity", "theirs");
  EXPECT_TRUE(answered(api().put(at("leases", "leader"), mine), 200));
  EXPECT_TRUE(refused(api().put(at("leases", "leader"), theirs), 409, "Conflict",
                      R"(Operation cannot be fulfilled on leases.coordination.k8s.io "leader")"));
}

CONTRACT(Conflicts, LeasesNeedAResourceVersion, "a lease is never updated unconditionally: 422") {
  create("leases", lease("leader"));
  EXPECT_TRUE(refused(api().put(at("leases", "leader"), lease("leader", "{spec: {holderIdentity: two}}")),
                      422, "Invalid", "must be specified for an update"));
}

CONTRACT(NoOp, AnUpdateWithoutAChange, "an update that changes nothing keeps the resourceVersion") {
  const Value made = create("configmaps", config_map("a", "{data: {k: v}}"));
  const Answer written = api().put(at("configmaps", "a"), made);
  ASSERT_TRUE(answered(written, 200));
  EXPECT_EQ(version_of(written.json), version_of(made));
}

CONTRACT(NoOp, APatchWithoutAChange, "a patch that changes nothing keeps the resourceVersion") {
  const Value made = create("configmaps", config_map("a", "{data: {k: v}}"));
  for (const char* patch : {"{}", "{data: {k: v}}", "{data: {absent: null}}", "{metadata: {labels: null}}"}) {
    SCOPED_TRACE(patch);
    const Answer written = api().merge(at("configmaps", "a"), patch);
    ASSERT_TRUE(answered(written, 200));
    EXPECT_EQ(version_of(written.json), version_of(made));
  }
}

CONTRACT(NoOp, ACustomUpdateWithoutAChange,
         "a no-op update of a custom object keeps version and generation") {
  define();
  const Value made = create_widget(widget("a", "{spec: {num: 1}}"));
  const Answer written = api().put(widgets("a"), made);
  ASSERT_TRUE(answered(written, 200));
  EXPECT_EQ(version_of(written.json), version_of(made));
  EXPECT_EQ(written.text("/metadata/generation"), "1");
}

CONTRACT(NoOp, WatchersDoNotHearOfIt, "a write that changes nothing is no event of a watch") {
  const Value made = create("secrets", secret("a"));
  Watch watch = api().watch(with(at("secrets"), {{"resourceVersion", version_of(made)}}));
  ASSERT_TRUE(answered(api().put(at("secrets", "a"), made), 200));
  ASSERT_TRUE(answered(api().merge(at("secrets", "a"), "{}"), 200));
  create("secrets", secret("marker"));
  EXPECT_EQ(watch.take(1), Names{"ADDED marker"});
}

}  // namespace
}  // namespace fairway::contract
