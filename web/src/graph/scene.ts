// Everything that is derived from a graph and what is wanted of it, ready to be drawn. Pure.
import { type Curves, curvesOf } from "./curves";
import { type FoldChoice, type Folded, fold } from "./fold";
import { type Layout, layoutOf } from "./layout";
import { type Links, linksOf } from "./links";
import type { Graph } from "./model";

export interface Scene {
  readonly graph: Graph;
  readonly folded: Folded;
  readonly layout: Layout;
  readonly links: Links;
  readonly curves: Curves;
}

function isSame(a: Folded, b: Folded): boolean {
  if (a.items.length !== b.items.length) return false;
  return a.items.every((item, i) => item.key === b.items[i]?.key && item.releases.length === b.items[i]?.releases.length);
}

// `before` itself where the items are the same, so that nothing of it is drawn again.
export function sceneOf(graph: Graph, runs: readonly (readonly number[])[], choice: FoldChoice, before?: Scene): Scene {
  const folded = fold(graph, runs, choice);
  if (before?.graph === graph && isSame(before.folded, folded)) return before;
  const layout = layoutOf(folded);
  const links = linksOf(graph, folded);
  return { graph, folded, layout, links, curves: curvesOf(layout, links) };
}

export function itemOfVersion(scene: Scene, version: string | undefined): number | undefined {
  if (version === undefined) return undefined;
  const release = scene.graph.numberOf.get(version);
  return release === undefined ? undefined : scene.folded.itemOf[release];
}
