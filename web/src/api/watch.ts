// Watch: a list of a resource that stays true. It lists, then streams what changes, resumes where the stream ended,
// lists again when the server has forgotten (410) or when there is no slot for a stream, and goes on through a
// restart of the server. Components share one by useWatch(); it runs while somebody looks at it.
import { Store } from "../store";
import { type Outcome, type Problem, getJson, request } from "./http";
import { LineSplitter } from "./lines";
import { Collection, type KubeObject, type WatchEvent } from "./objects";
import { type Slot, slotsReleased, takeSlot } from "./slots";

export interface WatchView<T> {
  // loading: nothing is known yet. failed: nothing is known, see the problem. reconnecting: items may be old.
  readonly state: "loading" | "live" | "reconnecting" | "failed";
  readonly items: readonly T[];
  readonly problem?: Problem;
}

interface ObjectList<T> {
  readonly metadata?: { readonly resourceVersion?: string; readonly continue?: string };
  readonly items?: readonly T[];
}

const kPageSize = "500";
const kPollMillis = 5_000;
const kPollMillisEach = 200;
const kRefusedMillis = 30_000; // no such resource, no right: it may come
const kLeastBackoffMillis = 500;
const kMostBackoffMillis = 10_000;
const kStreamSeconds = 240;
const kSilenceMillis = (kStreamSeconds + 30) * 1_000; // a stream that outlives its end is dead
const kFlushMillis = 40;

export class Watch<T extends KubeObject> {
  readonly view = new Store<WatchView<T>>({ state: "loading", items: [] });
  private readonly collection = new Collection<T>();
  private isKnown = false;
  private viewers = 0;
  private failures = 0;
  private run: AbortController | undefined;
  private flushing: ReturnType<typeof setTimeout> | undefined;

  constructor(private readonly path: string) {}

  // Runs until what is returned is called by the last viewer.
  open(): () => void {
    this.viewers += 1;
    if (this.viewers === 1) this.start();
    let isOpen = true;
    return () => {
      if (!isOpen) return;
      isOpen = false;
      this.viewers -= 1;
      if (this.viewers === 0) this.stop();
    };
  }

  stop(): void {
    this.run?.abort();
    this.run = undefined;
    openWatches.delete(this as unknown as Watch<KubeObject>);
    noteConnection();
  }

  private start(): void {
    const run = new AbortController();
    this.run = run;
    openWatches.add(this as unknown as Watch<KubeObject>);
    noteConnection();
    void this.keep(run.signal);
  }

