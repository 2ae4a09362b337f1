// What clusters evaluated: ClusterVersion.status turned into verdicts on updates of the graph.
//
// An update from the version that a cluster runs has the verdict that the cluster itself wrote. An update from any
// other version is judged by the cluster's verdicts on the same risks (same name, same rules); where one of them was
// never evaluated there, the verdict is missing rather than guessed. Not being able to tell never recommends.

import type { Graph, MatchingRule, Risk } from "./model";
import { findUpdate, risksOf, versionOf } from "./model";

export interface Condition {
  readonly type: string;
  readonly status: string;
  readonly reason?: string;
  readonly message?: string;
}

export interface EvaluatedRisk extends Partial<Risk> {
  readonly conditions?: readonly Condition[];
}

// The parts of config.openshift.io/v1 ClusterVersion that are read here.
export interface ClusterVersionObject {
  readonly spec?: { readonly channel?: string };
  readonly status?: {
    readonly desired?: { readonly version?: string };
    readonly history?: readonly { readonly state?: string; readonly version?: string }[] | null;
    readonly availableUpdates?: readonly { readonly version: string }[] | null;
    readonly conditionalUpdates?: readonly ConditionalUpdate[] | null;
    readonly conditionalUpdateRisks?: readonly EvaluatedRisk[] | null;
  };
}

export interface ConditionalUpdate {
  readonly release: { readonly version: string };
  readonly conditions?: readonly Condition[];
  readonly risks?: readonly EvaluatedRisk[];
}

export type Verdict = "recommended" | "notRecommended" | "unknown";
export type RiskVerdict = "applies" | "doesNotApply" | "unknown";

export interface Judgement {
  readonly cluster: string;
  readonly verdict: Verdict;
  readonly basis: "evaluated" | "risks"; // by the cluster itself, or from its verdicts on the risks
  readonly reason: string;
  readonly message: string;
  readonly risks: ReadonlyMap<string, RiskVerdict>;
}

export interface Cluster {
  readonly name: string;
  readonly version: string;
  readonly channel: string;
  readonly offered: ReadonlyMap<string, Judgement>; // by the version that they lead to
  readonly risks: ReadonlyMap<string, RiskVerdict>; // by riskKey()
}

function riskKey(name: string, rules: readonly MatchingRule[] | undefined): string {
  return JSON.stringify([name, (rules ?? []).map((rule) => [rule.type, rule.promql?.promql.trim() ?? ""])]);
}

const conditionOf = (conditions: readonly Condition[] | undefined, type: string) =>
  conditions?.find((condition) => condition.type === type);

function verdictOf(status: string | undefined): Verdict {
  return status === "True" ? "recommended" : status === "False" ? "notRecommended" : "unknown";
}

function riskVerdictOf(status: string | undefined): RiskVerdict | undefined {
  if (status === undefined) return undefined;
  return status === "True" ? "applies" : status === "False" ? "doesNotApply" : "unknown";
}

// Of one risk of an update: its own condition, or what follows from the update's verdict without doubt.
function riskInUpdate(update: ConditionalUpdate, risk: EvaluatedRisk): RiskVerdict | undefined {
  const own = riskVerdictOf(conditionOf(risk.conditions, "Applies")?.status);
  if (own) return own;
  const whole = conditionOf(update.conditions, "Recommended");
  if (whole?.status === "True" && whole.reason === "NotExposedToRisks") return "doesNotApply";
  if (update.risks?.length !== 1) return undefined;
  if (whole?.status === "False") return "applies";
  return whole?.status === "Unknown" ? "unknown" : undefined;
}

function judgementOf(cluster: string, update: ConditionalUpdate, known: ReadonlyMap<string, RiskVerdict>): Judgement {
  const whole = conditionOf(update.conditions, "Recommended");
  const risks = new Map<string, RiskVerdict>();
  for (const risk of update.risks ?? []) {
    const verdict = known.get(riskKey(risk.name ?? "", risk.matchingRules));
    if (risk.name !== undefined && verdict) risks.set(risk.name, verdict);
  }
  return {
    cluster,
    verdict: verdictOf(whole?.status),
    basis: "evaluated",
    reason: whole?.reason ?? "",
    message: whole?.message ?? "",
    risks,
  };
}

function knownRisks(status: ClusterVersionObject["status"]): ReadonlyMap<string, RiskVerdict> {
  const known = new Map<string, RiskVerdict>();
  for (const update of status?.conditionalUpdates ?? []) {
    for (const risk of update.risks ?? []) {
      const verdict = riskInUpdate(update, risk);
      if (verdict && risk.name !== undefined) known.set(riskKey(risk.name, risk.matchingRules), verdict);
    }
  }
  for (const risk of status?.conditionalUpdateRisks ?? []) {
    const verdict = riskVerdictOf(conditionOf(risk.conditions, "Applies")?.status);
    if (verdict && risk.name !== undefined) known.set(riskKey(risk.name, risk.matchingRules), verdict);
  }
  return known;
}

