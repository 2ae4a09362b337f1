import assert from "node:assert/strict";
import { test } from "node:test";
import { findUpdate, versionOf } from "./model";
import { kindOfLink, kindOfUpdate, relationsOf, strongLinks } from "./relations";
import { sampleGraph } from "./samples";
import { itemOfVersion, sceneOf } from "./scene";
import { runsOf } from "./fold";
import type { Judgement, Verdict } from "./verdicts";
import { plural, tallySigns, tallyWords } from "./words";

const graph = sampleGraph(
  ["4.6.0", "4.7.0", "4.7.1", "4.7.2", "4.8.0"],
  ["4.6.0 -> 4.7.0", "4.6.0 -(Slow)-> 4.7.1", "4.7.0 -> 4.7.1", "4.7.0 -(Slow)-> 4.7.2", "4.7.1 -> 4.7.2", "4.7.2 -> 4.8.0"],
);
const scene = sceneOf(graph, runsOf(graph), { isOn: false, expanded: new Set(), pinned: new Set() });
// 4.7.0 and 4.7.1 as one item.
const folded = sceneOf(graph, [[0], [1, 2], [3], [4]], { isOn: true, expanded: new Set(), pinned: new Set() });

const says = (cluster: string, verdict: Verdict): Judgement => ({ cluster, verdict, basis: "evaluated", reason: "", message: "", risks: new Map() });
const update = (from: string, to: string) => findUpdate(graph, from, to) ?? -1;
const item = (version: string) => itemOfVersion(scene, version) ?? -1;

test("an update is as the graph has it until clusters say otherwise", () => {
  assert.equal(kindOfUpdate(graph, new Map(), update("4.6.0", "4.7.0")), "recommended");
  assert.equal(kindOfUpdate(graph, new Map(), update("4.6.0", "4.7.1")), "conditional");
  const said = new Map([[update("4.6.0", "4.7.1"), [says("a", "recommended"), says("b", "unknown")]]]);
  assert.equal(kindOfUpdate(graph, said, update("4.6.0", "4.7.1")), "unsure");
});

test("a bundle is mixed, or the worst that was said of it", () => {
  assert.equal(kindOfLink(graph, folded.folded, folded.links, new Map(), 0), "mixed");
  const said = new Map([
    [update("4.6.0", "4.7.0"), [says("a", "recommended"), says("b", "recommended")]],
    [update("4.6.0", "4.7.1"), [says("a", "notRecommended"), says("b", "recommended")]],
  ]);
  assert.equal(kindOfLink(graph, folded.folded, folded.links, said, 0), "bad");
  const relation = relationsOf(graph, folded.folded, folded.links, said, 0).get(1);
  assert.deepEqual(relation?.tally, { recommended: 1, notRecommended: 1, unknown: 0 });
  assert.equal(relation?.updates, 2);
});

test("relations tell what leads from the focus and to it", () => {
  const relations = relationsOf(graph, scene.folded, scene.links, new Map(), item("4.7.1"));
  const told = [...relations].map(([other, relation]) => [versionOf(graph, other), relation.direction, relation.kind]);
  assert.deepEqual(told.sort(), [
    ["4.6.0", "from", "conditional"],
    ["4.7.0", "from", "recommended"],
    ["4.7.2", "to", "recommended"],
  ]);
});

test("strong are the links of the focus, else the shape and what clusters stand before; a path always", () => {
  const roles = (focus: number | undefined, clusters: number[], path: [string, string][], said = new Map<number, Judgement[]>()) =>
    strongLinks(graph, scene.folded, scene.links, said, {
      focus,
      clusterItems: new Set(clusters),
      path: path.map(([from, to]) => ({ from: item(from), to: item(to) })),
      picked: undefined,
    }).map(({ link, role }) => `${role} ${versionOf(graph, scene.links.from[link] ?? 0)} ${versionOf(graph, scene.links.to[link] ?? 0)}`);
  assert.deepEqual(roles(undefined, [], []), ["shape 4.6.0 4.7.0", "shape 4.7.0 4.7.1", "shape 4.7.1 4.7.2", "shape 4.7.2 4.8.0"]);
  assert.deepEqual(roles(item("4.7.1"), [], []), ["focus 4.6.0 4.7.1", "focus 4.7.0 4.7.1", "focus 4.7.1 4.7.2"]);
  assert.deepEqual(roles(item("4.8.0"), [], [["4.7.0", "4.7.2"]]), ["focus 4.7.2 4.8.0", "path 4.7.0 4.7.2"]);
  const said = new Map([[update("4.7.0", "4.7.2"), [says("a", "unknown")]]]);
  assert.deepEqual(roles(undefined, [item("4.7.0")], [], said).slice(-1), ["cluster 4.7.0 4.7.2"]);
  assert.deepEqual(roles(undefined, [item("4.7.0")], [["4.6.0", "4.7.1"]], said).slice(-1), ["path 4.6.0 4.7.1"]);
  assert.ok(!roles(undefined, [item("4.7.0")], [["4.6.0", "4.7.1"]], said).includes("cluster 4.7.0 4.7.2"));
});

test("tallies in words and signs", () => {
  assert.equal(tallyWords({ recommended: 3, notRecommended: 1, unknown: 2 }), "recommended for 3, not for 1, unknown for 2");
  assert.equal(tallyWords({ recommended: 0, notRecommended: 1, unknown: 0 }), "not recommended for 1");
  assert.equal(tallySigns({ recommended: 3, notRecommended: 1, unknown: 2 }), "3✓ 1✕ 2?");
  assert.deepEqual([1, 0, 999, 14395, 1234567].map((n) => plural(n, "update")), ["1 update", "0 updates", "999 updates", "14,395 updates", "1,234,567 updates"]);
  assert.equal(tallySigns({ recommended: 0, notRecommended: 1, unknown: 0 }), "✕");
});

test("a scene is kept while its items are the same", () => {
  const runs = runsOf(graph);
  const choose = (pinned: string[]) => ({ isOn: true, expanded: new Set<string>(), pinned: new Set(pinned) });
  const first = sceneOf(graph, runs, choose([]));
  const alone = first.folded.items.find((each) => each.releases.length === 1)?.key ?? "";
  assert.equal(sceneOf(graph, runs, choose([alone]), first), first);
  assert.notEqual(sceneOf(graph, [[0], [1, 2], [3], [4]], choose([]), first), first);
});
