// The graph as one sees it: links on a canvas, releases as buttons above it, a list for each stream.
//
// One of the buttons is in the tab order; arrow keys move between them. What the canvas shows of the focus is told in
// words by the tables below it.
import type { JSX } from "preact";
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { isFolded, labelOf } from "./fold";
import { ItemButton } from "./item";
import { kItemHeight, kItemWidth } from "./layout";
import { moveFrom, moveOf } from "./navigate";
import type { Relation, StrongLink } from "./relations";
import { type Scene, itemOfVersion } from "./scene";
import { type Pointed, Stage } from "./stage";
import { type Kind, kKinds, plural } from "./words";

export interface ViewportProps {
  readonly scene: Scene;
  readonly placeKey: string; // the view is kept while it is the same
  readonly strong: readonly StrongLink[];
  readonly focus: number | undefined; // item
  readonly relations: ReadonlyMap<number, Relation>;
  readonly clustersAt: ReadonlyMap<string, readonly string[]>; // by version
  readonly pathItems: ReadonlySet<number>;
  readonly onFocus: (version: string) => void;
  readonly onExpand: (run: string) => void;
  readonly kindOf: (link: number) => Kind;
  readonly onPick: (link: number | undefined) => void;
}

const kPanPixels = 80;
const kPans: Readonly<Record<string, readonly [number, number]>> = {
  ArrowUp: [0, kPanPixels],
  ArrowDown: [0, -kPanPixels],
  ArrowLeft: [kPanPixels, 0],
  ArrowRight: [-kPanPixels, 0],
};

export function Viewport(props: ViewportProps): JSX.Element {
  const { scene, strong, focus, relations, clustersAt, pathItems } = props;
  const frame = useRef<HTMLDivElement>(null);
  const canvas = useRef<HTMLCanvasElement>(null);
  const world = useRef<HTMLDivElement>(null);
  const heads = useRef<HTMLDivElement>(null);
  const stage = useRef<Stage>();
  const [cursorVersion, setCursor] = useState<string>();
  const [pointed, setPointed] = useState<Pointed>();
  const latest = useRef(props);
  latest.current = props;

  useEffect(() => {
    if (!frame.current || !canvas.current || !world.current || !heads.current) return undefined;
    const made = new Stage({
      frame: frame.current,
      canvas: canvas.current,
      world: world.current,
      heads: heads.current,
      onPick: (link) => latest.current.onPick(link),
      onPoint: setPointed,
    });
    stage.current = made;
    return () => made.close();
  }, []);
  useEffect(() => stage.current?.showScene(scene, latest.current.placeKey), [scene]);
  useEffect(() => stage.current?.showStrong(strong, focus), [strong, focus]);
  useEffect(() => {
    if (focus === undefined) return;
    setCursor(scene.folded.items[focus]?.key);
    stage.current?.lookAt(focus);
  }, [scene, focus]);

  const newest = scene.folded.items.length - 1;
  const cursor = itemOfVersion(scene, cursorVersion) ?? newest;

  const press = (item: number) => {
    const pressed = scene.folded.items[item];
    if (!pressed) return;
    setCursor(pressed.key);
    if (isFolded(pressed)) props.onExpand(pressed.run);
    else props.onFocus(pressed.key);
  };
  const pressRef = useRef(press);
  pressRef.current = press;

  const onKeyDown = (event: KeyboardEvent) => {
    if (event.altKey || event.ctrlKey || event.metaKey) return;
    const shift = event.shiftKey ? kPans[event.key] : undefined;
    const move = moveOf(event.key);
    if (shift) stage.current?.panBy(...shift);
    else if (event.key === "+" || event.key === "=") stage.current?.zoom(1);
    else if (event.key === "-") stage.current?.zoom(-1);
    else if (event.key === "0") stage.current?.fit();
    else if (move) {
      const next = moveFrom(scene.folded, scene.layout, cursor, move);
      setCursor(scene.folded.items[next]?.key);
      stage.current?.revealItem(next);
      world.current?.querySelector<HTMLElement>(`[data-item="${next}"]`)?.focus({ preventScroll: true });
    } else return;
    event.preventDefault();
  };

  // Drawn again only when something of it changed: moving the view is not.
  const lists = useMemo(
    () =>
      scene.folded.lanes.map((lane) => (
        <ul key={lane.minor} aria-label={`Releases of ${lane.minor}`}>
          {lane.items.map((item) => (
            <li
              key={scene.folded.items[item]?.key}
              style={{ left: `${scene.layout.x[item] ?? 0}px`, top: `${scene.layout.y[item] ?? 0}px`, width: `${kItemWidth}px`, height: `${kItemHeight}px` }}
            >
              <ItemButton
                graph={scene.graph}
                folded={scene.folded}
                number={item}
                isFocus={item === focus}
                isDimmed={focus !== undefined && item !== focus && !relations.has(item) && !pathItems.has(item)}
                isOnPath={pathItems.has(item)}
                isCursor={item === cursor}
                relation={relations.get(item)}
                clustersAt={clustersAt}
                onPress={() => pressRef.current(item)}
              />
            </li>
          ))}
        </ul>
      )),
    [scene, focus, relations, clustersAt, pathItems, cursor],
  );

  return (
    <div class="graph-stage">
      <div class="graph-frame" ref={frame} role="group" aria-label="Releases and updates" aria-describedby="graph-keys" onKeyDown={onKeyDown}>
        <canvas class="graph-links" ref={canvas} aria-hidden="true" />
        <div class="graph-world" ref={world}>
          {lists}
        </div>
        <div class="graph-heads" ref={heads} aria-hidden="true">
          {scene.folded.lanes.map((lane) => (
            <span key={lane.minor}>{lane.minor}</span>
          ))}
        </div>
        {pointed && <LinkTip scene={scene} pointed={pointed} kindOf={props.kindOf} />}
      </div>
      <div class="graph-zoom" role="group" aria-label="Zoom">
        <button type="button" class="small" aria-label="Zoom in" onClick={() => stage.current?.zoom(1)}>
          +
        </button>
        <button type="button" class="small" aria-label="Zoom out" onClick={() => stage.current?.zoom(-1)}>
          −
        </button>
        <button type="button" class="small" onClick={() => stage.current?.fit()}>
          Fit
        </button>
      </div>
    </div>
  );
}

// For the pointer alone: whoever has none reads the same in the tables.
function LinkTip({ scene, pointed, kindOf }: { readonly scene: Scene; readonly pointed: Pointed; readonly kindOf: (link: number) => Kind }): JSX.Element | null {
  const { graph, folded, links } = scene;
  const from = folded.items[links.from[pointed.link] ?? -1];
  const to = folded.items[links.to[pointed.link] ?? -1];
  if (!from || !to) return null;
  const updates = (links.recommended[pointed.link] ?? 0) + (links.conditional[pointed.link] ?? 0);
  const kind = kKinds[kindOf(pointed.link)];
  return (
    <div class="graph-tip" aria-hidden="true" style={{ left: `${pointed.x}px`, top: `${pointed.y}px` }}>
      {labelOf(graph, from)} → {labelOf(graph, to)}
      <br />
      {kind.sign} {kind.word}
      {updates > 1 && `, ${plural(updates, "update")}`}
    </div>
  );
}
