// ClusterVersion of config.openshift.io/v1 and ManagedCluster, as far as the pages read them.
import type { Condition, KubeObject } from "../api/objects";

export const kVersions = { groupVersion: "config.openshift.io/v1", resource: "clusterversions" } as const;
export const kManagedClusters = { groupVersion: "cluster.open-cluster-management.io/v1", resource: "managedclusters" } as const;

export interface Release {
  readonly version: string;
  readonly image?: string;
  readonly url?: string;
  readonly channels?: readonly string[];
}

export interface MatchingRule {
  readonly type: string;
  readonly promql?: { readonly promql?: string };
}

export interface Risk {
  readonly name: string;
  readonly url?: string;
  readonly message?: string;
  readonly matchingRules?: readonly MatchingRule[];
  readonly conditions?: readonly Condition[];
}

export interface ConditionalUpdate {
  readonly release: Release;
  readonly risks?: readonly Risk[];
  readonly conditions?: readonly Condition[];
}

export interface HistoryEntry {
  readonly state?: string;
  readonly version?: string;
  readonly image?: string;
  readonly startedTime?: string;
  readonly completionTime?: string | null;
  readonly verified?: boolean;
  readonly acceptedRisks?: string;
}

export interface ClusterVersion extends KubeObject {
  readonly spec?: {
    readonly channel?: string;
    readonly upstream?: string;
    readonly clusterID?: string;
    readonly desiredUpdate?: { readonly version?: string; readonly image?: string; readonly force?: boolean } | null;
  };
  readonly status?: {
    readonly desired?: Release;
    readonly history?: readonly HistoryEntry[] | null;
    readonly availableUpdates?: readonly Release[] | null;
    readonly conditionalUpdates?: readonly ConditionalUpdate[] | null;
    readonly conditionalUpdateRisks?: readonly Risk[] | null;
    readonly conditions?: readonly Condition[];
  };
}

export interface ManagedCluster extends KubeObject {
  readonly status?: { readonly conditions?: readonly Condition[] };
}
