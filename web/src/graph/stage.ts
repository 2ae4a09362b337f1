// The part of the graph that moves: a canvas with the links, a layer with the items above it, and the pointer.
//
// Panning and zooming touch one transform and one canvas, never the components, so that they stay smooth whatever the
// size of the graph. Owned by the Viewport component; close() ends all that it listens to.
import { linkAt } from "./curves";
import { shadeOf } from "./density";
import { kItemHeight, kItemWidth } from "./layout";
import { type Palette, paint, paletteOf, pictureOf } from "./paint";
import type { StrongLink } from "./relations";
import type { Scene } from "./scene";
import { type Box, type Size, type View, center, fitAll, fitNewest, keepInReach, pan, reveal, toContent, zoomAt } from "./view";

export interface StageParts {
  readonly frame: HTMLElement;
  readonly canvas: HTMLCanvasElement;
  readonly world: HTMLElement;
  readonly heads: HTMLElement; // a child for each column, which stays at the top
  readonly onPick: (link: number | undefined) => void; // a link was clicked, or nothing
  readonly onPoint: (pointed: Pointed | undefined) => void;
}

// A link under the pointer, and where in the frame that is.
export interface Pointed {
  readonly link: number;
  readonly x: number;
  readonly y: number;
}

const kDragPixels = 4;
const kReach = 7; // pixels around a link
const kReadableScale = 0.8;
const kFarScale = 0.4; // labels cannot be read any more
const kZoomStep = 1.3;
const kRestMillis = 120; // without a movement: it has ended

export class Stage {
  private scene: Scene | undefined;
  private place: string | undefined;
  private strong: readonly StrongLink[] = [];
  private focus: number | undefined;
  private view: View = { x: 0, y: 0, scale: 1 };
  private size: Size = { width: 0, height: 0 };
  private palette: Palette;
  private picture: { canvas: HTMLCanvasElement; scale: number } | undefined;
  private pointed: number | undefined;
  private frameRequest = 0;
  private resting: ReturnType<typeof setTimeout> | undefined; // set while the view moves
  private fitted: "newest" | "all" | undefined = "newest"; // until the reader moves the view
  private readonly pointers = new Map<number, { x: number; y: number }>();
  private start: { x: number; y: number } | undefined;
  private isDragging = false;
  private readonly ends = new AbortController();
  private readonly watcher: ResizeObserver;

  constructor(private readonly parts: StageParts) {
    this.palette = paletteOf(parts.frame);
    this.watcher = new ResizeObserver(() => this.measure());
    this.watcher.observe(parts.frame);
    this.measure();
    this.listen();
  }

  close(): void {
    this.ends.abort();
    this.watcher.disconnect();
    cancelAnimationFrame(this.frameRequest);
    clearTimeout(this.resting);
  }

  // A scene of another place begins at its newest end; one of the same place keeps the view.
  showScene(scene: Scene, place: string): void {
    if (this.place !== place) this.fitted = "newest";
    this.place = place;
    if (this.scene !== scene) this.picture = undefined;
    this.scene = scene;
    this.point(undefined);
    this.settle();
  }

  showStrong(strong: readonly StrongLink[], focus: number | undefined): void {
    this.strong = strong;
    this.focus = focus;
    this.draw();
  }

  revealItem(item: number): void {
    const box = this.boxOf(item);
    if (box && this.size.width > 0) this.moveTo(reveal(this.view, box, this.size));
  }

  // Into the middle, and near enough to be read; what can be seen and read stays where it is.
  lookAt(item: number): void {
    const box = this.boxOf(item);
    if (!box || this.size.width === 0) return;
    const revealed = reveal(this.view, box, this.size);
    const isSeen = revealed.x === this.view.x && revealed.y === this.view.y;
    if (isSeen && this.view.scale >= kReadableScale) return;
    this.moveTo(center(box, this.size, Math.max(kReadableScale, this.view.scale)));
  }

  zoom(steps: number): void {
    this.moveTo(zoomAt(this.view, kZoomStep ** steps, this.size.width / 2, this.size.height / 2));
  }

  panBy(dx: number, dy: number): void {
    this.moveTo(pan(this.view, dx, dy));
  }

  fit(): void {
    this.fitted = "all";
    this.settle();
  }

