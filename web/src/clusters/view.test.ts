import assert from "node:assert/strict";
import { test } from "node:test";
import type { ClusterVersion, ConditionalUpdate } from "./types";
import { risksOf, runningVersion, summaryOf, updatesOf } from "./view";

const condition = (type: string, status: string, message = "") => ({ type, status, message });

function update(version: string, status: string | undefined, ...risks: string[]): ConditionalUpdate {
  return {
    release: { version },
    risks: risks.map((name) => ({ name, message: `${name} hurts`, matchingRules: [{ type: "PromQL", promql: { promql: "up" } }] })),
    ...(status ? { conditions: [{ type: "Recommended", status, reason: risks[0] ?? "", message: "because" }] } : {}),
  };
}

function cluster(status: ClusterVersion["status"]): ClusterVersion {
  return { metadata: { name: "version" }, spec: { channel: "stable-4.7" }, status: { desired: { version: "4.6.23" }, ...status } };
}

test("what runs is what was applied completely last", () => {
  assert.equal(runningVersion(cluster({ history: [{ state: "Partial", version: "4.7.0" }, { state: "Completed", version: "4.6.23" }] })), "4.6.23");
  assert.equal(runningVersion(cluster({ history: [] })), "4.6.23");
  assert.equal(runningVersion({ metadata: { name: "version" } }), "");
});

test("updates are told newest first, each once, and without a verdict they are unknown", () => {
  const updates = updatesOf(
    cluster({
      availableUpdates: [{ version: "4.7.0" }, { version: "4.7.10" }, { version: "4.7.9" }],
      conditionalUpdates: [update("4.7.10", "True", "Slow"), update("4.7.4", "False", "Proxy"), update("4.7.5", undefined, "Proxy")],
    }),
  );
  assert.deepEqual(
    updates.map((each) => [each.release.version, each.verdict, each.reason]),
    [
      ["4.7.10", "Recommended", "Slow"],
      ["4.7.9", "Recommended", ""],
      ["4.7.5", "Unknown", "EvaluationPending"],
      ["4.7.4", "NotRecommended", "Proxy"],
      ["4.7.0", "Recommended", ""],
    ],
  );
});

test("nulls of an operator that found nothing are nothing", () => {
  assert.deepEqual(updatesOf(cluster({ availableUpdates: null, conditionalUpdates: null, history: null })), []);
});

test("the state is the worst that is known", () => {
  const state = (...conditions: ReturnType<typeof condition>[]) => summaryOf(cluster({ conditions })).state;
  assert.equal(state(condition("Failing", "True", "x"), condition("Progressing", "True")), "Failing");
  assert.equal(state(condition("Progressing", "True")), "Updating");
  assert.equal(state(condition("Available", "False")), "NotAvailable");
  assert.equal(state(condition("RetrievedUpdates", "False")), "Unknown");
  assert.equal(state(condition("RetrievedUpdates", "True")), "UpToDate");
  assert.equal(state(), "Unknown", "nobody has asked for updates yet");
  const offered = cluster({ availableUpdates: [{ version: "4.7.0" }], conditionalUpdates: [update("4.7.4", "Unknown", "Proxy")] });
  assert.deepEqual([summaryOf(offered).state, summaryOf(offered).unknown], ["UpdatesRecommended", 1]);
  assert.equal(summaryOf(cluster({ conditionalUpdates: [update("4.7.4", "False", "Proxy")] })).state, "UpdatesNotRecommended");
});

test("on its way it tells from where to where", () => {
  const moving = summaryOf(cluster({ desired: { version: "4.7.0" }, history: [{ state: "Partial", version: "4.7.0" }, { state: "Completed", version: "4.6.23" }], conditions: [condition("Progressing", "True", "12 of 40")] }));
  assert.deepEqual([moving.version, moving.target, moving.message], ["4.6.23", "4.7.0", "12 of 40"]);
});

test("each risk is told once, with the updates that it stands against and the cluster's own verdict", () => {
  const found = risksOf(
    cluster({
      conditionalUpdates: [update("4.7.4", "False", "Proxy", "Slow"), update("4.7.5", "False", "Proxy")],
      conditionalUpdateRisks: [{ name: "Proxy", conditions: [{ type: "Applies", status: "True", reason: "Matched" }] }],
    }),
  );
  assert.deepEqual(found.map(({ risk, updates }) => [risk.name, updates.map((each) => each.release.version), risk.applies?.status]), [
    ["Proxy", ["4.7.5", "4.7.4"], "True"],
    ["Slow", ["4.7.4"], undefined],
  ]);
  assert.deepEqual(found[0]?.risk.queries, ["up"]);
});
