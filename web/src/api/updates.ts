// The update service below /updates, and the console's own questions: what there is, why, what if.
import { type Outcome, getJson } from "./http";

export interface ConsoleCluster {
  readonly name: string;
  readonly isHub: boolean;
  readonly hasMetrics: boolean;
}

export interface ConsoleFacts {
  readonly version: string;
  readonly updateService: boolean;
  readonly clusters: readonly ConsoleCluster[];
}

export function fetchFacts(): Promise<Outcome<ConsoleFacts>> {
  return getJson<ConsoleFacts>("/console.json");
}

// GET /updates/PATH?…; T is what the caller knows of the answer's form.
export function fetchUpdates<T>(
  path: string,
  parameters: Readonly<Record<string, string | undefined>> = {},
  signal?: AbortSignal,
): Promise<Outcome<T>> {
  const query = new URLSearchParams();
  for (const [key, value] of Object.entries(parameters)) if (value !== undefined) query.set(key, value);
  const text = query.toString();
  return getJson<T>(`/updates/${path}${text ? `?${text}` : ""}`, signal ? { signal } : {});
}

export type VerdictKind = "Applies" | "DoesNotApply" | "Unknown";

// One expression of a query with what it gave; series are the first few of seriesCount.
export interface ExplainedNode {
  readonly expr: string;
  readonly type: string;
  readonly seriesCount?: number;
  readonly sampleCount?: number;
  readonly series?: readonly { readonly metric: Readonly<Record<string, string>>; readonly value: readonly [number, string] }[];
  readonly children?: readonly ExplainedNode[];
}

export interface Why {
  readonly verdict: VerdictKind;
  readonly problem?: string;
  readonly tree?: ExplainedNode;
}

export function fetchWhy(cluster: string, query: string): Promise<Outcome<Why>> {
  return getJson<Why>(`/why?${new URLSearchParams({ cluster, query }).toString()}`);
}

export interface WhatIfCluster {
  readonly name: string;
  readonly version: string;
  readonly channel: string;
  readonly verdict: VerdictKind;
  readonly reason?: string;
  readonly updates?: readonly WhatIfUpdate[];
}

// Each is absent, recommended, not recommended or unknown.
export interface WhatIfUpdate {
  readonly version: string;
  readonly before: string;
  readonly after: string;
}

export interface WhatIf {
  readonly block: { readonly to: string; readonly from?: string; readonly name?: string };
  readonly clusters: readonly WhatIfCluster[];
  readonly untouched: number;
  readonly findings?: readonly { readonly id: string; readonly message: string; readonly fix?: string }[]; // what is odd about the block
}

export function askWhatIf(yaml: string): Promise<Outcome<WhatIf>> {
  return getJson<WhatIf>("/what-if", { method: "POST", body: yaml, contentType: "application/yaml" });
}
