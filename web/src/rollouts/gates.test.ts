import assert from "node:assert/strict";
import { test } from "node:test";
import { describeWindow, gatesOf, planSentence } from "./gates";
import { rollout } from "./testing";

const gate = (name: string, given: Parameters<typeof rollout>[0]) => gatesOf(rollout(given)).find((each) => each.name === name);

test("without controls nothing can hold a rollout", () => {
  assert.deepEqual(gatesOf(rollout()), []);
});

test("a pause says what becomes of the batch that is open", () => {
  assert.equal(gate("Pause", { controls: { paused: true, pauseMode: "Freeze" } })?.setting, "nobody is enforced any more");
  assert.equal(gate("Pause", { annotations: { "rollout/paused": "yes" } })?.state, "holds");
});

test("windows say when the next one opens", () => {
  const windows = [{ days: ["Sat", "Sun"], start: "01:00", duration: "4h", timeZone: "+01:00" }];
  assert.equal(describeWindow(windows[0] ?? {}), "Sat, Sun from 01:00 (+01:00) for 4h");
  const closed = gate("Windows", { controls: { windows }, status: { rollout: { window: { open: false, nextOpen: "2026-01-03T00:00:00Z" } } } });
  assert.deepEqual([closed?.tone, closed?.until], ["warn", "2026-01-03T00:00:00Z"]);
  assert.equal(gate("Windows", { controls: { windows }, status: { rollout: { window: { open: true } } } })?.state, "open");
});

test("approvals and failures tell what is missing", () => {
  assert.equal(gate("Approvals", { controls: { approvals: { mode: "PerBatch" } } })?.state, "batch 1 waits");
  const failed = gate("Failure threshold", { controls: { failureThreshold: { count: 1, percent: 10, action: "Abort" } }, status: { clusters: [{ name: "a", state: "timedout" }] } });
  assert.deepEqual([failed?.setting, failed?.state, failed?.tone], ["1 cluster or 10 % of all: Abort", "1 of 6 failed", "bad"]);
});

test("a cluster's time tells its retries", () => {
  assert.equal(gate("A cluster's time", { controls: { clusterTimeout: 60, retry: { perCluster: 2, backoff: "5m" } } })?.setting, "60 minutes, then 2 retries after 5m");
  assert.equal(gate("A cluster's time", { controls: { clusterTimeout: 1, retry: { perCluster: 1 } } })?.setting, "1 minute, then 1 retry after 10m");
});

test("the plan is told as the command tells it", () => {
  assert.equal(planSentence(rollout({ status: { computedMaxConcurrency: 2 } })), "6 clusters in 4 batches, at most 2 at a time, within 240 minutes");
  assert.equal(planSentence({ metadata: { name: "x" } }), "");
});