// The version that updates are offered from: status.desired, as the operator asks for it.
export function clusterOf(name: string, object: ClusterVersionObject): Cluster {
  const status = object.status;
  const risks = knownRisks(status);
  const offered = new Map<string, Judgement>();
  for (const update of status?.availableUpdates ?? []) {
    offered.set(update.version, {
      cluster: name,
      verdict: "recommended",
      basis: "evaluated",
      reason: "",
      message: "",
      risks: new Map(),
    });
  }
  for (const update of status?.conditionalUpdates ?? []) {
    offered.set(update.release.version, judgementOf(name, update, risks));
  }
  return { name, version: status?.desired?.version ?? "", channel: object.spec?.channel ?? "", offered, risks };
}

function combine(risks: ReadonlyMap<string, RiskVerdict>): Verdict {
  const all = [...risks.values()];
  if (all.includes("applies")) return "notRecommended";
  return all.includes("unknown") ? "unknown" : "recommended";
}

// From the cluster's verdicts on the risks; nothing when one was never evaluated there and none applies.
function judgeByRisks(cluster: Cluster, risks: readonly Risk[]): Judgement | undefined {
  if (risks.length === 0) return undefined;
  const verdicts = new Map<string, RiskVerdict>();
  for (const risk of risks) {
    const first = risk.matchingRules[0]; // nobody escapes a risk without rules
    const verdict = !first || first.type === "Always" ? "applies" : cluster.risks.get(riskKey(risk.name, risk.matchingRules));
    if (verdict) verdicts.set(risk.name, verdict);
  }
  const verdict = combine(verdicts);
  if (verdicts.size < risks.length && verdict !== "notRecommended") return undefined;
  const named = (wanted: RiskVerdict) =>
    [...verdicts].filter(([, each]) => each === wanted).map(([name]) => name).join(", ");
  const words: Record<Verdict, string> = {
    recommended: "None of its risks applies to this cluster.",
    notRecommended: `Applies to this cluster: ${named("applies")}.`,
    unknown: `Nobody can tell whether this applies to this cluster: ${named("unknown")}.`,
  };
  return { cluster: cluster.name, verdict, basis: "risks", reason: "", message: words[verdict], risks: verdicts };
}

// What the cluster wrote, where it stands before this update; else what follows from its verdicts on the risks.
function judgeWith(graph: Graph, cluster: Cluster, update: number, byRisks: (riskSet: number) => Judgement | undefined): Judgement | undefined {
  const own = cluster.version === versionOf(graph, graph.from[update] ?? 0) ? cluster.offered.get(versionOf(graph, graph.to[update] ?? 0)) : undefined;
  return own ?? byRisks(graph.riskSet[update] ?? 0);
}

export function judge(graph: Graph, cluster: Cluster, update: number): Judgement | undefined {
  return judgeWith(graph, cluster, update, () => judgeByRisks(cluster, risksOf(graph, update)));
}

export interface Tally {
  readonly recommended: number;
  readonly notRecommended: number;
  readonly unknown: number;
}

export const kNobody: Tally = { recommended: 0, notRecommended: 0, unknown: 0 };

export function tallyOf(judgements: readonly Judgement[]): Tally {
  const count = (verdict: Verdict) => judgements.filter((each) => each.verdict === verdict).length;
  return { recommended: count("recommended"), notRecommended: count("notRecommended"), unknown: count("unknown") };
}

export function total(tally: Tally): number {
  return tally.recommended + tally.notRecommended + tally.unknown;
}

// By update: the judgements that count. Of one cluster, all that can be said; of a fleet, only what its clusters
// evaluated themselves, since an update that none of them stands before concerns nobody yet.
export type Evaluations = ReadonlyMap<number, readonly Judgement[]>;

export function evaluationsOfCluster(graph: Graph, cluster: Cluster): Evaluations {
  const found = new Map<number, readonly Judgement[]>();
  const bySet = graph.riskSets.map((risks) => judgeByRisks(cluster, risks)); // few, where updates are many
  for (let update = 0; update < graph.from.length; ++update) {
    const judgement = judgeWith(graph, cluster, update, (riskSet) => bySet[riskSet]);
    if (judgement) found.set(update, [judgement]);
  }
  return found;
}

export function evaluationsOfFleet(graph: Graph, clusters: readonly Cluster[]): Evaluations {
  const found = new Map<number, Judgement[]>();
  for (const cluster of clusters) {
    for (const [to, judgement] of cluster.offered) {
      const update = findUpdate(graph, cluster.version, to);
      if (update === undefined) continue;
      const list = found.get(update) ?? [];
      list.push(judgement);
      found.set(update, list);
    }
  }
  return found;
}

// The worst verdict decides a colour: one cluster that must not take it weighs more than ten that may.
export function worst(tally: Tally): Verdict | undefined {
  if (tally.notRecommended > 0) return "notRecommended";
  if (tally.unknown > 0) return "unknown";
  return tally.recommended > 0 ? "recommended" : undefined;
}

export function riskVerdict(cluster: Cluster, risk: Risk): RiskVerdict | undefined {
  return cluster.risks.get(riskKey(risk.name, risk.matchingRules));
}
