// The clusters of the console, live, as the graph needs them.
import { useMemo, useRef } from "preact/hooks";
import { type KubeObject, useWatchEach } from "../api/kube";
import { clusterNames, useFacts } from "../facts";
import { type Cluster, type ClusterVersionObject, clusterOf } from "./verdicts";

export interface Fleet {
  readonly clusters: readonly Cluster[]; // those that tell what they run
  readonly isLoading: boolean;
  readonly unreadable: readonly string[]; // names
}

type ClusterVersion = KubeObject & ClusterVersionObject;

// The same value while no cluster says anything new, so that what is derived from it is kept.
export function useFleet(): Fleet {
  const names = clusterNames(useFacts());
  const views = useWatchEach<ClusterVersion>(names, "config.openshift.io/v1", "clusterversions");
  const seen = useRef<readonly unknown[]>([]);
  const now = names.flatMap((name) => [views.get(name)?.items, views.get(name)?.state]);
  if (now.length !== seen.current.length || now.some((each, i) => each !== seen.current[i])) seen.current = now;
  return useMemo(() => {
    const clusters: Cluster[] = [];
    for (const name of names) {
      const object = views.get(name)?.items.find((item) => item.metadata.name === "version");
      const cluster = object && clusterOf(name, object);
      if (cluster?.version) clusters.push(cluster);
    }
    return {
      clusters,
      isLoading: names.some((name) => views.get(name)?.state === "loading"),
      unreadable: names.filter((name) => views.get(name)?.state === "failed"),
    };
  }, [names, seen.current]);
}

export function clustersByVersion(clusters: readonly Cluster[]): ReadonlyMap<string, readonly string[]> {
  const found = new Map<string, string[]>();
  for (const cluster of clusters) found.set(cluster.version, [...(found.get(cluster.version) ?? []), cluster.name]);
  return found;
}