  private async keep(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      if (document.hidden) {
        await untilVisible(signal);
        continue;
      }
      const pause = await this.step(signal);
      if (!signal.aborted && pause > 0) await wait(pause, signal);
    }
  }

  // One list or one stream; how long to pause after it, in milliseconds.
  private async step(signal: AbortSignal): Promise<number> {
    if (!this.collection.resourceVersion) {
      const listed = await this.list(signal);
      if (signal.aborted) return 0;
      if (!listed.ok) return this.fail(listed.problem);
    }
    const slot = await takeSlot();
    if (signal.aborted || !slot) {
      slot?.release();
      if (signal.aborted) return 0;
      await this.waitForTurn(signal);
      return 0;
    }
    return this.stream(slot, signal);
  }

  // Without a slot: until one is free, or until it is time to list again. Many that poll do so less often.
  private async waitForTurn(signal: AbortSignal): Promise<void> {
    const turn = new AbortController();
    const end = () => turn.abort();
    signal.addEventListener("abort", end);
    const unsubscribe = slotsReleased.subscribe(end);
    const isTime = await wait(Math.max(kPollMillis, openWatches.size * kPollMillisEach), turn.signal);
    unsubscribe();
    signal.removeEventListener("abort", end);
    if (isTime) this.collection.forget();
  }

  private async list(signal: AbortSignal): Promise<Outcome<void>> {
    const items: T[] = [];
    for (let next = "", version = ""; ; ) {
      const query = new URLSearchParams({ limit: kPageSize });
      if (next) query.set("continue", next);
      const page = await getJson<ObjectList<T>>(`${this.path}?${query.toString()}`, { signal });
      if (!page.ok) return page;
      items.push(...(page.value.items ?? []));
      version = page.value.metadata?.resourceVersion ?? version;
      next = page.value.metadata?.continue ?? "";
      if (next) continue;
      this.collection.replace(items, version);
      this.succeed();
      return { ok: true, value: undefined };
    }
  }

  private async stream(slot: Slot, outer: AbortSignal): Promise<number> {
    const own = new AbortController();
    const cut = () => own.abort();
    const onHidden = () => document.hidden && own.abort();
    outer.addEventListener("abort", cut);
    document.addEventListener("visibilitychange", onHidden);
    const silence = setTimeout(cut, kSilenceMillis);
    try {
      return await this.follow(own.signal, outer);
    } finally {
      clearTimeout(silence);
      outer.removeEventListener("abort", cut);
      document.removeEventListener("visibilitychange", onHidden);
      own.abort();
      slot.release();
    }
  }

  private async follow(signal: AbortSignal, outer: AbortSignal): Promise<number> {
    const query = new URLSearchParams({
      watch: "1",
      allowWatchBookmarks: "true",
      timeoutSeconds: String(kStreamSeconds),
      resourceVersion: this.collection.resourceVersion,
    });
    const answer = await request(`${this.path}?${query.toString()}`, { signal });
    if (!answer.ok) {
      if (signal.aborted) return 0;
      if (answer.problem.status !== 0) this.collection.forget(); // 410 and the like
      return answer.problem.status === 410 ? 0 : this.fail(answer.problem);
    }
    this.succeed();
    const began = Date.now();
    const end = await this.read(answer.value, signal);
    if (signal.aborted || end === "gone") return 0;
    if (end === "refused") return this.backoff();
    if (end === "broken") return this.fail({ status: 0, message: "the connection was lost" });
    // A server that ends streams at once is not asked in a tight loop.
    return Date.now() - began < 1_000 && !outer.aborted ? kLeastBackoffMillis : 0;
  }

  private async read(response: Response, signal: AbortSignal): Promise<"ended" | "broken" | "gone" | "refused"> {
    const reader = response.body?.getReader();
    if (!reader) return "broken";
    const decoder = new TextDecoder();
    const splitter = new LineSplitter();
    try {
      for (;;) {
        const piece = await reader.read();
        if (piece.done || signal.aborted) return "ended";
        for (const line of splitter.feed(decoder.decode(piece.value, { stream: true }))) {
          const taken = this.collection.take(JSON.parse(line) as WatchEvent);
          if (taken === "gone" || taken === "refused") return taken;
          if (taken === "changed") this.flushSoon();
        }
      }
    } catch {
      return "broken"; // cut off, or a line that is not JSON
    }
  }

  private succeed(): void {
    this.failures = 0;
    this.isKnown = true;
    this.show();
  }

  private show(): void {
    clearTimeout(this.flushing);
    this.flushing = undefined;
    this.view.set({ state: "live", items: this.collection.items() });
    noteConnection();
  }

  // Many events make one drawing.
  private flushSoon(): void {
    this.flushing ??= setTimeout(() => this.show(), kFlushMillis);
  }

  private fail(problem: Problem): number {
    clearTimeout(this.flushing);
    this.flushing = undefined;
    if (isRefusal(problem)) {
      this.isKnown = false;
      this.collection.replace([], "");
    }
    this.view.set({ state: this.isKnown ? "reconnecting" : "failed", items: this.collection.items(), problem });
    noteConnection();
    return isRefusal(problem) ? kRefusedMillis : this.backoff();
  }

  private backoff(): number {
    const most = Math.min(kLeastBackoffMillis * 2 ** this.failures, kMostBackoffMillis);
    this.failures += 1;
    return most * (0.75 + Math.random() / 4);
  }
}

// The server answered, and the answer will be the same in a moment.
function isRefusal(problem: Problem): boolean {
  return problem.status >= 400 && problem.status < 500 && problem.status !== 408 && problem.status !== 410 && problem.status !== 429;
}

// Whether the time has passed, or the network has come back; not when it was cut short.
function wait(millis: number, signal: AbortSignal): Promise<boolean> {
  return new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer);
      signal.removeEventListener("abort", done);
      removeEventListener("online", done);
      resolve(!signal.aborted);
    };
    const timer = setTimeout(done, millis);
    signal.addEventListener("abort", done);
    addEventListener("online", done);
  });
}

function untilVisible(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      document.removeEventListener("visibilitychange", done);
      signal.removeEventListener("abort", done);
      resolve();
    };
    document.addEventListener("visibilitychange", done);
    signal.addEventListener("abort", done);
  });
}

// What the header says about all of them.
export type Connection = "idle" | "live" | "reconnecting";
export const connection = new Store<Connection>("idle");
const openWatches = new Set<Watch<KubeObject>>();

function noteConnection(): void {
  const views = [...openWatches].map((each) => each.view.get());
  const isLost = views.some((each) => each.state === "reconnecting" || (each.problem !== undefined && !isRefusal(each.problem)));
  const isLive = views.some((each) => each.state === "live");
  connection.set(isLost ? "reconnecting" : isLive ? "live" : "idle");
}
