// Draws the links of a scene on a canvas: the shade of all of them as one picture, the strong ones as lines.
import { type Curves, pointAt } from "./curves";
import { opacityTable, type Shade } from "./density";
import type { StrongLink } from "./relations";
import type { Size, View } from "./view";
import { type Kind, kKinds } from "./words";

// Colours by role, from the style sheet, so that light and dark are decided in one place.
export interface Palette {
  readonly shade: readonly [number, number, number];
  readonly kinds: Readonly<Record<Kind, string>>;
  readonly path: string;
  readonly pointed: string;
  readonly surface: string;
}

const kDashes: Readonly<Record<Kind, readonly number[]>> = {
  recommended: [],
  conditional: [7, 4],
  mixed: [9, 3, 2, 3],
  good: [],
  bad: [4, 3],
  unsure: [1.5, 4],
};

const kWidths = { shape: 1.1, cluster: 1.8, focus: 1.5, path: 2.5 } as const;
const kHalo = 9;
const kCrowd = 50; // links of one look that hide one another
const kMostMarks = 200; // more cannot be told apart
const kLeastMarkScale = 0.5;

function rgb(text: string): readonly [number, number, number] {
  const context = document.createElement("canvas").getContext("2d");
  if (!context) return [128, 128, 128];
  context.fillStyle = text;
  context.fillRect(0, 0, 1, 1);
  const [r = 0, g = 0, b = 0] = context.getImageData(0, 0, 1, 1).data;
  return [r, g, b];
}

export function paletteOf(element: Element): Palette {
  const style = getComputedStyle(element);
  const value = (name: string) => style.getPropertyValue(name).trim();
  return {
    shade: rgb(value("--text-quiet")),
    kinds: {
      recommended: value("--info"),
      conditional: value("--warn"),
      mixed: value("--warn"),
      good: value("--good"),
      bad: value("--bad"),
      unsure: value("--warn"),
    },
    path: value("--accent"),
    pointed: value("--text"),
    surface: value("--surface"),
  };
}

// The shade as a picture in units of the layout times shade.scale.
export function pictureOf(shade: Shade, palette: Palette): HTMLCanvasElement {
  const picture = document.createElement("canvas");
  picture.width = shade.width;
  picture.height = shade.height;
  const context = picture.getContext("2d");
  if (!context) return picture;
  const image = context.createImageData(shade.width, shade.height);
  const pixels = new Uint32Array(image.data.buffer);
  const colours = new Uint32Array(shade.most + 1); // by count
  const bytes = new Uint8ClampedArray(colours.buffer);
  opacityTable(shade.most, 16, 110).forEach((opacity, count) => bytes.set([...palette.shade, opacity], 4 * count));
  for (let i = 0; i < shade.counts.length; ++i) {
    const count = shade.counts[i] ?? 0;
    if (count > 0) pixels[i] = colours[count] ?? 0;
  }
  context.putImageData(image, 0, 0);
  return picture;
}

export interface Painting {
  readonly view: View;
  readonly size: Size;
  readonly pixelRatio: number;
  readonly palette: Palette;
  readonly curves: Curves;
  readonly strong: readonly StrongLink[];
  readonly focus: number | undefined; // item
  readonly ends: { readonly from: Uint32Array; readonly to: Uint32Array };
  readonly pointed: number | undefined; // link
  readonly picture: HTMLCanvasElement | undefined;
  readonly shadeScale: number;
  readonly isShadeFaint: boolean; // something else is looked at
  readonly isMoving: boolean; // drawn many times a second: dashes and signs of many links have to wait
}

const kMostWhileMoving = 60; // links with dashes and signs

function trace(context: CanvasRenderingContext2D, curves: Curves, link: number): void {
  const [x0 = 0, y0 = 0, x1 = 0, y1 = 0, x2 = 0, y2 = 0, x3 = 0, y3 = 0] = curves.subarray(link * 8, link * 8 + 8);
  context.moveTo(x0, y0);
  context.bezierCurveTo(x1, y1, x2, y2, x3, y3);
}

function strokeLinks(context: CanvasRenderingContext2D, painting: Painting, links: readonly number[], colour: string, width: number, dash: readonly number[]): void {
  const unit = 1 / painting.view.scale;
  context.beginPath();
  for (const link of links) trace(context, painting.curves, link);
  context.strokeStyle = colour;
  context.lineWidth = width * unit;
  context.setLineDash(dash.map((each) => each * unit));
  context.stroke();
}

