// Where a rollout stands, from nothing but its object: what `fairway rollout status` tells, for the lanes. Pure.
import { findCondition, isTrue } from "../api/objects";
import { parseTime } from "../time";
import { needsApproval, isApproved } from "./holds";
import type { ClusterRow, Rollout, RolloutStatus } from "./types";

export type Phase = "Preparing" | "Rolling" | "Paused" | "Succeeded" | "Failed" | "Deleting";
export type ClusterState = "Waiting" | "InProgress" | "Soaking" | "Retrying" | "Complete" | "TimedOut" | "Skipped";
export type BatchState = "Waiting" | "InProgress" | "Paused" | "Complete" | "TimedOut";

export interface ClusterView {
  readonly name: string;
  readonly state: ClusterState;
  readonly step?: string; // the policy, or work, that it is at
  readonly stepNumber?: number; // from 1
  readonly policyStatus?: string;
  readonly reason?: string;
  readonly endsAt?: number; // its own time, where it has one
  readonly retryAt?: number;
  readonly retries: number;
  readonly job?: string; // of its backup or pre-cache, while that is not done
}

export interface BatchView {
  readonly number: number; // from 1
  readonly isCanary: boolean;
  readonly isDeferred: boolean; // of clusters that were offline
  readonly isCurrent: boolean;
  readonly state: BatchState;
  readonly done: number;
  readonly clusters: readonly ClusterView[];
  readonly startedAt?: number;
  readonly endsAt?: number;
  readonly approval?: { readonly state: "needed" | "waiting" | "given"; readonly by?: string; readonly at?: string };
}

export interface RolloutView {
  readonly phase: Phase;
  readonly reason: string; // of the condition that changed last
  readonly message: string;
  readonly steps: readonly string[]; // policies, or works, in their order
  readonly batches: readonly BatchView[];
  readonly compliant: readonly string[]; // clusters that needed nothing
  readonly done: number;
  readonly failed: number;
  readonly total: number;
  readonly startedAt?: number;
  readonly completedAt?: number;
  readonly endsAt?: number;
  readonly nextApproval: number; // the batch that stands still until somebody agrees; 0: none
}

const kFinalizer = "ran.openshift.io/cleanup-finalizer";
const kDefaultTimeout = 240; // minutes

export function phaseOf(rollout: Rollout): Phase {
  if (rollout.metadata.deletionTimestamp) return "Deleting";
  const conditions = rollout.status?.conditions;
  const succeeded = findCondition(conditions, "Succeeded");
  if (succeeded) return succeeded.status === "True" ? "Succeeded" : "Failed";
  if (findCondition(conditions, "Progressing")?.reason === "Paused") return "Paused";
  return isTrue(conditions, "Progressing") ? "Rolling" : "Preparing";
}

export function hasEnded(phase: Phase): boolean {
  return phase === "Succeeded" || phase === "Failed";
}

export function stepsOf(rollout: Rollout): readonly string[] {
  const works = rollout.spec?.manifestWorkTemplates ?? [];
  if (works.length > 0) return works;
  return (rollout.status?.managedPoliciesForUpgrade ?? []).map((each) => each.name);
}

// Until when the rollout and its batch may take; nothing while it stands still, because then no time counts.
export function deadlinesOf(rollout: Rollout): { readonly rollout?: number; readonly batch?: number } {
  const progress = rollout.status?.status;
  const notes = rollout.status?.rollout;
  const started = parseTime(progress?.startedAt);
  if (started === undefined || notes?.pausedSince) return {};
  const timeout = (rollout.spec?.remediationStrategy?.timeout ?? kDefaultTimeout) * 60_000;
  const held = (notes?.heldSeconds ?? 0) * 1000;
  const ends = { rollout: started + held + timeout };
  const batch = Math.max(progress?.currentBatch ?? 0, 1);
  const batches = rollout.status?.remediationPlan?.length ?? 0;
  const batchStarted = parseTime(progress?.currentBatchStartedAt);
  if (batchStarted === undefined || batch >= batches) return ends;
  const heldSince = (notes?.batchHeldSeconds ?? 0) * 1000;
  const elapsed = batchStarted - started - (held - heldSince);
  return { ...ends, batch: batchStarted + heldSince + (timeout - elapsed) / (batches - (batch - 1)) };
}

