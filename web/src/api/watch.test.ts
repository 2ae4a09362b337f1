import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";
import type { KubeObject } from "./objects";
import { Watch, connection } from "./watch";

// A server that is played: each request is answered by the next answer, and is on record.
interface Asked {
  readonly url: URL;
  readonly signal: AbortSignal | null;
}
let asked: Asked[] = [];
let answers: ((request: Asked) => Response | Promise<Response>)[] = [];
let pauses: number[] = [];
let somethingIsAsked: () => void = () => {};

const realSetTimeout = globalThis.setTimeout;
Object.assign(globalThis, {
  document: { hidden: false, addEventListener() {}, removeEventListener() {} },
  addEventListener() {},
  removeEventListener() {},
  sessionStorage: { getItem: () => null, setItem() {}, removeItem() {} },
  // Pauses are on record and take no time; limits never end.
  setTimeout: (action: () => void, millis: number) => {
    if (millis > 60_000) return undefined;
    if (millis >= 300) pauses.push(millis);
    return realSetTimeout(action, 0);
  },
  fetch: async (path: string, { signal }: { signal: AbortSignal | null }) => {
    const request = { url: new URL(path, "http://console.test"), signal };
    asked.push(request);
    somethingIsAsked();
    const answer = answers.shift();
    if (!answer) return new Promise<Response>((_, reject) => signal?.addEventListener("abort", () => reject(new DOMException("", "AbortError"))));
    return answer(request);
  },
});
Object.defineProperty(globalThis, "navigator", { value: {}, configurable: true });

beforeEach(() => {
  asked = [];
  answers = [];
  pauses = [];
});

const object = (name: string, resourceVersion: string): KubeObject => ({ metadata: { name, resourceVersion } });
const listed = (version: string, items: readonly KubeObject[], more = "") => () => Response.json({ metadata: { resourceVersion: version, continue: more }, items });
const refused = (status: number, message = "no") => () => Response.json({ message }, { status });
const lost = () => {
  throw new TypeError("failed to fetch");
};

// A stream that the test writes to and ends.
function stream() {
  let control: ReadableStreamDefaultController<Uint8Array> | undefined;
  const body = new ReadableStream<Uint8Array>({
    start(given) {
      control = given;
    },
  });
  const encoder = new TextEncoder();
  return {
    answer: () => new Response(body),
    send: (type: string, given: object) => control?.enqueue(encoder.encode(`${JSON.stringify({ type, object: given })}\n`)),
    end: () => control?.close(),
    break: () => control?.error(new TypeError("reset")),
  };
}

const names = (watch: Watch<KubeObject>) => watch.view.get().items.map((each) => each.metadata.name);

// Until the view is so.
function seen(watch: Watch<KubeObject>, isSo: () => boolean): Promise<void> {
  return new Promise((resolve) => {
    const look = () => {
      if (!isSo()) return;
      unsubscribe();
      resolve();
    };
    const unsubscribe = watch.view.subscribe(look);
    realSetTimeout(look, 0);
  });
}

function requests(count: number): Promise<void> {
  return new Promise((resolve) => {
    const look = () => asked.length >= count && resolve();
    somethingIsAsked = look;
    look();
  });
}

test("it lists, streams what changes, and resumes where the stream ended", async () => {
  const watch = new Watch<KubeObject>("/w");
  const [first, second] = [stream(), stream()];
  answers = [listed("5", [object("a", "4")]), first.answer, second.answer];
  const close = watch.open();
  await requests(2);
  assert.equal(asked[1]?.url.searchParams.get("resourceVersion"), "5");
  first.send("ADDED", object("b", "6"));
  await seen(watch, () => names(watch).length === 2);
  first.send("BOOKMARK", object("", "9"));
  first.end();
  await requests(3);
  assert.equal(asked[2]?.url.searchParams.get("resourceVersion"), "9");
  assert.equal(watch.view.get().state, "live");
  second.send("DELETED", object("a", "10"));
  await seen(watch, () => names(watch).join() === "b");
  assert.equal(connection.get(), "live");
  close();
  assert.equal(asked[2]?.signal?.aborted, true, "nobody looks any more");
  assert.equal(connection.get(), "idle");
});

