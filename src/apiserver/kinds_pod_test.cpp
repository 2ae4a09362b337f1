#include <fmt/format.h>

#include "apiserver/kinds_test_support.hpp"

namespace fairway::apiserver::kinds {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

const Resource& pod() {
  return builtin("", "Pod");
}

Outcome with_container(std::string_view fields) {
  return create(pod(), fmt::format("spec: {{containers: [{{name: a, image: x, {}}}]}}", fields));
}

TEST(KindsPod, PullPolicyFollowsTheTag) {
  const std::vector<std::pair<std::string, std::string>> cases{
      {"nginx", "Always"},
      {"nginx:latest", "Always"},
      {"nginx:1.27", "IfNotPresent"},
      {"registry.example.com:5000/team/web", "Always"},
      {"registry.example.com:5000/team/web:v1", "IfNotPresent"},
      {"web@sha256:0123", "IfNotPresent"},
      {"web:latest@sha256:0123", "Always"},
  };
  for (const auto& [image, policy] : cases) {
    const Outcome made =
        create(pod(), fmt::format("spec: {{containers: [{{name: a, image: '{}'}}]}}", image));
    EXPECT_EQ(made.get("spec/containers/0/imagePullPolicy"), fmt::format("\"{}\"", policy)) << image;
  }
  EXPECT_EQ(with_container("imagePullPolicy: Never").get("spec/containers/0/imagePullPolicy"), R"("Never")");
  EXPECT_EQ(
      create(pod(),
             "spec: {containers: [{name: a, image: x}], volumes: [{name: v, image: {reference: 'y:1'}}]}")
          .get("spec/volumes/0/image/pullPolicy"),
      R"("IfNotPresent")");
}

TEST(KindsPod, LimitsAreRequestsAndQuantitiesCanonical) {
  const Outcome made =
      with_container("resources: {limits: {cpu: 0.5, memory: 2048Mi}, requests: {cpu: 100m}}");
  EXPECT_THAT(made.errors, IsEmpty());
  EXPECT_EQ(made.get("spec/containers/0/resources/limits"), R"({"cpu":"500m","memory":"2Gi"})");
  EXPECT_EQ(made.get("spec/containers/0/resources/requests"), R"({"cpu":"100m","memory":"2Gi"})");
  EXPECT_EQ(
      create(pod(),
             "spec: {containers: [{name: a, image: x}], volumes: [{name: v, emptyDir: {sizeLimit: 1024Ki}}]}")
          .get("spec/volumes/0/emptyDir/sizeLimit"),
      R"("1Mi")");
}

TEST(KindsPod, HostPortsVolumesAndAccounts) {
  const Outcome made =
      create(pod(),
             "spec: {hostNetwork: true, serviceAccount: robot, volumes: [{name: v}], containers: "
             "[{name: a, image: x, ports: [{containerPort: 80}]}]}");
  EXPECT_THAT(made.errors, IsEmpty());
  EXPECT_EQ(made.get("spec/containers/0/ports/0/hostPort"), "80");
  EXPECT_EQ(made.get("spec/volumes/0"), R"({"name":"v","emptyDir":{}})");
  EXPECT_EQ(made.get("spec/serviceAccountName"), R"("robot")");
  EXPECT_EQ(create(pod(), "spec: {serviceAccountName: robot, containers: [{name: a, image: x}]}")
                .get("spec/serviceAccount"),
            R"("robot")");
  EXPECT_EQ(with_container("ports: [{containerPort: 80}]").get("spec/containers/0/ports/0/hostPort"), "-");
}

TEST(KindsPod, IsBornPendingWithItsQosClass) {
  const std::vector<std::pair<std::string, std::string>> cases{
      {"resources: {}", "BestEffort"},
      {"resources: {limits: {cpu: 1, memory: 1Gi}}", "Guaranteed"},
      {"resources: {limits: {cpu: 1, memory: 1Gi}, requests: {cpu: 1000m, memory: 1024Mi}}", "Guaranteed"},
      {"resources: {limits: {cpu: 1}}", "Burstable"},
      {"resources: {limits: {cpu: 1, memory: 1Gi}, requests: {cpu: 500m}}", "Burstable"},
      {"resources: {requests: {cpu: 1}}", "Burstable"},
      {"resources: {limits: {example.com/gpu: 1}}", "BestEffort"},
  };
  for (const auto& [resources, qos] : cases) {
    const Outcome made = with_container(resources);
    EXPECT_THAT(made.errors, IsEmpty()) << resources;
    EXPECT_EQ(made.get("status"), fmt::format(R"({{"phase":"Pending","qosClass":"{}"}})", qos)) << resources;
  }
  // One container without limits is enough to lose the guarantee.
  EXPECT_EQ(create(pod(),
                   "spec: {containers: [{name: a, image: x, resources: {limits: {cpu: 1, memory: 1Gi}}}, "
                   "{name: b, image: x}]}")
                .get("status/qosClass"),
            R"("Burstable")");
}

struct ErrorCase {
  std::string spec;
  std::vector<std::string> errors;
};

TEST(KindsPod, ContainersAreChecked) {
  const std::vector<ErrorCase> cases{
      {"{containers: []}", {"spec.containers: Required value"}},
      {"{containers: [{name: a}]}", {"spec.containers[0].image: Required value"}},
      {"{containers: [{name: a, image: ' x'}]}",
       {"spec.containers[0].image: Invalid value: \" x\": must not have leading or trailing whitespace"}},
      {"{containers: [{name: a, image: x}], initContainers: [{name: a, image: x}]}",
       {"spec.containers[0].name: Duplicate value: \"a\""}},
      {"{containers: [{name: a, image: x, ports: [{containerPort: 0}]}]}",
       {"spec.containers[0].ports[0].containerPort: Required value"}},
      {"{containers: [{name: a, image: x, ports: [{containerPort: 70000}]}]}",
       {"spec.containers[0].ports[0].containerPort: Invalid value: 70000: must be between 1 and 65535, "
        "inclusive"}},
      {"{hostNetwork: true, containers: [{name: a, image: x, ports: [{containerPort: 80, hostPort: 81}]}]}",
       {"spec.containers[0].ports[0].hostPort: Invalid value: 81: must match `containerPort` when "
        "`hostNetwork` is true"}},
      {"{containers: [{name: a, image: x, ports: [{containerPort: 80, hostPort: 80}]}, {name: b, image: x, "
       "ports: "
       "[{containerPort: 80, hostPort: 80}]}]}",
       {"spec.containers[1].ports[0].hostPort: Duplicate value: \"TCP//80\""}},
      {"{containers: [{name: a, image: x, volumeMounts: [{name: v, mountPath: /v}]}]}",
       {"spec.containers[0].volumeMounts[0].name: Not found: \"v\""}},
      {"{volumes: [{name: v}], containers: [{name: a, image: x, volumeMounts: [{name: v, mountPath: /v, "
       "subPath: a}, "
       "{name: v, mountPath: /w}]}]}",
       {}},
      {"{containers: [{name: a, image: x, livenessProbe: {}}]}",
       {"spec.containers[0].livenessProbe: Required value: must specify a handler type"}},
      {"{containers: [{name: a, image: x, livenessProbe: {exec: {}, tcpSocket: {port: 1}}}]}",
       {"spec.containers[0].livenessProbe.tcpSocket: Forbidden: may not specify more than 1 handler type"}},
      {"{containers: [{name: a, image: x, livenessProbe: {exec: {}, successThreshold: 2}}]}",
       {"spec.containers[0].livenessProbe.successThreshold: Invalid value: 2: must be 1"}},
      {"{containers: [{name: a, image: x}], initContainers: [{name: b, image: x, readinessProbe: {exec: "
       "{}}}]}",
       {"spec.initContainers[0].readinessProbe: Forbidden: may not be set for init containers without "
        "restartPolicy=Always"}},
      {"{containers: [{name: a, image: x}], initContainers: [{name: b, image: x, restartPolicy: Always, "
       "readinessProbe: "
       "{exec: {}}}]}",
       {}},
      {"{containers: [{name: a, image: x, env: [{name: A, value: b, valueFrom: {fieldRef: {fieldPath: "
       "x}}}]}]}",
       {"spec.containers[0].env[0].valueFrom: Invalid value: \"\": may not be specified when `value` is not "
        "empty"}},
  };
  for (const ErrorCase& each : cases) {
    EXPECT_THAT(create(pod(), "spec: " + each.spec).errors, testing::ElementsAreArray(each.errors))
        << each.spec;
  }
  EXPECT_THAT(create(pod(), "spec: {containers: [{name: Not_A_Label, image: x}]}").errors,
              ElementsAre(HasSubstr(
                  "spec.containers[0].name: Invalid value: \"Not_A_Label\": a lowercase RFC 1123 label")));
}

TEST(KindsPod, WhatTheSchemaDemandsIsComplainedOfOnce) {
  EXPECT_THAT(create(pod(), "metadata: {name: a}").errors, ElementsAre("spec.containers: Required value"));
  EXPECT_THAT(create(pod(), "spec: {}").errors, ElementsAre("spec.containers: Required value"));
  EXPECT_THAT(create(pod(), "spec: {containers: [{image: x}]}").errors,
              ElementsAre("spec.containers[0].name: Required value"));
  EXPECT_THAT(create(pod(), "spec: {containers: [{name: '', image: x}]}").errors,
              ElementsAre("spec.containers[0].name: Required value"));
  EXPECT_THAT(with_container("ports: [{}], volumeMounts: [{}], env: [{}]").errors,
              testing::UnorderedElementsAre("spec.containers[0].ports[0].containerPort: Required value",
                                            "spec.containers[0].volumeMounts[0].name: Required value",
                                            "spec.containers[0].volumeMounts[0].mountPath: Required value",
                                            "spec.containers[0].env[0].name: Required value"));
}

TEST(KindsPod, ResourcesAreChecked) {
  const std::vector<ErrorCase> cases{
      {"{limits: {cpu: 1}, requests: {cpu: 2}}",
       {"spec.containers[0].resources.requests: Invalid value: \"2\": must be less than or equal to cpu "
        "limit of 1"}},
      {"{limits: {example.com/gpu: 2}, requests: {example.com/gpu: 1}}",
       {"spec.containers[0].resources.requests: Invalid value: \"1\": must be equal to example.com/gpu limit "
        "of 2"}},
      {"{requests: {example.com/gpu: 1}}",
       {"spec.containers[0].resources.limits: Required value: Limit must be set for non overcommitable "
        "resources"}},
      {"{requests: {cpu: -1}}",
       {"spec.containers[0].resources.requests[cpu]: Invalid value: \"-1\": must be greater than or equal to "
        "0"}},
      {"{requests: {tea: 1}}",
       {"spec.containers[0].resources.requests[tea]: Invalid value: \"tea\": must be a standard resource "
        "type or fully "
        "qualified"}},
      {"{requests: {storage: 1}}",
       {"spec.containers[0].resources.requests[storage]: Invalid value: \"storage\": must be a standard "
        "resource for "
        "containers"}},
  };
  for (const ErrorCase& each : cases) {
    EXPECT_THAT(with_container("resources: " + each.spec).errors, testing::ElementsAreArray(each.errors))
        << each.spec;
  }
  EXPECT_THAT(with_container("resources: {requests: {cpu: many}}").errors,
              testing::Contains(HasSubstr("quantities must match the regular expression")));
}

TEST(KindsPod, VolumesNamesAndTolerationsAreChecked) {
  const auto errors = [](std::string_view fields) {
    return create(pod(), fmt::format("spec: {{containers: [{{name: a, image: x}}], {}}}", fields)).errors;
  };
  EXPECT_THAT(errors("volumes: [{name: v, emptyDir: {}, hostPath: {path: /}}]"),
              ElementsAre("spec.volumes[0].hostPath: Forbidden: may not specify more than 1 volume type"));
  EXPECT_THAT(errors("nodeName: Not_A_Node"), ElementsAre(HasSubstr("spec.nodeName: Invalid value")));
  EXPECT_THAT(errors("tolerations: [{operator: Exists}]"), IsEmpty());
  EXPECT_THAT(
      errors("tolerations: [{key: a, operator: Exists, effect: NoSchedule, tolerationSeconds: 5}]"),
      ElementsAre(
          "spec.tolerations[0].effect: Invalid value: \"NoSchedule\": effect must be 'NoExecute' when "
          "`tolerationSeconds` is set"));
  EXPECT_THAT(errors("tolerations: [{value: a}]"),
              ElementsAre(HasSubstr("operator must be Exists when `key` is empty")));
  EXPECT_THAT(errors("tolerations: [{key: a, operator: Exists, value: b}]"),
              ElementsAre(HasSubstr("value must be empty when `operator` is 'Exists'")));
  EXPECT_THAT(errors("ephemeralContainers: [{name: d, image: x}]"),
              ElementsAre("spec.ephemeralContainers: Forbidden: cannot be set on create"));
  EXPECT_THAT(
      errors("nodeName: node-1, schedulingGates: [{name: g}]"),
      ElementsAre("spec.nodeName: Forbidden: cannot be set until all schedulingGates have been cleared"));
}

constexpr std::string_view kPod =
    "spec: {activeDeadlineSeconds: 100, nodeSelector: {a: b}, tolerations: [{key: k, operator: Exists}], "
    "containers: [{name: a, image: 'x:1'}]}";

std::vector<std::string> update_errors(std::string_view before, std::string_view after) {
  json::Object object = yaml(after);
  const json::Object old = create(pod(), before).object;
  object["status"] = old.at("status");
  return update(pod(), old, std::move(object)).errors;
}

TEST(KindsPod, OnlyAFewFieldsMayChange) {
  const auto after = [](std::string_view fields) {
    return update_errors(kPod, fmt::format("spec: {{{}}}", fields));
  };
  const std::string same =
      "activeDeadlineSeconds: 100, nodeSelector: {a: b}, tolerations: [{key: k, operator: Exists}], ";
  EXPECT_THAT(after(same + "containers: [{name: a, image: 'x:1'}]"), IsEmpty());
  // The pull policy was computed from the tag, and is fixed.
  EXPECT_THAT(after(same + "containers: [{name: a, image: 'x:2'}]"), IsEmpty());
  EXPECT_THAT(after(same + "containers: [{name: a, image: ''}]"),
              testing::Contains("spec.containers[0].image: Required value"));
  EXPECT_THAT(
      after(
          "activeDeadlineSeconds: 50, nodeSelector: {a: b}, tolerations: [{key: k, operator: Exists, "
          "tolerationSeconds: 5, effect: ''}, {key: other, operator: Exists}], containers: [{name: a, image: "
          "'x:1'}]"),
      testing::Not(testing::Contains(HasSubstr("pod updates may not change"))));
  EXPECT_THAT(
      after("activeDeadlineSeconds: 101, nodeSelector: {a: b}, tolerations: [{key: k, operator: Exists}], "
            "containers: [{name: a, image: 'x:1'}]"),
      ElementsAre(
          "spec.activeDeadlineSeconds: Invalid value: 101: must be less than or equal to previous value"));
  EXPECT_THAT(after("nodeSelector: {a: b}, tolerations: [{key: k, operator: Exists}], containers: [{name: a, "
                    "image: 'x:1'}]"),
              ElementsAre(HasSubstr("must not update from a positive integer to nil value")));
  EXPECT_THAT(after("activeDeadlineSeconds: 100, nodeSelector: {a: b}, tolerations: [], containers: [{name: "
                    "a, image: 'x:1'}]"),
              ElementsAre(HasSubstr("existing toleration can not be modified except its tolerationSeconds")));
  EXPECT_THAT(after(same + "containers: [{name: a, image: 'x:1'}, {name: b, image: z}]"),
              ElementsAre("spec.containers: Forbidden: pod updates may not add or remove containers"));
  EXPECT_THAT(
      after(same + "hostname: h, containers: [{name: a, image: 'x:1', command: [sh]}]"),
      ElementsAre(testing::AllOf(
          HasSubstr(
              "spec: Forbidden: pod updates may not change fields other than `spec.containers[*].image`,"
              "`spec.initContainers[*].image`,`spec.activeDeadlineSeconds`"),
          HasSubstr("changed: spec.containers, spec.hostname"))));
}

TEST(KindsPod, AGatedPodMayBeNarrowedDown) {
  constexpr std::string_view kGated =
      "spec: {schedulingGates: [{name: g}], nodeSelector: {a: b}, containers: [{name: a, image: 'x:1'}]}";
  const auto after = [&](std::string_view fields) {
    return update_errors(kGated,
                         fmt::format("spec: {{containers: [{{name: a, image: 'x:1'}}], {}}}", fields));
  };
  EXPECT_THAT(after("nodeSelector: {a: b, c: d}"), IsEmpty());
  EXPECT_THAT(
      after("schedulingGates: [{name: g}], nodeSelector: {a: c}"),
      ElementsAre(HasSubstr("only additions to spec.nodeSelector are allowed (no mutations or deletions)")));
  EXPECT_THAT(
      after("schedulingGates: [{name: g}, {name: h}], nodeSelector: {a: b}"),
      ElementsAre(
          "spec.schedulingGates[1]: Forbidden: only deletion is allowed, but found new scheduling gate 'h'"));
  EXPECT_THAT(after("schedulingGates: [{name: g}], nodeSelector: {a: b}, affinity: {nodeAffinity: "
                    "{requiredDuringSchedulingIgnoredDuringExecution: {nodeSelectorTerms: "
                    "[{matchExpressions: [{key: z, "
                    "operator: Exists}]}]}}}"),
              IsEmpty());
  EXPECT_THAT(
      update_errors(kPod,
                    "spec: {activeDeadlineSeconds: 100, nodeSelector: {a: b, c: d}, tolerations: [{key: k, "
                    "operator: Exists}], containers: [{name: a, image: 'x:1'}]}"),
      ElementsAre(HasSubstr("changed: spec.nodeSelector")));
}

TEST(KindsPod, QuantitiesOfTheStatusAreCanonicalToo) {
  const json::Object before = create(pod(), kPod).object;
  json::Object after = before;
  after["status"].get_object()["containerStatuses"] =
      yaml("list: [{name: a, allocatedResources: {cpu: 0.25}, resources: {limits: {memory: 1024Ki}}}]")
          .at("list");
  const Outcome changed = update(pod(), before, after);
  EXPECT_THAT(changed.errors, IsEmpty());
  EXPECT_EQ(changed.get("status/containerStatuses/0/allocatedResources"), R"({"cpu":"250m"})");
  EXPECT_EQ(changed.get("status/containerStatuses/0/resources/limits"), R"({"memory":"1Mi"})");
}

TEST(KindsPod, TheQosClassIsFixed) {
  const json::Object before = create(pod(), kPod).object;
  json::Object after = before;
  after["status"].get_object()["qosClass"] = "Guaranteed";
  EXPECT_THAT(update(pod(), before, after).errors,
              ElementsAre("status.qosClass: Invalid value: \"Guaranteed\": field is immutable"));
}

}  // namespace
}  // namespace fairway::apiserver::kinds
