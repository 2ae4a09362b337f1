// Releases and risks by a few characters.

import type { Graph } from "./model";
import { allRisks } from "./model";

export interface Hit {
  readonly kind: "release" | "risk";
  readonly text: string;
}

// Lower is better; undefined is no match.
function rank(text: string, wanted: string): number | undefined {
  const lower = text.toLowerCase();
  if (lower === wanted) return 0;
  if (lower.startsWith(wanted)) return 1;
  return lower.includes(wanted) ? 2 : undefined;
}

// The best first; among equals releases before risks, and newer releases before older ones.
export function search(graph: Graph, text: string, most: number): readonly Hit[] {
  const wanted = text.trim().toLowerCase();
  if (wanted === "") return [];
  const found: { hit: Hit; rank: number }[] = [];
  const offer = (kind: Hit["kind"], candidate: string) => {
    const place = rank(candidate, wanted);
    if (place !== undefined) found.push({ hit: { kind, text: candidate }, rank: place });
  };
  for (let i = graph.releases.length - 1; i >= 0; --i) offer("release", graph.releases[i]?.version ?? "");
  for (const risk of allRisks(graph)) offer("risk", risk.name);
  return found
    .sort((a, b) => a.rank - b.rank)
    .slice(0, most)
    .map(({ hit }) => hit);
}