test("pages of a list are one list", async () => {
  const watch = new Watch<KubeObject>("/w");
  answers = [listed("", [object("a", "1")], "more"), listed("7", [object("b", "2")])];
  const close = watch.open();
  await seen(watch, () => names(watch).join() === "a,b");
  assert.equal(asked[1]?.url.searchParams.get("continue"), "more");
  close();
});

for (const [how, answer] of [
  ["as an answer", refused(410)],
  ["as an event", undefined],
] as const) {
  test(`a server that has forgotten (${how}) is asked for the list again at once`, async () => {
    const watch = new Watch<KubeObject>("/w");
    const old = stream();
    answers = [listed("5", [object("a", "4")]), answer ?? old.answer, listed("50", [object("z", "49")])];
    const close = watch.open();
    old.send("ERROR", { metadata: {}, code: 410 });
    await seen(watch, () => names(watch).join() === "z");
    await requests(4);
    assert.equal(asked[3]?.url.searchParams.get("resourceVersion"), "50");
    assert.deepEqual(pauses, []);
    close();
  });
}

test("through a server that is away it keeps what it knows, asks less and less often, and goes on", async () => {
  const watch = new Watch<KubeObject>("/w");
  const [before, after] = [stream(), stream()];
  answers = [listed("5", [object("a", "4")]), before.answer, lost, lost, lost, after.answer];
  const states: string[] = [];
  watch.view.subscribe(() => states.push(`${watch.view.get().state} ${names(watch).join()}`));
  const close = watch.open();
  await requests(2);
  before.break();
  await requests(6);
  after.send("ADDED", object("b", "6"));
  await seen(watch, () => names(watch).length === 2);
  assert.deepEqual([...new Set(states)], ["live a", "reconnecting a", "live a,b"]);
  assert.equal(asked[5]?.url.searchParams.get("resourceVersion"), "5", "it resumes instead of listing");
  assert.equal(pauses.length, 4);
  assert.ok(pauses.every((pause, index) => index === 0 || pause > (pauses[index - 1] ?? 0)), `${pauses}`);
  close();
});

test("a server that was never there is a failure, and the header says so", async () => {
  const watch = new Watch<KubeObject>("/w");
  answers = [lost, listed("1", [])];
  const states: string[] = [];
  watch.view.subscribe(() => states.push(`${watch.view.get().state} ${connection.get()}`));
  const close = watch.open();
  await seen(watch, () => watch.view.get().state === "live");
  assert.equal(states[0], "failed idle");
  close();
});

test("what may not be seen is not shown from memory", async () => {
  const watch = new Watch<KubeObject>("/w");
  const old = stream();
  answers = [listed("5", [object("a", "4")]), old.answer, refused(403, "forbidden")];
  const close = watch.open();
  await requests(2);
  old.end();
  await seen(watch, () => watch.view.get().state === "failed");
  assert.deepEqual([names(watch), watch.view.get().problem], [[], { status: 403, message: "forbidden" }]);
  close();
});

test("viewers share it, and the last one ends it", async () => {
  const watch = new Watch<KubeObject>("/w");
  const live = stream();
  answers = [listed("5", []), live.answer];
  const [one, two] = [watch.open(), watch.open()];
  await requests(2);
  one();
  one();
  assert.equal(asked[1]?.signal?.aborted, false);
  two();
  assert.equal(asked[1]?.signal?.aborted, true);
  assert.equal(asked.length, 2);
});

test("who gets no slot lists again", async () => {
  const others = [new Watch<KubeObject>("/1"), new Watch<KubeObject>("/2")];
  const streams = [stream(), stream()];
  answers = [listed("1", []), listed("1", []), streams[0]?.answer ?? lost, streams[1]?.answer ?? lost];
  const ends = others.map((each) => each.open());
  await requests(4);
  const watch = new Watch<KubeObject>("/w");
  answers = [listed("5", []), listed("6", [object("a", "6")])];
  const close = watch.open();
  await seen(watch, () => names(watch).join() === "a");
  const own = asked.filter((each) => each.url.pathname === "/w");
  assert.ok(own.every((each) => !each.url.searchParams.has("watch")), "no stream was opened");
  assert.ok(pauses.includes(5_000), "it pauses between two lists");
  close();
  ends.forEach((end) => end());
});
