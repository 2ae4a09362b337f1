// ClusterGroupUpgrade of ran.openshift.io/v1alpha1, as far as the pages read it.
import type { Condition, KubeObject } from "../api/objects";

export const kRollouts = { groupVersion: "ran.openshift.io/v1alpha1", resource: "clustergroupupgrades" } as const;

export interface MaintenanceWindow {
  readonly days?: readonly string[];
  readonly start?: string;
  readonly duration?: string;
  readonly timeZone?: string;
}

export interface RolloutControls {
  readonly paused?: boolean;
  readonly pauseMode?: "Drain" | "Freeze";
  readonly startAfter?: string;
  readonly windows?: readonly MaintenanceWindow[];
  readonly windowEnd?: "Drain" | "Freeze";
  readonly approvals?: { readonly mode?: "None" | "PerBatch" | "AfterCanary" };
  readonly failureThreshold?: {
    readonly count?: number;
    readonly percent?: number;
    readonly scope?: "Total" | "Batch";
    readonly action?: "Pause" | "Abort";
  };
  readonly offline?: { readonly policy?: "Wait" | "Skip" | "Defer"; readonly unavailableFor?: string };
  readonly maxConcurrency?: number | string;
  readonly maxUnavailable?: number | string;
  readonly batchSizes?: readonly (number | string)[];
  readonly rolling?: boolean;
  readonly clusterTimeout?: number; // minutes
  readonly retry?: { readonly perCluster?: number; readonly backoff?: string };
  readonly soak?: { readonly betweenBatches?: string };
  readonly topology?: { readonly spreadBy?: string; readonly maxPerValue?: number };
  readonly rollback?: { readonly managedPolicies?: readonly string[]; readonly on?: "Manual" | "Abort" };
}

export interface ClusterRow {
  readonly name: string;
  readonly state: string; // complete, timedout, skipped
  readonly currentPolicy?: { readonly name: string; readonly status?: string };
  readonly currentManifestWork?: { readonly name: string };
  readonly reason?: string;
}

export interface ClusterProgress {
  readonly state?: "NotStarted" | "InProgress" | "Completed";
  readonly policyIndex?: number;
  readonly manifestWorkIndex?: number;
  readonly firstCompliantAt?: string;
}

export interface Approval {
  readonly batch: number;
  readonly approvedAt?: string;
  readonly approvedBy?: string;
}

export interface PastRun {
  readonly run?: number;
  readonly reason?: string;
  readonly message?: string;
  readonly startedAt?: string;
  readonly completedAt?: string;
}

export interface RolloutNotes {
  readonly canaryBatches?: number;
  readonly pausedSince?: string;
  readonly heldSeconds?: number;
  readonly batchHeldSeconds?: number;
  readonly approvals?: readonly Approval[];
  readonly window?: { readonly open?: boolean; readonly nextOpen?: string };
  readonly deferredBatches?: number;
  readonly clusterStartedAt?: Readonly<Record<string, string>>;
  readonly retries?: Readonly<Record<string, number>>;
  readonly retryAt?: Readonly<Record<string, string>>;
  readonly rollback?: string;
  readonly run?: number;
  readonly history?: readonly PastRun[];
}

export interface RolloutStatus {
  readonly computedMaxConcurrency?: number;
  readonly conditions?: readonly Condition[];
  readonly remediationPlan?: readonly (readonly string[])[];
  readonly managedPoliciesForUpgrade?: readonly { readonly name: string; readonly namespace?: string }[];
  readonly managedPoliciesCompliantBeforeUpgrade?: readonly string[];
  readonly clusters?: readonly ClusterRow[];
  readonly backup?: { readonly status?: Readonly<Record<string, string>> };
  readonly precaching?: { readonly status?: Readonly<Record<string, string>> };
  readonly status?: {
    readonly startedAt?: string;
    readonly completedAt?: string;
    readonly currentBatch?: number;
    readonly currentBatchStartedAt?: string;
    readonly currentBatchRemediationProgress?: Readonly<Record<string, ClusterProgress>>;
  };
  readonly rollout?: RolloutNotes;
}

export interface RolloutSpec {
  readonly enable?: boolean;
  readonly clusters?: readonly string[];
  readonly remediationStrategy?: { readonly maxConcurrency?: number; readonly timeout?: number; readonly canaries?: readonly string[] };
  readonly managedPolicies?: readonly string[];
  readonly manifestWorkTemplates?: readonly string[];
  readonly blockingCRs?: readonly { readonly name: string; readonly namespace?: string }[];
  readonly batchTimeoutAction?: string;
  readonly backup?: boolean;
  readonly preCaching?: boolean;
  readonly rolloutControls?: RolloutControls;
}

export interface Rollout extends KubeObject {
  readonly metadata: KubeObject["metadata"] & { readonly finalizers?: readonly string[] };
  readonly spec?: RolloutSpec;
  readonly status?: RolloutStatus;
}
