// One graph with everything around it: the picture, the legend, the focus in words, details, paths, the past.
import type { JSX, RefObject } from "preact";
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { Empty } from "../components/basic";
import { ReleaseDetails, RiskDetails, UpdateDetails } from "./details";
import { type Fleet, clustersByVersion } from "./fleet";
import { isFolded, runsOf } from "./fold";
import { Legend } from "./legend";
import { updatesOf } from "./links";
import { type Graph, updateCount, versionOf } from "./model";
import type { Change } from "./page";
import { PathFinder } from "./path_finder";
import { kindOfLink, relationsOf, strongLinks } from "./relations";
import { type Scene, itemOfVersion, sceneOf } from "./scene";
import { type Selection, chosenCluster } from "./selection";
import type { PathStep, Place } from "./service";
import { FocusTables } from "./tables";
import { Timeline } from "./timeline";
import { type Cluster, type Evaluations, evaluationsOfCluster, evaluationsOfFleet } from "./verdicts";
import { Viewport } from "./viewport";
import { plural } from "./words";

export interface BoardProps {
  readonly graph: Graph;
  readonly place: Place;
  readonly fleet: Fleet;
  readonly selection: Selection;
  readonly search: RefObject<HTMLInputElement>;
  readonly change: Change;
}

const kNoClusters: readonly Cluster[] = [];
const kNoEvaluations: Evaluations = new Map();
const kNoPath: readonly PathStep[] = [];
const kNoRuns: ReadonlySet<string> = new Set();

// The clusters that colour the graph, and what they say of its updates.
function useVerdicts(graph: Graph, fleet: Fleet, by: string) {
  const clusters = useMemo(() => {
    if (by === "fleet") return fleet.clusters;
    const name = chosenCluster(by);
    return name === undefined ? kNoClusters : fleet.clusters.filter((cluster) => cluster.name === name);
  }, [fleet, by]);
  const evaluations = useMemo(() => {
    const [only] = clusters;
    if (!only) return kNoEvaluations;
    return by === "fleet" ? evaluationsOfFleet(graph, clusters) : evaluationsOfCluster(graph, only);
  }, [graph, clusters, by]);
  return { clusters, evaluations };
}

function usePinned(focus: string, path: readonly PathStep[], clusters: readonly Cluster[], update: Selection["update"]) {
  const versions = [
    ...new Set([focus, ...path.flatMap((step) => [step.from, step.to]), ...clusters.map((cluster) => cluster.version), update?.from ?? "", update?.to ?? ""]),
  ].sort();
  const key = versions.join(" ");
  return useMemo(() => new Set(versions), [key]);
}

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

