// A question to the server as a component sees it: waiting, failed or answered. A newer question drops the older one. While
// the server is away it is asked again and again.
import { useCallback, useEffect, useState } from "preact/hooks";
import type { Outcome, Problem } from "../api/http";

export type Asked<T> =
  | { readonly state: "waiting" }
  | { readonly state: "failed"; readonly problem: Problem; readonly retry: () => void }
  | { readonly state: "answered"; readonly value: T };

const kAgainMillis = 3_000;

// It may be otherwise in a moment: no answer, or a server that cannot answer yet.
function mayPass(problem: Problem): boolean {
  return problem.status === 0 || problem.status >= 500 || problem.status === 429;
}

type Held<T> = { readonly key: string; readonly answer: Outcome<T> };

// Asks whenever `key` changes; undefined asks nothing. `ask` is called with what the key stands for.
export function useAsked<T>(key: string | undefined, ask: (signal: AbortSignal) => Promise<Outcome<T>>): Asked<T> {
  const [held, setHeld] = useState<Held<T>>();
  const [tries, setTries] = useState(0);
  const retry = useCallback(() => {
    setHeld(undefined);
    setTries((n) => n + 1);
  }, []);
  useEffect(() => {
    if (key === undefined) return undefined;
    const run = new AbortController();
    void ask(run.signal).then((answer) => {
      if (!run.signal.aborted) setHeld({ key, answer });
    });
    return () => run.abort();
  }, [key, tries]);
  useEffect(() => {
    if (!held || held.answer.ok || !mayPass(held.answer.problem)) return undefined;
    const timer = setTimeout(() => setTries((n) => n + 1), kAgainMillis);
    return () => clearTimeout(timer);
  }, [held]);
  if (!held || held.key !== key) return { state: "waiting" };
  if (held.answer.ok) return { state: "answered", value: held.answer.value };
  return { state: "failed", problem: held.answer.problem, retry };
}