  // After a change of the scene or of the frame's size: fits again what was fitted, else keeps the view.
  private settle(): void {
    if (!this.scene || this.size.width === 0) return;
    const { layout } = this.scene;
    if (this.fitted === "all") this.move(fitAll(layout, this.size));
    else if (this.fitted === "newest") this.move(fitNewest(layout, this.size, kReadableScale));
    else this.move(this.view);
  }

  private boxOf(item: number): Box | undefined {
    const layout = this.scene?.layout;
    const x = layout?.x[item];
    const y = layout?.y[item];
    if (x === undefined || y === undefined) return undefined;
    return { x, y, width: kItemWidth, height: kItemHeight };
  }

  private measure(): void {
    const { clientWidth: width, clientHeight: height } = this.parts.frame;
    if (width === 0 || height === 0) return;
    this.size = { width, height };
    this.parts.canvas.width = Math.round(width * devicePixelRatio);
    this.parts.canvas.height = Math.round(height * devicePixelRatio);
    this.settle();
  }

  // By the reader's wish.
  private moveTo(view: View): boolean {
    const hasMoved = this.move(view);
    if (hasMoved) this.fitted = undefined;
    return hasMoved;
  }

  // Whether anything moved.
  private move(view: View): boolean {
    const next = this.scene && this.size.width > 0 ? keepInReach(view, this.scene.layout, this.size) : view;
    const hasMoved = next.x !== this.view.x || next.y !== this.view.y || next.scale !== this.view.scale;
    this.view = next;
    if (hasMoved) this.noteMovement();
    this.draw();
    return hasMoved;
  }

  // While it moves, the layer is the compositor's; at rest it is drawn anew, and sharp.
  private noteMovement(): void {
    clearTimeout(this.resting);
    this.parts.frame.classList.add("graph-moving");
    this.resting = setTimeout(() => {
      this.resting = undefined;
      this.parts.frame.classList.remove("graph-moving");
      this.draw();
    }, kRestMillis);
  }

  private draw(): void {
    if (this.frameRequest !== 0 || this.ends.signal.aborted) return;
    this.frameRequest = requestAnimationFrame(() => {
      this.frameRequest = 0;
      this.drawNow();
    });
  }

  private drawNow(): void {
    const { scene, view, size, palette } = this;
    const context = this.parts.canvas.getContext("2d");
    if (!scene || !context || size.width === 0) return;
    this.parts.world.style.transform = `scale(${view.scale}) translate(${-view.x}px, ${-view.y}px)`;
    this.placeHeads(scene);
    this.parts.frame.classList.toggle("graph-far", view.scale < kFarScale);
    this.picture ??= this.makePicture(scene);
    paint(context, {
      view,
      size,
      pixelRatio: devicePixelRatio,
      palette,
      curves: scene.curves,
      strong: this.strong,
      focus: this.focus,
      ends: scene.links,
      pointed: this.pointed,
      picture: this.picture.canvas,
      shadeScale: this.picture.scale,
      isShadeFaint: this.focus !== undefined,
      isMoving: this.resting !== undefined,
    });
    performance.mark("fairway:graph-drawn");
  }

  private placeHeads(scene: Scene): void {
    scene.layout.columns.forEach((column, i) => {
      const head = this.parts.heads.children[i];
      if (!(head instanceof HTMLElement)) return;
      head.style.transform = `translateX(${(column.x + kItemWidth / 2 - this.view.x) * this.view.scale}px) translateX(-50%)`;
    });
  }

  private makePicture(scene: Scene): { canvas: HTMLCanvasElement; scale: number } {
    const shade = shadeOf(scene.curves, scene.layout.width, scene.layout.height);
    return { canvas: pictureOf(shade, this.palette), scale: shade.scale };
  }