// The batch that stands still until somebody agrees to it; 0: none does.
export function batchToApprove(rollout: Rollout): number {
  const next = nextBatchOf(rollout);
  if (next === 0 || isApproved(rollout, next)) return 0;
  return needsApproval(rollout, next) ? next : 0;
}

// The one that would be opened now, from 1; 0: none would.
export function nextBatchOf(rollout: Rollout): number {
  const status = rollout.status;
  const plan = status?.remediationPlan ?? [];
  const isClaimed = rollout.metadata.finalizers?.includes(kFinalizer) === true;
  if (!isClaimed || rollout.metadata.deletionTimestamp || plan.length === 0) return 0;
  if (findCondition(status?.conditions, "Succeeded")) return 0;
  if (!isTrue(status?.conditions, "Progressing")) return 1;
  const asked = Math.max(status?.status?.currentBatch ?? 0, 1);
  const batch = Math.min(asked, plan.length);
  const isOpen = (status?.status?.currentBatch ?? 0) >= 1 && status?.status?.currentBatchStartedAt !== undefined;
  if (!isOpen) return batch;
  return isOver(status, plan[batch - 1] ?? []) && batch < plan.length ? batch + 1 : 0;
}

function isOver(status: RolloutStatus | undefined, batch: readonly string[]): boolean {
  const progress = status?.status?.currentBatchRemediationProgress ?? {};
  return batch.every((name) => {
    if (progress[name]?.state === "Completed") return true;
    const row = status?.clusters?.find((each) => each.name === name);
    return row?.state === "timedout" || row?.state === "skipped";
  });
}

class Reader {
  private readonly rows: ReadonlyMap<string, ClusterRow>;
  private readonly steps: readonly string[];
  private readonly ends: { readonly rollout?: number; readonly batch?: number };
  private readonly current: number;

  constructor(
    private readonly rollout: Rollout,
    private readonly phase: Phase,
  ) {
    this.rows = new Map((rollout.status?.clusters ?? []).map((row) => [row.name, row]));
    this.steps = stepsOf(rollout);
    this.ends = hasEnded(phase) ? {} : deadlinesOf(rollout);
    this.current = rollout.status?.status?.currentBatch ?? 0;
  }

  cluster(name: string, batch: number): ClusterView {
    const status = this.rollout.status;
    const notes = status?.rollout;
    const row = this.rows.get(name);
    const progress = batch === this.current ? status?.status?.currentBatchRemediationProgress?.[name] : undefined;
    const index = progress?.policyIndex ?? progress?.manifestWorkIndex ?? 0;
    const isAtWork = progress?.state === "InProgress";
    let state: ClusterState = "Waiting";
    if (isAtWork) state = progress?.firstCompliantAt ? "Soaking" : "InProgress";
    const retryAt = parseTime(notes?.retryAt?.[name]);
    if (retryAt !== undefined && !row) state = "Retrying";
    if (row) state = stateOf(row.state);
    const step = row?.currentPolicy?.name ?? row?.currentManifestWork?.name ?? (isAtWork ? this.steps[index] : undefined);
    const endsAt = state === "InProgress" || state === "Soaking" ? this.ownEnd(name) : undefined;
    const job = this.jobOf(name);
    return {
      name,
      state,
      retries: notes?.retries?.[name] ?? 0,
      ...(step ? { step } : {}),
      ...(isAtWork && !row ? { stepNumber: index + 1 } : {}),
      ...(row?.currentPolicy?.status ? { policyStatus: row.currentPolicy.status } : {}),
      ...(row?.reason ? { reason: row.reason } : {}),
      ...(endsAt === undefined ? {} : { endsAt }),
      ...(retryAt === undefined || row ? {} : { retryAt }),
      ...(job ? { job } : {}),
    };
  }

