// Deployments and pods as the API server sees them: defaults and what may not change.
#include <fmt/format.h>

#include "harness.hpp"

namespace fairway::contract {
namespace {

using Deployments = ContractTest;

class Pods : public ContractTest {
 protected:
  // Nobody schedules it, so it stays as it was made.
  Value pod(std::string_view name, const Body& rest = "{}") {
    if (!has_account_) {
      // Pods need the namespace's service account, which a controller would make.
      const Answer made = api().post(at("serviceaccounts"), object("v1", "ServiceAccount", "default"));
      EXPECT_TRUE(made.status == 201 || made.status == 409) << made.body;
      has_account_ = true;
    }
    return merged(object("v1", "Pod", name, R"(
spec:
  schedulerName: contract-nobody
  containers: [{name: main, image: 'registry.example.com/main:1'}]
)"),
                  rest);
  }

 private:
  bool has_account_ = false;
};

CONTRACT(Deployments, HaveDefaults,
         "a deployment gets replicas, strategy, limits of history and the template's defaults") {
  Value wanted = deployment("a", "{spec: {paused: true}}");
  erase(wanted, "/spec/replicas");
  const Value made = create("deployments", wanted);
  EXPECT_EQ(text_at(made, "/spec/replicas"), "1");
  EXPECT_EQ(text_at(made, "/spec/strategy/type"), "RollingUpdate");
  EXPECT_EQ(text_at(made, "/spec/strategy/rollingUpdate/maxSurge"), "25%");
  EXPECT_EQ(text_at(made, "/spec/strategy/rollingUpdate/maxUnavailable"), "25%");
  EXPECT_EQ(text_at(made, "/spec/revisionHistoryLimit"), "10");
  EXPECT_EQ(text_at(made, "/spec/progressDeadlineSeconds"), "600");
  EXPECT_EQ(text_at(made, "/spec/template/spec/restartPolicy"), "Always");
  EXPECT_EQ(text_at(made, "/spec/template/spec/dnsPolicy"), "ClusterFirst");
  EXPECT_EQ(text_at(made, "/spec/template/spec/terminationGracePeriodSeconds"), "30");
  EXPECT_EQ(text_at(made, "/spec/template/spec/schedulerName"), "default-scheduler");
  EXPECT_EQ(text_at(made, "/spec/template/spec/containers/0/imagePullPolicy"), "IfNotPresent");
  EXPECT_EQ(text_at(made, "/spec/template/spec/containers/0/terminationMessagePath"), "/dev/termination-log");
}

CONTRACT(Deployments, PullLatestAlways, "an image without a tag, or with latest, is always pulled") {
  const Value made = create(
      "deployments",
      deployment(
          "a", "{spec: {template: {spec: {containers: [{name: main, image: registry.example.com/main}]}}}}"));
  EXPECT_EQ(text_at(made, "/spec/template/spec/containers/0/imagePullPolicy"), "Always");
}

CONTRACT(Deployments, SelectTheirOwnPods, "the selector matches the template's labels") {
  const Answer made =
      api().post(at("deployments"), deployment("a", "{spec: {selector: {matchLabels: {app: other}}}}"));
  EXPECT_TRUE(refused(made, 422, "Invalid", "`selector` does not match template `labels`"));
  EXPECT_TRUE(has_cause(made, "FieldValueInvalid", "spec.template.metadata.labels"));
}

CONTRACT(Deployments, KeepTheirSelector, "the selector is immutable") {
  create("deployments", deployment("a"));
  const Answer written =
      api().merge(at("deployments", "a"),
                  "{spec: {selector: {matchLabels: {b: c}}, template: {metadata: {labels: {b: c}}}}}");
  EXPECT_TRUE(refused(written, 422, "Invalid"));
  EXPECT_TRUE(has_cause(written, "FieldValueInvalid", "spec.selector", "field is immutable"));
}

CONTRACT(Deployments, NeedContainers, "a template has a container with an image") {
  Value wanted = deployment("a");
  set(wanted, "/spec/template/spec/containers", "[]");
  EXPECT_TRUE(has_cause(api().post(at("deployments"), wanted), "FieldValueRequired",
                        "spec.template.spec.containers"));
  set(wanted, "/spec/template/spec/containers", "[{name: main}]");
  EXPECT_TRUE(has_cause(api().post(at("deployments"), wanted), "FieldValueRequired",
                        "spec.template.spec.containers[0].image"));
}

CONTRACT(Deployments, HaveContainersOnce, "a container's name stands once") {
  const Answer made = api().post(
      at("deployments"),
      deployment("a",
                 "{spec: {template: {spec: {containers: [{name: m, image: x}, {name: m, image: z}]}}}}"));
  EXPECT_TRUE(refused(made, 422, "Invalid"));
  EXPECT_TRUE(has_cause(made, "FieldValueDuplicate", "spec.template.spec.containers[1].name",
                        R"(Duplicate value: "m")"));
}

CONTRACT(Deployments, CheckReplicas, "replicas are not negative") {
  const Answer made = api().post(at("deployments"), deployment("a", "{spec: {replicas: -1}}"));
  EXPECT_TRUE(refused(made, 422, "Invalid"));
  EXPECT_TRUE(has_cause(made, "FieldValueInvalid", "spec.replicas", "must be greater than or equal to 0"));
}

CONTRACT(Deployments, CanonicalQuantities, "quantities are kept in canonical form") {
  const Value made =
      create("deployments", deployment("a",
                                       "{spec: {template: {spec: {containers: [{name: main, image: x, "
                                       "resources: {requests: {cpu: '0.5', memory: 1024Mi}}}]}}}}"));
  EXPECT_EQ(text_at(made, "/spec/template/spec/containers/0/resources/requests/cpu"), "500m");
  EXPECT_EQ(text_at(made, "/spec/template/spec/containers/0/resources/requests/memory"), "1Gi");
}

CONTRACT(Pods, HaveDefaults, "a new pod is Pending, of a quality class, with the defaults of its spec") {
  const Value made = create("pods", pod("a"));
  EXPECT_EQ(text_at(made, "/status/phase"), "Pending");
  EXPECT_EQ(text_at(made, "/status/qosClass"), "BestEffort");
  EXPECT_EQ(text_at(made, "/spec/restartPolicy"), "Always");
}

CONTRACT(Pods, AreSelectedByPhase, "pods are selected by status.phase and spec.nodeName") {
  create("pods", pod("a"));
  EXPECT_EQ(
      names_of(api().get(with(at("pods"), {{"fieldSelector", "status.phase=Pending,spec.nodeName="}})).json),
      Names{"a"});
  EXPECT_EQ(names_of(api().get(with(at("pods"), {{"fieldSelector", "status.phase!=Pending"}})).json),
            Names{});
}

CONTRACT(Pods, KeepTheirSpec, "of a pod's spec only images and a few more fields may change") {
  create("pods", pod("a"));
  const Answer image =
      api().patch(at("pods", "a"), kStrategicPatch,
                  "{spec: {containers: [{name: main, image: 'registry.example.com/main:2'}]}}");
  ASSERT_TRUE(answered(image, 200));
  const Answer policy = api().merge(at("pods", "a"), "{spec: {restartPolicy: Never}}");
  EXPECT_TRUE(refused(policy, 422, "Invalid", "pod updates may not change fields other than"));
}

CONTRACT(Pods, GoAtOnceWhenUnscheduled,
         "a pod that no node has is deleted at once, and answered with the pod") {
  create("pods", pod("a"));
  const Answer deleted = api().remove(at("pods", "a"));
  ASSERT_TRUE(answered(deleted, 200));
  EXPECT_EQ(deleted.text("/kind"), "Pod");
  EXPECT_TRUE(answered(api().get(at("pods", "a")), 404));
}

CONTRACT(Pods, HaveATable, "a pod's table shows readiness, status and restarts") {
  create("pods", pod("a"));
  const Answer table = api().get(at("pods"), {{"Accept", "application/json;as=Table;v=v1;g=meta.k8s.io"}});
  EXPECT_EQ(table.text("/columnDefinitions/1/name"), "Ready");
  EXPECT_EQ(table.text("/columnDefinitions/2/name"), "Status");
  EXPECT_EQ(table.text("/rows/0/cells/1"), "0/1");
  EXPECT_EQ(table.text("/rows/0/cells/2"), "Pending");
  EXPECT_EQ(table.text("/rows/0/cells/3"), "0");
}

}  // namespace
}  // namespace fairway::contract
