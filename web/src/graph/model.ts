// The graph of a channel, from the update service's answer.
//
// Releases are numbered in the order of their versions; everything else speaks in these numbers. Updates are
// kept in flat arrays, because there are tens of thousands of them. Risks that are the same are one object.

import { compareVersions, isPrerelease, minorOf } from "./semver";

export interface MatchingRule {
  readonly type: string;
  readonly promql?: { readonly promql: string };
}

export interface Risk {
  readonly name: string;
  readonly message: string;
  readonly url: string;
  readonly matchingRules: readonly MatchingRule[];
}

export interface GraphAnswer {
  readonly nodes: readonly {
    readonly version: string;
    readonly payload: string;
    readonly metadata?: Readonly<Record<string, string>>;
  }[];
  readonly edges: readonly (readonly [number, number])[];
  readonly conditionalEdges?: readonly {
    readonly edges: readonly { readonly from: string; readonly to: string }[];
    readonly risks: readonly Risk[];
  }[];
}

export interface Release {
  readonly version: string;
  readonly minor: string;
  readonly isPrerelease: boolean;
  readonly payload: string;
  readonly channels: readonly string[];
  readonly url: string;
  readonly metadata: Readonly<Record<string, string>>;
}

// An update by its number: from[i] → to[i], with the risks riskSets[riskSet[i]] (0 is the empty set).
export interface Graph {
  readonly releases: readonly Release[];
  readonly numberOf: ReadonlyMap<string, number>;
  readonly minors: readonly string[];
  readonly from: Uint32Array;
  readonly to: Uint32Array;
  readonly riskSet: Uint32Array;
  readonly riskSets: readonly (readonly Risk[])[];
  readonly out: readonly (readonly number[])[]; // numbers of updates, by release
  readonly in: readonly (readonly number[])[];
}

const kChannels = "io.openshift.upgrades.graph.release.channels";

function releaseOf(node: GraphAnswer["nodes"][number]): Release {
  const metadata = node.metadata ?? {};
  const channels = metadata[kChannels];
  return {
    version: node.version,
    minor: minorOf(node.version),
    isPrerelease: isPrerelease(node.version),
    payload: node.payload,
    channels: channels ? channels.split(",") : [],
    url: metadata["url"] ?? "",
    metadata,
  };
}

// Risk sets that name the same risks with the same texts are one.
class RiskSets {
  readonly sets: (readonly Risk[])[] = [[]];
  private readonly known = new Map<string, number>([["[]", 0]]);

  add(risks: readonly Risk[]): number {
    const sorted = [...risks].sort((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0));
    const key = JSON.stringify(sorted);
    const found = this.known.get(key);
    if (found !== undefined) return found;
    this.known.set(key, this.sets.length);
    this.sets.push(sorted);
    return this.sets.length - 1;
  }
}

interface Updates {
  readonly from: Uint32Array;
  readonly to: Uint32Array;
  readonly riskSet: Uint32Array;
  readonly riskSets: readonly (readonly Risk[])[];
}

// In the order of their ends. An update that is listed both ways is conditional: risks are never lost.
function updatesIn(answer: GraphAnswer, numbers: readonly number[], numberOf: ReadonlyMap<string, number>): Updates {
  const rows = Array.from({ length: numberOf.size }, () => new Map<number, number>()); // risk set by `to`, by `from`
  const sets = new RiskSets();
  const put = (from: number | undefined, to: number | undefined, riskSet: number) => {
    if (from !== undefined && to !== undefined && from !== to) rows[from]?.set(to, riskSet);
  };
  for (const [from, to] of answer.edges) put(numbers[from], numbers[to], 0);
  for (const group of answer.conditionalEdges ?? []) {
    const riskSet = sets.add(group.risks);
    for (const edge of group.edges) put(numberOf.get(edge.from), numberOf.get(edge.to), riskSet);
  }
  const count = rows.reduce((sum, row) => sum + row.size, 0);
  const updates = { from: new Uint32Array(count), to: new Uint32Array(count), riskSet: new Uint32Array(count), riskSets: sets.sets };
  let next = 0;
  rows.forEach((row, from) => {
    for (const to of [...row.keys()].sort((a, b) => a - b)) {
      updates.from[next] = from;
      updates.to[next] = to;
      updates.riskSet[next] = row.get(to) ?? 0;
      next += 1;
    }
  });
  return updates;
}

export function graphOf(answer: GraphAnswer): Graph {
  const order = answer.nodes.map((_, i) => i);
  const versionAt = (i: number) => answer.nodes[i]?.version ?? "";
  order.sort((a, b) => compareVersions(versionAt(a), versionAt(b)));
  const numbers: number[] = [];
  const numberOf = new Map<string, number>();
  const releases: Release[] = [];
  for (const i of order) {
    const node = answer.nodes[i];
    if (!node) continue;
    const known = numberOf.get(node.version);
    numbers[i] = known ?? releases.length;
    if (known !== undefined) continue;
    numberOf.set(node.version, releases.length);
    releases.push(releaseOf(node));
  }
  const updates = updatesIn(answer, numbers, numberOf);
  const out: number[][] = releases.map(() => []);
  const into: number[][] = releases.map(() => []);
  for (let i = 0; i < updates.from.length; ++i) {
    out[updates.from[i] ?? 0]?.push(i);
    into[updates.to[i] ?? 0]?.push(i);
  }
  const minors = [...new Set(releases.map((release) => release.minor))];
  return { releases, numberOf, minors, ...updates, out, in: into };
}

export function updateCount(graph: Graph): number {
  return graph.from.length;
}

export function risksOf(graph: Graph, update: number): readonly Risk[] {
  return graph.riskSets[graph.riskSet[update] ?? 0] ?? [];
}

export function versionOf(graph: Graph, release: number): string {
  return graph.releases[release]?.version ?? "";
}

export function findUpdate(graph: Graph, from: string, to: string): number | undefined {
  const source = graph.numberOf.get(from);
  const target = graph.numberOf.get(to);
  if (source === undefined || target === undefined) return undefined;
  return graph.out[source]?.find((update) => graph.to[update] === target);
}

// Every risk of the graph by name, in the order of names; the first text wins where texts differ.
export function allRisks(graph: Graph): readonly Risk[] {
  const byName = new Map<string, Risk>();
  for (const set of graph.riskSets) for (const risk of set) if (!byName.has(risk.name)) byName.set(risk.name, risk);
  return [...byName.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
}
