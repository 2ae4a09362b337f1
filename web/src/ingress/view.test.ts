import assert from "node:assert/strict";
import { test } from "node:test";
import { type IngressController, commandsIn, scopesIn, viewOf } from "./view";

const kDelete = "oc -n openshift-ingress delete svc/router-default";
const kBack = `oc -n openshift-ingress-operator patch ingresscontrollers/default --type=merge --patch='{"spec":{"endpointPublishingStrategy":{"type":"LoadBalancerService","loadBalancer":{"scope":"External"}}}}'`;
const kMessage = `The IngressController scope was changed from "External" to "Internal". To effectuate this change, you must delete the service: \`${kDelete}\`; the rest. Alternatively: \`${kBack}\`. Deleting interrupts.`;

function controller(scope: string, ...conditions: { type: string; status: string; reason?: string; message?: string }[]): IngressController {
  const strategy = { type: "LoadBalancerService", loadBalancer: { scope } };
  return { metadata: { name: "default" }, spec: { endpointPublishingStrategy: strategy }, status: { domain: "apps.example", endpointPublishingStrategy: strategy, conditions } };
}

test("commands are what stands between backquotes, in one line", () => {
  assert.deepEqual(commandsIn(kMessage), [kDelete, kBack]);
  assert.deepEqual(commandsIn("run `oc a\n  b`."), ["oc a b"]);
  assert.deepEqual(commandsIn("nothing to do"), []);
});

test("the scope that serves is the one before the change", () => {
  assert.deepEqual(scopesIn(kMessage), { from: "External", to: "Internal" });
  assert.equal(scopesIn("The subnets were changed"), undefined);
  const view = viewOf(controller("Internal", { type: "Progressing", status: "True", reason: "ScopeChanged", message: kMessage }), undefined);
  assert.deepEqual([view.scope, view.wanted, view.change?.who], ["External", "Internal", "It waits for you"]);
  assert.deepEqual(view.change?.commands.map((each) => each.label), ["Make the change: delete the Service", "Take the wish back"]);
});

test("a change that the load balancer's own condition tells is found, too", () => {
  const view = viewOf(
    controller("Internal", { type: "Progressing", status: "True", reason: "Many", message: "One or more conditions" }, { type: "LoadBalancerProgressing", status: "True", reason: "ScopeChanged", message: kMessage }),
    undefined,
  );
  assert.equal(view.change?.commands.length, 2);
});

test("without a change there is none, and the address is the Service's", () => {
  const quiet = controller("External", { type: "Progressing", status: "False" }, { type: "Available", status: "True" });
  const view = viewOf(quiet, { metadata: { name: "router-default" }, status: { loadBalancer: { ingress: [{ ip: "192.0.2.1" }] } } });
  assert.deepEqual([view.change, view.scope, view.wanted, view.address, view.isAvailable], [undefined, "External", "External", "192.0.2.1", true]);
});

test("what is not published by a load balancer has no scope; an old object without one is External", () => {
  const host = viewOf({ metadata: { name: "default" }, status: { endpointPublishingStrategy: { type: "HostNetwork" } } }, undefined);
  assert.deepEqual([host.type, host.scope, host.wanted], ["HostNetwork", "", ""]);
  const old = viewOf({ metadata: { name: "default" }, status: { endpointPublishingStrategy: { type: "LoadBalancerService" } } }, undefined);
  assert.deepEqual([old.scope, old.wanted], ["External", "External"]);
});

test("conditions that are as they should be are no news", () => {
  const view = viewOf(
    controller("External", { type: "Upgradeable", status: "True" }, { type: "ScopeSupported", status: "False", message: "no notion" }, { type: "EvaluationConditionsDetected", status: "False" }, { type: "Degraded", status: "True", message: "bad" }),
    undefined,
  );
  assert.deepEqual(view.notes.map((each) => each.type), ["Degraded", "ScopeSupported"]);
});
