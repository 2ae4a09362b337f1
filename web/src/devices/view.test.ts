import assert from "node:assert/strict";
import { test } from "node:test";
import { type Device, bootsOf, standingOf } from "./view";

const device = (status: Device["status"]): Device => ({ metadata: { name: "pier-7" }, ...(status ? { status } : {}) });

test("a device stands as badly as its worst news", () => {
  const word = (status: Device["status"]) => standingOf(device(status)).word;
  const reportedAt = "2026-01-01T00:00:00Z";
  assert.equal(word(undefined), "Never reported");
  assert.equal(word({ reportedAt }), "In order");
  assert.equal(word({ reportedAt, problems: [] }), "In order");
  assert.equal(word({ reportedAt, interrupted: true }), "Interrupted");
  assert.equal(word({ reportedAt, interrupted: true, rolledBack: { from: "b", reason: "it failed" } }), "Rolled back");
  assert.equal(word({ reportedAt, rolledBack: { from: "b" }, problems: ["journal cannot be read"] }), "Has problems");
  assert.equal(standingOf(device({ reportedAt, rolledBack: { from: "os-2", reason: "it failed" } })).message, "It came back from os-2: it failed");
});

test("history is told boot by boot, the newest first, each from its beginning", () => {
  const boots = bootsOf(
    device({
      history: [
        { boot: "b2", event: "red", deployment: "os-2" },
        { boot: "b2", event: "pre-run" },
        { boot: "b1", event: "green", deployment: "os-1" },
        { boot: "b1", event: "pre-run", deployment: "os-1" },
        { event: "prune" },
      ],
    }),
  );
  assert.deepEqual(boots.map(({ id, deployment, outcome, entries }) => [id, deployment, outcome, entries.map((each) => each.event)]), [
    ["b2", "os-2", "red", ["pre-run", "red"]],
    ["b1", "os-1", "green", ["pre-run", "green"]],
    ["unknown", "", "", ["prune"]],
  ]);
  assert.deepEqual(bootsOf(device(undefined)), []);
});
