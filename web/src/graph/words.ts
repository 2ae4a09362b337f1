// How states are told: a sign, a word and a tone for each, so that colour is never alone.
import type { Tone } from "../components/basic";
import type { Tally, Verdict } from "./verdicts";

// Of an update or of a bundle of updates: as the graph has it, or as clusters evaluated it.
export type Kind = "recommended" | "conditional" | "mixed" | "good" | "bad" | "unsure";

export interface KindWords {
  readonly sign: string;
  readonly word: string;
  readonly tone: Tone;
}

export const kKinds: Readonly<Record<Kind, KindWords>> = {
  recommended: { sign: "→", word: "recommended to every cluster", tone: "info" },
  conditional: { sign: "!", word: "conditional: has risks", tone: "warn" },
  mixed: { sign: "±", word: "some recommended, some with risks", tone: "warn" },
  good: { sign: "✓", word: "evaluated: recommended", tone: "good" },
  bad: { sign: "✕", word: "evaluated: not recommended", tone: "bad" },
  unsure: { sign: "?", word: "evaluated: cannot tell", tone: "warn" },
};

export function kindOfVerdict(verdict: Verdict): Kind {
  return verdict === "recommended" ? "good" : verdict === "notRecommended" ? "bad" : "unsure";
}

export const kVerdictWords: Readonly<Record<Verdict, string>> = {
  recommended: "recommended",
  notRecommended: "not recommended",
  unknown: "cannot tell",
};

// "1 update", "14,395 updates"
export function plural(count: number, one: string): string {
  const digits = String(count).replace(/\B(?=(\d{3})+$)/g, ",");
  return `${digits} ${one}${count === 1 ? "" : "s"}`;
}

// "recommended for 3, not for 1, unknown for 2"
export function tallyWords(tally: Tally): string {
  const parts: string[] = [];
  if (tally.recommended > 0) parts.push(`recommended for ${tally.recommended}`);
  if (tally.notRecommended > 0) parts.push(parts.length > 0 ? `not for ${tally.notRecommended}` : `not recommended for ${tally.notRecommended}`);
  if (tally.unknown > 0) parts.push(`unknown for ${tally.unknown}`);
  return parts.join(", ");
}

// "3✓ 1✕ 2?", or only the sign where one cluster says it.
export function tallySigns(tally: Tally): string {
  const isOne = tally.recommended + tally.notRecommended + tally.unknown === 1;
  const part = (count: number, sign: string) => (count === 0 ? [] : [isOne ? sign : `${count}${sign}`]);
  return [...part(tally.recommended, "✓"), ...part(tally.notRecommended, "✕"), ...part(tally.unknown, "?")].join(" ");
}