export function Board({ graph, place, fleet, selection, search, change }: BoardProps): JSX.Element {
  const { focus, update, risk, by, isFolding } = selection;
  const [expanded, setExpanded] = useState(kNoRuns);
  const [path, setPath] = useState(kNoPath);
  const { clusters, evaluations } = useVerdicts(graph, fleet, by);
  const pinned = usePinned(focus, path, clusters, update);
  const runs = useMemo(() => runsOf(graph), [graph]);
  useEffect(() => setExpanded(kNoRuns), [graph]);
  const last = useRef<Scene>();
  const scene = useMemo(() => sceneOf(graph, runs, { isOn: isFolding, expanded, pinned }, last.current), [graph, runs, isFolding, expanded, pinned]);
  last.current = scene;

  const focusItem = itemOfVersion(scene, focus);
  const relations = useMemo(
    () => (focusItem === undefined ? new Map() : relationsOf(graph, scene.folded, scene.links, evaluations, focusItem)),
    [graph, scene, evaluations, focusItem],
  );
  const pathItems = useMemo(
    () => new Set(path.flatMap((step) => [itemOfVersion(scene, step.from) ?? -1, itemOfVersion(scene, step.to) ?? -1])),
    [scene, path],
  );
  const strong = useMemo(() => {
    const steps = update ? [...path, update] : path;
    return strongLinks(graph, scene.folded, scene.links, evaluations, {
      focus: focusItem,
      clusterItems: new Set(clusters.map((cluster) => itemOfVersion(scene, cluster.version) ?? -1)),
      path: steps.map((step) => ({ from: itemOfVersion(scene, step.from) ?? -1, to: itemOfVersion(scene, step.to) ?? -1 })),
    });
  }, [graph, scene, evaluations, focusItem, clusters, path, update]);
  const clustersAt = useMemo(() => clustersByVersion(clusters), [clusters]);

  const clear = useMemo(() => () => change({ focus: "", update: undefined, risk: "" }), [change]);
  useKeys(search, clear);
  const onFocus = (version: string) => change({ focus: version, update: undefined, risk: "" });
  const onUpdate = (from: string, to: string) => change({ update: { from, to }, risk: "" });
  const onPick = (link: number | undefined) => {
    if (link === undefined) return;
    const updates = updatesOf(graph, scene.folded, scene.links, link);
    const newest = updates[updates.length - 1];
    if (newest !== undefined) onUpdate(versionOf(graph, graph.from[newest] ?? 0), versionOf(graph, graph.to[newest] ?? 0));
  };

  if (graph.releases.length === 0) {
    return (
      <Empty title={`${place.channel} has no releases for ${place.arch}${place.revision ? " at that time" : ""}`}>
        <p>Choose another channel or architecture{place.revision ? ", or another time" : ""}.</p>
        <Timeline place={place} onRevision={(revision) => change({ revision }, true)} onUpdate={onUpdate} />
      </Empty>
    );
  }
  const details = { graph, place, evaluations, clusters, onUpdate };
  const folded = scene.folded.items.filter(isFolded).length;
  const elsewhere = clusters.filter(({ version }) => !graph.numberOf.has(version));
  return (
    <div class="graph-columns">
      <div class="graph-middle">
        <p role="status" class="quiet">
          {plural(graph.releases.length, "release")}, {plural(updateCount(graph), "update")}
          {folded > 0 && `, ${plural(folded, "run")} folded`}
          {place.revision && ", as of an earlier time"}
          {focusItem !== undefined && `. Focus: ${focus}`}
          {elsewhere.length > 0 && `. Not in this channel: ${elsewhere.map(({ name, version }) => `${name} (${version})`).join(", ")}`}
          {fleet.unreadable.length > 0 && `. Cannot read: ${fleet.unreadable.join(", ")}`}
        </p>
        <Viewport
          scene={scene}
          strong={strong}
          focus={focusItem}
          relations={relations}
          clustersAt={clustersAt}
          pathItems={pathItems}
          onFocus={onFocus}
          onExpand={(run) => setExpanded((now) => new Set([...now, run]))}
          kindOf={(link) => kindOfLink(graph, scene.folded, scene.links, evaluations, link)}
          onPick={onPick}
        />
        <Legend isEvaluated={evaluations.size > 0} />
        <p id="graph-keys" class="quiet">
          Arrow keys move between releases, Enter focuses or unfolds, / searches, Escape clears; + − 0 zoom, Shift and arrows pan. Drag to pan, Ctrl and wheel to zoom.
        </p>
      </div>
      <div class="graph-side">
        {update && <UpdateDetails {...details} {...update} onClose={() => change({ update: undefined })} />}
        {risk && <RiskDetails {...details} name={risk} onClose={() => change({ risk: "" })} />}
        {focus && <ReleaseDetails {...details} version={focus} onClose={clear} />}
        {expanded.size > 0 && (
          <button type="button" onClick={() => setExpanded(kNoRuns)}>
            Fold {plural(expanded.size, "run")} again
          </button>
        )}
        <PathFinder graph={graph} place={place} cluster={chosenCluster(by) === undefined ? undefined : clusters[0]} focus={focus} onPath={setPath} onUpdate={onUpdate} />
        <Timeline place={place} onRevision={(revision) => change({ revision }, true)} onUpdate={onUpdate} />
      </div>
      {focusItem !== undefined && (
        <div class="graph-below">
          <FocusTables key={focus} graph={graph} evaluations={evaluations} focus={focus} onFocus={onFocus} onUpdate={onUpdate} />
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
