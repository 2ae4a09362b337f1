// A value that components follow. Small on purpose: get, set, subscribe, and a hook.
import { useEffect, useState } from "preact/hooks";

export interface Readable<T> {
  get(): T;
  subscribe(listener: () => void): () => void;
}

export class Store<T> implements Readable<T> {
  private value: T;
  private readonly listeners = new Set<() => void>();

  constructor(initial: T) {
    this.value = initial;
  }

  get(): T {
    return this.value;
  }

  set(next: T): void {
    if (Object.is(next, this.value)) return;
    this.value = next;
    for (const listener of [...this.listeners]) listener();
  }

  subscribe(listener: () => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }
}

export function useStore<T>(store: Readable<T>): T {
  const [, redraw] = useState(0);
  useEffect(() => {
    const seen = store.get();
    const unsubscribe = store.subscribe(() => redraw((n) => n + 1));
    // What changed between the drawing and the effect is not missed.
    if (!Object.is(seen, store.get())) redraw((n) => n + 1);
    return unsubscribe;
  }, [store]);
  return store.get();
}
