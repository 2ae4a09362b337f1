// What is drawn, worked out from the graph, the clusters and what is looked at; each part again only when it has to be.
import { useMemo, useRef } from "preact/hooks";
import { type Fleet, clustersByVersion } from "./fleet";
import { runsOf } from "./fold";
import type { Graph } from "./model";
import { type Relation, type StrongLink, kindOfLink, relationsOf, strongLinks } from "./relations";
import { type Scene, itemOfVersion, sceneOf } from "./scene";
import { type Selection, chosenCluster } from "./selection";
import type { PathStep } from "./service";
import { type Cluster, type Evaluations, evaluationsOfCluster, evaluationsOfFleet } from "./verdicts";
import type { Kind } from "./words";

const kNoClusters: readonly Cluster[] = [];
const kNoEvaluations: Evaluations = new Map();
const kNoRelations: ReadonlyMap<number, Relation> = new Map();

export interface Verdicts {
  readonly clusters: readonly Cluster[]; // that colour the graph
  readonly evaluations: Evaluations;
}

export function useVerdicts(graph: Graph, fleet: Fleet, by: string): Verdicts {
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
  return useMemo(() => ({ clusters, evaluations }), [clusters, evaluations]);
}

// The versions that are never folded away.
function usePinned({ focus, update }: Selection, path: readonly PathStep[], clusters: readonly Cluster[]): ReadonlySet<string> {
  const versions = [focus, update?.from, update?.to, ...path.flatMap((step) => [step.from, step.to]), ...clusters.map((cluster) => cluster.version)];
  const key = [...new Set(versions)].sort().join(" ");
  return useMemo(() => new Set(key.split(" ")), [key]);
}

export interface Derived {
  readonly scene: Scene;
  readonly focus: number | undefined; // item
  readonly relations: ReadonlyMap<number, Relation>;
  readonly strong: readonly StrongLink[];
  readonly pathItems: ReadonlySet<number>;
  readonly clustersAt: ReadonlyMap<string, readonly string[]>;
  readonly kindOf: (link: number) => Kind;
}

export function useDerived(graph: Graph, selection: Selection, verdicts: Verdicts, path: readonly PathStep[], expanded: ReadonlySet<string>): Derived {
  const { clusters, evaluations } = verdicts;
  const { isFolding, update } = selection;
  const pinned = usePinned(selection, path, clusters);
  const runs = useMemo(() => runsOf(graph), [graph]);
  const last = useRef<Scene>();
  const scene = useMemo(() => sceneOf(graph, runs, { isOn: isFolding, expanded, pinned }, last.current), [graph, runs, isFolding, expanded, pinned]);
  last.current = scene;

  const focus = itemOfVersion(scene, selection.focus);
  const relations = useMemo(
    () => (focus === undefined ? kNoRelations : relationsOf(graph, scene.folded, scene.links, evaluations, focus)),
    [graph, scene, evaluations, focus],
  );
  const strong = useMemo(() => {
    const item = (version: string) => itemOfVersion(scene, version) ?? -1;
    return strongLinks(graph, scene.folded, scene.links, evaluations, {
      focus,
      clusterItems: new Set(clusters.map((cluster) => item(cluster.version))),
      path: path.map((step) => ({ from: item(step.from), to: item(step.to) })),
      picked: update && { from: item(update.from), to: item(update.to) },
    });
  }, [graph, scene, verdicts, focus, path, update]);
  const pathItems = useMemo(
    () => new Set(path.flatMap((step) => [itemOfVersion(scene, step.from) ?? -1, itemOfVersion(scene, step.to) ?? -1])),
    [scene, path],
  );
  const clustersAt = useMemo(() => clustersByVersion(clusters), [clusters]);
  const kindOf = (link: number) => kindOfLink(graph, scene.folded, scene.links, evaluations, link);
  return { scene, focus, relations, strong, pathItems, clustersAt, kindOf };
}
