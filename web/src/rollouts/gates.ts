// The controls of a rollout in words, with what each of them does now. Pure.
import type { Tone } from "../components/basic";
import { parseTime } from "../time";
import { failuresOf, isPausedByHand } from "./holds";
import type { MaintenanceWindow, Rollout, RolloutControls } from "./types";
import { batchToApprove, hasEnded, phaseOf } from "./view";

export interface Gate {
  readonly name: string;
  readonly setting: string;
  readonly tone: Tone;
  readonly state: string; // what it does now; empty: nothing
  readonly until?: string; // RFC 3339, when it ends by itself
}

type Maker = (rollout: Rollout, controls: RolloutControls) => Gate | undefined;

const plural = (count: number, word: string) => `${count} ${word}${count === 1 ? "" : "s"}`;

export function describeWindow(window: MaintenanceWindow): string {
  const days = window.days?.length ? window.days.join(", ") : "every day";
  return `${days} from ${window.start ?? "00:00"} (${window.timeZone ?? "UTC"}) for ${window.duration ?? "?"}`;
}

const kGates: readonly Maker[] = [
  (rollout, controls) => {
    if (!isPausedByHand(rollout)) return undefined;
    const freezes = controls.pauseMode === "Freeze";
    return {
      name: "Pause",
      setting: freezes ? "nobody is enforced any more" : "the batch that is open is finished, and no other is started",
      tone: "warn",
      state: "holds",
    };
  },
  (rollout, controls) => {
    if (!controls.startAfter) return undefined;
    const isOver = rollout.status?.status?.startedAt !== undefined || (parseTime(controls.startAfter) ?? Infinity) <= Date.now();
    return {
      name: "Start after",
      setting: controls.startAfter,
      tone: isOver ? "quiet" : "warn",
      state: isOver ? "passed" : "holds",
      ...(isOver ? {} : { until: controls.startAfter }),
    };
  },
  (rollout, controls) => {
    if (!controls.windows?.length) return undefined;
    const now = rollout.status?.rollout?.window;
    const setting = `${controls.windows.map(describeWindow).join("; ")}; at its end: ${controls.windowEnd ?? "Drain"}`;
    if (!now) return { name: "Windows", setting, tone: "quiet", state: "" };
    if (now.open) return { name: "Windows", setting, tone: "good", state: "open" };
    return { name: "Windows", setting, tone: "warn", state: "closed", ...(now.nextOpen ? { until: now.nextOpen } : {}) };
  },
  (rollout, controls) => {
    const mode = controls.approvals?.mode ?? "None";
    if (mode === "None") return undefined;
    const waiting = batchToApprove(rollout);
    const given = rollout.status?.rollout?.approvals ?? [];
    const words = given.map((each) => `batch ${each.batch} by ${each.approvedBy || "somebody"}`).join(", ");
    return {
      name: "Approvals",
      setting: mode === "PerBatch" ? "before every batch" : "once, after the canaries",
      tone: waiting > 0 ? "warn" : "quiet",
      state: waiting > 0 ? `batch ${waiting} waits` : words ? `given: ${words}` : "none given yet",
    };
  },
  (rollout, controls) => {
    const threshold = controls.failureThreshold;
    if (!threshold) return undefined;
    const limits = [
      threshold.count === undefined ? "" : plural(threshold.count, "cluster"),
      threshold.percent === undefined ? "" : `${threshold.percent} %`,
    ].filter(Boolean);
    const found = failuresOf(rollout);
    return {
      name: "Failure threshold",
      setting: `${limits.join(" or ")} of ${threshold.scope === "Batch" ? "a batch" : "all"}: ${threshold.action ?? "Pause"}`,
      tone: found.areTooMany ? "bad" : found.failed > 0 ? "warn" : "quiet",
      state: `${found.failed} of ${found.of} failed`,
    };
  },
  (_, controls) => {
    const policy = controls.offline?.policy ?? "Wait";
    if (policy === "Wait") return undefined;
    const setting = policy === "Skip" ? "are skipped" : "come last";
    return { name: "Offline clusters", setting: `${setting} after ${controls.offline?.unavailableFor ?? "5m"}`, tone: "quiet", state: "" };
  },
  (_, controls) => {
    if (controls.clusterTimeout === undefined) return undefined;
    const retries = controls.retry?.perCluster ?? 0;
    const again = retries > 0 ? `, then ${plural(retries, "retry").replace("retrys", "retries")} after ${controls.retry?.backoff ?? "10m"}` : "";
    return { name: "A cluster's time", setting: `${plural(controls.clusterTimeout, "minute")}${again}`, tone: "quiet", state: "" };
  },
  (_, controls) =>
    controls.soak?.betweenBatches ? { name: "Between batches", setting: `${controls.soak.betweenBatches} of rest`, tone: "quiet", state: "" } : undefined,
  (_, controls) =>
    controls.topology?.spreadBy
      ? { name: "Spread", setting: `at most ${controls.topology.maxPerValue ?? 1} of a batch with the same ${controls.topology.spreadBy}`, tone: "quiet", state: "" }
      : undefined,
  (_, controls) =>
    controls.rolling ? { name: "Rolling", setting: "the next cluster starts as soon as one is done", tone: "quiet", state: "" } : undefined,
  (rollout, controls) => {
    const back = controls.rollback;
    if (!back) return undefined;
    const by = rollout.status?.rollout?.rollback;
    return {
      name: "Way back",
      setting: `${(back.managedPolicies ?? []).join(", ")}, ${back.on === "Abort" ? "when it ends without success" : "when somebody asks for it"}`,
      tone: by ? "warn" : "quiet",
      state: by ? `taken by ${by}` : "",
    };
  },
  (rollout) => {
    const blockers = rollout.spec?.blockingCRs ?? [];
    if (blockers.length === 0) return undefined;
    const reason = rollout.status?.conditions?.find((each) => each.type === "Progressing")?.reason ?? "";
    const holds = reason === "MissingBlockingCR" || reason === "IncompleteBlockingCR";
    return {
      name: "Comes after",
      setting: blockers.map((each) => `${each.namespace ?? rollout.metadata.namespace ?? ""}/${each.name}`).join(", "),
      tone: holds ? "warn" : "quiet",
      state: holds ? "holds" : "",
    };
  },
  (rollout) => jobGate("Backup", rollout.spec?.backup, rollout.status?.backup?.status),
  (rollout) => jobGate("Pre-cache", rollout.spec?.preCaching, rollout.status?.precaching?.status),
  (rollout) => {
    if (rollout.spec?.enable !== false) return undefined;
    return { name: "Enabled", setting: "spec.enable is false", tone: "warn", state: hasEnded(phaseOf(rollout)) ? "" : "holds" };
  },
];