  batch(names: readonly string[], number: number, total: number): BatchView {
    const notes = this.rollout.status?.rollout;
    const clusters = names.map((name) => this.cluster(name, number));
    const done = clusters.filter((each) => each.state === "Complete" || each.state === "Skipped").length;
    const isCurrent = number === this.current && !hasEnded(this.phase);
    const startedAt = number === this.current ? parseTime(this.rollout.status?.status?.currentBatchStartedAt) : undefined;
    const endsAt = isCurrent && done < clusters.length ? (this.ends.batch ?? this.ends.rollout) : undefined;
    const approval = this.approval(number);
    let state: BatchState = "Waiting";
    if (done === clusters.length) state = "Complete";
    else if (clusters.some((each) => each.state === "TimedOut") && !isCurrent) state = "TimedOut";
    else if (isCurrent) state = this.phase === "Paused" ? "Paused" : "InProgress";
    return {
      number,
      isCanary: number <= (notes?.canaryBatches ?? 0),
      isDeferred: number > total - (notes?.deferredBatches ?? 0),
      isCurrent,
      state,
      done,
      clusters,
      ...(startedAt === undefined ? {} : { startedAt }),
      ...(endsAt === undefined ? {} : { endsAt }),
      ...(approval ? { approval } : {}),
    };
  }

  endsAt(): number | undefined {
    return this.ends.rollout;
  }

  private approval(number: number): BatchView["approval"] {
    if (!needsApproval(this.rollout, number)) return undefined;
    const given = this.rollout.status?.rollout?.approvals?.find((each) => each.batch === number);
    if (given || isApproved(this.rollout, number)) {
      return { state: "given", ...(given?.approvedBy ? { by: given.approvedBy } : {}), ...(given?.approvedAt ? { at: given.approvedAt } : {}) };
    }
    return { state: batchToApprove(this.rollout) === number ? "waiting" : "needed" };
  }

  private ownEnd(name: string): number | undefined {
    const minutes = this.rollout.spec?.rolloutControls?.clusterTimeout;
    const notes = this.rollout.status?.rollout;
    const started = parseTime(notes?.clusterStartedAt?.[name]);
    return minutes === undefined || started === undefined || notes?.pausedSince ? undefined : started + minutes * 60_000;
  }

  private jobOf(name: string): string | undefined {
    const backup = this.rollout.status?.backup?.status?.[name];
    const precaching = this.rollout.status?.precaching?.status?.[name];
    if (backup && backup !== "Succeeded") return `backup: ${backup}`;
    if (precaching && precaching !== "Succeeded") return `pre-cache: ${precaching}`;
    return undefined;
  }
}

function stateOf(row: string): ClusterState {
  if (row === "complete") return "Complete";
  return row === "skipped" ? "Skipped" : "TimedOut";
}

export function viewOf(rollout: Rollout): RolloutView {
  const phase = phaseOf(rollout);
  const status = rollout.status;
  const reader = new Reader(rollout, phase);
  const plan = status?.remediationPlan ?? [];
  const batches = plan.map((names, index) => reader.batch(names, index + 1, plan.length));
  const planned = new Set(plan.flat());
  const last = status?.conditions?.[status.conditions.length - 1];
  const startedAt = parseTime(status?.status?.startedAt);
  const completedAt = parseTime(status?.status?.completedAt);
  const endsAt = reader.endsAt();
  return {
    phase,
    reason: last?.reason ?? "",
    message: last?.message ?? "",
    steps: stepsOf(rollout),
    batches,
    compliant: (status?.clusters ?? []).map((row) => row.name).filter((name) => !planned.has(name)),
    done: batches.reduce((sum, each) => sum + each.done, 0),
    failed: batches.flatMap((each) => each.clusters).filter((each) => each.state === "TimedOut").length,
    total: planned.size,
    nextApproval: batchToApprove(rollout),
    ...(startedAt === undefined ? {} : { startedAt }),
    ...(completedAt === undefined ? {} : { completedAt }),
    ...(endsAt === undefined ? {} : { endsAt }),
  };
}