function isHasty(painting: Painting): boolean {
  return painting.isMoving && painting.strong.length > kMostWhileMoving;
}

// Links of one look are one stroke.
function paintStrong(context: CanvasRenderingContext2D, painting: Painting): void {
  const looks = new Map<string, { kind: Kind; role: StrongLink["role"]; links: number[] }>();
  for (const { link, kind, role } of painting.strong) {
    const key = `${role} ${kind}`;
    const look = looks.get(key) ?? { kind, role, links: [] };
    look.links.push(link);
    looks.set(key, look);
  }
  for (const { kind, role, links } of looks.values()) {
    if (role === "path") {
      context.globalAlpha = 0.3; // a halo, so that the kind can still be seen
      strokeLinks(context, painting, links, painting.palette.path, kHalo, []);
    }
    context.globalAlpha = role === "shape" || links.length > kCrowd ? 0.7 : 1;
    strokeLinks(context, painting, links, painting.palette.kinds[kind], kWidths[role], isHasty(painting) ? [] : kDashes[kind]);
    context.globalAlpha = 1;
  }
}

function paintHead(context: CanvasRenderingContext2D, painting: Painting, link: number, colour: string): void {
  const end = pointAt(painting.curves, link, 1);
  const before = pointAt(painting.curves, link, 0.96);
  const angle = Math.atan2(end.y - before.y, end.x - before.x);
  const size = 7 / Math.max(0.6, painting.view.scale);
  context.beginPath();
  context.moveTo(end.x, end.y);
  context.lineTo(end.x - size * Math.cos(angle - 0.42), end.y - size * Math.sin(angle - 0.42));
  context.lineTo(end.x - size * Math.cos(angle + 0.42), end.y - size * Math.sin(angle + 0.42));
  context.closePath();
  context.fillStyle = colour;
  context.fill();
}

// The sign of a link, near the end that is not the focus, where links lie apart.
function paintMark(context: CanvasRenderingContext2D, painting: Painting, strong: StrongLink): void {
  const isInto = painting.ends.to[strong.link] === painting.focus;
  const at = pointAt(painting.curves, strong.link, isInto ? 0.14 : 0.86);
  const colour = painting.palette.kinds[strong.kind];
  const radius = 6.5;
  context.beginPath();
  context.arc(at.x, at.y, radius, 0, 2 * Math.PI);
  context.fillStyle = painting.palette.surface;
  context.fill();
  context.setLineDash([]);
  context.lineWidth = 1;
  context.strokeStyle = colour;
  context.stroke();
  context.fillStyle = colour;
  context.fillText(kKinds[strong.kind].sign, at.x, at.y + 0.5);
}

function paintDetails(context: CanvasRenderingContext2D, painting: Painting): void {
  const told = painting.strong.filter(({ role }) => role !== "shape");
  for (const { link, kind, role } of told) {
    paintHead(context, painting, link, role === "path" ? painting.palette.path : painting.palette.kinds[kind]);
  }
  if (told.length > kMostMarks || painting.view.scale < kLeastMarkScale) return;
  context.font = "600 10px system-ui, sans-serif";
  context.textAlign = "center";
  context.textBaseline = "middle";
  for (const strong of told) if (strong.kind !== "recommended") paintMark(context, painting, strong);
}

export function paint(context: CanvasRenderingContext2D, painting: Painting): void {
  const { view, size, pixelRatio, picture } = painting;
  context.setTransform(1, 0, 0, 1, 0, 0);
  context.clearRect(0, 0, size.width * pixelRatio, size.height * pixelRatio);
  const scale = view.scale * pixelRatio;
  context.setTransform(scale, 0, 0, scale, -view.x * scale, -view.y * scale);
  if (picture) {
    context.globalAlpha = painting.isShadeFaint ? 0.4 : 1;
    context.drawImage(picture, 0, 0, picture.width / painting.shadeScale, picture.height / painting.shadeScale);
    context.globalAlpha = 1;
  }
  paintStrong(context, painting);
  if (!isHasty(painting)) paintDetails(context, painting);
  if (painting.pointed !== undefined) {
    strokeLinks(context, painting, [painting.pointed], painting.palette.pointed, 2.5, []);
    paintHead(context, painting, painting.pointed, painting.palette.pointed);
  }
}
