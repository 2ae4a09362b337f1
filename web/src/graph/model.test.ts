import assert from "node:assert/strict";
import { test } from "node:test";
import { allRisks, findUpdate, graphOf, risksOf, updateCount, versionOf } from "./model";
import { sampleAnswer, sampleGraph } from "./samples";

test("releases are in order whatever order the answer has", () => {
  const graph = sampleGraph(["4.10.0", "4.9.1", "4.9.0"], ["4.9.0 -> 4.10.0", "4.9.1 -> 4.10.0", "4.9.0 -> 4.9.1"]);
  assert.deepEqual(graph.releases.map((release) => release.version), ["4.9.0", "4.9.1", "4.10.0"]);
  assert.deepEqual(graph.minors, ["4.9", "4.10"]);
  const pairs = [...graph.from].map((from, i) => [versionOf(graph, from), versionOf(graph, graph.to[i] ?? 0)]);
  assert.deepEqual(pairs, [["4.9.0", "4.9.1"], ["4.9.0", "4.10.0"], ["4.9.1", "4.10.0"]]);
  assert.deepEqual(graph.in[2]?.length, 2);
  assert.deepEqual(graph.out[2]?.length, 0);
});

test("risks come with their updates, and equal sets are one", () => {
  const graph = sampleGraph(["4.7.0", "4.7.1", "4.7.2"], ["4.7.0 -(B, A)-> 4.7.1", "4.7.1 -(A, B)-> 4.7.2", "4.7.0 -> 4.7.2"]);
  const update = findUpdate(graph, "4.7.0", "4.7.1") ?? -1;
  assert.deepEqual(risksOf(graph, update).map((risk) => risk.name), ["A", "B"]);
  assert.equal(graph.riskSets.length, 2);
  assert.deepEqual(risksOf(graph, findUpdate(graph, "4.7.0", "4.7.2") ?? -1), []);
  assert.deepEqual(allRisks(graph).map((risk) => risk.name), ["A", "B"]);
});

test("an update that is listed both ways keeps its risks", () => {
  const graph = sampleGraph(["4.7.0", "4.7.1"], ["4.7.0 -(A)-> 4.7.1", "4.7.0 -> 4.7.1"]);
  assert.equal(updateCount(graph), 1);
  assert.equal(risksOf(graph, 0).length, 1);
});

test("updates of releases that are not there are left out", () => {
  const answer = sampleAnswer(["4.7.0", "4.7.1"], ["4.7.0 -> 4.7.1"]);
  const graph = graphOf({
    nodes: answer.nodes,
    edges: [...answer.edges, [0, 7], [1, 1]],
    conditionalEdges: [{ edges: [{ from: "4.6.0", to: "4.7.1" }], risks: [] }],
  });
  assert.equal(updateCount(graph), 1);
  assert.equal(findUpdate(graph, "4.6.0", "4.7.1"), undefined);
});

test("metadata tells channels and the erratum; none of it is needed", () => {
  const release = sampleGraph(["4.7.0"], []).releases[0];
  assert.deepEqual(release?.channels, ["fast-4.7", "stable-4.7"]);
  assert.equal(release?.url, "https://errata.example.com/4.7.0");
  const bare = graphOf({ nodes: [{ version: "4.7.0", payload: "p" }], edges: [] }).releases[0];
  assert.deepEqual(bare?.channels, []);
  assert.equal(bare?.url, "");
});
