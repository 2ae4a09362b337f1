// What the server has: read once at the start, and again when it was away.
import { createContext } from "preact";
import { useContext } from "preact/hooks";
import type { ConsoleFacts } from "./api/updates";

export const FactsContext = createContext<ConsoleFacts>({ version: "", updateService: false, clusters: [] });

export function useFacts(): ConsoleFacts {
  return useContext(FactsContext);
}

export function hubOf(facts: ConsoleFacts): string | undefined {
  return facts.clusters.find((each) => each.isHub)?.name;
}

// Stays the same array while the facts do.
const names = new WeakMap<ConsoleFacts, readonly string[]>();
export function clusterNames(facts: ConsoleFacts): readonly string[] {
  let found = names.get(facts);
  if (!found) {
    found = facts.clusters.map((each) => each.name);
    names.set(facts, found);
  }
  return found;
}
