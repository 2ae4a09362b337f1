import assert from "node:assert/strict";
import { test } from "node:test";
import { kProgressing, rollout } from "./testing";
import { batchToApprove, deadlinesOf, phaseOf, viewOf } from "./view";

const at = (minutes: number) => new Date(Date.UTC(2026, 0, 1, 12, minutes)).toISOString().replace(".000", "");
const millis = (minutes: number) => Date.UTC(2026, 0, 1, 12, minutes);

test("the phase is what the conditions say, the end first", () => {
  const of = (...conditions: { type: string; status: string; reason?: string }[]) => phaseOf(rollout({ status: { conditions } }));
  assert.equal(of(), "Preparing");
  assert.equal(of({ type: "Progressing", status: "False", reason: "NotEnabled" }), "Preparing");
  assert.equal(of(kProgressing), "Rolling");
  assert.equal(of({ type: "Progressing", status: "True", reason: "Paused" }), "Paused");
  assert.equal(of(kProgressing, { type: "Succeeded", status: "True" }), "Succeeded");
  assert.equal(of({ type: "Succeeded", status: "False" }), "Failed");
  assert.equal(phaseOf({ ...rollout(), metadata: { name: "x", deletionTimestamp: at(0) } }), "Deleting");
});

test("a cluster is at what its progress says, until a row says more", () => {
  const view = viewOf(
    rollout({
      status: {
        clusters: [
          { name: "c1", state: "complete" },
          { name: "c2", state: "timedout", currentPolicy: { name: "second", status: "NonCompliant" } },
          { name: "b", state: "skipped", reason: "offline for 5m" },
          { name: "elsewhere", state: "complete" },
        ],
        status: {
          startedAt: at(0),
          currentBatch: 3,
          currentBatchStartedAt: at(5),
          currentBatchRemediationProgress: { a: { state: "InProgress", policyIndex: 1 }, b: { state: "NotStarted" } },
        },
      },
    }),
  );
  const [canary, late, current, waiting] = view.batches;
  assert.deepEqual(canary?.clusters[0], { name: "c1", state: "Complete", retries: 0 });
  assert.deepEqual(late?.clusters[0], { name: "c2", state: "TimedOut", retries: 0, step: "second", policyStatus: "NonCompliant" });
  assert.deepEqual(current?.clusters, [
    { name: "a", state: "InProgress", retries: 0, step: "second", stepNumber: 2 },
    { name: "b", state: "Skipped", retries: 0, reason: "offline for 5m" },
  ]);
  assert.deepEqual(view.batches.map((each) => each.state), ["Complete", "TimedOut", "InProgress", "Waiting"]);
  assert.deepEqual(view.batches.map((each) => each.isCanary), [true, true, false, false]);
  assert.equal(waiting?.isCurrent, false);
  assert.deepEqual([view.done, view.failed, view.total], [2, 1, 6]);
  assert.deepEqual(view.compliant, ["elsewhere"]);
});

test("a cluster that complies soaks, and one that is to start again says when", () => {
  const view = viewOf(
    rollout({
      controls: { clusterTimeout: 10 },
      status: {
        status: { startedAt: at(0), currentBatch: 3, currentBatchStartedAt: at(5), currentBatchRemediationProgress: { a: { state: "InProgress", policyIndex: 0, firstCompliantAt: at(6) } } },
        rollout: { clusterStartedAt: { a: at(5) }, retryAt: { b: at(20) }, retries: { b: 1 } },
      },
    }),
  );
  const [a, b] = view.batches[2]?.clusters ?? [];
  assert.deepEqual([a?.state, a?.endsAt], ["Soaking", millis(15)]);
  assert.deepEqual([b?.state, b?.retryAt, b?.retries], ["Retrying", millis(20), 1]);
});

test("a batch has its share of the time that is left; the last has all of it", () => {
  const during = (currentBatch: number, started: number) =>
    deadlinesOf(rollout({ timeout: 240, status: { status: { startedAt: at(0), currentBatch, currentBatchStartedAt: at(started) } } }));
  assert.deepEqual(during(1, 0), { rollout: millis(240), batch: millis(60) });
  assert.deepEqual(during(2, 30), { rollout: millis(240), batch: millis(30 + 70) });
  assert.deepEqual(during(4, 100), { rollout: millis(240) });
  assert.deepEqual(deadlinesOf(rollout()), {}, "it has not started");
});

test("time that it stood still does not count, and while it does nothing ends", () => {
  const status = { startedAt: at(0), currentBatch: 2, currentBatchStartedAt: at(30) };
  assert.deepEqual(deadlinesOf(rollout({ status: { status, rollout: { heldSeconds: 600, batchHeldSeconds: 600 } } })), { rollout: millis(250), batch: millis(30 + 10 + 70) });
  // Ten minutes before the batch was opened: they are no part of what it has used up.
  assert.deepEqual(deadlinesOf(rollout({ status: { status, rollout: { heldSeconds: 600 } } })), { rollout: millis(250), batch: Math.round(millis(30) + 220 / 3 * 60_000) });
  assert.deepEqual(deadlinesOf(rollout({ status: { status, rollout: { pausedSince: at(40) } } })), {});
});

test("the batch that waits for approval is the one that would be opened next", () => {
  const approvals = { approvals: { mode: "PerBatch" } } as const;
  assert.equal(batchToApprove(rollout()), 0, "no approvals are asked for");
  assert.equal(batchToApprove(rollout({ controls: approvals })), 1, "the first batch is not open");
  const open = { startedAt: at(0), currentBatch: 2, currentBatchStartedAt: at(5), currentBatchRemediationProgress: { c2: { state: "InProgress" } } } as const;
  assert.equal(batchToApprove(rollout({ controls: approvals, status: { status: open } })), 0, "the batch is at work");
  const over = { ...open, currentBatchRemediationProgress: { c2: { state: "Completed" } } } as const;
  assert.equal(batchToApprove(rollout({ controls: approvals, status: { status: over } })), 3);
  assert.equal(batchToApprove(rollout({ controls: approvals, status: { status: over, rollout: { approvals: [{ batch: 3 }] } } })), 0);
  assert.equal(batchToApprove(rollout({ controls: { approvals: { mode: "AfterCanary" } }, status: { status: over } })), 3);
  const last = { startedAt: at(0), currentBatch: 4, currentBatchStartedAt: at(5), currentBatchRemediationProgress: { c: { state: "Completed" }, d: { state: "Completed" } } } as const;
  assert.equal(batchToApprove(rollout({ controls: approvals, status: { status: last } })), 0, "there is no batch after the last");
  assert.equal(batchToApprove(rollout({ controls: approvals, status: { conditions: [{ type: "Succeeded", status: "True" }] } })), 0);
  assert.equal(batchToApprove({ ...rollout({ controls: approvals }), metadata: { name: "x" } }), 0, "the controller has not claimed it");
});

test("an object without a status is a rollout that is being prepared", () => {
  const view = viewOf({ metadata: { name: "new" } });
  assert.deepEqual([view.phase, view.batches.length, view.total, view.message, view.nextApproval], ["Preparing", 0, 0, "", 0]);
});
