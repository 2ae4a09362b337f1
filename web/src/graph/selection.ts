// What is looked at, as the address tells it: #/graph?channel=stable-4.14&arch=amd64&focus=4.14.3&by=fleet.
import { compareVersions, parseVersion } from "./semver";
import type { ChannelList } from "./service";

export interface Selection {
  readonly channel: string; // empty: choose one
  readonly arch: string;
  readonly revision: string; // empty: now
  readonly by: string; // "graph", "fleet" or "cluster:NAME"
  readonly focus: string;
  readonly update: { readonly from: string; readonly to: string } | undefined;
  readonly risk: string;
  readonly isFolding: boolean;
}

const kCluster = "cluster:"; // ?cluster=NAME is short for ?by=cluster:NAME
const kBetween = "~"; // in no version

export function selectionOf(query: URLSearchParams): Selection {
  const [from = "", to = ""] = (query.get("update") ?? "").split(kBetween);
  return {
    channel: query.get("channel") ?? "",
    arch: query.get("arch") ?? "",
    revision: query.get("at") ?? "",
    by: query.get("by") ?? (query.has("cluster") ? `${kCluster}${query.get("cluster") ?? ""}` : ""),
    focus: query.get("focus") ?? "",
    update: from && to ? { from, to } : undefined,
    risk: query.get("risk") ?? "",
    isFolding: query.get("fold") !== "off",
  };
}

export function queryOf(selection: Selection): Readonly<Record<string, string | undefined>> {
  const { update } = selection;
  return {
    channel: selection.channel,
    arch: selection.arch,
    at: selection.revision,
    by: selection.by,
    focus: selection.focus,
    update: update ? `${update.from}${kBetween}${update.to}` : undefined,
    risk: selection.risk,
    fold: selection.isFolding ? undefined : "off",
  };
}

export function chosenCluster(by: string): string | undefined {
  return by.startsWith(kCluster) ? by.slice(kCluster.length) : undefined;
}

function splitChannel(name: string): { kind: string; version: string } {
  const dash = name.lastIndexOf("-");
  return { kind: name.slice(0, Math.max(0, dash)), version: `${name.slice(dash + 1)}.0` };
}

// Newest first; of one version stable, fast, eus, candidate, then the others by name.
export function sortChannels(names: readonly string[]): readonly string[] {
  const kinds = ["stable", "fast", "eus", "candidate"];
  const place = (kind: string) => (kinds.includes(kind) ? kinds.indexOf(kind) : kinds.length);
  return [...names].sort((a, b) => {
    const left = splitChannel(a);
    const right = splitChannel(b);
    const isVersion = Number(Boolean(parseVersion(right.version))) - Number(Boolean(parseVersion(left.version)));
    return (
      isVersion ||
      compareVersions(right.version, left.version) ||
      place(left.kind) - place(right.kind) ||
      (a < b ? -1 : a > b ? 1 : 0)
    );
  });
}

// The channel that most clusters are in, else the newest stable one that has releases.
export function defaultChannel(list: ChannelList, ofClusters: readonly string[]): string {
  const known = new Map(list.channels.map((channel) => [channel.name, channel]));
  const counts = new Map<string, number>();
  for (const name of ofClusters) if (known.has(name)) counts.set(name, (counts.get(name) ?? 0) + 1);
  const [first] = [...counts].sort(([a, n], [b, m]) => m - n || (a < b ? -1 : 1));
  if (first) return first[0];
  const filled = list.channels.filter((channel) => Object.keys(channel.releases).length > 0);
  return sortChannels((filled.length > 0 ? filled : list.channels).map((channel) => channel.name))[0] ?? "";
}

export function archesOf(list: ChannelList, channel: string): readonly string[] {
  const found = list.channels.find((each) => each.name === channel);
  return Object.keys(found?.releases ?? {}).sort();
}

export function defaultArch(arches: readonly string[]): string {
  return arches.includes("amd64") ? "amd64" : (arches[0] ?? "amd64");
}
