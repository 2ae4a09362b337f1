// Where items stand: a column for each stream, rows in the order of patches. Units are pixels at zoom 1.
//
// Deterministic: the same items give the same places, so that folding one run moves nothing but what is below it.

import type { Folded } from "./fold";

export const kItemWidth = 168;
export const kItemHeight = 26;
export const kRowHeight = 34;
export const kGutter = 140; // between columns, for the updates
export const kTop = 44; // for the names of the streams
const kBottom = 40; // for the buttons that zoom
export const kMargin = 70; // left and right, for arcs

export interface Layout {
  readonly x: Float64Array; // left edge, by item
  readonly y: Float64Array; // top edge, by item
  readonly columns: readonly { readonly minor: string; readonly x: number }[];
  readonly width: number;
  readonly height: number;
}

export function layoutOf(folded: Folded): Layout {
  const x = new Float64Array(folded.items.length);
  const y = new Float64Array(folded.items.length);
  const columns = folded.lanes.map((lane, column) => {
    const left = kMargin + column * (kItemWidth + kGutter);
    lane.items.forEach((item, row) => {
      x[item] = left;
      y[item] = kTop + row * kRowHeight;
    });
    return { minor: lane.minor, x: left };
  });
  const rows = Math.max(1, ...folded.lanes.map((lane) => lane.items.length));
  return {
    x,
    y,
    columns,
    width: 2 * kMargin + Math.max(1, columns.length) * (kItemWidth + kGutter) - kGutter,
    height: kTop + rows * kRowHeight + kBottom,
  };
}
