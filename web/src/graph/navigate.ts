// Where an arrow key leads: up and down along a stream, left and right to the stream beside it.

import type { Folded } from "./fold";
import type { Layout } from "./layout";

export type Move = "up" | "down" | "left" | "right" | "first" | "last";

const kMoves: Readonly<Record<string, Move>> = {
  ArrowUp: "up",
  ArrowDown: "down",
  ArrowLeft: "left",
  ArrowRight: "right",
  Home: "first",
  End: "last",
};

export function moveOf(key: string): Move | undefined {
  return kMoves[key];
}

// The item that a move leads to; the same one at an edge.
export function moveFrom(folded: Folded, layout: Layout, item: number, move: Move): number {
  const column = folded.lanes.findIndex((lane) => lane.items.includes(item));
  const lane = folded.lanes[column]?.items ?? [];
  const row = lane.indexOf(item);
  if (move === "first") return lane[0] ?? item;
  if (move === "last") return lane[lane.length - 1] ?? item;
  if (move === "up") return lane[row - 1] ?? item;
  if (move === "down") return lane[row + 1] ?? item;
  const beside = folded.lanes[column + (move === "right" ? 1 : -1)]?.items ?? [];
  let nearest = item;
  let least = Infinity;
  for (const candidate of beside) {
    const distance = Math.abs((layout.y[candidate] ?? 0) - (layout.y[item] ?? 0));
    if (distance < least) {
      least = distance;
      nearest = candidate;
    }
  }
  return nearest;
}
