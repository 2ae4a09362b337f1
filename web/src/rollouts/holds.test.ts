import assert from "node:assert/strict";
import { test } from "node:test";
import { approvePatch, failuresOf, isApproved, isPausedByHand, needsApproval, pausePatch, resumePatch } from "./holds";
import { rollout } from "./testing";

const late = (...names: string[]) => names.map((name) => ({ name, state: "timedout" }));

test("a pause drains unless it is told to freeze", () => {
  assert.deepEqual(pausePatch(false), { spec: { rolloutControls: { paused: true } } });
  assert.deepEqual(pausePatch(true), { spec: { rolloutControls: { paused: true, pauseMode: "Freeze" } } });
});

test("resuming takes back both ways of pausing, and only touches controls that are there", () => {
  assert.deepEqual(resumePatch(rollout()), { metadata: { annotations: { "rollout/paused": null } } });
  assert.deepEqual(resumePatch(rollout({ controls: { paused: true } })), {
    metadata: { annotations: { "rollout/paused": null } },
    spec: { rolloutControls: { paused: false } },
  });
});

test("failures that stopped a rollout count as looked at when it is resumed", () => {
  const stopped = rollout({ controls: { failureThreshold: { count: 2 } }, status: { clusters: late("a", "b", "c1") } });
  assert.deepEqual(resumePatch(stopped), {
    metadata: { annotations: { "rollout/paused": null, "rollout/acknowledged-failures": "3" } },
    spec: { rolloutControls: { paused: false } },
  });
});

test("failures count against the threshold, those that were acknowledged do not", () => {
  const of = (threshold: object, acknowledged?: string, ...names: string[]) =>
    failuresOf(
      rollout({
        controls: { failureThreshold: threshold },
        ...(acknowledged ? { annotations: { "rollout/acknowledged-failures": acknowledged } } : {}),
        status: { clusters: late(...names), status: { currentBatch: 3 } },
      }),
    );
  assert.deepEqual(of({ count: 2 }, undefined, "a"), { failed: 1, of: 6, areTooMany: false });
  assert.deepEqual(of({ count: 2 }, undefined, "a", "b"), { failed: 2, of: 6, areTooMany: true });
  assert.deepEqual(of({ count: 2 }, "1", "a", "b"), { failed: 1, of: 6, areTooMany: false });
  assert.deepEqual(of({ count: 1 }, "7", "a"), { failed: 0, of: 6, areTooMany: false });
  assert.deepEqual(of({ count: 2 }, "many", "a", "b"), { failed: 2, of: 6, areTooMany: true }, "what is no number acknowledges nothing");
  assert.deepEqual(of({ percent: 50, scope: "Batch" }, undefined, "a", "c1"), { failed: 1, of: 2, areTooMany: true });
  assert.deepEqual(of({ percent: 0 }, undefined), { failed: 0, of: 6, areTooMany: false }, "without failures nothing is too much");
  assert.deepEqual(failuresOf(rollout({ status: { clusters: late("a") } })).areTooMany, false, "no threshold");
});

test("an annotation pauses with any value but false", () => {
  assert.equal(isPausedByHand(rollout()), false);
  assert.equal(isPausedByHand(rollout({ annotations: { "rollout/paused": "" } })), true);
  assert.equal(isPausedByHand(rollout({ annotations: { "rollout/paused": "false" } })), false);
  assert.equal(isPausedByHand(rollout({ controls: { paused: true } })), true);
});

test("approvals come from the status or from the annotation", () => {
  assert.equal(isApproved(rollout({ annotations: { "rollout/approved-batches": "1, 3" } }), 3), true);
  assert.equal(isApproved(rollout({ annotations: { "rollout/approved-batches": "13" } }), 3), false);
  assert.equal(isApproved(rollout({ annotations: { "rollout/approved-batches": "" } }), 0), false);
  assert.equal(isApproved(rollout({ status: { rollout: { approvals: [{ batch: 2 }] } } }), 2), true);
});

test("after the canaries one batch needs approval, and none where there are no canaries", () => {
  const given = rollout({ controls: { approvals: { mode: "AfterCanary" } } });
  assert.deepEqual([1, 2, 3, 4].map((batch) => needsApproval(given, batch)), [false, false, true, false]);
  const without = rollout({ controls: { approvals: { mode: "AfterCanary" } }, status: { rollout: { canaryBatches: 0 } } });
  assert.equal(needsApproval(without, 1), false);
});

test("an approval is added to those that are there, in whole seconds, once", () => {
  const before = rollout({ status: { rollout: { approvals: [{ batch: 1, approvedBy: "eve" }] } } });
  assert.deepEqual(approvePatch(before, 2, "admin", Date.UTC(2026, 0, 1, 12, 0, 0, 999)), {
    status: { rollout: { approvals: [{ batch: 1, approvedBy: "eve" }, { batch: 2, approvedAt: "2026-01-01T12:00:00Z", approvedBy: "admin" }] } },
  });
  assert.equal(approvePatch(before, 1, "admin", 0), undefined);
});
