// The shade of a graph: how many links pass through each pixel.
//
// Tens of thousands of translucent strokes take a canvas half a second; counting takes some milliseconds, and the
// logarithm of the count keeps both a single link and a bundle of a thousand visible. Where there is too much to count,
// long links are thinned out evenly and those that are left weigh more. Computed once a layout; panning and zooming only
// move the picture.

import type { Curves } from "./curves";

export interface Shade {
  readonly width: number; // pixels
  readonly height: number;
  readonly scale: number; // pixels a unit of the layout
  readonly counts: Uint16Array;
  readonly most: number;
}

const kMostPixels = 2_000_000;
const kMostSteps = 4_000_000; // pixels of all links together
const kNumbers = 8;

export function shadeScale(width: number, height: number): number {
  return Math.min(1, Math.sqrt(kMostPixels / Math.max(1, width * height)));
}

// Walks a segment by its longer side, so that a pixel counts once a link.
function plot(shade: Shade, weight: number, ax: number, ay: number, bx: number, by: number): void {
  const { counts, width, height } = shade;
  const steps = Math.max(1, Math.ceil(Math.max(Math.abs(bx - ax), Math.abs(by - ay))));
  const dx = (bx - ax) / steps;
  const dy = (by - ay) / steps;
  for (let i = 0, x = ax, y = ay; i < steps; ++i, x += dx, y += dy) {
    const column = x | 0;
    const row = y | 0;
    if (x < 0 || y < 0 || column >= width || row >= height) continue;
    const at = row * width + column;
    counts[at] = Math.min(0xffff, (counts[at] ?? 0) + weight);
  }
}

function plotCurve(shade: Shade, weight: number, curves: Curves, link: number): void {
  const at = link * kNumbers;
  const p = curves.subarray(at, at + kNumbers);
  const [x0 = 0, y0 = 0, x1 = 0, y1 = 0, x2 = 0, y2 = 0, x3 = 0, y3 = 0] = p;
  const reach = Math.abs(x3 - x0) + Math.abs(y3 - y0) + Math.abs(x1 - x0);
  const segments = Math.max(4, Math.min(24, Math.ceil((reach * shade.scale) / 24)));
  let beforeX = x0 * shade.scale;
  let beforeY = y0 * shade.scale;
  for (let i = 1; i <= segments; ++i) {
    const t = i / segments;
    const s = 1 - t;
    const a = s * s * s;
    const b = 3 * s * s * t;
    const c = 3 * s * t * t;
    const d = t * t * t;
    const x = (a * x0 + b * x1 + c * x2 + d * x3) * shade.scale;
    const y = (a * y0 + b * y1 + c * y2 + d * y3) * shade.scale;
    plot(shade, weight, beforeX, beforeY, x, y);
    beforeX = x;
    beforeY = y;
  }
}

// About how many pixels each link passes through.
function lengthsOf(curves: Curves, scale: number): Float64Array {
  const lengths = new Float64Array(curves.length / kNumbers);
  for (let link = 0; link < lengths.length; ++link) {
    const at = link * kNumbers;
    const across = Math.abs((curves[at + 6] ?? 0) - (curves[at] ?? 0));
    const down = Math.abs((curves[at + 7] ?? 0) - (curves[at + 1] ?? 0));
    const aside = Math.abs((curves[at + 2] ?? 0) - (curves[at] ?? 0));
    lengths[link] = 1 + scale * (Math.max(across, down) + aside);
  }
  return lengths;
}

// The length up to which every link is counted, so that all of them cost no more than `most`: of a link of n times that
// length, one in n is.
export function wholeLength(lengths: Float64Array, most: number): number {
  const cost = (whole: number) => lengths.reduce((sum, length) => sum + Math.min(length, whole), 0);
  let low = 1;
  let high = lengths.reduce((longest, length) => Math.max(longest, length), 1);
  if (cost(high) <= most) return high;
  for (let i = 0; i < 16; ++i) {
    const half = (low + high) / 2;
    if (cost(half) <= most) low = half;
    else high = half;
  }
  return low;
}

export function shadeOf(curves: Curves, width: number, height: number): Shade {
  const scale = shadeScale(width, height);
  const columns = Math.max(1, Math.ceil(width * scale));
  const rows = Math.max(1, Math.ceil(height * scale));
  const shade = { width: columns, height: rows, scale, counts: new Uint16Array(columns * rows), most: 0 };
  const lengths = lengthsOf(curves, scale);
  const whole = wholeLength(lengths, kMostSteps);
  let due = 0;
  lengths.forEach((length, link) => {
    const share = Math.min(1, whole / length);
    due += share;
    if (due < 1) return;
    due -= 1;
    plotCurve(shade, Math.round(1 / share), curves, link);
  });
  let most = 0;
  for (const count of shade.counts) if (count > most) most = count;
  return { ...shade, most };
}

// Opacity of 0 to 255 for each count: the least is faint, the most is `strongest`.
export function opacityTable(most: number, faintest: number, strongest: number): Uint8ClampedArray {
  const table = new Uint8ClampedArray(most + 1);
  const top = Math.log2(most + 1);
  for (let count = 1; count <= most; ++count) {
    const part = most === 1 ? 0 : (Math.log2(count + 1) - 1) / Math.max(1e-9, top - 1);
    table[count] = faintest + part * (strongest - faintest);
  }
  return table;
}
