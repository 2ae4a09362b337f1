// Namespaces: how they begin and how they end.
#include <fmt/format.h>

#include "harness.hpp"

namespace fairway::contract {
namespace {

class Namespaces : public ContractTest {
 protected:
  std::string own(std::string_view subresource = "") {
    return "/api/v1/namespaces/" + ns() + (subresource.empty() ? "" : "/" + std::string(subresource));
  }
};

CONTRACT(Namespaces, BeginActive, "a new namespace is Active, has its finalizer and a label with its name") {
  const Answer found = api().get(own());
  EXPECT_EQ(found.text("/status/phase"), "Active");
  EXPECT_EQ(found.text("/spec/finalizers"), R"(["kubernetes"])");
  EXPECT_EQ(found.text("/metadata/labels/kubernetes.io~1metadata.name"), ns());
}

CONTRACT(Namespaces, KeepTheirLabel, "the label with the name cannot be changed away") {
  const Answer written =
      api().merge(own(), "{metadata: {labels: {kubernetes.io/metadata.name: other, x: yy}}}");
  // Set back silently, or refused, by version; never changed.
  EXPECT_TRUE(written.status == 200 || written.status == 422) << written.body;
  EXPECT_EQ(api().get(own()).text("/metadata/labels/kubernetes.io~1metadata.name"), ns());
}

CONTRACT(Namespaces, HaveLabelNames, "a namespace's name is a DNS label, without dots") {
  const Answer made = api().post("/api/v1/namespaces", object("v1", "Namespace", "a.b"));
  EXPECT_TRUE(refused(made, 422, "Invalid"));
  EXPECT_TRUE(has_cause(made, "FieldValueInvalid", "metadata.name", "must not contain dots"));
  const Answer other = api().post("/api/v1/namespaces", object("v1", "Namespace", "a_b"));
  EXPECT_TRUE(
      has_cause(other, "FieldValueInvalid", "metadata.name", "a lowercase RFC 1123 label must consist of"));
}

CONTRACT(Namespaces, AreNotDeletedTogether, "namespaces are not deleted as a collection: 405") {
  EXPECT_TRUE(
      refused(api().remove(with("/api/v1/namespaces", {{"labelSelector", "nobody=here"}, {"dryRun", "All"}})),
              405, "MethodNotAllowed"));
}

CONTRACT(Namespaces, EndTerminating, "a namespace that is deleted is Terminating first") {
  create("secrets", secret("held", "{metadata: {finalizers: [example.com/hold]}}"));
  const Answer deleted = api().remove(own());
  ASSERT_TRUE(answered(deleted, 200));
  EXPECT_EQ(deleted.text("/kind"), "Namespace");
  EXPECT_EQ(deleted.text("/status/phase"), "Terminating");
  EXPECT_NE(deleted.text("/metadata/deletionTimestamp"), "<absent>");
  EXPECT_EQ(api().get(own()).text("/status/phase"), "Terminating");
  EXPECT_TRUE(answered(api().merge(at("secrets", "held"), "{metadata: {finalizers: null}}"), 200));
}

CONTRACT(Namespaces, TakeNothingNewWhenTerminating,
         "nothing is created in a namespace that is Terminating: 403 with the cause NamespaceTerminating") {
  create("secrets", secret("held", "{metadata: {finalizers: [example.com/hold]}}"));
  ASSERT_TRUE(answered(api().remove(own()), 200));
  const Answer made = api().post(at("configmaps"), config_map("late"));
  EXPECT_TRUE(refused(
      made, 403, "Forbidden",
      fmt::format(
          R"(configmaps "late" is forbidden: unable to create new content in namespace {} because it is being terminated)",
          ns())));
  EXPECT_TRUE(has_cause(made, "NamespaceTerminating", "metadata.namespace",
                        fmt::format("namespace {} is being terminated", ns())));
  EXPECT_TRUE(answered(api().merge(at("secrets", "held"), "{metadata: {finalizers: null}}"), 200));
}

CONTRACT(Namespaces, AppliesAreCreatesToo, "an apply that would create in a Terminating namespace is 403") {
  create("secrets", secret("held", "{metadata: {finalizers: [example.com/hold]}}"));
  ASSERT_TRUE(answered(api().remove(own()), 200));
  EXPECT_TRUE(refused(api().apply(at("configmaps", "late"), "alice", config_map("late")), 403, "Forbidden",
                      "because it is being terminated"));
  EXPECT_TRUE(answered(api().merge(at("secrets", "held"), "{metadata: {finalizers: null}}"), 200));
}

CONTRACT_WITH_CONTROLLERS(Namespaces, AreEmptied,
                          "deleting a namespace deletes all that is in it, and then the namespace") {
  define();
  create("secrets", secret("a"));
  create("configmaps", config_map("b"));
  create("deployments", deployment("c"));
  create_widget(widget("d"));
  ASSERT_TRUE(answered(api().remove(own()), 200));
  EXPECT_TRUE(api().eventually([&] { return api().get(own()).status == 404; }));
  EXPECT_TRUE(answered(api().get(at("secrets", "a")), 404));
  EXPECT_TRUE(answered(api().get(widgets("d")), 404));
}

CONTRACT_WITH_CONTROLLERS(Namespaces, WaitForFinalizers, "a namespace waits for objects with finalizers") {
  create("secrets", secret("held", "{metadata: {finalizers: [example.com/hold]}}"));
  ASSERT_TRUE(answered(api().remove(own()), 200));
  EXPECT_TRUE(api().eventually([&] {
    const Value* remaining =
        element(find_at(api().get(own()).json, "/status/conditions"), "type", "NamespaceContentRemaining");
    return remaining != nullptr;
  }));
  EXPECT_EQ(api().get(own()).text("/status/phase"), "Terminating");
  EXPECT_NE(api().get(at("secrets", "held")).text("/metadata/deletionTimestamp"), "<absent>");
  ASSERT_TRUE(answered(api().merge(at("secrets", "held"), "{metadata: {finalizers: null}}"), 200));
  EXPECT_TRUE(api().eventually([&] { return api().get(own()).status == 404; }));
}

CONTRACT_WITH_CONTROLLERS(Namespaces, CanComeBack,
                          "after it is gone a namespace of the same name can be made, and is empty") {
  create("secrets", secret("a"));
  ASSERT_TRUE(answered(api().remove(own()), 200));
  ASSERT_TRUE(api().eventually([&] { return api().get(own()).status == 404; }));
  ASSERT_TRUE(answered(api().post("/api/v1/namespaces", object("v1", "Namespace", ns())), 201));
  EXPECT_EQ(names_of(api().get(at("secrets")).json), Names{});
}

CONTRACT(
    Namespaces, AreFinalized,
    "the finalize subresource takes the namespace's own finalizers away, and with the last the namespace") {
  const std::string name = unique("contract");
  const std::string path = "/api/v1/namespaces/" + name;
  const Answer made = api().post("/api/v1/namespaces",
                                 object("v1", "Namespace", name, "{spec: {finalizers: [example.com/hold]}}"));
  ASSERT_TRUE(answered(made, 201));
  EXPECT_TRUE(contains(made.text("/spec/finalizers"), "kubernetes"));
  ASSERT_TRUE(answered(api().remove(path), 200));
  EXPECT_TRUE(api().eventually([&] {
    Value held = api().get(path).json;
    set(held, "/spec/finalizers", "[]");
    return api().put(path + "/finalize", held).status == 200;
  }));
  EXPECT_TRUE(api().eventually([&] { return api().get(path).status == 404; }));
}

CONTRACT(Namespaces, FinalizersAreNotForUpdates, "an update of a namespace leaves its own finalizers alone") {
  const Answer written = api().merge(own(), "{spec: {finalizers: []}, metadata: {labels: {x: yy}}}");
  ASSERT_TRUE(answered(written, 200));
  EXPECT_EQ(written.text("/spec/finalizers"), R"(["kubernetes"])");
}

CONTRACT(Namespaces, DefaultsExist,
         "the namespaces default, kube-system, kube-public and kube-node-lease are there from the start") {
  for (const char* name : {"default", "kube-system", "kube-public", "kube-node-lease"}) {
    EXPECT_TRUE(answered(api().get(std::string("/api/v1/namespaces/") + name), 200)) << name;
  }
}

CONTRACT(Namespaces, ProtectedOnesStay, "default, kube-system and kube-public cannot be deleted: 403") {
  for (const char* name : {"default", "kube-system", "kube-public"}) {
    const Answer deleted = api().remove(with(std::string("/api/v1/namespaces/") + name, {{"dryRun", "All"}}));
    EXPECT_TRUE(refused(deleted, 403, "Forbidden", "this namespace may not be deleted")) << name;
  }
}

}  // namespace
}  // namespace fairway::contract
