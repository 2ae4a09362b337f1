import assert from "node:assert/strict";
import { test } from "node:test";
import { findUpdate } from "./model";
import { sampleGraph, sampleRisk } from "./samples";
import {
  type ClusterVersionObject,
  type Condition,
  clusterOf,
  evaluationsOfCluster,
  evaluationsOfFleet,
  judge,
  tallyOf,
  worst,
} from "./verdicts";

const graph = sampleGraph(
  ["4.7.0", "4.7.1", "4.7.2", "4.7.3", "4.7.4"],
  [
    "4.7.0 -> 4.7.1",
    "4.7.0 -(Slow)-> 4.7.2",
    "4.7.0 -(Leak)-> 4.7.3",
    "4.7.1 -(Slow)-> 4.7.3",
    "4.7.1 -(Leak)-> 4.7.4",
    "4.7.2 -(Slow, Leak)-> 4.7.4",
    "4.7.3 -(Leak, Other)-> 4.7.4",
  ],
);

const recommended = (status: string, reason: string, message = ""): Condition => ({ type: "Recommended", status, reason, message });

function status(slow: Condition, leak: Condition, version = "4.7.0"): ClusterVersionObject {
  return {
    spec: { channel: "stable-4.7" },
    status: {
      desired: { version },
      availableUpdates: [{ version: "4.7.1" }],
      conditionalUpdates: [
        { release: { version: "4.7.2" }, risks: [sampleRisk("Slow")], conditions: [slow] },
        { release: { version: "4.7.3" }, risks: [sampleRisk("Leak")], conditions: [leak] },
      ],
    },
  };
}

const exposed = clusterOf("a", status(recommended("False", "Slow", "Slow may happen."), recommended("True", "NotExposedToRisks")));
const safe = clusterOf("b", status(recommended("True", "NotExposedToRisks"), recommended("Unknown", "PromQLError", "no metrics")));

const update = (from: string, to: string) => {
  const found = findUpdate(graph, from, to);
  assert.ok(found !== undefined, `${from} ${to}`);
  return found;
};
const verdict = (cluster: typeof exposed, from: string, to: string) => judge(graph, cluster, update(from, to))?.verdict;

test("updates from where a cluster is have the verdict that it wrote", () => {
  assert.equal(verdict(exposed, "4.7.0", "4.7.1"), "recommended");
  assert.equal(verdict(exposed, "4.7.0", "4.7.2"), "notRecommended");
  assert.equal(verdict(safe, "4.7.0", "4.7.3"), "unknown");
  const judgement = judge(graph, exposed, update("4.7.0", "4.7.2"));
  assert.equal(judgement?.reason, "Slow");
  assert.equal(judgement?.message, "Slow may happen.");
  assert.equal(judgement?.basis, "evaluated");
  assert.equal(judgement?.risks.get("Slow"), "applies");
});

test("updates further on are judged by the same risks", () => {
  assert.equal(verdict(exposed, "4.7.1", "4.7.3"), "notRecommended");
  assert.equal(verdict(exposed, "4.7.1", "4.7.4"), "recommended");
  assert.equal(verdict(exposed, "4.7.2", "4.7.4"), "notRecommended");
  assert.equal(verdict(safe, "4.7.2", "4.7.4"), "unknown");
  assert.equal(judge(graph, exposed, update("4.7.1", "4.7.4"))?.basis, "risks");
});

test("a risk that was never evaluated is not guessed", () => {
  assert.equal(verdict(exposed, "4.7.3", "4.7.4"), undefined);
  const other = sampleGraph(["4.7.5", "4.7.6"], ["4.7.5 -(Slow)-> 4.7.6"]);
  const changed = {
    ...other,
    riskSets: other.riskSets.map((set) => set.map((risk) => sampleRisk(risk.name, "another(query)"))),
  };
  assert.equal(judge(changed, exposed, 0), undefined);
});

test("accepted risks say nothing about whether they apply", () => {
  const accepted = clusterOf("c", status(recommended("True", "AllExposedRisksAccepted"), recommended("True", "NotExposedToRisks")));
  assert.equal(verdict(accepted, "4.7.0", "4.7.2"), "recommended");
  assert.equal(verdict(accepted, "4.7.1", "4.7.3"), undefined);
});

test("verdicts on single risks count most", () => {
  const object = status(recommended("Unknown", "EvaluationPending"), recommended("True", "NotExposedToRisks"));
  const cluster = clusterOf("d", {
    ...object,
    status: {
      ...object.status,
      conditionalUpdateRisks: [{ ...sampleRisk("Slow"), conditions: [{ type: "Applies", status: "False", reason: "NotMatch" }] }],
    },
  });
  assert.equal(verdict(cluster, "4.7.0", "4.7.2"), "unknown");
  assert.equal(verdict(cluster, "4.7.1", "4.7.3"), "recommended");
});

test("a fleet has a tally for each update that a cluster stands before", () => {
  const elsewhere = clusterOf("e", status(recommended("True", "NotExposedToRisks"), recommended("True", "NotExposedToRisks"), "4.7.4"));
  const evaluations = evaluationsOfFleet(graph, [exposed, safe, elsewhere]);
  assert.deepEqual(tallyOf(evaluations.get(update("4.7.0", "4.7.1")) ?? []), { recommended: 2, notRecommended: 0, unknown: 0 });
  assert.deepEqual(tallyOf(evaluations.get(update("4.7.0", "4.7.2")) ?? []), { recommended: 1, notRecommended: 1, unknown: 0 });
  assert.equal(worst(tallyOf(evaluations.get(update("4.7.0", "4.7.2")) ?? [])), "notRecommended");
  assert.equal(worst(tallyOf(evaluations.get(update("4.7.0", "4.7.3")) ?? [])), "unknown");
  assert.equal(evaluations.has(update("4.7.1", "4.7.3")), false);
  assert.equal(worst(tallyOf([])), undefined);
});

test("one cluster has a verdict wherever one can be given", () => {
  const evaluations = evaluationsOfCluster(graph, exposed);
  assert.equal(evaluations.size, 6);
  for (let each = 0; each < graph.from.length; ++each) assert.deepEqual(evaluations.get(each)?.[0], judge(graph, exposed, each));
  const empty = clusterOf("f", {});
  assert.deepEqual([...evaluationsOfCluster(graph, empty).keys()], []);
});
