// One graph with everything around it: the picture, the legend, the focus in words, details, paths, the past.
import type { JSX, RefObject } from "preact";
import { useCallback, useEffect, useState } from "preact/hooks";
import { Empty } from "../components/basic";
import { type Derived, type Verdicts, useDerived, useVerdicts } from "./derived";
import { ReleaseDetails, RiskDetails, UpdateDetails } from "./details";
import type { Fleet } from "./fleet";
import { isFolded } from "./fold";
import { Legend } from "./legend";
import { updatesOf } from "./links";
import { type Graph, updateCount, versionOf } from "./model";
import type { Change } from "./page";
import { PathFinder } from "./path_finder";
import { type Selection, chosenCluster } from "./selection";
import type { PathStep, Place } from "./service";
import { FocusTables } from "./tables";
import { Timeline } from "./timeline";
import { Viewport } from "./viewport";
import { plural } from "./words";

export interface BoardProps {
  readonly graph: Graph;
  readonly place: Place; // of the graph
  readonly isOld: boolean; // another one is on its way
  readonly fleet: Fleet;
  readonly selection: Selection;
  readonly search: RefObject<HTMLInputElement>;
  readonly change: Change;
}

const kNoPath: readonly PathStep[] = [];
const kNoRuns: ReadonlySet<string> = new Set();

// "/" searches and Escape clears, wherever one is on the page and does not type.
function useKeys(search: RefObject<HTMLInputElement>, onClear: () => void): void {
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return;
      const isTyping = event.target instanceof Element && event.target.closest("input:not([type=checkbox]):not([type=range]), textarea, select");
      if (event.key === "Escape") onClear();
      else if (event.key === "/" && !isTyping) {
        search.current?.focus();
        search.current?.select();
        event.preventDefault();
      }
    };
    document.addEventListener("keydown", onKey);
    return () => document.removeEventListener("keydown", onKey);
  }, [search, onClear]);
}

// What the parts of the board do to the selection.
interface Actions {
  readonly onFocus: (version: string) => void;
  readonly onUpdate: (from: string, to: string) => void;
  readonly onClear: () => void;
}

function useActions({ focus, update, risk }: Selection, change: Change): Actions {
  const isAnything = focus !== "" || update !== undefined || risk !== "";
  const onClear = useCallback(() => {
    if (isAnything) change({ focus: "", update: undefined, risk: "" });
  }, [change, isAnything]);
  return {
    onFocus: (version) => change({ focus: version, update: undefined, risk: "" }),
    onUpdate: (from, to) => change({ update: { from, to }, risk: "" }),
    onClear,
  };
}

export function Board(props: BoardProps): JSX.Element {
  const { graph, isOld, fleet, selection, search, change } = props;
  const [expanded, setExpanded] = useState(kNoRuns);
  const [path, setPath] = useState(kNoPath);
  useEffect(() => setExpanded(kNoRuns), [graph]);
  const verdicts = useVerdicts(graph, fleet, selection.by);
  const derived = useDerived(graph, selection, verdicts, path, expanded);
  const actions = useActions(selection, change);
  useKeys(search, actions.onClear);
  const parts = { ...props, ...actions, verdicts, derived };
  return (
    <div class={isOld ? "graph-columns graph-old" : "graph-columns"} aria-busy={isOld}>
      <div class="graph-middle">
        <Status {...parts} />
        <Picture {...parts} onExpand={(run) => setExpanded((now) => new Set([...now, run]))} />
      </div>
      <div class="graph-side">
        <Chosen {...parts} />
        {expanded.size > 0 && (
          <button type="button" onClick={() => setExpanded(kNoRuns)}>
            Fold {plural(expanded.size, "run")} again
          </button>
        )}
        <Further {...parts} onPath={setPath} />
      </div>
      {derived.focus !== undefined && (
        <div class="graph-below">
          <FocusTables key={selection.focus} graph={graph} evaluations={verdicts.evaluations} focus={selection.focus} onFocus={actions.onFocus} onUpdate={actions.onUpdate} />
        </div>
      )}
      <datalist id="graph-versions">
        {graph.releases.map(({ version }) => (
          <option key={version} value={version} />
        ))}
      </datalist>
    </div>
  );
}

type PartProps = BoardProps & Actions & { readonly verdicts: Verdicts; readonly derived: Derived };

function Status({ graph, place, fleet, selection, verdicts, derived }: PartProps): JSX.Element {
  const folded = derived.scene.folded.items.filter(isFolded).length;
  const elsewhere = verdicts.clusters.filter(({ version }) => !graph.numberOf.has(version));
  return (
    <p role="status" class="quiet">
      {plural(graph.releases.length, "release")}, {plural(updateCount(graph), "update")}
      {folded > 0 && `, ${plural(folded, "run")} folded`}
      {place.revision && ", as of an earlier time"}
      {derived.focus !== undefined && `. Focus: ${selection.focus}`}
      {elsewhere.length > 0 && `. Not in this channel: ${elsewhere.map(({ name, version }) => `${name} (${version})`).join(", ")}`}
      {fleet.unreadable.length > 0 && `. Cannot read: ${fleet.unreadable.join(", ")}`}
    </p>
  );
}

function Picture({ graph, place, verdicts, derived, onFocus, onUpdate, onExpand }: PartProps & { readonly onExpand: (run: string) => void }): JSX.Element {
  if (graph.releases.length === 0) {
    return (
      <Empty title={`${place.channel} has no releases for ${place.arch}${place.revision ? " at that time" : ""}`}>
        <p>Choose another channel or architecture{place.revision ? ", or another time" : ""}.</p>
      </Empty>
    );
  }
  // Of a bundle, the newest update is told.
  const onPick = (link: number | undefined) => {
    const newest = link === undefined ? undefined : updatesOf(graph, derived.scene.folded, derived.scene.links, link).at(-1);
    if (newest !== undefined) onUpdate(versionOf(graph, graph.from[newest] ?? 0), versionOf(graph, graph.to[newest] ?? 0));
  };
  return (
    <>
      <Viewport {...derived} placeKey={`${place.channel} ${place.arch}`} onFocus={onFocus} onExpand={onExpand} onPick={onPick} />
      <Legend isEvaluated={verdicts.evaluations.size > 0} />
      <p id="graph-keys" class="quiet">
        Arrow keys move between releases, Enter focuses or unfolds, / searches, Escape clears; + − 0 zoom, Shift and arrows pan. Drag to pan, Ctrl and wheel to zoom.
      </p>
    </>
  );
}

function Chosen({ graph, place, selection, verdicts, change, onUpdate, onClear }: PartProps): JSX.Element {
  const { focus, update, risk } = selection;
  const shared = { graph, place, ...verdicts, onUpdate };
  return (
    <>
      {update && <UpdateDetails {...shared} {...update} onClose={() => change({ update: undefined })} />}
      {risk && <RiskDetails {...shared} name={risk} onClose={() => change({ risk: "" })} />}
      {focus && <ReleaseDetails {...shared} version={focus} onClose={onClear} />}
    </>
  );
}

function Further({ graph, place, selection, verdicts, change, onUpdate, onPath }: PartProps & { readonly onPath: (steps: readonly PathStep[]) => void }): JSX.Element {
  const cluster = chosenCluster(selection.by) === undefined ? undefined : verdicts.clusters[0];
  return (
    <>
      <PathFinder graph={graph} place={place} cluster={cluster} focus={selection.focus} onPath={onPath} onUpdate={onUpdate} />
      <Timeline place={{ ...place, revision: selection.revision }} onRevision={(revision) => change({ revision }, true)} onUpdate={onUpdate} />
    </>
  );
}