  private listen(): void {
    const { frame } = this.parts;
    const { signal } = this.ends;
    frame.addEventListener("wheel", (event) => this.onWheel(event), { signal, passive: false });
    frame.addEventListener("pointerdown", (event) => this.onDown(event), { signal });
    frame.addEventListener("pointermove", (event) => this.onMove(event), { signal });
    frame.addEventListener("pointerup", (event) => this.onUp(event), { signal });
    frame.addEventListener("pointercancel", (event) => this.onUp(event), { signal });
    frame.addEventListener("pointerleave", () => this.point(undefined), { signal });
    frame.addEventListener("click", (event) => this.onClick(event), { signal, capture: true });
    // The browser scrolls what has the focus into view; the view does that here, and nothing else may move the layer.
    frame.addEventListener("scroll", () => frame.scrollTo(0, 0), { signal });
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.onTheme(), { signal });
  }

  private onTheme(): void {
    this.palette = paletteOf(this.parts.frame);
    this.picture = undefined;
    this.draw();
  }

  private placeOf(event: MouseEvent): { x: number; y: number } {
    const box = this.parts.frame.getBoundingClientRect();
    return { x: event.clientX - box.left, y: event.clientY - box.top };
  }

  // The wheel scrolls the graph, and the page where the graph ends; with Ctrl, or by pinching, it zooms.
  private onWheel(event: WheelEvent): void {
    const lines = event.deltaMode === WheelEvent.DOM_DELTA_LINE ? 16 : 1;
    if (event.ctrlKey || event.metaKey) {
      const { x, y } = this.placeOf(event);
      this.moveTo(zoomAt(this.view, Math.exp((-event.deltaY * lines) / 300), x, y));
      event.preventDefault();
      return;
    }
    if (this.moveTo(pan(this.view, -event.deltaX * lines, -event.deltaY * lines))) event.preventDefault();
  }

  private onDown(event: PointerEvent): void {
    if (event.button !== 0) return;
    this.pointers.set(event.pointerId, this.placeOf(event));
    this.start = this.placeOf(event);
    this.isDragging = false;
  }

  private onMove(event: PointerEvent): void {
    const now = this.placeOf(event);
    const before = this.pointers.get(event.pointerId);
    if (!before) {
      const isOnItem = event.target instanceof Element && event.target.closest("button");
      this.point(isOnItem ? undefined : this.linkNear(now), now);
      return;
    }
    if (!this.isDragging) {
      if (!this.start || Math.hypot(now.x - this.start.x, now.y - this.start.y) < kDragPixels) return;
      this.isDragging = true;
      this.point(undefined);
      this.parts.frame.setPointerCapture(event.pointerId);
    }
    if (this.pointers.size === 2) this.pinch(event.pointerId, now);
    else this.moveTo(pan(this.view, now.x - before.x, now.y - before.y));
    this.pointers.set(event.pointerId, now);
  }

  private pinch(moved: number, now: { x: number; y: number }): void {
    const before = this.pointers.get(moved);
    const other = [...this.pointers].find(([id]) => id !== moved)?.[1];
    if (!before || !other) return;
    const distance = (from: { x: number; y: number }) => Math.max(1, Math.hypot(from.x - other.x, from.y - other.y));
    this.moveTo(zoomAt(this.view, distance(now) / distance(before), (now.x + other.x) / 2, (now.y + other.y) / 2));
  }

  private onUp(event: PointerEvent): void {
    this.pointers.delete(event.pointerId);
    this.start = undefined;
    // The click that ends a drag comes at once, or never: a later one, by a key, is meant.
    if (this.pointers.size === 0) setTimeout(() => (this.isDragging = false), 0);
  }

  // What ends a drag is no click.
  private onClick(event: MouseEvent): void {
    if (this.isDragging) {
      this.isDragging = false;
      event.stopPropagation();
      event.preventDefault();
      return;
    }
    if (event.target instanceof Element && event.target.closest("button")) return;
    this.parts.onPick(this.linkNear(this.placeOf(event)));
  }

  private linkNear(place: { x: number; y: number }): number | undefined {
    if (!this.scene) return undefined;
    const { x, y } = toContent(this.view, place.x, place.y);
    const reach = kReach / this.view.scale;
    const { curves, links } = this.scene;
    const strong = linkAt(curves, this.strong.map(({ link }) => link), x, y, reach);
    if (strong !== undefined || this.focus !== undefined) return strong;
    return linkAt(curves, Array(links.count).keys(), x, y, reach / 2);
  }

  private point(link: number | undefined, place = { x: 0, y: 0 }): void {
    if (link === this.pointed) return;
    this.pointed = link;
    this.parts.onPoint(link === undefined ? undefined : { link, ...place });
    this.parts.frame.classList.toggle("graph-pointing", link !== undefined);
    this.draw();
  }
}
