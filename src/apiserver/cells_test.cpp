#include "apiserver/cells.hpp"

#include <gtest/gtest.h>

#include "base/text.hpp"
#include "json/testing/objects.hpp"

namespace fairway::apiserver {
namespace {

using json::Object;
using json::Value;

const WallTime kNow = *parse_rfc3339("2024-01-01T01:00:00Z");

struct Case {
  std::string name;
  std::string cell;
  std::string object;  // YAML
  std::string shown;   // YAML
  std::string path = {};
};

void PrintTo(const Case& each, std::ostream* out) {
  *out << each.cell << ' ' << each.object;
}

class CellTest : public testing::TestWithParam<Case> {};

TEST_P(CellTest, Shows) {
  const Cell cell = find_cell(GetParam().cell);
  ASSERT_TRUE(cell);
  PrinterColumn column;
  if (!GetParam().path.empty()) column.path = *json::JsonPath::parse(GetParam().path);
  EXPECT_EQ(cell({json::test_value(GetParam().object), column, kNow}), json::test_value(GetParam().shown));
}

const std::vector<Case> kCases{
    {"Age", "age", "{metadata: {creationTimestamp: '2024-01-01T00:30:00Z'}}", "30m"},
    {"AgeUnknown", "age", "{}", "<unknown>"},
    {"AgeNull", "age", "{metadata: {creationTimestamp: null}}", "<unknown>"},
    {"AgeInTheFuture", "age", "{metadata: {creationTimestamp: '2024-01-02T00:30:00Z'}}", "<invalid>"},
    {"CreatedAt", "created-at", "{metadata: {creationTimestamp: '2024-01-01T02:30:00+01:00'}}",
     "'2024-01-01T01:30:00Z'"},
    {"CreatedNever", "created-at", "{}", "'0001-01-01T00:00:00Z'"},
    {"DataCount", "data-count", "{data: {a: '', b: ''}, binaryData: {c: ''}}", "3"},
    {"DataCountNone", "data-count", "{}", "0"},
    {"OrNone", "or-none", "{spec: {clusterIP: 10.0.0.1}}", "10.0.0.1", ".spec.clusterIP"},
    {"OrNoneEmpty", "or-none", "{spec: {clusterIP: ''}}", "<none>", ".spec.clusterIP"},
    {"OrUnknown", "or-unknown", "{}", "<unknown>", ".status.nodeInfo.osImage"},
    {"ListLength", "list-length", "{secrets: [{name: a}, {name: b}]}", "2", ".secrets"},
    {"ListLengthNone", "list-length", "{}", "0", ".secrets"},
    {"Number", "number-or-zero", "{status: {ready: 4}}", "4", ".status.ready"},
    {"NumberNone", "number-or-zero", "{}", "0", ".status.ready"},
    {"LabelMap", "label-map", "{spec: {selector: {b: '2', a: '1'}}}", "a=1,b=2", ".spec.selector"},
    {"LabelMapNone", "label-map", "{spec: {selector: {}}}", "<none>", ".spec.selector"},
    {"Selector", "label-selector",
     "{spec: {selector: {matchLabels: {app: web}, matchExpressions: [{key: tier, operator: In, values: [b, "
     "a]}]}}}",
     "'app=web,tier in (a,b)'", ".spec.selector"},
    {"SelectorNone", "label-selector", "{spec: {}}", "<none>", ".spec.selector"},
    {"SelectorEmpty", "label-selector", "{spec: {selector: {}}}", "<none>", ".spec.selector"},
    {"SelectorBad", "label-selector", "{spec: {selector: {matchExpressions: [{key: a, operator: Near}]}}}",
     "<error>", ".spec.selector"},

    {"ServiceClusterIp", "service-external-ip", "{spec: {type: ClusterIP}}", "<none>"},
    {"ServiceExternalIps", "service-external-ip", "{spec: {type: NodePort, externalIPs: [1.1.1.1, 2.2.2.2]}}",
     "1.1.1.1,2.2.2.2"},
    {"ServicePending", "service-external-ip", "{spec: {type: LoadBalancer}}", "<pending>"},
    {"ServiceLoadBalancer", "service-external-ip",
     "{spec: {type: LoadBalancer, externalIPs: [9.9.9.9]}, status: {loadBalancer: {ingress: [{hostname: "
     "z.example}, {ip: "
     "1.2.3.4}, {ip: 1.2.3.4}]}}}",
     "1.2.3.4,z.example,9.9.9.9"},
    {"ServiceExternalName", "service-external-ip", "{spec: {type: ExternalName, externalName: a.example}}",
     "a.example"},
    {"ServiceOther", "service-external-ip", "{}", "<unknown>"},
    {"ServicePorts", "service-ports",
     "{spec: {ports: [{port: 80, protocol: TCP}, {port: 53, nodePort: 30053, protocol: UDP}]}}",
     "'80/TCP,53:30053/UDP'"},
    {"ServicePortsNone", "service-ports", "{}", "<none>"},

    {"DeploymentReady", "deployment-ready", "{spec: {replicas: 3}, status: {readyReplicas: 1}}", "'1/3'"},
    {"DeploymentReadyNone", "deployment-ready", "{spec: {replicas: 3}}", "'0/3'"},
    {"ContainerNames", "container-names", "{spec: {template: {spec: {containers: [{name: a}, {name: b}]}}}}",
     "'a,b'"},
    {"ContainerImages", "container-images", "{spec: {template: {spec: {containers: [{image: x:1}]}}}}",
     "'x:1'"},

    {"NodeReady", "node-status", "{status: {conditions: [{type: Ready, status: 'True'}]}}", "Ready"},
    {"NodeNotReady", "node-status",
     "{spec: {unschedulable: true}, status: {conditions: [{type: Ready, status: Unknown}]}}",
     "'NotReady,SchedulingDisabled'"},
    {"NodeUnknown", "node-status", "{}", "Unknown"},
    {"NodeRoles", "node-roles",
     "{metadata: {labels: {node-role.kubernetes.io/worker: '', node-role.kubernetes.io/: '', "
     "kubernetes.io/role: edge}}}",
     "'edge,worker'"},
    {"NodeRolesNone", "node-roles", "{}", "<none>"},
    {"NodeInternal", "node-internal-ip",
     "{status: {addresses: [{type: Hostname, address: n}, {type: InternalIP, address: 10.0.0.1}, {type: "
     "InternalIP, address: "
     "10.0.0.2}]}}",
     "10.0.0.1"},
    {"NodeExternalNone", "node-external-ip", "{status: {addresses: [{type: InternalIP, address: 10.0.0.1}]}}",
     "<none>"},

    {"EventLastSeen", "event-last-seen",
     "{lastTimestamp: '2024-01-01T00:59:00Z', firstTimestamp: '2024-01-01T00:00:00Z'}", "60s"},
    {"EventLastSeenOfSeries", "event-last-seen",
     "{lastTimestamp: '2024-01-01T00:59:00Z', series: {lastObservedTime: '2024-01-01T00:59:30.000000Z'}}",
     "30s"},
    {"EventLastSeenByTime", "event-last-seen", "{eventTime: '2024-01-01T00:59:50.000000Z'}", "10s"},
    {"EventFirstSeenNever", "event-first-seen", "{}", "<unknown>"},
    {"EventObject", "event-object", "{involvedObject: {kind: Pod, name: web}}", "pod/web"},
    {"EventObjectKind", "event-object", "{involvedObject: {kind: Cluster}}", "cluster"},
    {"EventSource", "event-source", "{source: {component: a}, reportingComponent: b, reportingInstance: c}",
     "'a, c'"},
    {"EventSourceAlone", "event-source", "{reportingComponent: b}", "b"},
    {"EventCount", "event-count", "{count: 4}", "4"},
    {"EventCountOfSeries", "event-count", "{count: 4, series: {count: 7}}", "7"},
    {"EventCountOfOne", "event-count", "{}", "1"},

    {"BindingRole", "binding-role", "{roleRef: {kind: ClusterRole, name: admin}}", "ClusterRole/admin"},
    {"BindingUsers", "binding-users",
     "{subjects: [{kind: User, name: a}, {kind: Group, name: g}, {kind: User, name: b}]}", "'a, b'"},
    {"BindingGroups", "binding-groups", "{subjects: [{kind: User, name: a}, {kind: Group, name: g}]}", "g"},
    {"BindingAccounts", "binding-accounts", "{subjects: [{kind: ServiceAccount, name: s, namespace: prod}]}",
     "prod/s"},
    {"BindingNone", "binding-users", "{}", "''"},

    {"PodIp", "pod-ip", "{status: {podIPs: [{ip: 10.1.1.1}, {ip: 'fd00::1'}]}}", "10.1.1.1"},
    {"PodIpNone", "pod-ip", "{}", "<none>"},
    {"PodGates", "pod-readiness-gates",
     "{spec: {readinessGates: [{conditionType: a}, {conditionType: b}]}, status: {conditions: [{type: a, "
     "status: 'True'}]}}",
     "'1/2'"},
    {"PodGatesNone", "pod-readiness-gates", "{}", "<none>"},
    {"PodReady", "pod-ready",
     "{spec: {containers: [{name: a}, {name: b}], initContainers: [{name: i}, {name: s, restartPolicy: "
     "Always}]}, status: "
     "{initContainerStatuses: [{name: i, state: {terminated: {exitCode: 0}}}, {name: s, started: true, "
     "ready: true, state: "
     "{running: {}}}], containerStatuses: [{name: a, ready: true, state: {running: {}}}, {name: b, ready: "
     "false, state: "
     "{running: {}}}]}}",
     "'2/3'"},
    {"PodPending", "pod-status", "{status: {phase: Pending}}", "Pending"},
    {"PodEvicted", "pod-status", "{status: {phase: Failed, reason: Evicted}}", "Evicted"},
    {"PodGated", "pod-status",
     "{status: {phase: Pending, conditions: [{type: PodScheduled, status: 'False', reason: "
     "SchedulingGated}]}}",
     "SchedulingGated"},
    {"PodInitializing", "pod-status",
     "{spec: {initContainers: [{name: i}, {name: k}]}, status: {phase: Pending, initContainerStatuses: "
     "[{name: i, state: "
     "{terminated: {exitCode: 0}}}, {name: k, state: {waiting: {reason: PodInitializing}}}], "
     "containerStatuses: [{name: a, "
     "state: {waiting: {reason: PodInitializing}}}]}}",
     "'Init:1/2'"},
    {"PodInitError", "pod-status",
     "{spec: {initContainers: [{name: i}]}, status: {initContainerStatuses: [{name: i, state: {terminated: "
     "{exitCode: 1, "
     "reason: Error}}}]}}",
     "Init:Error"},
    {"PodInitExitCode", "pod-status",
     "{spec: {initContainers: [{name: i}]}, status: {initContainerStatuses: [{name: i, state: {terminated: "
     "{exitCode: 3}}}]}}",
     "Init:ExitCode:3"},
    {"PodInitSignal", "pod-status",
     "{spec: {initContainers: [{name: i}]}, status: {initContainerStatuses: [{name: i, state: {terminated: "
     "{exitCode: 137, "
     "signal: 9}}}]}}",
     "Init:Signal:9"},
    {"PodInitWaiting", "pod-status",
     "{spec: {initContainers: [{name: i}]}, status: {initContainerStatuses: [{name: i, state: {waiting: "
     "{reason: "
     "ImagePullBackOff}}}]}}",
     "Init:ImagePullBackOff"},
    {"PodInitializedAfterAll", "pod-status",
     "{spec: {initContainers: [{name: i}]}, status: {phase: Running, conditions: [{type: Initialized, "
     "status: 'True'}], "
     "initContainerStatuses: [{name: i, state: {waiting: {}}}], containerStatuses: [{name: a, state: "
     "{waiting: {reason: "
     "CrashLoopBackOff}}}]}}",
     "CrashLoopBackOff"},
    {"PodCrash", "pod-status",
     "{status: {phase: Running, containerStatuses: [{name: a, state: {waiting: {reason: CrashLoopBackOff}}}, "
     "{name: b, state: "
     "{terminated: {exitCode: 2}}}]}}",
     "CrashLoopBackOff"},
    {"PodExitCode", "pod-status",
     "{status: {containerStatuses: [{name: b, state: {terminated: {exitCode: 2}}}]}}", "ExitCode:2"},
    {"PodSignal", "pod-status",
     "{status: {containerStatuses: [{name: b, state: {terminated: {exitCode: 2, signal: 15}}}]}}",
     "Signal:15"},
    {"PodCompletedButRunning", "pod-status",
     "{status: {phase: Running, conditions: [{type: Ready, status: 'True'}], containerStatuses: [{name: a, "
     "state: {terminated: "
     "{reason: Completed}}}, {name: b, ready: true, state: {running: {}}}]}}",
     "Running"},
    {"PodCompletedNotReady", "pod-status",
     "{status: {phase: Running, containerStatuses: [{name: a, state: {terminated: {reason: Completed}}}, "
     "{name: b, ready: "
     "true, state: {running: {}}}]}}",
     "NotReady"},
    {"PodTerminating", "pod-status",
     "{metadata: {deletionTimestamp: '2024-01-01T00:59:00Z'}, status: {phase: Running}}", "Terminating"},
    {"PodLost", "pod-status",
     "{metadata: {deletionTimestamp: '2024-01-01T00:59:00Z'}, status: {phase: Running, reason: NodeLost}}",
     "Unknown"},
    {"PodDeletedAfterItsEnd", "pod-status",
     "{metadata: {deletionTimestamp: '2024-01-01T00:59:00Z'}, status: {phase: Succeeded}}", "Succeeded"},
    {"PodRestarts", "pod-restarts",
     "{status: {initContainerStatuses: [{name: i, restartCount: 9, state: {terminated: {exitCode: 0}}}], "
     "containerStatuses: "
     "[{restartCount: 2, lastState: {terminated: {finishedAt: '2024-01-01T00:50:00Z'}}}, {restartCount: 1, "
     "lastState: "
     "{terminated: {finishedAt: '2024-01-01T00:10:00Z'}}}]}}",
     "'3 (10m ago)'"},
    {"PodRestartsWithoutTime", "pod-restarts", "{status: {containerStatuses: [{restartCount: 2}]}}", "'2'"},
    {"PodRestartsNone", "pod-restarts", "{}", "'0'"},
    {"PodRestartsWhileInitializing", "pod-restarts",
     "{spec: {initContainers: [{name: i}, {name: k}]}, status: {initContainerStatuses: [{name: i, "
     "restartCount: 4, state: "
     "{waiting: {}}}, {name: k, restartCount: 5}]}}",
     "'4'"},
};

INSTANTIATE_TEST_SUITE_P(BuiltIn, CellTest, testing::ValuesIn(kCases),
                         [](const auto& info) { return info.param.name; });

TEST(Cells, EveryNameInTheBuiltInTablesIsKnown) {
  for (const ResourcePtr& each : builtin_resources()) {
    for (const PrinterColumn& column : each->storage_version().columns) {
      EXPECT_TRUE(column.cell.empty() || find_cell(column.cell)) << each->plural << ": " << column.cell;
      EXPECT_TRUE(!column.cell.empty() || column.path) << each->plural << ": " << column.name;
    }
  }
  EXPECT_FALSE(find_cell(""));
  EXPECT_FALSE(find_cell("zebra"));
}

struct CustomCase {
  std::string type;
  std::string value;  // YAML of .spec.x; empty: absent
  std::string shown;
};

TEST(Cells, CustomColumnsAreTyped) {
  const std::vector<CustomCase> cases{
      {"string", "", "null"},
      {"string", "plain", "plain"},
      {"string", "null", "<no value>"},
      {"string", "true", "'true'"},
      {"string", "7", "'7'"},
      {"string", "1.5", "'1.5'"},
      {"string", "1e21", "'1e+21'"},
      {"string", "[b, a]", "'[\"b\",\"a\"]'"},
      {"string", "{b: '<&>', a: 1}", R"('{"a":1,"b":"\u003c\u0026\u003e"}')"},
      {"integer", "7", "7"},
      {"integer", "7.9", "7"},
      {"integer", "'7'", "null"},
      {"integer", "1e300", "null"},
      {"number", "7.5", "7.5"},
      {"number", "7", "7"},
      {"number", "true", "null"},
      {"boolean", "false", "false"},
      {"boolean", "'false'", "null"},
      {"date", "'2024-01-01T00:59:00Z'", "60s"},
      {"date", "'yesterday'", "<invalid>"},
      {"date", "''", "<unknown>"},
      {"date", "7", "null"},
      {"date", "", "null"},
      {"other", "7", "null"},
  };
  for (const CustomCase& each : cases) {
    const PrinterColumn column{.type = each.type, .path = *json::JsonPath::parse(".spec.x")};
    Object spec;
    if (!each.value.empty()) spec["x"] = json::test_value(each.value);
    EXPECT_EQ(custom_cell({Value(Object{{"spec", spec}}), column, kNow}), json::test_value(each.shown))
        << each.type << ' ' << each.value;
  }
  EXPECT_EQ(custom_cell({Value(Object{}), PrinterColumn{.type = "string"}, kNow}), Value());
}

}  // namespace
}  // namespace fairway::apiserver
