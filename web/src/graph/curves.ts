// The curve of each link, a cubic Bézier, and which of them is under the pointer.
//
// Within a column a link is an arc on the left side, wider the further it goes; between columns it leaves on the side
// that faces its end.

import type { Layout } from "./layout";
import { kGutter, kItemHeight, kItemWidth, kMargin, kRowHeight } from "./layout";
import type { Links } from "./links";

export type Curves = Float64Array; // eight numbers a link: start, two control points, end

const kNumbers = 8;
const kWidestArc = Math.min(kMargin, kGutter * 0.4) - 6;

function arcWidth(distance: number): number {
  return Math.min(kWidestArc, 10 + 5 * Math.sqrt(distance / kRowHeight));
}

function put(curves: Curves, link: number, x0: number, y0: number, x1: number, x2: number, x3: number, y3: number): void {
  const at = link * kNumbers;
  curves[at] = x0;
  curves[at + 1] = y0;
  curves[at + 2] = x1;
  curves[at + 3] = y0; // leaves and arrives level
  curves[at + 4] = x2;
  curves[at + 5] = y3;
  curves[at + 6] = x3;
  curves[at + 7] = y3;
}

export function curvesOf(layout: Layout, links: Links): Curves {
  const curves = new Float64Array(links.count * kNumbers);
  for (let link = 0; link < links.count; ++link) {
    const a = links.from[link] ?? 0;
    const b = links.to[link] ?? 0;
    const ax = layout.x[a] ?? 0;
    const bx = layout.x[b] ?? 0;
    const ay = (layout.y[a] ?? 0) + kItemHeight / 2;
    const by = (layout.y[b] ?? 0) + kItemHeight / 2;
    if (ax === bx) {
      const control = ax - (arcWidth(Math.abs(by - ay)) * 4) / 3;
      put(curves, link, ax, ay, control, control, bx, by);
      continue;
    }
    const isForward = ax < bx;
    const start = isForward ? ax + kItemWidth : ax;
    const end = isForward ? bx : bx + kItemWidth;
    const reach = (end - start) / 2;
    put(curves, link, start, ay, start + reach, end - reach, end, by);
  }
  return curves;
}

// The point of a link's curve at t of [0, 1].
export function pointAt(curves: Curves, link: number, t: number): { x: number; y: number } {
  const at = link * kNumbers;
  const s = 1 - t;
  const weights = [s * s * s, 3 * s * s * t, 3 * s * t * t, t * t * t];
  let x = 0;
  let y = 0;
  weights.forEach((weight, i) => {
    x += weight * (curves[at + 2 * i] ?? 0);
    y += weight * (curves[at + 2 * i + 1] ?? 0);
  });
  return { x, y };
}

function distanceToSegment(x: number, y: number, ax: number, ay: number, bx: number, by: number): number {
  const dx = bx - ax;
  const dy = by - ay;
  const length = dx * dx + dy * dy;
  const t = length === 0 ? 0 : Math.max(0, Math.min(1, ((x - ax) * dx + (y - ay) * dy) / length));
  return Math.hypot(x - ax - t * dx, y - ay - t * dy);
}

const kSegments = 16;

function isNearBox(curves: Curves, link: number, x: number, y: number, tolerance: number): boolean {
  const at = link * kNumbers;
  const [x0 = 0, y0 = 0, x1 = 0, , , , x3 = 0, y3 = 0] = curves.subarray(at, at + kNumbers);
  return (
    x >= Math.min(x0, x1, x3) - tolerance &&
    x <= Math.max(x0, x1, x3) + tolerance &&
    y >= Math.min(y0, y3) - tolerance &&
    y <= Math.max(y0, y3) + tolerance
  );
}

export function distanceTo(curves: Curves, link: number, x: number, y: number): number {
  let nearest = Infinity;
  let before = pointAt(curves, link, 0);
  for (let i = 1; i <= kSegments; ++i) {
    const next = pointAt(curves, link, i / kSegments);
    nearest = Math.min(nearest, distanceToSegment(x, y, before.x, before.y, next.x, next.y));
    before = next;
  }
  return nearest;
}

// The nearest of `candidates` within `tolerance`; the first of them where several are as near.
export function linkAt(
  curves: Curves,
  candidates: Iterable<number>,
  x: number,
  y: number,
  tolerance: number,
): number | undefined {
  let found: number | undefined;
  let nearest = tolerance;
  for (const link of candidates) {
    if (!isNearBox(curves, link, x, y, tolerance)) continue;
    const distance = distanceTo(curves, link, x, y);
    if (distance > nearest || (distance === nearest && found !== undefined)) continue;
    nearest = distance;
    found = link;
  }
  return found;
}
