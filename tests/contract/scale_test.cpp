// The scale subresource, of deployments and of definitions that have it.
#include <fmt/format.h>

#include "harness.hpp"

namespace fairway::contract {
namespace {

class Scaling : public ContractTest {
 protected:
  void define_scaled() {
    Value crd = widget_crd("{type: object, properties: {replicas: {type: integer, minimum: 0}}}");
    set(crd, "/spec/versions/0/subresources/scale",
        "{specReplicasPath: .spec.replicas, statusReplicasPath: .status.replicas, labelSelectorPath: "
        ".status.selector}");
    define(crd);
  }
};

CONTRACT(Scaling, ShowsTheNumbers, "scale shows wanted and present replicas and the selector of an object") {
  define_scaled();
  create_widget(widget("a", "{spec: {replicas: 3}}"));
  ASSERT_TRUE(answered(api().merge(widgets("a", "status"), "{status: {replicas: 2, selector: app=a}}"), 200));
  const Answer scale = api().get(widgets("a", "scale"));
  ASSERT_TRUE(answered(scale, 200));
  EXPECT_EQ(scale.text("/kind"), "Scale");
  EXPECT_EQ(scale.text("/apiVersion"), "autoscaling/v1");
  EXPECT_EQ(scale.text("/metadata/name"), "a");
  EXPECT_EQ(scale.text("/spec/replicas"), "3");
  EXPECT_EQ(scale.text("/status/replicas"), "2");
  EXPECT_EQ(scale.text("/status/selector"), "app=a");
}

CONTRACT(Scaling, SetsTheNumber,
         "an update of scale changes the object's replicas and generation, and nothing else") {
  define_scaled();
  create_widget(widget("a", "{spec: {replicas: 3}, metadata: {labels: {x: yy}}}"));
  Value scale = api().get(widgets("a", "scale")).json;
  set(scale, "/spec/replicas", "5");
  const Answer written = api().put(widgets("a", "scale"), scale);
  ASSERT_TRUE(answered(written, 200));
  EXPECT_EQ(written.text("/kind"), "Scale");
  EXPECT_EQ(written.text("/spec/replicas"), "5");
  const Answer found = api().get(widgets("a"));
  EXPECT_EQ(found.text("/spec/replicas"), "5");
  EXPECT_EQ(found.text("/metadata/generation"), "2");
  EXPECT_EQ(found.text("/metadata/labels/x"), "yy");
}

CONTRACT(Scaling, IsPatched, "scale takes patches") {
  define_scaled();
  create_widget(widget("a", "{spec: {replicas: 3}}"));
  const Answer written = api().merge(widgets("a", "scale"), "{spec: {replicas: 7}}");
  ASSERT_TRUE(answered(written, 200));
  EXPECT_EQ(api().get(widgets("a")).text("/spec/replicas"), "7");
}

CONTRACT(Scaling, IsGuarded, "an update of scale with a stale resourceVersion is 409") {
  define_scaled();
  create_widget(widget("a", "{spec: {replicas: 3}}"));
  Value scale = api().get(widgets("a", "scale")).json;
  ASSERT_TRUE(answered(api().merge(widgets("a"), "{metadata: {labels: {x: yy}}}"), 200));
  set(scale, "/spec/replicas", "5");
  EXPECT_TRUE(
      refused(api().put(widgets("a", "scale"), scale), 409, "Conflict", "the object has been modified"));
}

CONTRACT(Scaling, IsNotNegative, "a scale's replicas are not negative") {
  define_scaled();
  create_widget(widget("a", "{spec: {replicas: 3}}"));
  const Answer written = api().merge(widgets("a", "scale"), "{spec: {replicas: -1}}");
  EXPECT_TRUE(refused(written, 422, "Invalid"));
  EXPECT_TRUE(has_cause(written, "FieldValueInvalid", "spec.replicas"));
}

CONTRACT(Scaling, OfADeployment, "a deployment is scaled by its scale subresource") {
  create("deployments", deployment("a", "{spec: {paused: true, replicas: 3}}"));
  const Answer scale = api().get(at("deployments", "a", "scale"));
  EXPECT_EQ(scale.text("/kind"), "Scale");
  EXPECT_EQ(scale.text("/spec/replicas"), "3");
  EXPECT_EQ(scale.text("/status/selector"), "app=a");
  ASSERT_TRUE(answered(api().merge(at("deployments", "a", "scale"), "{spec: {replicas: 2}}"), 200));
  EXPECT_EQ(api().get(at("deployments", "a")).text("/spec/replicas"), "2");
}

CONTRACT(Scaling, OfAMissingObject, "scale of a missing object is 404, and of a kind without it too") {
  define();
  create_widget(widget("a"));
  EXPECT_TRUE(refused(api().get(at("deployments", "nobody", "scale")), 404, "NotFound"));
  EXPECT_TRUE(answered(api().get(widgets("a", "scale")), 404));
}

}  // namespace
}  // namespace fairway::contract