function jobGate(name: string, isAsked: boolean | undefined, states: Readonly<Record<string, string>> | undefined): Gate | undefined {
  if (!isAsked) return undefined;
  const all = Object.values(states ?? {});
  const done = all.filter((each) => each === "Succeeded").length;
  const failed = all.filter((each) => /Timeout|Error/.test(each)).length;
  const state = all.length === 0 ? "not started" : `${done} of ${all.length} done${failed > 0 ? `, ${failed} failed` : ""}`;
  return { name, setting: "on every cluster, before the first batch", tone: failed > 0 ? "bad" : "quiet", state };
}

export function gatesOf(rollout: Rollout): readonly Gate[] {
  const controls = rollout.spec?.rolloutControls ?? {};
  return kGates.map((make) => make(rollout, controls)).filter((gate): gate is Gate => gate !== undefined);
}

// What it would do, before it does anything: the words of `fairway rollout plan`.
export function planSentence(rollout: Rollout): string {
  const plan = rollout.status?.remediationPlan ?? [];
  if (plan.length === 0) return "";
  const clusters = plan.reduce((sum, batch) => sum + batch.length, 0);
  const minutes = rollout.spec?.remediationStrategy?.timeout ?? 240;
  const most = rollout.status?.computedMaxConcurrency ?? 0;
  const atATime = most > 0 ? `, at most ${most} at a time` : "";
  return `${plural(clusters, "cluster")} in ${plan.length === 1 ? "one batch" : `${plan.length} batches`}${atATime}, within ${plural(minutes, "minute")}`;
}
