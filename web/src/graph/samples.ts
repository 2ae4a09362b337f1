// Graphs for tests.
import { type Graph, type GraphAnswer, type Risk, graphOf } from "./model";

export function sampleRisk(name: string, promql = `group(${name.toLowerCase()})`): Risk {
  return {
    name,
    message: `${name} may happen.`,
    url: `https://risks.example.com/${name}`,
    matchingRules: [{ type: "PromQL", promql: { promql } }],
  };
}

// Updates as "A -> B" or "A -(Risk, Risk)-> B".
export function sampleAnswer(versions: readonly string[], updates: readonly string[]): GraphAnswer {
  const edges: [number, number][] = [];
  const conditionalEdges: { edges: { from: string; to: string }[]; risks: Risk[] }[] = [];
  for (const update of updates) {
    const found = /^(\S+) -(?:\(([^)]*)\)-)?> (\S+)$/.exec(update);
    if (!found) throw new Error(`not an update: ${update}`);
    const [, from = "", names, to = ""] = found;
    if (names === undefined) edges.push([versions.indexOf(from), versions.indexOf(to)]);
    else conditionalEdges.push({ edges: [{ from, to }], risks: names.split(", ").map((name) => sampleRisk(name)) });
  }
  return {
    nodes: versions.map((version) => ({
      version,
      payload: `registry.example.com/release@sha256:${version}`,
      metadata: {
        url: `https://errata.example.com/${version}`,
        "io.openshift.upgrades.graph.release.channels": "fast-4.7,stable-4.7",
      },
    })),
    edges,
    conditionalEdges,
  };
}

export function sampleGraph(versions: readonly string[], updates: readonly string[]): Graph {
  return graphOf(sampleAnswer(versions, updates));
}

// Every release updates to every later one of its stream and of the next.
export function denseGraph(minors: number, patches: number): Graph {
  const versions: string[] = [];
  for (let minor = 0; minor < minors; ++minor) {
    for (let patch = 0; patch < patches; ++patch) versions.push(`4.${minor}.${patch}`);
  }
  const edges: [number, number][] = [];
  versions.forEach((_, a) => {
    for (let b = a + 1; b < versions.length && Math.floor(b / patches) <= Math.floor(a / patches) + 1; ++b) {
      edges.push([a, b]);
    }
  });
  return graphOf({ ...sampleAnswer(versions, []), edges });
}
