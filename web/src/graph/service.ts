// The update service's questions that the Graph page asks, below /updates.
import { type Outcome, getJson } from "../api/http";
import { fetchUpdates } from "../api/updates";
import type { GraphAnswer, Risk } from "./model";

export interface ChannelList {
  readonly channels: readonly { readonly name: string; readonly releases: Readonly<Record<string, number>> }[];
}

export function fetchChannels(signal: AbortSignal): Promise<Outcome<ChannelList>> {
  return fetchUpdates<ChannelList>("channels", {}, signal);
}

// What is looked at: a channel for an architecture, now or as of a revision.
export interface Place {
  readonly channel: string;
  readonly arch: string;
  readonly revision: string; // empty: now
}

export function fetchGraph(place: Place, signal: AbortSignal): Promise<Outcome<GraphAnswer>> {
  const { channel, arch, revision } = place;
  return revision
    ? fetchUpdates<GraphAnswer>("as-of", { channel, arch, revision }, signal)
    : fetchUpdates<GraphAnswer>("graph", { channel, arch }, signal);
}

export interface Explanation {
  readonly verdict: string;
  readonly summary: string;
  readonly causes?: readonly { readonly what: string; readonly file?: string; readonly risk?: Risk }[];
}

export function fetchExplanation(place: Place, from: string, to: string, signal: AbortSignal): Promise<Outcome<Explanation>> {
  return fetchUpdates<Explanation>("explain", { from, to, channel: place.channel, arch: place.arch }, signal);
}

export interface PathStep {
  readonly from: string;
  readonly to: string;
  readonly channel?: string;
  readonly risks?: readonly string[]; // that are left
  readonly accepted?: readonly string[];
}

export interface Path {
  readonly hops: number;
  readonly risks: readonly string[];
  readonly steps: readonly PathStep[];
}

export interface PathQuestion {
  readonly from: string;
  readonly to: string;
  readonly channels: readonly string[]; // none: any
  readonly arch: string;
  readonly fewest: "hops" | "risks";
  readonly accepted: readonly string[];
  readonly isRecommendedOnly: boolean;
}

export function pathQuery(question: PathQuestion): string {
  const query = new URLSearchParams({ from: question.from, to: question.to, arch: question.arch, fewest: question.fewest });
  for (const channel of question.channels) query.append("channel", channel);
  for (const risk of question.accepted) query.append("accept", risk);
  if (question.isRecommendedOnly) query.set("recommended", "true");
  return query.toString();
}

export function fetchPath(question: PathQuestion, signal: AbortSignal): Promise<Outcome<Path>> {
  return getJson<Path>(`/updates/path?${pathQuery(question)}`, { signal });
}

export interface Revision {
  readonly id: string;
  readonly time: string;
  readonly summary: string;
}

export function fetchRevisions(signal: AbortSignal): Promise<Outcome<{ readonly revisions: readonly Revision[] }>> {
  return fetchUpdates<{ revisions: readonly Revision[] }>("revisions", {}, signal);
}

export interface EdgeState {
  readonly risks: readonly string[];
}

export interface Difference {
  readonly versions: {
    readonly added: readonly string[];
    readonly removed: readonly string[];
    readonly changed: readonly string[];
  };
  readonly edges: readonly { readonly from: string; readonly to: string; readonly before: EdgeState | null; readonly after: EdgeState | null }[];
}

export function fetchDifference(place: Place, signal: AbortSignal): Promise<Outcome<Difference>> {
  return fetchUpdates<Difference>("diff", { channel: place.channel, arch: place.arch, since: place.revision }, signal);
}
