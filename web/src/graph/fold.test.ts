import assert from "node:assert/strict";
import { test } from "node:test";
import { type FoldChoice, fold, isFolded, labelOf, runsOf } from "./fold";
import { denseGraph, sampleGraph } from "./samples";
import { layoutOf } from "./layout";

const folded = (expanded: string[] = [], pinned: string[] = []): FoldChoice => ({
  isOn: true,
  expanded: new Set(expanded),
  pinned: new Set(pinned),
});

const stream = sampleGraph(
  ["4.7.0-rc.0", "4.7.0-rc.1", "4.7.0", "4.7.1", "4.7.2", "4.7.3", "4.7.4", "4.8.0"],
  [
    "4.7.0-rc.0 -> 4.7.0-rc.1",
    "4.7.0-rc.1 -> 4.7.0",
    "4.7.0 -> 4.7.1",
    "4.7.0 -> 4.7.2",
    "4.7.1 -> 4.7.2",
    "4.7.1 -(Slow)-> 4.7.3",
    "4.7.2 -(Slow)-> 4.7.4",
    "4.7.3 -> 4.7.4",
    "4.7.4 -> 4.8.0",
  ],
);

function labels(choice: FoldChoice): string[] {
  const result = fold(stream, runsOf(stream), choice);
  return result.items.map((item) => labelOf(stream, item) + (isFolded(item) ? ` (${item.releases.length})` : ""));
}

test("neighbours with the same risks and the same ways on become one", () => {
  // rc.0 has no way in and rc.1 has; 4.7.3 has one only with a risk; 4.7.4 leads to another stream.
  assert.deepEqual(labels(folded()), ["4.7.0-rc.0", "4.7.0-rc.1", "4.7.0 … 2 (3)", "4.7.3", "4.7.4", "4.8.0"]);
});

test("a pinned version stands alone and an expanded run is whole", () => {
  assert.deepEqual(labels(folded([], ["4.7.1"])).slice(2, 5), ["4.7.0", "4.7.1", "4.7.2"]);
  assert.deepEqual(labels(folded([], ["4.7.0"])).slice(2, 4), ["4.7.0", "4.7.1 … 2 (2)"]);
  assert.deepEqual(labels(folded(["4.7.0"])).slice(2, 5), ["4.7.0", "4.7.1", "4.7.2"]);
  assert.equal(labels({ ...folded(), isOn: false }).length, stream.releases.length);
});

test("runs of pre-releases have short names", () => {
  const graph = sampleGraph(["4.7.0-ec.0", "4.7.0-rc.0", "4.7.0-rc.1", "4.8.0-rc.0"], []);
  const result = fold(graph, runsOf(graph), folded());
  assert.deepEqual(result.items.map((item) => labelOf(graph, item)), ["4.7.0-ec.0 … rc.1", "4.8.0-rc.0"]);
});

test("every release is in one item, and lanes keep the order of patches", () => {
  const graph = denseGraph(3, 40);
  const result = fold(graph, runsOf(graph), folded([], ["4.1.20"]));
  const seen = result.items.flatMap((item) => item.releases);
  assert.deepEqual(seen, graph.releases.map((_, i) => i));
  for (const [i, item] of result.items.entries()) for (const release of item.releases) assert.equal(result.itemOf[release], i);
  for (const lane of result.lanes) assert.deepEqual([...lane.items].sort((a, b) => a - b), lane.items);
});

test("folding below a place leaves what is above it where it was", () => {
  const graph = denseGraph(2, 30);
  const runs = runsOf(graph);
  const before = fold(graph, runs, folded());
  const after = fold(graph, runs, folded([], ["4.0.15"]));
  const place = (result: typeof before, version: string) => {
    const item = result.items.findIndex((each) => each.key === version);
    const layout = layoutOf(result);
    return [layout.x[item], layout.y[item]];
  };
  assert.deepEqual(place(after, "4.0.0"), place(before, "4.0.0"));
  assert.deepEqual(place(after, "4.1.0"), place(before, "4.1.0"));
  assert.deepEqual(layoutOf(after), layoutOf(fold(graph, runs, folded([], ["4.0.15"]))));
});
