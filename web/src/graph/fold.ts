// Folding: neighbours of one stream that are alike to whoever plans an update become one item.
//
// Alike means: the same risks on the way in, an update without risks on the way in or not, the same streams to
// go on to, a pre-release or not. Pinned versions (the focus, a path, where clusters are) always stand alone; an
// expanded run shows each of its releases. Pure and deterministic.

import type { Graph } from "./model";
import { risksOf, versionOf } from "./model";
import { withinMinor } from "./semver";

export interface Item {
  readonly key: string; // of the first release; stable while the run grows
  readonly minor: string;
  readonly releases: readonly number[]; // in order; one, or a folded run
  readonly run: string; // the run that it is part of, by its first version
  readonly runLength: number;
}

export interface Lane {
  readonly minor: string;
  readonly items: readonly number[]; // numbers of items, oldest first
}

export interface Folded {
  readonly items: readonly Item[];
  readonly lanes: readonly Lane[];
  readonly itemOf: readonly number[]; // by release
}

export interface FoldChoice {
  readonly isOn: boolean;
  readonly expanded: ReadonlySet<string>; // runs
  readonly pinned: ReadonlySet<string>; // versions
}

function signature(graph: Graph, release: number): string {
  const risks = new Set<string>();
  const streams = new Set<string>();
  let isRecommended = false;
  for (const update of graph.in[release] ?? []) {
    const names = risksOf(graph, update);
    if (names.length === 0) isRecommended = true;
    for (const risk of names) risks.add(risk.name);
  }
  for (const update of graph.out[release] ?? []) {
    streams.add(graph.releases[graph.to[update] ?? 0]?.minor ?? "");
  }
  const one = graph.releases[release];
  return JSON.stringify([one?.isPrerelease, isRecommended, [...risks].sort(), [...streams].sort()]);
}

// Runs of the graph; they depend on nothing but the graph.
export function runsOf(graph: Graph): readonly (readonly number[])[] {
  const runs: number[][] = [];
  let before: string | undefined;
  graph.releases.forEach((release, i) => {
    const current = release.minor + signature(graph, i);
    const last = runs[runs.length - 1];
    if (last && current === before) last.push(i);
    else runs.push([i]);
    before = current;
  });
  return runs;
}

function piecesOf(graph: Graph, run: readonly number[], choice: FoldChoice): number[][] {
  const pieces: number[][] = [];
  let open: number[] | undefined;
  for (const release of run) {
    if (choice.pinned.has(versionOf(graph, release))) {
      pieces.push([release]);
      open = undefined;
    } else if (open) {
      open.push(release);
    } else {
      open = [release];
      pieces.push(open);
    }
  }
  return pieces;
}

export function fold(graph: Graph, runs: readonly (readonly number[])[], choice: FoldChoice): Folded {
  const items: Item[] = [];
  const itemOf: number[] = [];
  const lanes = new Map<string, number[]>(graph.minors.map((minor) => [minor, []]));
  for (const run of runs) {
    const name = versionOf(graph, run[0] ?? 0);
    const isOpen = !choice.isOn || choice.expanded.has(name);
    const pieces = isOpen ? run.map((release) => [release]) : piecesOf(graph, run, choice);
    for (const releases of pieces) {
      const first = releases[0] ?? 0;
      const minor = graph.releases[first]?.minor ?? "";
      for (const release of releases) itemOf[release] = items.length;
      lanes.get(minor)?.push(items.length);
      items.push({ key: versionOf(graph, first), minor, releases, run: name, runLength: run.length });
    }
  }
  return { items, lanes: [...lanes].map(([minor, numbers]) => ({ minor, items: numbers })), itemOf };
}

export function isFolded(item: Item): boolean {
  return item.releases.length > 1;
}

// `4.14.3`, `4.14.3 … 17` or `4.14.0-rc.0 … rc.7`.
export function labelOf(graph: Graph, item: Item): string {
  const first = versionOf(graph, item.releases[0] ?? 0);
  if (!isFolded(item)) return first;
  const last = withinMinor(versionOf(graph, item.releases[item.releases.length - 1] ?? 0));
  const patch = /^\d+-/.exec(withinMinor(first))?.[0] ?? "";
  return `${first} … ${patch && last.startsWith(patch) ? last.slice(patch.length) : last}`;
}
