// Garbage collection by ownerReferences, and the propagation policies of a delete.
#include <fmt/format.h>

#include "harness.hpp"

namespace fairway::contract {
namespace {

class Garbage : public ContractTest {
 protected:
  // A secret that a config map owns.
  Value owned(std::string_view name, const Value& owner, std::string_view more = "") {
    return create("secrets", secret(name, fmt::format("{{metadata: {{ownerReferences: [{}]}}}}",
                                                      reference(owner, more))));
  }
  static std::string reference(const Value& owner, std::string_view more = "") {
    return fmt::format("{{apiVersion: v1, kind: ConfigMap, name: {}, uid: {}{}}}",
                       text_at(owner, "/metadata/name"), uid_of(owner), more);
  }
  bool goes(const std::string& path) {
    return api().eventually([&] { return api().get(path).status == 404; });
  }
};

CONTRACT_WITH_CONTROLLERS(Garbage, InTheBackground,
                          "by default an owner goes at once and its dependents follow") {
  const Value owner = create("configmaps", config_map("owner"));
  owned("child", owner);
  ASSERT_TRUE(answered(api().remove(at("configmaps", "owner")), 200));
  EXPECT_TRUE(answered(api().get(at("configmaps", "owner")), 404));
  EXPECT_TRUE(goes(at("secrets", "child")));
}

CONTRACT_WITH_CONTROLLERS(Garbage, Generations, "dependents of dependents go too") {
  const Value owner = create("configmaps", config_map("owner"));
  const Value child =
      create("configmaps",
             config_map("child", fmt::format("{{metadata: {{ownerReferences: [{}]}}}}", reference(owner))));
  owned("grandchild", child);
  ASSERT_TRUE(answered(api().remove(at("configmaps", "owner"), "{propagationPolicy: Background}"), 200));
  EXPECT_TRUE(goes(at("configmaps", "child")));
  EXPECT_TRUE(goes(at("secrets", "grandchild")));
}

CONTRACT_WITH_CONTROLLERS(Garbage, InTheForeground,
                          "in the foreground an owner waits for its blocking dependents") {
  const Value owner = create("configmaps", config_map("owner"));
  create(
      "secrets",
      secret("child", fmt::format("{{metadata: {{finalizers: [example.com/hold], ownerReferences: [{}]}}}}",
                                  reference(owner, ", blockOwnerDeletion: true"))));
  const Answer deleted = api().remove(at("configmaps", "owner"), "{propagationPolicy: Foreground}");
  ASSERT_TRUE(answered(deleted, 200));
  EXPECT_EQ(deleted.text("/metadata/finalizers"), R"(["foregroundDeletion"])");
  EXPECT_NE(deleted.text("/metadata/deletionTimestamp"), "<absent>");
  EXPECT_TRUE(api().eventually(
      [&] { return api().get(at("secrets", "child")).text("/metadata/deletionTimestamp") != "<absent>"; }));
  EXPECT_TRUE(answered(api().get(at("configmaps", "owner")), 200));
  ASSERT_TRUE(answered(api().merge(at("secrets", "child"), "{metadata: {finalizers: null}}"), 200));
  EXPECT_TRUE(goes(at("configmaps", "owner")));
}

CONTRACT_WITH_CONTROLLERS(Garbage, WithoutBlocking,
                          "in the foreground an owner does not wait for dependents that do not block") {
  const Value owner = create("configmaps", config_map("owner"));
  create(
      "secrets",
      secret("child", fmt::format("{{metadata: {{finalizers: [example.com/hold], ownerReferences: [{}]}}}}",
                                  reference(owner))));
  ASSERT_TRUE(answered(api().remove(at("configmaps", "owner"), "{propagationPolicy: Foreground}"), 200));
  EXPECT_TRUE(goes(at("configmaps", "owner")));
  EXPECT_TRUE(answered(api().get(at("secrets", "child")), 200));
  EXPECT_TRUE(answered(api().merge(at("secrets", "child"), "{metadata: {finalizers: null}}"), 200));
}

CONTRACT_WITH_CONTROLLERS(Garbage, Orphans, "with the policy Orphan dependents stay and lose the reference") {
  const Value owner = create("configmaps", config_map("owner"));
  owned("child", owner);
  ASSERT_TRUE(answered(api().remove(at("configmaps", "owner"), "{propagationPolicy: Orphan}"), 200));
  EXPECT_TRUE(goes(at("configmaps", "owner")));
  const Answer child = api().get(at("secrets", "child"));
  ASSERT_TRUE(answered(child, 200));
  EXPECT_EQ(child.text("/metadata/ownerReferences"), "<absent>");
}

CONTRACT_WITH_CONTROLLERS(Garbage, AbsentOwners, "an object whose owner does not exist is collected") {
  const Value owner = create("configmaps", config_map("owner"));
  ASSERT_TRUE(answered(api().remove(at("configmaps", "owner")), 200));
  owned("child", owner);
  EXPECT_TRUE(goes(at("secrets", "child")));
}

CONTRACT_WITH_CONTROLLERS(Garbage, OwnersAreKnownByUid,
                          "an owner of the same name but another uid is another owner") {
  const Value first = create("configmaps", config_map("owner"));
  ASSERT_TRUE(answered(api().remove(at("configmaps", "owner")), 200));
  create("configmaps", config_map("owner"));
  owned("child", first);
  EXPECT_TRUE(goes(at("secrets", "child")));
  EXPECT_TRUE(answered(api().get(at("configmaps", "owner")), 200));
}

CONTRACT_WITH_CONTROLLERS(Garbage, TheLastOwnerCounts,
                          "an object stays while one of its owners is there, and forgets the others") {
  const Value first = create("configmaps", config_map("first"));
  const Value second = create("configmaps", config_map("second"));
  create("secrets", secret("child", fmt::format("{{metadata: {{ownerReferences: [{}, {}]}}}}",
                                                reference(first), reference(second))));
  ASSERT_TRUE(answered(api().remove(at("configmaps", "first")), 200));
  EXPECT_TRUE(api().eventually([&] {
    const Answer child = api().get(at("secrets", "child"));
    return child.text("/metadata/ownerReferences/0/name") == "second" &&
           child.text("/metadata/ownerReferences/1") == "<absent>";
  }));
  ASSERT_TRUE(answered(api().remove(at("configmaps", "second")), 200));
  EXPECT_TRUE(goes(at("secrets", "child")));
}

CONTRACT_WITH_CONTROLLERS(Garbage, CustomOwners, "custom objects own and are owned as built-in ones") {
  define();
  const Value owner = create_widget(widget("owner"));
  create("secrets", secret("child", fmt::format("{{metadata: {{ownerReferences: [{{apiVersion: {}/v1, kind: "
                                                "Widget, name: owner, uid: {}}}]}}}}",
                                                group(), uid_of(owner))));
  ASSERT_TRUE(answered(api().remove(widgets("owner")), 200));
  EXPECT_TRUE(goes(at("secrets", "child")));
}

CONTRACT(Garbage, TheForegroundIsAFinalizer, "the policy Foreground sets the finalizer foregroundDeletion") {
  const Value owner =
      create("configmaps", config_map("owner", "{metadata: {finalizers: [example.com/hold]}}"));
  const Answer deleted = api().remove(at("configmaps", "owner"), "{propagationPolicy: Foreground}");
  ASSERT_TRUE(answered(deleted, 200));
  EXPECT_TRUE(contains(deleted.text("/metadata/finalizers"), "foregroundDeletion"));
  EXPECT_TRUE(answered(api().merge(at("configmaps", "owner"), "{metadata: {finalizers: null}}"), 200));
}

CONTRACT(Garbage, OrphaningIsAFinalizer,
         "the policy Orphan sets the finalizer orphan, also given in the query") {
  create("configmaps", config_map("owner", "{metadata: {finalizers: [example.com/hold]}}"));
  const Answer deleted = api().remove(with(at("configmaps", "owner"), {{"propagationPolicy", "Orphan"}}));
  ASSERT_TRUE(answered(deleted, 200));
  EXPECT_TRUE(contains(deleted.text("/metadata/finalizers"), "orphan"));
  EXPECT_TRUE(answered(api().merge(at("configmaps", "owner"), "{metadata: {finalizers: null}}"), 200));
}

CONTRACT(Garbage, PoliciesHaveNames, "an unknown propagationPolicy is 422") {
  create("configmaps", config_map("a"));
  const Answer deleted = api().remove(at("configmaps", "a"), "{propagationPolicy: Sometimes}");
  EXPECT_TRUE(refused(deleted, 422, "Invalid", "propagationPolicy"));
  EXPECT_TRUE(has_cause(deleted, "FieldValueNotSupported", "propagationPolicy"));
  EXPECT_TRUE(answered(api().get(at("configmaps", "a")), 200));
}

CONTRACT(Garbage, OnePolicyOnly, "orphanDependents and propagationPolicy exclude each other: 422") {
  create("configmaps", config_map("a"));
  const Answer deleted =
      api().remove(at("configmaps", "a"), "{propagationPolicy: Background, orphanDependents: true}");
  EXPECT_TRUE(
      refused(deleted, 422, "Invalid", "orphanDependents and deletionPropagation cannot be both set"));
  EXPECT_TRUE(answered(api().get(at("configmaps", "a")), 200));
}

}  // namespace
}  // namespace fairway::contract
