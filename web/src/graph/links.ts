// Updates between items: all updates from one item to another are one link.
//
// A link is direct when no third item lies between its ends: these draw the shape of the graph, the others are
// its shade. Links inside a folded run are not drawn. In flat arrays, since nothing may be folded.

import type { Folded } from "./fold";
import type { Graph } from "./model";

export interface Links {
  readonly count: number;
  readonly from: Uint32Array; // items
  readonly to: Uint32Array;
  readonly recommended: Uint32Array; // how many updates
  readonly conditional: Uint32Array;
  readonly isDirect: Uint8Array;
}

function directOf(items: number, from: Uint32Array, to: Uint32Array): Uint8Array {
  const words = Math.ceil(items / 32);
  const out = new Uint32Array(items * words);
  const into = new Uint32Array(items * words);
  const set = (bits: Uint32Array, row: number, bit: number) => {
    const at = row * words + (bit >>> 5);
    bits[at] = (bits[at] ?? 0) | (1 << (bit & 31));
  };
  for (let i = 0; i < from.length; ++i) {
    set(out, from[i] ?? 0, to[i] ?? 0);
    set(into, to[i] ?? 0, from[i] ?? 0);
  }
  const isDirect = new Uint8Array(from.length);
  for (let i = 0; i < from.length; ++i) {
    const a = (from[i] ?? 0) * words;
    const b = (to[i] ?? 0) * words;
    let between = 0;
    for (let word = 0; word < words && between === 0; ++word) between = (out[a + word] ?? 0) & (into[b + word] ?? 0);
    isDirect[i] = between === 0 ? 1 : 0;
  }
  return isDirect;
}

export function linksOf(graph: Graph, folded: Folded): Links {
  const items = folded.items.length;
  const numbers = new Map<number, number>();
  const from: number[] = [];
  const to: number[] = [];
  const recommended: number[] = [];
  const conditional: number[] = [];
  for (let update = 0; update < graph.from.length; ++update) {
    const a = folded.itemOf[graph.from[update] ?? 0] ?? 0;
    const b = folded.itemOf[graph.to[update] ?? 0] ?? 0;
    if (a === b) continue;
    let link = numbers.get(a * items + b);
    if (link === undefined) {
      link = from.length;
      numbers.set(a * items + b, link);
      from.push(a);
      to.push(b);
      recommended.push(0);
      conditional.push(0);
    }
    const counts = graph.riskSet[update] === 0 ? recommended : conditional;
    counts[link] = (counts[link] ?? 0) + 1;
  }
  const sources = Uint32Array.from(from);
  const targets = Uint32Array.from(to);
  return {
    count: from.length,
    from: sources,
    to: targets,
    recommended: Uint32Array.from(recommended),
    conditional: Uint32Array.from(conditional),
    isDirect: directOf(items, sources, targets),
  };
}

// The updates that a link stands for, in the order of the graph.
export function updatesOf(graph: Graph, folded: Folded, links: Links, link: number): readonly number[] {
  const target = links.to[link];
  const releases = folded.items[links.from[link] ?? 0]?.releases ?? [];
  return releases.flatMap((release) =>
    (graph.out[release] ?? []).filter((update) => folded.itemOf[graph.to[update] ?? 0] === target),
  );
}

export function linksOfItem(links: Links, item: number): readonly number[] {
  const found: number[] = [];
  for (let link = 0; link < links.count; ++link) {
    if (links.from[link] === item || links.to[link] === item) found.push(link);
  }
  return found;
}
