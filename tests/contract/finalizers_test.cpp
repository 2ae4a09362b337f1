// Finalizers and what a deletion in progress allows.
#include <fmt/format.h>

#include "harness.hpp"

namespace fairway::contract {
namespace {

class Finalizers : public ContractTest {
 protected:
  Value hold(std::string_view name) {
    return create("secrets", secret(name, "{metadata: {finalizers: [example.com/hold]}}"));
  }
  Answer release(std::string_view name) {
    return api().merge(at("secrets", name), "{metadata: {finalizers: null}}");
  }
};

CONTRACT(Finalizers, HoldADeletion,
         "deleting an object with finalizers sets its deletionTimestamp and answers with the object") {
  const Value made = hold("a");
  const Answer deleted = api().remove(at("secrets", "a"));
  ASSERT_TRUE(answered(deleted, 200));
  EXPECT_EQ(deleted.text("/kind"), "Secret");
  EXPECT_NE(deleted.text("/metadata/deletionTimestamp"), "<absent>");
  EXPECT_EQ(deleted.text("/metadata/deletionGracePeriodSeconds"), "0");
  EXPECT_NE(version_of(deleted.json), version_of(made));
  EXPECT_EQ(api().get(at("secrets", "a")).json, deleted.json);
  EXPECT_TRUE(answered(release("a"), 200));
}

CONTRACT(Finalizers, AreWatchedAsAChange, "the mark is a MODIFIED, the end a DELETED") {
  const Value made = hold("a");
  Watch watch = api().watch(with(at("secrets"), {{"resourceVersion", version_of(made)}}));
  ASSERT_TRUE(answered(api().remove(at("secrets", "a")), 200));
  ASSERT_TRUE(answered(release("a"), 200));
  EXPECT_EQ(watch.take(2), (Names{"MODIFIED a", "DELETED a"}));
}

CONTRACT(Finalizers, ASecondDeleteChangesNothing, "a delete of what is being deleted changes nothing") {
  hold("a");
  const Answer first = api().remove(at("secrets", "a"));
  const Answer second = api().remove(at("secrets", "a"));
  ASSERT_TRUE(answered(second, 200));
  EXPECT_EQ(version_of(second.json), version_of(first.json));
  EXPECT_TRUE(answered(release("a"), 200));
}

CONTRACT(Finalizers, TheLastOneDeletes,
         "removing the last finalizer deletes; the write is answered with the object") {
  hold("a");
  ASSERT_TRUE(answered(api().remove(at("secrets", "a")), 200));
  Value held = api().get(at("secrets", "a")).json;
  erase(held, "/metadata/finalizers");
  const Answer written = api().put(at("secrets", "a"), held);
  ASSERT_TRUE(answered(written, 200));
  EXPECT_EQ(written.text("/kind"), "Secret");
  EXPECT_TRUE(refused(api().get(at("secrets", "a")), 404, "NotFound"));
}

CONTRACT(Finalizers, AllMustGo, "an object with two finalizers goes with the second") {
  create("secrets", secret("a", "{metadata: {finalizers: [example.com/one, example.com/two]}}"));
  ASSERT_TRUE(answered(api().remove(at("secrets", "a")), 200));
  ASSERT_TRUE(answered(api().merge(at("secrets", "a"), "{metadata: {finalizers: [example.com/two]}}"), 200));
  EXPECT_TRUE(answered(api().get(at("secrets", "a")), 200));
  ASSERT_TRUE(answered(release("a"), 200));
  EXPECT_TRUE(answered(api().get(at("secrets", "a")), 404));
}

CONTRACT(Finalizers, NoneIsAddedLate, "no finalizer is added to an object that is being deleted: 422") {
  hold("a");
  ASSERT_TRUE(answered(api().remove(at("secrets", "a")), 200));
  const Answer written =
      api().merge(at("secrets", "a"), "{metadata: {finalizers: [example.com/hold, example.com/late]}}");
  EXPECT_TRUE(refused(
      written, 422, "Invalid",
      "metadata.finalizers: Forbidden: no new finalizers can be added if the object is being deleted, "
      R"(found new finalizers []string{"example.com/late"})"));
  EXPECT_TRUE(has_cause(written, "FieldValueForbidden", "metadata.finalizers"));
  EXPECT_TRUE(answered(release("a"), 200));
}

CONTRACT(Finalizers, OtherChangesGoOn, "an object that is being deleted can still be changed") {
  hold("a");
  ASSERT_TRUE(answered(api().remove(at("secrets", "a")), 200));
  const Answer written = api().merge(at("secrets", "a"), "{metadata: {labels: {x: yy}}}");
  ASSERT_TRUE(answered(written, 200));
  EXPECT_EQ(written.text("/metadata/labels/x"), "yy");
  EXPECT_TRUE(answered(release("a"), 200));
}

CONTRACT(Finalizers, TheMarkStays, "an update cannot take a deletionTimestamp back") {
  hold("a");
  const Answer deleted = api().remove(at("secrets", "a"));
  Value held = deleted.json;
  erase(held, "/metadata/deletionTimestamp");
  erase(held, "/metadata/deletionGracePeriodSeconds");
  const Answer written = api().put(at("secrets", "a"), held);
  ASSERT_TRUE(answered(written, 200));
  EXPECT_EQ(written.text("/metadata/deletionTimestamp"), deleted.text("/metadata/deletionTimestamp"));
  EXPECT_TRUE(answered(release("a"), 200));
}

CONTRACT(Finalizers, TheNameIsTakenMeanwhile, "the name of an object that is being deleted is still taken") {
  hold("a");
  ASSERT_TRUE(answered(api().remove(at("secrets", "a")), 200));
  // Kubernetes says in the message that the object is being deleted.
  EXPECT_TRUE(refused(api().post(at("secrets"), secret("a")), 409, "AlreadyExists"));
  EXPECT_TRUE(answered(release("a"), 200));
}

CONTRACT(Finalizers, RaiseTheGeneration, "the mark raises the generation of an object that has one") {
  define();
  create_widget(widget("a", "{metadata: {finalizers: [example.com/hold]}}"));
  EXPECT_EQ(api().remove(widgets("a")).text("/metadata/generation"), "2");
  EXPECT_TRUE(answered(api().merge(widgets("a"), "{metadata: {finalizers: null}}"), 200));
  EXPECT_TRUE(answered(api().get(widgets("a")), 404));
}

CONTRACT(Finalizers, RemovedInTimeDoNotHold, "finalizers that were removed before hold nothing") {
  hold("a");
  ASSERT_TRUE(answered(release("a"), 200));
  ASSERT_TRUE(answered(api().remove(at("secrets", "a")), 200));
  EXPECT_TRUE(answered(api().get(at("secrets", "a")), 404));
}

CONTRACT(Finalizers, CollectionsAreMarkedToo, "deleting a collection marks what has finalizers") {
  hold("a");
  create("secrets", secret("b"));
  ASSERT_TRUE(answered(api().remove(at("secrets")), 200));
  const Answer left = api().get(at("secrets"));
  EXPECT_EQ(names_of(left.json), Names{"a"});
  EXPECT_NE(left.text("/items/0/metadata/deletionTimestamp"), "<absent>");
  EXPECT_TRUE(answered(release("a"), 200));
}

CONTRACT(Finalizers, StatusIsStillWritten, "status can be written while an object is being deleted") {
  define();
  create_widget(widget("a", "{metadata: {finalizers: [example.com/hold]}}"));
  ASSERT_TRUE(answered(api().remove(widgets("a")), 200));
  EXPECT_EQ(api().merge(widgets("a", "status"), "{status: {phase: Leaving}}").text("/status/phase"),
            "Leaving");
  EXPECT_TRUE(answered(api().merge(widgets("a"), "{metadata: {finalizers: null}}"), 200));
}

}  // namespace
}  // namespace fairway::contract
