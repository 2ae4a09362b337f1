import assert from "node:assert/strict";
import { test } from "node:test";
import { fold, runsOf } from "./fold";
import { layoutOf } from "./layout";
import { moveFrom, moveOf } from "./navigate";
import { sampleGraph } from "./samples";
import { search } from "./search";
import { center, fitAll, fitNewest, keepInReach, kLeastScale, kMostScale, pan, reveal, toContent, zoomAt } from "./view";

const screen = { width: 800, height: 600 };

test("zooming keeps what is under the pointer, within bounds", () => {
  const view = { x: 10, y: 20, scale: 1 };
  const before = toContent(view, 300, 200);
  const after = zoomAt(view, 1.7, 300, 200);
  assert.ok(Math.abs(toContent(after, 300, 200).x - before.x) < 1e-9);
  assert.ok(Math.abs(toContent(after, 300, 200).y - before.y) < 1e-9);
  assert.equal(zoomAt(view, 1e9, 0, 0).scale, kMostScale);
  assert.equal(zoomAt(view, 1e-9, 0, 0).scale, kLeastScale);
});

test("panning follows the pointer at any scale", () => {
  const view = { x: 0, y: 0, scale: 0.5 };
  assert.deepEqual(pan(view, 10, -20), { x: -20, y: 40, scale: 0.5 });
});

test("fitting shows all of it, and does not enlarge", () => {
  const view = fitAll({ width: 1600, height: 600 }, screen);
  assert.equal(view.scale, 0.5);
  assert.equal(view.x, 0);
  assert.equal(fitAll({ width: 100, height: 100 }, screen).scale, 1);
  const content = { width: 1600, height: 600, x: new Float64Array(3), y: new Float64Array(3) }; // as a layout has them
  assert.deepEqual(fitAll(content, screen), view);
});

test("what cannot be read as a whole is shown at its newest end", () => {
  assert.deepEqual(fitNewest({ width: 700, height: 500 }, screen, 0.8), fitAll({ width: 700, height: 500 }, screen));
  assert.deepEqual(fitNewest({ width: 400, height: 9000 }, screen, 0.8), { x: -200, y: 8400, scale: 1 });
  const wide = fitNewest({ width: 9000, height: 6000 }, screen, 0.8);
  assert.deepEqual([wide.x + screen.width / wide.scale, wide.y + screen.height / wide.scale, wide.scale], [9000, 6000, 0.8]);
});

test("revealing moves as little as needed", () => {
  const view = { x: 0, y: 0, scale: 1 };
  assert.deepEqual(reveal(view, { x: 100, y: 100, width: 50, height: 20 }, screen), view);
  const below = reveal(view, { x: 100, y: 700, width: 50, height: 20 }, screen);
  assert.equal(below.x, 0);
  assert.ok(below.y > 0 && below.y + screen.height >= 720);
  const centred = center({ x: 0, y: 0, width: 100, height: 100 }, screen, 2);
  assert.deepEqual(toContent(centred, 400, 300), { x: 50, y: 50 });
});

test("the graph cannot be lost", () => {
  const content = { width: 1000, height: 1000 };
  for (const view of [{ x: 1e6, y: 1e6, scale: 1 }, { x: -1e6, y: -1e6, scale: 1 }]) {
    const kept = keepInReach(view, content, screen);
    assert.ok(kept.x < content.width && kept.x + screen.width > 0);
    assert.ok(kept.y < content.height && kept.y + screen.height > 0);
  }
});

test("arrow keys lead along a stream and to the one beside it", () => {
  const graph = sampleGraph(["4.6.0", "4.7.0", "4.7.1", "4.7.2", "4.8.0", "4.8.1"], []);
  const folded = fold(graph, runsOf(graph), { isOn: false, expanded: new Set(), pinned: new Set() });
  const layout = layoutOf(folded);
  const at = (version: string) => folded.items.findIndex((item) => item.key === version);
  const lead = (version: string, key: string) => {
    const move = moveOf(key);
    return move && folded.items[moveFrom(folded, layout, at(version), move)]?.key;
  };
  assert.equal(lead("4.7.0", "ArrowDown"), "4.7.1");
  assert.equal(lead("4.7.0", "ArrowUp"), "4.7.0");
  assert.equal(lead("4.7.1", "ArrowRight"), "4.8.1");
  assert.equal(lead("4.7.2", "ArrowRight"), "4.8.1");
  assert.equal(lead("4.7.2", "ArrowLeft"), "4.6.0");
  assert.equal(lead("4.6.0", "ArrowLeft"), "4.6.0");
  assert.equal(lead("4.7.1", "Home"), "4.7.0");
  assert.equal(lead("4.7.1", "End"), "4.7.2");
  assert.equal(lead("4.7.1", "a"), undefined);
});

test("searching finds the exact version first, then newer ones, then risks", () => {
  const graph = sampleGraph(["4.7.1", "4.7.10", "4.7.11", "4.8.1"], ["4.7.1 -(OVN471)-> 4.7.10", "4.7.1 -(Slow)-> 4.8.1"]);
  const texts = (text: string) => search(graph, text, 10).map((hit) => hit.text);
  assert.deepEqual(texts("4.7.1"), ["4.7.1", "4.7.11", "4.7.10"]);
  assert.deepEqual(texts(" ovn "), ["OVN471"]);
  assert.deepEqual(texts("7"), ["4.7.11", "4.7.10", "4.7.1", "OVN471"]);
  assert.deepEqual(texts(""), []);
  assert.equal(search(graph, "4", 2).length, 2);
});
