import assert from "node:assert/strict";
import { test } from "node:test";
import { curvesOf, distanceTo, linkAt, pointAt } from "./curves";
import { opacityTable, shadeOf, shadeScale, wholeLength } from "./density";
import { fold, runsOf } from "./fold";
import { kItemHeight, kItemWidth, layoutOf } from "./layout";
import { linksOf, linksOfItem, updatesOf } from "./links";
import { type Graph, versionOf } from "./model";
import { denseGraph, sampleGraph } from "./samples";

function draw(graph: Graph, isOn: boolean) {
  const folded = fold(graph, runsOf(graph), { isOn, expanded: new Set(), pinned: new Set() });
  const links = linksOf(graph, folded);
  const layout = layoutOf(folded);
  return { folded, links, layout, curves: curvesOf(layout, links) };
}

const graph = sampleGraph(
  ["4.7.0", "4.7.1", "4.7.2", "4.8.0"],
  ["4.7.0 -> 4.7.1", "4.7.0 -(Slow)-> 4.7.2", "4.7.1 -> 4.7.2", "4.7.2 -> 4.8.0", "4.7.1 -> 4.8.0"],
);

test("a link is direct when nothing lies between its ends", () => {
  const { links } = draw(graph, false);
  const direct = [...links.isDirect].flatMap((is, link) =>
    is ? [`${versionOf(graph, links.from[link] ?? 0)} ${versionOf(graph, links.to[link] ?? 0)}`] : [],
  );
  assert.deepEqual(direct, ["4.7.0 4.7.1", "4.7.1 4.7.2", "4.7.2 4.8.0"]);
  assert.equal(links.conditional[1], 1);
  assert.deepEqual(linksOfItem(links, 3).length, 2);
});

test("links of folded items stand for all updates between them", () => {
  const dense = denseGraph(2, 20);
  const { folded, links } = draw(dense, true);
  for (let link = 0; link < links.count; ++link) {
    const updates = updatesOf(dense, folded, links, link);
    assert.equal(updates.length, (links.recommended[link] ?? 0) + (links.conditional[link] ?? 0));
    for (const update of updates) {
      assert.equal(folded.itemOf[dense.from[update] ?? 0], links.from[link]);
      assert.equal(folded.itemOf[dense.to[update] ?? 0], links.to[link]);
    }
  }
  const inside = [...dense.from].filter((from, i) => folded.itemOf[from] === folded.itemOf[dense.to[i] ?? 0]).length;
  const counted = [...links.recommended, ...links.conditional].reduce((sum, each) => sum + each, 0);
  assert.equal(counted + inside, dense.from.length);
});

test("curves end at the items", () => {
  const { links, layout, curves } = draw(graph, false);
  for (let link = 0; link < links.count; ++link) {
    const a = links.from[link] ?? 0;
    const b = links.to[link] ?? 0;
    const isSameColumn = layout.x[a] === layout.x[b];
    assert.equal(pointAt(curves, link, 0).x, (layout.x[a] ?? 0) + (isSameColumn ? 0 : kItemWidth));
    assert.equal(pointAt(curves, link, 1).x, layout.x[b]);
    assert.equal(pointAt(curves, link, 1).y, (layout.y[b] ?? 0) + kItemHeight / 2);
  }
});

test("the link under the pointer is the nearest one within reach", () => {
  const { links, curves } = draw(graph, false);
  const all = [...Array(links.count).keys()];
  for (const link of all) {
    const { x, y } = pointAt(curves, link, 0.37);
    const found = linkAt(curves, all, x, y, 4);
    assert.ok(found !== undefined && distanceTo(curves, found, x, y) <= distanceTo(curves, link, x, y));
  }
  assert.equal(linkAt(curves, all, -500, -500, 4), undefined);
});

test("the shade counts each link once a pixel and stays within its budget", () => {
  const { links, layout, curves } = draw(graph, false);
  const shade = shadeOf(curves, layout.width, layout.height);
  assert.equal(shade.scale, 1);
  assert.ok(shade.most >= 1 && shade.most <= links.count);
  const large = draw(denseGraph(4, 65), false);
  assert.ok(large.links.count > 20_000);
  const dark = shadeOf(large.curves, 20_000, 20_000);
  assert.ok(dark.width * dark.height <= 2_010_000);
  assert.equal(shadeScale(1000, 1000), 1);
});

test("too many long links are thinned out, short ones are not", () => {
  const lengths = Float64Array.from([...Array(100).fill(10), ...Array(100).fill(1000)]);
  assert.equal(wholeLength(lengths, 1e6), 1000);
  const whole = wholeLength(lengths, 11_000);
  assert.ok(Math.abs(whole - 100) < 1, `${whole}`);
});

test("opacity grows with the count and never leaves its bounds", () => {
  const table = opacityTable(1000, 10, 90);
  assert.equal(table[0], 0);
  assert.equal(table[1], 10);
  assert.equal(table[1000], 90);
  for (let count = 2; count <= 1000; ++count) assert.ok((table[count] ?? 0) >= (table[count - 1] ?? 0));
  assert.deepEqual([...opacityTable(1, 10, 90)], [0, 10]);
  assert.deepEqual([...opacityTable(0, 10, 90)], [0]);
});
