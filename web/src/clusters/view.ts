// What a ClusterVersion says, for the pages. Pure.
import { type Condition, findCondition, isTrue } from "../api/objects";
import { compareVersions } from "../graph/semver";
import type { ClusterVersion, ConditionalUpdate, Release, Risk } from "./types";

export type Verdict = "Recommended" | "NotRecommended" | "Unknown";

export interface RiskView {
  readonly name: string;
  readonly url: string;
  readonly message: string;
  readonly queries: readonly string[];
  readonly appliesToAll: boolean; // a rule says Always
  readonly applies?: Condition; // the cluster's own verdict on this risk, where it tells it
}

export interface UpdateView {
  readonly release: Release;
  readonly verdict: Verdict;
  readonly reason: string;
  readonly message: string;
  readonly risks: readonly RiskView[];
}

export interface ClusterSummary {
  readonly version: string; // that runs: completed last
  readonly target: string; // that it is on its way to; empty: none
  readonly channel: string;
  readonly state: "Updating" | "Failing" | "NotAvailable" | "UpToDate" | "UpdatesRecommended" | "UpdatesNotRecommended" | "Unknown";
  readonly message: string;
  readonly recommended: readonly string[]; // newest first
  readonly notRecommended: number;
  readonly unknown: number;
}

// The version that was applied completely last; before that ever happened, the one that is wanted.
export function runningVersion(cluster: ClusterVersion): string {
  const completed = cluster.status?.history?.find((each) => each.state === "Completed");
  return completed?.version ?? cluster.status?.desired?.version ?? "";
}

function riskView(cluster: ClusterVersion, risk: Risk): RiskView {
  const known = cluster.status?.conditionalUpdateRisks?.find((each) => each.name === risk.name);
  const applies = findCondition(risk.conditions, "Applies") ?? findCondition(known?.conditions, "Applies");
  const rules = risk.matchingRules ?? [];
  return {
    name: risk.name,
    url: risk.url ?? "",
    message: risk.message ?? "",
    queries: rules.flatMap((rule) => (rule.type === "PromQL" && rule.promql?.promql ? [rule.promql.promql] : [])),
    appliesToAll: rules.some((rule) => rule.type === "Always"),
    ...(applies ? { applies } : {}),
  };
}

export function verdictOf(update: ConditionalUpdate): Verdict {
  const recommended = findCondition(update.conditions, "Recommended");
  if (recommended?.status === "True") return "Recommended";
  return recommended?.status === "False" ? "NotRecommended" : "Unknown";
}

function conditionalView(cluster: ClusterVersion, update: ConditionalUpdate): UpdateView {
  const recommended = findCondition(update.conditions, "Recommended");
  return {
    release: update.release,
    verdict: verdictOf(update),
    reason: recommended?.reason ?? "EvaluationPending",
    message: recommended?.message ?? "It has not been evaluated yet.",
    risks: (update.risks ?? []).map((risk) => riskView(cluster, risk)),
  };
}

// Recommended and not, newest first. What is recommended though it has risks is told with them.
export function updatesOf(cluster: ClusterVersion): readonly UpdateView[] {
  const conditional = (cluster.status?.conditionalUpdates ?? []).map((update) => conditionalView(cluster, update));
  const told = new Set(conditional.map((each) => each.release.version));
  const plain = (cluster.status?.availableUpdates ?? [])
    .filter((release) => !told.has(release.version))
    .map((release): UpdateView => ({ release, verdict: "Recommended", reason: "", message: "", risks: [] }));
  return [...plain, ...conditional].sort((a, b) => compareVersions(b.release.version, a.release.version));
}

export function summaryOf(cluster: ClusterVersion): ClusterSummary {
  const updates = updatesOf(cluster);
  const conditions = cluster.status?.conditions;
  const version = runningVersion(cluster);
  const desired = cluster.status?.desired?.version ?? "";
  const isUpdating = isTrue(conditions, "Progressing");
  const count = (verdict: Verdict) => updates.filter((each) => each.verdict === verdict);
  const counts = { notRecommended: count("NotRecommended").length, unknown: count("Unknown").length };
  const recommended = count("Recommended").map((each) => each.release.version);
  const base = { version, channel: cluster.spec?.channel ?? "", target: isUpdating && desired !== version ? desired : "", recommended, ...counts };
  if (isTrue(conditions, "Failing")) return { ...base, state: "Failing", message: findCondition(conditions, "Failing")?.message ?? "" };
  if (isUpdating) return { ...base, state: "Updating", message: findCondition(conditions, "Progressing")?.message ?? "" };
  const available = findCondition(conditions, "Available");
  if (available?.status === "False") return { ...base, state: "NotAvailable", message: available.message ?? "" };
  const retrieved = findCondition(conditions, "RetrievedUpdates");
  if (retrieved && retrieved.status !== "True" && updates.length === 0) return { ...base, state: "Unknown", message: retrieved.message ?? "" };
  if (recommended.length > 0) return { ...base, state: "UpdatesRecommended", message: "" };
  if (updates.length > 0) return { ...base, state: "UpdatesNotRecommended", message: "" };
  return { ...base, state: retrieved ? "UpToDate" : "Unknown", message: "" };
}

// Each risk once, with the updates that it stands against.
export function risksOf(cluster: ClusterVersion): readonly { readonly risk: RiskView; readonly updates: readonly UpdateView[] }[] {
  const found = new Map<string, { risk: RiskView; updates: UpdateView[] }>();
  for (const update of updatesOf(cluster)) {
    for (const risk of update.risks) {
      const known = found.get(risk.name);
      if (known) known.updates.push(update);
      else found.set(risk.name, { risk, updates: [update] });
    }
  }
  return [...found.values()].sort((a, b) => a.risk.name.localeCompare(b.risk.name));
}
