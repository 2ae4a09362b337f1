import assert from "node:assert/strict";
import { test } from "node:test";
import { formatAgo, formatBytes, formatDuration, formatLeft, parseTime } from "./time";

const s = 1000;
const m = 60 * s;
const h = 60 * m;
const d = 24 * h;

test("durations tell the two units that matter", () => {
  const cases: readonly (readonly [number, string])[] = [
    [-5, "0s"], [0, "0s"], [999, "0s"], [59 * s, "59s"], [60 * s, "1m"], [61 * s, "1m 1s"], [9 * m + 59 * s, "9m 59s"], [10 * m + 30 * s, "10m"],
    [59 * m + 59 * s, "59m"], [h, "1h"], [h + 5 * m, "1h 5m"], [23 * h + 59 * m, "23h 59m"], [d, "1d"], [d + 3 * h, "1d 3h"], [7 * d + 5 * h, "7d"],
  ];
  for (const [millis, text] of cases) assert.equal(formatDuration(millis), text);
});

test("what is over says so", () => {
  assert.equal(formatLeft(10 * s, 0), "10s left");
  assert.equal(formatLeft(0, 0), "time is over");
  assert.equal(formatAgo(0, 500), "just now");
  assert.equal(formatAgo(0, 90 * s), "1m 30s ago");
  assert.equal(formatAgo(5 * s, 0), "just now", "clocks differ");
});

test("times that cannot be read are none", () => {
  assert.equal(parseTime("2026-01-01T00:00:00Z"), Date.UTC(2026, 0, 1));
  assert.equal(parseTime("yesterday"), undefined);
  assert.equal(parseTime(undefined), undefined);
});

test("sizes have units that fit", () => {
  assert.deepEqual([0, 1023, 1024, 1536, 150 * 1024, 5 * 1024 ** 3].map(formatBytes), ["0 B", "1023 B", "1.0 KiB", "1.5 KiB", "150 KiB", "5.0 GiB"]);
});
