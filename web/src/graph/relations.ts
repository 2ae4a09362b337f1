// What updates are to whoever looks: the kind of each link, and what each item is to the focus.
import type { Folded } from "./fold";
import type { Links } from "./links";
import { linksOfItem, updatesOf } from "./links";
import type { Graph } from "./model";
import { type Evaluations, type Judgement, type Tally, kNobody, tallyOf, total, worst } from "./verdicts";
import { type Kind, kindOfVerdict } from "./words";

export function kindOfUpdate(graph: Graph, evaluations: Evaluations, update: number): Kind {
  const verdict = worst(tallyOf(evaluations.get(update) ?? []));
  if (verdict) return kindOfVerdict(verdict);
  return graph.riskSet[update] === 0 ? "recommended" : "conditional";
}

// Of several updates a cluster counts once, with the worst that it said of one of them.
function tallyOfUpdates(evaluations: Evaluations, updates: readonly number[]): Tally {
  const byCluster = new Map<string, Judgement[]>();
  for (const update of updates) {
    for (const judgement of evaluations.get(update) ?? []) {
      const said = byCluster.get(judgement.cluster);
      if (said) said.push(judgement);
      else byCluster.set(judgement.cluster, [judgement]);
    }
  }
  const counts = { ...kNobody };
  for (const said of byCluster.values()) {
    const verdict = worst(tallyOf(said));
    if (verdict) counts[verdict] += 1;
  }
  return counts;
}

// A link of several updates takes the worst that a cluster said of one of them.
export function kindOfLink(graph: Graph, folded: Folded, links: Links, evaluations: Evaluations, link: number): Kind {
  if (evaluations.size > 0) {
    const verdict = worst(tallyOfUpdates(evaluations, updatesOf(graph, folded, links, link)));
    if (verdict) return kindOfVerdict(verdict);
  }
  if (links.conditional[link] === 0) return "recommended";
  return links.recommended[link] === 0 ? "conditional" : "mixed";
}

export interface Relation {
  readonly direction: "to" | "from"; // an update to this item, or one from it to the focus
  readonly kind: Kind;
  readonly updates: number;
  readonly tally: Tally;
}

// What the items are to the focused one; the way on counts more where both exist.
export function relationsOf(
  graph: Graph,
  folded: Folded,
  links: Links,
  evaluations: Evaluations,
  focus: number,
): ReadonlyMap<number, Relation> {
  const found = new Map<number, Relation>();
  for (const link of linksOfItem(links, focus)) {
    const direction = links.from[link] === focus ? "to" : "from";
    const item = (direction === "to" ? links.to[link] : links.from[link]) ?? 0;
    if (direction === "from" && found.has(item)) continue;
    const updates = updatesOf(graph, folded, links, link);
    found.set(item, {
      direction,
      kind: kindOfLink(graph, folded, links, evaluations, link),
      updates: updates.length,
      tally: tallyOfUpdates(evaluations, updates),
    });
  }
  return found;
}

export interface StrongLink {
  readonly link: number;
  readonly kind: Kind;
  readonly role: "shape" | "focus" | "cluster" | "path";
}

export interface Strength {
  readonly focus: number | undefined; // item
  readonly clusterItems: ReadonlySet<number>; // where the clusters that were chosen are
  readonly path: readonly { readonly from: number; readonly to: number }[]; // items
  readonly picked: { readonly from: number; readonly to: number } | undefined; // one update, drawn as a path is
}

// The links to draw at full strength, the most important last: those of the focus, else the shape of the graph and, without
// a path to look at, what clusters stand before; a path always.
export function strongLinks(
  graph: Graph,
  folded: Folded,
  links: Links,
  evaluations: Evaluations,
  strength: Strength,
): readonly StrongLink[] {
  const roles = new Map<number, StrongLink["role"]>();
  const steps = strength.picked ? [...strength.path, strength.picked] : strength.path;
  const isOnPath = new Set(steps.map(({ from, to }) => from * folded.items.length + to));
  for (let link = 0; link < links.count; ++link) {
    const from = links.from[link] ?? 0;
    const to = links.to[link] ?? 0;
    if (isOnPath.has(from * folded.items.length + to)) roles.set(link, "path");
    else if (strength.focus !== undefined) {
      if (from === strength.focus || to === strength.focus) roles.set(link, "focus");
    } else if (strength.path.length === 0 && isEvaluated(graph, folded, links, evaluations, link, strength)) roles.set(link, "cluster");
    else if (links.isDirect[link] === 1) roles.set(link, "shape");
  }
  const order = ["shape", "cluster", "focus", "path"];
  return [...roles]
    .map(([link, role]) => ({ link, role, kind: kindOfLink(graph, folded, links, evaluations, link) }))
    .sort((a, b) => order.indexOf(a.role) - order.indexOf(b.role) || a.link - b.link);
}

function isEvaluated(
  graph: Graph,
  folded: Folded,
  links: Links,
  evaluations: Evaluations,
  link: number,
  strength: Strength,
): boolean {
  if (evaluations.size === 0 || !strength.clusterItems.has(links.from[link] ?? 0)) return false;
  return total(tallyOfUpdates(evaluations, updatesOf(graph, folded, links, link))) > 0;
}
