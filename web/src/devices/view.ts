// Device of device.fairway.dev/v1alpha1, and what it says for the pages. Pure.
import type { KubeObject } from "../api/objects";
import type { Tone } from "../components/basic";

export const kDevices = { groupVersion: "device.fairway.dev/v1alpha1", resource: "devices" } as const;

export interface Backup {
  readonly name: string;
  readonly complete?: boolean;
  readonly latest?: boolean;
  readonly problem?: string;
  readonly deployment?: string;
  readonly boot?: string;
  readonly version?: string;
  readonly sequence?: number;
  readonly bytes?: number;
}

export interface HistoryEntry {
  readonly time?: string;
  readonly sequence?: number;
  readonly event?: string;
  readonly boot?: string;
  readonly deployment?: string;
  readonly result?: string;
  readonly error?: string;
  readonly actions?: readonly string[];
}

export interface Device extends KubeObject {
  readonly spec?: { readonly description?: string };
  readonly status?: {
    readonly reportedAt?: string;
    readonly boot?: string;
    readonly deployment?: string;
    readonly version?: string;
    readonly data?: string;
    readonly dataVersion?: string;
    readonly interrupted?: boolean;
    readonly nextBoot?: { readonly action?: string; readonly reason?: string };
    readonly problems?: readonly string[];
    readonly rolledBack?: { readonly from?: string; readonly time?: string; readonly reason?: string };
    readonly backups?: readonly Backup[];
    readonly history?: readonly HistoryEntry[];
  };
}

export interface Standing {
  readonly word: string;
  readonly tone: Tone;
  readonly message: string;
}

export function standingOf(device: Device): Standing {
  const status = device.status;
  if (!status?.reportedAt) return { word: "Never reported", tone: "quiet", message: "" };
  if (status.problems && status.problems.length > 0) return { word: "Has problems", tone: "bad", message: status.problems.join("; ") };
  if (status.rolledBack?.from) {
    const reason = status.rolledBack.reason ? `: ${status.rolledBack.reason}` : "";
    return { word: "Rolled back", tone: "warn", message: `It came back from ${status.rolledBack.from}${reason}` };
  }
  if (status.interrupted) return { word: "Interrupted", tone: "warn", message: "A change of the data was cut off." };
  return { word: "In order", tone: "good", message: "" };
}

export interface Boot {
  readonly id: string;
  readonly deployment: string;
  readonly outcome: "green" | "red" | "";
  readonly entries: readonly HistoryEntry[]; // oldest first
}

// The history, boot by boot; the newest boot first, as the device tells it.
export function bootsOf(device: Device): readonly Boot[] {
  const boots = new Map<string, { deployment: string; outcome: Boot["outcome"]; entries: HistoryEntry[] }>();
  for (const entry of device.status?.history ?? []) {
    const id = entry.boot || "unknown";
    const boot = boots.get(id) ?? { deployment: "", outcome: "" as const, entries: [] };
    boots.set(id, {
      deployment: boot.deployment || entry.deployment || "",
      outcome: boot.outcome || (entry.event === "green" || entry.event === "red" ? entry.event : ""),
      entries: [entry, ...boot.entries],
    });
  }
  return [...boots].map(([id, boot]) => ({ id, ...boot }));
}
