// What makes a rollout stand still, and how an operator lets it go on: the same patches as `fairway rollout`. Pure.
import type { Rollout } from "./types";

export const kPausedAnnotation = "rollout/paused"; // any value but "false"
export const kApprovedAnnotation = "rollout/approved-batches"; // numbers, separated by commas
export const kAcknowledgedAnnotation = "rollout/acknowledged-failures";

export function needsApproval(rollout: Rollout, batch: number): boolean {
  const canaries = Math.max(rollout.status?.rollout?.canaryBatches ?? 0, 0);
  switch (rollout.spec?.rolloutControls?.approvals?.mode ?? "None") {
    case "None":
      return false;
    case "AfterCanary":
      return canaries > 0 && batch === canaries + 1;
    default:
      return true;
  }
}

export function isApproved(rollout: Rollout, batch: number): boolean {
  const annotated = rollout.metadata.annotations?.[kApprovedAnnotation] ?? "";
  if (annotated.split(",").some((each) => /^\d+$/.test(each.trim()) && Number(each) === batch)) return true;
  return rollout.status?.rollout?.approvals?.some((each) => each.batch === batch) === true;
}

// Somebody has asked for it; windows, thresholds and approvals are holds of another kind.
export function isPausedByHand(rollout: Rollout): boolean {
  const annotated = rollout.metadata.annotations?.[kPausedAnnotation];
  return rollout.spec?.rolloutControls?.paused === true || (annotated !== undefined && annotated !== "false");
}

export interface Failures {
  readonly failed: number; // without those that were acknowledged
  readonly of: number;
  readonly areTooMany: boolean;
}

export function failuresOf(rollout: Rollout): Failures {
  const threshold = rollout.spec?.rolloutControls?.failureThreshold;
  if (!threshold) return { failed: 0, of: 0, areTooMany: false };
  const status = rollout.status;
  const plan = status?.remediationPlan ?? [];
  const current = Math.max(status?.status?.currentBatch ?? 0, 1);
  const counted = plan.filter((_, index) => threshold.scope !== "Batch" || index + 1 === current).flat();
  const late = new Set((status?.clusters ?? []).filter((row) => row.state === "timedout").map((row) => row.name));
  const all = counted.filter((name) => late.has(name)).length;
  const acknowledged = /^\d+$/.exec(rollout.metadata.annotations?.[kAcknowledgedAnnotation] ?? "");
  const failed = Math.max(0, all - Number(acknowledged?.[0] ?? 0));
  const isByCount = threshold.count !== undefined && failed >= threshold.count;
  const isByShare = threshold.percent !== undefined && failed * 100 >= threshold.percent * counted.length;
  return { failed, of: counted.length, areTooMany: failed > 0 && (isByCount || isByShare) };
}

export function pausePatch(freezes: boolean): object {
  return { spec: { rolloutControls: { paused: true, ...(freezes ? { pauseMode: "Freeze" } : {}) } } };
}

// Failures that stopped it count as looked at.
export function resumePatch(rollout: Rollout): object {
  const annotations: Record<string, string | null> = { [kPausedAnnotation]: null };
  if (failuresOf(rollout).areTooMany) {
    const late = (rollout.status?.clusters ?? []).filter((row) => row.state === "timedout").length;
    annotations[kAcknowledgedAnnotation] = String(late);
  }
  return {
    metadata: { annotations },
    ...(rollout.spec?.rolloutControls ? { spec: { rolloutControls: { paused: false } } } : {}),
  };
}

// Of the status subresource; undefined: it is approved already.
export function approvePatch(rollout: Rollout, batch: number, user: string, now: number): object | undefined {
  if (isApproved(rollout, batch)) return undefined;
  const approval = { batch, approvedAt: `${new Date(now).toISOString().slice(0, 19)}Z`, approvedBy: user };
  return { status: { rollout: { approvals: [...(rollout.status?.rollout?.approvals ?? []), approval] } } };
}
